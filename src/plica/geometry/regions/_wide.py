"""What the kernels of regions do, in whole arrays: Python runs these until the kernels are compiled (``geometry/_aside.py``).

Every number is computed by the same operations in the same order as in the kernel, so the results are the same bits
(``tests/unit/geometry/test_wide.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from plica._types import Array


def pick_triangles(offsets: Any, half_edges: Any, edges: Any, xy: Any, triangles: Any) -> None:
    for cells, vertices in _by_size(np.arange(len(offsets) - 1), offsets, half_edges, edges):
        a = vertices[:, 0]
        d = xy[vertices] - xy[a][:, None]
        best, second, third = np.full(len(cells), -1.0), a.copy(), a.copy()
        for i in range(1, vertices.shape[1] - 1):
            area = np.abs(d[:, i, None, 0] * d[:, i + 1 :, 1] - d[:, i, None, 1] * d[:, i + 1 :, 0])
            j, largest = _first_largest(area)
            better = largest > best
            best[better], second[better] = largest[better], vertices[better, i]
            third[better] = vertices[better, i + 1 + j[better]]
        triangles[cells] = np.stack([a, second, third], axis=1)


def find_jumps(
    edges: Any, sides: Any, offsets: Any, half_edges: Any, triangles: Any, xy: Any, xy_error: Any, y: Any, y_error: Any, jump: Any
) -> None:
    jump[:] = False
    for turn in range(2):
        inner = np.flatnonzero((sides >= 0).all(axis=1) & ~jump)
        far = np.empty(len(inner), np.int64)
        for which, vertices in _by_size(sides[inner, 1 - turn], offsets, half_edges, edges):
            far[which] = _farthest(edges[inner[which]], vertices, xy)
        jump[inner] = _continues_elsewhere(triangles[sides[inner, turn]], far, xy, xy_error, y, y_error)


def _farthest(ends: Array, vertices: Array, xy: Any) -> Array:
    """In each row the vertex farthest from the line through two ends, the first end if all lie on it."""
    p, q = xy[ends[:, 0]][:, None], xy[ends[:, 1]][:, None]
    v = xy[vertices]
    height = np.abs((q[..., 0] - p[..., 0]) * (v[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (v[..., 0] - p[..., 0]))
    i, largest = _first_largest(height)
    return np.where(largest > 0.0, vertices[np.arange(len(vertices)), i], ends[:, 0])


def _continues_elsewhere(triangles: Array, far: Array, xy: Any, xy_error: Any, y: Any, y_error: Any) -> Array:
    """Whether the map of each triangle, continued, surely differs from the value at the vertex ``far``."""
    a, b, d, r = (*triangles.T, far)
    bx, by = (xy[b] - xy[a]).T
    dx, dy = (xy[d] - xy[a]).T
    rx, ry = (xy[r] - xy[a]).T
    area = bx * dy - by * dx
    s, t = (rx * dy - ry * dx) / area, (bx * ry - by * rx) / area
    spread = 1.0 + np.abs(s) + np.abs(t)
    size = np.abs(bx) + np.abs(by) + np.abs(dx) + np.abs(dy) + np.abs(rx) + np.abs(ry)
    position = xy_error[[a, b, d, r]].max(axis=0) + 1e-15 * (np.abs(xy[a, 0]) + np.abs(xy[a, 1]) + size)
    relative_error = 16.0 * spread * position * size / np.abs(area)
    is_flat = (area != 0.0) & (relative_error < 0.5)
    error = 2.0 * spread * y_error[[a, b, d, r]].max(axis=0)
    s, t, spread, relative_error, error = (each[:, None] for each in (s, t, spread, relative_error, error))
    yb, yd, yr = y[b] - y[a], y[d] - y[a], y[r] - y[a]
    bound = (
        error
        + relative_error * (np.abs(yb) + np.abs(yd))
        + 1e-14 * spread * (np.abs(y[a]) + np.abs(yb) + np.abs(yd) + np.abs(yr))
    )
    found: Array = is_flat & (np.abs(yr - s * yb - t * yd) > bound).any(axis=1)
    return found


def _by_size(cells: Array, offsets: Any, half_edges: Any, edges: Any) -> Iterator[tuple[Array, Array]]:
    """For every number of vertices: which of the cells have it, and their vertices as rows."""
    sizes = offsets[cells + 1] - offsets[cells]
    for size in np.unique(sizes):
        which = np.flatnonzero(sizes == size)
        half = half_edges[offsets[cells[which]][:, None] + np.arange(size)]
        yield which, edges[half >> 1, half & 1]


def _first_largest(rows: Array) -> tuple[Array, Array]:
    """Where the first largest entry of each row is, and it; what is no number is smaller than all."""
    rows = np.where(np.isnan(rows), -1.0, rows)
    i = rows.argmax(axis=1)
    return i, rows[np.arange(len(rows)), i]
