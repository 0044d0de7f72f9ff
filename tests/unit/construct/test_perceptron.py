"""Perceptrons: steps, cosines and exponentials, in floats, in rationals and in torch."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plica.construct import Perceptron
from plica.construct.perceptrons._perceptron import ACTIVATIONS
from plica.errors import InvalidInput, InvalidNetwork


def two_layers(activation: str) -> Perceptron:
    rng = np.random.default_rng(3)
    hidden = ((rng.normal(size=(4, 2)), rng.normal(size=4)), (rng.normal(size=(3, 6)) / 8, rng.normal(size=3)))
    return Perceptron(2, hidden, (rng.normal(size=(1, 9)), rng.normal(size=1)), activation)


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_the_torch_module_computes_the_same(activation: str) -> None:
    net = two_layers(activation)
    x = np.random.default_rng(0).normal(size=(50, 2))
    with torch.no_grad():
        there = net.to_torch()(torch.from_numpy(x)).numpy()
    assert np.allclose(net(x), there, rtol=1e-10, atol=1e-12)


@given(st.lists(st.integers(-64, 64), min_size=2, max_size=2))
def test_step_networks_agree_with_their_rational_twin(x: list[int]) -> None:
    rng = np.random.default_rng(1)
    dyadic = lambda *shape: rng.integers(-8, 9, shape) / 8.0  # noqa: E731
    net = Perceptron(2, ((dyadic(5, 2), dyadic(5)), (dyadic(3, 7), dyadic(3))), (dyadic(1, 10), dyadic(1)), "step")
    assert net.exact([Fraction(v, 16) for v in x])[0] == Fraction(float(net(np.array(x) / 16.0)[0]))


def test_a_step_is_one_at_its_threshold() -> None:
    net = Perceptron.shallow([[1.0]], [-0.5], [1.0], activation="step")
    assert net([0.5])[0] == 1.0 and net([np.nextafter(0.5, 0)])[0] == 0.0 and net.exact([Fraction(1, 2)]) == (1,)


def test_sizes_are_counted_without_zeros() -> None:
    net = Perceptron.shallow([[1.0, 0.0], [2.0, 3.0]], [0.0, 1.0], [1.0, 0.0], activation="cos", constant=0.5)
    assert (net.widths, net.n_neurons, net.n_weights, len(net.layers)) == ((2, 2, 1), 2, 6, 1)


def test_sigmoids_of_large_arguments_do_not_overflow() -> None:
    net = Perceptron.shallow([[1.0]], [0.0], [1.0], activation="sigmoid")
    with np.errstate(all="raise", under="ignore"):
        assert np.allclose(net([[-1e4], [0.0], [1e4]])[:, 0], [0.0, 0.5, 1.0])


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown activation"):
        Perceptron.shallow([[1.0]], [0.0], [1.0], activation="relu6")
    with pytest.raises(InvalidInput, match="belong together"):
        Perceptron.shallow([[1.0]], [0.0, 1.0], [1.0], activation="step")
    with pytest.raises(InvalidNetwork, match="finite"):
        Perceptron.shallow([[np.nan]], [0.0], [1.0], activation="step")
    with pytest.raises(InvalidNetwork, match="reads 3 numbers"):
        Perceptron(2, ((np.ones((1, 2)), np.zeros(1)),), (np.ones((1, 5)), np.zeros(1)), "cos")
    with pytest.raises(InvalidInput, match="shape"):
        Perceptron.shallow([[1.0]], [0.0], [1.0], activation="step")([1.0, 2.0])
    with pytest.raises(InvalidInput, match="no rational values"):
        Perceptron.shallow([[1.0]], [0.0], [1.0], activation="cos").exact([Fraction(1)])
