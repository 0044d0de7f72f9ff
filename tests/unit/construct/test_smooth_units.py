"""Products of smooth units, Barron's networks, Fourier features, kernels."""

from __future__ import annotations

from math import comb, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.construct import (
    CosineSpectrum,
    GaussianSpectrum,
    Perceptron,
    RadialSpectrum,
    barron,
    deep_monomial,
    estimate_squared_error,
    feature_regression,
    fourier_features,
    gaussian_kernel,
    kernel_regression,
    multiplication,
    polynomial_features,
    polynomial_kernel,
    polynomial_regression,
    product_network,
    shallow_monomial,
)
from plica.construct.perceptrons._activations import derivative, derivative_bound
from plica.construct.perceptrons._circuit import UnitCircuit, gate
from plica.construct.perceptrons._multiplication import _power, _times
from plica.errors import BudgetExceeded, InvalidInput
from plica.theory.approximation import deep_monomial_units, shallow_monomial_units


@pytest.mark.parametrize("activation", ["softplus", "exp", "sigmoid"])
def test_derivatives_agree_with_differences_and_stay_below_their_bounds(activation: str) -> None:
    h = 1e-5
    for order in range(1, 5):
        for at in (-1.0, 0.0, 0.5, 2.0):
            slope = (derivative(activation, order - 1, at + h) - derivative(activation, order - 1, at - h)) / (2 * h)
            assert derivative(activation, order, at) == pytest.approx(slope, abs=1e-8)
            assert abs(derivative(activation, order, at)) <= derivative_bound(activation, order, 0.0, at) * (1 + 1e-12)


@pytest.mark.parametrize("activation", ["softplus", "exp", "sigmoid"])
@pytest.mark.parametrize("error", [1e-2, 1e-5])
def test_four_units_multiply_within_the_error(activation: str, error: float) -> None:
    m = multiplication(error=error, size=2.0, activation=activation)
    assert m.n_units == 4 and m.certificate.bound <= error and m.certificate.verify()
    x = np.random.default_rng(0).uniform(-2, 2, (2000, 2))
    assert np.abs(m(x)[:, 0] - x.prod(1)).max() <= error


def test_the_error_of_the_gate_is_proportional_to_the_square_of_the_scale() -> None:
    for error in (1e-2, 1e-4):
        m = multiplication(error=error)
        worst = abs(m([1.0, 1.0])[0] - 1.0)
        assert worst / m.parameters["scale"] ** 2 == pytest.approx(1 / 6, rel=0.02)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(any))
def test_monomials_have_the_counted_units_and_the_certified_error(r: list[int]) -> None:
    x = np.random.default_rng(1).uniform(-1, 1, (500, len(r)))
    truth = np.prod(x ** np.array(r), axis=1)
    shallow, deep = shallow_monomial(r), deep_monomial(r, error=1e-2)
    assert shallow.n_units == shallow_monomial_units(r)
    assert deep.n_units <= deep_monomial_units(r)
    for built in (shallow, deep):
        assert np.abs(built(x)[:, 0] - truth).max() <= built.certificate.bound
    assert deep.certificate.bound <= 1e-2


def test_a_tampered_gate_is_rejected() -> None:
    certificate = multiplication(error=1e-3).certificate
    (weight, bias), (out, constant) = certificate.network.hidden[0], certificate.network.output
    moved = bias.copy()
    moved[1] += 1e-6
    assert not certificate.verify(Perceptron(2, ((weight, moved),), (out, constant), "softplus"))
    assert certificate.verify(Perceptron(2, ((weight, bias),), (np.nextafter(out, out * 2), constant), "softplus"))


@pytest.mark.parametrize(
    "spectrum",
    [
        GaussianSpectrum(3, sigma=0.7),
        CosineSpectrum([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]], [1.0, -0.5, 0.25], [0.3, 1.0, -2.0]),
        RadialSpectrum(lambda r: np.exp(-r), 2, cutoff=60.0),
    ],
    ids=["gaussian", "cosines", "radial"],
)
@pytest.mark.parametrize("units", ["cos", "step", "sigmoid"])
def test_sampled_networks_are_unbiased_and_meet_the_expected_error(spectrum: object, units: str) -> None:
    d = spectrum.n_inputs  # type: ignore[attr-defined]
    errors = []
    mean = np.zeros(200)
    x = np.random.default_rng(5).uniform(-0.5, 0.5, (200, d))
    for seed in range(30):
        b = barron(spectrum, 60, units=units, steepness=400.0, seed=seed)  # type: ignore[arg-type]
        mean += b(x)[:, 0] / 30
        errors.append(estimate_squared_error(b, spectrum, d, n_points=100, seed=seed).value)  # type: ignore[arg-type]
        assert np.abs(b.network.output[0]).sum() <= b.theorem["sum of coefficients"] * (1 + 1e-9) or units == "cos"
    bound = b.theorem["squared error"]
    assert np.mean(errors) <= bound
    assert np.sqrt(np.mean((mean - spectrum(x)) ** 2)) <= 4 * np.sqrt(bound / 30)  # type: ignore[operator]


