"""Backward bounds on balls around a point, in the norms l1, l2 and linf."""

from __future__ import annotations

from typing import Literal

import numpy as np

from plica._types import Array
from plica.robust.bounds._backward import Pulled, pulled_back, pulled_entries
from plica.robust.bounds._boxes import EPS, TINY, Boxes, Ranges, gamma
from plica.robust.bounds._interval import interval_step
from plica.robust.bounds._relaxation import Rule
from plica.robust.bounds._steps import AffineStep, RectifierStep, Steps

Norm = Literal["l1", "l2", "linf"]


def dual_norm(a: Array, norm: Norm) -> Array:
    """Upper bounds of the dual norms of the last axis: what a ball of radius one makes of a linear form."""
    size = np.abs(a)
    if norm == "l1":
        return np.asarray(size.max(axis=-1))
    total = size.sum(axis=-1) if norm == "linf" else np.sqrt((size * size).sum(axis=-1))
    return np.asarray(total * (1 + gamma(a.shape[-1])) + TINY)


def norm_of(x: Array, norm: Norm) -> float:
    size = np.abs(np.asarray(x, dtype=np.float64).reshape(-1))
    return float({"l1": size.sum(), "l2": np.sqrt((size * size).sum()), "linf": size.max(initial=0.0)}[norm])


def at_point(pulled: Pulled, boxes: Boxes, point: Array) -> Array:
    """Lower bounds at a point of the affine functions that were pulled back."""
    away = point - boxes.center
    value = pulled.middle + (pulled.slope @ away[:, :, None])[..., 0]
    size = (np.abs(pulled.slope) @ (np.abs(point) + np.abs(boxes.center))[:, :, None])[..., 0]
    return np.asarray(value - gamma(boxes.dimension) * size - EPS * np.abs(value) - TINY)


def ball_bounds(steps: Steps, point: Array, radius: float, norm: Norm, *, rule: Rule = "adaptive") -> tuple[Boxes, list[Ranges]]:
    """The box around a ball, and proved ranges of all tensors on the ball."""
    x = np.asarray(point, dtype=np.float64).reshape(1, -1)
    boxes = Boxes.around(x, radius)
    ranges = [Ranges(boxes.low, boxes.high)]
    asked = {s.parent for s in steps.steps if isinstance(s, RectifierStep)} | {steps.n_tensors - 1}
    for i, step in enumerate(steps.steps, start=1):
        found = interval_step(step, ranges)
        if i in asked and isinstance(step, AffineStep):
            pulled = pulled_entries(steps, boxes, [*ranges, found], i, rule=rule)
            n = step.size
            middle = at_point(pulled, boxes, x)
            low = middle - radius * dual_norm(pulled.slope, norm) * (1 + 4 * EPS) - TINY
            low = np.maximum(low, pulled.low)
            found = found.meet(Ranges(low[:, :n], -low[:, n:]))
        ranges.append(found)
    return boxes, ranges


def least_on_ball(
    steps: Steps,
    boxes: Boxes,
    ranges: list[Ranges],
    point: Array,
    radius: float,
    norm: Norm,
    forms: Array,
    *,
    rule: Rule = "adaptive",
) -> Array:
    """Lower bounds of forms of the output on a ball, with the box and the ranges that :func:`ball_bounds` has for it."""
    pulled = pulled_back(steps, boxes, ranges, forms, rule=rule)
    return np.asarray(at_point(pulled, boxes, point[None]) - radius * dual_norm(pulled.slope, norm) * (1 + 4 * EPS) - TINY)
