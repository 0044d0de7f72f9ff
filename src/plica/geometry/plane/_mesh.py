"""A subdivision of a window of the plane into convex cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.geometry.plane import _faces
from plica.geometry.plane._arrays import MeshArrays


@dataclass(eq=False)
class Mesh:
    """A convex subdivision: half-edge 2 e + d runs along edge e from ``edges[e, d]``; cells are counter-clockwise cycles.

    ``edge_hyperplane`` (layer, cell, form) names the line that an edge lies on: the zero set of that form on that cell of the
    complex before that layer; layer -1 is a side of the domain. ``vertex_hyperplanes`` holds two such triples for each vertex
    (for a corner of the domain: -1, its number, -1, then the same).
    """

    edges: Array
    edge_hyperplane: Array
    offsets: Array
    half_edges: Array
    vertex_hyperplanes: Array
    _vertex_cell: Array | None = None

    @property
    def n_cells(self) -> int:
        return len(self.offsets) - 1

    @property
    def arrays(self) -> MeshArrays:
        return MeshArrays(self.edges, self.offsets, self.half_edges)

    def edge_cells(self) -> Array:
        out = np.empty((len(self.edges), 2), np.int32)
        _faces.sides(self.offsets, self.half_edges, out)
        return out

    def cell_vertices(self) -> tuple[Array, Array]:
        """Offsets of the cells, and the vertices of one after the other."""
        return self.offsets, self.edges[self.half_edges >> 1, self.half_edges & 1]

    def vertex_cell(self) -> Array:
        """Some cell of each vertex."""
        if self._vertex_cell is None:
            self._vertex_cell = np.empty(len(self.vertex_hyperplanes), np.int32)
            self._vertex_cell[self.cell_vertices()[1]] = np.repeat(np.arange(self.n_cells), np.diff(self.offsets))
        return self._vertex_cell
