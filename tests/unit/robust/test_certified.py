"""Certified radii: true on linear classifiers, below the distance, in their order where it is a theorem."""

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.network import Linear
from plica.robust import certified_radius, class_distance

METHODS = ("interval", "wong-kolter", "crown", "program")


@pytest.mark.parametrize("norm, size", [("l1", 2.0), ("l2", 3.0), ("linf", 5.0)])
def test_backward_bounds_are_exact_on_linear_classifiers(norm, size):
    network = plica.Network.sequential(3, [Linear(np.array([[1.0, 2.0, -2.0], [0.0, 0.0, 0.0]]), np.array([3.0, 0.0]))])
    for method in METHODS[1:]:
        radius = certified_radius(network, np.zeros(3), norm=norm, method=method)
        assert 3.0 / size * (1 - 1e-5) <= radius <= 3.0 / size


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("norm", ["l2", "linf"])
def test_certificates_stay_below_the_distance(seed, norm):
    network = plica.random_network([3, 8, 8, 3], seed=seed)
    x = np.random.default_rng(seed).normal(size=3) * 0.3
    upper = class_distance(network, x, norm=norm, timeout_s=2).upper
    radii = {m: certified_radius(network, x, norm=norm, method=m) for m in METHODS}
    assert all(0 < r <= upper for r in radii.values())
    assert radii["program"] >= radii["crown"] * (1 - 1e-5)


def test_unknown_methods_and_points_are_refused():
    network = plica.random_network([3, 8, 3], seed=0)
    with pytest.raises(InvalidInput, match="method"):
        certified_radius(network, np.zeros(3), method="milp")
    with pytest.raises(InvalidInput, match="coordinates"):
        certified_radius(network, np.zeros(2))
