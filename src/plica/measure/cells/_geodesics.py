"""Shortest paths on the surface that a generator makes: through the cells of the latent plane, straight in each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure.cells._manifold import GeneratedManifold

ROUNDS = 200  # of the descent that moves crossings along their edges


@dataclass(frozen=True, eq=False)
class Geodesic:
    """A short path on the surface between two latent points.

    Attributes
    ----------
    points
        Where it starts, crosses edges of the complex, and ends, in parameters.
    length
        Of its image: an upper bound of the distance on the surface.
    straight_length
        Of the image of the straight latent segment.
    chord
        The distance of the two images: a lower bound.
    """

    points: Array
    length: float
    straight_length: float
    chord: float

    def __repr__(self) -> str:
        return f"<Geodesic of length {self.length:.6g}; straight {self.straight_length:.6g}, chord {self.chord:.6g}>"


def geodesic(manifold: GeneratedManifold, start: Any, end: Any, *, per_edge: int = 6) -> Geodesic:
    """A shortest path on a generated surface between two latent points.

    Points on the edges of the complex are joined inside each cell, and the shortest way among them is found; then its crossings
    move along their edges, where the length is convex. What is found is a path, so its length is an upper bound, up to rounding.

    Parameters
    ----------
    manifold
        What :func:`generated_manifold` returned.
    start, end
        Latent points, in parameters.
    per_edge
        Points on each edge that the first search may cross at.

    Examples
    --------
    Over a ridge the short way is around, not straight:

    >>> import plica
    >>> from plica.measure import generated_manifold
    >>> net = plica.random_network([2, 12, 3], seed=3, bias_std=0.5)
    >>> surface = generated_manifold(plica.decompose(net, plica.Box([-1, -1], [1, 1])))
    >>> found = geodesic(surface, [-0.9, -0.9], [0.9, 0.9])
    >>> found.chord <= found.length <= found.straight_length
    True
    """
    if per_edge < 1:
        raise InvalidInput(f"per_edge = {per_edge}: paths cross edges somewhere.")
    cx = manifold.complex
    a, b = (np.asarray(p, dtype=float).reshape(-1) for p in (start, end))
    if a.shape != (2,) or b.shape != (2,):
        raise InvalidInput("a latent point has two parameters.", hint="geodesic(manifold, [u, v], [u, v])")
    cells = [cx.cell_at(p) for p in (a, b)]
    points, members = _points_on_edges(manifold, per_edge)
    n = len(points)
    points = np.concatenate([points, [a, b]])
    for i, cell in enumerate(cells):
        members[cell] = np.append(members[cell], n + i)
    path, through = _first_path(manifold, points, members, n)
    corners = _relaxed(manifold, points[path], through)
    chart = cx.domain.to_input(np.stack([a, b]))
    images = cx.network(chart)
    straight = _straight(manifold, chart)
    length = _length(manifold, corners, through)
    if straight <= length:
        corners, length = np.stack([a, b]), straight
    return Geodesic(corners, length, straight, float(np.linalg.norm(images[1] - images[0])))


def _points_on_edges(manifold: GeneratedManifold, per_edge: int) -> tuple[Array, list[Array]]:
    """The vertices and equally spaced points of every edge, and for each cell the numbers of those on its border."""
    cx = manifold.complex
    n_vertices, n_edges = len(cx.vertices), len(cx.edges)
    t = np.arange(1, per_edge + 1) / (per_edge + 1)
    ends = cx.vertices[cx.edges]
    inner = ends[:, :1] + t[None, :, None] * (ends[:, 1:] - ends[:, :1])
    points = np.concatenate([cx.vertices, inner.reshape(-1, 2)])
    numbers = n_vertices + np.arange(n_edges * per_edge).reshape(n_edges, per_edge)
    lists = cx.facets_of_faces(2)
    members = []
    for cell in range(cx.n_cells):
        edges = lists.entries[lists.offsets[cell] : lists.offsets[cell + 1]]
        members.append(np.concatenate([np.unique(cx.edges[edges]), numbers[edges].reshape(-1)]))
    return points, members


def _first_path(manifold: GeneratedManifold, points: Array, members: list[Array], n: int) -> tuple[Array, Array]:
    """The shortest way among the points: their numbers, and the cell of each step."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    rows, columns, lengths, cells = [], [], [], []
    for cell, ids in enumerate(members):
        i, j = np.triu_indices(len(ids), 1)
        step = points[ids[j]] - points[ids[i]]
        rows.append(ids[i])
        columns.append(ids[j])
        lengths.append(np.sqrt(np.maximum(np.einsum("ni,ij,nj->n", step, manifold.grams[cell], step), 0.0)))
        cells.append(np.full(len(i), cell))
    u, v, w, c = (np.concatenate(parts) for parts in (rows, columns, lengths, cells))
    low, high = np.minimum(u, v), np.maximum(u, v)
    order = np.lexsort((w, high, low))  # along a common edge two cells give one length: keep the first
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    keep = order[first]
    total = n + 2
    w = np.maximum(w[keep], 1e-300)  # a step of no length is a step
    graph = coo_array((w, (low[keep], high[keep])), shape=(total, total)).tocsr()
    _, before = dijkstra(graph, directed=False, indices=n, return_predecessors=True)
    path = [n + 1]
    while path[-1] != n:
        path.append(int(before[path[-1]]))
    path.reverse()
    cell_of = {(int(a), int(b)): int(k) for a, b, k in zip(low[keep], high[keep], c[keep], strict=True)}
    through = [cell_of[min(p, q), max(p, q)] for p, q in pairwise(path)]
    return np.array(path), np.array(through)


