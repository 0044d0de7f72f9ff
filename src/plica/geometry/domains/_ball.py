"""Balls of the maximum norm in a subspace."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain
from plica.geometry.domains._chart import Chart
from plica.geometry.domains._points import check_same_size, checked_point
from plica.geometry.domains._polytope import Polytope


class Ball(Polytope):
    """All x = center + sum of t_i * directions[i] with max |x - center| <= radius: a polytope in the parameters t.

    In all of R^n this is a box, ``plica.Box(center - radius, center + radius)``; here there are two or more directions.

    Examples
    --------
    >>> ball = Ball([0.5, 0.5, 0.5], 0.125, directions=[[1, 1, 0], [1, -1, 0]])
    >>> ball, ball.size
    (<Ball of dimension 2 in R^3>, 0.03125)
    """

    center: Array
    radius: float

    def __init__(self, center: Any, radius: float, *, directions: Any) -> None:
        c = checked_point(center, "the center of the ball")
        rows = [checked_point(d, f"direction {i} of the ball") for i, d in enumerate(directions)]
        if len(rows) < 2:
            raise InvalidDomain(f"a ball in a subspace has at least two directions, got {len(rows)}.", hint="use plica.Segment")
        check_same_size(c, *rows)
        if not (np.isfinite(radius) and radius > 0):
            raise InvalidDomain(f"the radius must be positive and finite, got {radius}.")
        matrix = np.stack(rows)
        sides = np.unique(matrix.T[matrix.any(axis=0)], axis=0)
        try:
            super().__init__(np.concatenate([sides, -sides]), np.full(2 * len(sides), float(radius)))
        except InvalidDomain as error:  # in exact arithmetic: dependent directions leave some combination of them free
            raise InvalidDomain(
                f"the directions of the ball are linearly dependent: {error.message}", hint="leave out those that others make up"
            ) from None
        object.__setattr__(self, "chart", Chart(np.concatenate([matrix, c[None]])))
        object.__setattr__(self, "center", c)
        object.__setattr__(self, "radius", float(radius))

    def holds(self, x: Any) -> bool:
        """Whether a point of the subspace is in the ball, in floating point."""
        return bool((np.abs(np.asarray(x, dtype=np.float64).reshape(-1) - self.center) <= self.radius).all())
