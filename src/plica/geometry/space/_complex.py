"""The complex of a network over a box of three and more dimensions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from plica._deprecated import warn
from plica._lazy import cached_property
from plica._parallel import parallel_ranges
from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic
from plica.geometry._affine_maps import Bounded
from plica.geometry._bounded import BoundedComplex
from plica.geometry._maps import (
    bounded_input_maps,
    bounded_maps,
    exact_input_map,
    recomputed_outputs,
    recomputed_positions,
    scaled_bounds,
)
from plica.geometry.domains import Box, Polytope
from plica.geometry.regions._gradients import cell_gradients
from plica.geometry.regions._jumps import same_maps
from plica.geometry.regions._regions import unite
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._precision import Precision
from plica.geometry.space import _kernels as kernels
from plica.geometry.space._arrays import Cones, FaceLists
from plica.geometry.space._engine import SpaceWalk
from plica.geometry.space._lattice import vertices_of_faces
from plica.geometry.space._volumes import exact_volume
from plica.network import Network

_ROWS = 2_000_000  # entries of a tensor handled at a time


class SpaceComplex(BoundedComplex):
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
    def cell_of_part(self) -> Array:
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
        return np.unique(self.cell_of_part, return_index=True)[1]

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

    def layer_states(self, layer: int) -> Array:
        self._check_unit(layer, None)
        return self._walk.states[layer].rows(self._ancestors[layer][self._part_of_cell])

    def unit_states(self, layer: int, neuron: int) -> Array:
        self._check_unit(layer, neuron)
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

    def facets_of_faces(self, dimension: int) -> FaceLists:
        if dimension not in self._lists:
            raise InvalidInput(f"there are no faces of dimension {dimension} with facets; there are in 1 to {self.dimension}.")
        return self._lists[dimension]

    @property
    def edges(self) -> Array:
        """The two vertices of each edge."""
        return self._lists[1][1].reshape(-1, 2)

    @cached_property
    def _vertex_lists(self) -> dict[int, FaceLists]:
        """For each dimension from 1 up the vertices of the faces."""
        return vertices_of_faces(self._lists, self.n_faces[0])

    @property
    def _part_vertices(self) -> FaceLists:
        return self._vertex_lists[self.dimension]

    @cached_property
    def _cell_lists(self) -> FaceLists:
        """For each cell its vertices, in the order of their numbers."""
        first, entries = self._part_vertices
        n = self.n_faces[0]
        cells = np.repeat(self.cell_of_part, np.diff(first)).astype(np.int64)
        keys = np.unique(cells * n + entries)
        counts = np.bincount(keys // n, minlength=self.n_cells)
        return FaceLists(np.concatenate([[0], np.cumsum(counts)]), keys % n)

    @property
    def cell_offsets(self) -> Array:
        return self._cell_lists.offsets

    @property
    def cell_vertices(self) -> Array:
        return self._cell_lists.entries

    def bounded_vertices(self) -> Bounded:
        return Bounded(self._walk.parameters.values, self._walk.parameters.error)

    def bounded_outputs(self) -> Bounded:
        return scaled_bounds(self._walk.outputs, self._exponent)

    def recomputed_vertices(self, vertices: Array) -> Bounded:
        return recomputed_positions(self._walk.exact, self._walk.lattice.vertices.hyperplanes[vertices])

    def recomputed_outputs(self, vertices: Array) -> Bounded:
        cells = self._part_of_cell[self.vertex_cell[vertices]]
        return recomputed_outputs(self._walk.exact, self._walk.lattice.vertices.hyperplanes[vertices], cells)

    @cached_property
    def facet_cells(self) -> Array:
        """The one or two cells of each facet (faces of dimension n - 1); -1 outside the domain."""
        sides = np.empty((self.n_faces[-2], 2), np.int32)
        kernels.facet_sides(*self._lists[self.dimension], sides)
        return np.where(sides >= 0, self.cell_of_part[sides], -1)

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
        return np.bincount(self.cell_of_part, weights=out)

    def sizes(self) -> Array:
        """Volume of each cell."""
        return self._sizes

    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        p = self._walk.exact.position(self._walk.lattice.vertices.hyperplanes[vertex])
        return tuple(Fraction(c, p[-1]) for c in p[:-1])

    def exact_size(self, cell: int) -> Fraction:
        """The volume of a cell as a fraction."""
        parts = np.flatnonzero(self.cell_of_part == self._index(cell))
        return sum((exact_volume(self._lists, self.exact_vertex, int(p)) for p in parts), Fraction(0))

    def _some_part(self, cell: int) -> Array:
        """The vertices of one of the convex parts of a cell."""
        first, entries = self._part_vertices
        part = int(self._part_of_cell[self._index(cell)])
        return entries[first[part] : first[part + 1]]

    def interior_point(self, cell: int) -> tuple[Fraction, ...]:
        """An interior point of a cell, exactly: the mean of the exact vertices of one of its parts."""
        points = [self.exact_vertex(int(v)) for v in self._some_part(cell)]
        return tuple(sum(c, Fraction(0)) / len(points) for c in zip(*points, strict=True))

    def center(self, cell: int) -> Array:
        """An interior point of a cell: the mean of the vertices of one of its parts."""
        return np.asarray(self.vertices[self._some_part(cell)].mean(axis=0))

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
        graph = self._adjacency.tocoo()
        once = graph.coords[0] < graph.coords[1]
        pairs = np.stack([c[once] for c in graph.coords], axis=1)
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

    def exact_map(self, cell: int) -> Dyadic:
        return self._walk.exact.output(int(self._part_of_cell[self._index(cell)]))

    def bounded_maps(self) -> Bounded:
        return bounded_maps(self._walk.exact, self._part_of_cell)

    def bounded_input_maps(self) -> Bounded:
        return bounded_input_maps(self.network, self._walk.exact, self._part_of_cell)

    def exact_input_map(self, cell: int) -> Dyadic:
        return exact_input_map(self.network, self._walk.exact, int(self._part_of_cell[self._index(cell)]))

    def frame(self, cell: int) -> tuple[Array, Array]:
        columns = self.domain.chart.fractions
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
        return np.unique(self.cell_of_part[inside])

    def folds(self, layer: int | None = None, neuron: int | None = None) -> list[Array]:
        """The corners (k, dimension) of each facet on which the given unit changes its state; in three dimensions in order."""
        first, entries = self.facet_offsets, self.facet_vertices
        return [self.vertices[entries[first[f] : first[f + 1]]] for f in self.fold_facets(layer, neuron)]

    @property
    def facet_offsets(self) -> Array:
        return self._facet_lists.offsets

    @property
    def facet_vertices(self) -> Array:
        """Numbers of the vertices of all facets, one facet after the other; in three dimensions around each polygon."""
        return self._facet_lists.entries

    @cached_property
    def _facet_lists(self) -> FaceLists:
        lists = self._vertex_lists[self.dimension - 1]
        if self.dimension != 3:
            return lists
        around = np.empty_like(lists.entries)
        kernels.walk_around(self._lists[2], self._lists[1], np.empty(self.n_faces[0], np.int64), around)
        return FaceLists(lists.offsets, around)

    @property
    def facet_layer(self) -> Array:
        """The layer whose fold made each facet, -1 on the border of the domain."""
        lattice = self._walk.lattice
        faces = lattice.faces[self.dimension - 1]
        return lattice.hyperplane_table[faces.hyperplanes[:, 0], 0]

    @property
    def edge_layer(self) -> Array:
        """Now called ``facet_layer``."""
        warn("SpaceComplex.edge_layer", "facet_layer")
        return self.facet_layer

    def to_meshio(self) -> Any:
        """The cells as a ``meshio.Mesh``: polyhedra in three dimensions, which VTU files hold; see :meth:`write_vtk`."""
        from plica.geometry.export._meshes import space_mesh

        return space_mesh(self)

    def write_vtk(self, path: Any) -> None:
        """Write the cells of three dimensions as VTK POLYHEDRON cells (type 42) to a legacy ``.vtk`` file."""
        from plica.geometry.export._meshes import write_polyhedra

        write_polyhedra(self, path)

    def outside(self) -> tuple[list[Array], Array]:
        """In three dimensions: the facets that are seen from outside, as polygons in a picture, and the cell of each."""
        from plica.geometry.space._outside import outside

        return outside(self)

    def on_screen(self, points: Array) -> Array:
        """Where points of three dimensions are in the picture that :meth:`outside` makes."""
        from plica.geometry.space._outside import on_screen

        return on_screen(points)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the complex with matplotlib, in three dimensions from outside; see :func:`plica.plot.plot_complex`."""
        from plica.plot import plot_complex

        return plot_complex(self, ax=ax, **options)

    def summary(self) -> dict[str, Any]:
        return super().summary() | {"n_faces": list(self.n_faces)}

    def to_dict(self) -> dict[str, Any]:
        """The complex as plain lists: vertices, cells (vertex numbers), facets' cells, regions, and the counts."""
        first, entries = self._part_vertices
        return self.summary() | {
            "vertices": self.vertices.tolist(),
            "parts": [entries[a:b].tolist() for a, b in pairwise(first.tolist())],
            "cell_of_part": self.cell_of_part.tolist(),
            "facet_cells": self.facet_cells.tolist(),
            "regions": self.regions.tolist(),
        }
