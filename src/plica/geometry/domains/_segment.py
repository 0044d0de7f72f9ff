"""Straight lines between two points."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.errors import InvalidDomain
from plica.geometry.domains._chart import Chart
from plica.geometry.domains._domain import Domain
from plica.geometry.domains._points import check_same_size, checked_point


class Segment(Domain):
    """The straight line between two points, with t from 0 at ``a`` to 1 at ``b``.

    Examples
    --------
    >>> Segment([0.0, 0.0], [1.0, 2.0])
    <Segment of dimension 1 in R^2>
    """

    def __init__(self, a: Any, b: Any) -> None:
        first, second = checked_point(a, "the start of the segment"), checked_point(b, "the end of the segment")
        check_same_size(first, second)
        if (first == second).all():
            raise InvalidDomain("a segment needs two different points.", hint="the network at one point is network(x)")
        super().__init__(Chart(np.stack([second, first]), is_through=True), np.array([[0.0], [1.0]]))
