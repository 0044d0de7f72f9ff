"""The same answers in n dimensions, slowly and plainly: polytopes as lists of corners in fractions. The oracle of the tests.

A cell is the list of its corners, each with the set of constraints that are tight there. A form that is positive at one corner
and negative at another cuts the cell: on every edge from a negative to a positive corner lies a new one. Two corners are joined
by an edge exactly when no third corner is tight in all constraints that are tight at both (the double description method).
Shares nothing with the engine but the definition of a network and exact determinants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import factorial
from typing import Any

import numpy as np

from plica.exact import affine_dimension, determinant, exactly
from plica.testing._pointwise import PointValues, Pointwise
from plica.testing._reference import forms, states_at

Point = tuple[Fraction, ...]
Corners = dict[Point, frozenset[int]]


@dataclass(frozen=True)
class SpaceCell:
    """A cell, or one convex part of it: its corners with their tight constraints, and its pattern."""

    corners: Corners
    pattern: tuple[int, ...]

    def volume(self) -> Fraction:
        return volume(self.corners)


def box_corners(low: Any, high: Any) -> Corners:
    """The corners of a box; constraint 2 i is x_i >= low_i, constraint 2 i + 1 is x_i <= high_i."""
    bounds = list(zip(exactly(low), exactly(high), strict=True))
    words = product((0, 1), repeat=len(bounds))
    return {tuple(b[s] for b, s in zip(bounds, w, strict=True)): frozenset(2 * i + s for i, s in enumerate(w)) for w in words}


def split(corners: Corners, values: dict[Point, Fraction], name: int) -> tuple[Corners, Corners]:
    """The parts where an affine form is <= 0 and >= 0; ``name`` is the number of the new constraint."""
    n = len(next(iter(corners)))
    zero = {p: tight | {name} for p, tight in corners.items() if values[p] == 0}
    for p in corners:
        for q in corners:
            if not values[p] < 0 < values[q]:
                continue
            common = corners[p] & corners[q]
            if len(common) < n - 1 or any(common <= corners[r] for r in corners if r not in (p, q)):
                continue
            t = values[p] / (values[p] - values[q])
            zero[tuple(a + t * (b - a) for a, b in zip(p, q, strict=True))] = common | {name}
    below = {p: tight for p, tight in corners.items() if values[p] < 0}
    above = {p: tight for p, tight in corners.items() if values[p] > 0}
    return below | zero, above | zero


def cells(network: Any, corners: Corners) -> list[SpaceCell]:
    """All cells of a network over a polytope; after a maximum over three or more members some come in several parts."""
    exact, known = Pointwise(network), dict[Point, PointValues]()

    def at(point: Point, node: int) -> Any:
        if point not in known:
            known[point] = exact.at(np.array(point, dtype=object))
        return known[point](node)

    found: list[tuple[Corners, tuple[int, ...]]] = [(corners, ())]
    names = iter(range(10**6, 10**9))
    for index in network.layers:
        node = network.nodes[index]
        source, following = node.inputs[0], []
        for start, pattern in found:
            parts = _cut(start, forms(node.op, network.nodes[source].size), lambda p, i=source: at(p, i), names)  # type: ignore[misc]
            following += [(part, (*pattern, *states_at(node.op, at(center(part), source)))) for part in parts]
        found = following
    return [SpaceCell(part, pattern) for part, pattern in found]


def _cut(corners: Corners, cutting: list[Any], at: Callable[[Point], Any], names: Any) -> list[Corners]:
    parts = [corners]
    for form in cutting:
        pieces: list[Any] = []
        for part in parts:
            values = {p: form(at(p)) for p in part}
            pieces += split(part, values, next(names)) if min(values.values()) < 0 < max(values.values()) else [part]
        parts = pieces
    return parts


def center(corners: Corners) -> Point:
    return tuple(sum(c, Fraction(0)) / len(corners) for c in zip(*corners, strict=True))


def volume(corners: Corners) -> Fraction:
    """The volume of a full-dimensional polytope: cones from a corner over the facets that miss it, down to edges."""
    n = len(next(iter(corners)))
    total = Fraction(0)
    for simplex in simplices(corners, n):
        total += abs(determinant([[a - b for a, b in zip(p, simplex[0], strict=True)] for p in simplex[1:]]))
    return total / factorial(n)


def simplices(corners: Corners, dimension: int) -> list[list[Point]]:
    """A triangulation of a face of the given dimension."""
    if dimension == 0:
        return [list(corners)]
    apex = next(iter(corners))
    facets = {}
    for name in {i for tight in corners.values() for i in tight} - corners[apex]:
        facet = {p: tight for p, tight in corners.items() if name in tight}
        if affine_dimension(facet) == dimension - 1:
            facets[frozenset(facet)] = facet
    return [[apex, *s] for facet in facets.values() for s in simplices(facet, dimension - 1)]
