"""Merged steps are the same function in fractions, with fewer folds; what would be rounded is left alone."""

from fractions import Fraction

import numpy as np
import pytest

import plica
from plica.network import Linear, Network, Rectifier
from plica.robust._exact_steps import ExactSteps
from plica.robust.bounds import Steps, merged, steps_of


def lattice(n: int, seed: int, *, half: float = 0.5) -> Network:
    """The largest of n affine functions (some of them twice), each maximum by four rectifiers, as lattice networks have it."""
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, max(2, n // 2), size=n)
    weight, offset = rng.normal(size=(n, 2)).astype(np.float32)[chosen], rng.normal(size=n).astype(np.float32)[chosen]
    ops = [Linear(weight.astype(float), offset.astype(float))]
    while n > 1:
        first = np.zeros((2 * n, n))
        second = np.zeros((n // 2, 2 * n))
        for k in range(n // 2):
            a, b = np.eye(n)[2 * k], np.eye(n)[2 * k + 1]
            first[4 * k : 4 * k + 4] = [a - b, b - a, a + b, -a - b]
            second[k, 4 * k : 4 * k + 4] = [half, half, half, -half]
        ops += [Linear(first), Rectifier(), Linear(second)]
        n //= 2
    return Network.sequential(2, ops)


def same(a: Steps, b: Steps, n_inputs: int) -> bool:
    rng = np.random.default_rng(0)
    points = [[Fraction(int(v), 97) for v in rng.integers(-300, 300, size=n_inputs)] for _ in range(20)]
    return all(ExactSteps(a).values(x) == ExactSteps(b).values(x) for x in points)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [2, 8, 16])
def test_a_maximum_of_four_rectifiers_has_one_fold(n, seed):
    steps = steps_of(lattice(n, seed))
    fewer = merged(steps)
    assert steps.n_neurons == 4 * (n - 1) and fewer.n_neurons <= n - 1
    assert same(steps, fewer, 2)


def test_the_sum_of_a_maximum_is_no_fold():
    steps = steps_of(lattice(2, 3))
    (rectifier,) = (s for s in merged(steps).steps if hasattr(s, "slope"))
    assert rectifier.slope.tolist() == [-1.0]


def test_weights_that_would_be_rounded_stay_apart():
    """Thirds of opposite neurons: their halves add up with rounding, so nothing is merged; equal neurons may be."""
    steps = steps_of(lattice(4, 0, half=1 / 3))
    fewer = merged(steps)
    assert same(steps, fewer, 2)
    assert all((s.slope == 0).all() for s in fewer.steps if hasattr(s, "slope"))


@pytest.mark.parametrize("seed", range(12))
def test_equal_opposite_and_silent_neurons_change_nothing(seed):
    rng = np.random.default_rng(seed)
    dyadic = (lambda *s: rng.integers(-4, 5, size=s) / 4.0) if seed % 2 else (lambda *s: rng.normal(size=s))
    first, bias = dyadic(5, 3), dyadic(5)
    first, bias = np.concatenate([first, -first, first, np.zeros((2, 3))]), np.concatenate([bias, -bias, bias, [0.0, 1.0]])
    slope = np.array(0.25 if seed % 3 == 0 else 0.0)
    ops = [Linear(first, bias), Rectifier(slope), Linear(dyadic(6, 17), dyadic(6)), Rectifier(), Linear(dyadic(2, 6))]
    network = Network.sequential(3, ops)
    steps = steps_of(network)
    assert same(steps, merged(steps), 3)


def test_networks_without_such_neurons_are_returned_as_they_are():
    steps = steps_of(plica.random_network([3, 8, 8, 2], seed=0))
    assert merged(steps) is steps
