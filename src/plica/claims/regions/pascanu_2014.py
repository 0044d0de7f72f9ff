r"""Pascanu, Montúfar and Bengio: deep networks can have many regions.

Claim
    Some ReLU network with widths n_0 <= n_1, ..., n_L has at least prod_{l<L} floor(n_l / n_0) sum_{j<=n_0} C(n_L, j) regions:
    each layer but the last maps floor(n_l / n_0) parts of a cube onto one.
Source
    R. Pascanu, G. Montúfar, Y. Bengio, ICLR 2014, arXiv 1312.6098, Theorem 1; the abstract has its order, floor(n / n_0)^{k-1}
    n^{n_0} for k layers of width n [pascanu2014].
Prediction
    plica.theory.regions.pascanu_2014_lower_bound(widths), to the last region
Measurement
    regions of the network that folds one direction of the cube into strips and ends in an arrangement in general position,
    plica.construct.folding with fold="strips", exactly, on the unit cube (plica.decompose). With the other directions folded
    too it is Montúfar's network, which has more: claim montufar-2014
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, control, row
from plica.claims.regions._cube import unit_cube
from plica.construct import folding
from plica.geometry import decompose
from plica.theory.regions import pascanu_2014_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-product-bound", "slide-at-least", "montufar-2014")


def check(scale: str) -> Evidence:
    architectures = [(1, 2, 2, 1), (1, 3, 4, 1), (1, 4, 4, 4, 1), (2, 4, 4, 1), (2, 6, 6, 1), (2, 5, 5, 5, 1), (2, 4, 4, 4, 4, 1)]
    architectures += [(3, 6, 5, 1), (3, 9, 4, 1)]
    if scale == "full":
        architectures += [(1, 8, 8, 8, 8, 1), (2, 8, 8, 8, 1), (2, 6, 6, 6, 8, 1), (3, 7, 9, 6, 1)]
    rows = []
    for widths in architectures:
        cube = unit_cube(widths[0])
        measured = decompose(folding(widths, fold="strips").network, cube).n_regions
        rows.append(row(measured, "=", pascanu_2014_lower_bound(widths), widths=widths, network="one direction folded"))
        if widths[0] == 2:
            more = decompose(folding(widths).network, cube).n_regions
            rows.append(control(more, ">", measured, widths=widths, network="both directions folded"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The square folded into three strips, then cut by four lines."""
    from plica.claims._draw import draw_cells

    widths = (2, 6, 4, 1)
    draw_cells(ax, decompose(folding(widths, fold="strips").network, unit_cube(2)))
    ax.set_title(f"3 strips, 4 lines: {pascanu_2014_lower_bound(widths)} regions", fontsize=9)
