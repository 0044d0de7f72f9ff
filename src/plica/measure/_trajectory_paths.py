"""Curves to send through a network: circles, great circles, paths through data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain
from plica.geometry import Path


class Curve(Path):
    """A smooth curve together with the polygon that stands for it: a :class:`plica.Path` through points of the curve.

    Attributes
    ----------
    length
        Of the curve itself.
    gap
        An upper bound of the distance between the polygon and the curve.
    """

    length: float
    gap: float

    def __init__(self, at: Callable[[Array], Array], *, n_points: int, length: float, gap: float, is_closed: bool) -> None:
        if isinstance(n_points, bool) or not isinstance(n_points, int | np.integer) or n_points < 4 or n_points % 2:
            raise InvalidDomain(f"n_points={n_points!r} is not an even number from 4 up.", hint="it is the number of chords")
        points = at(np.linspace(0.0, 1.0, int(n_points) + 1))
        if is_closed:
            points[-1] = points[0]
        super().__init__(points)
        self._at = at
        self.length = float(length)
        self.gap = float(gap)

    def on_curve(self, parameters: Any) -> Array:
        """Points of the curve itself, for parameters in [0, number of chords]."""
        return self._at(np.asarray(parameters, dtype=float).reshape(-1) / self.size)

    @property
    def polygon_length(self) -> float:
        """Of the polygon: shorter than the curve."""
        return float(np.linalg.norm(np.diff(self.points, axis=0), axis=1).sum())

    def coarser(self) -> Path:
        """The polygon through every second point."""
        return Path(self.points[::2])

    def __repr__(self) -> str:
        relative = 1 - self.polygon_length / self.length
        return f"<Curve of length {self.length:.6g} in R^{self.n_inputs}: {len(self.segments)} chords, {relative:.1e} too short>"


def circle(u: Any, v: Any, *, radius: float | None = None, center: Any = None, n_points: int = 256) -> Curve:
    """The circle around a center in the plane of two directions, as a polygon with ``n_points`` corners.

    It starts in the direction of ``u``, towards ``v``. The radius is the length of ``u`` unless given, the center zero.

    Examples
    --------
    >>> circle([2.0, 0.0], [0.0, 1.0], n_points=100)
    <Curve of length 12.5664 in R^2: 100 chords, 1.6e-04 too short>
    """
    a, b = _vector(u, "u"), _vector(v, "v")
    c = np.zeros_like(a) if center is None else _vector(center, "center")
    if not a.shape == b.shape == c.shape:
        raise InvalidDomain(f"u, v and the center have sizes {a.size}, {b.size} and {c.size}.")
    first, second = _plane(a, b)
    r = float(np.linalg.norm(a)) if radius is None else float(radius)
    if not 0 < r < np.inf:
        raise InvalidDomain(f"radius={radius!r} is not a positive finite number.")

    def at(t: Array) -> Array:
        angle = 2 * np.pi * t[:, None]
        return c + r * (np.cos(angle) * first + np.sin(angle) * second)

    gap = r * (1 - np.cos(np.pi / max(n_points, 1)))
    return Curve(at, n_points=n_points, length=2 * np.pi * r, gap=gap, is_closed=True)


def great_circle(x: Any, y: Any, *, n_points: int = 128) -> Curve:
    """The shortest arc on the sphere around zero from x to y, which must have equal lengths.

    Examples
    --------
    >>> great_circle([1.0, 0.0], [0.0, 1.0]).length
    1.5707963267948966
    """
    a, b = _vector(x, "x"), _vector(y, "y")
    if a.shape != b.shape:
        raise InvalidDomain(f"x and y have sizes {a.size} and {b.size}.")
    r, other = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    if not np.isclose(r, other, rtol=1e-9, atol=0):
        raise InvalidDomain(
            f"x and y have lengths {r:.6g} and {other:.6g}.", hint="a great circle joins points of one sphere: scale one of them"
        )
    first, second = _plane(a, b)
    angle = float(np.arctan2(second @ b, first @ b))

    def at(t: Array) -> Array:
        points = r * (np.cos(angle * t)[:, None] * first + np.sin(angle * t)[:, None] * second)
        points[t == 0], points[t == 1] = a, b
        return points

    gap = r * (1 - np.cos(angle / (2 * max(n_points, 1))))
    return Curve(at, n_points=n_points, length=r * angle, gap=gap, is_closed=False)


def path_through(data: Any, *, order: str = "given") -> Path:
    """The polyline through the rows of a data set (any further axes are flattened).

    Parameters
    ----------
    order
        ``"given"``: as the rows come. ``"nearest"``: from the first row always to the nearest one not yet visited.

    Examples
    --------
    >>> path_through([[0.0], [3.0], [1.0]], order="nearest").points[:, 0]
    array([0., 1., 3.])
    """
    rows = np.asarray(data, dtype=float)
    if rows.ndim < 2 or len(rows) < 2:
        raise InvalidDomain(f"a path needs at least two points as rows, got shape {rows.shape}.")
    rows = rows.reshape(len(rows), -1)
    if not np.isfinite(rows).all():
        raise InvalidDomain("the data hold NaN or infinity.")
    if order == "nearest":
        rows = rows[_nearest(rows)]
    elif order != "given":
        raise InvalidDomain(f"order={order!r} is not known.", hint="'given' or 'nearest'")
    moves = np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)])
    return Path(rows[moves])


def _nearest(rows: Array) -> list[int]:
    left = np.ones(len(rows), bool)
    tour = [0]
    for _ in range(len(rows) - 1):
        left[tour[-1]] = False
        distance = ((rows - rows[tour[-1]]) ** 2).sum(1)
        tour.append(int(np.where(left, distance, np.inf).argmin()))
    return tour


def _plane(a: Array, b: Array) -> tuple[Array, Array]:
    """Two orthonormal directions, the first along a, the second towards b."""
    if not a.any():
        raise InvalidDomain("the first direction is zero.")
    first = a / np.linalg.norm(a)
    rest = b - (first @ b) * first
    rest -= (first @ rest) * first
    if np.linalg.norm(rest) <= 1e-12 * np.linalg.norm(b):
        raise InvalidDomain("the two directions are parallel.", hint="they must span a plane")
    return first, rest / np.linalg.norm(rest)


def _vector(values: Any, name: str) -> Array:
    try:
        array = np.asarray(values, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise InvalidDomain(f"{name} is not an array of numbers.") from None
    if not array.size or not np.isfinite(array).all():
        raise InvalidDomain(f"{name} must be finite numbers, at least one.")
    return array
