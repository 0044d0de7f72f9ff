"""The complex of a network along a segment or a path: its pieces and breakpoints."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._deprecated import warn
from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic, to_object
from plica.geometry._affine_maps import Bounded
from plica.geometry._bounded import BoundedComplex, FaceLists
from plica.geometry._budget import reading
from plica.geometry._maps import bounded_input_maps, bounded_maps, exact_input_map, recomputed_outputs, scaled_bounds
from plica.geometry.domains import Domain, Path
from plica.geometry.line._chunks import LineChunk
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


class LineComplex(BoundedComplex):
    """A complex of dimension one: piece i lies between breakpoints i and i + 1, which are its vertices and facets.

    Along a path the knots are breakpoints too; two pieces that meet at a knot with the same pattern are one region.
    """

    dimension = 1

    def __init__(self, network: Network, domain: Domain | Path, parts: list[Part], *, exponent: int, seconds: float) -> None:
        super().__init__(network, domain, seconds)
        self._parts, self._exponent = parts, exponent
        self.decisions = sum((p.exact.tally.decisions for p in parts), Decisions())

    # -- breakpoints -----------------------------------------------------------------------------------------------------

    @cached_property
    @reading
    def vertices(self) -> Array:
        """Parameters t of the breakpoints, as a column, in increasing order."""
        return _joined([settled_positions(p.chunk.parameters, p.chunk.hyperplanes, p.exact) + p.start for p in self._parts])

    @cached_property
    @reading
    def outputs(self) -> Array:
        """The network at the breakpoints."""
        rows = []
        for p in self._parts:
            s, cells = p.chunk, np.minimum(np.arange(p.n_cells + 1), p.n_cells - 1)
            where = (s.hyperplanes, cells, p.exact, self._exponent)
            rows.append(scaled_back(settled_outputs(s.outputs, s.parameters, *where), *where))
        return _joined(rows)

    def bounded_vertices(self) -> Bounded:
        known = [p.chunk.parameters for p in self._parts]
        values = [t.values + p.start for t, p in zip(known, self._parts, strict=True)]
        rounding = 2.0**-52 * len(self._parts) if len(self._parts) > 1 else 0.0
        return Bounded(_joined(values), _joined([t.error + rounding for t in known]))

    def bounded_outputs(self) -> Bounded:
        known = [scaled_bounds(p.chunk.outputs, self._exponent) for p in self._parts]
        return Bounded(_joined([t.values for t in known]), _joined([t.error for t in known]))

    def recomputed_outputs(self, vertices: Array) -> Bounded:
        cells = np.maximum(vertices - 1, 0)  # a vertex is the right end of the piece before it
        ends = np.cumsum([p.n_cells for p in self._parts])
        owner = np.searchsorted(ends, cells, side="right")
        values, error = np.empty((len(vertices), self.network.n_outputs)), np.empty(len(vertices))
        for k in np.unique(owner).tolist():
            part, rows = self._parts[k], np.flatnonzero(owner == k)
            local = cells[rows] - (ends[k] - part.n_cells)
            hyperplanes = part.chunk.hyperplanes[local + (vertices[rows] > 0)]
            values[rows], error[rows] = recomputed_outputs(part.exact, hyperplanes, local)
        return Bounded(values, error)

    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        part, local = self._part(max(vertex - 1, 0))
        t, w = part.exact.position(part.chunk.hyperplanes[local + (vertex > 0)])
        return (Fraction(t, w) + Fraction(part.start),)

    # -- pieces ----------------------------------------------------------------------------------------------------------

    @property
    def n_cells(self) -> int:
        return self._parts[-1].first_cell + self._parts[-1].n_cells

    @property
    def cell_offsets(self) -> Array:
        return 2 * np.arange(self.n_cells + 1)

    @property
    def cell_vertices(self) -> Array:
        return np.stack([np.arange(self.n_cells), np.arange(1, self.n_cells + 1)], axis=1).reshape(-1)

    def _part(self, cell: int) -> tuple[Part, int]:
        starts = [p.first_cell for p in self._parts]
        part = self._parts[int(np.searchsorted(starts, cell, side="right")) - 1]
        return part, cell - part.first_cell

    def sizes(self) -> Array:
        """Length of each piece in the parameter."""
        return np.diff(self.vertices[:, 0])

    def exact_size(self, cell: int) -> Fraction:
        cell = self._index(cell)
        return self.exact_vertex(cell + 1)[0] - self.exact_vertex(cell)[0]

    def _states(self, layer: int, cell: int) -> Array:
        part, local = self._part(cell)
        for later in reversed(part.chunk.layers[layer + 1 :]):
            local = int(later.parent[local])
        return part.chunk.layers[layer].states.row(local)

    def layer_states(self, layer: int) -> Array:
        self._check_unit(layer, None)
        return np.concatenate([p.chunk.layers[layer].states.rows(_ancestors(p, layer)) for p in self._parts])

    def unit_states(self, layer: int, neuron: int) -> Array:
        self._check_unit(layer, neuron)
        rows = []
        for p in self._parts:
            made = p.chunk.layers[layer]
            rows.append(made.states.neuron_states(neuron, len(made.parent))[_ancestors(p, layer)])
        return np.concatenate(rows)

    def exact_map(self, cell: int) -> Dyadic:
        part, local = self._part(self._index(cell))
        columns = part.exact.output(local)
        if not part.start:
            return columns
        slope, constant = (to_object(columns.integers[i]) for i in (0, 1))
        return Dyadic(np.stack([slope, constant - int(part.start) * slope]), columns.exponent)

    def bounded_maps(self) -> Bounded:
        found = [bounded_maps(p.exact, np.arange(p.n_cells)) for p in self._parts]
        values, error = (np.concatenate(x) for x in zip(*found, strict=True))
        if len(self._parts) > 1:
            start = np.repeat([p.start for p in self._parts], [p.n_cells for p in self._parts])
            moved = start[:, None] * values[:, 0]
            values[:, 1] -= moved
            size = np.sqrt((moved**2).sum(axis=1)) + np.sqrt((values[:, 1] ** 2).sum(axis=1))
            error[:, 1] += start * error[:, 0] + 2.0**-51 * size
        return Bounded(values, error)

    def bounded_input_maps(self) -> Bounded:
        found = [bounded_input_maps(self.network, p.exact, np.arange(p.n_cells)) for p in self._parts]
        return Bounded(*(np.concatenate(x) for x in zip(*found, strict=True)))

    def exact_input_map(self, cell: int) -> Dyadic:
        part, local = self._part(self._index(cell))
        return exact_input_map(self.network, part.exact, local)

    def frame(self, cell: int) -> tuple[Array, Array]:
        part, _ = self._part(self._index(cell))
        columns = part.domain.chart.fractions
        return columns[:-1], columns[-1] - Fraction(part.start) * columns[0]

    def _candidates(self, parameters: Array) -> Array:
        t = self.vertices[:, 0]
        slack = 2 * ACCURACY * self._parts[0].domain.size
        return np.flatnonzero((t[:-1] - slack <= parameters[0]) & (parameters[0] <= t[1:] + slack))

    # -- facets and faces ------------------------------------------------------------------------------------------------

    @property
    def facet_cells(self) -> Array:
        """The pieces before and after each breakpoint."""
        n = self.n_cells
        after = np.arange(n + 1)
        return np.stack([after - 1, np.where(after < n, after, -1)], axis=1)

    @property
    def facet_layer(self) -> Array:
        """The layer whose fold made each breakpoint, -1 at the ends and the knots."""
        return _joined([p.chunk.hyperplanes[:, 0] for p in self._parts])

    @property
    def edge_layer(self) -> Array:
        """Now called ``facet_layer``."""
        warn("LineComplex.edge_layer", "facet_layer")
        return self.facet_layer

    @property
    def facet_offsets(self) -> Array:
        return np.arange(self.n_cells + 2)

    @property
    def facet_vertices(self) -> Array:
        return np.arange(self.n_cells + 1)

    @property
    def n_faces(self) -> tuple[int, ...]:
        return (self.n_cells + 1, self.n_cells)

    @property
    def cell_of_part(self) -> Array:
        return np.arange(self.n_cells)

    def facets_of_faces(self, dimension: int) -> FaceLists:
        if dimension != 1:
            raise InvalidInput(f"a line has no faces of dimension {dimension} with facets.")
        return FaceLists(self.cell_offsets, self.cell_vertices)

    # -- folds and levels ------------------------------------------------------------------------------------------------

    def folds(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Parameters (k, 1) at which the given unit (any unit of the layer, any unit at all) changes its state."""
        return self.vertices[self.fold_facets(layer, neuron)]

    def fold_facets(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Numbers of the breakpoints at which the given unit (any unit of the layer, any unit at all) changes its state."""
        self._check_unit(layer, neuron)
        found = []
        for part in self._parts:
            changes = np.zeros(part.n_cells + 1, bool)
            for i in range(len(self.network.layers)) if layer is None else [layer]:
                changes |= _changes(part, i, neuron)
            found.append(part.first_cell + np.flatnonzero(changes))
        return np.concatenate(found)

    def level_set(self, value: float = 0.0, output: int = 0) -> Array:
        """Parameters at which the output passes the value."""
        from plica.geometry._levels import level_points

        return level_points(self, value, output)

    def decision_boundary(self, outputs: Any = None) -> Array:
        """Parameters at which another output becomes the largest (at which a single output changes its sign)."""
        from plica.geometry._levels import decision_points

        return decision_points(self, outputs)

    # -- regions and summaries -------------------------------------------------------------------------------------------

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

    def to_dict(self) -> dict[str, Any]:
        """The complex as plain lists: breakpoints, the layer that made each, regions, and the counts."""
        return self.summary() | {
            "vertices": self.vertices[:, 0].tolist(),
            "facet_layer": self.facet_layer.tolist(),
            "outputs": self.outputs.tolist(),
            "regions": self.regions.tolist(),
        }

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the graph of an output with matplotlib; see :func:`plica.plot.plot_complex`."""
        from plica.plot import plot_complex

        return plot_complex(self, ax=ax, **options)


def _joined(rows: list[Array]) -> Array:
    """Arrays over the breakpoints of parts that follow each other; a knot is the last of one and the first of the next."""
    return np.concatenate([rows[0], *(r[1:] for r in rows[1:])])


def _ancestors(part: Part, layer: int) -> Array:
    """Which of the pieces after a layer holds each final piece of a part."""
    cells = np.arange(part.n_cells)
    for later in reversed(part.chunk.layers[layer + 1 :]):
        cells = later.parent[cells]
    return cells


def _changes(part: Part, layer: int, neuron: int | None) -> Array:
    """At which breakpoints of a part the layer (or one of its units) changes its state."""
    cells = _ancestors(part, layer)
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
