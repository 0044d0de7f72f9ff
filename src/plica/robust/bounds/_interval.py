"""Interval bounds: ranges of every tensor from those of its parents, rounded outward."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plica._types import Array
from plica.robust.bounds._boxes import EPS, TINY, Boxes, Ranges, gamma
from plica.robust.bounds._steps import AffineStep, Matrix, RectifierStep, Step, Steps


def times(x: Array, matrix: Matrix) -> Array:
    """matrix @ x on the last axis of x."""
    if isinstance(matrix, np.ndarray):
        return x @ matrix.T
    return np.asarray((matrix @ x.reshape(-1, x.shape[-1]).T).T).reshape(*x.shape[:-1], matrix.shape[0])


def interval_step(step: Step, ranges: Sequence[Ranges]) -> Ranges:
    """The range of one tensor; ``ranges`` are those of all tensors before it."""
    if isinstance(step, RectifierStep):
        return rectified_range(ranges[step.parent], step.slope)
    if step.is_exact:
        return _moved(step, ranges)
    center, spread, size = step.offset + 0.0, np.zeros(step.size), np.abs(step.offset)
    for parent, matrix, absolute in zip(step.parents, step.matrices, step.absolute, strict=True):
        r = ranges[parent]
        with np.errstate(over="ignore", invalid="ignore"):
            middle = r.low + (r.high - r.low) / 2
            reach = np.maximum(r.high - middle, middle - r.low) * (1 + EPS)
            center = center + times(middle, matrix)
            spread = spread + times(reach, absolute)
            size = size + times(r.magnitude + reach, absolute)
    with np.errstate(over="ignore", invalid="ignore"):
        spread = spread + (gamma(step.n_terms) * size + TINY)
        return Ranges(_nan_to(center - spread * (1 + EPS), -np.inf), _nan_to(center + spread * (1 + EPS), np.inf))


def _moved(step: AffineStep, ranges: Sequence[Ranges]) -> Ranges:
    """Entries that are only moved, or change their sign."""
    low, high = np.zeros(step.size), np.zeros(step.size)
    for parent, matrix, absolute in zip(step.parents, step.matrices, step.absolute, strict=True):
        plus, minus = (absolute + matrix) / 2, (absolute - matrix) / 2
        r = ranges[parent]
        low = low + times(r.low, plus) - times(r.high, minus)
        high = high + times(r.high, plus) - times(r.low, minus)
    return Ranges(low, high)


def _nan_to(x: Array, value: float) -> Array:
    return np.where(np.isnan(x), value, x)


def rectified_range(r: Ranges, slope: Array) -> Ranges:
    """The range of a rectifier: its extremes are at the ends, or at zero."""
    if not slope.any():
        return Ranges(np.maximum(r.low, 0.0), np.maximum(r.high, 0.0))
    with np.errstate(invalid="ignore"):
        at = [np.where(x > 0, x, slope * x) for x in (r.low, r.high)]
        at = [np.where(np.isnan(a), x, a) for a, x in zip(at, (r.low, r.high), strict=True)]
    inside = (r.low < 0) & (r.high > 0)
    low, high = np.minimum(*at), np.maximum(*at)
    low, high = np.where(inside, np.minimum(low, 0.0), low), np.where(inside, np.maximum(high, 0.0), high)
    rounding = np.where(np.isin(slope, (0.0, 1.0, -1.0)), 0.0, EPS * np.maximum(np.abs(low), np.abs(high)) + TINY)
    return Ranges(low - rounding, high + rounding)


def interval_bounds(steps: Steps, boxes: Boxes) -> list[Ranges]:
    """Ranges of all tensors on boxes."""
    ranges = [Ranges(boxes.low, boxes.high)]
    for step in steps.steps:
        ranges.append(interval_step(step, ranges))
    return ranges
