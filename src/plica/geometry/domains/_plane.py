"""Two-dimensional slices of the input space, seen through a convex polygon."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain
from plica.exact import to_object
from plica.geometry.domains._chart import Chart
from plica.geometry.domains._convex_parts import convex_parts
from plica.geometry.domains._domain import Domain
from plica.geometry.domains._points import check_same_size, checked_point


class Plane(Domain):
    """A two-dimensional slice x = origin + u d1 + v d2, with (u, v) in a convex polygon (the unit square by default).

    Examples
    --------
    >>> Plane([0, 0, 0], [[1, 0, 0], [0, 1, 1]])
    <Plane of dimension 2 in R^3>
    """

    def __init__(self, origin: Any, directions: Any, *, window: Any = ((0, 0), (1, 0), (1, 1), (0, 1))) -> None:
        o = checked_point(origin, "the origin of the plane")
        if len(directions) != 2:
            raise InvalidDomain(f"a plane has two directions, got {len(directions)}.")
        d1, d2 = (checked_point(d, f"direction {i} of the plane") for i, d in enumerate(directions))
        check_same_size(o, d1, d2)
        self._build(Chart(np.stack([d1, d2, o])), window)

    def _build(self, chart: Chart, window: Any) -> None:
        d1, d2 = (to_object(chart.columns.integers)[i] for i in range(2))
        # independent exactly when the Gram determinant is not zero (Cauchy-Schwarz)
        if (d1 * d1).sum() * (d2 * d2).sum() == (d1 * d2).sum() ** 2:
            raise InvalidDomain("the two directions of the plane are parallel.", hint="the points must not lie on one line")
        super().__init__(chart, convex_polygon(window))

    @classmethod
    def through(cls, x0: Any, x1: Any, x2: Any, *, margin: float = 0.0) -> Plane:
        """The plane through three points, at parameters (0, 0), (1, 0) and (0, 1).

        The window is the triangle of the three points or, with a positive ``margin``, the square
        [-margin, 1 + margin]^2 in the parameters.
        """
        points = [checked_point(x, f"x{i}") for i, x in enumerate((x0, x1, x2))]
        check_same_size(*points)
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
    def parts(cls, origin: Any, directions: Any, *, window: Any) -> list[Plane]:
        """A window that is not convex, as planes with convex windows that meet along its diagonals: for ``plica.decompose_many``.

        A cell on both sides of a diagonal is in both parts, with one pattern.

        Examples
        --------
        >>> corner = Plane.parts([0, 0], [[1, 0], [0, 1]], window=[[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
        >>> len(corner), sum(plane.size for plane in corner)
        (2, 3.0)
        """
        return [cls(origin, directions, window=part) for part in convex_parts(window)]

    @classmethod
    def box(cls, origin: Any, d1: Any, d2: Any, *, low: Any = (-1, -1), high: Any = (1, 1)) -> Plane:
        """The plane with a rectangle low <= (u, v) <= high as its window."""
        a, b = checked_point(low, "low"), checked_point(high, "high")
        if a.size != 2 or b.size != 2:
            raise InvalidDomain("low and high of a plane's window are two numbers each.")
        return cls(origin, [d1, d2], window=((a[0], a[1]), (b[0], a[1]), (b[0], b[1]), (a[0], b[1])))


def convex_polygon(window: Any) -> Array:
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
        raise InvalidDomain(
            "the window is not a convex polygon.",
            hint="list its corners in order, without repeats; divide others by plica.Plane.parts(origin, directions, window=...)",
        )
    return corners
