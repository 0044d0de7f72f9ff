r"""Forward linear bounds: every entry of every tensor between two affine functions of the input, on many boxes at once.

On a box :math:`x = c + \rho\varepsilon`, :math:`\varepsilon\in[-1,1]^d`, an entry has a lower and an upper function of
:math:`\varepsilon`. A matrix takes their sum and their difference: :math:`S' = WS`, :math:`D' = |W|D`. A rectifier is monotone,
so the upper function passes below its own chord and the lower one above a line through zero (S. Wang et al., 2018). What rounding
may do is added to the constants at each step. For few inputs this costs a fraction of backward bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.robust.bounds._boxes import EPS, TINY, Boxes, Ranges, gamma
from plica.robust.bounds._interval import interval_step, times
from plica.robust.bounds._relaxation import lines_around
from plica.robust.bounds._steps import AffineStep, RectifierStep, Steps


@dataclass(eq=False)
class _Functions:
    """Lower and upper functions (boxes, d + 1, entries): coefficients of epsilon, then the constant."""

    low: Array
    high: Array

    def ranges(self) -> tuple[Ranges, Ranges]:
        """The range of the lower functions and that of the upper ones."""
        first = _range(self.low)
        return first, first if self.high is self.low else _range(self.high)


def _range(f: Array) -> Ranges:
    reach = np.abs(f[:, :-1]).sum(axis=1)
    constant = f[:, -1]
    reach = reach + gamma(f.shape[1]) * (reach + np.abs(constant)) + TINY
    return Ranges(constant - reach, constant + reach)


Refine = Callable[[int, list[Ranges]], Ranges]


def forward_bounds(
    steps: Steps, boxes: Boxes, *, refine: Refine | None = None, slopes: dict[int, Array] | None = None
) -> list[Ranges]:
    """Ranges of all tensors on boxes, each the better of linear functions and intervals.

    ``refine(tensor, ranges)`` may return better ranges of the last tensor of those given, before they are used. A dict given as
    ``slopes`` gets, for the tensors that rectifiers read, how much each input moves each entry: (boxes, inputs, entries).
    """
    moving = np.flatnonzero((boxes.radius > 0).any(axis=0))
    n, d = len(boxes), len(moving)
    start = np.zeros((n, d + 1, boxes.dimension))
    start[:, np.arange(d), moving] = boxes.radius[:, moving]
    start[:, -1] = boxes.center
    ranges = [Ranges(boxes.low, boxes.high)]
    functions: list[_Functions | None] = [_Functions(start, start)]
    uses = _last_uses(steps)
    asked = {s.parent for s in steps.steps if isinstance(s, RectifierStep)}
    if slopes is not None and 0 in asked:
        slopes[0] = np.eye(boxes.dimension) * boxes.radius[:, None]
    for i, step in enumerate(steps.steps):
        parents = [functions[p] for p in step.parents]
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(step, AffineStep):
                f = _affine(step, [p for p in parents if p is not None])
            else:
                assert parents[0] is not None
                f = _rectified(step, parents[0], ranges[step.parent])
        below, above = f.ranges()
        ranges.append(interval_step(step, ranges).meet(Ranges(below.low, above.high)))
        if slopes is not None and i + 1 in asked:
            slopes[i + 1] = np.zeros((n, boxes.dimension, step.size))
            slopes[i + 1][:, moving] = (np.abs(f.low[:, :-1]) + np.abs(f.high[:, :-1])) / 2
        if refine is not None:
            ranges[-1] = refine(i + 1, ranges)
        functions.append(f)
        for p in step.parents:
            if uses[p] == i:
                functions[p] = None
    return ranges


def _last_uses(steps: Steps) -> dict[int, int]:
    return {p: i for i, step in enumerate(steps.steps) for p in step.parents}


def _affine(step: AffineStep, xs: list[_Functions]) -> _Functions:
    total: Array | float = 0.0
    apart: Array | float = 0.0
    size = np.abs(step.offset)
    for x, matrix, absolute in zip(xs, step.matrices, step.absolute, strict=True):
        if x.high is x.low:
            total = total + times(2 * x.low, matrix)
            magnitude = 2 * np.abs(x.low).sum(axis=1)
        else:
            sums, differences = x.low + x.high, x.high - x.low
            total = total + times(sums, matrix)
            apart = apart + times(differences, absolute)
            magnitude = np.abs(sums).sum(axis=1) + np.abs(differences).sum(axis=1)
        if not step.is_exact:
            size = size + times(magnitude, absolute)
    assert isinstance(total, np.ndarray)
    total = total / 2
    total[:, -1] += step.offset
    exact = step.is_exact and isinstance(apart, float)
    error = 0.0 if exact else (gamma(step.n_terms) + 4 * EPS) * size + TINY
    if isinstance(apart, float):
        if exact:
            return _Functions(total, total)
        low, high = total, total.copy()
    else:
        apart = apart / 2
        low, high = total - apart, total + apart
        if step.is_exact:
            size = np.abs(total).sum(axis=1) + np.abs(apart).sum(axis=1)
            error = 8 * EPS * size + TINY
    low[:, -1] -= error
    high[:, -1] += error
    return _Functions(low, high)


def _rectified(step: RectifierStep, x: _Functions, r: Ranges) -> _Functions:
    slope = step.slope
    if ((slope < 0) | (slope > 1)).any():
        return _by_lines(step, x, r)
    below, above = x.ranges()
    active, inactive = r.low >= 0, r.high <= 0
    sure = np.where(active, 1.0, slope)
    certain = active | inactive
    lines = lines_around(above, slope)
    high_slope = np.where(certain, sure, lines.high_slope)
    offset = np.where(certain, 0.0, lines.high_offset)
    low_slope = np.where(certain, sure, lines_around(below, slope).low_slope)
    return _scaled(x, low_slope, np.zeros_like(offset), high_slope, offset)


def _scaled(x: _Functions, low_slope: Array, low_offset: Array, high_slope: Array, high_offset: Array) -> _Functions:
    """Lines of the functions, for slopes >= 0."""
    low, high = x.low * low_slope[:, None], x.high * high_slope[:, None]
    low[:, -1] += low_offset
    high[:, -1] += high_offset
    for f, m, c, sign in ((low, low_slope, low_offset, -1.0), (high, high_slope, high_offset, 1.0)):
        rounds = ((m != 0) & (m != 1)) | (c != 0)
        f[:, -1] += sign * np.where(rounds, 2 * EPS * np.abs(f).sum(axis=1) + TINY, 0.0)
    return _Functions(low, high)


def _by_lines(step: RectifierStep, x: _Functions, r: Ranges) -> _Functions:
    """Slopes of any sign: a line that falls takes the other function."""
    lines = lines_around(r, step.slope)
    falls_low, falls_high = (lines.low_slope < 0)[:, None], (lines.high_slope < 0)[:, None]
    turned = _Functions(np.where(falls_low, x.high, x.low), np.where(falls_high, x.low, x.high))
    return _scaled(turned, lines.low_slope, lines.low_offset, lines.high_slope, lines.high_offset)
