r"""Errors in outward-rounded intervals: the cells of the exact complex as simplices, bisected until the enclosure is narrow.

The deviation e = g - f of a smooth target g from a network f that is affine on a simplex with corners v_i differs from the linear
interpolant of its values e(v_i) by at most

.. math:: \frac 1 8 \sum_{a, b} \sup |\partial_a \partial_b g| \, w_a w_b

where w are the widths of the simplex: the second-order terms at the corners are averaged with weights :math:`\lambda_i`, and
:math:`\sum_i \lambda_i |x - v_i|_a |x - v_i|_b \le w_a w_b / 4` because a variance on an interval of width w is at most w^2 / 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct.errors._enclosure import ErrorEnclosure
from plica.construct.targets._intervals import Interval, ceil_float, floor_float
from plica.construct.targets._targets import PiecewisePolynomial, Smooth, SmoothPolynomial, Target, smooth
from plica.geometry import Complex, Domain

KNOWN = 2.0**-44  # positions and outputs known less well than this are computed in rationals
METHOD = "outward-rounded intervals on every cell"


@dataclass(eq=False)
class Simplices:
    """Corners (n, d + 1, d), the network at them and the target at them (n, d + 1)."""

    corners: Interval
    network: Interval
    target: Interval

    def __len__(self) -> int:
        return len(self.network.low)

    def __getitem__(self, key: Any) -> Simplices:
        return Simplices(self.corners[key], self.network[key], self.target[key])

    @property
    def deviation(self) -> Interval:
        return self.target - self.network


def _joined(parts: list[Interval]) -> Interval:
    return Interval(np.concatenate([p.low for p in parts]), np.concatenate([p.high for p in parts]))


def cell_error(
    cx: Complex, target: Target, *, norm: str, stretch: Fraction | int, tolerance: float, max_parts: int
) -> ErrorEnclosure:
    """An enclosure of the error over a complex of dimension one or two, in its parameters."""
    groups = _groups(cx, target, tolerance)
    if norm == "L1":
        means = [_mean(s, g, tolerance, max_parts) for g, s in groups]
        low, high = Interval.of(0.0), Interval.of(0.0)
        for part_low, part_high, _ in means:
            low, high = low + part_low * Fraction(stretch), high + part_high * Fraction(stretch)
        return ErrorEnclosure(float(low.low), float(high.high), norm, METHOD, cx.n_cells, sum(n for _, _, n in means))
    results = [_largest(s, g, tolerance, max_parts) for g, s in groups]
    best = max(results, key=lambda r: r[0])
    n_parts = sum(r[2] for r in results)
    return ErrorEnclosure(best[0], max(r[1] for r in results), norm, METHOD, cx.n_cells, n_parts, best[3])


# -- cells to simplices ------------------------------------------------------------------------------------------------------


def vertex_enclosures(cx: Complex, target: Target, tolerance: float) -> tuple[Interval, Interval]:
    """Parameters (V, d) of the vertices and the network at them (V,), with what the engine knows about their rounding."""
    parameters, outputs = cx.bounded_vertices(), cx.bounded_outputs()
    points = Interval.around(parameters.values, parameters.error[:, None])
    values = Interval.around(outputs.values[:, 0], outputs.error)
    assert isinstance(cx.domain, Domain)
    size = np.abs(np.ptp(cx.domain.window, axis=0)).max()
    scale = max(float(np.abs(values.middle()[np.isfinite(values.middle())]).max(initial=0.0)), 1e-300)
    rough = float(np.nan_to_num(np.abs(np.asarray(target(points.middle())) - values.middle())).max(initial=0.0))
    enough = max(KNOWN * scale, tolerance * rough / 16)
    vague = (points.width().max(axis=1) > max(KNOWN, tolerance / 64) * size) | ~(values.width() <= enough)
    if vague.any():
        _sharpen(cx, points, values, np.flatnonzero(vague))
    return points, values


def _sharpen(cx: Complex, points: Interval, values: Interval, chosen: Array) -> None:
    """Replace the vertices that floating point does not know well by the nearest floats around the exact ones."""
    todo = set(chosen.tolist())
    for cell in range(cx.n_cells):
        corners = [int(v) for v in cx.vertices_of(cell) if int(v) in todo]
        if not corners:
            continue
        g = cx.exact_map(cell)
        columns = [int(c) * Fraction(2) ** g.exponent for c in g.integers[:, 0]]
        for v in corners:
            exact = cx.exact_vertex(v)
            value = sum((a * u for a, u in zip(columns, exact, strict=False)), columns[-1])
            points.low[v], points.high[v] = [floor_float(c) for c in exact], [ceil_float(c) for c in exact]
            values.low[v], values.high[v] = floor_float(value), ceil_float(value)
            todo.discard(v)
        if not todo:
            return


def _groups(cx: Complex, target: Target, tolerance: float) -> list[tuple[Smooth, Simplices]]:
    """The simplices of all cells with the smooth function that the target is on them."""
    points, values = vertex_enclosures(cx, target, tolerance)
    if cx.dimension == 1:
        if isinstance(target, PiecewisePolynomial):
            return _between_knots(points, values, target)
        corners = np.stack([np.arange(cx.n_cells), np.arange(1, cx.n_cells + 1)], axis=1)
    else:
        ids, first = cx.cell_vertices, cx.cell_offsets
        sizes = np.diff(first)
        start = np.repeat(first[:-1], sizes - 2)
        step = np.arange(len(start)) - np.repeat(np.cumsum(sizes - 2) - (sizes - 2), sizes - 2)
        corners = np.stack([ids[start], ids[start + step + 1], ids[start + step + 2]], axis=1)
    goal = smooth(target)
    at = _at(goal, points)
    return [(goal, Simplices(points[corners], values[corners], at[corners]))]


def _at(goal: Smooth, points: Interval) -> Interval:
    """The target at rows of points."""
    return goal.enclose([points[..., a] for a in range(points.low.shape[-1])])


def _between_knots(points: Interval, values: Interval, target: PiecewisePolynomial) -> list[tuple[Smooth, Simplices]]:
    """Pieces of a line cut at the knots of the target, by the target's piece."""
    x, y = points[:, 0], values
    groups: list[tuple[Smooth, Simplices]] = []
    for i, piece in enumerate(target.pieces):
        left = -np.inf if i == 0 else target.knots[i]
        right = np.inf if i + 1 == len(target.pieces) else target.knots[i + 1]
        a, b = (Interval.of(v) for v in (left, right))
        cells = np.flatnonzero((x.high[1:] >= a.low) & (x.low[:-1] <= b.high))
        if not len(cells):
            continue
        start, end = x[cells], x[cells + 1]
        from_, to = y[cells], y[cells + 1]
        slope = (to - from_) / (end - start)
        lower = Interval(np.maximum(start.low, a.low), np.maximum(start.high, a.high))
        upper = Interval(np.minimum(end.low, b.low), np.minimum(end.high, b.high))
        cut_low, cut_high = start.high < a.low, end.low > b.high
        v_low, v_high = from_ + slope * (lower - start), from_ + slope * (upper - start)
        v_low = Interval(np.where(cut_low, v_low.low, from_.low), np.where(cut_low, v_low.high, from_.high))
        v_high = Interval(np.where(cut_high, v_high.low, to.low), np.where(cut_high, v_high.high, to.high))
        kept = upper.high > lower.low
        corners = Interval.stack([lower[kept], upper[kept]], 1)[..., None]
        goal = SmoothPolynomial(piece)
        groups.append((goal, Simplices(corners, Interval.stack([v_low[kept], v_high[kept]], 1), _at(goal, corners))))
    return groups


