r"""Montúfar, Pascanu, Cho and Bengio: every layer folds the cube onto itself.

Claim
    Some ReLU network with widths n_0 <= n_1, ..., n_L has at least prod_{l<L} floor(n_l / n_0)^{n_0} sum_{j<=n_0} C(n_L, j)
    regions.
Source
    G. Montúfar, R. Pascanu, K. Cho, Y. Bengio, NeurIPS 2014, Theorem 4 [montufar2014].
Prediction
    plica.theory.regions.montufar_2014_lower_bound(widths)
Measurement
    regions of the construction (plica.construct.folding) on the unit cube, exactly: plica.decompose. It attains the
    number
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, row
from plica.claims.regions._cube import unit_cube
from plica.construct import folding
from plica.geometry import decompose
from plica.theory.regions import montufar_2014_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("pascanu-2014", "serra-2018-lower", "montufar-2014-maxout")


def check(scale: str) -> Evidence:
    architectures = [(1, 2, 2, 1), (1, 2, 2, 2, 1), (1, 3, 3, 3, 1), (1, 4, 4, 1), (1, 5, 5, 1)]
    architectures += [(2, 2, 3, 1), (2, 4, 4, 1), (2, 5, 7, 1), (2, 6, 5, 1), (2, 4, 4, 4, 1), (2, 6, 6, 6, 1)]
    architectures += [(3, 3, 4, 1), (3, 6, 5, 1)]
    if scale == "full":
        architectures += [
            (1, 8, 8, 8, 8, 1),
            (2, 8, 8, 8, 1),
            (2, 4, 4, 4, 4, 4, 1),
            (2, 10, 10, 10, 1),
            (3, 6, 6, 6, 1),
            (3, 9, 8, 1),
        ]
    rows = []
    for widths in architectures:
        cx = decompose(folding(widths).network, unit_cube(widths[0]))
        rows.append(row(cx.n_regions, "=", montufar_2014_lower_bound(widths), widths=widths))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The square folded nine times, then cut by four lines."""
    from plica.claims._draw import draw_cells

    widths = (2, 6, 4, 1)
    draw_cells(ax, decompose(folding(widths).network, unit_cube(2)))
    ax.set_title(f"widths 2-6-4-1: {montufar_2014_lower_bound(widths)} regions", fontsize=9)
