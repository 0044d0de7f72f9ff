"""Constants of deformations, against integrals and against operators as matrices."""

from __future__ import annotations

from math import exp, pi, sqrt

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.theory.scattering import commutator_constant, deformation_bound, dilation_constant, translation_constant

Z = np.linspace(-12, 12, 24_001)
STEP = float(Z[1] - Z[0])


def filter_(z: np.ndarray, width: float) -> np.ndarray:
    kappa = exp(-(width**2) / 2) if width else 0.0
    return np.exp(-0.5 * z**2) / sqrt(2 * pi) * (np.exp(1j * width * z) - kappa)


@pytest.mark.parametrize("width", [0.0, 1.5, 2.5, 4.0])
@pytest.mark.parametrize("slope", [0.0, 0.02, 0.1])
def test_constant_is_the_integral_of_suprema_or_little_more(width: float, slope: float) -> None:
    stretches = np.linspace(1 - slope, 1 + slope, 41) if slope else [1.0]
    values, slopes = np.zeros_like(Z), np.zeros_like(Z)
    for stretch in stretches:
        z = stretch * Z
        values = np.maximum(values, np.abs(filter_(z, width)))
        slopes = np.maximum(slopes, np.abs(filter_(z + 1e-6, width) - filter_(z - 1e-6, width)) / 2e-6)
    integral = STEP * float((np.abs(Z) * slopes + values).sum())
    found = commutator_constant(width, slope)
    assert integral <= found * (1 + 1e-6)
    assert found <= (1.8 if width == 1.5 else 1.5) * integral
    if not width and not slope:
        assert found == pytest.approx(integral, rel=1e-6)


@pytest.mark.parametrize("width", [0.0, 2.5])
def test_filter_and_deformation_commute_up_to_the_constant(width: float) -> None:
    n, sigma = 400, 8.0
    u = np.arange(n)
    away = (u[:, None] - u[None] + n / 2) % n - n / 2
    rng = np.random.default_rng(3)
    for slope in (0.02, 0.2):
        tau = slope * n / (4 * pi) * np.sin(4 * pi * u / n + rng.uniform(0, 6))
        steep = slope * np.cos(4 * pi * u / n)  # as large as tau' is anywhere
        lag = away - (tau[:, None] - tau[None])
        kernel = filter_(away / sigma, width) / sigma - (1 - steep[None]) * filter_(lag / sigma, width) / sigma
        assert np.linalg.norm(kernel, 2) <= commutator_constant(width, slope) * slope


def test_bound_adds_layers_and_means() -> None:
    one = deformation_bound(0.01, 0.0, order=0, sigma=4.0, wavelets=[(2.0, 1.0)])
    assert one == pytest.approx(0.01 * commutator_constant(0.0, 0.01) / sqrt(0.99))
    layers = [deformation_bound(0.01, 0.0, order=m, sigma=4.0, wavelets=[(2.0, 1.0)]) - one for m in (1, 2)]
    assert layers[1] == pytest.approx(2 * layers[0])
    norm = np.hypot(commutator_constant(0.0, 0.01), commutator_constant(2.0, 0.01))
    assert layers[0] == pytest.approx(0.01 * norm / sqrt(0.99))
    # a translation: the Gaussian mean moves by the integral of its slope
    phi = np.exp(-0.5 * (Z / 2) ** 2) / (2 * sqrt(2 * pi))
    moved = float(np.abs(np.diff(phi)).sum())
    assert deformation_bound(0.0, 0.3, order=3, sigma=2.0, wavelets=[]) == pytest.approx(0.3 * moved * 2, rel=1e-6)
    doubled = deformation_bound(0.01, 0.3, order=1, sigma=2.0, wavelets=[(2.0, 2.0)], gain=2.0)
    assert doubled == pytest.approx(2 * deformation_bound(0.01, 0.3, order=1, sigma=2.0, wavelets=[(2.0, 1.0)]))


def test_what_is_no_deformation_is_refused() -> None:
    with pytest.raises(InvalidInput, match="slope"):
        commutator_constant(1.0, 1.0)
    with pytest.raises(InvalidInput, match="sigma"):
        deformation_bound(0.1, 0.1, order=1, sigma=0.0, wavelets=[])


@pytest.mark.parametrize("width", [0.3, 1.0, 2.5])
def test_the_constant_of_dilations_is_a_supremum_over_an_octave(width: float) -> None:
    """Differences of the transform of a wavelet instead of its derivative, over eighty octaves."""

    def wavelet(u: np.ndarray) -> np.ndarray:
        return np.exp(-(width**2) * (u - 1) ** 2 / 2) - np.exp(-(width**2) / 2) * np.exp(-(width**2) * u**2 / 2)

    u, h = 2 ** np.linspace(0, 1, 400), 1e-5
    scaled = [2.0**j * u for j in range(-40, 41)]
    squares = sum(((wavelet(v * (1 + h)) - wavelet(v * (1 - h))) / (2 * h)) ** 2 for v in scaled)
    assert dilation_constant(width) == pytest.approx(float(np.sqrt(squares.max() / 2)), rel=2e-4)
    shifts = np.linspace(1e-3, 8.0, 20_001)
    for sigma, order in ((1.6, 0), (0.5, 2)):
        steepest = float((shifts * np.exp(-(sigma**2) * shifts**2 / 2)).max())
        assert translation_constant(sigma, order) == pytest.approx(np.sqrt(order + 1) * steepest, rel=1e-4)
