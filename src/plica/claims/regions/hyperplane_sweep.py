r"""The sweep: one more line adds one region more than there were lines.

Claim
    In the plane, r(n + 1) = r(n) + n + 1: a line in general position meets the n others in n points and so cuts n + 1 regions.
Source
    R. Pascanu, G. Montúfar, Y. Bengio, ICLR 2014, Figure 2 [pascanu2014].
Prediction
    line n + 1 meets the others in n points and adds n + 1 regions
Measurement
    exact counts of random integer lines, inserted one at a time, in a box with all vertices (plica.decompose); the points in
    exact rationals; the figure inserts four lines
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, FILLS, INK
from plica.claims import Evidence, row
from plica.claims.regions._arrangement import integer_arrangement, layer, vertices, whole_complex
from plica.geometry import Box, decompose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975",)
SEED = 2


def check(scale: str) -> Evidence:
    n_lines = 30 if scale == "full" else 12
    W, b = integer_arrangement(n_lines, 2, seed=SEED)
    counts = [1] + [whole_complex(W[:n], b[:n]).n_cells for n in range(1, n_lines + 1)]
    rows = [row(counts[n + 1] - counts[n], "=", n + 1, line=n + 1) for n in range(n_lines)]
    for n in range(1, n_lines):  # where the new line meets the others, in exact rationals
        meets = {tuple(point) for chosen, point in vertices(W[: n + 1], b[: n + 1]) if n in chosen}
        rows.append(row(len(meets), "=", n, line=n + 1, what="points on the new line"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Lines coming in one after the other: the new line, the points where it meets others, what it cuts off."""
    from matplotlib.collections import PolyCollection

    W, b = np.array([[1, 2], [-2, 1], [1, -1], [3, 1]]), np.array([1, 1, 0, -2])
    cells: Any = whole_complex(W, b)
    size = float(np.abs(cells.vertices).max())
    ax.set_axis_off()
    for n in range(4):
        box = ax.inset_axes((0.5 * (n % 2), 0.5 - 0.5 * (n // 2), 0.46, 0.42))
        cx: Any = decompose(layer(W[: n + 1], b[: n + 1]), Box([-size, -size], [size, size]))
        new = cx.cell_polygons()
        normal, offset = W[n], b[n]
        side = [bool((p @ normal + offset).mean() > 0) and bool(np.isclose(p @ normal + offset, 0).sum() > 1) for p in new]
        faces = [FILLS[0] if s else "none" for s in side]
        box.add_collection(PolyCollection(new, facecolors=faces, edgecolors=INK, linewidths=0.8))
        touching = np.array([p for p in cx.vertices if abs(p @ normal + offset) < 1e-9])
        ends = touching[np.argsort(touching @ [normal[1], -normal[0]])]
        box.plot(*ends[[0, -1]].T, color=BOUND, linewidth=2)
        box.plot(*ends[1:-1].T, "o", color=BOUND, markersize=4)
        box.set(xlim=(-size, size), ylim=(-size, size), xticks=[], yticks=[])
        box.set_aspect("equal")
        box.set_title(f"line {n + 1}: {n} points, {n + 1} new, {cx.n_cells} in all", fontsize=7)
