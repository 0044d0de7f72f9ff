"""Polylines: segments one after the other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain
from plica.geometry.domains._points import check_same_size, checked_point
from plica.geometry.domains._segment import Segment


class Path:
    """A polyline through the given points; the parameter runs from i to i + 1 on its i-th segment.

    Examples
    --------
    >>> Path([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    <Path of 2 segments in R^2>
    """

    dimension = 1

    def __init__(self, points: Any) -> None:
        rows = [checked_point(p, f"point {i} of the path") for i, p in enumerate(points)]
        if len(rows) < 2:
            raise InvalidDomain(f"a path needs at least two points, got {len(rows)}.")
        check_same_size(*rows)
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
