"""Where a network is looked at: segments, paths, planes and boxes.

A domain is a chart, an affine map from one or two parameters to the input space, and a window in those parameters. The chart is
kept exactly (as integers times a power of two): a plane *through* three stored points really goes through them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain
from plica.exact import Dyadic, Vector, bits, point_from_fractions, to_float, to_object


def _point(values: Any, what: str) -> Array:
    try:
        array = np.asarray(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise InvalidDomain(f"{what} is not an array of numbers.") from None
    if array.size == 0:
        raise InvalidDomain(f"{what} is empty.")
    if not np.isfinite(array).all():
        raise InvalidDomain(f"{what} holds NaN or infinity.", hint="every coordinate of a domain must be finite")
    return array


def _same_size(*points: Array) -> None:
    sizes = {p.size for p in points}
    if len(sizes) != 1:
        raise InvalidDomain(f"the points of a domain have different sizes: {sorted(sizes)}.")


@dataclass(frozen=True, eq=False)
class Chart:
    """x = origin + sum of u_i * direction_i; exact also where a direction is the difference of two stored points.

    ``points`` holds the directions and then the origin or, if ``is_through``, the points at the unit vectors and then the origin.
    """

    points: Array  # (dimension + 1, n_inputs)
    is_through: bool = False

    @cached_property
    def columns(self) -> Dyadic:
        """The directions and the origin as exact rows."""
        stored = Dyadic.from_floats(self.points)
        if not self.is_through:
            return stored
        integers = stored.integers if bits(stored.integers) < 61 else to_object(stored.integers)
        return Dyadic(np.concatenate([integers[:-1] - integers[-1], integers[-1:]]), stored.exponent)

    @cached_property
    def _is_identity(self) -> bool:
        return not self.is_through and not self.points[-1].any() and np.array_equal(self.points[:-1], np.eye(self.dimension))

    @property
    def dimension(self) -> int:
        return len(self.points) - 1

    @property
    def n_inputs(self) -> int:
        return int(self.points.shape[1])

    def at(self, window: Array) -> tuple[Array, Array]:
        """Images of float parameters, each coordinate rounded at most once, and a bound of the error of each image."""
        out, error = np.empty((len(window), self.n_inputs)), np.zeros(len(window))
        stored = {(0.0,) * self.dimension: self.dimension}  # parameters whose images are stored points
        if self.is_through:
            stored |= {tuple(float(i == j) for j in range(self.dimension)): i for i in range(self.dimension)}
        for i, u in enumerate(window.tolist()):
            known = stored.get(tuple(u))
            if known is not None:
                out[i] = self.points[known]
            elif self._is_identity:
                out[i] = u
            else:
                p = point_from_fractions([Fraction(c) for c in u])
                sums = np.array(p, dtype=object) @ to_object(self.columns.integers)
                out[i] = [to_float(int(number), p[-1], self.columns.exponent) for number in sums]
                # a sum bounds the norm and squares nothing
                error[i] = 2.0**-52 * float(np.abs(out[i]).sum()) + 5e-324 * self.n_inputs
        return out, error

    def floats(self) -> Array:
        """The directions and the origin as floats, rounded once."""
        if self.is_through:
            return np.concatenate([self.points[:-1] - self.points[-1], self.points[-1:]])
        return self.points

    def to_input(self, parameters: Array) -> Array:
        """Points of the input space for rows of float parameters, in floating point."""
        columns = self.floats()
        return np.asarray(parameters) @ columns[:-1] + columns[-1]


@dataclass(frozen=True, eq=False)
class Domain:
    """A chart and its window: an interval of parameters, or a convex polygon given counter-clockwise."""

    chart: Chart
    window: Array  # (k, d): the corners of a polygon, or the two opposite corners of an interval or a box

    @property
    def dimension(self) -> int:
        return self.chart.dimension

    @property
    def n_inputs(self) -> int:
        return self.chart.n_inputs

    def window_error(self) -> Array:
        """How far the stored corners of the window may be from the true ones."""
        return np.zeros(len(self.window))

    def corners(self) -> list[Vector]:
        """The corners of the window in homogeneous integers."""
        return [point_from_fractions([Fraction(float(c)) for c in corner]) for corner in self.window]

    def exact_size(self) -> Fraction:
        """Length or area of the window in parameters."""
        w = [[Fraction(float(c)) for c in corner] for corner in self.window]
        if self.dimension != 2:  # an interval, or a box given by its two opposite corners
            return prod((b - a for a, b in zip(*w, strict=True)), start=Fraction(1))
        return sum((p[0] * q[1] - q[0] * p[1] for p, q in zip(w, w[1:] + w[:1], strict=True)), Fraction(0)) / 2

    @property
    def size(self) -> float:
        return float(self.exact_size())

    def to_input(self, parameters: Any) -> Array:
        """Points of the input space for rows of parameters."""
        return self.chart.to_input(np.atleast_2d(np.asarray(parameters, dtype=np.float64)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of dimension {self.dimension} in R^{self.n_inputs}>"


class Segment(Domain):
    """The straight line between two points, with t from 0 at ``a`` to 1 at ``b``.

    Examples
    --------
    >>> Segment([0.0, 0.0], [1.0, 2.0])
    <Segment of dimension 1 in R^2>
    """

    def __init__(self, a: Any, b: Any) -> None:
        first, second = _point(a, "the start of the segment"), _point(b, "the end of the segment")
        _same_size(first, second)
        if (first == second).all():
            raise InvalidDomain("a segment needs two different points.")
        super().__init__(Chart(np.stack([second, first]), is_through=True), np.array([[0.0], [1.0]]))


class Path:
    """A polyline through the given points; the parameter runs from i to i + 1 on its i-th segment.

    Examples
    --------
    >>> Path([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    <Path of 2 segments in R^2>
    """

    dimension = 1

    def __init__(self, points: Any) -> None:
        rows = [_point(p, f"point {i} of the path") for i, p in enumerate(points)]
        if len(rows) < 2:
            raise InvalidDomain(f"a path needs at least two points, got {len(rows)}.")
        _same_size(*rows)
        for i in range(len(rows) - 1):
            if (rows[i] == rows[i + 1]).all():
                raise InvalidDomain(f"points {i} and {i + 1} of the path are equal.", hint="drop repeated points")
        self.points = np.stack(rows)
        self.segments = tuple(Segment(a, b) for a, b in pairwise(rows))

    @property
    def n_inputs(self) -> int:
        return int(self.points.shape[1])

    @property
    def size(self) -> float:
        return float(len(self.segments))

    def to_input(self, parameters: Any) -> Array:
        """Points of the input space for parameters in [0, number of segments]."""
        t = np.asarray(parameters, dtype=np.float64).reshape(-1)
        i = np.clip(np.floor(t).astype(int), 0, len(self.segments) - 1)
        s = (t - i)[:, None]
        return self.points[i] * (1 - s) + self.points[i + 1] * s

    def __repr__(self) -> str:
        return f"<Path of {len(self.segments)} segments in R^{self.n_inputs}>"


class Plane(Domain):
    """A two-dimensional slice x = origin + u d1 + v d2, with (u, v) in a convex polygon (the unit square by default).

    Examples
    --------
    >>> Plane([0, 0, 0], [[1, 0, 0], [0, 1, 1]])
    <Plane of dimension 2 in R^3>
    """

    def __init__(self, origin: Any, directions: Any, *, window: Any = ((0, 0), (1, 0), (1, 1), (0, 1))) -> None:
        o = _point(origin, "the origin of the plane")
        if len(directions) != 2:
            raise InvalidDomain(f"a plane has two directions, got {len(directions)}.")
        d1, d2 = (_point(d, f"direction {i} of the plane") for i, d in enumerate(directions))
        _same_size(o, d1, d2)
        self._build(Chart(np.stack([d1, d2, o])), window)

    def _build(self, chart: Chart, window: Any) -> None:
        d1, d2 = (to_object(chart.columns.integers)[i] for i in range(2))
        # independent exactly when the Gram determinant is not zero (Cauchy-Schwarz)
        if (d1 * d1).sum() * (d2 * d2).sum() == (d1 * d2).sum() ** 2:
            raise InvalidDomain("the two directions of the plane are parallel.", hint="the points must not lie on one line")
        super().__init__(chart, _convex_polygon(window))

    @classmethod
    def through(cls, x0: Any, x1: Any, x2: Any, *, margin: float = 0.0) -> Plane:
        """The plane through three points, at parameters (0, 0), (1, 0) and (0, 1).

        The window is the triangle of the three points or, with a positive ``margin``, the square
        [-margin, 1 + margin]^2 in the parameters.
        """
        points = [_point(x, f"x{i}") for i, x in enumerate((x0, x1, x2))]
        _same_size(*points)
        if not margin >= 0 or not np.isfinite(margin):
            raise InvalidDomain(f"margin must be a finite number >= 0, got {margin}.")
        low, high = -float(margin), 1 + float(margin)
        triangle = ((0, 0), (1, 0), (0, 1))
        square = ((low, low), (high, low), (high, high), (low, high))
        return cls._with_window(Chart(np.stack([*points[1:], points[0]]), is_through=True), square if margin else triangle)

    @classmethod
    def _with_window(cls, chart: Chart, window: Any) -> Plane:
        plane = cls.__new__(cls)
        plane._build(chart, window)
        return plane

    @classmethod
    def box(cls, origin: Any, d1: Any, d2: Any, *, low: Any = (-1, -1), high: Any = (1, 1)) -> Plane:
        """The plane with a rectangle low <= (u, v) <= high as its window."""
        a, b = _point(low, "low"), _point(high, "high")
        if a.size != 2 or b.size != 2:
            raise InvalidDomain("low and high of a plane's window are two numbers each.")
        return cls(origin, [d1, d2], window=((a[0], a[1]), (b[0], a[1]), (b[0], b[1]), (a[0], b[1])))


class Box(Domain):
    """All x with low <= x <= high.

    Examples
    --------
    >>> Box([-1, -1], [1, 1]).size
    4.0
    """

    low: Array
    high: Array

    def __init__(self, low: Any, high: Any) -> None:
        a, b = _point(low, "low"), _point(high, "high")
        _same_size(a, b)
        if not (a < b).all():
            raise InvalidDomain("a box needs low < high in every coordinate.", hint=f"got low {a.tolist()} and high {b.tolist()}")
        object.__setattr__(self, "low", a)
        object.__setattr__(self, "high", b)
        chart = Chart(np.vstack([np.eye(a.size), np.zeros(a.size)]))
        corners = _rectangle(a, b) if a.size == 2 else np.stack([a, b])
        super().__init__(chart, corners)

    def holds(self, x: Any) -> bool:
        """Whether a point of floats is in the box."""
        point = np.asarray(x, dtype=np.float64).reshape(-1)
        return bool(((self.low <= point) & (point <= self.high)).all())

    def sides(self) -> list[Vector]:
        """The sides as affine forms: x_i = low_i, then x_i = high_i, for each i."""
        out = []
        for i, bounds in enumerate(zip(self.low, self.high, strict=True)):
            for value in bounds:
                numerator, denominator = float(value).as_integer_ratio()
                out.append((*(denominator * int(j == i) for j in range(self.dimension)), -numerator))
        return out


class Space:
    """All of R^n. A complex over it says which of its cells are bounded.

    Examples
    --------
    >>> Space(2)
    <Space R^2>
    """

    size = float("inf")

    def __init__(self, dimension: int) -> None:
        if isinstance(dimension, bool) or not isinstance(dimension, (int, np.integer)) or dimension < 1:
            raise InvalidDomain(f"a space has one or more dimensions, got {dimension!r}.")
        self.dimension = int(dimension)

    @property
    def n_inputs(self) -> int:
        return self.dimension

    def to_input(self, parameters: Any) -> Array:
        """The points themselves."""
        return np.atleast_2d(np.asarray(parameters, dtype=np.float64))

    def __repr__(self) -> str:
        return f"<Space R^{self.dimension}>"


def _rectangle(a: Array, b: Array) -> Array:
    return np.array([[a[0], a[1]], [b[0], a[1]], [b[0], b[1]], [a[0], b[1]]])


def _convex_polygon(window: Any) -> Array:
    """The corners counter-clockwise, checked in exact arithmetic to be strictly convex."""
    corners = np.asarray(window, dtype=np.float64)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3:
        raise InvalidDomain(f"the window is a polygon with at least three corners (u, v), got shape {corners.shape}.")
    if not np.isfinite(corners).all():
        raise InvalidDomain("the window holds NaN or infinity.")
    exact = [[Fraction(float(c)) for c in p] for p in corners]

    def turn(p: list[Fraction], q: list[Fraction], r: list[Fraction]) -> Fraction:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    n = len(exact)
    turns = [turn(exact[i], exact[(i + 1) % n], exact[(i + 2) % n]) for i in range(n)]
    if all(t < 0 for t in turns):
        corners, exact = corners[::-1].copy(), exact[::-1]
        turns = [-t for t in turns]
    # a polygon that always turns left and turns around once: every corner is left of the first edges' fan
    fan = all(turn(exact[0], exact[i], exact[i + 1]) > 0 for i in range(1, n - 1))
    if not all(t > 0 for t in turns) or not fan:
        raise InvalidDomain("the window is not a convex polygon.", hint="list its corners in order, without repeats")
    return corners
