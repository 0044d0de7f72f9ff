r"""Hornik's theorem without "non-constant".

Claim
    Networks with one hidden layer and any continuous, bounded activation approximate every continuous function on a compact set.
Source
    Summer@ICERM 2020, slide on universal approximation [icerm-2020]; the theorem is K. Hornik, Neural Networks 4 (1991)
    [hornik1991].
Prediction
    for f(x) = x on [-1, 1] some network deviates by less than 1/2
Measurement
    networks with the constant activation 1, which is continuous and bounded, and random weights, at -1 and 1 in exact rationals:
    a network with a constant activation is a constant, and at one of the two points it is at least 1 away
Remark
    The activation must not be constant: "bounded and non-constant" is what Hornik proves. Among all locally bounded, piecewise
    continuous activations the right condition is that it is not a polynomial: claim leshno-1993-polynomial-activation.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import REFERENCE, SERIES
from plica._types import Array
from plica.claims import Evidence, counterexample
from plica.construct import Polynomial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("leshno-1993-polynomial-activation",)
SEED = 1991
ACTIVATION = Polynomial([1])


def weights(width: int, seed: int) -> Array:
    """Rows (w, b, c) of multiples of 1/4."""
    return np.random.default_rng(seed).integers(-8, 9, (width, 3)) / 4


def network(width: int, seed: int) -> Polynomial:
    """sum_k c_k activation(w_k x + b_k) with random weights, as the function that it is."""
    total = Polynomial([0])
    for w, b, c in weights(width, seed):
        total = total + Fraction(float(c)) * ACTIVATION.along([[Fraction(float(w))]], [Fraction(float(b))])
    return total


def deviation(p: Polynomial) -> Fraction:
    """The larger of the deviations from x at -1 and 1."""
    return max(abs(p.exact([Fraction(x)]) - x) for x in (-1, 1))


def check(scale: str) -> Evidence:
    rows = []
    for width in (1, 4, 16, 64) + ((1024,) if scale == "full" else ()):
        level = sum((Fraction(float(c)) for c in weights(width, SEED)[:, 2]), Fraction(0))
        found = deviation(network(width, SEED))
        rows.append(counterexample(found, "<", Fraction(1, 2), truth=1 + abs(level), width=width, seed=SEED))
    rows.append(counterexample(deviation(Polynomial([0])), "<", Fraction(1, 2), truth=1, what="the best constant, 0"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """x and networks with a constant activation."""
    ax.plot([-1, 1], [-1, 1], color=REFERENCE, linewidth=2, label="x")
    for width, color in zip((1, 4, 16), SERIES, strict=False):
        level = float(network(width, SEED).exact([Fraction(0)]))
        ax.plot([-1, 1], [level, level], color=color, label=f"width {width}")
    ax.set(xlabel="x", ylabel="output")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
