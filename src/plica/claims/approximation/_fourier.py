"""The Fourier series of |x| on [-1, 1], as networks of cosines, and what is left of it."""

from __future__ import annotations

from math import pi

import numpy as np

from plica._types import Array
from plica.construct import Perceptron

LAST = 400_000


def cosines(n: int) -> Perceptron:
    """1/2 - (4 / pi^2) sum_k cos((2k - 1) pi x) / (2k - 1)^2, k = 1 ... n."""
    odd = 2.0 * np.arange(1, n + 1) - 1
    return Perceptron.shallow(pi * odd[:, None], np.zeros(n), -4 / (pi * odd) ** 2, activation="cos", constant=0.5)


def cosine_tail(n: int, power: int) -> float:
    """The sum of (2k - 1)^-power over k > n, the end of it by an integral."""
    odd = 2.0 * np.arange(n + 1, LAST) - 1
    return float((odd**-power).sum()) + (2.0 * LAST - 2) ** (1 - power) / (2 * (power - 1))


def cosine_features(weight: Array, bias: Array) -> Perceptron:
    """The cosines of w . x + b themselves, one output each."""
    n, d = weight.shape
    return Perceptron(d, ((weight, bias),), (np.hstack([np.zeros((n, d)), np.eye(n)]), np.zeros(n)), "cos", "cosines")
