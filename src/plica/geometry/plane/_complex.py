"""The complex of a network over a plane or a two-dimensional box."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic, Vector
from plica.geometry._affine_maps import Bounded
from plica.geometry._bounded import BoundedComplex, FaceLists
from plica.geometry._budget import reading
from plica.geometry._maps import (
    bounded_input_maps,
    bounded_maps,
    exact_input_map,
    recomputed_outputs,
    recomputed_positions,
    scaled_bounds,
)
from plica.geometry.domains import Domain
from plica.geometry.plane._engine import PlaneWalk
from plica.geometry.regions._regions import numbered_regions, plane_regions
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._positions import ACCURACY, scaled_back, settled_outputs, settled_positions
from plica.geometry.values._tensors import Tensor
from plica.network import Network


class PlaneComplex(BoundedComplex):
    """A complex in the plane: vertices and edges once, cells as counter-clockwise cycles. Its facets are its edges."""

    dimension = 2
    domain: Domain

    def __init__(self, network: Network, domain: Domain, walk: PlaneWalk, *, exponent: int, seconds: float) -> None:
        super().__init__(network, domain, seconds)
        self._walk, self._exponent = walk, exponent
        self.decisions = walk.decisions

    # -- vertices --------------------------------------------------------------------------------------------------------

    @cached_property
    @reading
    def vertices(self) -> Array:
        """Parameters (u, v) of the vertices."""
        return settled_positions(self._walk.parameters, self._walk.mesh.vertex_hyperplanes, self._walk.exact)

    @cached_property
    def _outputs(self) -> Tensor:
        return self._walk.outputs()

    @cached_property
    @reading
    def outputs(self) -> Array:
        """The network at the vertices."""
        mesh, walk = self._walk.mesh, self._walk
        where = (mesh.vertex_hyperplanes, mesh.vertex_cell(), walk.exact, self._exponent)
        return scaled_back(settled_outputs(self._outputs, walk.parameters, *where), *where)

    def bounded_vertices(self) -> Bounded:
        return Bounded(self._walk.parameters.values, self._walk.parameters.error)

    def bounded_outputs(self) -> Bounded:
        return scaled_bounds(self._outputs, self._exponent)

    def recomputed_vertices(self, vertices: Array) -> Bounded:
        return recomputed_positions(self._walk.exact, self._walk.mesh.vertex_hyperplanes[vertices])

    def recomputed_outputs(self, vertices: Array) -> Bounded:
        return recomputed_outputs(self._walk.exact, self._walk.mesh.vertex_hyperplanes[vertices], self.vertex_cell[vertices])

    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        p = self._exact_position(vertex)
        return tuple(Fraction(c, p[-1]) for c in p[:-1])

    def _exact_position(self, vertex: int) -> Vector:
        return self._walk.exact.position(self._walk.mesh.vertex_hyperplanes[vertex])

    # -- cells -----------------------------------------------------------------------------------------------------------

    @property
    def n_cells(self) -> int:
        return self._walk.mesh.n_cells

    @property
    def cell_offsets(self) -> Array:
        return self._walk.mesh.offsets

    @cached_property
    def cell_vertices(self) -> Array:
        """Numbers of the corners of all cells, one cell after the other, counter-clockwise."""
        mesh = self._walk.mesh
        return mesh.edges[mesh.half_edges >> 1, mesh.half_edges & 1]

    def cell_polygons(self) -> list[Array]:
        """The corners of every cell, counter-clockwise."""
        return np.split(self.vertices[self.cell_vertices], self.cell_offsets[1:-1])

    @cached_property
    def _sizes(self) -> Array:
        offsets = self.cell_offsets
        p = self.vertices[self.cell_vertices]
        # shoelace around each cell's first corner, so that small cells far from the origin keep their digits
        base = np.repeat(p[offsets[:-1]], np.diff(offsets), axis=0)
        follow = np.arange(1, len(p) + 1)
        follow[offsets[1:] - 1] = offsets[:-1]
        a, b = p - base, p[follow] - base
        return np.maximum(np.add.reduceat(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0], offsets[:-1]) / 2, 0.0)

    def sizes(self) -> Array:
        """Area of each cell in the parameters."""
        return self._sizes

    def exact_size(self, cell: int) -> Fraction:
        w = [self.exact_vertex(int(v)) for v in self.vertices_of(cell)]
        return sum((p[0] * q[1] - q[0] * p[1] for p, q in zip(w, w[1:] + w[:1], strict=True)), Fraction(0)) / 2

    @cached_property
    def ancestors(self) -> list[Array]:
        """For each layer, which of the cells after that layer holds each final cell."""
        out = [np.arange(self.n_cells)] if self._walk.parents else []
        for parent in reversed(self._walk.parents[1:]):
            out.append(parent[out[-1]])
        return out[::-1]

    def _states(self, layer: int, cell: int) -> Array:
        return self._walk.states[layer].row(int(self.ancestors[layer][cell]))

    def layer_states(self, layer: int) -> Array:
        self._check_unit(layer, None)
        return self._walk.states[layer].rows(self.ancestors[layer])

    def unit_states(self, layer: int, neuron: int) -> Array:
        self._check_unit(layer, neuron)
        return self._walk.states[layer].neuron(neuron, self.ancestors[layer])

    def exact_map(self, cell: int) -> Dyadic:
        if self._walk.output_forms is not None:
            return self._walk.output_forms.exact(self._index(cell))
        return self._walk.exact.output(self._index(cell))

    def bounded_maps(self) -> Bounded:
        if self._walk.output_forms is not None:
            return Bounded(*self._walk.output_forms.columns())
        return bounded_maps(self._walk.exact, np.arange(self.n_cells))

    def bounded_input_maps(self) -> Bounded:
        if _is_whole(self.domain):
            return self.bounded_maps()
        return bounded_input_maps(self.network, self._walk.exact, np.arange(self.n_cells))

    def exact_input_map(self, cell: int) -> Dyadic:
        return exact_input_map(self.network, self._walk.exact, self._index(cell))

    def frame(self, cell: int) -> tuple[Array, Array]:
        columns = self.domain.chart.fractions
        return columns[:-1], columns[-1]

    @cached_property
    def _boxes(self) -> tuple[Array, Array]:
        p, offsets = self.vertices[self.cell_vertices], self.cell_offsets[:-1]
        return np.minimum.reduceat(p, offsets), np.maximum.reduceat(p, offsets)

    def _candidates(self, parameters: Array) -> Array:
        low, high = self._boxes
        slack = 4 * ACCURACY * np.ptp(self.domain.window / 2, axis=0)
        return np.flatnonzero(((low - slack <= parameters) & (parameters <= high + slack)).all(axis=1))

    # -- edges -----------------------------------------------------------------------------------------------------------

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

    @property
    def facet_cells(self) -> Array:
        """The same as ``edge_cells``."""
        return self.edge_cells

    @property
    def facet_layer(self) -> Array:
        """The same as ``edge_layer``."""
        return self.edge_layer

    @property
    def facet_offsets(self) -> Array:
        return 2 * np.arange(len(self.edges) + 1)

    @property
    def facet_vertices(self) -> Array:
        return self.edges.reshape(-1)

    @property
    def n_faces(self) -> tuple[int, ...]:
        return (len(self._walk.mesh.vertex_hyperplanes), len(self.edges), self.n_cells)

    @property
    def cell_of_part(self) -> Array:
        return np.arange(self.n_cells)

    def facets_of_faces(self, dimension: int) -> FaceLists:
        if dimension == 1:
            return FaceLists(self.facet_offsets, self.facet_vertices)
        if dimension == 2:
            return FaceLists(self.cell_offsets, self._walk.mesh.half_edges >> 1)
        raise InvalidInput(f"a plane has no faces of dimension {dimension} with facets.")

    # -- folds and levels ------------------------------------------------------------------------------------------------

    def fold_edges(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Numbers of the inner edges across which the given unit (any unit of the layer, any unit at all) changes its state."""
        return self.fold_facets(layer, neuron)

    def folds(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """Segments (k, 2, 2) on which the given unit changes its state: its bent hyperplane in this slice."""
        return self.vertices[self.edges[self.fold_facets(layer, neuron)]]

    def level_set(self, value: float = 0.0, output: int = 0) -> Array:
        """Segments (k, 2, 2) that bound the part of the domain where the output is greater than the value."""
        from plica.geometry._levels import level_segments

        return level_segments(self, value, output)

    def decision_boundary(self, outputs: Any = None) -> Array:
        """Segments (k, 2, 2) between the parts where different outputs are largest (where a single output changes its sign)."""
        from plica.geometry._levels import decision_segments

        return decision_segments(self, outputs)

    # -- regions, summaries, ways out ------------------------------------------------------------------------------------

    def _find_regions(self, tally: Tally) -> Array:
        if self._walk.output_forms is not None:
            return numbered_regions(self._walk.mesh, self._walk.output_forms.ids, tally)
        return plane_regions(self._walk.mesh, self._walk.parameters, self._outputs, self._walk.exact, tally)

    def to_dict(self) -> dict[str, Any]:
        """The complex as plain lists: vertices, edges, cells (vertex numbers), regions, and the counts."""
        return self.summary() | {
            "vertices": self.vertices.tolist(),
            "edges": self.edges.tolist(),
            "edge_cells": self.edge_cells.tolist(),
            "edge_layer": self.edge_layer.tolist(),
            "cells": [ids.tolist() for ids in np.split(self.cell_vertices, self.cell_offsets[1:-1])],
            "regions": self.regions.tolist(),
        }

    def to_geojson(self) -> dict[str, Any]:
        """The cells as a GeoJSON FeatureCollection of polygons in the parameters, with region, area and mean outputs."""
        from plica.geometry.export._planar import to_geojson

        return to_geojson(self)

    def to_shapely(self) -> list[Any]:
        """The cells as ``shapely.Polygon`` objects, in the order of the cells."""
        from plica.geometry.export._planar import to_shapely

        return to_shapely(self)

    def to_meshio(self) -> Any:
        """The cells as a ``meshio.Mesh`` of polygons in the plane z = 0, which it writes as VTK, VTU, PLY or OBJ."""
        from plica.geometry.export._meshes import plane_mesh

        return plane_mesh(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the complex with matplotlib; see :func:`plica.plot.plot_complex`."""
        from plica.plot import plot_complex

        return plot_complex(self, ax=ax, **options)


def _is_whole(domain: Domain) -> bool:
    """Whether the parameters are the inputs, in their order."""
    places = domain.chart.places
    return places is not None and np.array_equal(places, np.arange(domain.n_inputs))
