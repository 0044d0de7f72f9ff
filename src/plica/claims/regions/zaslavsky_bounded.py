r"""Zaslavsky: how many regions of an arrangement are bounded.

Claim
    Of the regions of n hyperplanes in general position in R^d, C(n-1, d) are bounded.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154 (1975), Theorem C [zaslavsky1975].
Prediction
    plica.theory.regions.zaslavsky_bounded(n, d)
Measurement
    cells of the exact complex (plica.decompose) that do not touch the border of a box with all vertices in its interior, for
    random integer hyperplanes on a line, in the plane and in space
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import integer_arrangement, n_bounded_cells, whole_complex
from plica.theory.regions import zaslavsky_bounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975",)
SEED = 3


def check(scale: str) -> Evidence:
    cases = [(n, 1) for n in (1, 2, 7)] + [(n, 2) for n in (1, 2, 3, 4, 6, 10, 15)] + [(n, 3) for n in (3, 4, 5, 6, 8, 10)]
    if scale == "full":
        cases += [(40, 2), (80, 2), (14, 3), (7, 4)]
    rows = []
    for n, d in cases:
        cx = whole_complex(*integer_arrangement(n, d, seed=SEED + n))
        rows.append(row(n_bounded_cells(cx), "=", zaslavsky_bounded(n, d), n=n, d=d))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Six lines: the bounded regions in color."""
    from matplotlib.collections import PolyCollection

    from plica._palette import FILLS, INK

    cx = whole_complex([[1, 2], [-2, 1], [1, 0], [1, -1], [3, 1], [0, 1]], [1, 1, -2, 0, -2, 2])
    points = cx.vertices
    edge = (abs(points) == abs(points).max()).any(1)
    colors = ["none" if edge[cell.vertices].any() else FILLS[i % len(FILLS)] for i, cell in enumerate(cx.cells)]
    ax.add_collection(PolyCollection(cx.cell_polygons(), facecolors=colors, edgecolors=INK, linewidths=0.8))  # type: ignore[attr-defined]
    inner = points[~edge]
    ax.set_xlim(inner[:, 0].min() - 1, inner[:, 0].max() + 1)
    ax.set_ylim(inner[:, 1].min() - 1, inner[:, 1].max() + 1)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(f"6 lines: {zaslavsky_bounded(6, 2)} bounded regions", fontsize=9)
