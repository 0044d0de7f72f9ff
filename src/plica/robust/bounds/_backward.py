r"""Backward linear bounds (CROWN, DeepPoly): forms of the output pulled back to the input, rounded so that they stay true.

The form :math:`a\cdot y` is bounded from below by a form of earlier tensors, step by step from the output to the input. A matrix
gives :math:`a W`; the product in floating point is some :math:`\hat a` with :math:`|\hat a - aW| \le \gamma |a||W|`, so that
replacing one by the other changes the bound by at most :math:`\gamma |a| (|W||x|_{\max})`, with the proved ranges of x: one more
number for each form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.robust.bounds._boxes import EPS, TINY, Boxes, Ranges, gamma
from plica.robust.bounds._forward import forward_bounds
from plica.robust.bounds._interval import interval_step, times
from plica.robust.bounds._kernels import past_offset, through_lines
from plica.robust.bounds._relaxation import Lines, Rule, lines_around
from plica.robust.bounds._steps import AffineStep, Matrix, RectifierStep, Steps

CHUNK_ENTRIES = 2**22
MOST_PULLED = 2**18  # neurons times the widest tensor: beyond, forward functions have to do


@dataclass(frozen=True, eq=False)
class Pulled:
    """Lower bounds of forms on boxes: ``low`` (boxes, forms), and the affine functions below the forms that led to them.

    On box b form k is at least ``middle[b, k] + slope[b, k] . (x - center)``, rounding included.
    """

    low: Array
    slope: Array
    middle: Array


def pulled_back(
    steps: Steps,
    boxes: Boxes,
    ranges: list[Ranges],
    forms: Array,
    *,
    rule: Rule = "adaptive",
    tensor: int = -1,
    lines: dict[int, Lines] | None = None,
    at_input: Array | None = None,
    added: dict[int, Array] | None = None,
    at_rectifier: Callable[[int, Array], None] | None = None,
) -> Pulled:
    """Lower bounds of forms (rows of weights) of a tensor, the output by default.

    ``ranges`` are proved ranges of the tensors before it; ``lines`` replaces the lines around rectifiers, by tensor;
    ``at_input`` are weights of the input that are added to the forms, ``added`` weights (boxes, forms, entries) of other tensors
    on the way: multipliers of what is known there. ``at_rectifier(tensor, weights)`` sees the forms of the outputs of rectifiers.
    """
    tensor = steps.n_tensors - 1 if tensor < 0 else tensor
    n = len(boxes)
    shape = (n, *forms.shape[-2:])
    waiting: dict[int, Array] = {tensor: np.ascontiguousarray(np.broadcast_to(forms, shape))}
    if at_input is not None and at_input.any():
        waiting[0] = np.broadcast_to(at_input, (*shape[:2], steps.n_inputs))
    constant, size, doubt = np.zeros(shape[:2]), np.zeros(shape[:2]), np.zeros(shape[:2])
    with np.errstate(over="ignore", invalid="ignore"):
        for i in range(tensor, 0, -1):
            if i not in waiting:
                continue
            a, step = waiting.pop(i), steps.steps[i - 1]
            if added is not None and i in added:
                a = a + added[i]
                doubt = doubt + EPS * _dot(np.abs(a), ranges[i].magnitude)
            if isinstance(step, RectifierStep):
                r = ranges[step.parent]
                if at_rectifier is not None:
                    at_rectifier(i, a)
                around = (lines or {}).get(i) or lines_around(r, step.slope, rule)
                back, more, magnitude, spread = through_lines(a, *_as_rows(around), r.magnitude)
                constant, size = constant + more, size + gamma(step.size) / EPS * magnitude
                doubt = doubt + EPS * spread + _collect(waiting, step.parent, back, r)
                continue
            reach = np.zeros((n, step.size))
            if not step.is_exact:
                for parent, absolute in zip(step.parents, step.absolute, strict=True):
                    reach = reach + times(ranges[parent].magnitude, absolute) * (1 + gamma(step.n_terms))
            more, magnitude, spread = past_offset(a, step.offset, reach)
            constant, size = constant + more, size + gamma(step.size) / EPS * magnitude
            doubt = doubt + gamma(step.size) * spread
            for parent, matrix in zip(step.parents, step.matrices, strict=True):
                doubt = doubt + _collect(waiting, parent, _product(a, matrix), ranges[parent])
        slope = waiting.pop(0) if 0 in waiting else np.zeros((*shape[:2], steps.n_inputs))
        middle, reach = _dot(slope, boxes.center), _dot(np.abs(slope), boxes.radius)
        size = size + gamma(steps.n_inputs) / EPS * (_dot(np.abs(slope), np.abs(boxes.center)) + reach)
        middle = middle + constant
        low = middle - reach
        slack = (doubt + (len(steps.steps) + 8) * EPS * size) * 1.01 + 2 * EPS * (np.abs(middle) + reach) + TINY
        low = low - slack
    return Pulled(np.where(np.isnan(low), -np.inf, low), slope, middle - slack)


def _dot(a: Array, x: Array) -> Array:
    """(boxes, forms, entries) with (boxes, entries)."""
    return np.asarray((a @ x[:, :, None])[..., 0])


def _product(a: Array, matrix: Matrix) -> Array:
    if isinstance(matrix, np.ndarray):
        return (a.reshape(-1, a.shape[-1]) @ matrix).reshape(*a.shape[:-1], matrix.shape[1])
    return np.asarray((matrix.T @ a.reshape(-1, a.shape[-1]).T).T).reshape(*a.shape[:-1], matrix.shape[1])


def _collect(waiting: dict[int, Array], parent: int, a: Array, r: Ranges) -> Array | float:
    """Add a form of a tensor to what waits for it; by how much rounding may matter."""
    if parent not in waiting:
        waiting[parent] = a
        return 0.0
    waiting[parent] = waiting[parent] + a
    return EPS * _dot(np.abs(waiting[parent]), r.magnitude)


def _as_rows(lines: Lines) -> tuple[Array, Array, Array, Array]:
    """Lines for all forms of a box, or for each of them."""
    parts = (lines.low_slope, lines.low_offset, lines.high_slope, lines.high_offset)
    low_slope, low_offset, high_slope, high_offset = (p[:, None] if p.ndim == 2 else p for p in parts)
    return low_slope, low_offset, high_slope, high_offset


def backward_bounds(steps: Steps, boxes: Boxes, *, rule: Rule = "adaptive", nested: bool = True) -> list[Ranges]:
    """Ranges of all tensors: those before a rectifier by pulling every entry back, the others from their parents.

    With ``nested``, ranges are also those of intervals, where these are better; without it they are what the method alone gives.
    """
    ranges = [Ranges(boxes.low, boxes.high)]
    asked = {s.parent for s in steps.steps if isinstance(s, RectifierStep)} | {steps.n_tensors - 1}
    for i, step in enumerate(steps.steps, start=1):
        found = interval_step(step, ranges)
        if i in asked and isinstance(step, AffineStep) and _is_behind_rectifier(steps, i):
            own = _pulled_rows(steps, boxes, [*ranges, found], i, np.arange(step.size), rule)
            found = found.meet(own) if nested else own
        ranges.append(found)
    return ranges


def _is_behind_rectifier(steps: Steps, tensor: int) -> bool:
    return any(r < tensor for r in steps.rectifiers) or len(steps.steps) > 1


def _pulled_rows(steps: Steps, boxes: Boxes, ranges: list[Ranges], tensor: int, entries: Array, rule: Rule) -> Ranges:
    """Ranges of some entries of a tensor, by pulling back each of them and its negative."""
    n, size = len(boxes), steps.size(tensor)
    widest = max(steps.size(i) for i in range(tensor + 1))
    low, high = np.empty((n, len(entries))), np.empty((n, len(entries)))
    step = max(1, CHUNK_ENTRIES // (2 * widest * n))
    for first in range(0, len(entries), step):
        part = entries[first : first + step]
        rows = np.zeros((len(part), size))
        rows[np.arange(len(part)), part] = 1.0
        both = pulled_back(steps, boxes, ranges, np.concatenate([rows, -rows]), rule=rule, tensor=tensor).low
        low[:, first : first + step], high[:, first : first + step] = both[:, : len(part)], -both[:, len(part) :]
    return Ranges(low, high)


def mixed_bounds(
    steps: Steps,
    boxes: Boxes,
    *,
    rule: Rule = "adaptive",
    slopes: dict[int, Array] | None = None,
    cut: Callable[[int, Ranges], Ranges] = lambda _, ranges: ranges,
) -> list[Ranges]:
    """Ranges of all tensors: forward functions, and neurons that these leave undecided on some box are pulled back.

    A dict given as ``slopes`` is filled as by :func:`forward_bounds`. ``cut(tensor, ranges)`` may make ranges smaller by what is
    known otherwise.
    """
    asked = {s.parent for s in steps.steps if isinstance(s, RectifierStep)}
    first = min(steps.rectifiers, default=0)
    widest = max(steps.size(i) for i in range(steps.n_tensors))

    def refine(tensor: int, ranges: list[Ranges]) -> Ranges:
        found = cut(tensor, ranges[tensor])
        if tensor not in asked or tensor < first:
            return found
        rows = np.flatnonzero(((found.low < 0) & (found.high > 0)).any(axis=0))
        if not len(rows) or len(rows) * widest > MOST_PULLED:
            return found
        own = _pulled_rows(steps, boxes, ranges, tensor, rows, rule)
        low, high = found.low.copy(), found.high.copy()
        low[:, rows], high[:, rows] = np.fmax(low[:, rows], own.low), np.fmin(high[:, rows], own.high)
        return cut(tensor, Ranges(low, high))

    return forward_bounds(steps, boxes, refine=refine, slopes=slopes)


def pulled_entries(steps: Steps, boxes: Boxes, ranges: list[Ranges], tensor: int, *, rule: Rule = "adaptive") -> Pulled:
    """All entries of a tensor, then their negatives, pulled back with their slopes."""
    size = steps.size(tensor)
    widest = max(steps.size(i) for i in range(tensor + 1))
    step = max(1, CHUNK_ENTRIES // (widest * len(boxes)))
    rows = np.concatenate([np.eye(size), -np.eye(size)])
    parts = [
        pulled_back(steps, boxes, ranges, rows[first : first + step], rule=rule, tensor=tensor)
        for first in range(0, 2 * size, step)
    ]
    low, slope, middle = (np.concatenate([getattr(p, name) for p in parts], axis=1) for name in ("low", "slope", "middle"))
    return Pulled(low, slope, middle)
