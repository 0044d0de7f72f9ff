"""Models that make data: densities, scores, likelihoods and distances against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.stats import multivariate_normal

from plica.errors import InvalidInput
from plica.theory.generative import (
    gaussian_frechet_distance,
    jensen_shannon,
    mixture_density,
    mixture_score,
    optimal_discriminator,
    ppca_log_likelihood,
    ppca_noise,
)

MEANS = np.array([-1.0, 0.5, 2.0])


@pytest.mark.parametrize("std", [0.3, 1.0, 2.5])
def test_a_mixture_is_a_density_and_its_score_the_slope_of_its_logarithm(std: float) -> None:
    x = np.linspace(-40.0, 40.0, 20_001)
    density = mixture_density(x, MEANS, std)
    assert np.trapezoid(density, x) == pytest.approx(1.0, rel=1e-9)
    assert np.trapezoid(density * x, x) == pytest.approx(MEANS.mean(), rel=1e-9)
    assert np.trapezoid(density * x**2, x) == pytest.approx((MEANS**2).mean() + std**2, rel=1e-9)
    at, h = np.array([-1.7, -0.2, 0.9, 3.1]), 1e-5
    slope = (np.log(mixture_density(at + h, MEANS, std)) - np.log(mixture_density(at - h, MEANS, std))) / (2 * h)
    np.testing.assert_allclose(mixture_score(at, MEANS, std), slope, rtol=1e-6)


def test_principal_components_have_the_likelihood_of_the_gaussian_that_they_are() -> None:
    values, k = np.array([5.0, 2.0, 0.7, 0.4, 0.1]), 2
    noise = ppca_noise(values, k)
    assert noise == pytest.approx(np.mean([0.7, 0.4, 0.1]))
    model = np.diag([5.0, 2.0, noise, noise, noise])  # the covariance with the largest likelihood, in the basis of the data's
    points = np.concatenate([np.sqrt(5 * values)[:, None] * np.eye(5), -np.sqrt(5 * values)[:, None] * np.eye(5)])
    assert np.allclose(points.T @ points / len(points), np.diag(values))
    expected = multivariate_normal(np.zeros(5), model).logpdf(points).mean()
    assert ppca_log_likelihood(values[::-1], k) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InvalidInput, match="latent"):
        ppca_noise(values, 5)


def test_no_discriminator_beats_the_optimal_one_whose_game_has_twice_the_divergence_minus_log_4() -> None:
    x = np.linspace(-12.0, 14.0, 4001)
    p, q = mixture_density(x, np.array([0.0]), 1.0), mixture_density(x, np.array([1.5]), 1.3)

    def value(d: np.ndarray) -> float:
        return float(np.trapezoid(p * np.log(d) + q * np.log(1 - d), x))

    best = np.clip(optimal_discriminator(p, q), 1e-12, 1 - 1e-12)
    assert value(best) == pytest.approx(2 * jensen_shannon(p, q, x[1] - x[0]) - np.log(4), abs=1e-6)
    for wave in (np.sin(x), np.cos(2 * x)):
        assert value(np.clip(best + 0.05 * wave * best * (1 - best), 1e-12, 1 - 1e-12)) < value(best)


def test_the_frechet_distance_has_the_root_of_the_product_of_covariances() -> None:
    rng = np.random.default_rng(0)
    A, B = (m @ m.T + 0.1 * np.eye(3) for m in rng.normal(size=(2, 3, 3)))
    m, n = rng.normal(size=(2, 3))
    expected = ((m - n) ** 2).sum() + np.trace(A + B - 2 * np.real(sqrtm(A @ B)))
    assert gaussian_frechet_distance(m, A, n, B) == pytest.approx(expected, rel=1e-9)
    assert gaussian_frechet_distance(n, B, m, A) == pytest.approx(expected, rel=1e-9)


def test_densities_and_scores_of_tables_of_points_are_those_of_the_points() -> None:
    x = np.array([[-1.0, 0.2, 3.0], [0.7, 5.0, -2.0]])
    for found in (mixture_density, mixture_score):
        assert found(x, MEANS, 0.8) == pytest.approx(np.array([[float(found(v, MEANS, 0.8)) for v in row] for row in x]))
    single = [np.exp(-((0.2 - m) ** 2) / (2 * 0.8**2)) / np.sqrt(2 * np.pi * 0.8**2) for m in MEANS]
    assert float(mixture_density(0.2, MEANS, 0.8)) == pytest.approx(sum(single) / 3)


def test_far_from_all_means_the_score_points_to_the_nearest() -> None:
    assert float(mixture_score(np.array(300.0), MEANS, 0.5)) == pytest.approx(-(300 - 2.0) / 0.25)
