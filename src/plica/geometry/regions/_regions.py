"""From cells to regions: neighbors with one affine map are united.

Two neighboring cells agree on their common edge, so their maps are equal exactly when one map, continued, gives the other's value
at one further vertex. Where the values at the vertices, with their error bounds, show a difference, that settles it; where they
show none, :mod:`plica.geometry.regions._jumps` proves that the maps differ or agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._kernel import allocating_kernel
from plica.geometry.regions import _wide
from plica.geometry.regions._jumps import same_maps
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._precision import Precision
from plica.geometry.values._tensors import Tensor


@allocating_kernel(wide=_wide.pick_triangles)
def pick_triangles(offsets: Any, half_edges: Any, edges: Any, xy: Any, triangles: Any) -> None:
    """For each cell three of its vertices that span much of it."""
    for c in range(offsets.shape[0] - 1):
        a = edges[half_edges[offsets[c]] >> 1, half_edges[offsets[c]] & 1]
        best, bi, bj = -1.0, a, a
        for i in range(offsets[c] + 1, offsets[c + 1]):
            p = edges[half_edges[i] >> 1, half_edges[i] & 1]
            for j in range(i + 1, offsets[c + 1]):
                q = edges[half_edges[j] >> 1, half_edges[j] & 1]
                area = abs((xy[p, 0] - xy[a, 0]) * (xy[q, 1] - xy[a, 1]) - (xy[p, 1] - xy[a, 1]) * (xy[q, 0] - xy[a, 0]))
                if area > best:
                    best, bi, bj = area, p, q
        triangles[c, 0], triangles[c, 1], triangles[c, 2] = a, bi, bj


@allocating_kernel(wide=_wide.find_jumps)
def find_jumps(
    edges: Any, sides: Any, offsets: Any, half_edges: Any, triangles: Any, xy: Any, xy_error: Any, y: Any, y_error: Any, jump: Any
) -> None:
    """Mark the inner edges across which the map surely changes."""
    for e in range(edges.shape[0]):
        jump[e] = False
        if sides[e, 0] < 0 or sides[e, 1] < 0:
            continue
        for turn in range(2):
            c, other = sides[e, turn], sides[e, 1 - turn]
            a, b, d = triangles[c, 0], triangles[c, 1], triangles[c, 2]
            bx, by = xy[b, 0] - xy[a, 0], xy[b, 1] - xy[a, 1]
            dx, dy = xy[d, 0] - xy[a, 0], xy[d, 1] - xy[a, 1]
            area = bx * dy - by * dx
            if area == 0.0:
                continue
            # the vertex of the other cell farthest from the common edge
            p, q = edges[e, 0], edges[e, 1]
            r, far = p, 0.0
            for i in range(offsets[other], offsets[other + 1]):
                v = edges[half_edges[i] >> 1, half_edges[i] & 1]
                h = abs((xy[q, 0] - xy[p, 0]) * (xy[v, 1] - xy[p, 1]) - (xy[q, 1] - xy[p, 1]) * (xy[v, 0] - xy[p, 0]))
                if h > far:
                    r, far = v, h
            rx, ry = xy[r, 0] - xy[a, 0], xy[r, 1] - xy[a, 1]
            s, t = (rx * dy - ry * dx) / area, (bx * ry - by * rx) / area
            spread = 1.0 + abs(s) + abs(t)
            size = abs(bx) + abs(by) + abs(dx) + abs(dy) + abs(rx) + abs(ry)
            position = max(xy_error[a], xy_error[b], xy_error[d], xy_error[r]) + 1e-15 * (abs(xy[a, 0]) + abs(xy[a, 1]) + size)
            relative_error = 16.0 * spread * position * size / abs(area)
            if not (relative_error < 0.5):
                continue
            error = 2.0 * spread * max(y_error[a], y_error[b], y_error[d], y_error[r])
            for k in range(y.shape[1]):
                yb, yd, yr = y[b, k] - y[a, k], y[d, k] - y[a, k], y[r, k] - y[a, k]
                bound = (
                    error + relative_error * (abs(yb) + abs(yd)) + 1e-14 * spread * (abs(y[a, k]) + abs(yb) + abs(yd) + abs(yr))
                )
                if abs(yr - s * yb - t * yd) > bound:
                    jump[e] = True
                    break
            if jump[e]:
                break


def unite(n: int, pairs: Array) -> Array:
    """Labels 0, 1, ... of the classes that the pairs generate, numbered by their first member."""
    if not len(pairs):
        return np.arange(n)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    label = connected_components(graph, directed=False)[1]
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def plane_regions(mesh: Any, parameters: Tensor, outputs: Tensor, exact: ExactMap, tally: Tally) -> Array:
    """The region of each cell; ``tally`` counts who decided which neighbors have one map."""
    sides = mesh.edge_cells()
    triangles = np.empty((mesh.n_cells, 3), np.int64)
    pick_triangles(mesh.offsets, mesh.half_edges, mesh.edges, parameters.values, triangles)
    jump = np.empty(len(mesh.edges), np.bool_)
    find_jumps(
        mesh.edges, sides, mesh.offsets, mesh.half_edges, triangles, parameters.values, parameters.error, outputs.values,
        outputs.error, jump,
    )  # fmt: skip
    undecided = np.flatnonzero(~jump & (sides >= 0).all(axis=1))
    pairs = sides[undecided]
    tally.add(int(jump.sum()), Precision.DOUBLE)
    return unite(mesh.n_cells, pairs[same_maps(exact, pairs, tally)])


def numbered_regions(mesh: Any, forms: Array, tally: Tally) -> Array:
    """The region of each cell, where the functions that the outputs are on it have exact numbers."""
    sides = mesh.edge_cells()
    pairs = sides[(sides >= 0).all(axis=1)]
    tally.add(len(pairs), None)
    return unite(mesh.n_cells, pairs[(forms[pairs[:, 0]] == forms[pairs[:, 1]]).all(axis=1)])


def line_regions(parameters: Tensor, outputs: Tensor, exact: ExactMap, tally: Tally) -> Array:
    """The region of each piece of a line; ``tally`` counts who decided which neighbors have one map."""
    t, y = parameters.values[:, 0], outputs.values
    if len(t) < 3:
        return np.zeros(len(t) - 1, np.int64)
    dt, dy = np.diff(t), np.diff(y, axis=0)
    jump = np.abs(dy[1:] * dt[:-1, None] - dy[:-1] * dt[1:, None])
    e_t = np.maximum(np.maximum(parameters.error[:-2], parameters.error[1:-1]), parameters.error[2:]) + 1e-15 * np.abs(t).max()
    e_y = np.maximum(np.maximum(outputs.error[:-2], outputs.error[1:-1]), outputs.error[2:])
    e_y = e_y[:, None] + 1e-15 * np.abs(y).max(axis=1)[1:-1, None]
    size_y, size_t = np.abs(dy[1:]) + np.abs(dy[:-1]), (dt[1:] + dt[:-1])[:, None]
    bound = 4 * (e_y * size_t + e_t[:, None] * size_y + e_y * e_t[:, None])
    changes = (jump > bound).any(axis=1)
    undecided = np.flatnonzero(~changes)
    tally.add(int(changes.sum()), Precision.DOUBLE)
    changes[undecided] = ~same_maps(exact, np.stack([undecided, undecided + 1], axis=1), tally)
    return np.concatenate([[0], np.cumsum(changes)])
