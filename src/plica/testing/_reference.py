"""The same answers, slowly and plainly: polygons cut one by one in fractions. The oracle of the tests.

It shares nothing with the engine but the definition of a network: every number is a :class:`fractions.Fraction`, every polygon is
a list of points, every unit cuts every polygon, and the network is evaluated point by point. Read it in one sitting.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica.exact import exactly
from plica.testing._pointwise import PointValues, Pointwise

Point = tuple[Fraction, ...]


@dataclass(frozen=True)
class ReferenceCell:
    """A convex cell: its corners in parameters, its pattern, the network's output at the corners."""

    corners: tuple[Point, ...]
    pattern: tuple[int, ...]
    outputs: tuple[tuple[Fraction, ...], ...]


def split(polygon: list[Point], values: list[Fraction]) -> tuple[list[Point], list[Point]]:
    """The parts of a convex polygon (or interval) where an affine function is >= 0 and <= 0."""
    above, below = [], []
    n = len(polygon)
    pairs = [(i, (i + 1) % n) for i in range(n)] if len(polygon[0]) == 2 else [(0, 1), (1, 1)]
    for i, j in pairs:
        p, q, a, b = polygon[i], polygon[j], values[i], values[j]
        above += [p] if a >= 0 else []
        below += [p] if a <= 0 else []
        if a * b < 0:
            t = a / (a - b)
            crossing = tuple(x + t * (y - x) for x, y in zip(p, q, strict=True))
            above.append(crossing)
            below.append(crossing)
    return above, below


def cells(network: Any, chart: Any, window: Any) -> list[ReferenceCell]:
    """All cells of a network over a window (an interval or a convex polygon) of a chart (rows: directions, then origin)."""
    columns = exactly(chart) if np.asarray(chart).dtype != object else chart

    exact, known = Pointwise(network), dict[Point, PointValues]()

    def at(point: Point, node: int) -> Any:
        if point not in known:
            known[point] = exact.at(sum(c * columns[i] for i, c in enumerate((*point, Fraction(1)))))
        return known[point](node)

    found: list[tuple[list[Point], tuple[int, ...]]] = [([tuple(p) for p in exactly(window)], ())]
    for index in network.layers:
        node = network.nodes[index]
        following: dict[tuple[int, ...], list[list[Point]]] = {}
        for polygon, pattern in found:
            for part, states in _cut(node.op, polygon, lambda p, i=node.inputs[0]: at(p, i)):  # type: ignore[misc]
                following.setdefault((*pattern, *states), []).append(part)
        found = [(_unite(parts), pattern) for pattern, parts in following.items()]
    last = len(network.nodes) - 1
    return [ReferenceCell(tuple(p), pattern, tuple(tuple(at(c, last)) for c in p)) for p, pattern in found]


def _cut(op: Any, polygon: list[Point], at: Any) -> list[tuple[list[Point], tuple[int, ...]]]:
    """A polygon cut by every unit of a fold, with the states of the units on each part."""
    parts = [polygon]
    for form in forms(op, len(at(polygon[0]))):
        pieces: list[list[Point]] = []
        for part in parts:
            values = [form(at(p)) for p in part]
            if min(values) < 0 < max(values):
                pieces += split(part, values)
            else:
                pieces.append(part)
        parts = pieces
    return [(part, states_at(op, at(_center(part)))) for part in parts]


def forms(op: Any, size: int) -> list[Any]:
    if op.kind == "rectifier":
        return [lambda x, k=k: x[k] for k in range(size)]
    if op.kind == "clip":
        return [lambda x, k=k, c=c: x[k] - Fraction(c) for k in range(size) for c in (op.low, op.high)]
    groups = [[int(i) for i in g if i >= 0] for g in op.groups.reshape(-1, op.groups.shape[-1])]
    return [lambda x, i=i, j=j: x[i] - x[j] for g in groups for a, i in enumerate(g) for j in g[:a]]


