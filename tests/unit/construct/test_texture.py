"""Textures: what the certificate speaks of is the wave that was asked for, and bad input is told."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from plica.construct import Polynomial, texture_network
from plica.errors import InvalidInput
from plica.theory.approximation import hastad_1986_switching_upper_bound, lipschitz_entropy_bits, parity_circuit_gates


def test_the_target_of_the_certificate_is_the_texture() -> None:
    net = texture_network(Polynomial([0, Fraction(1, 2), Fraction(1, 2)]), Polynomial([Fraction(1, 4), Fraction(1, 2)]), 20, 0.05)
    x = np.linspace(-1, 1, 401)
    wanted = np.cos(20 * (x + x**2) / 2) * (0.25 + x / 2)
    assert net.certificate is not None
    assert np.abs(np.asarray(net.certificate.target(x[:, None])).reshape(-1) - wanted).max() < 1e-12
    assert np.abs(net(x[:, None])[:, 0] - wanted).max() <= float(net.certificate.bound) <= 0.05


@pytest.mark.parametrize(
    "phase, envelope, frequency",
    [
        (Polynomial([0, 2]), Polynomial([1]), 10),
        (Polynomial([0, 1]), Polynomial([1, 1]), 10),
        (Polynomial({(1, 1): 1}), Polynomial([1]), 10),
        (Polynomial([0, 1]), Polynomial([1]), 0),
        (Polynomial([0, 1]), Polynomial([1]), 2**30),
    ],
)
def test_what_is_no_texture_is_refused(phase: Polynomial, envelope: Polynomial, frequency: int) -> None:
    with pytest.raises(InvalidInput):
        texture_network(phase, envelope, frequency, 0.1)


def test_the_switching_lemma_is_as_printed() -> None:
    assert hastad_1986_switching_upper_bound(3, 2, free=Fraction(1, 30)) == Fraction(1, 4)
    assert hastad_1986_switching_upper_bound(1, 1, free=0.1) == 0.5
    for width, depth, free in ((0, 1, 0.1), (1, -1, 0.1), (1, 1, 1.5)):
        with pytest.raises(InvalidInput):
            hastad_1986_switching_upper_bound(width, depth, free=free)


def test_sizes_without_a_meaning_are_refused() -> None:
    for error in (0, 1, -0.5):
        with pytest.raises(InvalidInput):
            lipschitz_entropy_bits(error)
    for fan, depth in ((1, 3), (2, 1)):
        with pytest.raises(InvalidInput):
            parity_circuit_gates(fan, depth)