# -- bounds on simplices -----------------------------------------------------------------------------------------------------


def _bend(goal: Smooth, hull: Interval) -> tuple[Array, Array]:
    """How far the deviation may lie above and below the linear interpolant of its corner values."""
    d = hull.low.shape[-1]
    box = [hull[:, a] for a in range(d)]
    widths = [x.width() for x in box]
    if d == 1:
        h = goal.second(box, 0, 0) * widths[0] * widths[0] * 0.125
        return np.maximum(-h.low, 0.0), np.maximum(h.high, 0.0)
    total = Interval.of(np.zeros(len(hull.low)))
    for a in range(d):
        for b in range(d):
            total = total + Interval.of(goal.second(box, a, b).magnitude()) * widths[a] * widths[b] * 0.125
    return total.high, total.high


def _bounds(goal: Smooth, s: Simplices) -> tuple[Array, Array, Array, Array]:
    """Lower and upper bounds of the deviation on each simplex, and the bends above and below."""
    e, hull = s.deviation, s.corners.hull(1)
    above, below = _bend(goal, hull)
    whole = goal.enclose([hull[:, a] for a in range(hull.low.shape[-1])])
    low, high = Interval.of(e.low.min(1)) - below, Interval.of(e.high.max(1)) + above
    crude_low, crude_high = whole - Interval.of(s.network.high.max(1)), whole - Interval.of(s.network.low.min(1))
    return np.fmax(low.low, crude_low.low), np.fmin(high.high, crude_high.high), above, below


