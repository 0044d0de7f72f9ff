"""Many boxes at once: exact ends, centers and outward-rounded radii; how sums are rounded outward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidDomain

EPS = 2.0**-52  # twice the relative error of one rounding: covers the rounding of the bounds themselves
TINY = 1e-290  # more than what underflow loses in any sum here


def gamma(n_terms: int) -> float:
    """A bound of the relative error of a sum of products, in any order of summation."""
    return (n_terms + 4) * EPS


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes low <= x <= high, one in each row; the ends are exact.

    Examples
    --------
    >>> b = Boxes.of([0.0, 0.0], [1.0, 0.5])
    >>> len(b), b.split(np.array([0])).high.tolist()
    (1, [[0.5, 0.5], [1.0, 0.5]])
    """

    low: Array
    high: Array

    @staticmethod
    def of(low: Any, high: Any) -> Boxes:
        """One box."""
        a, b = (np.asarray(v, dtype=np.float64).reshape(1, -1) for v in (low, high))
        if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()) or (a > b).any():
            raise InvalidDomain("a box needs finite ends with low <= high.", hint="one low and one high for each input")
        return Boxes(a, b)

    @staticmethod
    def around(point: Any, radius: float) -> Boxes:
        """The box of all points within a radius in the maximum norm, rounded outward."""
        x = np.asarray(point, dtype=np.float64).reshape(1, -1)
        return Boxes(np.nextafter(x - radius, -np.inf), np.nextafter(x + radius, np.inf))

    def __len__(self) -> int:
        return len(self.low)

    @property
    def dimension(self) -> int:
        return self.low.shape[1]

    @cached_property
    def center(self) -> Array:
        return self.low + (self.high - self.low) / 2

    @cached_property
    def radius(self) -> Array:
        """Radii around the centers that reach both ends."""
        reach = np.maximum(self.high - self.center, self.center - self.low)
        return np.where(reach == 0.0, 0.0, reach * (1 + EPS) + TINY)

    @cached_property
    def magnitude(self) -> Array:
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def __getitem__(self, rows: Any) -> Boxes:
        return Boxes(self.low[rows], self.high[rows])

    def split(self, axis: Array) -> Boxes:
        """Both halves of every box, cut across the given axes: first all lower halves, then all upper ones."""
        rows = np.arange(len(self))
        lower, upper = self.high.copy(), self.low.copy()
        lower[rows, axis] = upper[rows, axis] = self.center[rows, axis]
        return Boxes(np.concatenate([self.low, upper]), np.concatenate([lower, self.high]))

    @staticmethod
    def joined(parts: list[Boxes]) -> Boxes:
        return Boxes(np.concatenate([p.low for p in parts]), np.concatenate([p.high for p in parts]))


@dataclass(frozen=True, eq=False)
class Ranges:
    """Proved lower and upper ends of the entries of a tensor, one row for each box."""

    low: Array
    high: Array

    @cached_property
    def magnitude(self) -> Array:
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def meet(self, other: Ranges) -> Ranges:
        """What both prove."""
        return Ranges(np.fmax(self.low, other.low), np.fmin(self.high, other.high))

    def __getitem__(self, rows: Any) -> Ranges:
        return Ranges(self.low[rows], self.high[rows])
