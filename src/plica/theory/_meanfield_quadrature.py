r"""Expectations over one or two standard Gaussian numbers, each with an estimate of its error.

Gauss-Hermite quadrature, with twice the nodes until two answers agree; where it converges slowly (steep functions, kinks),
Gauss-Legendre on panels. The error is the difference of the last two answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import pi, sqrt

import numpy as np

from plica._types import Array

TOLERANCE = 1e-12  # relative to the largest value: what quadrature over one variable tries to reach
PAIR_TOLERANCE = 1e-10  # the same over two variables
REACH = 12.0  # a Gaussian number is larger with probability 4e-33


@cache
def hermite(n: int) -> tuple[Array, Array]:
    """Nodes and weights with ``sum(weights * f(nodes))`` near E f(z)."""
    from scipy.special import roots_hermitenorm

    nodes, weights = roots_hermitenorm(n)
    keep = weights > 1e-300
    return nodes[keep], weights[keep] / sqrt(2 * pi)


@cache
def panels(n: int, order: int = 16) -> tuple[Array, Array]:
    """The same, with n panels of Gauss-Legendre nodes on each side of zero."""
    x, w = np.polynomial.legendre.leggauss(order)
    edges = np.linspace(-REACH, REACH, 2 * n + 1)
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    nodes = (middle[:, None] + half[:, None] * x).reshape(-1)
    weights = (half[:, None] * w).reshape(-1) * np.exp(-(nodes**2) / 2) / sqrt(2 * pi)
    return nodes, weights


def expectation(f: Callable[[Array], Array]) -> tuple[Array, float]:
    """E f(z), and an estimate of its error. ``f`` maps nodes (m,) to values (..., m).

    Examples
    --------
    >>> value, error = expectation(lambda z: z**4)
    >>> round(float(value), 12), error < 1e-12
    (3.0, True)
    """
    rules = (partial(hermite, 64), partial(hermite, 128), partial(panels, 16), partial(panels, 32), partial(panels, 64))
    return _converge(rules, lambda nodes, weights: f(nodes) @ weights, TOLERANCE)


def expectation_of_pair(f: Callable[[Array, Array], Array]) -> tuple[Array, float]:
    """E f(z1, z2) for independent z1 and z2. ``f`` maps nodes (m, 1) and (1, m) to values (..., m, m).

    Examples
    --------
    >>> value, error = expectation_of_pair(lambda a, b: (a + b) ** 2)
    >>> round(float(value), 12), error < 1e-12
    (2.0, True)
    """
    rules = [partial(hermite, n) for n in (32, 64, 128, 256)] + [partial(panels, 16), partial(panels, 24)]
    return _converge(rules, lambda nodes, weights: f(nodes[:, None], nodes[None, :]) @ weights @ weights, PAIR_TOLERANCE)


def _converge(
    rules: Sequence[Callable[[], tuple[Array, Array]]], average: Callable[[Array, Array], Array], tolerance: float
) -> tuple[Array, float]:
    """The average by the first rule that agrees with the one before it, or by the last rule."""
    last = np.asarray(average(*rules[0]()))
    value, error = last, float("inf")
    for rule in rules[1:]:
        value = np.asarray(average(*rule()))
        error = float(np.abs(value - last).max(initial=0.0))
        if error <= tolerance * max(1.0, float(np.abs(value).max(initial=0.0))):
            break
        last = value
    return value, error
