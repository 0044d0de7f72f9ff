"""Errors in rationals: targets of degree two on the exact cells of a line or a plane, nothing rounded."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from plica.construct.errors._enclosure import ErrorEnclosure
from plica.construct.targets._targets import PiecewisePolynomial, Polynomial
from plica.geometry import Complex

Point = tuple[Fraction, ...]
HALF = Fraction(1, 2)


def rational_error(
    cx: Complex, target: Polynomial | PiecewisePolynomial, *, norm: str, stretch: Fraction | int
) -> ErrorEnclosure:
    """The exact error over a complex, in its parameters."""
    if norm == "L1":
        value = stretch * sum(_integrals(cx, target), Fraction(0))
        return ErrorEnclosure(value, value, norm, "rationals on every cell", cx.n_cells, cx.n_cells)
    value, where, n = Fraction(0), None, 0
    for deviation, point in _line_extremes(cx, target) if cx.dimension == 1 else _plane_extremes(cx, _one(target)):
        n += 1
        if where is None or abs(deviation) > value:
            value, where = abs(deviation), point
    assert where is not None
    return ErrorEnclosure(value, value, norm, "rationals on every cell", cx.n_cells, n, tuple(float(c) for c in where))


def _one(target: Polynomial | PiecewisePolynomial) -> Polynomial:
    assert isinstance(target, Polynomial)
    return target


def exact_outputs(cx: Complex) -> tuple[list[Point], list[Fraction]]:
    """The vertices and the network at them, as fractions."""
    points = [cx.exact_vertex(v) for v in range(cx.n_vertices)]
    values: list[Fraction | None] = [None] * len(points)
    for cell in range(cx.n_cells):
        corners = [int(v) for v in cx.vertices_of(cell)]
        if any(values[v] is None for v in corners):
            columns = [Fraction(int(c)) * Fraction(2) ** m.exponent for m in [cx.exact_map(cell)] for c in m.integers[:, 0]]
            for v in corners:
                if values[v] is None:
                    values[v] = sum((a * u for a, u in zip(columns, points[v], strict=False)), columns[-1])
    return points, [v for v in values if v is not None]


def _line_pieces(cx: Complex, target: Polynomial | PiecewisePolynomial) -> Iterator[tuple[Fraction, Fraction, Polynomial]]:
    """Intervals on which the deviation is one polynomial, with that polynomial (target minus network)."""
    points, values = exact_outputs(cx)
    for i, ((a,), (b,)) in enumerate(pairwise(points)):
        slope = (values[i + 1] - values[i]) / (b - a)
        network = Polynomial([values[i] - slope * a, slope])
        if isinstance(target, Polynomial):
            yield a, b, target - network
            continue
        cuts = [a, *(k for k in target.knots[1:-1] if a < k < b), b]
        for left, right in pairwise(cuts):
            yield left, right, target.pieces[target.index((left + right) / 2)] - network


def _line_extremes(cx: Complex, target: Polynomial | PiecewisePolynomial) -> Iterator[tuple[Fraction, Point]]:
    for a, b, e in _line_pieces(cx, target):
        candidates = [a, b]
        bend, slope = e.coefficients.get((2,), Fraction(0)), e.coefficients.get((1,), Fraction(0))
        if bend and a < -slope / (2 * bend) < b:
            candidates.append(-slope / (2 * bend))
        for x in candidates:
            yield e.exact([x]), (x,)


def _plane_extremes(cx: Complex, target: Polynomial) -> Iterator[tuple[Fraction, Point]]:
    """Deviations at vertices, at the extreme of every edge and, where the target is definite, inside every cell."""
    points, network = exact_outputs(cx)
    deviation = [target.exact(p) - y for p, y in zip(points, network, strict=True)]
    yield from zip(deviation, points, strict=True)
    c = target.coefficients
    a, b, m = c.get((2, 0), Fraction(0)), c.get((0, 2), Fraction(0)), c.get((1, 1), Fraction(0)) / 2
    for i, j in cx.facet_vertices.reshape(-1, 2).tolist():
        dx, dy = points[j][0] - points[i][0], points[j][1] - points[i][1]
        bend = a * dx * dx + 2 * m * dx * dy + b * dy * dy
        slope = deviation[j] - deviation[i] - bend
        if bend and 0 < -slope / (2 * bend) < 1:
            t = -slope / (2 * bend)
            yield deviation[i] + t * (slope + t * bend), (points[i][0] + t * dx, points[i][1] + t * dy)
    determinant = a * b - m * m
    if determinant <= 0:  # no strict extreme inside a cell: what is attained there is attained on its edges
        return
    for cell in range(cx.n_cells):
        corners = [points[int(v)] for v in cx.vertices_of(cell)]
        g = cx.exact_map(cell)
        p, q, r = (int(v) * Fraction(2) ** g.exponent for v in g.integers[:, 0])
        s, t = (p - c.get((1, 0), Fraction(0))) / 2, (q - c.get((0, 1), Fraction(0))) / 2
        x, y = (b * s - m * t) / determinant, (a * t - m * s) / determinant
        if all((v[0] - u[0]) * (y - u[1]) >= (v[1] - u[1]) * (x - u[0]) for u, v in _cycle(corners)):
            yield target.exact((x, y)) - p * x - q * y - r, (x, y)


def _cycle(corners: list[Point]) -> Iterator[tuple[Point, Point]]:
    return zip(corners, corners[1:] + corners[:1], strict=True)


def _integrals(cx: Complex, target: Polynomial | PiecewisePolynomial) -> Iterator[Fraction]:
    """The integral of the absolute deviation over each cell, for targets of degree one."""
    if cx.dimension == 1:
        for a, b, e in _line_pieces(cx, target):
            left, right = e.exact([a]), e.exact([b])
            if left * right >= 0:
                yield (b - a) * abs(left + right) / 2
            else:
                yield (b - a) * (left * left + right * right) / (2 * (abs(left) + abs(right)))
        return
    points, network = exact_outputs(cx)
    polynomial = _one(target)
    deviation = [polynomial.exact(p) - y for p, y in zip(points, network, strict=True)]
    for cell in range(cx.n_cells):
        corners = [(points[int(v)], deviation[int(v)]) for v in cx.vertices_of(cell)]
        for sign in (1, -1):
            yield _volume_above([(p, sign * e) for p, e in corners])


def _volume_above(corners: list[tuple[Point, Fraction]]) -> Fraction:
    """The integral of max(e, 0) for an affine e given at the corners of a convex polygon."""
    kept: list[tuple[Point, Fraction]] = []
    for (p, e), (q, g) in zip(corners, corners[1:] + corners[:1], strict=True):
        if e >= 0:
            kept.append((p, e))
        if e * g < 0:
            t = e / (e - g)
            kept.append(((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])), Fraction(0)))
    total = Fraction(0)
    for i in range(1, len(kept) - 1):
        (o, e0), (p, e1), (q, e2) = kept[0], kept[i], kept[i + 1]
        area = ((p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])) * HALF
        total += area * (e0 + e1 + e2) / 3
    return total
