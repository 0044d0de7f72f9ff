"""Gaussian equivalents: moments by quadrature, covariances by their definition."""

from __future__ import annotations

from math import erf, pi, sqrt

import numpy as np
import pytest

from plica.theory.hidden_manifold import gaussian_equivalent

FUNCTIONS = {"identity": float, "relu": lambda u: max(u, 0.0), "sign": np.sign, "erf": erf, "tanh": np.tanh}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_three_numbers_are_moments_of_the_function(name: str) -> None:
    z = (np.arange(-12_000, 12_000) + 0.5) / 1000  # midpoints: no node at the corner of relu and sign
    f = np.array([FUNCTIONS[name](u) for u in z])
    weights = np.exp(-z * z / 2) / sqrt(2 * pi) / 1000
    found = gaussian_equivalent(name)
    assert (found.a, found.b, found.c) == pytest.approx((weights @ f, weights @ (z * f), weights @ (f * f)), abs=1e-6)


def test_the_covariance_of_rectified_features_is_that_of_a_sample_to_first_order() -> None:
    found = gaussian_equivalent("relu")
    F = np.array([[1.0, 0.2], [1.0, -0.2]])
    covariance = found.covariance(F)
    assert np.diagonal(covariance) == pytest.approx(0.5 - 1 / (2 * pi))
    assert covariance[0, 1] == pytest.approx(0.25 * (F[:, 0] @ F[:, 1]) / 2) and covariance[0, 1] == covariance[1, 0]
    assert found.noise**2 + found.a**2 + found.b**2 == pytest.approx(found.c)


def test_the_covariance_given_few_features_of_many_coordinates() -> None:
    """E X_i X_j - a^2 is b^2 times the correlation of U_i and U_j, a mean over the D latent coordinates."""
    found = gaussian_equivalent("relu")
    F = np.random.default_rng(0).normal(size=(2, 5))
    covariance = found.covariance(F)
    for i in range(5):
        for j in range(5):
            mean = sum(F[k, i] * F[k, j] for k in range(2)) / 2
            assert covariance[i, j] == pytest.approx(found.c - found.a**2 if i == j else found.b**2 * mean)