def _bisected(goal: Smooth, s: Simplices) -> Simplices:
    """Both halves of every simplex, cut in the middle of its longest edge."""
    n, k = s.network.low.shape
    middle = s.corners.middle()
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    lengths = np.stack([np.abs(middle[:, i] - middle[:, j]).max(-1) for i, j in pairs], axis=1)
    i, j = np.array(pairs)[lengths.argmax(1)].T
    rows = np.arange(n)
    point = (s.corners[rows, i] + s.corners[rows, j]) * 0.5
    value = (s.network[rows, i] + s.network[rows, j]) * 0.5
    at = _at(goal, point)
    halves = []
    for where in (i, j):
        parts = []
        for old, new in ((s.corners, point), (s.network, value), (s.target, at)):
            low, high = old.low.copy(), old.high.copy()
            low[rows, where], high[rows, where] = new.low, new.high
            parts.append(Interval(low, high))
        halves.append(Simplices(*parts))
    return Simplices(*(_joined([getattr(h, name) for h in halves]) for name in ("corners", "network", "target")))


def _largest(s: Simplices, goal: Smooth, tolerance: float, max_parts: int) -> tuple[float, float, int, tuple[float, ...]]:
    """sup |e|: simplices whose upper bound is not above what is attained somewhere are put aside."""
    attained, aside, n_parts = 0.0, 0.0, len(s)
    where: tuple[float, ...] = ()
    while True:
        sizes = s.deviation.mignitude()
        row, corner = np.unravel_index(int(sizes.argmax()), sizes.shape)
        if sizes[row, corner] >= attained:
            attained = float(sizes[row, corner])
            where = tuple(float(c) for c in s.corners.middle()[row, corner])
        low, high, _, _ = _bounds(goal, s)
        upper = np.maximum(np.abs(low), np.abs(high))
        floor = 2.0**-50 * float(s.network.magnitude().max(initial=0.0))  # what rounding alone may leave
        limit = attained * (1 + tolerance) + floor
        open_ = upper > limit
        aside = max(aside, float(upper[~open_].max(initial=0.0)))
        if not open_.any():
            return attained, max(aside, attained), n_parts, where
        n_parts += 2 * int(open_.sum())
        if n_parts > max_parts:
            return attained, max(aside, float(upper.max())), n_parts, where
        s = _bisected(goal, s[open_])


def _mean(s: Simplices, goal: Smooth, tolerance: float, max_parts: int) -> tuple[Interval, Interval, int]:
    """The integral of |e|: exact up to the bend where the sign is certain, between two bounds where it is not."""
    volume = _volumes(s.corners)
    done_low, done_high = Interval.of(0.0), Interval.of(0.0)
    n_parts = len(s)
    while True:
        low, high, above, below = _bounds(goal, s)
        k = s.network.low.shape[1]
        e = s.deviation
        mean = Interval.of(np.zeros(len(s)))
        size = Interval.of(np.zeros(len(s)))
        for i in range(k):
            mean, size = mean + e[:, i], size + e[:, i].absolute()
        average = mean / k + Interval(-below, above)  # within the bounds of the deviation itself
        average = Interval(np.fmax(average.low, low), np.fmin(average.high, high))
        integral = average.absolute() * volume
        certain = (low >= 0) | (high <= 0)
        most = Interval.of(
            np.fmin((size / k + Interval.of(np.maximum(above, below))).high, np.maximum(np.abs(low), np.abs(high)))
        )
        most = Interval.of(np.where(certain, integral.high, (most * volume).high))
        least = np.maximum(integral.low, 0.0)
        gap = np.maximum(most.high - least, 0.0)
        total = float(least.sum() + done_low.low)
        target_gap = max(tolerance * total, 1e-300)
        floor = 2.0**-48 * float(s.network.magnitude().max(initial=0.0)) * volume.high
        open_ = (gap > target_gap / max(len(s), 1) / 2) & (gap > floor)
        if float(gap.sum()) <= target_gap or not open_.any() or n_parts + 2 * int(open_.sum()) > max_parts:
            return done_low + _total(Interval.of(least)), done_high + _total(most), n_parts
        done_low, done_high = done_low + _total(Interval.of(least[~open_])), done_high + _total(most[~open_])
        n_parts += 2 * int(open_.sum())
        s = _bisected(goal, s[open_])
        half = volume[open_] * 0.5
        volume = Interval(np.concatenate([half.low] * 2), np.concatenate([half.high] * 2))


def _total(x: Interval) -> Interval:
    """The sum of many intervals, with the rounding of the sum."""
    slack = 2.0**-52 * max(len(x.low), 1) * float(np.sum(x.magnitude()))
    return Interval(Interval.around(np.sum(x.low), slack).low, Interval.around(np.sum(x.high), slack).high)


def _volumes(corners: Interval) -> Interval:
    """Lengths or areas."""
    edges = [corners[:, i] - corners[:, 0] for i in range(1, corners.low.shape[1])]
    if len(edges) == 1:
        return edges[0][:, 0].absolute()
    (a, b) = edges
    return ((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) * 0.5).absolute()
