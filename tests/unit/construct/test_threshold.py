"""Threshold networks: as many units as the theorem says, an error that is enclosed, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.construct import Perceptron, PiecewisePolynomial, Polynomial, sin, sqrt, threshold, variables
from plica.construct.perceptrons._certificate import step_error
from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput

(x,) = variables(1)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 12), st.floats(0.02, 2.0), st.booleans())
def test_the_error_is_within_eps_with_as_many_units_as_promised(rho: int, eps: float, midpoint: bool) -> None:
    t = threshold(sin(rho * x), error=eps, lipschitz=rho, midpoint=midpoint)
    assert t.n_units == ceil(Fraction(rho) / Fraction(eps) / (2 if midpoint else 1))
    error = t.certificate.true_error
    assert error.low <= error.high <= t.certificate.bound <= eps * (1 + 1e-10)
    grid = np.linspace(0, 1, 1001)
    assert np.abs(t(grid[:, None])[:, 0] - np.sin(rho * grid)).max() <= error.high


def test_levels_are_the_values_of_the_function_exactly() -> None:
    t = threshold(Polynomial([0, 1]), error=Fraction(1, 8), lipschitz=1)
    assert [t.network.exact([Fraction(k, 8)])[0] for k in range(8)] == [Fraction(k, 8) for k in range(8)]
    assert t.certificate.true_error.high == pytest.approx(0.125, rel=1e-12)


def test_a_zigzag_meets_the_bound() -> None:
    tent = PiecewisePolynomial([0, Fraction(1, 2), 1], [Polynomial([0, 2]), Polynomial([2, -2])])
    t = threshold(tent, error=0.125, lipschitz=2)
    error = t.certificate.true_error
    assert t.n_units == 16 and error.low == pytest.approx(0.125) and error.high == pytest.approx(0.125, rel=1e-9)


def test_other_intervals_count_their_length() -> None:
    assert threshold(sin(x), error=0.25, lipschitz=1, interval=(-2.0, 3.0)).n_units == 20


def test_a_tampered_weight_is_rejected_and_one_unit_in_the_last_place_is_not() -> None:
    certificate = threshold(sin(3 * x), error=0.1, lipschitz=3).certificate
    assert certificate.verify() and certificate.verify(certificate.network.to_torch())
    rng = np.random.default_rng(0)
    for k in range(40):
        arrays = [[a.copy() for a in layer] for layer in (*certificate.network.hidden, certificate.network.output)]
        array = arrays[rng.integers(2)][rng.integers(2)]
        index = tuple(rng.integers(n) for n in array.shape)
        amount = 1e-6 if k % 2 else np.spacing(array[index])
        if not array[index] and not k % 2:
            continue
        array[index] += amount
        model = Perceptron(1, (tuple(arrays[0]),), tuple(arrays[1]), "step")  # type: ignore[arg-type]
        assert bool(certificate.verify(model)) == (not k % 2)
    assert not certificate.verify(Perceptron.shallow([[1.0]], [0.0], [1.0], activation="step"))


def test_units_that_face_left_are_enclosed_too() -> None:
    steps = Perceptron.shallow([[-1.0], [1.0]], [0.5, -0.5], [1.0, 2.0], activation="step")  # 1, then 3 at 1/2, then 2
    error = step_error(steps, Polynomial([2]), (0.0, 1.0))
    assert error.low == pytest.approx(1.0) and error.high == pytest.approx(1.0)


def test_bad_arguments_are_refused_with_the_numbers() -> None:
    with pytest.raises(InvalidInput, match="slope reaches 5"):
        threshold(sin(5 * x), error=0.1, lipschitz=2)
    with pytest.raises(InvalidInput, match="must be positive, got -1"):
        threshold(sin(x), error=-1)
    with pytest.raises(InvalidInput, match="positive"):
        threshold(sin(x), error=0.0)
    with pytest.raises(InvalidInput, match="no bounded slope"):
        threshold(sqrt(x), error=0.1)
    with pytest.raises(InvalidDomain, match="in order"):
        threshold(sin(x), error=0.1, interval=(1.0, 0.0))
    with pytest.raises(BudgetExceeded, match="units"):
        threshold(sin(x), error=1e-9, lipschitz=1)
    with pytest.raises(InvalidInput, match="2 variables"):
        threshold(variables(2)[1], error=0.1)
