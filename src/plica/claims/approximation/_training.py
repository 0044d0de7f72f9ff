"""Small ReLU networks trained by Adam on all points at once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from plica._types import Array
from plica.network import Linear, Network, Rectifier


def start(widths: tuple[int, ...], seed: int) -> list[Array]:
    """Weights and biases [W1, b1, W2, b2, ...] with kinks of the first layer in the unit cube."""
    rng = np.random.default_rng(seed)
    parameters: list[Array] = []
    for i, (m, n) in enumerate(pairwise(widths)):
        weight = rng.normal(size=(n, m)) * np.sqrt(2 / m)
        parameters += [weight, -(weight * rng.random((n, m))).sum(1) if i == 0 else 0.1 * rng.random(n)]
    return parameters


def trained(widths: tuple[int, ...], x: Array, y: Array, slope: Callable[[Array], Array], *, steps: int, seed: int) -> Network:
    """The network after the given number of steps; ``slope`` is the derivative of the loss by the residuals."""
    parameters = start(widths, seed)
    parameters[-1] = np.full(widths[-1], y.mean())
    first, second = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    for step in range(1, steps + 1):
        hidden = [x]
        for i in range(0, len(parameters), 2):
            z = hidden[-1] @ parameters[i].T + parameters[i + 1]
            hidden.append(np.maximum(z, 0.0) if i < len(parameters) - 2 else z)
        g = slope(hidden[-1] - y) / len(y)
        for i in range(len(parameters) - 2, -1, -2):
            gradients = (g.T @ hidden[i // 2], g.sum(axis=0))
            g = (g @ parameters[i]) * (hidden[i // 2] > 0)
            for j, d in zip((i, i + 1), gradients, strict=True):
                first[j] = 0.9 * first[j] + 0.1 * d
                second[j] = 0.999 * second[j] + 0.001 * d * d
                size = np.sqrt(second[j] / (1 - 0.999**step)) + 1e-8
                parameters[j] = parameters[j] - 0.01 * first[j] / (1 - 0.9**step) / size
    ops: list[Linear | Rectifier] = []
    for i in range(0, len(parameters), 2):
        ops += ([Rectifier()] if i else []) + [Linear(parameters[i], parameters[i + 1])]
    return Network.sequential(widths[0], ops)