def test_the_number_of_units_follows_from_the_error() -> None:
    spectrum = GaussianSpectrum(4)
    for units, factor in (("cos", 1), ("step", 2)):
        b = barron(spectrum, error=0.5, units=units, radius=2.0)
        assert b.n_units == int(np.ceil((2.0 * factor * spectrum.constant) ** 2 / 0.5)) and b.theorem["squared error"] <= 0.5
    with pytest.raises(InvalidInput, match="either"):
        barron(spectrum)
    with pytest.raises(InvalidInput, match="must be positive"):
        barron(spectrum, error=-1.0)
    with pytest.raises(BudgetExceeded, match="units in 4 dimensions"):
        barron(spectrum, error=1e-9)


def test_barrons_constant_of_a_radial_spectrum_is_the_closed_form() -> None:
    # the transform of 1 / (1 + |x|^2)^{3/2} in the plane is exp(-r) / (2 pi), with constant 2 pi int r^2 exp(-r) / 2 pi = 2
    s = RadialSpectrum(lambda r: np.exp(-r) / (2 * pi), 2, cutoff=60.0)
    assert s.constant == pytest.approx(2.0, rel=1e-6)
    x = np.random.default_rng(0).normal(size=(20, 2))
    assert np.allclose(s(x), (1 + (x**2).sum(1)) ** -1.5, atol=1e-6)


def test_fourier_features_estimate_the_gaussian_kernel() -> None:
    x = np.random.default_rng(0).normal(size=(20, 3))
    phi = fourier_features(3, 4000, sigma=1.5, seed=1)(x)
    assert np.abs(phi @ phi.T - gaussian_kernel(sigma=1.5)(x, x)).max() < 5 * np.sqrt(2 / 4000)


@pytest.mark.parametrize("activation", ["cos", "exp"])
def test_products_of_networks_are_networks_of_the_same_kind(activation: str) -> None:
    rng = np.random.default_rng(0)
    f, g = (
        Perceptron.shallow(rng.normal(size=(k, 2)), rng.normal(size=k), rng.normal(size=k), activation=activation, constant=c)
        for k, c in ((3, 0.5), (4, 0.0))
    )
    x = rng.normal(size=(50, 2))
    fg = product_network(f, g)
    assert np.allclose(fg(x), f(x) * g(x)) and fg.activation == activation
    assert fg.n_neurons == (2 if activation == "cos" else 1) * (3 + 1) * 4


def test_polynomial_features_are_the_kernel() -> None:
    x = np.random.default_rng(0).normal(size=(6, 3))
    for p, c in ((1, 0.0), (2, 1.0), (4, 0.5)):
        phi = polynomial_features(x, p, constant=c)
        assert phi.shape[1] == comb(3 + p, p) and np.allclose(phi @ phi.T, polynomial_kernel(p, constant=c)(x, x))


def test_stable_bases_reproduce_polynomials_and_stay_conditioned() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (400, 2))
    y = 3 * x[:, 0] ** 2 * x[:, 1] - x[:, 1] ** 3 + 1
    for basis in ("chebyshev", "legendre", "monomial"):
        assert np.allclose(polynomial_regression(x, y, 3, basis=basis)(x), y)
    line = np.linspace(0, 1, 200)[:, None]
    conditions = {
        b: polynomial_regression(line, line[:, 0], 15, basis=b).condition for b in ("chebyshev", "legendre", "monomial")
    }
    assert max(conditions["chebyshev"], conditions["legendre"]) < 30 and conditions["monomial"] > 1e8


def test_kernel_and_feature_regression_fit_what_they_are_given() -> None:
    x = np.linspace(-1, 1, 40)[:, None]
    y = np.sin(4 * x[:, 0])
    assert np.abs(kernel_regression(x, y, gaussian_kernel(sigma=0.5), ridge=1e-10)(x) - y).max() < 1e-4
    exponentials = Perceptron(
        1, ((np.arange(-4.0, 5.0)[:, None], np.zeros(9)),), (np.hstack([np.zeros((9, 1)), np.eye(9)]), np.zeros(9)), "exp"
    )
    assert np.abs(feature_regression(x, y, exponentials)(x)[:, 0] - y).max() < 1e-2


