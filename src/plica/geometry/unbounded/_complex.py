"""The complex of a network over all of R^n."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import Dyadic
from plica.geometry._complex import Cell, CellSequence, Complex
from plica.geometry._locate import _compatible
from plica.geometry.domains import Box, Space
from plica.geometry.line._complex import LineComplex
from plica.geometry.plane._complex import PlaneComplex
from plica.geometry.signs._decisions import Decisions
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.space._complex import SpaceComplex
from plica.network import Network


class UnboundedCell(Cell):
    """A cell of R^n; ``vertices`` are its own, not those where it leaves the box."""

    @cached_property
    def center(self) -> Array:
        """An interior point: the mean of the vertices of its part in the box."""
        assert isinstance(self.complex, UnboundedComplex)
        return self.complex.shown.cells[self.index].center


class UnboundedCells(CellSequence):
    """The cells of a complex over R^n."""

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return [self._own(c) for c in found] if isinstance(found, list) else self._own(found)

    def __iter__(self) -> Iterator[Cell]:
        return (self._own(c) for c in super().__iter__())

    def _own(self, cell: Cell) -> UnboundedCell:
        return UnboundedCell(self._owner, cell.index)


class UnboundedComplex(Complex):
    """All cells of a network in R^n, seen in a box that meets every face (see :mod:`plica.geometry.unbounded._engine`).

    Numbers of cells, facets and vertices are those of :attr:`shown`, the complex over that box. Vertices on its border are where
    unbounded faces leave it, not vertices of the complex; :attr:`is_vertex` tells them apart.

    Attributes
    ----------
    shown
        The complex over the box.
    """

    shown: LineComplex | PlaneComplex | SpaceComplex

    def __init__(self, network: Network, domain: Space, shown: Complex, *, seconds: float) -> None:
        assert isinstance(shown, (LineComplex, PlaneComplex, SpaceComplex))
        super().__init__(network, domain, seconds)  # type: ignore[arg-type]
        self.shown, self.dimension = shown, domain.dimension
        self.decisions = shown.decisions

    @property
    def n_cells(self) -> int:
        return self.shown.n_cells

    @property
    def cells(self) -> UnboundedCells:
        """The cells as objects."""
        return UnboundedCells(self)

    @property
    def box(self) -> Box:
        """The box that meets every face."""
        assert isinstance(self.shown.domain, Box)
        return self.shown.domain

    @cached_property
    def is_bounded(self) -> Array:
        """Which cells are bounded: those with no facet on the border of the box."""
        out = np.ones(self.n_cells, bool)
        if isinstance(self.shown, LineComplex):
            out[[0, -1]] = False
            return out
        sides = self.shown.edge_cells if isinstance(self.shown, PlaneComplex) else self.shown.facet_cells
        out[sides[(sides < 0).any(axis=1)].max(axis=1)] = False
        return out

    @property
    def n_bounded(self) -> int:
        """The number of bounded cells."""
        return int(self.is_bounded.sum())

    @cached_property
    def is_vertex(self) -> Array:
        """Which vertices of the box's complex are vertices of the complex in R^n."""
        shown = self.shown
        if isinstance(shown, LineComplex):
            return shown.edge_layer >= 0
        if isinstance(shown, PlaneComplex):
            line = shown._walk.mesh.vertex_hyperplanes
            return (line[:, 0] >= 0) & (line[:, 3] >= 0)
        v = shown._walk.lattice.vertices
        return np.asarray((v.hyperplanes >= 2 * self.dimension).all(axis=1))

    @property
    def n_vertices(self) -> int:
        return int(self.is_vertex.sum())

    @cached_property
    def _regions(self) -> tuple[Array, Decisions]:
        return self.shown._regions

    @property
    def vertices(self) -> Array:  # type: ignore[override]
        """The vertices of the complex over the box."""
        return self.shown.vertices

    @property
    def outputs(self) -> Array:  # type: ignore[override]
        """The network at the vertices."""
        return self.shown.outputs

    @property
    def edges(self) -> Array:  # type: ignore[override]
        return self.shown.edges

    @property
    def edge_layer(self) -> Array:
        return self.shown.edge_layer

    def _cell_vertices(self, cell: int) -> Array:
        ids = np.asarray(self.shown._cell_vertices(cell))
        return ids[self.is_vertex[ids]]

    def _states(self, layer: int, cell: int) -> Array:
        return self.shown._states(layer, cell)

    def neighbors(self, cell: int) -> list[int]:
        return self.shown.neighbors(cell)

    def folds(self, layer: int | None = None, neuron: int | None = None) -> Array:
        """As in the box."""
        return self.shown.folds(layer, neuron)

    def sizes(self) -> Array:
        """Length, area or volume of each cell; infinite for an unbounded one."""
        return np.where(self.is_bounded, self.shown.sizes(), np.inf)

    @property
    def n_slivers(self) -> int:
        """No cell is a small part of an infinite domain."""
        return 0

    def exact_vertex(self, vertex: int) -> tuple[Fraction, ...]:
        return self.shown.exact_vertex(vertex)

    def interior_point(self, cell: int) -> tuple[Fraction, ...]:
        """An interior point of a cell: the mean of the exact vertices of its part in the box."""
        if isinstance(self.shown, SpaceComplex):
            return self.shown.interior_point(cell)
        points = [self.shown.exact_vertex(int(v)) for v in self.shown._cell_vertices(self._index(cell))]
        return tuple(sum(c, Fraction(0)) / len(points) for c in zip(*points, strict=True))

    def _exact_map(self, cell: int) -> Dyadic:
        return self.shown._exact_map(cell)

    def _frame(self, cell: int) -> tuple[Array, Array]:
        return np.eye(self.dimension), np.zeros(self.dimension)

    def cell_at(self, x: Any) -> int:
        """The cell that contains a point of R^n; on a fold, the lowest-numbered of those that meet there."""
        point = np.asarray(x, dtype=np.float64).reshape(-1)
        if point.size != self.dimension or not np.isfinite(point).all():
            raise InvalidInput(f"expected {self.dimension} finite coordinates, got {point.tolist()}.")
        if (np.abs(point) <= self.box.high).all():
            return self.shown.cell_at(point)
        inputs = ExactMap(self.network, self.box).at_point(Dyadic.from_floats(point))
        return next(i for i in range(self.n_cells) if _compatible(self.network, inputs, self.pattern(i)))

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

    def save(self, path: Any) -> None:
        raise InvalidInput("a complex over R^n is not written to files.", hint="save the one over its box: cx.shown.save(path)")

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the complex over the box."""
        return self.shown.plot(ax=ax, **options)
