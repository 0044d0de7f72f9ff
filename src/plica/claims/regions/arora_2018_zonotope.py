r"""Arora, Basu, Mianjy and Mukherjee: zonotopes and sawteeth.

Claim
    With m generators in R^n and k further layers of width w, a ReLU network has at least sum_{i<n} C(m-1, i) w^k affine pieces.
Source
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, ICLR 2018, on the zonotope family [arora2018].
Prediction
    plica.theory.regions.arora_2018_lower_bound((n, 2 m, w, ..., w, 1))
Measurement
    regions of plica.construct.zonotope(generators, widths) on a square, exactly: plica.decompose. Twice the number
    is found, because the zonotope's function is linear on 2 sum_{i<n} C(m-1, i) cones, and one more outside of even folds
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, row
from plica.construct import zonotope
from plica.geometry import Box, decompose
from plica.theory.regions import arora_2018_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("montufar-2014",)


def generators(m: int) -> list[list[int]]:
    """m vectors in the plane, no two of them parallel."""
    return [[1, 0], [0, 1], [1, 1], [1, -2], [2, -1], [3, 2], [2, 5], [-1, 4]][:m]


def check(scale: str) -> Evidence:
    square = Box([-1.0, -1.0], [1.0, 1.0])
    cases = [(2, (2,)), (3, (3,)), (4, (3, 3)), (5, (2, 2, 2)), (6, (4, 4))]
    if scale == "full":
        cases += [(8, (3, 3, 3, 3)), (8, (8, 8))]
    rows = []
    for m, widths in cases:
        net = zonotope(generators(m), widths).network
        measured, bound = decompose(net, square).n_regions, arora_2018_lower_bound(net.widths)
        rows.append(row(measured, ">=", bound, m=m, widths=net.widths))
        outside = any(w % 2 == 0 for w in widths[:-1])  # after an even number of folds the rest of the plane is one region
        rows.append(row(measured, "=", 2 * bound + outside, m=m, widths=net.widths, what="twice the bound"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Rings of a zonotope in the plane."""
    from plica.claims._draw import draw_cells

    draw_cells(ax, decompose(zonotope(generators(3), (3,)).network, Box([-0.5, -0.5], [0.5, 0.5])))
    ax.set_title("three generators, one fold of width 3", fontsize=9)
