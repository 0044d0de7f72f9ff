"""Polytopes as domains: all x with A x <= b, bounded and with an interior, exactly on the floats given."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidDomain
from plica.exact import Vector, dot, maximize, point_from_fractions, reduced, to_float
from plica.geometry.domains._box import Box
from plica.geometry.domains._chart import Chart
from plica.geometry.domains._domain import Domain

Point = tuple[Fraction, ...]


class Polytope(Domain):
    """All x with A x <= b, a bounded set with an interior in two or more dimensions.

    The constraints are taken as the rational numbers that the given floats are: corners are exact even where no float is.

    Examples
    --------
    >>> simplex = Polytope([[-1, 0, 0], [0, -1, 0], [0, 0, -1], [1, 1, 1]], [0, 0, 0, 1])
    >>> simplex, simplex.exact_size()
    (<Polytope of dimension 3 in R^3>, Fraction(1, 6))
    """

    A: Array
    b: Array
    low: Array
    high: Array
    forms: tuple[Vector, ...]

    def __init__(self, A: Any, b: Any) -> None:
        matrix, bound = _checked(A, b)
        n = matrix.shape[1]
        forms = tuple(f for f in (_form(row, c) for row, c in zip(matrix, bound, strict=True)) if _is_proper(f))
        low, high = _bounding_box(forms, n)
        for name, value in (("A", matrix), ("b", bound), ("low", low), ("high", high), ("forms", forms)):
            object.__setattr__(self, name, value)
        chart = Chart(np.vstack([np.eye(n), np.zeros(n)]))
        if n == 2:
            object.__setattr__(self, "_polygon", self._clipped())
            window = np.array([[float(c) for c in p] for p in self._polygon])
        else:
            window = np.stack([low, high])
        super().__init__(chart, window)
        if n > 2:
            self.exact_size()  # refuses what is flat

    _polygon: list[Point]

    def sides(self) -> list[Vector]:
        """The sides of the bounding box, then the constraints, as affine forms."""
        return [*Box(self.low, self.high).sides(), *self.forms]

    def _clipped(self) -> list[Point]:
        """The corners of a polygon, counter-clockwise: its bounding box clipped by the constraints."""
        a, b = ([Fraction(float(c)) for c in bound] for bound in (self.low, self.high))
        corners: list[Point] = [(a[0], a[1]), (b[0], a[1]), (b[0], b[1]), (a[0], b[1])]
        for form in self.forms:
            values = [form[0] * p[0] + form[1] * p[1] + form[2] for p in corners]
            clipped: list[Point] = []
            for (p, x), (q, y) in pairwise([*zip(corners, values, strict=True), (corners[0], values[0])]):
                clipped += [p] if x >= 0 else []
                if x * y < 0:
                    t = x / (x - y)
                    clipped.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
            corners = _without_repeats(clipped)
            if len(corners) < 3:
                raise _flat()
        turns = [_turn(corners[i - 2], corners[i - 1], corners[i]) for i in range(len(corners))]
        corners = [corners[i - 1] for i in range(len(corners)) if turns[i] > 0]
        if len(corners) < 3:
            raise _flat()
        return corners

    def corners(self) -> list[Vector]:
        return [point_from_fractions(p) for p in self._polygon] if self.dimension == 2 else super().corners()

    def window_error(self) -> Array:
        """How far the float corners of a polygon may be from the exact ones."""
        return 2.0**-52 * np.linalg.norm(self.window, axis=1) + 1e-300

    @cached_property
    def _exact_size(self) -> Fraction:
        if self.dimension == 2:
            w = self._polygon
            return sum((p[0] * q[1] - q[0] * p[1] for p, q in zip(w, w[1:] + w[:1], strict=True)), Fraction(0)) / 2
        from plica.geometry.space._polytope_lattice import polytope_volume

        return polytope_volume(self)

    def exact_size(self) -> Fraction:
        """Area or volume."""
        return self._exact_size

    def holds(self, x: Any) -> bool:
        """Whether a point of floats satisfies all constraints; the decision is exact."""
        p = point_from_fractions([Fraction(float(c)) for c in np.asarray(x).reshape(-1)])
        return all(dot(f, p) >= 0 for f in self.forms)


def _checked(A: Any, b: Any) -> tuple[Array, Array]:
    try:
        matrix, bound = np.array(A, dtype=np.float64), np.array(b, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise InvalidDomain("A and b of a polytope must be arrays of numbers.") from None
    if matrix.ndim != 2 or len(matrix) != len(bound):
        raise InvalidDomain(
            f"A x <= b needs one row of A for each entry of b, got shapes {matrix.shape} and {bound.shape}.",
            hint="A has a row for each constraint and a column for each coordinate",
        )
    if matrix.shape[1] < 2:
        raise InvalidDomain("a polytope has two or more dimensions.", hint="in one dimension use plica.Box or plica.Segment")
    if not (np.isfinite(matrix).all() and np.isfinite(bound).all()):
        raise InvalidDomain("A or b holds NaN or infinity.")
    return matrix, bound


def _form(row: Array, bound: float) -> Vector:
    """b - a x as an integer form: nonnegative inside."""
    return reduced(point_from_fractions([*(-Fraction(float(a)) for a in row), Fraction(float(bound))])[:-1])


def _is_proper(form: Vector) -> bool:
    if any(form[:-1]):
        return True
    if form[-1] < 0:
        raise InvalidDomain("a constraint 0 x <= b with b < 0 holds nowhere.")
    return False


def _flat() -> InvalidDomain:
    return InvalidDomain(
        "the polytope has no interior.", hint="constraints that hold with equality everywhere leave a slice: plica.Plane"
    )


def _bounding_box(forms: tuple[Vector, ...], n: int) -> tuple[Array, Array]:
    """The smallest box of floats around the polytope."""
    matrix, bounds = [[-c for c in f[:-1]] for f in forms], [f[-1] for f in forms]
    low, high = np.empty(n), np.empty(n)
    for i in range(n):
        for sign, out in ((-1, low), (1, high)):
            best = maximize([sign * int(j == i) for j in range(n)], matrix, bounds)
            if best.status == "infeasible":
                raise InvalidDomain("no point satisfies all constraints of the polytope.")
            if best.status == "unbounded":
                raise InvalidDomain(
                    f"the polytope is unbounded along coordinate {i}.", hint="add bounds, or use plica.Space(n) for all of R^n"
                )
            value = sign * best.value
            out[i] = to_float(value.numerator, value.denominator)
            if sign * (Fraction(float(out[i])) - value) < 0:
                out[i] = np.nextafter(out[i], sign * np.inf)
        if not low[i] < high[i]:
            raise _flat()
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise InvalidDomain("the polytope reaches beyond the largest floats.")
    return low, high


def _without_repeats(corners: list[Point]) -> list[Point]:
    return [p for i, p in enumerate(corners) if p != corners[i - 1]]


def _turn(p: Point, q: Point, r: Point) -> Fraction:
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
