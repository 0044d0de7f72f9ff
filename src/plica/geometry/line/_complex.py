"""The complex of a network along a segment or a path: its pieces and breakpoints."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic
from plica.geometry._complex import Complex
from plica.geometry.domains import Domain, Path
from plica.geometry.line._engine import LineChunk
from plica.geometry.regions._regions import line_regions
from plica.geometry.signs._decisions import Decisions, Tally
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._positions import ACCURACY, scaled_back, settled_outputs, settled_positions
from plica.network import Network


@dataclass(frozen=True, eq=False)
class Part:
    """One straight part of the domain; its parameters are shifted by ``start``, its cells by ``first_cell``."""

    domain: Domain
    chunk: LineChunk
    exact: ExactMap
    start: float
    first_cell: int

    @property
    def n_cells(self) -> int:
        return len(self.chunk.hyperplanes) - 1


class LineComplex(Complex):
    """A complex of dimension one: piece i lies between breakpoints i and i + 1.

    Along a path the knots are breakpoints too; two pieces that meet at a knot with the same pattern are one region.
    """

    dimension = 1

    def __init__(self, network: Network, domain: Domain | Path, parts: list[Part], *, exponent: int, seconds: float) -> None:
        super().__init__(network, domain, seconds)
        self._parts, self._exponent = parts, exponent
        self.decisions = sum((p.exact.tally.decisions for p in parts), Decisions())

    @property
    def n_cells(self) -> int:
        return self._parts[-1].first_cell + self._parts[-1].n_cells

    @cached_property
    def vertices(self) -> Array:
        """Parameters t of the breakpoints, as a column, in increasing order."""
        rows = [settled_positions(p.chunk.parameters, p.chunk.hyperplanes, p.exact) + p.start for p in self._parts]
        return np.concatenate([rows[0], *(r[1:] for r in rows[1:])])

    @cached_property
    def outputs(self) -> Array:
        """The network at the breakpoints."""
        rows = []
        for p in self._parts:
            s, cells = p.chunk, np.minimum(np.arange(p.n_cells + 1), p.n_cells - 1)
            where = (s.hyperplanes, cells, p.exact, self._exponent)
            rows.append(scaled_back(settled_outputs(s.outputs, s.parameters, *where), *where))
        return np.concatenate([rows[0], *(r[1:] for r in rows[1:])])

    def _part(self, cell: int) -> tuple[Part, int]:
        starts = [p.first_cell for p in self._parts]
        part = self._parts[int(np.searchsorted(starts, cell, side="right")) - 1]
        return part, cell - part.first_cell

    def _find_regions(self, tally: Tally) -> Array:
        labels: list[Array] = []
        top = -1
        for part in self._parts:
            own = line_regions(part.chunk.parameters, part.chunk.outputs, part.exact, tally)
            joined = bool(labels) and self._same_pattern(part.first_cell - 1, part.first_cell)
            own = own + (top if joined else top + 1)
            labels.append(own)
            top = int(own.max())
        return np.concatenate(labels)

    def _same_pattern(self, a: int, b: int) -> bool:
        return all(np.array_equal(x, y) for x, y in zip(self.pattern(a), self.pattern(b), strict=True))

    def sizes(self) -> Array:
        return np.diff(self.vertices[:, 0])

    def neighbors(self, cell: int) -> list[int]:
        cell = self._index(cell)
        return [c for c in (cell - 1, cell + 1) if 0 <= c < self.n_cells]

    def _cell_vertices(self, cell: int) -> Array:
        return np.array([cell, cell + 1])

    def _states(self, layer: int, cell: int) -> Array:
        part, local = self._part(cell)
        for later in reversed(part.chunk.layers[layer + 1 :]):
            local = int(later.parent[local])
        return part.chunk.layers[layer].states.row(local)

    @property
    def edge_layer(self) -> Array:
        """The layer whose fold made each breakpoint, -1 at the ends and the knots."""
        rows = [p.chunk.hyperplanes[:, 0] for p in self._parts]
        return np.concatenate([rows[0], *(r[1:] for r in rows[1:])])

    def folds(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Parameters (k, 1) at which the given unit (any unit of the layer, any unit at all) changes its state."""
        layers = self.network.layers
        if layer is not None and not 0 <= layer < len(layers):
            raise InvalidInput(f"there is no layer {layer}; the network has folding layers 0 to {len(layers) - 1}.")
        if neuron is not None and (layer is None or not 0 <= neuron < self.network.nodes[layers[layer]].size):
            raise InvalidInput(f"there is no neuron {neuron} in layer {layer}.")
        found = []
        for part in self._parts:
            t = self.vertices[part.first_cell : part.first_cell + part.n_cells + 1]
            changes = np.zeros(len(t), bool)
            for i in range(len(layers)) if layer is None else [layer]:
                changes |= self._changes(part, i, neuron)
            found.append(t[changes])
        return np.concatenate(found)

    def _changes(self, part: Part, layer: int, neuron: int | None) -> Array:
        """At which breakpoints of a part the layer (or one of its units) changes its state."""
        cells = np.arange(part.n_cells)  # numbers of the pieces after the layer
        for later in reversed(part.chunk.layers[layer + 1 :]):
            cells = later.parent[cells]
        states = part.chunk.layers[layer].states
        out = np.zeros(part.n_cells + 1, bool)
        moved = cells[1:] != cells[:-1]
        if neuron is None:
            # consecutive pieces of one layer differ in a state of the layer, or in an earlier one
            differ = np.zeros(len(part.chunk.layers[layer].parent), bool)
            differ[states.cell] = True
            for anchor in states.anchor_cell[1:].tolist():
                differ[anchor] = not np.array_equal(states.row(anchor), states.row(anchor - 1))
            out[1:-1] = moved & differ[cells[1:]]
        else:
            own = states.neuron_states(neuron, len(part.chunk.layers[layer].parent))
            out[1:-1] = own[cells[1:]] != own[cells[:-1]]
        return out

    def level_set(self, value: float = 0.0, output: int = 0) -> Array:
        """Parameters at which the output passes the value."""
        from plica.geometry._levels import level_points

        return level_points(self, value, output)

    def decision_boundary(self, outputs: Any = None) -> Array:
        """Parameters at which another output becomes the largest (at which a single output changes its sign)."""
        from plica.geometry._levels import decision_points

        return decision_points(self, outputs)

    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        part, local = self._part(max(vertex - 1, 0))
        t, w = part.exact.position(part.chunk.hyperplanes[local + (vertex > 0)])
        return (Fraction(t, w) + Fraction(part.start),)

    def _exact_map(self, cell: int) -> Dyadic:
        part, local = self._part(cell)
        return part.exact.output(local)

    def _frame(self, cell: int) -> tuple[Array, Array]:
        part, _ = self._part(cell)
        columns = part.domain.chart.floats()
        return columns[:-1], columns[-1] - part.start * columns[0]

    def _candidates(self, parameters: Array) -> Array:
        t = self.vertices[:, 0]
        slack = 2 * ACCURACY * self._parts[0].domain.size
        return np.flatnonzero((t[:-1] - slack <= parameters[0]) & (parameters[0] <= t[1:] + slack))

    def to_dict(self) -> dict[str, Any]:
        """The complex as plain lists: breakpoints, the layer that made each, regions, and the counts."""
        return self.summary() | {
            "vertices": self.vertices[:, 0].tolist(),
            "edge_layer": self.edge_layer.tolist(),
            "outputs": self.outputs.tolist(),
            "regions": self.regions.tolist(),
        }
