"""A compositional function of four variables, h(h(x1, x2), h(x3, x4)), and its approximation node by node."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
SEED = 1611
N_POINTS = 20_000


def h(x: Array, y: Array) -> Array:
    """A smooth function from the unit square to [0, 1]."""
    return 0.5 + 0.5 * np.sin(3.0 * x + 1.0) * np.cos(2.0 * y - 0.5)


def grid_approximation(x: Array, y: Array, n: int, m: int) -> Array:
    """h on a grid of n x n cells: constant on each (m = 1), or bilinear (m = 2)."""
    i, j = np.minimum((x * n).astype(int), n - 1), np.minimum((y * n).astype(int), n - 1)
    if m == 1:
        return h((i + 0.5) / n, (j + 0.5) / n)
    s, t = x * n - i, y * n - j
    corner = [[h((i + a) / n, (j + b) / n) for b in (0, 1)] for a in (0, 1)]
    return (1 - s) * ((1 - t) * corner[0][0] + t * corner[0][1]) + s * ((1 - t) * corner[1][0] + t * corner[1][1])


def errors(m: int, finest: int) -> tuple[list[int], list[float]]:
    """Parameters of the three grids and the largest error of the tree at random points."""
    x = np.random.default_rng(SEED).random((4, N_POINTS))
    truth = h(h(x[0], x[1]), h(x[2], x[3]))
    n_parameters, found = [], []
    n = 8
    while n <= finest:
        inner = [grid_approximation(x[2 * k], x[2 * k + 1], n, m) for k in range(2)]
        found.append(float(np.abs(grid_approximation(inner[0], inner[1], n, m) - truth).max()))
        n_parameters.append(3 * (n if m == 1 else n + 1) ** 2)
        n *= 2
    return n_parameters, found


def measured_dimension(m: int, *, finest: int) -> tuple[float, float]:
    """Slope of log(parameters) against log(1 / error), with its standard error."""
    n_parameters, found = errors(m, finest)
    x, y = -np.log(found), np.log(n_parameters)
    (slope, _), covariance = np.polyfit(x, y, 1, cov=True)
    return float(slope), float(np.sqrt(covariance[0, 0]))
