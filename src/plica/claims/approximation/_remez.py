"""Best polynomials for |x| on [-1, 1], by exchange, with bounds from both sides."""

from __future__ import annotations

import numpy as np


def best_error(degree: int) -> tuple[float, float]:
    """Lower and upper bounds of the distance of |x| to polynomials of an even degree, from the best one for sqrt(t) on [0, 1].

    |x| is even, and so is its best polynomial p(x^2); p of degree ``degree / 2`` is the best one for sqrt(t). The lower bound is
    de la Vallée Poussin's: the smallest of the alternating deviations at the last points of the exchange.
    """
    n = degree // 2
    t = (1 - np.cos(np.arange(n + 2) * np.pi / (n + 1))) / 2
    t = t**2  # extremes crowd at zero, where the root is steep
    grid = np.concatenate([np.linspace(0, 1, 4001) ** 4, np.linspace(0, 1, 2001)])
    grid.sort()
    for _ in range(40):
        basis = np.polynomial.chebyshev.chebvander(2 * t - 1, n)
        system = np.hstack([basis, ((-1.0) ** np.arange(n + 2))[:, None]])
        solution = np.linalg.solve(system, np.sqrt(t))
        level, coefficients = abs(solution[-1]), solution[:-1]
        error = np.sqrt(grid) - np.polynomial.chebyshev.chebval(2 * grid - 1, coefficients)
        largest = float(np.abs(error).max())
        if largest <= level * (1 + 1e-9):
            break
        # one extreme of every run of one sign
        cuts = np.flatnonzero(np.diff(np.sign(error)) != 0) + 1
        runs = np.split(np.arange(len(grid)), cuts)
        chosen = [int(run[np.abs(error[run]).argmax()]) for run in runs if len(run)]
        if len(chosen) < n + 2:
            break
        while len(chosen) > n + 2:
            chosen.pop(0 if abs(error[chosen[0]]) < abs(error[chosen[-1]]) else -1)
        t = grid[chosen]
    return float(level), largest
