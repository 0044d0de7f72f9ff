"""One unit of a second layer over a random integer first layer, as a network of the library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.network import Linear, Network, Rectifier


@dataclass(frozen=True)
class Case:
    """``value``: what the network answers; ``first`` = W x + b; ``masked`` = w with zeros where that is off, in integers.

    ``linearized``: the affine map of the network's pattern, at x.
    """

    n_inputs: int
    n_units: int
    first: Array
    masked: Array
    c: int
    value: int
    linearized: int


def cases(n: int) -> Iterator[Case]:
    """Smaller networks first."""
    rng = np.random.default_rng(0)
    for k in range(n):
        n_inputs, n_units = 1 + k // 4 % 3, 2 + k // 3
        W, b = rng.integers(-3, 4, (n_units, n_inputs)), rng.integers(-3, 4, n_units)
        w, c, x = rng.integers(-3, 4, n_units), int(rng.integers(1, 4)), rng.integers(-3, 4, n_inputs)
        net = Network.sequential(
            n_inputs, [Linear(W.astype(float), b.astype(float)), Rectifier(), Linear(w[None] * 1.0, np.array([1.0 * c]))]
        )
        first = W @ x + b
        A, constant = net.linearize(net.pattern(x))
        yield Case(n_inputs, n_units, first, w * (first > 0), c, int(net(x[None])[0, 0]), int((A @ x + constant)[0]))
