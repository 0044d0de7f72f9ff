r"""Serra, Tjandraatmadja and Ramalingam: one fold more per layer, and on a line nothing is left to gain.

Claim
    For n_l >= 3 n_0 some ReLU network has at least prod_{l<L} (floor(n_l / n_0) + 1)^{n_0} sum_{j<=n_0} C(n_L, j) regions;
    for n_0 = 1 this is prod_l (n_l + 1), the largest number possible.
Source
    T. Serra, C. Tjandraatmadja, S. Ramalingam, ICML 2018 [serra2018].
Prediction
    plica.theory.regions.serra_2018_lower_bound(widths); for one input it equals
    plica.theory.regions.serra_2018_upper_bound(widths)
Measurement
    regions of the zigzag construction, plica.construct.folding(widths, fold="zigzag"), exactly: plica.decompose
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, row
from plica.claims.regions._cube import unit_cube
from plica.construct import folding
from plica.geometry import Segment, decompose
from plica.theory.regions import serra_2018_lower_bound, serra_2018_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("montufar-2014", "serra-2018-upper")


def check(scale: str) -> Evidence:
    on_a_line = [(1, 3, 1), (1, 3, 4, 1), (1, 4, 4, 4, 1), (1, 5, 3, 7, 1), (1, 3, 3, 3, 3, 3, 1)]
    on_a_plane = [(2, 6, 6, 1), (2, 7, 8, 1), (2, 6, 6, 6, 1)]
    if scale == "full":
        on_a_line += [(1, 7, 7, 7, 7, 1), (1, 3, 3, 3, 3, 3, 3, 3, 1)]
        on_a_plane += [(2, 8, 8, 8, 1), (2, 6, 6, 6, 6, 1)]
    rows = []
    for widths in on_a_line:
        measured = decompose(folding(widths, fold="zigzag").network, Segment([-1.0], [2.0])).n_regions
        rows.append(row(measured, "=", serra_2018_lower_bound(widths), widths=widths))
        rows.append(row(measured, "=", serra_2018_upper_bound(widths), widths=widths))
    for widths in on_a_plane:
        measured = decompose(folding(widths, fold="zigzag").network, unit_cube(2)).n_regions
        rows.append(row(measured, "=", serra_2018_lower_bound(widths), widths=widths))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The square folded four times in each direction by three units each, then cut by six lines."""
    from plica.claims._draw import draw_cells

    widths = (2, 6, 6, 1)
    draw_cells(ax, decompose(folding(widths, fold="zigzag").network, unit_cube(2)))
    ax.set_title(f"widths 2-6-6-1: {serra_2018_lower_bound(widths)} regions", fontsize=9)
