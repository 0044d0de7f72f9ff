"""Short ways to write networks down: matrices in, a Network out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from plica._types import Array
from plica.network import Fold, Linear, Network, Op, Rectifier

Draw = Callable[[tuple[int, ...]], Array]
Widths = tuple[int, ...]


def drawn(widths: Widths, draw: Draw) -> tuple[list[Array], list[Array]]:
    """Weights and biases of a multilayer perceptron, each array from ``draw(shape)``."""
    weights = [np.asarray(draw((b, a)), dtype=np.float64) for a, b in itertools.pairwise(widths)]
    biases = [np.asarray(draw((b,)), dtype=np.float64) for b in widths[1:]]
    return weights, biases


def chain(weights: Sequence[Array], biases: Sequence[Array], *, fold: Callable[[int], Fold] | None = None) -> Network:
    """Linear layers with a fold between every two; ``fold(width)`` makes it (ReLU by default).

    Examples
    --------
    >>> net = chain([np.eye(2), np.ones((1, 2))], [np.zeros(2), np.zeros(1)])
    >>> net(np.array([3.0, -1.0]))
    array([3.])
    """
    ops: list[Op] = []
    for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
        ops.append(Linear(np.ascontiguousarray(w, dtype=np.float64), np.ascontiguousarray(b, dtype=np.float64)))
        if i < len(weights) - 1:
            ops.append(Rectifier() if fold is None else fold(len(b)))
    return Network.sequential(weights[0].shape[1], ops)


def leaky(slope: Any) -> Callable[[int], Fold]:
    """Rectifiers with the given slope (a number, or one for each unit) on the inactive side."""
    return lambda width: Rectifier(np.array(slope, dtype=np.float64)[..., :width] if np.ndim(slope) else np.array(float(slope)))


def gaussian(rng: np.random.Generator) -> Draw:
    return lambda shape: rng.normal(size=shape)


def integers(rng: np.random.Generator, bound: int, divisor: int = 1) -> Draw:
    """Integers from -bound to bound, divided."""
    return lambda shape: rng.integers(-bound, bound + 1, shape) / divisor
