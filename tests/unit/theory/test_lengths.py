"""Laws and bounds of trajectory length against each other and against sampling."""

from __future__ import annotations

from math import comb, gamma, pi, sqrt

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.theory import lengths


def test_the_factor_has_its_known_values():
    for n, value in ((4, 1.1859), (16, 1.3579), (64, 1.4003)):
        assert lengths.relu_length_factor(n, n, weight_std=2.0) == pytest.approx(value, abs=5e-5)


def test_at_he_initialization_the_factor_is_one_minus_five_eighths_over_width():
    for n in (50, 200, 1000):
        deficit = 1 - lengths.relu_length_factor(n, n, weight_std=sqrt(2.0))
        assert deficit == pytest.approx(5 / (8 * n), rel=1 / n + 1e-3)


def test_the_factor_is_the_mean_norm_of_a_masked_gaussian():
    rng = np.random.default_rng(0)
    n_in, n_out = 3, 5
    rows = rng.normal(size=(400_000, n_out)) * (rng.random((400_000, n_out)) < 0.5) * 1.7 / sqrt(n_in)
    norms = np.linalg.norm(rows, axis=1)
    assert abs(norms.mean() - lengths.relu_length_factor(n_in, n_out, weight_std=1.7)) < 5 * norms.std() / sqrt(400_000)


@pytest.mark.parametrize("n_in", [2, 8, 64])
@pytest.mark.parametrize("n_out", [1, 16, 100])
def test_bounds_enclose_the_exact_factor(n_in, n_out):
    exact = lengths.relu_length_factor(n_in, n_out, weight_std=1.3)
    assert lengths.price_tanner_2019_lower_bound(n_in, n_out, weight_std=1.3) <= exact * (1 + 1e-12)
    assert exact <= lengths.relu_length_factor_upper_bound(n_in, n_out, weight_std=1.3)


def test_the_gap_of_the_gaussian_bound_is_root_pi_over_density():
    for density in (1.0, 0.3):
        ratio = lengths.relu_length_factor_upper_bound(9, 9, weight_std=2, density=density)
        ratio /= lengths.price_tanner_2019_lower_bound(9, 9, weight_std=2, density=density)
        assert ratio == pytest.approx(sqrt(pi / density))


def test_szareks_constant_is_attained_by_two_equal_weights():
    """E|w1 + w2| for signs is 1 = sqrt(2) / sqrt(2): Khintchine's inequality with 1 / sqrt 2 is sharp."""
    u = np.array([1.0, 1.0]) / sqrt(2)
    signs = np.array([[a, b] for a in (-1, 1) for b in (-1, 1)])
    mean = np.abs(signs @ u).mean()
    assert mean == pytest.approx(1 / sqrt(2))
    assert lengths.symmetric_lower_bound(1, 1, mean_absolute=1.0) == pytest.approx(mean / 2)


def test_expected_lengths_multiply():
    product = lengths.relu_length_factor(3, 5, weight_std=1.5) * lengths.relu_length_factor(5, 2, weight_std=1.5)
    assert lengths.relu_expected_length([3, 5, 2], weight_std=1.5) == pytest.approx(product)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lengths.relu_length_factor(0, 3, weight_std=1.0), "positive"),
        (lambda: lengths.relu_length_factor(3, 3, weight_std=-1.0), "scale"),
        (lambda: lengths.relu_expected_length([3], weight_std=1.0), "no layer"),
        (lambda: lengths.price_tanner_2019_lower_bound(3, 3, weight_std=1.0, density=0.0), "density"),
        (lambda: lengths.symmetric_lower_bound(3, 3, mean_absolute=1.0, density=1.5), "density"),
        (lambda: lengths.relu_length_factor_upper_bound(3, 3, weight_std=float("nan")), "scale"),
    ],
)
def test_bad_input_gets_a_clear_error(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()


@pytest.mark.parametrize("density", [1.0, 0.5, 0.1])
def test_one_unit_along_one_coordinate_stretches_by_what_its_weight_does(density: float) -> None:
    """Then |D w . u| is relu(w_1): kept with the density, positive half the time. Gaussian weights attain their lower bound."""
    n_in, std = 7, 1.3
    gaussian = density * (std / sqrt(n_in)) * sqrt(2 / pi) / 2
    assert lengths.price_tanner_2019_lower_bound(n_in, 1, weight_std=std, density=density) == pytest.approx(gaussian, rel=1e-12)
    signs = density * (std / sqrt(n_in)) / 2  # weights +-std / sqrt(n_in)
    bound = lengths.symmetric_lower_bound(n_in, 1, mean_absolute=std, density=density)
    assert bound == pytest.approx(signs / sqrt(2), rel=1e-12)  # Szarek's constant, attained by two equal coordinates


@pytest.mark.parametrize("bias", [0.0, 0.4, 3.0])
def test_the_base_for_hard_tanh_is_the_theorem_s_with_biases(bias: float) -> None:
    """As printed: sigma_w / (sigma_w^2 + sigma_b^2)^(1/4) times sqrt(k) / sqrt(sqrt(sigma_w^2 + sigma_b^2) + k)."""
    for n, std in ((16, 1.5), (256, 4.0)):
        total = sqrt(std**2 + bias**2)
        printed = std / sqrt(total) * sqrt(n) / sqrt(total + n)
        assert lengths.raghu_2017_hard_tanh_base(n, weight_std=std, bias_std=bias) == pytest.approx(printed, rel=1e-12)


def test_the_factor_of_areas_is_that_of_layers_which_are_drawn():
    """The area of the image of a square by the derivative of relu(W x + b), with all that is random drawn."""
    rng = np.random.default_rng(1)
    n_in, n_out, n = 3, 4, 200_000
    W = rng.normal(size=(n, n_out, n_in)) * 1.7 / sqrt(n_in)
    active = W @ np.array([0.3, -0.2, 0.9]) + rng.normal(size=(n, n_out)) > 0
    a, b = (W[:, :, k] * active for k in (0, 1))
    gram = (a * a).sum(1) * (b * b).sum(1) - (a * b).sum(1) ** 2
    areas = np.sqrt(np.maximum(gram, 0))
    assert abs(areas.mean() - lengths.relu_area_factor(n_in, n_out, weight_std=1.7)) < 5 * areas.std() / sqrt(n)


def test_the_factor_of_areas_is_a_sum_over_numbers_of_active_units():
    """With K of them chi_K chi_(K - 1) on average, as products of quotients of gamma functions."""
    for n_in, n_out in ((2, 1), (5, 2), (4, 7)):
        total = sum(
            comb(n_out, k)
            / 2**n_out
            * (sqrt(2) * gamma((k + 1) / 2) / gamma(k / 2))
            * (sqrt(2) * gamma(k / 2) / gamma((k - 1) / 2))
            for k in range(2, n_out + 1)
        )
        found = lengths.relu_area_factor(n_in, n_out, weight_std=1.3)
        assert found == pytest.approx(1.3**2 / n_in * total, rel=1e-12, abs=1e-15)
    assert lengths.relu_expected_area([2, 5, 3], weight_std=1.1) == pytest.approx(
        lengths.relu_area_factor(2, 5, weight_std=1.1) * lengths.relu_area_factor(5, 3, weight_std=1.1)
    )


@pytest.mark.parametrize("n", [1, 3, 8])
def test_the_base_for_relu_is_the_theorem_s(n: int) -> None:
    assert lengths.raghu_2017_relu_base(n, weight_std=1.7) == pytest.approx(1.7 * sqrt(n) / sqrt(n + 1))
