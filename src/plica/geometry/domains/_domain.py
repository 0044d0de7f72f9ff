"""What all domains share: a chart and a window in its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import Vector, point_from_fractions
from plica.geometry.domains._chart import Chart


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
