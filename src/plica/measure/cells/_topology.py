r"""Topology of decision regions and sublevel sets: Betti numbers over GF(2) of unions of cells, exactly.

A set is a union of closed cells of a complex that was cut along the set's border, so it is a subcomplex, and its homology is that
of its faces. In the plane and in space no matrix is needed. With K in a ball of dimension d, Alexander duality counts holes by
the components of the complement:

.. math:: b_{d-1}(K) = \#\{\text{components of } \mathbb R^d \setminus K\} - 1, \qquad \sum_i (-1)^i b_i = \chi(K),

and the components of K give :math:`b_0`. In higher dimensions boundary matrices are reduced over GF(2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import BoundedComplex, Budget, Domain, Meter, Path, decompose, measuring, reading
from plica.measure.cells._classes import class_operations
from plica.measure.cells._homology import all_pivots
from plica.network import Gather, Network, Op, Rectifier, Reshape, Scale, extended


@dataclass(frozen=True, eq=False)
class Topology:
    """The topology of a union of closed cells.

    Attributes
    ----------
    betti
        Betti numbers over GF(2): components, holes, cavities, ...
    n_faces
        Faces of each dimension.
    components
        The component of each cell of :attr:`complex`; -1 for cells outside the set.
    complex
        The complex cut along the border of the set.
    """

    betti: tuple[int, ...]
    n_faces: tuple[int, ...]
    components: Array
    complex: BoundedComplex
    kind: str = "exact"

    @property
    def euler(self) -> int:
        """Euler's characteristic, from the faces."""
        return sum((-1) ** d * n for d, n in enumerate(self.n_faces))

    @property
    def n_components(self) -> int:
        return self.betti[0]

    def touches_border(self) -> Array:
        """Which components reach the border of the domain; the others are bounded away from it."""
        sides = self.complex.facet_cells
        cells = sides[(sides < 0).any(axis=1)].max(axis=1)
        found = np.zeros(self.n_components, bool)
        labels = self.components[cells]
        found[labels[labels >= 0]] = True
        return found

    def __repr__(self) -> str:
        return f"<Topology with Betti numbers {', '.join(map(str, self.betti))} over GF(2), exact>"


def class_topology(network: Network, domain: Domain | Path, label: int, *, budget: Budget | None = None) -> Topology:
    """The topology of the closed region in which a network answers with one class.

    The class is the output that is largest; of a single output, 1 where it is positive and 0 elsewhere.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> away = [Rectifier(np.array(-1.0)), Linear(np.array([[1.0, 1.0]]), np.array([-0.5]))]  # |x| + |y| - 1/2
    >>> net = Network.sequential(2, away)
    >>> class_topology(net, plica.Box([-1, -1], [1, 1]), 1).betti  # an annulus around a diamond
    (1, 1, 0)
    """
    n_classes = max(2, network.n_outputs)
    if not 0 <= label < n_classes:
        raise InvalidInput(f"there is no class {label}; there are {n_classes}, counted from 0.")
    return _of_state(network, class_operations(network), domain, label, budget)


def level_topology(
    network: Network, domain: Domain | Path, t: float, *, output: int = 0, above: bool = False, budget: Budget | None = None
) -> Topology:
    """The topology of the sublevel set {output <= t}, or with ``above`` of the closure of {output > t}.

    Cells on which the output is t everywhere belong to the sublevel set.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> size = Rectifier(np.array(-1.0))
    >>> net = Network.sequential(1, [size, Linear(np.array([[1.0]]), np.array([-0.5])), size])
    >>> level_topology(net, plica.Box([-1], [1]), 0.25).betti  # ||x| - 1/2| <= 1/4: two intervals
    (2, 0)
    """
    if not 0 <= output < network.n_outputs:
        raise InvalidInput(f"there is no output {output}; the network has outputs 0 to {network.n_outputs - 1}.")
    if not np.isfinite(t):
        raise InvalidInput(f"a level is a finite number, got {t}.")
    flat: list[Op] = [Reshape((network.n_outputs,))] if network.output_shape != (network.n_outputs,) else []
    top = [*flat, Gather(np.array([output])), Scale(np.ones(1), np.array([-float(t)])), Rectifier()]
    return _of_state(network, top, domain, int(above), budget)


def _of_state(network: Network, ops: list[Op], domain: Domain | Path, state: int, budget: Budget | None) -> Topology:
    """The topology of the cells on which the operations on top of the network end in a state."""
    meter = Meter(budget or Budget(), len(network.layers) + 1)
    cx = decompose(extended(network, ops), domain, budget=meter.budget)
    if not isinstance(cx, BoundedComplex):
        raise InvalidInput("topology is computed in a bounded domain.", hint="give a box that holds what matters")
    with measuring(meter):
        return union_topology(cx, cx.layer_states(len(cx.network.layers) - 1)[:, 0] == state)


