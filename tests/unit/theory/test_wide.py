"""Breakpoints and distances of wide random networks against the formula of Kac and Rice, integrated another way."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from scipy.integrate import quad

from plica.theory.regions import (
    gaussian_layer_crossings,
    hanin_rolnick_2019_breakpoints_upper_bound,
    hanin_rolnick_2019_regions_estimate,
    hanin_rolnick_2019_regions_upper_bound,
    wide_relu_breakpoints,
    wide_relu_fold_distance,
)


def density(t: float, layer: int, *, n_inputs: int, offset: float, bias_std: float) -> float:
    """Zeros of z along a line by Kac and Rice: sqrt(Var z Var z' - Cov^2) / (pi Var z)."""
    a = 2 / n_inputs
    value, mixed = a * (offset**2 + t * t) + layer * bias_std**2, a * t
    return float(np.sqrt(value * a - mixed**2) / (pi * value))


@pytest.mark.parametrize(("hidden", "n_inputs", "offset"), [([5], 1, 0.0), ([7, 4], 3, 0.0), ([6, 2, 9], 5, 1.3)])
def test_breakpoints_on_a_line_are_the_integral_of_kac_and_rice(hidden: list[int], n_inputs: int, offset: float) -> None:
    about = {"n_inputs": n_inputs, "offset": offset, "bias_std": 0.7}
    expected = sum(
        n * quad(lambda t, layer=layer: density(t, layer, **about), -0.8, 2.1)[0] for layer, n in enumerate(hidden, start=1)
    )
    assert wide_relu_breakpoints(hidden, -0.8, 2.1, **about) == pytest.approx(expected, rel=1e-9)


def test_one_layer_is_that_of_separating_angles() -> None:
    # N(0, 2) weights: a standard deviation of sqrt 2
    one = gaussian_layer_crossings(9, -0.4, 1.5, bias_std=0.6, weight_std=2**0.5)
    assert wide_relu_breakpoints([9], -0.4, 1.5, bias_std=0.6) == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize("n_inputs", [1, 2, 4])
def test_the_rate_of_folds_around_a_point_is_that_of_gaussian_gradients(n_inputs: int) -> None:
    hidden, bias_std, radius = [3, 5], 0.6, 1.7
    x = np.zeros(n_inputs)
    x[0] = radius
    rng = np.random.default_rng(0)
    a, rate = 2 / n_inputs, 0.0
    for layer, n in enumerate(hidden, start=1):
        covariance = np.eye(n_inputs + 1) * a
        covariance[0, 0] = a * radius**2 + layer * bias_std**2
        covariance[0, 1:] = covariance[1:, 0] = a * x
        given = covariance[1:, 1:] - np.outer(covariance[1:, 0], covariance[0, 1:]) / covariance[0, 0]
        gradients = rng.multivariate_normal(np.zeros(n_inputs), given, size=200_000)
        rate += 2 * n / np.sqrt(2 * pi * covariance[0, 0]) * np.linalg.norm(gradients, axis=1).mean()
    found = wide_relu_fold_distance(hidden, radius, n_inputs=n_inputs, bias_std=bias_std)
    assert float(found) == pytest.approx(1 / rate, rel=0.01)  # 200,000 vectors: 4 standard errors are 0.7 %


def test_bounds_of_hanin_and_rolnick_have_their_constants() -> None:
    assert hanin_rolnick_2019_breakpoints_upper_bound(5, 3.0, c_grad=2.0, c_bias=0.7) == pytest.approx(21.0, rel=1e-14)
    assert hanin_rolnick_2019_regions_upper_bound(7, 3, c_grad=2.0, c_bias=0.25) == pytest.approx(112**3 / 6, rel=1e-14)
    assert hanin_rolnick_2019_regions_upper_bound(3, 3, c_grad=2.0, c_bias=0.25) == pytest.approx(48**3 / 6, rel=1e-14)
    assert hanin_rolnick_2019_regions_upper_bound(2, 3, c_grad=2.0, c_bias=0.25) == 4
    assert hanin_rolnick_2019_regions_estimate(10, 3) * 6 == 1000


def test_the_law_of_random_networks_on_a_line_is_one_region_for_each_neuron() -> None:
    assert hanin_rolnick_2019_regions_estimate(7, 1) == 7
    assert hanin_rolnick_2019_regions_upper_bound(7, 1, c_grad=0.5, c_bias=0.25) == 32 * 0.125 * 7
