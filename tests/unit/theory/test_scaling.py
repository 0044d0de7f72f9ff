"""Formulas away from the cases in which factors are 1: other widths, deviations, depths and slopes."""

from __future__ import annotations

from math import e, sqrt

import numpy as np
import pytest

from plica.theory import lengths, regions
from plica.theory.meanfield import Activation, JacobianSpectrum, MeanField


def test_crossings_depend_on_weights_and_biases_by_their_ratio_alone() -> None:
    one = regions.gaussian_layer_crossings(7, -0.3, 1.7, weight_std=3.0, bias_std=1.5)
    assert one == pytest.approx(regions.gaussian_layer_crossings(7, -0.6, 3.4, bias_std=1.0), rel=1e-12)
    assert one == pytest.approx(regions.gaussian_layer_crossings(7, -0.3, 1.7, weight_std=1.0, bias_std=0.5), rel=1e-12)


@pytest.mark.parametrize("bound", [
    lambda n, m: lengths.symmetric_lower_bound(n, m, mean_absolute=0.7, density=0.6),
    lambda n, m: lengths.price_tanner_2019_lower_bound(n, m, weight_std=1.4, density=0.6),
    lambda n, m: lengths.relu_length_factor_upper_bound(n, m, weight_std=1.4, density=0.6),
])  # fmt: skip
def test_bounds_of_lengths_grow_like_the_root_of_the_widths_ratio(bound) -> None:
    assert bound(8, 32) == pytest.approx(2 * bound(8, 8), rel=1e-12)
    assert bound(32, 8) == pytest.approx(bound(8, 8) / 2, rel=1e-12)


def test_a_bound_by_size_of_one_layer_counts_two_pieces_for_each_neuron() -> None:
    assert regions.telgarsky_2015_upper_bound_by_size(1, 1) == 2 and regions.telgarsky_2015_upper_bound_by_size(5, 1) == 10
    assert regions.telgarsky_2015_upper_bound([1, 5, 1]) == 10
    assert regions.telgarsky_2015_upper_bound_by_size(6, 3) == 4**3


@pytest.mark.parametrize("slope", [0.25, 2.0])
def test_the_largest_singular_value_of_an_orthogonal_layer_is_the_larger_slope(slope: float) -> None:
    spectrum = JacobianSpectrum("leaky-relu", weight_std=1.3, weights="orthogonal", slope=slope)
    assert spectrum.largest == pytest.approx(1.3**2 * max(1.0, slope**2), rel=1e-9)
    assert spectrum.mass_at_zero == 0 and spectrum.mass_at_top == 0.5


@pytest.mark.parametrize("weight_std", [0.8, 1.6])
def test_gradients_change_by_e_over_their_depth_scale(weight_std: float) -> None:
    field = MeanField("tanh", weight_std=weight_std, bias_std=0.2)
    change = field.chi_1**field.gradient_depth_scale
    assert change == pytest.approx(e if field.chi_1 > 1 else 1 / e, rel=1e-9)


def test_lengths_through_layers_multiply() -> None:
    factors = [lengths.relu_length_factor(n, m, weight_std=sqrt(2)) for n, m in ((3, 5), (5, 2))]
    assert lengths.relu_expected_length([3, 5, 2], weight_std=sqrt(2)) == pytest.approx(factors[0] * factors[1], rel=1e-12)


def test_a_table_of_bounds_gives_the_best_of_each_kind() -> None:
    table = regions.bounds((2, 8, 8, 1))
    values = {kind: [row.value for row in table if row.kind == kind] for kind in ("lower", "upper")}
    assert len(set(values["lower"])) > 1 and len(set(values["upper"])) > 1
    assert table.lower == max(values["lower"]) <= table.upper == min(values["upper"])


def test_an_activation_with_kinks_has_infinite_bend_energy_and_the_growth_of_its_energy() -> None:
    kinked = Activation("two slopes", lambda x: np.where(x > 1, 2 * x - 1, x), lambda x: np.where(x > 1, 2.0, 1.0))
    assert kinked.bend_energy(0.7) == np.inf
    assert np.array_equal(kinked.bend_energy(np.array([0.7, 2.0])), [np.inf, np.inf])
    step = 1e-4
    slope = (kinked.energy(0.7 + step) - kinked.energy(0.7 - step)) / (2 * step)
    assert kinked.energy_growth(0.7) == pytest.approx(slope, rel=5e-3)  # nodes of a rule know nothing of the kink


def test_correlations_of_he_networks_have_no_depth_scale() -> None:
    assert MeanField("relu", weight_std=sqrt(2), bias_std=0.0).correlation_depth_scale == np.inf
    assert MeanField("relu", weight_std=sqrt(2), bias_std=0.0).gradient_depth_scale == np.inf
