"""Networks with weights -1, 0 and 1: equal folds, flat parts, dead units. What generic networks never show."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from plica.network import Linear, Network, Op, Rectifier


def ternary(widths: Sequence[int], *, seed: int) -> Network:
    """ReLU layers with weights in {-1, 0, 1} and biases in {-1/2, 0, 1/2}."""
    rng = np.random.default_rng(seed)
    ops: list[Op] = []
    for n_in, n_out in pairwise(widths):
        ops += [Linear(rng.integers(-1, 2, (n_out, n_in)).astype(float), rng.integers(-1, 2, n_out) / 2), Rectifier()]
    return Network.sequential(widths[0], ops[:-1])