@reading
def union_topology(cx: BoundedComplex, chosen: Array) -> Topology:
    """The topology of the union of the chosen closed cells.

    Examples
    --------
    >>> import plica
    >>> cx = plica.decompose(plica.random_network([2, 5, 1], seed=0), plica.Box([-1, -1], [1, 1]))
    >>> union_topology(cx, np.ones(cx.n_cells, bool)).betti
    (1, 0, 0)
    """
    chosen = np.asarray(chosen, dtype=bool)
    if chosen.shape != (cx.n_cells,):
        raise InvalidInput(f"there are {cx.n_cells} cells, got {chosen.size} choices.")
    inside = closure(cx, chosen[cx.cell_of_part])
    n_faces = tuple(int(part.sum()) for part in inside)
    components = _components(cx, chosen)
    b0, d = int(components.max(initial=-1)) + 1, cx.dimension
    euler = sum((-1) ** k * n for k, n in enumerate(n_faces))
    if d <= 3:
        top = [0] * (d + 1)
        top[0] = b0
        if d > 1:
            top[d - 1] = (_complement_components(cx, inside) - 1) if b0 else 0
        if d == 3:
            top[1] = b0 + top[2] - euler
        betti = tuple(top)
    else:
        betti = _by_matrices(cx, inside)
    return Topology(betti, n_faces, components, cx)


def closure(cx: BoundedComplex, parts: Array) -> list[Array]:
    """For each dimension which faces belong to the chosen parts or their borders."""
    inside = [np.asarray(parts, dtype=bool)]
    for k in range(cx.dimension, 0, -1):
        lists = cx.facets_of_faces(k)
        below = np.zeros(cx.n_faces[k - 1], bool)
        below[lists.entries[np.repeat(inside[0], np.diff(lists.offsets))]] = True
        inside.insert(0, below)
    return inside


def _components(cx: BoundedComplex, chosen: Array) -> Array:
    """Cells that share a vertex, directly or through others, form a component."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    out = np.full(cx.n_cells, -1)
    cells = np.flatnonzero(chosen)
    if not len(cells):
        return out
    owner = np.repeat(np.arange(cx.n_cells), np.diff(cx.cell_offsets))
    kept = chosen[owner]
    shape = (cx.n_cells + cx.n_faces[0],) * 2
    graph = csr_array((np.ones(int(kept.sum()), np.int8), (owner[kept], cx.n_cells + cx.cell_vertices[kept])), shape=shape)
    label = connected_components(graph, directed=False)[1][cells]
    out[cells] = _by_first(label)
    return out


def _by_first(label: Array) -> Array:
    """Labels 0, 1, ... in the order of their first members."""
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _complement_components(cx: BoundedComplex, inside: list[Array]) -> int:
    """Components of what is left of R^d without the chosen closed cells: cells meet through facets, all borders lead outside."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    lists = cx.facets_of_faces(cx.dimension)
    n = cx.n_faces[-1]
    part = np.repeat(np.arange(n), np.diff(lists.offsets))
    free = ~inside[-1][part] & ~inside[-2][lists.entries]
    part, facet = part[free], lists.entries[free].astype(np.int64)
    counts = np.bincount(facet, minlength=cx.n_faces[-2])
    border = counts[facet] == 1  # a facet of one free part that is not chosen: beyond it is the outside
    links = np.concatenate([np.stack([part, n + 1 + facet]), np.stack([part[border], np.full(int(border.sum()), n)])], axis=1)
    size = n + 1 + cx.n_faces[-2]
    graph = coo_array((np.ones(links.shape[1], np.int8), (links[0], links[1])), shape=(size, size))
    label = connected_components(graph, directed=False)[1]
    return len(np.unique(label[np.concatenate([np.flatnonzero(~inside[-1]), [n]])]))


def _by_matrices(cx: BoundedComplex, inside: list[Array]) -> tuple[int, ...]:
    """Betti numbers from the ranks of the boundary matrices."""
    orders = [np.flatnonzero(part) for part in inside]
    rank = [*(int((pivots >= 0).sum()) for pivots in all_pivots(cx, orders)), 0]
    return tuple(len(orders[k]) - rank[k] - rank[k + 1] for k in range(cx.dimension + 1))


def betti_by_matrices(cx: BoundedComplex, chosen: Any) -> tuple[int, ...]:
    """Betti numbers of a union of closed cells by reduced boundary matrices, in any dimension: the second way."""
    return _by_matrices(cx, closure(cx, np.asarray(chosen, dtype=bool)[cx.cell_of_part]))
