"""What is seen of a complex in three dimensions: the facets of its convex domain that face the viewer, none behind another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array

if TYPE_CHECKING:
    from plica.geometry.space._complex import SpaceComplex

#: From the middle of the domain to the viewer: in front, to the right and above.
VIEWER = np.array([0.5, -0.75, 0.45])


def outside(cx: SpaceComplex) -> tuple[list[Array], Array]:
    """Polygons in the plane of the picture, and the cell that each is a facet of.

    Examples
    --------
    >>> import plica
    >>> cube = plica.Box([0, 0, 0], [1, 1, 1])
    >>> polygons, cells = outside(plica.decompose(plica.random_network([3, 2, 1], seed=0, weights="he-normal"), cube))
    >>> len(polygons) >= 3 and all(polygon.shape[1] == 2 for polygon in polygons)
    True
    """
    sides = cx.facet_cells
    facets = np.flatnonzero(sides.min(axis=1) < 0)
    offsets, corners = cx.facet_offsets, cx.facet_vertices
    middle = cx.vertices.mean(axis=0)
    polygons, cells = [], []
    for f in facets.tolist():
        around = cx.vertices[corners[offsets[f] : offsets[f + 1]]]
        normal = np.cross(around - middle, np.roll(around, -1, axis=0) - middle).sum(
            axis=0
        )  # Newell's, whatever corners are on one line
        if (normal @ VIEWER) * (normal @ (around.mean(axis=0) - middle)) > 0:  # outwards and towards the viewer, or neither
            polygons.append(on_screen(around))
            cells.append(int(sides[f].max()))
    return polygons, np.array(cells, dtype=int)


def on_screen(points: Array) -> Array:
    """Points of space, one in each row, as places in the picture."""
    across = np.cross([0.0, 0.0, 1.0], VIEWER)
    up = np.cross(VIEWER, across)
    return points @ np.column_stack([across / np.linalg.norm(across), up / np.linalg.norm(up)])
