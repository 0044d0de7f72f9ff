r"""What wide random ReLU networks give at initialization: where they break on a line, and how far the nearest fold is.

Weights are He's, :math:`W \sim N(0, 2/n)`, biases :math:`N(0, \sigma_b^2)`, in every layer. Given the layers before it, the
pre-activation z of a neuron and its gradient are Gaussian; in the limit of wide layers their covariance is a constant: with
:math:`a = 2/n_0`, layer l = 1, 2, ... has

.. math:: \mathrm{Var}\,z = a|x|^2 + l\sigma_b^2, \qquad \mathrm{Cov}(z, \nabla z) = a x, \qquad \mathrm{Cov}(\nabla z) = a I,

because a ReLU halves second moments and He's weights double them. That is the law of a single affine function with a bias of
variance :math:`l\sigma_b^2`, so what is counted locally, by the formula of Kac and Rice, is what one layer has.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, pi, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.theory.regions._widths import integer


def wide_relu_breakpoints(
    hidden: Sequence[int], start: float, stop: float, *, bias_std: float, n_inputs: int = 1, offset: float = 0.0
) -> float:
    r"""Expected breakpoints of a wide random ReLU network on a part of a line.

    .. math:: \sum_l \frac{n_l}{\pi} \Big[\arctan \frac{t\sqrt a}{\sqrt{a r^2 + l\sigma_b^2}}\Big]_{start}^{stop}, \quad a = 2/n_0

    ``start`` and ``stop`` are measured along the line from its point nearest to the origin, whose distance is ``offset`` (r). On
    a whole line every neuron breaks once, at any depth: N breakpoints, the law of [hanin2019a]_. Exact for one layer.

    Examples
    --------
    >>> round(wide_relu_breakpoints([32, 32], -50.0, 50.0, bias_std=0.3), 2)
    63.79
    """
    if bias_std <= 0:
        raise InvalidInput(f"the standard deviation of the biases must be positive, got {bias_std}.")
    a = 2 / integer(n_inputs, "n_inputs", least=1)
    total = 0.0
    for layer, n in enumerate(hidden, start=1):
        scale = sqrt(a / (a * offset**2 + layer * bias_std**2))
        total += integer(n, "a width") * (atan(stop * scale) - atan(start * scale)) / pi
    return total


def wide_relu_fold_distance(hidden: Sequence[int], radius: Any, *, n_inputs: int, bias_std: float) -> Array:
    r"""Mean distance from points at the given distances from the origin to the nearest fold of a wide random ReLU network.

    Near a point the folds are a Poisson process of hyperplanes, so that the distance is exponential with the rate

    .. math:: \lambda = \sum_l n_l\, 2\, p_l(0)\, E\big[|\nabla z| \,\big|\, z = 0\big]
        = \sum_l \frac{2 n_l \sqrt a}{\sqrt{2\pi q_l}}\, E\sqrt{\chi^2_{n_0-1} + (l\sigma_b^2/q_l)\,\chi^2_1},
        \qquad q_l = a r^2 + l\sigma_b^2,

    for many neurons; the mean is :math:`1/\lambda`, of the order of 1 / N at any depth [hanin2019a]_.

    Examples
    --------
    >>> wide_relu_fold_distance([64, 64], [0.0, 2.0], n_inputs=4, bias_std=0.3).round(4)
    array([0.0026, 0.0125])
    """
    d, r = integer(n_inputs, "n_inputs", least=1), np.asarray(radius, dtype=np.float64)
    if bias_std <= 0:
        raise InvalidInput(f"the standard deviation of the biases must be positive, got {bias_std}.")
    a = 2 / d
    rate = np.zeros_like(r)
    for layer, n in enumerate(hidden, start=1):
        bias = layer * bias_std**2
        q = a * r**2 + bias
        rate += 2 * integer(n, "a width") * np.sqrt(a / (2 * pi * q)) * _mean_norm(d, bias / q)
    return np.asarray(1 / rate)


def _mean_norm(d: int, last: Array) -> Array:
    r"""The mean length of a Gaussian vector in R^d with variances 1, except the last one.

    :math:`E\sqrt Q = \pi^{-1/2} \int_0^\infty (1 - E e^{-v^2 Q}) v^{-2} dv`, with v = tan(angle).
    """
    nodes, weights = np.polynomial.legendre.leggauss(96)
    angle = (nodes + 1) * pi / 4
    square = np.tan(angle) ** 2
    laplace = (1 + 2 * square) ** (-(d - 1) / 2) / np.sqrt(1 + 2 * np.multiply.outer(last, square))
    return np.asarray(((1 - laplace) * (weights * pi / 4 / np.sin(angle) ** 2)).sum(-1) / sqrt(pi))
