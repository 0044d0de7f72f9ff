"""Exact numbers: floats as integers times powers of two, and points and lines without rounding. Knows no networks."""

from plica.exact._dyadic import Dyadic, add, align, bits, fits, shrink, to_float, to_object
from plica.exact._homogeneous import Vector, cross, dot, meet, point, point_from_fractions, reduced, root, sign

__all__ = [
    "Dyadic",
    "Vector",
    "add",
    "align",
    "bits",
    "cross",
    "dot",
    "fits",
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
