r"""Errors by branch and bound on boxes: no complex, any number of dimensions.

On a box every tensor of the network is enclosed by an affine function of the inputs and a radius,
:math:`c + G \varepsilon \pm \rho` with :math:`\varepsilon \in [-1, 1]^d`. Affine operations keep this form; a ReLU whose sign is
not certain on the box is replaced by the line that leaves the least on both sides. Rounding is added to the radius at each step.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.construct.errors._enclosure import ErrorEnclosure
from plica.construct.targets._intervals import Interval, ceil_float
from plica.construct.targets._targets import Smooth
from plica.geometry import Box
from plica.network import Affine, Fold, Network, walk

EPS = 2.0**-52
UNDERFLOW = 1e-300
METHOD = "branch and bound on boxes in affine arithmetic"
CHUNK_ENTRIES = 2**22
PROBES = 256  # centers of the boxes with the largest bounds at which the deviation is evaluated, each round


@dataclass(eq=False)
class Form:
    """Centers (B, *shape), generators (B, d, *shape), radii (B, *shape)."""

    center: Array
    generators: Array
    radius: Array

    def spread(self) -> Array:
        """How far the values may be from the center."""
        return np.abs(self.generators).sum(1) * (1 + EPS * self.generators.shape[1]) + self.radius

    def size(self) -> Array:
        return np.abs(self.center) + self.spread()


def propagate(network: Network, center: Array, radius: Array) -> Form:
    """The output of a network on boxes given by rows of centers and radii."""
    n, d = center.shape
    shape = network.input_shape
    generators = np.zeros((n, d, d))
    generators[:, np.arange(d), np.arange(d)] = radius
    start = Form(center.reshape(n, *shape), generators.reshape(n, d, *shape), np.zeros((n, *shape)))
    (form,) = walk(network, _OnBoxes(), {0: start}).values()
    return form


class _OnBoxes:
    """A semantics, and a calculus in which folds are formulas of rectifiers."""

    def affine(self, index: int, op: Affine, xs: list[Form]) -> Form:
        n, d = xs[0].generators.shape[:2]
        factor = op.coefficients
        center = op.apply([x.center for x in xs])
        rows = [x.generators.reshape(n * d, *x.generators.shape[2:]) for x in xs]
        generators = op.linear(rows, factor)
        absolute = None if factor is None else np.abs(factor)
        radius = op.linear([x.radius for x in xs], absolute)
        size = op.linear([x.size() for x in xs], absolute)
        if op.offset is not None:
            size = size + np.abs(op.offset)
        terms = max(op.n_terms(), len(xs)) if op.n_terms() else 0
        if terms:
            radius = radius * (1 + EPS * (terms + 2)) + EPS * (terms + 3) * size + UNDERFLOW
        return Form(center, generators.reshape(n, d, *generators.shape[1:]), radius)

    def fold(self, index: int, op: Fold, x: Form, layer: int) -> Form:
        return op.by_rectifiers(x, self)

    def rectified(self, x: Form, slope: Array) -> Form:
        return _bent(x, np.broadcast_to(slope, x.center.shape[1:]))

    def moved(self, x: Form, offset: float) -> Form:
        return _shifted(x, offset)

    def combined(self, a: Form, b: Form, factor: float) -> Form:
        return _sum(a, b, factor)

    def taken(self, x: Form, indices: Array) -> Form:
        return _taken(x, indices)


def _taken(x: Form, indices: Array) -> Form:
    n, d = x.generators.shape[:2]
    return Form(
        x.center.reshape(n, -1)[:, indices], x.generators.reshape(n, d, -1)[:, :, indices], x.radius.reshape(n, -1)[:, indices]
    )


def _shifted(x: Form, shift: float) -> Form:
    center = x.center + shift
    return Form(center, x.generators, x.radius + EPS * np.abs(center) + UNDERFLOW)


def _sum(a: Form, b: Form, factor: float = 1.0) -> Form:
    rounding = 2 * EPS * (a.size() + b.size()) + UNDERFLOW
    return Form(a.center + factor * b.center, a.generators + factor * b.generators, a.radius + b.radius + rounding)


def _bent(x: Form, slope: Array) -> Form:
    """x where x > 0, slope * x elsewhere; where the sign is not certain, a line and what the function leaves around it.

    The function minus the line ``factor * x`` is piecewise linear, so that its extremes are at both ends and at zero.
    """
    spread = x.spread() * (1 + 4 * EPS) + UNDERFLOW
    low, high = x.center - spread, x.center + spread
    active, inactive = x.center >= spread, x.center <= -spread
    certain = active | inactive
    with np.errstate(divide="ignore", invalid="ignore"):
        chord = np.clip((high - slope * low) / (high - low), np.minimum(slope, 1.0), np.maximum(slope, 1.0))
    factor = np.where(active, 1.0, np.where(inactive, slope, chord))
    ends = np.where(certain, 0.0, np.stack([high - factor * high, slope * low - factor * low]))
    least, most = np.minimum(ends.min(0), 0.0), np.maximum(ends.max(0), 0.0)
    is_copy = factor == 1.0
    rounding = np.where(active | (is_copy & (least == most)), 0.0, 8 * EPS * np.abs(factor) * x.size() + 8 * EPS * (most - least))
    rounding = np.where(inactive & (slope == 0), 0.0, rounding + np.where(active, 0.0, UNDERFLOW))
    return Form(
        factor * x.center + (least + most) / 2,
        factor[:, None] * x.generators,
        np.abs(factor) * x.radius * (1 + 2 * EPS) + (most - least) / 2 + rounding,
    )


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
    bend = Interval.of(np.zeros(n))
    for a in range(d):
        linear = linear + Interval.of((goal.first(points, a) * radius[:, a] - slope[:, a]).magnitude())
        for b in range(d):
            bend = bend + Interval.of(goal.second(box, a, b).magnitude()) * radius[:, a] * radius[:, b] * 0.5
    smooth_rest = (bend + Interval.of(rest)).high
    # without second derivatives: the range of the target on the box, and the network's own slopes
    spread = (goal.enclose(box) - goal.enclose(points)).magnitude()
    crude = np.abs(slope).sum(1) * (1 + EPS * d)
    crude_rest = (Interval.of(spread) + Interval.of(rest)).high
    better = ~(linear.high + smooth_rest <= crude + crude_rest)
    return Bounds(middle, np.where(better, crude, linear.high), np.where(better, crude_rest, smooth_rest))


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
    attained, aside, n_parts, where = 0.0, 0.0, 0, tuple(center[0].tolist())
    while True:
        upper = _in_chunks(network, goal, center, radius).upper()
        tried = center[np.argsort(-upper, kind="stable")[:PROBES]]
        at = _at_points(network, goal, tried)
        n_parts += len(center)
        if at.max() > attained:
            attained, where = float(at.max()), tuple(tried[int(at.argmax())].tolist())
        limit = max(attained * (1 + tolerance), enough or 0.0)
        open_ = upper > limit
        aside = max(aside, float(upper[~open_].max(initial=0.0)))
        hopeless = enough is not None and attained > enough
        if not open_.any() or n_parts + 2 * int(open_.sum()) > max_parts or hopeless:
            return ErrorEnclosure(attained, max(aside, float(upper.max())), "sup", METHOD, 0, n_parts, where)
        center, radius = _split(center[open_], radius[open_])


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
