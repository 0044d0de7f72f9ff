"""The complex of a network over a box of three and more dimensions."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic, determinant
from plica.geometry._complex import Complex
from plica.geometry.domains import Box, Polytope
from plica.geometry.regions._gradients import cell_gradients
from plica.geometry.regions._jumps import same_maps
from plica.geometry.regions._regions import unite
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._precision import Precision
from plica.geometry.space import _kernels as kernels
from plica.geometry.space._arrays import Cones, FaceLists
from plica.geometry.space._engine import SpaceWalk
from plica.network import Network

_ROWS = 2_000_000  # entries of a tensor handled at a time


class SpaceComplex(Complex):
    """A complex in n dimensions: faces of every dimension with their facets.

    After a maximum over three or more members a cell may consist of several *parts*, convex polytopes that meet in comparisons of
    losers; counts, sizes, patterns and neighbors speak of cells.
    """

    domain: Box | Polytope

    def __init__(self, network: Network, domain: Box | Polytope, walk: SpaceWalk, *, exponent: int, seconds: float) -> None:
        super().__init__(network, domain, seconds)
        self._walk, self._exponent = walk, exponent
        self.dimension = domain.dimension
        self.decisions = walk.decisions

    # -- parts and cells -------------------------------------------------------------------------------------------------

    @cached_property
    def _cell_of_part(self) -> Array:
        """The cell of each part: parts with equal patterns form one cell."""
        n = self._walk.lattice.n_cells
        if not self.network.has_contests:
            return np.arange(n)
        tables = [s.table for s in self._walk.states]
        rows = [np.ascontiguousarray(t[a]).view(np.uint8).reshape(n, -1) for t, a in zip(tables, self._ancestors, strict=True)]
        _, first, inverse = np.unique(np.concatenate(rows, axis=1), axis=0, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[inverse.reshape(-1)]

    @cached_property
    def _part_of_cell(self) -> Array:
        """One part of each cell."""
        return np.unique(self._cell_of_part, return_index=True)[1]

    @property
    def n_cells(self) -> int:
        return len(self._part_of_cell)

    @cached_property
    def _ancestors(self) -> list[Array]:
        out = [np.arange(self._walk.lattice.n_cells)] if self._walk.parents else []
        for parent in reversed(self._walk.parents[1:]):
            out.append(parent[out[-1]])
        return out[::-1]

    def _states(self, layer: int, cell: int) -> Array:
        return self._walk.states[layer].row(int(self._ancestors[layer][self._part_of_cell[cell]]))

    def unit_states(self, layer: int, neuron: int) -> Array:
        """The state of one unit on every cell."""
        return self._walk.states[layer].neuron(neuron, self._ancestors[layer][self._part_of_cell])

    # -- geometry --------------------------------------------------------------------------------------------------------

    @property
    def vertices(self) -> Array:
        """Coordinates of the vertices."""
        return self._walk.parameters.values

    @property
    def outputs(self) -> Array:
        """The network at the vertices."""
        return np.ldexp(self._walk.outputs.values, self._exponent) if self._exponent else self._walk.outputs.values

    @cached_property
    def n_faces(self) -> tuple[int, ...]:
        """The number of faces of each dimension from 0 up (parts in the last place)."""
        lattice = self._walk.lattice
        return (lattice.vertices.n, *(f.n for f in lattice.faces.values()))

    @cached_property
    def _lists(self) -> dict[int, FaceLists]:
        return {d: faces.packed() for d, faces in self._walk.lattice.faces.items()}

    @property
    def edges(self) -> Array:
        """The two vertices of each edge."""
        return self._lists[1][1].reshape(-1, 2)

    @cached_property
    def _part_vertices(self) -> FaceLists:
        """For each part its vertices."""
        below = self._lists[1]
        for d in range(2, self.dimension + 1):
            lists = self._lists[d]
            offsets, stamps = np.empty_like(lists.offsets), np.full((2, self.n_faces[0]), -1, np.int32)
            kernels.count_vertices(lists, below, stamps[0], offsets)
            entries = np.empty(int(offsets[-1]), np.int32)
            kernels.collect_vertices(lists, below, stamps[1], offsets, entries)
            below = FaceLists(offsets, entries)
        return below

    def _cell_vertices(self, cell: int) -> Array:
        first, entries = self._part_vertices
        parts = np.flatnonzero(self._cell_of_part == cell)
        return np.unique(np.concatenate([entries[first[p] : first[p + 1]] for p in parts]))

    @cached_property
    def facet_cells(self) -> Array:
        """The one or two cells of each facet (faces of dimension n - 1); -1 outside the domain."""
        sides = np.empty((self.n_faces[-2], 2), np.int32)
        kernels.facet_sides(*self._lists[self.dimension], sides)
        return np.where(sides >= 0, self._cell_of_part[sides], -1)

    @cached_property
    def _inner_pairs(self) -> Array:
        pairs = self.facet_cells[(self.facet_cells >= 0).all(axis=1)]
        return np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)

    def neighbors(self, cell: int) -> list[int]:
        cell = self._index(cell)
        pairs = self._inner_pairs
        return sorted({int(c) for c in pairs[(pairs == cell).any(axis=1)].reshape(-1) if c != cell})

    @cached_property
    def _sizes(self) -> Array:
        n, lists = self.dimension, self._lists
        least = [np.arange(self.n_faces[0])]
        for d in range(1, n + 1):
            least.append(np.empty(self.n_faces[d], np.int64))
            kernels.least_vertices(*lists[d], least[-2], least[-1])
        ends = np.cumsum([0, *(len(lists[d].entries) for d in range(1, n + 1))])
        offsets = [lists[d].offsets[:-1] + ends[d - 1] for d in range(1, n + 1)]
        cones = Cones(
            base=np.concatenate([[0], np.cumsum(self.n_faces)]),
            offsets=np.concatenate([np.zeros(self.n_faces[0], np.int64), *offsets, ends[-1:]]),
            entries=np.concatenate([lists[d].entries for d in range(1, n + 1)]),
            least=np.concatenate(least),
        )
        out = np.empty(self.n_faces[-1])
        parallel_ranges(lambda a, b: kernels.volumes(cones, self.vertices, a, b, out), len(out), least=256)
        return np.bincount(self._cell_of_part, weights=out)

    def sizes(self) -> Array:
        """Volume of each cell."""
        return self._sizes

    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        p = self._walk.exact.position(self._walk.lattice.vertices.hyperplanes[vertex])
        return tuple(Fraction(c, p[-1]) for c in p[:-1])

    def exact_size(self, cell: int) -> Fraction:
        """The volume of a cell as a fraction."""
        parts = np.flatnonzero(self._cell_of_part == self._index(cell))
        return sum((self._exact_volume(int(p)) for p in parts), Fraction(0))

    def _exact_volume(self, part: int) -> Fraction:
        total = Fraction(0)
        for simplex in self._simplices(self.dimension, part):
            points = [self.exact_vertex(v) for v in simplex]
            total += abs(determinant([[a - b for a, b in zip(p, points[0], strict=True)] for p in points[1:]]))
        for i in range(2, self.dimension + 1):
            total /= i
        return total

    def _simplices(self, d: int, face: int) -> list[tuple[int, ...]]:
        """A triangulation of a face: a cone from its lowest vertex over the facets that miss it."""
        first, entries = self._lists[d]
        facets = [int(g) for g in entries[first[face] : first[face + 1]]]
        if d == 1:
            return [tuple(facets)]
        cones = {g: self._simplices(d - 1, g) for g in facets}
        apex = min(v for parts in cones.values() for s in parts for v in s)
        return [(apex, *s) for parts in cones.values() if all(apex not in s for s in parts) for s in parts]

    def interior_point(self, cell: int) -> tuple[Fraction, ...]:
        """An interior point of a cell: the mean of the exact vertices of one of its parts."""
        first, entries = self._part_vertices
        part = int(self._part_of_cell[self._index(cell)])
        points = [self.exact_vertex(int(v)) for v in entries[first[part] : first[part + 1]]]
        return tuple(sum(c, Fraction(0)) / len(points) for c in zip(*points, strict=True))

    # -- regions ---------------------------------------------------------------------------------------------------------

    def gradients(self) -> tuple[Array, Array]:
        """Derivatives of the outputs on every cell, (cells, inputs, outputs), and a bound of the error of each row."""
        parts = self._part_of_cell
        widest = max(node.size for node in self.network.nodes)
        step = max(1, _ROWS // (widest * self.dimension))
        values, errors = [], []
        for a in range(0, len(parts), step):
            states = [s.rows(x[parts[a : a + step]]) for s, x in zip(self._walk.states, self._ancestors, strict=True)]
            value, error = cell_gradients(self.network, self.domain.chart.floats()[:-1], states)
            values.append(np.broadcast_to(value, (len(parts[a : a + step]), *value.shape[1:])))
            errors.append(np.broadcast_to(error, (len(parts[a : a + step]), *error.shape[1:])))
        return np.concatenate(values), np.concatenate(errors)

    def _find_regions(self, tally: Tally) -> Array:
        pairs = self._inner_pairs
        if not len(pairs):
            return np.zeros(self.n_cells, np.int64)
        values, errors = self.gradients()
        a, b = pairs[:, 0], pairs[:, 1]
        sure = (np.abs(values[a] - values[b]) > (errors[a] + errors[b])[..., None] * (1 + 1e-9)).any(axis=(1, 2))
        undecided = pairs[~sure]
        tally.add(int(sure.sum()), Precision.DOUBLE)
        equal = same_maps(self._walk.exact, self._part_of_cell[undecided], tally)
        return unite(self.n_cells, undecided[equal])

    # -- shared questions ------------------------------------------------------------------------------------------------

    def _exact_map(self, cell: int) -> Dyadic:
        return self._walk.exact.output(int(self._part_of_cell[cell]))

    def _frame(self, cell: int) -> tuple[Array, Array]:
        columns = self.domain.chart.floats()
        return columns[:-1], columns[-1]

    @cached_property
    def _boxes(self) -> tuple[Array, Array]:
        first, entries = self._part_vertices
        p = self.vertices[entries]
        low, high = np.minimum.reduceat(p, first[:-1]), np.maximum.reduceat(p, first[:-1])
        return low, high

    def _candidates(self, parameters: Array) -> Array:
        low, high = self._boxes
        slack = 1e-9 * (1 + np.abs(self.vertices).max())
        inside = ((low - slack <= parameters) & (parameters <= high + slack)).all(axis=1)
        return np.unique(self._cell_of_part[inside])

    def folds(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Numbers of the facets across which the given unit (any unit of the layer, any unit at all) changes its state."""
        layers = self.network.layers
        if layer is not None and not 0 <= layer < len(layers):
            raise InvalidInput(f"there is no layer {layer}; the network has folding layers 0 to {len(layers) - 1}.")
        inner = np.flatnonzero((self.facet_cells >= 0).all(axis=1) & (self.facet_cells[:, 0] != self.facet_cells[:, 1]))
        if layer is None:
            return inner
        left, right = (self._part_of_cell[self.facet_cells[inner, side]] for side in (0, 1))
        size = self.network.nodes[layers[layer]].size
        if neuron is not None and not 0 <= neuron < size:
            raise InvalidInput(f"layer {layer} has neurons 0 to {size - 1}, there is no {neuron}.")
        units = range(size) if neuron is None else [neuron]
        changes = np.zeros(len(inner), bool)
        for unit in units:
            states = self._walk.states[layer].neuron(unit, self._ancestors[layer])
            changes |= states[left] != states[right]
        return inner[changes]

    @property
    def edge_layer(self) -> Array:
        """The layer whose fold made each facet, -1 on the border of the domain."""
        lattice = self._walk.lattice
        faces = lattice.faces[self.dimension - 1]
        return lattice.hyperplane_table[faces.hyperplanes[:, 0], 0]

    def summary(self) -> dict[str, Any]:
        return super().summary() | {"n_faces": list(self.n_faces)}

    def to_dict(self) -> dict[str, Any]:
        """The complex as plain lists: vertices, cells (vertex numbers), facets' cells, regions, and the counts."""
        first, entries = self._part_vertices
        return self.summary() | {
            "vertices": self.vertices.tolist(),
            "parts": [entries[a:b].tolist() for a, b in pairwise(first.tolist())],
            "cell_of_part": self._cell_of_part.tolist(),
            "facet_cells": self.facet_cells.tolist(),
            "regions": self.regions.tolist(),
        }