def states_at(op: Any, x: Any) -> tuple[int, ...]:
    """States at an interior point: a form that is zero there is zero on the whole part."""
    if op.kind == "rectifier":
        return tuple(int(v > 0) for v in x)
    if op.kind == "clip":
        return tuple(0 if v <= Fraction(op.low) else 2 if v >= Fraction(op.high) else 1 for v in x)
    groups = [[int(i) for i in g if i >= 0] for g in op.groups.reshape(-1, op.groups.shape[-1])]
    return tuple(max(range(len(g)), key=lambda i, g=g: (x[g[i]], -i)) for g in groups)  # type: ignore[misc]


def _center(polygon: list[Point]) -> Point:
    return tuple(sum(c) / len(polygon) for c in zip(*polygon, strict=True))


def _unite(parts: list[list[Point]]) -> list[Point]:
    """The convex hull of parts whose union is convex, without points inside its sides."""
    points = sorted({p for part in parts for p in part})
    if len(points[0]) == 1:
        return [points[0], points[-1]]

    def half(ordered: list[Point]) -> list[Point]:
        hull: list[Point] = []
        for p in ordered:
            while len(hull) > 1 and _turn(hull[-2], hull[-1], p) <= 0:
                hull.pop()
            hull.append(p)
        return hull[:-1]

    return half(points) + half(points[::-1])


def _turn(p: Point, q: Point, r: Point) -> Fraction:
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def area(corners: Any) -> Fraction:
    """Area of a polygon, or length of an interval."""
    if len(corners[0]) == 1:
        return Fraction(corners[-1][0] - corners[0][0])
    return sum((p[0] * q[1] - q[0] * p[1] for p, q in zip(corners, (*corners[1:], corners[0]), strict=True)), Fraction(0)) / 2


def affine_map(cell: ReferenceCell) -> tuple[tuple[Fraction, ...], ...]:
    """The coefficients of the network on the cell: for each output (slopes..., constant) in parameters."""
    p = cell.corners
    if len(p[0]) == 1:
        (x0,), (x1,) = p[0], p[-1]
        slopes = [(b - a) / (x1 - x0) for a, b in zip(cell.outputs[0], cell.outputs[-1], strict=True)]
        return tuple((s, y - s * x0) for s, y in zip(slopes, cell.outputs[0], strict=True))
    i, j, k = 0, 1, 2
    (ax, ay), (bx, by) = ((p[n][0] - p[i][0], p[n][1] - p[i][1]) for n in (j, k))
    det = ax * by - ay * bx
    rows = []
    for y0, y1, y2 in zip(cell.outputs[i], cell.outputs[j], cell.outputs[k], strict=True):
        u = ((y1 - y0) * by - (y2 - y0) * ay) / det
        v = ((y2 - y0) * ax - (y1 - y0) * bx) / det
        rows.append((u, v, y0 - u * p[i][0] - v * p[i][1]))
    return tuple(rows)


def count_regions(found: list[ReferenceCell]) -> int:
    """Connected unions of cells with one affine map: cells that share a piece of an edge are neighbors."""
    parent = list(range(len(found)))

    def find(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    maps = [affine_map(c) for c in found]
    for i, a in enumerate(found):
        for j in range(i):
            if maps[i] == maps[j] and _touch(a, found[j]):
                parent[find(i)] = find(j)
    return sum(parent[i] == i for i in range(len(found)))


def _touch(a: ReferenceCell, b: ReferenceCell) -> bool:
    """Whether two cells share a piece of a side (in one dimension: an end)."""
    if len(a.corners[0]) == 1:
        return a.corners[-1] == b.corners[0] or b.corners[-1] == a.corners[0]
    sides_a = list(zip(a.corners, (*a.corners[1:], a.corners[0]), strict=True))
    sides_b = list(zip(b.corners, (*b.corners[1:], b.corners[0]), strict=True))
    for p, q in sides_a:
        for r, s in sides_b:
            if _turn(p, q, r) == 0 and _turn(p, q, s) == 0:
                axis = 0 if p[0] != q[0] else 1
                low = max(min(p[axis], q[axis]), min(r[axis], s[axis]))
                high = min(max(p[axis], q[axis]), max(r[axis], s[axis]))
                if low < high:
                    return True
    return False
