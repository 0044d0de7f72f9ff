"""The complex of a network over all of R^n."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic, exactly
from plica.geometry._affine_maps import Bounded
from plica.geometry._complex import Complex
from plica.geometry._locate import is_compatible
from plica.geometry.domains import Box, Space
from plica.geometry.line._complex import LineComplex
from plica.geometry.plane._complex import PlaneComplex
from plica.geometry.signs._decisions import Decisions, Tally
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.space._complex import SpaceComplex
from plica.network import Network


class UnboundedComplex(Complex):
    """All cells of a network in R^n, seen in a box that meets every face (see :mod:`plica.geometry.unbounded._engine`).

    Numbers of cells, facets and vertices are those of :attr:`shown`, the complex over that box, which also has what belongs to
    its dimension. Vertices on its border are where unbounded faces leave it, not vertices of the complex; :attr:`is_vertex` tells
    them apart, and :attr:`cell_vertices` names true vertices only.

    Attributes
    ----------
    shown
        The complex over the box.
    """

    domain: Space
    shown: LineComplex | PlaneComplex | SpaceComplex

    def __init__(self, network: Network, domain: Space, shown: Complex, *, seconds: float) -> None:
        assert isinstance(shown, (LineComplex, PlaneComplex, SpaceComplex))
        super().__init__(network, domain, seconds)
        self.shown, self.dimension = shown, domain.dimension
        self.decisions = shown.decisions

    @property
    def box(self) -> Box:
        """The box that meets every face."""
        assert isinstance(self.shown.domain, Box)
        return self.shown.domain

    # -- vertices --------------------------------------------------------------------------------------------------------

    @cached_property
    def is_vertex(self) -> Array:
        """Which vertices of the box's complex are vertices of the complex in R^n: those on no border facet of the box."""
        out = np.ones(len(self.shown.vertices), bool)
        border = np.flatnonzero((self.shown.facet_cells < 0).any(axis=1))
        first, entries = self.shown.facet_offsets, self.shown.facet_vertices
        for f in border:
            out[entries[first[f] : first[f + 1]]] = False
        return out

    @property
    def n_vertices(self) -> int:
        return int(self.is_vertex.sum())

    @property
    def vertices(self) -> Array:
        """The vertices of the complex over the box."""
        return self.shown.vertices

    @property
    def outputs(self) -> Array:
        return self.shown.outputs

    def bounded_vertices(self) -> Bounded:
        return self.shown.bounded_vertices()

    def bounded_outputs(self) -> Bounded:
        return self.shown.bounded_outputs()

    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        return self.shown.exact_vertex(vertex)

    # -- cells -----------------------------------------------------------------------------------------------------------

    @property
    def n_cells(self) -> int:
        return self.shown.n_cells

    @cached_property
    def is_bounded(self) -> Array:
        """Which cells are bounded: those with no facet on the border of the box."""
        out = np.ones(self.n_cells, bool)
        sides = self.shown.facet_cells
        out[sides[(sides < 0).any(axis=1)].max(axis=1)] = False
        return out

    @property
    def n_bounded(self) -> int:
        """The number of bounded cells."""
        return int(self.is_bounded.sum())

    @property
    def cell_offsets(self) -> Array:
        kept = self.is_vertex[self.shown.cell_vertices]
        return np.concatenate([[0], np.cumsum(kept)])[self.shown.cell_offsets]

    @property
    def cell_vertices(self) -> Array:
        """Numbers of the vertices of all cells, without those where cells leave the box."""
        ids = self.shown.cell_vertices
        return ids[self.is_vertex[ids]]

    def cell_means(self, values: Array) -> Array:
        """The mean over the vertices of each cell's part in the box."""
        return self.shown.cell_means(values)

    def sizes(self) -> Array:
        """Length, area or volume of each cell; infinite for an unbounded one."""
        return np.where(self.is_bounded, self.shown.sizes(), np.inf)

    @property
    def n_slivers(self) -> int:
        """No cell is a small part of an infinite domain."""
        return 0

    def _states(self, layer: int, cell: int) -> Array:
        return self.shown._states(layer, cell)

    def layer_states(self, layer: int) -> Array:
        return self.shown.layer_states(layer)

    def unit_states(self, layer: int, neuron: int) -> Array:
        return self.shown.unit_states(layer, neuron)

    def exact_map(self, cell: int) -> Dyadic:
        return self.shown.exact_map(cell)

    def bounded_maps(self) -> Bounded:
        return self.shown.bounded_maps()

    def bounded_input_maps(self) -> Bounded:
        return self.shown.bounded_input_maps()

    def exact_input_map(self, cell: int) -> Dyadic:
        return self.shown.exact_input_map(cell)

    def frame(self, cell: int) -> tuple[Array, Array]:
        return exactly(np.eye(self.dimension)), exactly(np.zeros(self.dimension))

    def center(self, cell: int) -> Array:
        """An interior point of a cell: the mean of the vertices of its part in the box."""
        return self.shown.center(cell)

    def interior_point(self, cell: int) -> tuple[Fraction, ...]:
        """An interior point of a cell, exactly: the mean of the exact vertices of its part in the box."""
        return self.shown.interior_point(cell)

    def cell_at(self, x: Any) -> int:
        """The cell that contains a point of R^n; on a fold, the lowest-numbered of those that meet there."""
        return next(self._cells_at(x))

    def cells_at(self, x: Any) -> list[int]:
        """All cells whose closure holds a point of R^n."""
        return list(self._cells_at(x))

    def _cells_at(self, x: Any) -> Iterator[int]:
        point = np.asarray(x, dtype=np.float64).reshape(-1)
        if point.size != self.dimension or not np.isfinite(point).all():
            raise InvalidInput(f"expected {self.dimension} finite coordinates, got {point.tolist()}.")
        if (np.abs(point) <= self.box.high).all():
            return iter(self.shown.cells_at(point))
        inputs = ExactMap(self.network, self.box).at_point(Dyadic.from_floats(point))
        return (i for i in range(self.n_cells) if is_compatible(self.network, inputs, self.pattern(i)))

    # -- facets ----------------------------------------------------------------------------------------------------------

    @property
    def facet_cells(self) -> Array:
        """The two cells of each facet of the complex over the box; -1 beyond its border."""
        return self.shown.facet_cells

    @property
    def facet_layer(self) -> Array:
        return self.shown.facet_layer

    @property
    def facet_offsets(self) -> Array:
        return self.shown.facet_offsets

    @property
    def facet_vertices(self) -> Array:
        return self.shown.facet_vertices

    def folds(self, layer: int | None = None, neuron: int | None = None) -> Any:
        """As in the box: see :attr:`shown`."""
        return self.shown.folds(layer, neuron)

    # -- regions and summaries -------------------------------------------------------------------------------------------

    @cached_property
    def _regions(self) -> tuple[Array, Decisions]:
        return self.shown.regions, self.shown.region_decisions

    def _find_regions(self, tally: Tally) -> Array:
        return self.shown._find_regions(tally)

    def summary(self) -> dict[str, Any]:
        bounded = self.sizes()[self.is_bounded]
        return {
            "dimension": self.dimension,
            "n_inputs": self.network.n_inputs,
            "widths": list(self.network.widths),
            "n_cells": self.n_cells,
            "n_bounded": self.n_bounded,
            "n_regions": self.n_regions,
            "n_vertices": self.n_vertices,
            "exact_fallbacks": self.exact_fallbacks,
            "largest_bounded_cell": float(bounded.max(initial=0.0)),
            "reach": float(self.box.high[0]),
            "seconds": self.seconds,
        }

    def to_dict(self) -> dict[str, Any]:
        """The complex over the box as plain lists, with what is bounded."""
        return (
            self.shown.to_dict() | self.summary() | {"is_bounded": self.is_bounded.tolist(), "is_vertex": self.is_vertex.tolist()}
        )
