"""The Washington lecture: interpolation, maxima, parity, scores."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np

from plica._types import Array
from plica.construct import maximum
from plica.exercises._exercise import Grade, need, one_number, task
from plica.geometry import Box, Space, decompose
from plica.measure import compare
from plica.network import Linear, Network, Rectifier

POINTS = ((0.0, 1.0), (0.25, -1.0), (0.5, 0.5), (0.75, 2.0), (1.0, 0.0))
_HAT = Network.sequential(
    1, [Linear(np.ones((3, 1)), np.array([0.0, -0.5, -1.0])), Rectifier(), Linear(np.array([[2.0, -4.0, 2.0]]), np.zeros(1))]
)


@task("washington", "network")
def through_five_points(network: Network) -> Grade:
    """Through five points.

    Build a network with 1 input, 1 output and one hidden layer of at most 4 neurons whose graph passes, to 1e-9, through (0, 1),
    (1/4, -1), (1/2, 1/2), (3/4, 2) and (1, 0).
    """
    refused = need(network, inputs=1, neurons=4)
    if refused is not None:
        return refused
    if len(network.widths) != 3:
        return Grade(False, "one hidden layer is asked for")
    x, y = np.array(POINTS).T
    off = float(np.abs(network(x[:, None])[:, 0] - y).max())
    return Grade(off <= 1e-9, f"it misses a point by {off:.3g}", {"deviation": off})


@task("washington", "network")
def a_hat(network: Network) -> Grade:
    """A hat.

    Build a network with 1 input, 1 output and at most 3 neurons that is 1 at 1/2, 0 at 0 and 1, straight between these and
    exactly 0 outside of [0, 1].
    """
    refused = need(network, inputs=1, neurons=3)
    if refused is not None:
        return refused
    pieces = decompose(network, Space(1)).n_regions
    inside, *outside = (_largest(network, _HAT, low, high) for low, high in ((0, 1), (-2, -1), (2, 3)))
    # three bends in all: two pieces that are zero outside and the two sides leave no room for another
    is_right = pieces == 4 and inside <= 1e-12 and not any(outside)
    why = f"{pieces} pieces, off by {float(inside):.3g} on [0, 1] and by {float(max(outside)):.3g} outside"
    return Grade(is_right, why, {"pieces": pieces})


def _largest(network: Network, other: Network, low: float, high: float) -> Fraction:
    """The largest difference of two networks of one input on an interval, exactly."""
    return abs(Fraction(compare(network, other, Box([low], [high])).largest.value))


@task("washington", "network")
def maximum_of_three(network: Network) -> Grade:
    """A maximum.

    Build a network with 3 inputs and 1 output, at most 2 hidden layers and 32 neurons, that is max(x, y, z), to 1e-9, on the
    cube [-1, 1]^3.
    """
    refused = need(network, inputs=3, neurons=32)
    if refused is not None:
        return refused
    if len(network.widths) > 4:
        return Grade(False, f"{len(network.widths) - 2} hidden layers, two are allowed")
    largest = abs(float(compare(network, maximum(3).network, Box([-1.0] * 3, [1.0] * 3)).largest.value))
    return Grade(largest <= 1e-9, f"it differs from the maximum by up to {largest:.3g}", {"deviation": largest})


@task("washington", "network")
def parity_of_four(network: Network) -> Grade:
    """Parity.

    Build a network with 4 inputs, 1 output and at most 4 neurons that gives, to 1e-9, the parity (0 or 1) of all 16 corners of
    the cube {0, 1}^4.
    """
    refused = need(network, inputs=4, neurons=4)
    if refused is not None:
        return refused
    corners = np.array(list(product((0.0, 1.0), repeat=4)))
    wrong = int((np.abs(network(corners)[:, 0] - corners.sum(1) % 2) > 1e-9).sum())
    return Grade(wrong == 0, f"{wrong} of 16 corners are wrong", {"wrong": wrong})


@task("washington", "numbers")
def variance_of_scores(numbers: Array) -> Grade:
    """Scores.

    Queries and keys have 48 independent entries with mean 0 and variance 2. By what must their products be divided to have
    variance 1? One number, to four digits behind the point.
    """
    found = one_number(numbers)
    variance = 48 * 2 * 2 / found / found if found else np.inf
    return Grade(abs(variance - 1) < 2e-5, f"divided by {found:g} they have variance {variance:.5g}", {"variance": variance})
