"""One unit of a second layer over a random integer first layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from plica._types import Array


@dataclass(frozen=True)
class Case:
    """``value`` = w ReLU(first) + c; ``masked`` = w with zeros where the first layer is off."""

    n_inputs: int
    n_units: int
    first: Array
    masked: Array
    c: int
    value: int


def cases(n: int) -> Iterator[Case]:
    """Smaller networks first."""
    rng = np.random.default_rng(0)
    for k in range(n):
        n_inputs, n_units = 1 + k // 4 % 3, 2 + k // 3
        W, b = rng.integers(-3, 4, (n_units, n_inputs)), rng.integers(-3, 4, n_units)
        w, c, x = rng.integers(-3, 4, n_units), int(rng.integers(1, 4)), rng.integers(-3, 4, n_inputs)
        first = W @ x + b
        yield Case(n_inputs, n_units, first, w * (first > 0), c, int(w @ np.maximum(first, 0)) + c)
