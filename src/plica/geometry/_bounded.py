"""What complexes of bounded domains have besides: faces of every dimension, exact sizes, and ways out to other tools."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry._affine_maps import Bounded
from plica.geometry._complex import Complex
from plica.geometry.domains import Domain, Path


class FaceLists(NamedTuple):
    """Lists without gaps: those of face f are ``entries[offsets[f] : offsets[f + 1]]``."""

    offsets: Array
    entries: Array


class Simplices(NamedTuple):
    """Simplices of highest dimension: their vertices (n, dimension + 1) and the cell that each is in."""

    vertices: Array
    cells: Array


class BoundedComplex(Complex):
    """A complex over a bounded domain: a regular cell complex whose faces of all dimensions are known.

    Faces of dimension 0 are the vertices, those of the highest dimension the cells (in space the convex *parts* of cells, of
    which there are more only after a maximum over three or more members).
    """

    domain: Domain | Path

    @property
    @abstractmethod
    def n_faces(self) -> tuple[int, ...]:
        """The number of faces of each dimension from 0 up."""

    @abstractmethod
    def facets_of_faces(self, dimension: int) -> FaceLists:
        """For each face of a dimension from 1 up the faces one dimension lower on its border."""

    @property
    @abstractmethod
    def cell_of_part(self) -> Array:
        """The cell that each face of the highest dimension belongs to."""

    @abstractmethod
    def exact_size(self, cell: int) -> Fraction:
        """Length, area or volume of a cell in the parameters, as a fraction."""

    def recomputed_vertices(self, vertices: Array) -> Bounded:
        """Some vertices in parameters, computed anew like :meth:`recomputed_outputs`; on a line they are as they were."""
        return Bounded(*(x[vertices] for x in self.bounded_vertices()))

    @abstractmethod
    def recomputed_outputs(self, vertices: Array) -> Bounded:
        """The network at some vertices, computed anew from the affine maps of cells, with bounds of rounding alone.

        The bounds of :meth:`bounded_outputs` contain those of the vertices that a vertex was made from; these inherit nothing,
        at a higher price.
        """

    def boundary_matrix(self, dimension: int) -> Any:
        """The boundary map from faces of a dimension to faces one lower, over GF(2).

        A ``scipy.sparse.csc_array`` of 0 and 1 with a column for each face of the dimension. The product of two that follow each
        other is even everywhere.

        Examples
        --------
        >>> import plica
        >>> cx = plica.decompose(plica.random_network([2, 4, 1], seed=0), plica.Box([-1, -1], [1, 1]))
        >>> d1, d2 = cx.boundary_matrix(1), cx.boundary_matrix(2)
        >>> d1.shape[1] == d2.shape[0] == len(cx.edges), int(((d1 @ d2).toarray() % 2).max())
        (True, 0)
        """
        from scipy.sparse import csc_array

        if not 1 <= dimension <= self.dimension:
            raise InvalidInput(f"there is no boundary map in dimension {dimension}; there are maps in 1 to {self.dimension}.")
        lists = self.facets_of_faces(dimension)
        shape = (self.n_faces[dimension - 1], self.n_faces[dimension])
        return csc_array((np.ones(len(lists.entries), np.int8), lists.entries.astype(np.int64), lists.offsets), shape=shape)

    def interior_point(self, cell: int) -> tuple[Fraction, ...]:
        """An interior point of a cell, exactly: the mean of its exact vertices."""
        points = [self.exact_vertex(int(v)) for v in self.vertices_of(cell)]
        return tuple(sum(c, Fraction(0)) / len(points) for c in zip(*points, strict=True))

    def center(self, cell: int) -> Array:
        """An interior point of a cell, in parameters: the mean of its vertices."""
        return np.asarray(self.vertices[self.vertices_of(cell)].mean(axis=0))

    def cell_at(self, x: Any) -> int:
        """The cell that contains a point, given in the input space or in the parameters of the domain.

        On a fold, the lowest-numbered of the cells that meet there. The decision is exact.
        """
        from plica.geometry._locate import located

        return next(located(self, x))

    def cells_at(self, x: Any) -> list[int]:
        """All cells whose closure holds a point, in order: more than one on a fold."""
        from plica.geometry._locate import located

        return list(located(self, x))

    @abstractmethod
    def _candidates(self, parameters: Array) -> Array:
        """Cells whose bounding box holds the parameters, slightly enlarged."""

    def triangulation(self) -> Simplices:
        """The cells divided into simplices without new vertices; two cells divide their common face in the same way."""
        from plica.geometry._triangulation import triangulation

        return triangulation(self)

    def to_gudhi(self, output: int = 0) -> Any:
        """The complex as a ``gudhi.SimplexTree``, cells triangulated without new vertices, filtered by an output.

        The output is affine on every simplex, so the filtration (a simplex enters with its largest vertex) has the homotopy types
        of the sublevel sets of the network.
        """
        from plica.geometry.export._gudhi import to_gudhi

        return to_gudhi(self, output)

    def to_polymake(self) -> str:
        """Rational vertices and the vertices of each cell as text that polymake reads (``load`` it as a PolyhedralComplex).

        Coordinates are homogeneous with a leading 1, as polymake has them; Sage and OSCAR read the same fractions.
        """
        from plica.geometry.export._rationals import to_polymake

        return to_polymake(self)
