"""Exact L1 distances between the sawtooth and networks with few pieces, and the networks: trained ones, and one that copies."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from plica.claims.approximation._training import trained
from plica.geometry import Segment, decompose
from plica.network import Linear, Network, Rectifier


def sawtooth_value(depth: int, x: Fraction) -> Fraction:
    """The tent map of a point in [0, 1], iterated."""
    for _ in range(depth):
        x = 2 * x if 2 * x <= 1 else 2 - 2 * x
    return x


def absolute_area(a: Fraction, b: Fraction, width: Fraction) -> Fraction:
    """The integral of |e| over an interval on which e is affine, from its values at the ends."""
    if a * b >= 0:
        return abs(a + b) * width / 2
    return (a * a + b * b) * width / (2 * (abs(a) + abs(b)))


def distance(network: Network, depth: int) -> Fraction:
    """The integral over [0, 1] of the absolute difference of a network and the sawtooth of the given depth, in rationals."""
    cx = decompose(network, Segment([0.0], [1.0]))
    knots = [cx.exact_vertex(i)[0] for i in range(cx.n_cells + 1)]
    n = 2**depth
    total = Fraction(0)
    for i, (left, right) in enumerate(pairwise(knots)):
        slope, constant = cx.exact_map(i).fractions()
        first, last = int(left * n) + 1, -(-right.numerator * n // right.denominator) - 1
        cuts = [left, *(Fraction(j, n) for j in range(first, last + 1)), right]
        errors = [slope * x + constant - sawtooth_value(depth, x) for x in cuts]
        total += sum(
            (absolute_area(a, b, q - p) for (p, q), (a, b) in zip(pairwise(cuts), pairwise(errors), strict=True)), Fraction(0)
        )
    return total


def copying_network(depth: int, units: int) -> Network:
    """One layer of units that face left: it follows as many segments of the sawtooth as it has units, then stays at 1/2."""
    n = 2.0**depth
    ends = np.append(np.arange(1.0, units), units - 0.5) / n
    slopes = n * (-1.0) ** np.arange(units)
    turns = np.append(slopes[1:], 0.0) - slopes
    return Network.sequential(
        1, [Linear(-np.ones((units, 1)), ends), Rectifier(), Linear(turns[None, :], np.array([0.5]))], name="copy"
    )


def trained_network(hidden: tuple[int, ...], depth: int, *, steps: int, seed: int) -> Network:
    """A ReLU network that Adam fits to the sawtooth in the mean absolute error."""
    x = np.linspace(0, 1, 2 * 2**depth + 1)[:, None]  # all knots and all middles
    y = 1 - np.abs(1 - np.mod(x * 2**depth, 2))
    return trained((1, *hidden, 1), x, y, "absolute", steps=steps, seed=seed)
