"""The index of random Hessians: a measured spectrum plus a semicircle, beside matrices and beside the cubic."""

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.theory.landscape import hessian_density, hessian_index, semicircle_index


@pytest.mark.parametrize("variance", [0.1, 1.0])
def test_a_spectrum_plus_a_semicircle_is_that_of_matrices(variance: float) -> None:
    rng = np.random.default_rng(0)
    n = 400
    values = np.concatenate([np.full(n // 4, 0.05), np.linspace(0.2, 3, n - n // 4)])  # neither Wishart nor smooth
    A = rng.normal(size=(n, n))
    H = np.diag(values) + variance**0.5 * (A + A.T) / (2 * n) ** 0.5
    assert abs((np.linalg.eigvalsh(H) < 0).mean() - semicircle_index(values, variance)) < 3 / n


def test_with_the_spectrum_of_a_wishart_matrix_it_is_the_cubic() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 1200))
    values = np.linalg.eigvalsh(X @ X.T / 1200)
    assert abs(semicircle_index(values, 2 * 0.5) - hessian_index(0.5, 0.25)) < 2e-3


def test_densities_at_all_points_are_those_of_one_root_after_the_other() -> None:
    energy, phi = 0.3, 0.4
    x = np.linspace(-3, 5, 40)
    roots = [np.roots([2 * energy * phi, -(2 * energy + phi * z), z + phi - 1, -1.0]) for z in x]
    expected = [max(0.0, r.imag.max()) / np.pi for r in roots]
    np.testing.assert_allclose(hessian_density(x, energy, phi), expected, atol=1e-9)


@pytest.mark.parametrize(("values", "variance"), [([], 1.0), ([1.0], 0.0), ([np.nan], 1.0), ([1.0], np.inf)])
def test_spectra_that_are_none_are_refused(values: list[float], variance: float) -> None:
    with pytest.raises(InvalidInput, match="variance"):
        semicircle_index(values, variance)
