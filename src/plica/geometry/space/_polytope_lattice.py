"""The face lattice of a polytope: its bounding box cut by its constraints, every sign decided in integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.exact import Vector, dot, meet_all, to_float
from plica.geometry.domains import Polytope
from plica.geometry.domains._polytope import _flat
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import SignForms
from plica.geometry.space._cut import LatticeCut
from plica.geometry.space._lattice import Lattice, cube
from plica.geometry.space._sublattice import sublattice
from plica.geometry.space._volumes import exact_volume


class SideOracle:
    """Exact values of the constraints at the corners of what is left of the bounding box."""

    has_own_doubles = False

    def __init__(self, lattice: Lattice, sides: list[Vector]) -> None:
        self._lattice, self._sides = lattice, sides
        self._box = 2 * lattice.dimension

        self.tally = Tally()  # its own: a domain is no part of the decomposition

    def parts(self, rows: Array) -> list[Array]:
        return [rows]

    def renew(self) -> bool:
        return False  # nothing has been lost yet

    def values(self, precision: Precision, vertices: Array) -> None:
        """There is nothing between the first look and integers."""

    def values_at(self, precision: Precision, hyperplanes: Array, cells: Array) -> None:
        """Nor here."""

    def position(self, hyperplanes: Array) -> Vector:
        rows = self._lattice.hyperplane_table[hyperplanes]
        return meet_all([self._sides[cell if code < 0 else self._box + code] for _, cell, code in rows.tolist()])

    def integers(self, vertex: int) -> tuple[list[int], int]:
        p = self.position(self._lattice.vertices.hyperplanes[vertex])
        return [dot(f, p) for f in self._sides[self._box :]], p[-1]

    def rounded(self, vertex: int) -> Array:
        numbers, w = self.integers(vertex)
        return np.array([to_float(i, w) for i in numbers])

    def form(self, cell: int, k: int) -> Vector:
        return self._sides[self._box + k]


def start_polytope(domain: Polytope) -> tuple[Lattice, Array, Array]:
    """A lattice with one cell, the coordinates of its corners, and bounds of their errors."""
    lattice, oracle = polytope_lattice(domain)
    corners = np.empty((lattice.vertices.n, domain.dimension))
    for v, line in enumerate(lattice.vertices.hyperplanes):
        p = oracle.position(line)
        corners[v] = [to_float(c, p[-1]) for c in p[:-1]]
    return lattice, corners, 2.0**-52 * np.linalg.norm(corners, axis=1) + 1e-300


def polytope_volume(domain: Polytope) -> Fraction:
    """The volume, from the exact corners of the simplices that the polytope is divided into."""
    lattice, oracle = polytope_lattice(domain)
    lists = {d: faces.packed() for d, faces in lattice.faces.items()}
    points = [oracle.position(line) for line in lattice.vertices.hyperplanes]
    return exact_volume(lists, [tuple(Fraction(c, p[-1]) for c in p[:-1]) for p in points].__getitem__, 0)


def polytope_lattice(domain: Polytope) -> tuple[Lattice, SideOracle]:
    """A lattice with one cell, and what knows its corners exactly.

    The lines of the constraints are sides of the domain, with the numbers that :meth:`Polytope.sides` gives them.
    """
    from plica.geometry.space._engine import form_names

    n, sides = domain.dimension, domain.sides()
    lattice, _ = cube(n)
    oracle = SideOracle(lattice, sides)
    m = len(domain.forms)
    if m:
        unknown = np.full(m, np.inf)  # no sign is decided by floating point
        forms = SignForms(np.zeros((lattice.vertices.n, m)), np.zeros(m), np.zeros(lattice.vertices.n), unknown)
        with np.errstate(invalid="ignore", divide="ignore"):
            lattice.begin_layer()
            LatticeCut(lattice, oracle, form_names(-1), lambda *, n_cells=None, n_bytes=0: None).run(forms)
    inside = np.flatnonzero(~lattice.cells.negative.any(axis=1)) if m else np.zeros(1, np.int64)
    if not len(inside):
        raise _flat()
    rows = lattice.hyperplane_table[2 * n : lattice.n_hyperplanes]
    rows[:, 1], rows[:, 2] = 2 * n + rows[:, 2], -1
    lattice, _ = sublattice(lattice, inside)
    return lattice, SideOracle(lattice, sides)
