"""Points and lines in homogeneous integer coordinates: intersections without division.

On a domain of dimension d an affine form is an integer vector (a_1, ..., a_d, c) and a point is an integer vector
(p_1, ..., p_d, w) with w > 0, standing for p / w. The value of the form at the point is their dot product over w, so its
sign is the sign of the dot product.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

Vector = tuple[int, ...]


def reduced(vector: Sequence[int]) -> Vector:
    """The same direction with coprime entries."""
    g = gcd(*vector)
    return tuple(v // g for v in vector) if g > 1 else tuple(vector)


def point(vector: Sequence[int]) -> Vector:
    """A homogeneous point with a positive last entry; zero there means no point."""
    if vector[-1] == 0:
        raise ZeroDivisionError("parallel lines do not meet")
    return reduced(vector if vector[-1] > 0 else [-v for v in vector])


def cross(f: Sequence[int], g: Sequence[int]) -> Vector:
    """The cross product of two vectors of length three."""
    return (f[1] * g[2] - f[2] * g[1], f[2] * g[0] - f[0] * g[2], f[0] * g[1] - f[1] * g[0])


def meet(f: Sequence[int], g: Sequence[int]) -> Vector:
    """The point where two lines of the plane meet.

    Examples
    --------
    >>> meet((1, 0, -2), (0, 2, -1))  # x = 2 and 2 y = 1
    (4, 1, 2)
    """
    return point(cross(f, g))


def root(f: Sequence[int]) -> Vector:
    """The zero of an affine form a t + c on a line."""
    return point((-f[1], f[0]))


def dot(f: Sequence[int], p: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(f, p, strict=True))


def sign(value: int | Fraction) -> int:
    return (value > 0) - (value < 0)


def point_from_fractions(coordinates: Sequence[Fraction]) -> Vector:
    """A rational point in homogeneous integers."""
    w = 1
    for c in coordinates:
        w = w * c.denominator // gcd(w, c.denominator)
    return (*(c.numerator * (w // c.denominator) for c in coordinates), w)
