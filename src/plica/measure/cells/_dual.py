"""The dual graph of a complex: cells as nodes, shared facets as edges; degrees, eccentricities, shortest walks.

Diameter and radius are exact without a search from every cell: each search from a cell u at distance e(u) from the farthest one
bounds the eccentricity of every other cell v between max(d(u, v), e(u) - d(u, v)) and e(u) + d(u, v), and cells whose bounds can
no longer change the answer are not searched from (Takes and Kosters, 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._compiled import compiled
from plica._lazy import cached_property
from plica._types import Array
from plica.geometry import Complex, reading
from plica.measure.cells._sharp import checked_complex


@compiled
def distances_from(start: Any, offsets: Any, neighbors: Any, out: Any, queue: Any) -> Any:
    """Breadth-first distances from one node into ``out`` (-1 where there is no way); returns the largest."""
    out[:] = -1
    out[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        for i in range(offsets[u], offsets[u + 1]):
            v = neighbors[i]
            if out[v] < 0:
                out[v] = out[u] + 1
                queue[tail] = v
                tail += 1
    return out[queue[tail - 1]]


@dataclass(frozen=True, eq=False)
class DualGraph:
    """Cells and which of them share a facet. All numbers are exact.

    Attributes
    ----------
    offsets, neighbors
        The neighbors of cell i are ``neighbors[offsets[i]:offsets[i + 1]]``.
    """

    offsets: Array
    neighbors: Array
    dimension: int
    kind: str = "exact"

    @property
    def n_cells(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_edges(self) -> int:
        """Pairs of cells that share a facet."""
        return len(self.neighbors) // 2

    def to_networkx(self) -> Any:
        """As a ``networkx.Graph``; that of :meth:`plica.Complex.to_networkx` also knows sizes, regions and layers."""
        from plica.geometry.export import imported

        graph = imported("networkx").Graph()
        graph.add_nodes_from(range(self.n_cells))
        cells = np.repeat(np.arange(self.n_cells), self.degrees)
        graph.add_edges_from(zip(cells.tolist(), self.neighbors.tolist(), strict=True))
        return graph

    @property
    def degrees(self) -> Array:
        """The number of neighbors of each cell."""
        return np.diff(self.offsets)

    @property
    def mean_degree(self) -> float:
        """Neighbors of a cell on average; at most twice the dimension."""
        return float(self.degrees.mean())

    @cached_property
    def _eccentricities(self) -> tuple[int, int, int, int]:
        """Diameter, radius, a cell of the center, and how many searches it took."""
        n = self.n_cells
        offsets, neighbors = self.offsets.astype(np.int64), self.neighbors.astype(np.int64)
        low, high = np.zeros(n, np.int64), np.full(n, np.iinfo(np.int64).max // 4)
        out, queue = np.empty(n, np.int64), np.empty(n, np.int64)
        undecided = np.ones(n, bool)
        diameter, radius, center, searches = 0, np.iinfo(np.int64).max // 4, 0, 0
        while undecided.any():
            rows = np.flatnonzero(undecided)
            # in turn: who may be farthest from someone, who may be nearest to all
            u = int(rows[np.argmax(high[rows])] if searches % 2 == 0 else rows[np.argmin(low[rows])])
            e = int(distances_from(u, offsets, neighbors, out, queue))
            searches += 1
            np.maximum(low, np.maximum(out, e - out), out=low)
            np.minimum(high, e + out, out=high)
            low[u] = high[u] = e
            diameter = max(diameter, e)
            if e < radius:
                radius, center = e, u
            undecided &= ((high > diameter) | (low < radius)) & (low < high)
            undecided[u] = False
        return diameter, radius, center, searches

    @property
    def diameter(self) -> int:
        """The largest number of facets that a shortest walk between two cells crosses."""
        return self._eccentricities[0]

    @property
    def radius(self) -> int:
        """The least distance within which some cell reaches all others."""
        return self._eccentricities[1]

    @property
    def center(self) -> int:
        """A cell from which all others are within the radius."""
        return self._eccentricities[2]

    def distances(self, cell: int) -> Array:
        """How many facets a shortest walk from one cell to each other crosses."""
        out, queue = np.empty(self.n_cells, np.int64), np.empty(self.n_cells, np.int64)
        distances_from(cell, self.offsets.astype(np.int64), self.neighbors.astype(np.int64), out, queue)
        return out

    def walk(self, start: int, end: int) -> list[int]:
        """A shortest walk from one cell to another, both included."""
        away = self.distances(end)
        found = [start]
        while found[-1] != end:
            around = self.neighbors[self.offsets[found[-1]] : self.offsets[found[-1] + 1]]
            found.append(int(around[np.argmin(away[around])]))
        return found

    def __repr__(self) -> str:
        return f"<DualGraph of {self.n_cells:,} cells: mean degree {self.mean_degree:.4g}, exact>"


@reading
def dual_graph(cx: Complex) -> DualGraph:
    """The dual graph of a complex.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(np.ones((1, 2)))])
    >>> graph = dual_graph(plica.decompose(net, plica.Box([-1, -1], [1, 1])))
    >>> graph.mean_degree, graph.diameter, graph.radius, graph.walk(0, 0)
    (2.0, 2, 2, [0])
    """
    checked_complex(cx)
    graph = cx.adjacency()
    return DualGraph(graph.indptr, graph.indices, cx.dimension)
