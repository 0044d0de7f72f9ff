"""Tiles: convex polygons inside a two-dimensional domain, with corners that are exact even where no float is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from plica._types import Array
from plica.exact import Vector, point_from_fractions
from plica.geometry.domains._domain import Domain

Point = tuple[Fraction, ...]
_OFF_MIDDLE = (0.4990234375, 0.50732421875, 0.48828125, 0.5302734375, 0.4619140625)  # where tiles are divided, try by try


class Tile(Domain):
    """A convex part of a plane's window.

    ``cuts[i]`` numbers the division that made the side from corner i to the next one; -1 where it is a side of the window.

    Examples
    --------
    >>> from plica.geometry.domains import Plane
    >>> whole = Tile.of(Plane.through([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]))
    >>> low, high = whole.divided(7)
    >>> low.exact_size() + high.exact_size() == whole.exact_size(), high.cuts
    (True, (-1, -1, 7))
    """

    polygon: tuple[Point, ...]
    cuts: tuple[int, ...]

    def __init__(self, domain: Domain, polygon: Sequence[Point], cuts: Sequence[int]) -> None:
        object.__setattr__(self, "polygon", tuple(polygon))
        object.__setattr__(self, "cuts", tuple(cuts))
        super().__init__(domain.chart, np.array([[float(c) for c in p] for p in polygon]))

    @classmethod
    def of(cls, domain: Domain) -> Tile:
        """The whole window."""
        if isinstance(domain, Tile):
            return domain
        corners = [tuple(Fraction(c, p[-1]) for c in p[:-1]) for p in domain.corners()]
        return cls(domain, corners, [-1] * len(corners))

    def alone(self) -> Tile:
        """The same polygon as a window of its own: what is beyond its sides is not asked."""
        return Tile(self, self.polygon, [-1] * len(self.cuts))

    def corners(self) -> list[Vector]:
        return [point_from_fractions(list(p)) for p in self.polygon]

    def window_error(self) -> Array:
        return np.array([0.0 if all(Fraction(float(c)) == c for c in p) else 2.0**-50 * float(np.abs(w).max() + 1e-300)
                         for p, w in zip(self.polygon, self.window, strict=True)])  # fmt: skip

    def exact_size(self) -> Fraction:
        follow = self.polygon[1:] + self.polygon[:1]
        return sum((p[0] * q[1] - q[0] * p[1] for p, q in zip(self.polygon, follow, strict=True)), Fraction(0)) / 2

    def divided(self, number: int, attempt: int = 0) -> tuple[Tile, Tile]:
        """Two parts, across the direction in which the tile is longest in the input space; the new side gets the number."""
        columns = self.chart.floats()
        lengths = np.ptp(self.window, axis=0) * np.linalg.norm(columns[:-1], axis=1)
        axis = int(np.argmax(lengths))
        low, high = self.window[:, axis].min(), self.window[:, axis].max()
        at = Fraction(float(low + (high - low) * _OFF_MIDDLE[attempt % len(_OFF_MIDDLE)]))
        return self._clipped(axis, at, 1, number), self._clipped(axis, at, -1, number)

    def _clipped(self, axis: int, at: Fraction, sign: int, number: int) -> Tile:
        """The part where sign * (at - coordinate) >= 0."""
        corners: list[Point] = []
        cuts: list[int] = []
        ring = list(zip(self.polygon, self.cuts, strict=True))
        for (p, cut), (q, _) in pairwise([*ring, ring[0]]):
            x, y = sign * (at - p[axis]), sign * (at - q[axis])
            if x >= 0:
                corners.append(p)
                cuts.append(cut if x > 0 or y > 0 else number)
            if x * y < 0:
                t = x / (x - y)
                corners.append(tuple(a + t * (b - a) for a, b in zip(p, q, strict=True)))
                cuts.append(number if x > 0 else cut)
        return Tile(self, corners, cuts)
