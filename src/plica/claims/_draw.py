"""Small pictures that several claims share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import FILLS, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.geometry import Complex


def draw_cells(ax: Axes, cx: Complex) -> None:
    """The cells of a plane complex, neighbors in different colors, with their edges."""
    from matplotlib.collections import PolyCollection

    colors: dict[int, int] = {}
    for i in range(cx.n_cells):  # greedy coloring
        taken = {colors.get(j) for j in cx.neighbors(i)}
        colors[i] = next(c for c in range(len(taken) + 1) if c not in taken)
    polygons = cx.cell_polygons()  # type: ignore[attr-defined]
    faces = [FILLS[colors[i] % len(FILLS)] for i in range(cx.n_cells)]
    ax.add_collection(PolyCollection(polygons, facecolors=faces, edgecolors=INK, linewidths=0.8, alpha=0.75))
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_axis_off()
