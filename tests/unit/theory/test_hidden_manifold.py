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