def test_bad_arguments_are_refused_with_the_numbers() -> None:
    with pytest.raises(InvalidInput, match="positive, got 0"):
        multiplication(error=0.0)
    with pytest.raises(InvalidInput, match="cannot reach"):
        multiplication(error=1e-14)
    with pytest.raises(InvalidInput, match="smooth"):
        multiplication(activation="step")
    with pytest.raises(InvalidInput, match="not all zero"):
        deep_monomial([0, 0])
    with pytest.raises(BudgetExceeded, match="units"):
        shallow_monomial([1] * 30)
    with pytest.raises(InvalidInput, match="unknown units"):
        barron(GaussianSpectrum(2), 5, units="relu")
    with pytest.raises(InvalidInput, match="as many amplitudes"):
        CosineSpectrum([[1.0]], [1.0, 2.0])
    with pytest.raises(InvalidInput, match="zero or more"):
        RadialSpectrum(lambda r: -np.exp(-r), 2, cutoff=3.0)
    with pytest.raises(InvalidInput, match="no network of either kind"):
        f = Perceptron.shallow([[1.0]], [0.0], [1.0], activation="step")
        product_network(f, f)
    with pytest.raises(BudgetExceeded, match="coefficients"):
        polynomial_regression(np.zeros((3, 30)), np.zeros(3), 12)
    with pytest.raises(InvalidInput, match="belong together"):
        kernel_regression(np.zeros((3, 1)), np.zeros(4), gaussian_kernel())


def test_errors_of_factors_are_multiplied_by_the_other_factor() -> None:
    """|u v - (u + e)(v + f)| <= |u| f + |v| e + e f, and the gate's own error on top."""
    circuit = UnitCircuit(2, "softplus")
    u, v = circuit.inputs
    _, bound, size = _times(circuit, (u, 0.125, 3.0), (v, 0.25, 5.0), 1e-3, "softplus")
    assert size == 15.0
    own = gate("softplus", 1e-3, 5.25).error(5.25)
    assert bound - own == pytest.approx(3 * 0.25 + 5 * 0.125 + 0.125 * 0.25, rel=1e-12)
    _, _, square = _power(UnitCircuit(1, "softplus"), UnitCircuit(1, "softplus").inputs[0], 2, 3.0, 1e-3, "softplus")
    assert square == 9.0


def test_the_standard_error_of_a_squared_error_is_its_spread_over_seeds() -> None:
    found = [
        estimate_squared_error(lambda x: x[:, :1], lambda x: 2 * x[:, 0] ** 2, 2, n_points=50, seed=seed) for seed in range(400)
    ]
    spread = np.std([e.value for e in found], ddof=1)
    assert np.mean([e.standard_error for e in found]) == pytest.approx(spread, rel=0.15)  # 4 errors of a deviation from 400


@pytest.mark.parametrize("size", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("r", [[2], [1, 1], [1, 2]])
def test_the_certified_error_of_a_shallow_monomial_is_nearly_attained_at_a_corner(r: list[int], size: float) -> None:
    """Of exponentials all derivatives are alike: with a small scale the remainder of the corner is all that is certified."""
    m = shallow_monomial(r, scale=0.005, size=size, activation="exp")
    corner = np.full((1, len(r)), size)
    error = abs(float(m(corner)[0, 0]) - size ** sum(r))
    assert error <= m.certificate.bound <= 1.3 * error


@pytest.mark.parametrize("ridge", [0.01, 2.0])
def test_ridge_regression_solves_its_normal_equations(ridge: float) -> None:
    from plica.construct.perceptrons._fourier import least_squares

    rng = np.random.default_rng(0)
    phi, y = rng.normal(size=(30, 5)), rng.normal(size=30)
    expected = np.linalg.solve(phi.T @ phi + ridge * np.eye(5), phi.T @ y)
    assert np.allclose(least_squares(phi, y, ridge), expected, rtol=1e-10)


def test_a_central_difference_attains_the_constant_of_its_remainder() -> None:
    """sinh(h x) / h - x is h^2 x^3 / 6 and a little more: nearly all of the certificate, at the ends of the interval."""
    built = shallow_monomial([1], scale=0.02)
    ends = np.array([[-1.0], [1.0]])
    error = np.abs(np.asarray(built.network(ends)).reshape(-1) - ends[:, 0]).max()
    assert 0.97 * float(built.certificate.bound) < error <= float(built.certificate.bound)