def _relaxed(manifold: GeneratedManifold, corners: Array, through: Array) -> Array:
    """The crossings moved along the edges that they are on; those at vertices stay."""
    cx = manifold.complex
    ends: list[Array | None] = [None] * len(corners)
    for i in range(1, len(corners) - 1):
        if through[i - 1] != through[i]:
            ends[i] = _common_edge(manifold, int(through[i - 1]), int(through[i]))
    for _ in range(ROUNDS):
        moved = 0.0
        for i, edge in enumerate(ends):
            if edge is None:
                continue
            p, q = cx.vertices[edge]
            new = _crossing(corners[i - 1], corners[i + 1], p, q, manifold.grams[through[i - 1]], manifold.grams[through[i]])
            moved = max(moved, float(np.abs(new - corners[i]).max()))
            corners[i] = new
        if moved < 1e-12:
            break
    return corners


def _common_edge(manifold: GeneratedManifold, left: int, right: int) -> Array | None:
    """The edge between two cells, which are convex, if there is one; where only a vertex is shared there is none."""
    cx = manifold.complex
    lists = cx.facets_of_faces(2)
    of_left, of_right = (lists.entries[lists.offsets[c] : lists.offsets[c + 1]] for c in (left, right))
    shared = np.intersect1d(of_left, of_right)
    return np.asarray(cx.edges[shared[0]]) if len(shared) else None


def _crossing(before: Array, after: Array, p: Array, q: Array, first: Array, second: Array) -> Array:
    """The point of the edge pq with the shortest way from one point to another, by golden section: the length is convex."""
    ratio = (sqrt(5) - 1) / 2
    low, high = 0.0, 1.0

    def total(t: float) -> float:
        x = p + t * (q - p)
        a, b = x - before, after - x
        return sqrt(max(float(a @ first @ a), 0.0)) + sqrt(max(float(b @ second @ b), 0.0))

    s, t = high - ratio * (high - low), low + ratio * (high - low)
    at_s, at_t = total(s), total(t)
    while high - low > 1e-13:
        if at_s <= at_t:
            high, t, at_t = t, s, at_s
            s = high - ratio * (high - low)
            at_s = total(s)
        else:
            low, s, at_s = s, t, at_t
            t = low + ratio * (high - low)
            at_t = total(t)
    return np.asarray(p + (low + high) / 2 * (q - p))


def _length(manifold: GeneratedManifold, corners: Array, through: Array) -> float:
    step = np.diff(corners, axis=0)
    return float(np.sqrt(np.maximum(np.einsum("ni,nij,nj->n", step, manifold.grams[through], step), 0.0)).sum())


def _straight(manifold: GeneratedManifold, ends: Array) -> float:
    """The length of the image of a straight segment, from its breakpoints."""
    from plica.geometry import Segment
    from plica.measure._trajectory import trajectory_length

    if np.array_equal(ends[0], ends[1]):
        return 0.0
    return trajectory_length(manifold.complex.network, Segment(ends[0], ends[1]), layers=[]).output
