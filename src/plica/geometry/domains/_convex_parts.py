"""Polygons that are not convex, divided into convex ones along diagonals, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain

Point = tuple[Fraction, Fraction]


def convex_parts(polygon: Any) -> list[Array]:
    """The corners of convex polygons that together are the given one; they meet along its diagonals, and have no other corners.

    The polygon is given by its corners in order, in either direction; its sides must not touch or cross each other, and no three
    corners that follow each other may lie on one line.

    Examples
    --------
    >>> parts = convex_parts([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
    >>> [part.tolist() for part in parts]
    [[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]], [[0.0, 2.0], [0.0, 0.0], [1.0, 1.0], [1.0, 2.0]]]
    """
    corners = np.asarray(polygon, dtype=np.float64)
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3:
        raise InvalidDomain(f"a polygon has at least three corners (u, v), got shape {corners.shape}.")
    if not np.isfinite(corners).all():
        raise InvalidDomain("the polygon holds NaN or infinity.")
    points: list[Point] = [(Fraction(float(u)), Fraction(float(v))) for u, v in corners]
    _check_simple(points)
    ring = list(range(len(points)))
    if _twice_area(points) < 0:
        ring.reverse()
    return [corners[part] for part in _united(points, _triangles(points, ring))]


def turn(p: Point, q: Point, r: Point) -> Fraction:
    """Positive where the way from p over q to r turns left."""
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def _twice_area(points: list[Point]) -> Fraction:
    return sum((p[0] * q[1] - q[0] * p[1] for p, q in zip(points, points[1:] + points[:1], strict=True)), Fraction(0))


def _check_simple(points: list[Point]) -> None:
    """Refuse polygons whose sides touch, cross or go straight on."""
    n = len(points)
    if any(turn(points[i - 2], points[i - 1], points[i]) == 0 for i in range(n)):
        raise InvalidDomain(
            "the polygon has three corners in a row on one line, or a corner twice.", hint="leave out corners that turn nowhere"
        )
    for i, j in combinations(range(n), 2):
        if j - i in (1, n - 1):
            continue  # sides with a common corner
        if _touch(points[i], points[(i + 1) % n], points[j], points[(j + 1) % n]):
            raise InvalidDomain(f"sides {i} and {j} of the polygon touch or cross.", hint="list its corners in order")


def _touch(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two segments have a common point."""
    if any(max(a[k], b[k]) < min(c[k], d[k]) or max(c[k], d[k]) < min(a[k], b[k]) for k in range(2)):
        return False
    return turn(a, b, c) * turn(a, b, d) <= 0 and turn(c, d, a) * turn(c, d, b) <= 0


def _triangles(points: list[Point], ring: list[int]) -> list[list[int]]:
    """Ears cut off one after the other: corners that turn left and whose triangle holds no other corner."""
    ring, out = list(ring), []
    while len(ring) > 3:
        for i in range(len(ring)):
            a, b, c = ring[i - 1], ring[i], ring[(i + 1) % len(ring)]
            pa, pb, pc = points[a], points[b], points[c]
            if turn(pa, pb, pc) <= 0:
                continue
            others = (points[k] for k in ring if k not in (a, b, c))
            if not any(turn(pa, pb, p) >= 0 and turn(pb, pc, p) >= 0 and turn(pc, pa, p) >= 0 for p in others):
                out.append([a, b, c])
                del ring[i]
                break
        else:  # pragma: no cover - every simple polygon has an ear
            raise InvalidDomain("the polygon cannot be divided.")
    return [*out, ring] if turn(*(points[k] for k in ring)) != 0 else out


def _united(points: list[Point], parts: list[list[int]]) -> list[list[int]]:
    """Parts with a common diagonal become one where that stays convex (Hertel and Mehlhorn): at most four times too many."""
    parts = [list(part) for part in parts]
    i = 0
    while i < len(parts):
        for j in range(i + 1, len(parts)):
            union = _union(parts[i], parts[j])
            if union is not None and _is_convex(points, union):
                parts[i] = union
                del parts[j]
                break
        else:
            i += 1
    return parts


def _union(a: list[int], b: list[int]) -> list[int] | None:
    """Two polygons along their common side, if they have one."""
    for i, p in enumerate(a):
        q = a[(i + 1) % len(a)]
        for j in range(len(b)):
            if b[j] == q and b[(j + 1) % len(b)] == p:
                rest = [b[(j + 2 + k) % len(b)] for k in range(len(b) - 2)]
                start = [a[(i + 1 + k) % len(a)] for k in range(len(a))]
                return [*start, *rest]
    return None


def _is_convex(points: list[Point], ring: list[int]) -> bool:
    """Whether every corner turns left: with one turn around, which two convex parts cannot exceed."""
    return all(turn(points[ring[i - 2]], points[ring[i - 1]], points[ring[i]]) > 0 for i in range(len(ring)))
