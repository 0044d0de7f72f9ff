"""Boxes: all points between two corners; coordinates may be fixed."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain
from plica.exact import Vector
from plica.geometry.domains._chart import PlacedChart
from plica.geometry.domains._domain import Domain
from plica.geometry.domains._points import check_same_size, checked_point


class Box(Domain):
    """All x with low <= x <= high.

    Where low and high agree, the coordinate is fixed: the box is then a flat one, whose parameters are the free coordinates.

    Examples
    --------
    >>> Box([-1, -1], [1, 1]).size
    4.0
    >>> flat = Box([-1, 0.5, -1], [1, 0.5, 1])
    >>> flat, flat.free.tolist()
    (<Box of dimension 2 in R^3>, [0, 2])
    """

    low: Array
    high: Array
    free: Array  # the coordinates that are not fixed

    def __init__(self, low: Any, high: Any) -> None:
        a, b = checked_point(low, "low"), checked_point(high, "high")
        check_same_size(a, b)
        if not (a <= b).all():
            raise InvalidDomain(
                "a box needs low <= high in every coordinate.", hint=f"got low {a.tolist()} and high {b.tolist()}"
            )
        free = np.flatnonzero(a < b)
        if not len(free):
            raise InvalidDomain(
                "the box is a single point: every coordinate is fixed.",
                hint="let low < high somewhere, or call the network",
            )
        for name, value in (("low", a), ("high", b), ("free", free)):
            object.__setattr__(self, name, value)
        origin = np.where(a < b, 0.0, a)
        a, b = a[free], b[free]
        corners = [[a[0], a[1]], [b[0], a[1]], [b[0], b[1]], [a[0], b[1]]] if len(free) == 2 else [a, b]
        super().__init__(PlacedChart(free, origin), np.array(corners))

    def holds(self, x: Any) -> bool:
        """Whether a point of floats is in the box."""
        point = np.asarray(x, dtype=np.float64).reshape(-1)
        return bool(((self.low <= point) & (point <= self.high)).all())

    def sides(self) -> list[Vector]:
        """The sides as affine forms of the free coordinates: x_i = low_i, then x_i = high_i, for each i."""
        out = []
        for i, bounds in enumerate(zip(self.low[self.free], self.high[self.free], strict=True)):
            for value in bounds:
                numerator, denominator = float(value).as_integer_ratio()
                out.append((*(denominator * int(j == i) for j in range(self.dimension)), -numerator))
        return out
