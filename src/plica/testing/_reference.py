"""The same answers, slowly and plainly: polygons cut one by one in exact numbers. The oracle of the tests.

It shares nothing with the engine but the definition of a network: a polygon is a list of corners, every unit cuts every polygon,
and the network is evaluated corner by corner. A corner is (x w, y w, w), integers without a common factor, and so is what the
network does there, up to one factor for all corners: then the zero of an affine form between two corners with values a and b is
a q - b p, and nothing is divided. Fractions are only what is given away. Read it in one sitting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from operator import mul
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica.exact import exactly
from plica.testing._pointwise import PointValues, Pointwise

Point = tuple[Fraction, ...]
Homogeneous = tuple[int, ...]


@dataclass(frozen=True)
class ReferenceCell:
    """A convex cell: its corners in parameters, its pattern, the network's output at the corners."""

    corners: tuple[Point, ...]
    pattern: tuple[int, ...]
    outputs: tuple[tuple[Fraction, ...], ...]

    @cached_property
    def map(self) -> tuple[tuple[Fraction, ...], ...]:
        """The coefficients of the network on the cell: for each output (slopes..., constant) in parameters."""
        return affine_map(self)


class Corners:
    """The corners met so far, by number, each once, and the values of the network there."""

    def __init__(self, network: Any, chart: Any) -> None:
        columns = exactly(chart) if np.asarray(chart).dtype != object else chart
        self._common = lcm(*(c.denominator for c in columns.reshape(-1).tolist()))
        rows = [[c.numerator * (self._common // c.denominator) for c in row.reshape(-1).tolist()] for row in columns]
        self._inputs = list(zip(*rows, strict=True))
        self._network = Pointwise(network)
        self._numbers: dict[Homogeneous, int] = {}
        self.points: list[Homogeneous] = []
        self._values: list[PointValues] = []

    def number(self, point: Sequence[int]) -> int:
        """The number of a point, in homogeneous coordinates that may have a common factor of either sign."""
        factor = gcd(*point) if point[-1] > 0 else -gcd(*point)
        reduced = tuple(c // factor for c in point)
        if reduced not in self._numbers:
            self._numbers[reduced] = len(self.points)
            self.points.append(reduced)
            x = [sum(map(mul, reduced, row)) for row in self._inputs]
            self._values.append(self._network.at_integers(x, reduced[-1] * self._common))
        return self._numbers[reduced]

    def between(self, p: int, q: int, a: int, b: int) -> int:
        """Where an affine form that is a at p and b at q, in the integers of :meth:`at`, is zero."""
        return self.number([a * y - b * x for x, y in zip(self.points[p], self.points[q], strict=True)])

    def at(self, number: int, node: int) -> tuple[list[int], int]:
        """The value of a node, and what stands for 1: integers that are linear in homogeneous coordinates."""
        return self._values[number].scaled(node)

    def turn(self, p: int, q: int, r: int) -> int:
        return turn(self.points[p], self.points[q], self.points[r])

    def position(self, number: int) -> Point:
        *point, w = self.points[number]
        return tuple(Fraction(c, w) for c in point)

    def fractions(self, number: int, node: int) -> tuple[Fraction, ...]:
        return tuple(self._values[number](node))


def on_segment(p: Point, q: Point, a: Fraction, b: Fraction) -> Point:
    """Where an affine function that is a at p and b at q is zero."""
    t = a / (a - b)
    return tuple(x + t * (y - x) for x, y in zip(p, q, strict=True))


def split(polygon: list[Any], values: list[Any], between: Callable[..., Any] = on_segment) -> tuple[list[Any], list[Any]]:
    """The parts of a convex polygon (or interval) where an affine function is >= 0 and <= 0."""
    above, below = [], []
    n = len(polygon)
    pairs = [(i, (i + 1) % n) for i in range(n)] if n > 2 else [(0, 1), (1, 1)]
    for i, j in pairs:
        p, q, a, b = polygon[i], polygon[j], values[i], values[j]
        above += [p] if a >= 0 else []
        below += [p] if a <= 0 else []
        if a < 0 < b or b < 0 < a:
            crossing = between(p, q, a, b)
            above.append(crossing)
            below.append(crossing)
    return above, below


def cells(network: Any, chart: Any, window: Any) -> list[ReferenceCell]:
    """All cells of a network over a window (an interval or a convex polygon) of a chart (rows: directions, then origin)."""
    corners = Corners(network, chart)
    start = [corners.number(homogeneous(p)) for p in exactly(window)]
    found: list[tuple[list[int], tuple[int, ...]]] = [(start, ())]
    for index in network.layers:
        node = network.nodes[index]
        following: dict[tuple[int, ...], list[list[int]]] = {}
        cutting = forms(node.op, network.nodes[node.inputs[0]].size)
        for polygon, pattern in found:
            for part, states in _cut(node.op, cutting, polygon, corners, node.inputs[0]):
                following.setdefault((*pattern, *states), []).append(part)
        found = [(_unite(parts, corners), pattern) for pattern, parts in following.items()]
    last = len(network.nodes) - 1
    return [
        ReferenceCell(tuple(corners.position(n) for n in p), pattern, tuple(corners.fractions(n, last) for n in p))
        for p, pattern in found
    ]


def _cut(op: Any, cutting: list[Any], polygon: list[int], corners: Corners, node: int) -> list[tuple[list[int], tuple[int, ...]]]:
    """A polygon cut by every unit of a fold, with the states of the units on each part."""
    parts = [polygon]
    for form in cutting:
        pieces: list[list[int]] = []
        for part in parts:
            values = [form(*corners.at(n, node)) for n in part]
            if min(values) < 0 < max(values):
                pieces += split(part, values, corners.between)
            else:
                pieces.append(part)
        parts = pieces
    return [(part, states_at(op, *_inside(corners, part, node))) for part in parts]


def _inside(corners: Corners, part: list[int], node: int) -> tuple[list[int], int]:
    """The value of a node inside a part, on which it is affine: the sum of homogeneous coordinates is a point inside."""
    xs, ones = zip(*(corners.at(n, node) for n in part), strict=True)
    return [sum(x) for x in zip(*xs, strict=True)], sum(ones)


def forms(op: Any, size: int) -> list[Any]:
    """What cuts: functions of the values and of what stands for 1 there; clips are multiplied by a denominator."""
    if op.kind == "rectifier":
        return [lambda x, one=1, k=k: x[k] for k in range(size)]
    if op.kind == "clip":
        limits = [float(c).as_integer_ratio() for c in (op.low, op.high)]
        return [lambda x, one=1, k=k, n=n, d=d: d * x[k] - n * one for k in range(size) for n, d in limits]
    return [lambda x, one=1, i=i, j=j: x[i] - x[j] for g in _groups(op) for a, i in enumerate(g) for j in g[:a]]


def states_at(op: Any, x: Any, one: int = 1) -> tuple[int, ...]:
    """States at an interior point: a form that is zero there is zero on the whole part."""
    if op.kind == "rectifier":
        return tuple(int(v > 0) for v in x)
    if op.kind == "clip":
        low, high = Fraction(op.low) * one, Fraction(op.high) * one
        return tuple(0 if v <= low else 2 if v >= high else 1 for v in x)
    return tuple(max(range(len(g)), key=lambda i, g=g: (x[g[i]], -i)) for g in _groups(op))  # type: ignore[misc]


def _groups(op: Any) -> list[list[int]]:
    return [[int(i) for i in g if i >= 0] for g in op.groups.reshape(-1, op.groups.shape[-1]).tolist()]


def _unite(parts: list[list[int]], corners: Corners) -> list[int]:
    """The convex hull of parts whose union is convex, without points inside its sides."""
    if len(parts) == 1 and len(parts[0]) > 2:
        (part,) = parts
        return [
            n for n, before, after in zip(part, part[-1:] + part, part[1:] + part, strict=False) if corners.turn(before, n, after)
        ]
    points = sorted({n for part in parts for n in part}, key=corners.position)
    if len(corners.points[0]) == 2:
        return [points[0], points[-1]]

    def half(ordered: list[int]) -> list[int]:
        hull: list[int] = []
        for n in ordered:
            while len(hull) > 1 and corners.turn(hull[-2], hull[-1], n) <= 0:
                hull.pop()
            hull.append(n)
        return hull[:-1]

    return half(points) + half(points[::-1])


def homogeneous(point: Point) -> Homogeneous:
    w = lcm(*(c.denominator for c in point))
    return (*(c.numerator * (w // c.denominator) for c in point), w)


def turn(p: Homogeneous, q: Homogeneous, r: Homogeneous) -> int:
    """Positive if p, q, r turn left: their determinant."""
    (a, b, c), (d, e, f), (g, h, i) = p, q, r
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


def area(corners: Any) -> Fraction:
    """Area of a polygon, or length of an interval."""
    if len(corners[0]) == 1:
        return Fraction(corners[-1][0] - corners[0][0])
    return sum((p[0] * q[1] - q[0] * p[1] for p, q in zip(corners, (*corners[1:], corners[0]), strict=True)), Fraction(0)) / 2


def affine_map(cell: ReferenceCell) -> tuple[tuple[Fraction, ...], ...]:
    """The coefficients of the network on the cell: for each output (slopes..., constant) in parameters."""
    corners = [homogeneous(p) for p in (cell.corners if len(cell.corners) == 2 else cell.corners[:3])]
    duals: list[Homogeneous]
    if len(corners) == 2:
        (a, b), (c, d) = corners
        duals, det = [(d, -c), (-b, a)], a * d - b * c
    else:
        p, q, r = corners
        duals, det = [_cross(q, r), _cross(r, p), _cross(p, q)], turn(p, q, r)
    rows = []
    for ys in zip(*cell.outputs[: len(corners)], strict=True):
        common = lcm(*(y.denominator for y in ys))
        weights = [y.numerator * (common // y.denominator) * point[-1] for y, point in zip(ys, corners, strict=True)]
        rows.append(
            tuple(Fraction(sum(w * d for w, d in zip(weights, e, strict=True)), det * common) for e in zip(*duals, strict=True))
        )
    return tuple(rows)


def _cross(p: Homogeneous, q: Homogeneous) -> Homogeneous:
    """The form that is zero at p and q, and det(p, q, r) at r."""
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


def count_regions(found: list[ReferenceCell]) -> int:
    """Connected unions of cells with one affine map: cells that share a piece of an edge are neighbors."""
    parent = list(range(len(found)))

    def find(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    maps = [c.map for c in found]
    for i, a in enumerate(found):
        for j in range(i):
            if maps[i] == maps[j] and find(i) != find(j) and _touch(a, found[j]):
                parent[find(i)] = find(j)
    return sum(parent[i] == i for i in range(len(found)))


def _touch(a: ReferenceCell, b: ReferenceCell) -> bool:
    """Whether two cells share a piece of a side (in one dimension: an end)."""
    if len(a.corners[0]) == 1:
        return a.corners[-1] == b.corners[0] or b.corners[-1] == a.corners[0]
    if len(set(a.corners) & set(b.corners)) > 1:
        return True
    sides_a, sides_b = ([(p, q, homogeneous(p), homogeneous(q)) for p, q in _sides(c)] for c in (a, b))
    for p, q, hp, hq in sides_a:
        for r, s, hr, hs in sides_b:
            if turn(hp, hq, hr) == 0 and turn(hp, hq, hs) == 0:
                axis = 0 if p[0] != q[0] else 1
                low = max(min(p[axis], q[axis]), min(r[axis], s[axis]))
                high = min(max(p[axis], q[axis]), max(r[axis], s[axis]))
                if low < high:
                    return True
    return False


def _sides(cell: ReferenceCell) -> list[tuple[Point, Point]]:
    return list(zip(cell.corners, (*cell.corners[1:], cell.corners[0]), strict=True))
