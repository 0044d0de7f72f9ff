"""Cells united where nothing separates them: needed after a maximum, whose losers' comparisons leave no fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.geometry.plane._mesh import Mesh


@dataclass(eq=False)
class Merged:
    """The coarser subdivision; for its cells and vertices, which old ones they were (one old cell stands for several)."""

    mesh: Mesh
    cells: Array
    vertices: Array


def merge_cells(mesh: Mesh, *labels: Array, n_fixed: int = 0) -> Merged:
    """Unite the cells that agree in all labels; each union must be convex. The first ``n_fixed`` vertices stay."""
    rows = np.ascontiguousarray(
        np.concatenate([np.asarray(a).reshape(mesh.n_cells, -1).astype(np.int64) for a in labels], axis=1)
    )
    _, representative, label = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    label = label.reshape(-1)
    # keep the order of the cells: number the unions by their first cell
    order = np.argsort(representative, kind="stable")
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    label, representative = number[label], representative[order]

    sides = mesh.edge_cells()
    labels_of_sides = np.where(sides >= 0, label[sides], -1)
    kept = np.flatnonzero(labels_of_sides[:, 0] != labels_of_sides[:, 1])
    if len(kept) == len(mesh.edges):
        return Merged(mesh, representative, np.arange(len(mesh.vertex_hyperplanes)))

    # a vertex left with two edges lies inside a straight fold, unless it is a corner of the domain
    degree = np.bincount(mesh.edges[kept].reshape(-1), minlength=len(mesh.vertex_hyperplanes))
    corner = (mesh.vertex_hyperplanes[:, 0] < 0) & (mesh.vertex_hyperplanes[:, 2] < 0)
    passing = (degree == 2) & ~corner & (np.arange(len(degree)) >= n_fixed)
    first, ends = _chains(mesh.edges[kept], passing)
    heads = kept[first]
    vertices = np.flatnonzero((degree > 0) & ~passing)
    place = np.full(len(mesh.vertex_hyperplanes), -1, np.int32)
    place[vertices] = np.arange(len(vertices))
    edges = place[ends]
    # the head edge of a chain keeps its direction, so it also keeps its sides
    offsets, half_edges = _loops(edges, labels_of_sides[heads], len(representative))
    merged = Mesh(edges, mesh.edge_hyperplane[heads], offsets, half_edges, mesh.vertex_hyperplanes[vertices])
    return Merged(merged, representative, vertices)


def _chains(edges: Array, passing: Array) -> tuple[Array, Array]:
    """Maximal runs of edges through passing vertices: the first edge of each run, and its ends, in that edge's direction.

    Half-edges 2e and 2e + 1 go along edge e and back. Every half-edge learns in doubling steps where its run ends.
    """
    n = len(edges)
    stop = edges[:, ::-1].reshape(-1)  # of half-edge h, which leaves edges.reshape(-1)[h]
    open_ = np.flatnonzero(passing[edges.reshape(-1)])
    leaving = open_[np.argsort(edges.reshape(-1)[open_], kind="stable")].reshape(-1, 2)  # the two that leave a passing vertex
    follow, least = np.arange(2 * n), np.arange(2 * n) >> 1
    follow[leaving[:, 0] ^ 1], follow[leaving[:, 1] ^ 1] = leaving[:, 1], leaving[:, 0]
    while True:
        further = follow[follow]
        least = np.minimum(least, least[follow])
        if np.array_equal(further, follow):
            break
        follow = further
    end = stop[follow].reshape(n, 2)
    first = np.flatnonzero(least.reshape(n, 2).min(axis=1) == np.arange(n))
    return first, end[first, ::-1]


def _loops(edges: Array, sides: Array, n_cells: int) -> tuple[Array, Array]:
    """Counter-clockwise cycles of half-edges, cell by cell."""
    half_edges = np.arange(2 * len(edges), dtype=np.int32)
    cell = sides.reshape(-1)
    start = edges.reshape(-1).astype(np.int64)
    stop = edges[:, ::-1].reshape(-1).astype(np.int64)
    inner = cell >= 0
    half_edges, cell, start, stop = half_edges[inner], cell[inner], start[inner], stop[inner]
    order = np.argsort(cell, kind="stable")
    half_edges, cell, start, stop = half_edges[order], cell[order], start[order], stop[order]
    sizes = np.bincount(cell, minlength=n_cells)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    # a cell has one half-edge that leaves each of its corners
    span = int(edges.max(initial=0)) + 1
    key = cell * span + start
    by_corner = np.argsort(key)
    follow = by_corner[np.searchsorted(key, cell * span + stop, sorter=by_corner)]
    out = np.empty_like(half_edges)
    at, cells = offsets[:-1].copy(), np.flatnonzero(sizes)
    for step in range(int(sizes.max(initial=0))):
        cells = cells[sizes[cells] > step]
        out[offsets[cells] + step] = half_edges[at[cells]]
        at[cells] = follow[at[cells]]
    return offsets, out
