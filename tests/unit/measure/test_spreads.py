"""Spreads and counts that results carry, against their definitions."""

from __future__ import annotations

from statistics import stdev

import numpy as np
import pytest

from plica.measure import Ensemble, fold_distance
from plica.network import random_network


def test_the_error_of_a_mean_distance_is_the_deviation_over_the_root_of_the_number() -> None:
    net = random_network([2, 8, 1], seed=1, bias_std=0.5)
    found = fold_distance(net, np.random.default_rng(0).normal(size=(9, 2)))
    distances = [float(d) for d in found.distance]
    assert found.standard_error == pytest.approx(stdev(distances) / 3, rel=1e-12)
    assert np.isnan(fold_distance(net, np.zeros((1, 2))).standard_error)


def test_spreads_over_networks_divide_by_one_less_than_their_number() -> None:
    signal = Ensemble([3, 16, 16], n_networks=5, seed=2, activation="tanh", weight_std=1.5).estimate_signal([1.0, 0.5, -1.0])
    values = signal.lengths
    expected = [stdev(column) for column in values.T.tolist()]
    np.testing.assert_allclose(signal.spread(values), expected, rtol=1e-12)
    np.testing.assert_allclose(signal.standard_error(values), np.array(expected) / np.sqrt(5), rtol=1e-12)
    assert np.isinf(signal.spread(values[:1])).all() and np.isinf(signal.standard_error(values[:1])).all()
