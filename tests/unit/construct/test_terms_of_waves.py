"""Every term of the certificates of waves is needed: each in turn is made the only one that counts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.construct import Construction, Polynomial, cosine_network, sine_network, texture_network
from plica.construct.polynomials import _cosine, _texture

PI = Fraction("3.14159265358979323846264338327950288419716939937510")
X = np.linspace(-1, 1, 20_001)


def force(monkeypatch: pytest.MonkeyPatch, module: Any, *teeth: int) -> None:
    """So many teeth, in the order in which they are asked for, whatever error would do."""
    given: Iterator[int] = iter(teeth)
    monkeypatch.setattr(module, "teeth_needed", lambda error_of, allowed: next(given))


def bound_and_error(found: Construction, wanted: np.ndarray) -> tuple[float, float]:
    assert found.certificate is not None
    return float(found.certificate.bound), float(np.abs(found(X[:, None])[:, 0] - wanted).max())


@pytest.mark.parametrize("frequency", [3, 40])
def test_with_fine_squares_a_wave_is_off_by_its_half_period(frequency: int, monkeypatch: pytest.MonkeyPatch) -> None:
    force(monkeypatch, _cosine, 18, 18)
    for build, wanted in ((cosine_network, np.cos), (sine_network, np.sin)):
        bound, seen = bound_and_error(build(frequency, 0.02), wanted(frequency * X))
        assert 1e-4 < seen <= bound <= 1.05 * seen


def test_with_fine_squares_a_texture_is_off_by_its_half_period(monkeypatch: pytest.MonkeyPatch) -> None:
    force(monkeypatch, _texture, 20, 18)
    bound, seen = bound_and_error(texture_network(Polynomial([0, 0, 1]), Polynomial([1]), 10, 0.02), np.cos(10 * X**2))
    assert 1e-4 < seen <= bound <= 1.2 * seen  # clipping to [-1, 1] cuts what is off at the top


def test_with_a_coarse_phase_a_texture_is_off_by_the_frequency_times_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    force(monkeypatch, _texture, 5, 18)
    bound, seen = bound_and_error(texture_network(Polynomial([0, 0, 1]), Polynomial([1]), 10, 1e-4), np.cos(10 * X**2))
    assert 1e-3 < seen <= bound <= 1.6 * seen


@pytest.mark.parametrize("frequency", [5, 1000, 2**20, Fraction(10**6, 7)])
def test_floats_lose_no_more_of_a_phase_than_is_said(frequency: int | Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """At x = 1 the phase is pi 2^s c, with c a float, in place of a; pi itself is known here to 50 digits."""
    a = Fraction(frequency)
    folds, lost = _cosine.folds_of_phase(a, a, Fraction(1, 1000))
    c = Fraction(float(a / (_cosine.FLOAT_PI * 2**folds)))
    off = abs(PI * 2**folds * c - a)
    assert c <= 1 + Fraction(1, 2**52) and off + Fraction(1, 2**52) <= lost
    half_period = _cosine.half_period
    monkeypatch.setattr(_cosine, "half_period", lambda allowed: half_period(Fraction(1, 10**12)))
    force(monkeypatch, _cosine, 26)
    certificate = cosine_network(frequency, 1e-6).certificate
    assert certificate is not None and off < lost <= Fraction(certificate.bound)
