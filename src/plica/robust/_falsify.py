"""Looking for counterexamples in floating point: random points, then steps along the gradient of what is missing."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.robust._property import Forms
from plica.robust.bounds._interval import times
from plica.robust.bounds._steps import AffineStep, RectifierStep, Steps

SHRINK = 0.8  # of the step, each time


def values(steps: Steps, x: Array) -> list[Array]:
    """All tensors at points (rows), in floating point."""
    out = [x]
    for step in steps.steps:
        if isinstance(step, AffineStep):
            total = step.offset + 0.0
            for parent, matrix in zip(step.parents, step.matrices, strict=True):
                total = total + times(out[parent], matrix)
            out.append(np.asarray(total))
        else:
            z = out[step.parent]
            out.append(np.where(z > 0, z, step.slope * z))
    return out


def gradients(steps: Steps, tensors: list[Array], weights: Array) -> Array:
    """Gradients of weights . output at points, one row of weights for each."""
    waiting: dict[int, Array] = {steps.n_tensors - 1: weights}
    for i in range(steps.n_tensors - 1, 0, -1):
        if i not in waiting:
            continue
        g, step = waiting.pop(i), steps.steps[i - 1]
        if isinstance(step, RectifierStep):
            back = g * np.where(tensors[step.parent] > 0, 1.0, step.slope)
            waiting[step.parent] = waiting.get(step.parent, 0.0) + back
        else:
            for parent, matrix in zip(step.parents, step.matrices, strict=True):
                back = g @ matrix if isinstance(matrix, np.ndarray) else np.asarray((matrix.T @ g.T).T)
                waiting[parent] = waiting.get(parent, 0.0) + back
    return waiting.get(0, np.zeros_like(tensors[0]))


def missing(forms: Forms, x: Array, y: Array) -> tuple[Array, Array]:
    """For each point how much its best conjunction lacks (<= 0: nothing), and which row lacks most."""
    left = forms.left(x, y)
    worst = np.stack([left[:, rows].max(axis=1) for rows in forms.groups])
    which = np.stack([rows[left[:, rows].argmax(axis=1)] for rows in forms.groups])
    best = worst.argmin(axis=0)
    at = np.arange(len(x))
    return worst[best, at], which[best, at]


def descend(
    steps: Steps, forms: Forms, low: Array, high: Array, start: Array, *, n_steps: int = 30, rate: float = 0.25
) -> tuple[Array, Array]:
    """Projected steps by the sign of the gradient; the best point on each way and what it lacks."""
    x, size = start.copy(), rate * (high - low)
    best, lack = x.copy(), np.full(len(x), np.inf)
    for _ in range(n_steps):
        tensors = values(steps, x)
        now, row = missing(forms, x, tensors[-1])
        better = now < lack
        best[better], lack[better] = x[better], now[better]
        if (lack <= 0).any():
            break
        g = gradients(steps, tensors, forms.outputs[row]) + forms.inputs[row]
        x = np.clip(x - size * np.sign(g), low, high)
        size = size * SHRINK
    return best, lack


def attack(
    steps: Steps, forms: Forms, low: Array, high: Array, *, seed: int = 0, n_samples: int = 2048, n_starts: int = 128
) -> tuple[Array, Array]:
    """Points of a box, those that lack least first, and what they lack."""
    rng = np.random.default_rng(seed)
    widest = max(steps.size(i) for i in range(steps.n_tensors))
    n_samples = int(min(n_samples, max(64, 2**24 // widest)))
    n_starts = min(n_starts, n_samples)
    x = low + (high - low) * rng.random((n_samples, len(low)))
    lack, _ = missing(forms, x, values(steps, x)[-1])
    order = np.argsort(lack)
    first = order[: n_starts // 2]
    start = np.concatenate([x[first], x[rng.choice(n_samples, n_starts - len(first), replace=False)]])
    found, left = descend(steps, forms, low, high, start)
    points, lacks = np.concatenate([x[first], found]), np.concatenate([lack[first], left])
    order = np.argsort(lacks, kind="stable")
    return points[order], lacks[order]
