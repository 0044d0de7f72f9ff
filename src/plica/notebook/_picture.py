"""A plane as the arrays that the explorer's pages draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import Plane, PlaneComplex

TYPES = {"f": np.float32, "u": np.uint32, "i": np.int32}


def frame_of(domain: Any) -> tuple[Array, Array]:
    """The origin and the two directions of a plane; of a box those of its coordinates."""
    if not isinstance(domain, Plane):
        return np.zeros(2), np.eye(2)
    first, second, origin = domain.chart.points
    directions = np.stack([first, second])
    return origin, directions - origin if domain.chart.is_through else directions


def facts_of(cx: PlaneComplex, window: tuple[float, float, float, float]) -> dict[str, Any]:
    """What is said about a plane: its window, its counts, the range of the first output."""
    values = np.asarray(cx.outputs)[:, 0]
    return {
        "window": list(window),
        "dimension": 2,
        "n_cells": cx.n_cells,
        "n_regions": cx.n_regions,
        "n_layers": len(cx.network.layers),
        "n_outputs": cx.network.n_outputs,
        "widths": list(cx.network.widths),
        "low": float(values.min()),
        "high": float(values.max()),
        "seconds": cx.seconds,
    }


def arrays_of(cx: PlaneComplex, window: tuple[float, float, float, float]) -> dict[str, Array]:
    """Corners, folds and affine maps, positions in units of the window.

    Examples
    --------
    >>> import plica
    >>> cx = plica.decompose(plica.random_network([2, 4, 1], seed=0), plica.Box([-1, -1], [1, 1]))
    >>> arrays = arrays_of(cx, (-1, 1, -1, 1))
    >>> len(arrays["first"]) - 1 == cx.n_cells, float(arrays["vertices"].min()), float(arrays["vertices"].max())
    (True, 0.0, 1.0)
    """
    a, b, c, d = window
    maps, (origin, directions) = cx.affine_maps(), frame_of(cx.domain)
    row = maps.matrices[:, 0]
    slopes, offsets = row @ directions.T, row @ origin + maps.offsets[:, 0]
    found = {
        "first": ("u", cx.cell_offsets),
        "corners": ("u", cx.cell_vertices),
        "vertices": ("f", (np.asarray(cx.vertices) - [a, c]) / [b - a, d - c]),
        "values": ("f", np.asarray(cx.outputs)[:, 0]),
        "edges": ("u", cx.edges),
        "edge_layer": ("i", cx.edge_layer),
        "edge_cells": ("i", cx.edge_cells),
        "areas": ("f", cx.sizes()),
        "gradients": ("f", np.linalg.norm(slopes, axis=1)),
        "maps": ("f", np.column_stack([slopes, offsets])),
    }
    return {name: np.ascontiguousarray(value, dtype=TYPES[kind]).reshape(-1) for name, (kind, value) in found.items()}
