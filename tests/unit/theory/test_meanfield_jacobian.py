"""Jacobian spectra by free probability against polynomials, moments and random matrices; kernels against each other."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.theory.kernels import arc_cosine, nngp, ntk
from plica.theory.meanfield import JacobianSpectrum


def integrated(spectrum, power, *, smallest=1e-10):
    x = np.geomspace(smallest, spectrum.largest * (1 - 1e-9), 900)
    return np.trapezoid(spectrum.density(x) * x ** (power + 1), np.log(x))


@pytest.mark.parametrize(
    ("activation", "weights", "length", "depth"),
    [
        ("relu", "gaussian", 1.0, 1),
        ("relu", "gaussian", 1.0, 2),
        ("relu", "gaussian", 1.0, 4),
        ("relu", "orthogonal", 1.0, 4),
        ("identity", "gaussian", 1.0, 2),
        ("hard-tanh", "gaussian", 0.5, 2),
        ("hard-tanh", "orthogonal", 0.5, 8),
    ],
)
def test_the_density_has_the_mass_and_moments_that_are_known(activation, weights, length, depth):
    spectrum = JacobianSpectrum(activation, depth=depth, weight_std=1.3, length=length, weights=weights)
    mass = integrated(spectrum, 0) + spectrum.mass_at_zero + spectrum.mass_at_top
    assert mass == pytest.approx(1.0, abs=0.04)  # the rest is below the smallest value, or at a square-root edge
    slack = 0.04 if weights == "orthogonal" else 0.01
    assert integrated(spectrum, 1) == pytest.approx(spectrum.mean, rel=slack)
    assert integrated(spectrum, 2) - spectrum.mean**2 == pytest.approx(spectrum.variance, rel=2 * slack)


def test_one_gaussian_layer_is_marchenko_and_pastur():
    x = np.linspace(0.05, 3.95, 50)
    expected = np.sqrt(4 * x - x * x) / (2 * pi * x)
    np.testing.assert_allclose(JacobianSpectrum("identity").density(x), expected, rtol=1e-6)


def test_singular_values_of_one_gaussian_layer_are_the_quarter_circle():
    s = np.linspace(0.1, 1.9, 40)
    np.testing.assert_allclose(JacobianSpectrum("identity").singular_value_density(s), np.sqrt(4 - s * s) / pi, rtol=1e-6)


def test_two_projections_are_the_arcsine_law():
    spectrum = JacobianSpectrum("relu", depth=2, weight_std=1.0, weights="orthogonal")
    x = np.linspace(0.05, 0.95, 30)
    np.testing.assert_allclose(spectrum.density(x), 0.5 / (pi * np.sqrt(x * (1 - x))), rtol=1e-6)


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
def test_the_largest_singular_value_of_linear_networks_is_that_of_fuss_and_catalan(depth):
    expected = (depth + 1) ** (depth + 1) / depth**depth
    assert JacobianSpectrum("identity", depth=depth).largest == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_relu_has_no_dynamical_isometry(depth):
    for weights, variance in (("gaussian", 2 * depth), ("orthogonal", depth)):
        spectrum = JacobianSpectrum("relu", depth=depth, weight_std=sqrt(2), weights=weights)
        assert spectrum.mean == pytest.approx(1.0) and spectrum.variance == pytest.approx(variance)


def test_orthogonal_tanh_networks_near_the_origin_are_isometries():
    variances = [JacobianSpectrum("tanh", depth=10, length=q, weights="orthogonal").variance for q in (1e-1, 1e-2, 1e-4)]
    assert variances == sorted(variances, reverse=True) and variances[-1] < 1e-5


def test_smooth_slopes_agree_with_random_matrices():
    rng = np.random.default_rng(0)
    n, depth, values = 300, 3, []
    for _ in range(6):
        J = np.eye(n)
        for _ in range(depth):
            h = sqrt(0.5) * rng.normal(size=n)
            J = (1 - np.tanh(h) ** 2)[:, None] * (1.3 * np.linalg.qr(rng.normal(size=(n, n)))[0] @ J)
        values.append(np.linalg.svd(J, compute_uv=False) ** 2)
    values = np.sort(np.concatenate(values))
    spectrum = JacobianSpectrum("tanh", depth=depth, weight_std=1.3, length=0.5, weights="orthogonal")
    x = np.geomspace(1e-8, spectrum.largest, 400)
    d = spectrum.density(x)
    cumulative = np.concatenate([[0.0], np.cumsum(np.diff(np.log(x)) * (d * x)[1:] / 2 + np.diff(np.log(x)) * (d * x)[:-1] / 2)])
    measured = np.searchsorted(values, x) / len(values)
    assert np.abs(measured - cumulative).max() < 0.03


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": 0}, "depth"),
        ({"weight_std": 0.0}, "weight_std"),
        ({"length": -1.0}, "length"),
        ({"weights": "uniform"}, "not known"),
        ({"activation": "swish"}, "not known"),
    ],
)
def test_bad_spectra_get_a_clear_error(options, words):
    with pytest.raises(InvalidInput, match=words):
        JacobianSpectrum(**{"activation": "relu", **options})
    with pytest.raises(InvalidInput, match="positive"):
        JacobianSpectrum("relu").density([0.0])
    with pytest.raises(InvalidInput, match="slopes themselves"):
        JacobianSpectrum("relu", weights="orthogonal").density([1.0])


# -- kernels -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [0, 1, 2])
def test_arc_cosine_kernels_are_their_integrals(order):
    rng = np.random.default_rng(order)
    x, y = rng.normal(size=(2, 3))
    w = rng.normal(size=(2_000_000, 3))
    a, b = w @ x, w @ y
    values = 2 * ((a > 0) & (b > 0)) * a**order * b**order
    error = values.std() / sqrt(len(values))
    assert abs(values.mean() - arc_cosine([x], [y], order=order)[0, 0]) < 5 * error


def test_one_relu_layer_is_the_arc_cosine_kernel():
    x = np.random.default_rng(0).normal(size=(4, 5))
    np.testing.assert_allclose(nngp(x, depth=1, weight_std=sqrt(2)), 2 * arc_cosine(x, x) / 5, rtol=1e-12)
    expected = arc_cosine(x, x, order=1) * 2 / 5 + 2 * x @ x.T / 5 * arc_cosine(x, x, order=0)
    np.testing.assert_allclose(ntk(x, depth=1, weight_std=sqrt(2)), expected, rtol=1e-7)  # arccos near one


@pytest.mark.parametrize("activation", ["relu", "erf", "gelu", "sine", "hard-tanh", "tanh"])
def test_kernels_are_positive_semidefinite_and_grow_with_depth_as_they_should(activation):
    x = np.random.default_rng(1).normal(size=(3, 3))
    for kernel in (nngp, ntk):
        K = kernel(x, depth=3, weight_std=1.5, bias_std=0.2, activation=activation)
        np.testing.assert_allclose(K, K.T, rtol=1e-10)
        assert np.linalg.eigvalsh(K).min() > -1e-10
    np.testing.assert_allclose(nngp(x, depth=0, weight_std=1.0), x @ x.T / 3)


def test_bad_kernels_get_a_clear_error():
    for call, words in (
        (lambda: nngp([[1.0]], [[1.0, 2.0]], depth=1), "coordinates"),
        (lambda: nngp([[np.nan]], depth=1), "finite"),
        (lambda: ntk([[1.0]], depth=-1), "hidden layers"),
        (lambda: ntk([[1.0]], depth=1, weight_std=-1), "weight_std"),
        (lambda: arc_cosine([[1.0]], [[1.0]], order=3), "order"),
    ):
        with pytest.raises(InvalidInput, match=words):
            call()


@pytest.mark.parametrize("weights", ["gaussian", "orthogonal"])
@pytest.mark.parametrize("activation", ["relu", "tanh", "hard-tanh"])
def test_newton_s_slope_is_the_derivative_of_what_it_solves(activation, weights):
    spectrum = JacobianSpectrum(activation, depth=5, weight_std=1.2, length=0.7, weights=weights)
    chi, h = np.array([0.3 + 0.4j, -0.2 + 0.9j, 0.7 - 0.5j]), 1e-6
    ahead, back = (spectrum._log_z(chi + step)[0] for step in (h, -h))
    np.testing.assert_allclose(spectrum._log_z(chi)[1], (ahead - back) / (2 * h), rtol=1e-7)


def test_the_density_of_a_deep_network_falls_without_a_jump():
    """Like x^(-L/(L+1)) near zero [pennington2018]: its logarithm is nearly a line, where a lost root would leave it."""
    spectrum = JacobianSpectrum("relu", depth=32, weight_std=sqrt(2))
    x = np.geomspace(1e-6, 1e-2, 12)
    slopes = np.diff(np.log(spectrum.density(x))) / np.diff(np.log(x))
    np.testing.assert_allclose(slopes, -32 / 33, atol=0.05)


def test_two_projections_of_more_than_half_have_a_mass_at_one_and_nothing_below_it():
    r"""Free projections of rank p: sqrt(4p(1-p)x - x^2) / (2 pi x (1-x)) up to 4p(1-p), and the mass 2p - 1 at one."""
    spectrum = JacobianSpectrum("hard-tanh", depth=2, weight_std=1.0, length=0.5, weights="orthogonal")
    p = spectrum.slope_moment(1)
    end = 4 * p * (1 - p)
    assert 0.5 < p < 1 and spectrum.mass_at_top == pytest.approx(2 * p - 1) and spectrum.mass_at_zero == pytest.approx(1 - p)
    x = end * np.linspace(0.05, 0.99, 20)
    expected = np.sqrt(x * (end - x)) / (2 * pi * x * (1 - x))
    np.testing.assert_allclose(spectrum.density(x), expected, rtol=1e-6)
    np.testing.assert_allclose(spectrum.density(1 - np.array([1e-2, 1e-3, 1e-4])), 0.0, atol=1e-7)


@pytest.mark.parametrize("activation", ["tanh", "erf", "gelu", "leaky-relu"])
@pytest.mark.parametrize("weights", ["gaussian", "orthogonal"])
def test_mean_and_variance_are_those_of_slopes_and_weights_that_multiply(activation, weights):
    """One layer: E d^2 and E d^4 on a grid; relative variances of free factors add, one for each Gaussian matrix."""
    from plica.theory.meanfield import activation as find

    q, sw, L = 1.3, 1.2, 3
    z = np.linspace(-10, 10, 200_000)
    w = np.exp(-z * z / 2)
    w /= w.sum()
    slopes = find(activation).derivative(np.sqrt(q) * z)
    first, second = float(w @ slopes**2), float(w @ slopes**4)
    spectrum = JacobianSpectrum(activation, depth=L, weight_std=sw, length=q, weights=weights)
    assert (spectrum.slope_moment(1), spectrum.slope_moment(2)) == pytest.approx((first, second), rel=1e-4)
    assert spectrum.mean == pytest.approx((sw**2 * first) ** L, rel=1e-3)
    relative = second / first**2 - 1 + (weights == "gaussian")
    assert spectrum.variance == pytest.approx(L * relative * (sw**2 * first) ** (2 * L), rel=1e-3)


def test_a_mass_at_the_top_lies_where_all_slopes_are_one():
    """Two projections that keep 80 %: 60 % are kept by both, at sigma_w^2 each; what is left has a density of its own."""
    q = 1 / 1.2815515655446004**2  # P(|u| < 1) = 0.8
    spectrum = JacobianSpectrum("hard-tanh", depth=2, weight_std=1.5, length=q, weights="orthogonal")
    assert spectrum.mass_at_top == pytest.approx(0.6) and spectrum.mass_at_zero == pytest.approx(0.2)
    assert spectrum.largest <= 1.5**4 * (1 + 1e-9)
    x = np.linspace(1e-3, 1.5**4 * (1 - 1e-3), 4001)
    density = spectrum.density(x)
    assert np.trapezoid(density, x) == pytest.approx(1 - 0.6 - 0.2, abs=0.01)
    assert np.trapezoid(density * x, x) + 0.6 * 1.5**4 == pytest.approx(spectrum.mean, rel=0.01)


def test_between_the_bulk_and_the_top_there_is_nothing():
    """Two projections that keep p: the bulk ends at 4 p (1 - p) of the top."""
    q = 1 / 1.2815515655446004**2  # P(|u| < 1) = 0.8
    spectrum = JacobianSpectrum("hard-tanh", depth=2, weight_std=1.5, length=q, weights="orthogonal")
    top = 1.5**4
    assert (spectrum.density(top * np.array([0.66, 0.8, 1 - 1e-3, 1 - 1e-6])) < 1e-6).all()
    assert (spectrum.density(top * np.array([0.3, 0.62])) > 1e-3).all()


@pytest.mark.parametrize("depth", [0, 1, 3])
def test_kernels_of_linear_networks_follow_two_lines(depth):
    """K' = sw^2 K + sb^2 and T' = K' + sw^2 T, from K = T = sw^2 x.y / d + sb^2."""
    x, y, sw, sb = np.array([[1.0, 2.0, -1.0]]), np.array([[0.5, 0.0, 4.0], [1.0, 1.0, 1.0]]), 1.3, 0.6
    K = T = sw**2 * (x @ y.T) / 3 + sb**2
    for _ in range(depth):
        K = sw**2 * K + sb**2
        T = K + sw**2 * T
    options = {"depth": depth, "weight_std": sw, "bias_std": sb, "activation": "identity"}
    np.testing.assert_allclose(nngp(x, y, **options), K)
    np.testing.assert_allclose(ntk(x, y, **options), T)


def test_kernels_of_rectifiers_with_biases_are_averages_over_pairs():
    z = np.linspace(-9, 9, 1201)
    w = np.exp(-z * z / 2)
    w /= w.sum()
    x, y, sw, sb = np.array([1.0, 2.0]), np.array([-0.5, 3.0]), 1.1, 0.7
    k1, k2, k = (sw**2 * float(a @ b) / 2 + sb**2 for a, b in ((x, x), (y, y), (x, y)))
    u = sqrt(k1) * z[:, None]
    v = k / sqrt(k1) * z[:, None] + sqrt(k2 - k * k / k1) * z[None]
    products = float(w @ (np.maximum(u, 0) * np.maximum(v, 0)) @ w)
    slopes = float(w @ ((u > 0) * (v > 0)) @ w)
    options = {"depth": 1, "weight_std": sw, "bias_std": sb}
    assert float(nngp([x], [y], **options)[0, 0]) == pytest.approx(sw**2 * products + sb**2, rel=1e-3)
    assert float(ntk([x], [y], **options)[0, 0]) == pytest.approx(sw**2 * products + sb**2 + k * sw**2 * slopes, rel=1e-2)
