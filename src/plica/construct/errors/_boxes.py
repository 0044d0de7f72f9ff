r"""Errors by branch and bound on boxes: no complex, any number of dimensions.

On a box every tensor of the network is enclosed by an affine function of the inputs and a radius,
:math:`c + G \varepsilon \pm \rho` with :math:`\varepsilon \in [-1, 1]^d` (``_forms``). In the plane, where the target is affine
on a box, what bisection leaves open is decided by cases of signs (``_signs``): kinks that cancel never leave a small radius.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.construct.errors._enclosure import ErrorEnclosure
from plica.construct.errors._forms import EPS, UNDERFLOW, propagate
from plica.construct.errors._signs import upper_by_signs
from plica.construct.targets._intervals import Interval, ceil_float
from plica.construct.targets._targets import Smooth
from plica.geometry import Box
from plica.network import Network

METHOD = "branch and bound on boxes in affine arithmetic"
CHUNK_ENTRIES = 2**22
PROBES = 256  # centers of the boxes with the largest bounds at which the deviation is evaluated, each round
BEFORE_SIGNS = 64  # boxes that bisection looks at before cases of signs are tried
MAX_CASES = 64  # of one box; more are fewer on its halves
PARTS_FOR_A_CASE = 64  # what a case takes, in boxes of bisection


@dataclass(eq=False)
class Bounds:
    """What is known about the deviation e on boxes: at the center, its linear part, and what is left."""

    middle: Interval
    linear: Array
    rest: Array

    def upper(self) -> Array:
        """Upper bounds of |e|."""
        return (Interval.of(self.middle.magnitude()) + Interval.of(self.linear) + Interval.of(self.rest)).high


def deviation(network: Network, goal: Smooth, center: Array, radius: Array) -> Bounds:
    """Bounds of target minus network on boxes."""
    n, d = center.shape
    form = propagate(network, center, radius)
    value, slope, rest = form.center.reshape(n), form.generators.reshape(n, d), form.radius.reshape(n)
    points = [Interval.of(center[:, a]) for a in range(d)]
    box = [Interval.around(center[:, a], radius[:, a]) for a in range(d)]
    middle = goal.enclose(points) - Interval.of(value)
    linear = Interval.of(np.zeros(n))
    for a in range(d):
        linear = linear + Interval.of((goal.first(points, a) * radius[:, a] - slope[:, a]).magnitude())
    bend = _bend(goal, box, radius)
    smooth_rest = (bend + Interval.of(rest)).high
    # without second derivatives: the range of the target on the box, and the network's own slopes
    spread = (goal.enclose(box) - goal.enclose(points)).magnitude()
    crude = np.abs(slope).sum(1) * (1 + EPS * d)
    crude_rest = (Interval.of(spread) + Interval.of(rest)).high
    better = ~(linear.high + smooth_rest <= crude + crude_rest)
    return Bounds(middle, np.where(better, crude, linear.high), np.where(better, crude_rest, smooth_rest))


def _bend(goal: Smooth, box: list[Interval], radius: Array) -> Interval:
    """How far the target may be from its tangent plane at the center."""
    bend = Interval.of(np.zeros(len(radius)))
    for a in range(radius.shape[1]):
        for b in range(radius.shape[1]):
            bend = bend + Interval.of(goal.second(box, a, b).magnitude()) * radius[:, a] * radius[:, b] * 0.5
    return bend


def box_error(
    network: Network,
    goal: Smooth,
    domain: Box,
    *,
    norm: str,
    tolerance: float,
    max_parts: int,
    enough: float | None = None,
) -> ErrorEnclosure:
    """An enclosure of the error over a box; with ``enough``, bisection stops where the error is known to be at most that."""
    center = domain.low / 2 + domain.high / 2
    ends = zip(center.tolist(), domain.low.tolist(), domain.high.tolist(), strict=True)
    radius = np.array([ceil_float(max(Fraction(high) - Fraction(c), Fraction(c) - Fraction(low))) for c, low, high in ends])
    run = _largest if norm == "sup" else _mean
    return run(network, goal, center[None], radius[None], tolerance, max_parts, enough)


def _in_chunks(network: Network, goal: Smooth, center: Array, radius: Array) -> Bounds:
    """Bounds on many boxes, a few at a time."""
    width = max(node.size for node in network.nodes) * (center.shape[1] + 3)
    step = max(1, CHUNK_ENTRIES // width)
    parts = [deviation(network, goal, center[i : i + step], radius[i : i + step]) for i in range(0, len(center), step)]
    middle = Interval(np.concatenate([p.middle.low for p in parts]), np.concatenate([p.middle.high for p in parts]))
    return Bounds(middle, np.concatenate([p.linear for p in parts]), np.concatenate([p.rest for p in parts]))


def _split(center: Array, radius: Array) -> tuple[Array, Array]:
    """Both halves of each box, cut across its longest side."""
    rows, axis = np.arange(len(center)), radius.argmax(1)
    half = radius[rows, axis] / 2
    halves = []
    for sign in (-1.0, 1.0):
        moved, smaller = center.copy(), radius.copy()
        old = center[rows, axis]
        moved[rows, axis] = new = old + sign * half
        went = new - old
        is_exact = (old - (new - went)) + (sign * half - went) == 0  # what the sum lost
        smaller[rows, axis] = np.where(is_exact, half, np.nextafter(half + EPS * np.abs(new), np.inf))  # nothing is left between
        halves.append((moved, smaller))
    return np.concatenate([h[0] for h in halves]), np.concatenate([h[1] for h in halves])


def _at_points(network: Network, goal: Smooth, center: Array) -> Array:
    """Lower bounds of |e| at points."""
    zero = np.zeros_like(center)
    b = _in_chunks(network, goal, center, zero)
    return np.maximum(b.middle.mignitude() - b.rest, 0.0)


def _largest(
    network: Network, goal: Smooth, center: Array, radius: Array, tolerance: float, max_parts: int, enough: float | None
) -> ErrorEnclosure:
    attained, aside, n_parts, n_cases, where = 0.0, 0.0, 0, 0, tuple(center[0].tolist())
    while True:
        upper = _in_chunks(network, goal, center, radius).upper()
        tried = center[np.argsort(-upper, kind="stable")[:PROBES]]
        at = _at_points(network, goal, tried)
        n_parts += len(center)
        if at.max() > attained:
            attained, where = float(at.max()), tuple(tried[int(at.argmax())].tolist())
        limit = max(attained * (1 + tolerance), enough or 0.0)
        open_ = upper > limit
        if enough is not None and center.shape[1] == 2 and n_parts > BEFORE_SIGNS and attained <= enough:
            most = max_parts // PARTS_FOR_A_CASE - n_cases
            n_new, at_signs, where_signs = _by_signs(network, goal, center, radius, upper, open_, enough, most)
            n_cases += n_new
            if at_signs > attained:
                attained, where = at_signs, where_signs
            open_ = upper > max(limit, attained)
        aside = max(aside, float(upper[~open_].max(initial=0.0)))
        hopeless = enough is not None and attained > enough
        if not open_.any() or n_parts + 2 * int(open_.sum()) > max_parts or hopeless:
            return ErrorEnclosure(attained, max(aside, float(upper.max())), "sup", METHOD, 0, n_parts + n_cases, where)
        center, radius = _split(center[open_], radius[open_])


def _by_signs(
    network: Network, goal: Smooth, center: Array, radius: Array, upper: Array, open_: Array, enough: float, most: int
) -> tuple[int, float, tuple[float, ...]]:
    """Lower the bounds of open boxes where the target is affine; the number of cases, and an error that was met, with where."""
    n_cases, attained = 0, 0.0
    where: tuple[float, ...] = ()
    for i in np.flatnonzero(open_):
        if n_cases >= most or attained > enough:
            break
        points, box = (
            [Interval.of(c) for c in center[i]],
            [Interval.around(c, r) for c, r in zip(center[i], radius[i], strict=True)],
        )
        bend = float(_bend(goal, [b[None] for b in box], radius[i : i + 1]).high[0])
        if not bend <= UNDERFLOW:
            continue
        value, slopes = goal.enclose(points), [goal.first(points, a) * radius[i, a] for a in range(2)]
        rest = sum(float(x.width()) for x in (value, *slopes)) * (1 + 4 * EPS) + bend
        plane = float(value.middle()), np.array([float(s.middle()) for s in slopes]), rest
        outcome = upper_by_signs(network, plane, center[i], radius[i], enough, MAX_CASES)
        n_cases, upper[i] = n_cases + outcome.n_cases, min(upper[i], outcome.upper)
        if outcome.points:
            tried = np.array(outcome.points)
            at = _at_points(network, goal, tried)
            if at.max() > attained:
                attained, where = float(at.max()), tuple(tried[int(at.argmax())].tolist())
    return n_cases, attained, where


def _mean(
    network: Network, goal: Smooth, center: Array, radius: Array, tolerance: float, max_parts: int, enough: float | None
) -> ErrorEnclosure:
    n_parts, done_low, done_high = 0, 0.0, 0.0
    while True:
        b = _in_chunks(network, goal, center, radius)
        n_parts += len(center)
        volume = np.prod(2 * radius, axis=1) * (1 + EPS * center.shape[1])
        certain = b.middle.mignitude() > (b.linear + b.rest) * (1 + 4 * EPS)
        shared = 4 * EPS * np.abs(center).max(1) / np.maximum(radius.min(1), UNDERFLOW) * center.shape[1]  # where halves overlap
        low = np.maximum(b.middle.mignitude() - b.rest, 0.0) * volume * np.maximum(1 - 64 * EPS - shared, 0.0)
        # the mean of |linear part| is at most half its bound; it averages to zero where the sign is certain
        high = (b.middle.magnitude() + np.where(certain, 0.0, b.linear / 2) + b.rest) * volume * (1 + 64 * EPS)
        total_low, total_high = done_low + float(low.sum()), done_high + float(high.sum())
        slack = EPS * (n_parts + 8)
        gap = high - low
        limit = max(tolerance * total_low, UNDERFLOW)
        open_ = gap > limit / (2 * len(center))
        decided = enough is not None and (total_high * (1 + slack) <= enough or total_low * (1 - slack) > enough)
        finished = decided or total_high - total_low <= limit
        if finished or not open_.any() or n_parts + 2 * int(open_.sum()) > max_parts:
            return ErrorEnclosure(total_low * (1 - slack), total_high * (1 + slack), "L1", METHOD, 0, n_parts)
        done_low, done_high = done_low + float(low[~open_].sum()), done_high + float(high[~open_].sum())
        center, radius = _split(center[open_], radius[open_])
