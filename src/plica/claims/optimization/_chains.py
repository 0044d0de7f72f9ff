"""Many runs of an optimizer of :mod:`plica.learn` at once: one row of an array each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica._types import Array
from plica.learn import Optimizer, Stepper

Noisy = Callable[[Array, np.random.Generator], Array]
"""From the parameters of all runs to a stochastic gradient for each."""


def run_chains(
    start: Array, gradient: Noisy, *, optimizer: Optimizer, rate: Callable[[int], float], steps: tuple[int, ...], seed: int
) -> list[Array]:
    """The parameters (runs, d) after some numbers of steps, in increasing order."""
    rng = np.random.default_rng(seed)
    w = start.copy()
    stepper = Stepper([w], lambda step: (0.0, [gradient(w, rng)]), optimizer=optimizer, rate=rate)
    found = []
    for n in steps:
        while stepper.step < n:
            stepper.advance()
        found.append(w.copy())
    return found


def mean_and_error(values: Array) -> tuple[float, float]:
    """The mean of independent values and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
