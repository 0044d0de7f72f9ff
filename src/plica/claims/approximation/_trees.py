"""A compositional function of four variables, h(h(x1, x2), h(x3, x4)): approximated by nodes, as a network, as if generic."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from plica._types import Array
from plica.construct import balanced_tree, cos, sin, tree, variables

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
    n = finest // 16
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


def composition(x: Array) -> Array:
    """The function at the rows of x."""
    return h(h(x[:, 0], x[:, 1]), h(x[:, 2], x[:, 3]))


def generic_errors(m: int, sizes: tuple[int, ...]) -> tuple[list[int], list[float]]:
    """Parameters and largest error at random points of one grid over all four variables, constant or multilinear on cells."""
    x = np.random.default_rng(SEED).random((N_POINTS, 4))
    truth = composition(x)
    n_parameters, found = [], []
    for n in sizes:
        cell = np.minimum((x * n).astype(int), n - 1)
        if m == 1:
            value = composition((cell + 0.5) / n)
        else:
            t, value = x * n - cell, np.zeros(len(x))
            for corner in product((0, 1), repeat=4):
                weight = np.prod(np.where(corner, t, 1 - t), axis=1)
                value += weight * composition((cell + corner) / n)
        n_parameters.append((n if m == 1 else n + 1) ** 4)
        found.append(float(np.abs(value - truth).max()))
    return n_parameters, found


def network_errors(n_inputs: int, sizes: tuple[int, ...]) -> tuple[list[int], list[float], list[float]]:
    """Weights, largest error at random points and certified bound of networks of the balanced tree of h."""
    u, v = variables(2)
    root = balanced_tree((1 + sin(3 * u + 1) * cos(2 * v - Fraction(1, 2))) / 2, n_inputs)
    x = np.random.default_rng(SEED).random((2000, n_inputs))
    truth = root(x)
    n_weights, found, bounds = [], [], []
    for n in sizes:
        net = tree(root, n)
        values = np.concatenate([net(part)[:, 0] for part in np.array_split(x, 10)])
        assert net.certificate is not None
        n_weights.append(net.n_weights)
        found.append(float(np.abs(values - truth).max()))
        bounds.append(float(net.certificate.bound))
    return n_weights, found, bounds
