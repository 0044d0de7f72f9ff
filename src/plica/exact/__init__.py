"""Exact numbers: floats as integers times powers of two, and points and lines without rounding. Knows no networks."""

from plica.exact._dyadic import Dyadic, add, align, bits, fits, shrink, to_float, to_object
from plica.exact._homogeneous import Vector, cross, dot, meet, point, point_from_fractions, reduced, root, sign
from plica.exact._linear_program import Solution, maximize

__all__ = [
    "Dyadic",
    "Solution",
    "Vector",
    "add",
    "align",
    "bits",
    "cross",
    "dot",
    "fits",
    "maximize",
    "meet",
    "point",
    "point_from_fractions",
    "reduced",
    "root",
    "shrink",
    "sign",
    "to_float",
    "to_object",
]
