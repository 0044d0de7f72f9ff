"""One number or one category for each cell, read off the vertices of a complex in a few array operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array

if TYPE_CHECKING:
    from plica.geometry import Complex


def cell_gradient_norms(cx: Complex, output: int) -> Array:
    """The norm of the gradient of one output in each cell, in the parameters of the domain.

    The output is affine on a cell, so the least-squares plane through its vertices is the map itself.
    """
    ids, starts = cx.cell_vertices, cx.cell_offsets[:-1]
    spread = np.repeat(np.arange(cx.n_cells), np.diff(cx.cell_offsets))
    x = cx.vertices[ids] - cx.cell_means(cx.vertices)[spread]
    y = cx.outputs[ids, output] - cx.cell_means(cx.outputs[:, output])[spread]
    xx = np.add.reduceat(x[:, 0] ** 2, starts)
    xy = np.add.reduceat(x[:, 0] * x[:, 1], starts)
    yy = np.add.reduceat(x[:, 1] ** 2, starts)
    bx, by = np.add.reduceat(x[:, 0] * y, starts), np.add.reduceat(x[:, 1] * y, starts)
    with np.errstate(divide="ignore", invalid="ignore"):
        det = xx * yy - xy * xy
        norm = np.hypot((yy * bx - xy * by) / det, (xx * by - xy * bx) / det)
    return np.asarray(np.where(np.isfinite(norm), norm, 0.0))  # a sliver too thin to see


def map_coloring(cx: Complex, labels: Array) -> Array:
    """A small number for each label so that labels that share an edge differ: at most six are needed in the plane.

    Greedy in smallest-last order; a planar graph always has a vertex of degree at most five.
    """
    n = int(labels.max()) + 1
    inner = cx.facet_cells[(cx.facet_cells >= 0).all(1)]
    pairs = np.unique(np.sort(labels[inner], axis=1), axis=0)
    around: list[set[int]] = [set() for _ in range(n)]
    for a, b in pairs[pairs[:, 0] != pairs[:, 1]].tolist():
        around[a].add(b)
        around[b].add(a)
    degree = [len(s) for s in around]
    buckets: list[list[int]] = [[] for _ in range(max(degree, default=0) + 1)]
    for i, d in enumerate(degree):
        buckets[d].append(i)
    order: list[int] = []
    done = [False] * n
    low = 0
    while len(order) < n:
        low = max(low - 1, 0)
        while not buckets[low]:
            low += 1
        i = buckets[low].pop()
        if done[i] or degree[i] != low:
            continue
        done[i] = True
        order.append(i)
        for j in around[i]:
            if not done[j]:
                degree[j] -= 1
                buckets[degree[j]].append(j)
    color = [-1] * n
    for i in reversed(order):
        taken = {color[j] for j in around[i]}
        color[i] = next(c for c in range(n) if c not in taken)
    return np.array(color)[labels]
