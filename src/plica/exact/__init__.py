"""Exact numbers: floats as integers times powers of two; points, lines and matrices without rounding. Knows no networks."""

from plica.exact._algebraic import AlgebraicNumber, between, roots, sign_at
from plica.exact._dyadic import Dyadic, add, align, bits, fits, shrink, to_float, to_floats, to_object
from plica.exact._fractions import exactly
from plica.exact._homogeneous import Vector, cross, dot, meet, point, point_from_fractions, reduced, root, sign
from plica.exact._hull import Hull, convex_hull, minkowski_sum, mixed_volume
from plica.exact._linear_algebra import (
    Echelon,
    affine_dimension,
    determinant,
    eliminate,
    inverse,
    meet_all,
    null_space,
    particular_solution,
    rank,
    solve,
)
from plica.exact._linear_program import Solution, maximize

__all__ = [
    "AlgebraicNumber",
    "Dyadic",
    "Echelon",
    "Hull",
    "Solution",
    "Vector",
    "add",
    "affine_dimension",
    "align",
    "between",
    "bits",
    "convex_hull",
    "cross",
    "determinant",
    "dot",
    "eliminate",
    "exactly",
    "fits",
    "inverse",
    "maximize",
    "meet",
    "meet_all",
    "minkowski_sum",
    "mixed_volume",
    "null_space",
    "particular_solution",
    "point",
    "point_from_fractions",
    "rank",
    "reduced",
    "root",
    "roots",
    "shrink",
    "sign",
    "sign_at",
    "solve",
    "to_float",
    "to_floats",
    "to_object",
]
