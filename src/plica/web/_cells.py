"""Facts about many cells at once: states, affine maps, gradients, targets; and what large networks are drawn with."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from plica._types import Array
from plica.network import Network
from plica.web._scene import Scene

Arrays = dict[str, Array]

LARGE_WORK = 5e5
"""Multiplications of one evaluation from which on a network counts as large: what is only drawn is then left to floats."""
SEEN = 1e-4
"""A part of the window that no screen shows."""
MAX_REPAIRED = 500
MAX_UNITED = 5e6
"""States of neurons, all cells together, up to which regions are counted; beyond, the picture counts cells."""


def is_united(cx: Any) -> bool:
    """Whether cells with the same map are united into regions: for many cells of many neurons that outlasts the picture."""
    return not is_large(cx.network) and cx.n_cells * cx.network.n_neurons <= MAX_UNITED


def cycles(cx: Any) -> tuple[Array, Array]:
    """The vertices of all cells in one array, and where each cell starts; as the engine stores them, for speed."""
    return cx.cell_vertices, cx.cell_offsets


def drawn_positions(cx: Any) -> Array:
    """The vertices as far as a screen shows: in floating point, exact where that misses by more than a tenth of a pixel."""
    known = cx.bounded_vertices()
    positions, reach = known.values, SEEN * float(np.ptp(cx.domain.window, axis=0).min())
    lost = np.flatnonzero(~(known.error <= reach))[:MAX_REPAIRED]
    if len(lost):
        positions = positions.copy()
        positions[lost] = [[float(c) for c in cx.exact_vertex(int(v))] for v in lost]
    return np.asarray(positions)


def float_outputs(cx: Any, positions: Array) -> Array:
    """The network at the vertices in floating point."""
    points = cx.domain.to_input(positions)
    parts = [cx.network(points[i : i + 256]).reshape(-1, cx.network.n_outputs) for i in range(0, len(points), 256)]
    return np.concatenate(parts)


def drawn_areas(cx: Any, positions: Array) -> Array:
    """The areas of the cells with these vertices."""
    corners, first = cycles(cx)
    p = positions[corners]
    follow = np.arange(1, len(p) + 1)
    follow[first[1:] - 1] = first[:-1]
    base = np.repeat(p[first[:-1]], np.diff(first), axis=0)
    u, v = p - base, p[follow] - base
    return np.abs(np.add.reduceat(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0], first[:-1])) / 2


def drawn_boundary(cx: Any, positions: Array, outputs: Array) -> Array:
    """Where the largest output changes (where a single one changes its sign), from values at the vertices: for the eye."""
    if outputs.shape[1] == 1:
        outputs = np.concatenate([outputs, np.zeros_like(outputs)], axis=1)
    corners, first = cycles(cx)
    best = outputs.argmax(axis=1)
    found = []
    at_corners = best[corners]
    mixed = np.minimum.reduceat(at_corners, first[:-1]) < np.maximum.reduceat(at_corners, first[:-1])
    for cell in np.flatnonzero(mixed):
        ids = corners[first[cell] : first[cell + 1]]
        classes = np.unique(best[ids])
        for i, j in pairwise(classes):
            f = outputs[ids, i] - outputs[ids, j]
            g = np.roll(f, -1)
            cut = np.flatnonzero((f > 0) != (g > 0))
            if len(cut) == 2:
                p, q = positions[ids[cut]], positions[np.roll(ids, -1)[cut]]
                found.append(p + (f[cut] / (f[cut] - g[cut]))[:, None] * (q - p))
    return np.stack(found) if found else np.zeros((0, 2, 2))


def fitted_gradients(cx: Any, positions: Array, values_at_vertices: Array) -> Array:
    """The norm of the gradient on each cell, from the least-squares plane through its corners; 0 on slivers."""
    corners, first = cycles(cx)
    sizes = np.diff(first)
    values = np.column_stack([positions, values_at_vertices])[corners]
    values = values - np.repeat(np.add.reduceat(values, first[:-1]) / sizes[:, None], sizes, axis=0)
    x, y, f = values.T
    xx, xy, yy, xf, yf = (np.add.reduceat(a * b, first[:-1]) for a, b in ((x, x), (x, y), (y, y), (x, f), (y, f)))
    with np.errstate(divide="ignore", invalid="ignore"):
        norm = np.hypot(yy * xf - xy * yf, xx * yf - xy * xf) / (xx * yy - xy * xy)
    return np.where(np.isfinite(norm), norm, 0.0)


def cell_states(cx: Any) -> list[Array]:
    """For each layer the states of its units on every cell, (cells, units)."""
    return [cx.layer_states(k) for k in range(len(cx.network.layers))]


def work(network: Network) -> float:
    """About how many multiplications one evaluation takes."""
    total = 0.0
    for node in network.nodes:
        for array in node.op.arrays().values():
            if array.dtype.kind == "f":
                positions = node.size / array.shape[0] if array.ndim > 2 else 1.0
                total += array.size * positions
    return 3 * total


def goals(scene: Scene, vertices: Array, corners: Array, first: Array) -> Array | None:
    """The target at the vertices and then at the centers of the cells, for a function; the page makes errors of them."""
    if scene.problem is None or scene.problem.function is None:
        return None
    sums = np.add.reduceat(vertices[corners], first[:-1].astype(np.intp), axis=0) / np.diff(first)[:, None]
    return np.asarray(scene.problem.function(np.concatenate([vertices, sums])), dtype=np.float32)


def is_large(network: Network) -> bool:
    """Whether values at vertices and the boundary are drawn in floating point, and cells are not united into regions."""
    return work(network) > LARGE_WORK
