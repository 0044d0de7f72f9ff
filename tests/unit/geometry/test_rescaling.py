"""When networks need units of their own: where numbers may leave the range of floats, and not because layers are many."""

import numpy as np
import pytest

from plica.geometry import Box, decompose
from plica.geometry.values._rescaling import rescaled
from plica.network import Linear, Network, Rectifier, random_network

SQUARE = Box([-1, -1], [1, 1])


def test_many_layers_of_ordinary_norms_need_no_units() -> None:
    network = random_network([2, *[8] * 96, 1], seed=0, weights="he-normal", bias_std=0.5)
    floats, exponents = rescaled(network, SQUARE)
    assert floats is network and not any(exponents)
    assert decompose(network, SQUARE).decisions.integer == 0


@pytest.mark.parametrize("factor", [2.0**6, 2.0**-6])
def test_many_layers_that_grow_or_shrink_together_need_them(factor: float) -> None:
    layers = [Linear(factor * np.eye(2), np.zeros(2)), Rectifier(0.0)] * 90
    _, exponents = rescaled(Network.sequential(2, [*layers, Linear(np.ones((1, 2)), np.zeros(1))]), SQUARE)
    assert any(exponents)
