"""Variance reduction for finite sums: SVRG and SAGA, many independent runs at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


@dataclass(frozen=True)
class FiniteSum:
    """F = (1/n) sum f_i by its gradients, for runs in rows.

    Parameters
    ----------
    n_summands
        n.
    gradient
        From parameters (runs, d) and a summand for each run (runs,) to the gradients (runs, d).
    """

    n_summands: int
    gradient: Callable[[Array, Array], Array]

    def full(self, w: Array) -> Array:
        """The gradient of F."""
        total = np.zeros_like(w)
        for i in range(self.n_summands):
            total += self.gradient(w, np.full(len(w), i))
        return total / self.n_summands


def svrg(problem: FiniteSum, start: Array, *, rate: float, n_inner: int, n_epochs: int, seed: int) -> list[Array]:
    """Johnson and Zhang 2013, option II: the snapshots, the first of them ``start``; each next one is a random inner iterate.

    Examples
    --------
    >>> halves = FiniteSum(2, lambda w, i: w - np.where(i == 0, 1.0, 3.0)[:, None])  # the mean of (w - 1)^2 / 2, (w - 3)^2 / 2
    >>> svrg(halves, np.zeros((1, 1)), rate=0.5, n_inner=20, n_epochs=3, seed=0)[-1].round(3)
    array([[2.]])
    """
    w, rng = _start(start, rate), np.random.default_rng(seed)
    found = [w.copy()]
    for _ in range(n_epochs):
        snapshot, mean = w.copy(), problem.full(w)
        kept, chosen = w.copy(), rng.integers(n_inner, size=len(w))
        for t in range(n_inner):
            kept = np.where((chosen == t)[:, None], w, kept)
            i = rng.integers(problem.n_summands, size=len(w))
            w = w - rate * (problem.gradient(w, i) - problem.gradient(snapshot, i) + mean)
        w = kept
        found.append(w.copy())
    return found


def saga(problem: FiniteSum, start: Array, *, rate: float, steps: tuple[int, ...], seed: int) -> list[Array]:
    """Defazio, Bach and Lacoste-Julien 2014: the parameters after some numbers of steps; the table begins at ``start``.

    Examples
    --------
    >>> halves = FiniteSum(2, lambda w, i: w - np.where(i == 0, 1.0, 3.0)[:, None])
    >>> saga(halves, np.zeros((1, 1)), rate=1 / 3, steps=(60,), seed=0)[0].round(3)
    array([[2.]])
    """
    w, rng = _start(start, rate), np.random.default_rng(seed)
    runs = np.arange(len(w))
    table = np.stack([problem.gradient(w, np.full(len(w), i)) for i in range(problem.n_summands)])
    mean, found, done = table.mean(0), [], 0
    for n in steps:
        while done < n:
            i = rng.integers(problem.n_summands, size=len(w))
            new, old = problem.gradient(w, i), table[i, runs]
            w = w - rate * (new - old + mean)
            mean = mean + (new - old) / problem.n_summands
            table[i, runs] = new
            done += 1
        found.append(w.copy())
    return found


def _start(start: Array, rate: float) -> Array:
    w = np.array(start, dtype=np.float64)
    if w.ndim != 2 or not rate > 0:
        raise InvalidInput(f"a start of shape {w.shape} and a rate of {rate}.", hint="rows of parameters, one for each run")
    return w
