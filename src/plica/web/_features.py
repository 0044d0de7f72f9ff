"""Features of the inputs as a layer of fixed ReLUs in front of the network, so that everything behind it stays exact.

|x| is two ReLUs. x², xy and sin(πx) would bend the folds into curves, which no exact complex has; in their place stand their
interpolants with knots at multiples of 1/4, continued as straight lines beyond 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi, sin
from typing import Final

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

STEP: Final = 0.25
N_KNOTS: Final = 8
"""On each side of zero, zero among them."""
Layer = tuple[Array, Array]
Terms = dict[tuple[float, ...], Callable[[float], float]]
"""What is added up: functions of one number, along a direction each."""

X, Y, SUM, DIFFERENCE = (1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.5, -0.5)
_SQUARE = lambda t: t * t  # noqa: E731
_SINE = lambda t: sin(pi * t)  # noqa: E731
TERMS: dict[str, Terms] = {
    "abs-x": {X: abs},
    "abs-y": {Y: abs},
    "square-x": {X: _SQUARE},
    "square-y": {Y: _SQUARE},
    "times": {SUM: _SQUARE, DIFFERENCE: lambda t: -t * t},  # x y = ((x + y) / 2)² - ((x - y) / 2)²
    "sine-x": {X: _SINE},
    "sine-y": {Y: _SINE},
}


@dataclass(frozen=True, eq=False)
class Features:
    """Fixed units ReLU(A x + a), and the features B units + b that are read off them: the inputs first, then the chosen ones.

    Examples
    --------
    >>> found = Features.of(("abs-x", "square-x"), 1)
    >>> found(np.array([[-0.5], [0.75]]))
    array([[-0.5   ,  0.5   ,  0.25  ],
           [ 0.75  ,  0.75  ,  0.5625]])
    """

    units: Layer
    read: Layer

    @staticmethod
    def of(names: Sequence[str], n_inputs: int) -> Features:
        """The features with these names, of one or two inputs."""
        if n_inputs == 1 and any(any(d[1] for d in TERMS[name]) for name in names):
            raise InvalidInput("these features need two inputs, the data has one.", hint="choose features of x alone")
        plain: list[Terms] = [{d: lambda t: t} for d in (X, Y)[:n_inputs]]
        wanted = plain + [TERMS[name] for name in names]
        knots = {direction: 1 for terms in wanted for direction in terms}
        for terms in (TERMS[name] for name in names if not name.startswith("abs")):
            knots |= dict.fromkeys(terms, N_KNOTS)
        places = [(d, side, STEP * k) for d, n in knots.items() for side in (1.0, -1.0) for k in range(n)]
        weight = np.array([[side * c for c in d[:n_inputs]] for d, side, _ in places])
        units = (weight, np.array([-t for _, _, t in places]))
        rows = [[bend(terms[d], side, t, knots[d]) if d in terms else 0.0 for d, side, t in places] for terms in wanted]
        return Features(units, (np.array(rows), np.array([sum(g(0.0) for g in terms.values()) for terms in wanted])))

    @property
    def n_features(self) -> int:
        return len(self.read[0])

    def __call__(self, points: Array) -> Array:
        (a, b), (c, d) = self.units, self.read
        return np.asarray(np.maximum(points @ a.T + b, 0.0) @ c.T + d)

    def before(self, layers: Sequence[Layer]) -> list[Layer]:
        """The layers of a network of the features as one of the inputs: the units, and a first layer that reads them."""
        (weight, bias), *rest = layers
        return [self.units, (weight @ self.read[0], weight @ self.read[1] + bias), *rest]


def bend(g: Callable[[float], float], side: float, t: float, n_knots: int) -> float:
    """By how much the slope of the interpolant of g changes at a knot, away from zero; at zero, the slope itself.

    >>> bend(abs, -1.0, 0.0, 1), [bend(lambda t: t * t, 1.0, t, 8) for t in (0.0, 0.25, 0.5)]
    (1.0, [0.25, 0.5, 0.5])
    """
    if n_knots == 1:
        return g(side)  # homogeneous: the slope is its value at one
    ends = (t, t + STEP) if t == 0 else (t - STEP, t, t + STEP)
    slopes = [(g(side * q) - g(side * p)) / STEP for p, q in pairwise(ends)]
    return slopes[-1] - (slopes[0] if t else 0.0)
