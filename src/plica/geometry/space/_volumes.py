"""Exact volumes: a face is divided into simplices, cones from its lowest vertex over the facets that miss it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial

from plica.exact import determinant
from plica.geometry.space._arrays import FaceLists


def simplices(lists: dict[int, FaceLists], d: int, face: int) -> list[tuple[int, ...]]:
    """The simplices of a face of dimension d, as vertex numbers; ``lists[d]`` holds the facets of faces of dimension d."""
    first, entries = lists[d]
    facets = [int(g) for g in entries[first[face] : first[face + 1]]]
    if d == 1:
        return [tuple(facets)]
    cones = {g: simplices(lists, d - 1, g) for g in facets}
    apex = min(v for parts in cones.values() for s in parts for v in s)
    return [(apex, *s) for parts in cones.values() if all(apex not in s for s in parts) for s in parts]


def exact_volume(lists: dict[int, FaceLists], position: Callable[[int], tuple[Fraction, ...]], cell: int) -> Fraction:
    """The volume of a convex cell whose vertices are at rational positions."""
    n = max(lists)
    total = Fraction(0)
    for simplex in simplices(lists, n, cell):
        points = [position(v) for v in simplex]
        total += abs(determinant([[a - b for a, b in zip(p, points[0], strict=True)] for p in points[1:]]))
    return total / factorial(n)
