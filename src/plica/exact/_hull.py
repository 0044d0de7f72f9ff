r"""Convex hulls, volumes and mixed volumes of rational points, without rounding.

Points are added one by one; facets that see a new point make way for those from their horizon to it. Seeing is strict, so points
in the plane of a facet need no special case: such facets are triangulated. A point of a facet is a vertex of the hull if the
facets around it leave no direction free. Mixed volumes follow by polarization,

.. math:: MV(P_1, \dots, P_d) = \sum_{\emptyset \ne S} (-1)^{d - |S|} \operatorname{vol} \sum_{i \in S} P_i,

so that :math:`MV(P, \dots, P) = d! \operatorname{vol} P`. For the few points of small networks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import factorial, lcm
from typing import Any

from plica.exact._linear_algebra import determinant, eliminate, null_space, rank

Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class Hull:
    """The convex hull of some points.

    Attributes
    ----------
    dimension
        Of the affine hull of the points.
    vertices
        Numbers of the points that are vertices; of equal points the first.
    volume
        Zero where the points lie in a hyperplane.
    """

    dimension: int
    vertices: tuple[int, ...]
    volume: Fraction


def convex_hull(points: Iterable[Sequence[Any]]) -> Hull:
    """The convex hull of at least one point with coordinates that are integers, fractions or floats.

    Examples
    --------
    >>> convex_hull([(0, 0), (2, 0), (1, 1), (1, 0), (0, 2), (2, 2)])
    Hull(dimension=2, vertices=(0, 1, 4, 5), volume=Fraction(4, 1))
    """
    given = [tuple(Fraction(c) for c in p) for p in points]
    first: dict[Point, int] = {}
    for i, p in enumerate(given):
        first.setdefault(p, i)
    distinct, numbers = list(first), list(first.values())
    origin = distinct[0]
    rows = [[a - b for a, b in zip(p, origin, strict=True)] for p in distinct]
    columns = eliminate(rows).pivots  # coordinates that tell the points apart
    if not columns:
        return Hull(0, (numbers[0],), Fraction(int(not origin)))
    scale = lcm(*(row[c].denominator for row in rows for c in columns))
    flat = [[int(row[c] * scale) for c in columns] for row in rows]
    corners, size = _line(flat) if len(columns) == 1 else _beneath_beyond(flat)
    is_full = len(columns) == len(origin)
    volume = Fraction(size, scale ** len(columns) * factorial(len(columns))) if is_full else Fraction(0)
    return Hull(len(columns), tuple(sorted(numbers[i] for i in corners)), volume)


def minkowski_sum(first: Sequence[Point], second: Sequence[Point]) -> list[Point]:
    """All sums of a point of one and a point of the other, each once.

    Examples
    --------
    >>> len(minkowski_sum([(0, 0), (1, 0)], [(0, 0), (1, 0), (0, 1)]))
    5
    """
    return list(dict.fromkeys(tuple(a + b for a, b in zip(p, q, strict=True)) for p in first for q in second))


def mixed_volume(polytopes: Sequence[Iterable[Sequence[Any]]]) -> Fraction:
    """The mixed volume of d polytopes in d dimensions, each given by points whose hull it is.

    Examples
    --------
    >>> square, triangle = [(0, 0), (1, 0), (0, 1), (1, 1)], [(0, 0), (1, 0), (0, 1)]
    >>> mixed_volume([square, square]), mixed_volume([square, triangle])
    (Fraction(2, 1), Fraction(2, 1))
    """
    corners = [_vertices([tuple(Fraction(c) for c in p) for p in points]) for points in polytopes]
    d, total = len(corners), Fraction(0)
    for k in range(1, d + 1):
        for chosen in combinations(corners, k):
            summed = chosen[0]
            for other in chosen[1:]:
                summed = _vertices(minkowski_sum(summed, other))
            total += (-1) ** (d - k) * convex_hull(summed).volume
    return total


def _vertices(points: list[Point]) -> list[Point]:
    return [points[i] for i in convex_hull(points).vertices]


def _line(points: list[list[int]]) -> tuple[list[int], int]:
    order = sorted(range(len(points)), key=lambda i: points[i])
    return [order[0], order[-1]], points[order[-1]][0] - points[order[0]][0]


def _beneath_beyond(points: list[list[int]]) -> tuple[list[int], int]:
    """The vertices of points that span their space, and d! times the volume; integers throughout."""
    d = len(points[0])
    start = _simplex(points)
    center = [sum(points[i][k] for i in start) for k in range(d)]  # times d + 1: a point inside

    def facet(corners: tuple[int, ...]) -> tuple[tuple[int, ...], list[int], int]:
        base = points[corners[0]]
        (direction,) = null_space([[a - b for a, b in zip(points[i], base, strict=True)] for i in corners[1:]])
        scale = lcm(*(c.denominator for c in direction))
        normal = [int(c * scale) for c in direction]
        offset = _dot(normal, base)
        if _dot(normal, center) > (d + 1) * offset:
            normal, offset = [-c for c in normal], -offset
        return corners, normal, offset

    facets = [facet(corners) for corners in combinations(start, d)]
    for i in sorted(set(range(len(points))) - set(start), key=lambda i: points[i]):
        seen = [f for f in facets if _dot(f[1], points[i]) > f[2]]
        if not seen:
            continue
        ridges: dict[tuple[int, ...], int] = {}
        for corners, _, _ in seen:
            for ridge in combinations(corners, d - 1):
                ridges[ridge] = ridges.get(ridge, 0) + 1
        facets = [f for f in facets if not _dot(f[1], points[i]) > f[2]]
        facets += [facet(tuple(sorted((*ridge, i)))) for ridge, n in ridges.items() if n == 1]
    around: dict[int, list[list[int]]] = {}
    for corners, normal, _ in facets:
        for i in corners:
            around.setdefault(i, []).append(normal)
    apex = points[start[0]]
    size = sum(
        abs(determinant([[a - b for a, b in zip(points[i], apex, strict=True)] for i in corners])) for corners, _, _ in facets
    )
    return [i for i, normals in around.items() if rank(normals) == d], int(size)


def _simplex(points: list[list[int]]) -> tuple[int, ...]:
    """Numbers of d + 1 points that span the space."""
    chosen, d = [0], len(points[0])
    for i in range(1, len(points)):
        rows = [[a - b for a, b in zip(points[j], points[0], strict=True)] for j in (*chosen[1:], i)]
        if rank(rows) == len(rows):
            chosen.append(i)
            if len(chosen) == d + 1:
                break
    return tuple(chosen)


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))
