"""The complex of a network over a plane or a two-dimensional box."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic, Vector
from plica.geometry._complex import Complex
from plica.geometry.domains import Domain
from plica.geometry.plane._engine import PlaneWalk
from plica.geometry.regions._regions import plane_regions
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._positions import ACCURACY, scaled_back, settled_outputs, settled_positions
from plica.network import Network


class PlaneComplex(Complex):
    """A complex in the plane: vertices and edges once, cells as counter-clockwise cycles."""

    dimension = 2
    domain: Domain

    def __init__(self, network: Network, domain: Domain, walk: PlaneWalk, *, exponent: int, seconds: float) -> None:
        super().__init__(network, domain, seconds)
        self._walk, self._exponent = walk, exponent
        self.decisions = walk.decisions

    @property
    def n_cells(self) -> int:
        return self._walk.mesh.n_cells

    @cached_property
    def vertices(self) -> Array:
        """Parameters (u, v) of the vertices."""
        return settled_positions(self._walk.parameters, self._walk.mesh.vertex_hyperplanes, self._walk.exact)

    @property
    def edges(self) -> Array:
        """The two vertices of each edge."""
        return self._walk.mesh.edges

    @cached_property
    def edge_cells(self) -> Array:
        """The cells on the left and on the right of each edge, -1 outside the domain."""
        return self._walk.mesh.edge_cells()

    @property
    def edge_layer(self) -> Array:
        """The layer whose fold made each edge, -1 on the border of the domain."""
        return self._walk.mesh.edge_hyperplane[:, 0]

    @cached_property
    def _outputs(self) -> Any:
        return self._walk.outputs()

    @cached_property
    def outputs(self) -> Array:
        """The network at the vertices."""
        mesh, walk = self._walk.mesh, self._walk
        where = (mesh.vertex_hyperplanes, mesh.vertex_cell(), walk.exact, self._exponent)
        return scaled_back(settled_outputs(self._outputs, walk.parameters, *where), *where)

    def _find_regions(self, tally: Tally) -> Array:
        return plane_regions(self._walk.mesh, self._walk.parameters, self._outputs, self._walk.exact, tally)

    @cached_property
    def _corner_ids(self) -> Array:
        mesh = self._walk.mesh
        return mesh.edges[mesh.half_edges >> 1, mesh.half_edges & 1]

    def _cell_vertices(self, cell: int) -> Array:
        offsets = self._walk.mesh.offsets
        return self._corner_ids[offsets[cell] : offsets[cell + 1]]

    def cell_polygons(self) -> list[Array]:
        """The corners of every cell, counter-clockwise."""
        return np.split(self.vertices[self._corner_ids], self._walk.mesh.offsets[1:-1])

    @cached_property
    def _sizes(self) -> Array:
        offsets = self._walk.mesh.offsets
        p = self.vertices[self._corner_ids]
        # shoelace around each cell's first corner, so that small cells far from the origin keep their digits
        base = np.repeat(p[offsets[:-1]], np.diff(offsets), axis=0)
        follow = np.arange(1, len(p) + 1)
        follow[offsets[1:] - 1] = offsets[:-1]
        a, b = p - base, p[follow] - base
        return np.maximum(np.add.reduceat(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], offsets[:-1]) / 2, 0.0)

    def sizes(self) -> Array:
        return self._sizes

    def neighbors(self, cell: int) -> list[int]:
        cell = self._index(cell)
        offsets = self._walk.mesh.offsets
        half_edges = self._walk.mesh.half_edges[offsets[cell] : offsets[cell + 1]]
        others = self.edge_cells[half_edges >> 1, 1 - (half_edges & 1)]
        return sorted({int(c) for c in others if c >= 0})

    @cached_property
    def ancestors(self) -> list[Array]:
        """For each layer, which of the cells after that layer holds each final cell."""
        out = [np.arange(self.n_cells)] if self._walk.parents else []
        for parent in reversed(self._walk.parents[1:]):
            out.append(parent[out[-1]])
        return out[::-1]

    def _states(self, layer: int, cell: int) -> Array:
        return self._walk.states[layer].row(int(self.ancestors[layer][cell]))

    def unit_states(self, layer: int, neuron: int) -> Array:
        """The state of one unit on every cell."""
        self._check_unit(layer, neuron)
        return self._walk.states[layer].neuron(neuron, self.ancestors[layer])

    def _check_unit(self, layer: int | None, neuron: int | None) -> None:
        layers = self.network.layers
        if layer is not None and not 0 <= layer < len(layers):
            raise InvalidInput(f"there is no layer {layer}; the network has folding layers 0 to {len(layers) - 1}.")
        if neuron is not None:
            if layer is None:
                raise InvalidInput("a neuron is given without its layer.")
            size = self.network.nodes[layers[layer]].size
            if not 0 <= neuron < size:
                raise InvalidInput(f"layer {layer} has neurons 0 to {size - 1}, there is no {neuron}.")

    def fold_edges(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Numbers of the inner edges across which the given unit (any unit of the layer, any unit at all) changes its state."""
        self._check_unit(layer, neuron)
        inner = np.flatnonzero((self.edge_cells >= 0).all(axis=1))
        if layer is None:
            return inner
        left, right = (self.edge_cells[inner, side] for side in (0, 1))
        if neuron is not None:
            states = self.unit_states(layer, neuron)
            return inner[states[left] != states[right]]
        # cells with different ancestors after the layer but one before it differ in the layer
        rows = self._walk.states[layer]
        a, b = (self.ancestors[layer][c] for c in (left, right))
        table = rows.table
        return inner[(table[a] != table[b]).any(axis=1)]

    def folds(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Segments (k, 2, 2) on which the given unit changes its state: its bent hyperplane in this slice."""
        return self.vertices[self.edges[self.fold_edges(layer, neuron)]]

    def level_set(self, value: float = 0.0, output: int = 0) -> Array:
        """Segments (k, 2, 2) that bound the part of the domain where the output is greater than the value."""
        from plica.geometry._levels import level_segments

        return level_segments(self, value, output)

    def decision_boundary(self, outputs: Any = None) -> Array:
        """Segments (k, 2, 2) between the parts where different outputs are largest (where a single output changes its sign)."""
        from plica.geometry._levels import decision_segments

        return decision_segments(self, outputs)

    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        p = self._exact_position(vertex)
        return tuple(Fraction(c, p[-1]) for c in p[:-1])

    def _exact_position(self, vertex: int) -> Vector:
        return self._walk.exact.position(self._walk.mesh.vertex_hyperplanes[vertex])

    def _exact_map(self, cell: int) -> Dyadic:
        return self._walk.exact.output(cell)

    def _frame(self, cell: int) -> tuple[Array, Array]:
        columns = self.domain.chart.floats()
        return columns[:-1], columns[-1]

    @cached_property
    def _boxes(self) -> tuple[Array, Array]:
        p, offsets = self.vertices[self._corner_ids], self._walk.mesh.offsets[:-1]
        return np.minimum.reduceat(p, offsets), np.maximum.reduceat(p, offsets)

    def _candidates(self, parameters: Array) -> Array:
        low, high = self._boxes
        slack = 4 * ACCURACY * np.ptp(self.domain.window / 2, axis=0)
        return np.flatnonzero(((low - slack <= parameters) & (parameters <= high + slack)).all(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """The complex as plain lists: vertices, edges, cells (vertex numbers), regions, and the counts."""
        return self.summary() | {
            "vertices": self.vertices.tolist(),
            "edges": self.edges.tolist(),
            "edge_cells": self.edge_cells.tolist(),
            "edge_layer": self.edge_layer.tolist(),
            "cells": [ids.tolist() for ids in np.split(self._corner_ids, self._walk.mesh.offsets[1:-1])],
            "regions": self.regions.tolist(),
        }
