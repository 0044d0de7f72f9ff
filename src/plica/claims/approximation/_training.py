"""Small ReLU networks trained by Adam on all points at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from plica._types import Array
from plica.learn import Adam, Dense, Stepper
from plica.network import Network


def start(widths: tuple[int, ...], seed: int) -> list[Array]:
    """Weights and biases [W1, b1, W2, b2, ...] with kinks of the first layer in the unit cube."""
    rng = np.random.default_rng(seed)
    parameters: list[Array] = []
    for i, (m, n) in enumerate(pairwise(widths)):
        weight = rng.normal(size=(n, m)) * np.sqrt(2 / m)
        parameters += [weight, -(weight * rng.random((n, m))).sum(1) if i == 0 else 0.1 * rng.random(n)]
    return parameters


def trained(widths: tuple[int, ...], x: Array, y: Array, loss: str, *, steps: int, seed: int) -> Network:
    """The network after the given number of steps on a loss of :class:`plica.learn.Dense`."""
    parameters = start(widths, seed)
    parameters[-1] = np.full(widths[-1], y.mean())
    dense = Dense(list(zip(parameters[::2], parameters[1::2], strict=True)), ["relu"] * (len(widths) - 2), loss=loss)
    stepper = Stepper([dense.weights], lambda step: dense.gradient(x, y), optimizer=Adam(), rate=lambda step: 0.01)
    for _ in range(steps):
        stepper.advance()
    return dense.network()
