"""The same function with other activations."""

from __future__ import annotations

import numpy as np
import pytest

from plica.construct import sawtooth, with_activation
from plica.errors import InvalidInput
from plica.network import random_network


@pytest.mark.parametrize("activation", ["leaky", "abs", "hard-tanh"])
def test_a_random_network_is_the_same_function(activation: str) -> None:
    network = random_network([3, 7, 5, 2], seed=4)
    x = np.random.default_rng(0).uniform(-1, 1, (50, 3))
    np.testing.assert_allclose(with_activation(network, activation)(x), network(x), atol=1e-12)


def test_beyond_the_reach_it_is_another() -> None:
    narrow = with_activation(sawtooth(1).network, "hard-tanh", reach=0.25)
    assert abs(float(narrow([0.5])[0]) - 1.0) > 0.1


def test_what_is_no_relu_network_is_refused() -> None:
    for bad in ({"activation": "gelu"}, {"activation": "abs", "reach": 3.0}, {"activation": "leaky", "slope": 1.0}):
        with pytest.raises(InvalidInput):
            with_activation(sawtooth(1).network, **bad)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        with_activation(with_activation(sawtooth(1).network, "abs"), "leaky")
