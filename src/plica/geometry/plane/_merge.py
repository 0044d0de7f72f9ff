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
    chains = _chains(mesh.edges[kept], passing)
    heads = kept[[c[0] for c in chains]]
    ends = np.array([(c[1], c[2]) for c in chains], dtype=np.int32).reshape(-1, 2)
    vertices = np.flatnonzero((degree > 0) & ~passing)
    place = np.full(len(mesh.vertex_hyperplanes), -1, np.int32)
    place[vertices] = np.arange(len(vertices))
    edges = place[ends]
    # the head edge of a chain keeps its direction, so it also keeps its sides
    offsets, half_edges = _loops(edges, labels_of_sides[heads], len(representative))
    merged = Mesh(edges, mesh.edge_hyperplane[heads], offsets, half_edges, mesh.vertex_hyperplanes[vertices])
    return Merged(merged, representative, vertices)


def _chains(edges: Array, passing: Array) -> list[tuple[int, int, int]]:
    """Maximal runs of edges through passing vertices: an edge of the run and the ends, in that edge's direction."""
    at: dict[int, list[int]] = {}
    for e, (p, q) in enumerate(edges.tolist()):
        for v in (p, q):
            if passing[v]:
                at.setdefault(v, []).append(e)
    used = np.zeros(len(edges), bool)
    pairs = edges.tolist()
    out = []
    for e, (p, q) in enumerate(pairs):
        if used[e]:
            continue
        used[e] = True
        ends = [p, q]
        for side in (0, 1):
            here, v = e, ends[side]
            while passing[v]:
                here = next(f for f in at[v] if f != here)
                used[here] = True
                v = pairs[here][0] if pairs[here][1] == v else pairs[here][1]
            ends[side] = v
        out.append((e, ends[0], ends[1]))
    return out


def _loops(edges: Array, sides: Array, n_cells: int) -> tuple[Array, Array]:
    """Counter-clockwise cycles of half-edges, cell by cell."""
    half_edges = np.arange(2 * len(edges), dtype=np.int32)
    cell = sides.reshape(-1)
    start = edges.reshape(-1)
    stop = edges[:, ::-1].reshape(-1)
    inner = cell >= 0
    half_edges, cell, start, stop = half_edges[inner], cell[inner], start[inner], stop[inner]
    order = np.argsort(cell, kind="stable")
    half_edges, cell, start, stop = half_edges[order], cell[order], start[order], stop[order]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=n_cells))])
    out = np.empty_like(half_edges)
    for c in range(n_cells):
        low, high = int(offsets[c]), int(offsets[c + 1])
        follow = {int(start[i]): i for i in range(low, high)}
        i = low
        for j in range(low, high):
            out[j] = half_edges[i]
            i = follow[int(stop[i])]
    return offsets, out
