"""The values of an output at the vertices, put into order without rounding, and the vertices joined by edges of one value.

Floats with error bounds order most vertices; where bounds overlap, fractions decide. Vertices of a cell on which the output is
constant are equal without being computed. Vertices of equal value that edges connect form one *level component*: in general a
single vertex, on networks with dead units often a whole flat part. The highest vertices of a face belong to one component,
because a face is convex and the output affine on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.exact import to_float
from plica.geometry import BoundedComplex
from plica.measure.cells._extremes import constant_value
from plica.measure.cells._sharp import bounded_values, exact_value


@dataclass(frozen=True, eq=False)
class Levels:
    """The level components of a complex, in the order of their values.

    Attributes
    ----------
    component
        The component of each vertex.
    rank
        The place of each component's value among the distinct values; components of one value have one rank.
    vertex
        The lowest-numbered vertex of each component.
    """

    complex: BoundedComplex
    weights: Array
    component: Array
    rank: Array
    vertex: Array
    _exact: dict[int, Fraction] = field(default_factory=dict)

    def value(self, component: int) -> Fraction:
        """The value of a component, exactly."""
        rank = int(self.rank[component])
        if rank not in self._exact:
            self._exact[rank] = exact_value(self.complex, self.weights, int(self.vertex[component]))
        return self._exact[rank]

    def floats(self, components: Array) -> Array:
        """The values of components, rounded from fractions."""
        exact = [self.value(int(c)) for c in components]
        return np.array([to_float(v.numerator, v.denominator) for v in exact])

    def of_faces(self) -> list[Array]:
        """For each dimension the component in which each face has its largest value."""
        out = [self.component]
        for k in range(1, self.complex.dimension + 1):
            lists = self.complex.facets_of_faces(k)
            out.append(np.maximum.reduceat(out[-1][lists.entries], lists.offsets[:-1]))
        return out


def levels(cx: BoundedComplex, weights: Array) -> Levels:
    """Order the vertices of a complex by a functional of the outputs."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(cx.vertices)
    rank = _ranks(cx, weights)
    ends = cx.facets_of_faces(1).entries.reshape(-1, 2).astype(np.int64)
    level = ends[rank[ends[:, 0]] == rank[ends[:, 1]]]
    graph = coo_array((np.ones(len(level), np.int8), (level[:, 0], level[:, 1])), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    _, first, label = np.unique(label, return_index=True, return_inverse=True)
    order = np.lexsort((first, rank[first]))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return Levels(cx, weights, place[label.reshape(-1)], rank[first][order], first[order])


def _ranks(cx: BoundedComplex, weights: Array) -> Array:
    """The place of each vertex's value among the distinct values.

    Vertices whose bounds overlap form clusters. In each, those with the widest bounds are computed exactly and get bounds of a
    rounding, so that few vague vertices do not tie many good ones together; and again, until only exact ones are left together.
    """
    values, error = bounded_values(cx, weights)
    with np.errstate(invalid="ignore"):
        low, high = values - error, values + error
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    exact: dict[int, Fraction] = {}
    is_known = np.zeros(len(values), bool)

    def learn(found: dict[int, Fraction]) -> None:
        exact.update(found)
        at = np.fromiter(found, np.int64, len(found))
        near = np.array([to_float(v.numerator, v.denominator) for v in found.values()])
        low[at], high[at] = np.nextafter(near, -np.inf), np.nextafter(near, np.inf)
        is_known[at] = True

    learn(_flat_values(cx, weights))
    cluster = _clusters(low, high)
    again = np.flatnonzero((np.bincount(cluster)[cluster] > 1) & ~is_known)
    if len(again):
        near, slip = bounded_values(cx, weights, cx.recomputed_outputs(again))
        better = slip < (high - low)[again] / 2
        low[again[better]], high[again[better]] = (near - slip)[better], (near + slip)[better]
    while True:
        cluster = _clusters(low, high)
        doubtful = np.flatnonzero((np.bincount(cluster)[cluster] > 1) & ~is_known)
        if not len(doubtful):
            break
        chosen = np.concatenate([_widest(high - low, members) for members in _groups(cluster, doubtful)])
        learn({v: exact_value(cx, weights, v) for v in chosen.tolist()})
    inner = np.zeros(len(values), np.int64)  # the place in the cluster
    for members in _groups(cluster, np.flatnonzero(np.bincount(cluster)[cluster] > 1)):
        places = {value: i for i, value in enumerate(sorted({exact[v] for v in members.tolist()}))}
        inner[members] = [places[exact[v]] for v in members.tolist()]
    return np.unique(cluster * (int(inner.max()) + 1) + inner, return_inverse=True)[1].reshape(-1)


def _clusters(low: Array, high: Array) -> Array:
    """Numbers for vertices, in the order of their values: those whose bounds overlap, directly or through others, share one."""
    order = np.argsort(low, kind="stable")
    reach = np.maximum.accumulate(high[order])
    out = np.empty(len(order), np.int64)
    out[order] = np.cumsum(np.concatenate([[False], low[order][1:] > reach[:-1]]))
    return out


def _groups(cluster: Array, vertices: Array) -> list[Array]:
    vertices = vertices[np.argsort(cluster[vertices], kind="stable")]
    return [part for part in np.split(vertices, np.flatnonzero(np.diff(cluster[vertices])) + 1) if len(part)]


def _widest(width: Array, members: Array) -> Array:
    """The sixteenth part of the members with the widest bounds; all of a few."""
    return members[np.argsort(-width[members], kind="stable")[: max(16, len(members) // 16)]]


def _flat_values(cx: BoundedComplex, weights: Array) -> dict[int, Fraction]:
    """The values of the vertices of cells on which the functional is constant."""
    maps = cx.bounded_maps()
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.abs(maps.values[:, :-1] @ weights)
        sizes = np.abs(maps.values[:, :-1]) @ np.abs(weights)
        slip = np.linalg.norm(weights) * maps.error[:, :-1] * (1 + 1e-12) + (len(weights) + 2) * 2.0**-52 * sizes
        cells = np.flatnonzero((~(slopes > slip)).all(axis=1))
    out: dict[int, Fraction] = {}
    found: dict[int, Fraction | None] = {}
    for cell in cells.tolist():
        region = int(cx.regions[cell])
        if region not in found:
            found[region] = constant_value(cx, weights, cell)
        value = found[region]
        if value is not None:
            out.update(dict.fromkeys(cx.vertices_of(cell).tolist(), value))
    return out
