"""Mean-field theory against independent integration, simulation-free identities and published numbers."""

from __future__ import annotations

from itertools import pairwise
from math import inf, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import dblquad, quad

from plica.errors import InvalidInput
from plica.theory.meanfield import (
    Activation,
    MeanField,
    activation,
    activations,
    edge_of_chaos,
    edge_of_chaos_curve,
    phase_diagram,
    weight_std_of,
)

NAMES = list(activations())
SMOOTH = ["identity", "tanh", "sigmoid", "erf", "sine", "gelu"]
KINKS = {"relu": [0.0], "leaky-relu": [0.0], "abs": [0.0], "hard-tanh": [-1.0, 1.0]}


def average(f, q, name):
    points = [k / sqrt(q) for k in KINKS.get(name, [])]
    value, _ = quad(lambda z: f(sqrt(q) * z) * np.exp(-z * z / 2) / sqrt(2 * pi), -12, 12, points=points or None, limit=400)
    return value


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("q", [0.03, 0.7, 5.0])
def test_averages_over_one_variable_are_the_integrals(name, q):
    phi = activation(name)
    at = lambda g: lambda x: float(g(np.array([x]))[0])  # noqa: E731
    f, d = at(phi.function), at(phi.derivative)
    assert phi.energy(q) == pytest.approx(average(lambda x: f(x) ** 2, q, name), rel=1e-9)
    assert phi.slope_power(q) == pytest.approx(average(lambda x: d(x) ** 2, q, name), rel=1e-9)
    assert phi.slope_power(q, 4) == pytest.approx(average(lambda x: d(x) ** 4, q, name), rel=1e-9)
    step = 1e-4 * q
    difference = (phi.energy(q + step) - phi.energy(q - step)) / (2 * step)
    assert phi.energy_growth(q) == pytest.approx(difference, rel=1e-6)
    if phi.second_derivative is not None:
        bend = at(phi.second_derivative)
        assert phi.bend_energy(q) == pytest.approx(average(lambda x: bend(x) ** 2, q, name), rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("name", SMOOTH)
def test_averages_over_two_variables_are_the_integrals(name):
    phi = activation(name)
    k1, k2, k = 0.8, 1.5, 0.6
    a, along, across = sqrt(k1), k / sqrt(k1), sqrt(k2 - k * k / k1)
    weight = lambda x, y: np.exp(-(x * x + y * y) / 2) / (2 * pi)  # noqa: E731
    for g, value in ((phi.function, phi.covariance(k1, k2, k)), (phi.derivative, phi.slope_covariance(k1, k2, k))):
        integral, _ = dblquad(
            lambda y, x, g=g: float(g(np.array([a * x]))[0] * g(np.array([along * x + across * y]))[0]) * weight(x, y),
            -7,
            7,
            -7,
            7,
            epsabs=1e-7,
        )
        assert value == pytest.approx(integral, abs=3e-7)


@pytest.mark.parametrize("name", NAMES)
def test_covariances_have_slopes_as_derivative_and_energies_as_limit(name):
    """Price's theorem, dE phi phi / dk = E phi' phi', and equal arguments."""
    phi = activation(name)
    k1, k2 = 0.9, 1.7
    for c in (-0.8, 0.1, 0.7):
        k, step = c * sqrt(k1 * k2), 1e-4
        difference = (phi.covariance(k1, k2, k + step) - phi.covariance(k1, k2, k - step)) / (2 * step)
        assert phi.slope_covariance(k1, k2, k) == pytest.approx(difference, rel=1e-6, abs=1e-7)
    assert phi.covariance(0.7, 0.7, 0.7) == pytest.approx(phi.energy(0.7), rel=1e-9)
    assert phi.slope_covariance(0.7, 0.7, 0.7) == pytest.approx(phi.slope_power(0.7), rel=1e-7)


def test_closed_forms_take_arrays_and_give_what_floats_give():
    q = np.array([0.0, 0.1, 2.0, 30.0])
    for name in NAMES:
        phi = activation(name)
        for method in (phi.energy, phi.energy_growth, phi.slope_power, phi.bend_energy):
            expected = [method(float(v)) for v in q]
            np.testing.assert_allclose(method(q), expected, rtol=1e-9, atol=1e-13)


def test_quadrature_states_an_error_that_covers_the_closed_form():
    for name in ("erf", "gelu", "sine"):
        closed = activation(name)
        plain = Activation(name, closed.function, closed.derivative)
        for q in (0.1, 1.0, 25.0):
            error = max(plain.quadrature_error(q), 1e-14)
            assert abs(plain.energy(q) - closed.energy(q)) <= 10 * error
            assert closed.quadrature_error(q) == 0


# -- published numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "variance", "weight_variance", "length"),
    [
        ("tanh", 0.001, 1.18919, 0.10729),
        ("tanh", 0.01, 1.42421, 0.27330),
        ("tanh", 0.05, 1.76095, 0.57005),
        ("tanh", 0.3, 2.50513, 1.46117),
        ("erf", 0.01, 1.11428, None),
        ("erf", 0.05, 1.37584, None),
        ("erf", 0.3, 1.96307, None),
        ("erf", 0.0, pi / 4, 0.0),
        ("relu", 0.0, 2.0, None),
    ],
)
def test_the_edge_of_chaos_is_where_it_is_known_to_be(name, variance, weight_variance, length):
    edge = edge_of_chaos(name, bias_std=sqrt(variance))
    assert edge.weight_std**2 == pytest.approx(weight_variance, abs=6e-6)
    if length is not None:
        assert edge.length == pytest.approx(length, abs=6e-6)


@pytest.mark.parametrize("name", ["tanh", "erf", "hard-tanh", "sine"])
def test_on_the_edge_the_field_says_so(name):
    for bias_std in (0.1, 0.4):
        edge = edge_of_chaos(name, bias_std=bias_std)
        field = MeanField(name, edge.weight_std, bias_std)
        assert field.phase == "edge" and field.fixed_length() == pytest.approx(edge.length, rel=1e-9)
        assert field.fixed_correlation == 1.0 and field.gradient_depth_scale == inf
        assert MeanField(name, 1.01 * edge.weight_std, bias_std).phase == "chaotic"
        assert MeanField(name, 0.99 * edge.weight_std, bias_std).phase == "ordered"


def test_sparse_weights_have_the_edge_of_dense_ones_with_scaled_variance():
    dense, sparse = edge_of_chaos("tanh", bias_std=0.2), edge_of_chaos("tanh", bias_std=0.2, density=0.25)
    assert sparse.weight_std == pytest.approx(2 * dense.weight_std)
    assert MeanField("tanh", sparse.weight_std, 0.2, density=0.25).phase == "edge"


def test_hard_tanh_stretches_by_the_known_factors():
    for weight_std, factor in ((2, 1.345), (4, 1.845), (8, 2.568), (16, 3.603)):
        assert MeanField("hard-tanh", weight_std).stretch == pytest.approx(factor, abs=5e-4)
    assert MeanField("hard-tanh", 1e4).stretch / sqrt(1e4) == pytest.approx((2 / pi) ** 0.25, rel=1e-3)


def test_relu_on_its_edge_forgets_angles_like_one_over_depth_squared():
    field = MeanField("relu", sqrt(2.0))
    c = field.correlations(0.0, n_layers=10_000)
    assert (1 - c[-1]) * 10_000**2 == pytest.approx(44.25, abs=0.01)
    assert 9 * pi**2 / 2 == pytest.approx(44.41, abs=0.01)


# -- maps and fixed points -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tanh", "erf", "hard-tanh", "sine", "relu", "gelu"])
@pytest.mark.parametrize(("weight_std", "bias_std"), [(0.8, 0.2), (1.3, 0.1), (1.35, 0.5), (3.0, 0.3)])
def test_iterating_the_maps_reaches_the_fixed_points(name, weight_std, bias_std):
    field = MeanField(name, weight_std, bias_std)
    q = field.lengths(1.0, n_layers=400)[-1]
    fixed = field.fixed_length()
    if fixed == inf:
        assert q > 1e3
        return
    assert q == pytest.approx(fixed, rel=1e-2 if field.length_depth_scale > 50 else 1e-6)
    if field.correlation_depth_scale < 12:
        assert field.correlations(0.5, n_layers=150)[-1] == pytest.approx(field.fixed_correlation, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "weight_std", "bias_std"), [("tanh", 2.0, 0.3), ("tanh", 1.0, 0.3), ("erf", 1.5, 0.2), ("sine", 1.3, 0.1)]
)
def test_deviations_shrink_on_the_depth_scales(name, weight_std, bias_std):
    field = MeanField(name, weight_std, bias_std)
    c = field.correlations(field.fixed_correlation - 1e-3, n_layers=1)
    rate = (field.fixed_correlation - c[1]) / 1e-3
    assert -1 / np.log(rate) == pytest.approx(field.correlation_depth_scale, rel=0.02)
    q = field.fixed_length()
    rate = (field.length_map(q * (1 + 1e-5)) - q) / (q * 1e-5)
    assert -1 / np.log(abs(rate)) == pytest.approx(field.length_depth_scale, rel=0.01)


def test_dropout_leaves_no_critical_point():
    for bias_std in (0.05, 0.3):
        edge = edge_of_chaos("tanh", bias_std=bias_std)
        field = MeanField("tanh", edge.weight_std, bias_std, keep=0.95)
        assert field.fixed_correlation < 0.99
        assert field.correlation_depth_scale < 100


def test_residual_relu_networks_grow_by_the_known_factor():
    field = MeanField("relu", sqrt(2.0), skip=1.0)
    np.testing.assert_allclose(field.lengths(1.0, n_layers=10), 2.0 ** np.arange(11))
    assert field.chi_1 == pytest.approx(2.0)
    bounded = MeanField("tanh", 1.0, skip=1.0).lengths(1.0, n_layers=400)
    assert bounded[400] - bounded[399] < 1.0  # linear growth, not exponential


def test_curvature_settles_where_stretching_and_bending_balance():
    field = MeanField("erf", 3.0, 0.1)
    assert field.curvatures(1 / field.fixed_length(), n_layers=200)[-1] == pytest.approx(
        3 * field.chi_2 / field.chi_1**2 / (1 - 1 / field.chi_1)
    )
    assert MeanField("relu", 1.0).chi_2 == inf and MeanField("identity", 1.0).chi_2 == 0


@pytest.mark.parametrize("name", ["tanh", "relu", "gelu", "hard-tanh", "sine"])
def test_the_phase_diagram_is_that_of_its_points(name):
    sw, sb = np.array([0.5, 1.1, 1.9, 2.6]), np.array([0.05, 0.4, 1.0])
    diagram = phase_diagram(name, weight_stds=sw, bias_stds=sb)
    for i, b in enumerate(sb):
        for j, w in enumerate(sw):
            field = MeanField(name, w, b)
            assert diagram.chi_1[i, j] == pytest.approx(field.chi_1, rel=1e-9)
            if np.isfinite(field.fixed_length()):
                assert diagram.lengths[i, j] == pytest.approx(field.fixed_length(), rel=1e-8)


def test_named_initializations_are_special_cases():
    assert MeanField("relu", weight_std_of("he")).phase == "edge"
    assert MeanField("leaky-relu", weight_std_of("he", slope=0.3), slope=0.3).phase == "edge"
    assert MeanField("identity", weight_std_of("glorot", n_in=7, n_out=7)).phase == "edge"
    n_in, n_out = 30, 90
    assert weight_std_of("glorot", n_in=n_in, n_out=n_out) ** 2 / n_in == pytest.approx(2 / (n_in + n_out))
    assert weight_std_of("torch-default") ** 2 == pytest.approx(1 / 3)
    assert edge_of_chaos_curve("tanh", bias_stds=[0.0])[0] == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: MeanField("tanh", -1.0), "weight_std"),
        (lambda: MeanField("tanh", 1.0, -0.1), "bias_std"),
        (lambda: MeanField("tanh", float("nan")), "weight_std"),
        (lambda: MeanField("tanh", 1.0, density=0.0), "density"),
        (lambda: MeanField("tanh", 1.0, density=1.1), "density"),
        (lambda: MeanField("tanh", 1.0, keep=0), "keep"),
        (lambda: MeanField("tanh", 1.0, skip=float("inf")), "skip"),
        (lambda: MeanField("softmax"), "not known"),
        (lambda: MeanField("tanh", slope=0.1), "slope"),
        (lambda: MeanField("tanh").length_map(-1.0), "zero or larger"),
        (lambda: MeanField("tanh").correlation_map(1.5), "between -1 and 1"),
        (lambda: MeanField("tanh").lengths(1.0, n_layers=-1), "n_layers"),
        (lambda: edge_of_chaos("relu", bias_std=0.1), "only at bias_std=0"),
        (lambda: edge_of_chaos("gelu", bias_std=0.1), "no stable length"),
        (lambda: edge_of_chaos("tanh", bias_std=-1), "bias_std"),
        (lambda: edge_of_chaos("tanh", bias_std=0.1, density=2), "density"),
        (lambda: phase_diagram("tanh", weight_stds=[-1.0], bias_stds=[0.1]), "weight_stds"),
        (lambda: phase_diagram("tanh", weight_stds=[1.0], bias_stds=[]), "bias_stds"),
        (lambda: weight_std_of("magic"), "not known"),
        (lambda: weight_std_of("glorot", n_in=0), "positive"),
        (lambda: activation("leaky-relu", slope=inf), "finite"),
    ],
)
def test_bad_input_gets_a_clear_error(call, words):
    with pytest.raises(InvalidInput, match=words):
        call()


def test_a_field_tells_everything_in_plain_values():
    told = MeanField("tanh", 1.5, 0.3).to_dict()
    assert told["phase"] == "chaotic" and told["error"] < 1e-11
    assert "q*=0.9608" in repr(MeanField("tanh", 1.5, 0.3))


def test_the_stated_error_is_that_of_both_squares_that_are_averaged():
    def cut(x):
        return np.where(np.abs(x) < 1, x, 0.0)  # odd: its own mean is exact by symmetry, that of its square is not

    def zero(x):
        return np.zeros_like(x)

    for phi in (Activation("cut", cut, zero), Activation("cut slope", zero, cut)):
        assert phi.quadrature_error(1.0) > 1e-5


@pytest.mark.parametrize("name", sorted(activations()))
def test_activations_are_what_their_names_say_with_their_derivatives(name):
    from scipy.special import erf, expit, ndtr

    known = {
        "identity": lambda x: x,
        "relu": lambda x: np.maximum(x, 0),
        "leaky-relu": lambda x: np.maximum(x, 0.01 * x),
        "abs": np.abs,
        "hard-tanh": lambda x: np.clip(x, -1, 1),
        "tanh": np.tanh,
        "sigmoid": expit,
        "erf": erf,
        "sine": np.sin,
        "gelu": lambda x: x * ndtr(x),
    }
    phi, h = activation(name), 1e-5
    x = np.array([-2.3, -0.7, -0.2, 0.4, 0.9, 1.6])
    np.testing.assert_allclose(phi.function(x), known[name](x), atol=1e-14)
    np.testing.assert_allclose(phi.derivative(x), (phi.function(x + h) - phi.function(x - h)) / (2 * h), atol=1e-8)
    if phi.second_derivative is not None:
        slopes = (phi.derivative(x + h) - phi.derivative(x - h)) / (2 * h)
        np.testing.assert_allclose(phi.second_derivative(x), slopes, atol=1e-8)


def test_lengths_that_nothing_changes_stay_where_they_start():
    edge = MeanField("relu", weight_std=sqrt(2))
    assert edge.fixed_length() == 1.0 and edge.fixed_length(3.0) == 3.0


@pytest.mark.parametrize("keep", [1.0, 0.6])
def test_bends_and_slopes_are_made_by_the_same_weights_and_masks(keep):
    field = MeanField("tanh", weight_std=1.7, bias_std=0.3, keep=keep, density=0.8, skip=0.4)
    q, phi = field.fixed_length(), field.phi
    made = field.chi_1 - 0.4**2
    assert made == pytest.approx(0.8 * 1.7**2 / keep * phi.slope_power(q))
    assert field.chi_2 / made == pytest.approx(phi.bend_energy(q) / phi.slope_power(q))


@pytest.mark.parametrize("name", ["tanh", "erf", "relu"])
@pytest.mark.parametrize("bias_std", [0.0, 0.2])
def test_of_weights_that_are_kept_with_a_density_the_edge_is_that_of_all_over_its_root(name: str, bias_std: float) -> None:
    if name == "relu" and bias_std:
        return
    full, thin = (edge_of_chaos(name, bias_std=bias_std, density=density).weight_std for density in (1.0, 0.25))
    assert thin == pytest.approx(2 * full, rel=1e-12)


FIELDS = [
    MeanField("tanh", 1.3, 0.4, density=0.8, keep=0.7, skip=0.5),
    MeanField("tanh", 2.5, 0.2, keep=0.9),
    MeanField("relu", 1.1, 0.3, keep=0.8, skip=0.6),
    MeanField("relu", 1.4, 0.0, keep=0.9, skip=1.0),  # lengths grow for ever
]


@pytest.mark.parametrize("field", FIELDS)
def test_maps_with_skips_masks_and_density_are_means_over_gaussian_numbers(field: MeanField) -> None:
    """q' = s^2 q + alpha sigma_w^2 E phi^2 / keep + sigma_b^2, and two inputs have masks of their own."""
    z, w = np.polynomial.hermite_e.hermegauss(160)
    w = w / w.sum()
    phi = np.tanh if field.activation == "tanh" else lambda u: np.maximum(u, 0)
    gain, q, c = field.density * field.weight_std**2, 1.7, 0.3
    squares = float(w @ phi(np.sqrt(q) * z) ** 2)
    expected = field.skip**2 * q + gain * squares / field.keep + field.bias_std**2
    assert field.length_map(q) == pytest.approx(expected, rel=1e-9)
    second = c * z[:, None] + np.sqrt(1 - c * c) * z[None]
    products = float(w @ (phi(np.sqrt(q) * z)[:, None] * phi(np.sqrt(q) * second)) @ w)
    expected = field.skip**2 * c * q + gain * products + field.bias_std**2
    assert field.covariance_map(q, q, c * q) == pytest.approx(expected, rel=1e-2 if field.activation == "relu" else 1e-9)


@pytest.mark.parametrize("field", FIELDS)
def test_depth_scales_are_the_slopes_of_the_maps_where_they_rest(field: MeanField) -> None:
    q, h = field.fixed_length(), 1e-5
    if np.isfinite(q):
        slope = (field.length_map(q * (1 + h)) - field.length_map(q * (1 - h))) / (2 * h * q)
        assert np.exp(-1 / field.length_depth_scale) == pytest.approx(slope, rel=1e-6)
    c = field.fixed_correlation
    assert field.correlation_map(c) == pytest.approx(c, rel=1e-9) and c < 1
    slope = (field.correlation_map(c + h) - field.correlation_map(c - h)) / (2 * h)
    assert np.exp(-1 / field.correlation_depth_scale) == pytest.approx(slope, rel=1e-5)


def pair_average(phi, q, c):
    """E phi(u) phi(v) of a pair with variances q and correlation c, on a grid that is fine enough for kinks."""
    z = np.linspace(-9, 9, 1801)
    w = np.exp(-z * z / 2)
    w /= w.sum()
    u, v = sqrt(q) * z[:, None], sqrt(q) * (c * z[:, None] + sqrt(1 - c * c) * z[None])
    return float(w @ (phi(u) * phi(v)) @ w)


@pytest.mark.parametrize(
    ("field", "phi"),
    [
        (MeanField("relu", 1.0, 0.3, keep=0.8, skip=0.5), lambda u: np.maximum(u, 0)),
        (MeanField("leaky-relu", 1.0, 0.6, density=0.7), lambda u: np.maximum(u, 0.01 * u)),
        (MeanField("tanh", 1.6, 0.4, keep=0.9), np.tanh),
    ],
)
def test_correlations_travel_with_the_lengths_of_their_inputs(field, phi):
    """Layer by layer from averages on a grid: covariance over length, from a length that is not the fixed one."""
    gain = field.density * field.weight_std**2
    q = field.first_length(2.5)
    assert q == pytest.approx(gain * 2.5 + field.bias_std**2)
    c, expected = 0.3, [0.3]
    for _ in range(3):
        both = field.skip**2 * c * q + gain * pair_average(phi, q, c) + field.bias_std**2
        q_next = field.skip**2 * q + gain / field.keep * pair_average(phi, q, 1.0) + field.bias_std**2
        c, q = both / q_next, q_next
        expected.append(c)
    found = field.correlations(0.3, n_layers=3, length=field.first_length(2.5))
    np.testing.assert_allclose(found, expected, atol=2e-5)
    fixed = field.fixed_length()
    limit = field.skip**2 * fixed + gain / field.keep * pair_average(phi, fixed, 1.0) + field.bias_std**2
    assert limit == pytest.approx(fixed, rel=1e-5)
    both = field.skip**2 * 0.3 * fixed + gain * pair_average(phi, fixed, 0.3) + field.bias_std**2
    assert field.correlations(0.3, n_layers=1)[1] == pytest.approx(both / fixed, abs=2e-5) == field.correlation_map(0.3)


def test_networks_without_weights_forget_at_once():
    field = MeanField("tanh", 0.0, 0.5)
    assert field.gradient_depth_scale == 0.0 and field.correlation_depth_scale == 0.0 and field.phase == "ordered"


def test_smooth_averages_state_an_error_near_rounding():
    for name in ("tanh", "sigmoid"):
        for q in (0.01, 1.0, 9.0):
            assert activation(name).quadrature_error(q) < 1e-11


def test_lengths_of_a_diagram_start_at_one_and_initializations_at_equal_widths():
    found = phase_diagram("relu", weight_stds=[1.0, sqrt(2)], bias_stds=[0.0])
    assert found.lengths.tolist() == [[0.0, 1.0]] and found.chi_1 == pytest.approx(np.array([[0.5, 1.0]]))
    assert weight_std_of("glorot") == 1.0 and weight_std_of("glorot", n_in=6) == pytest.approx(sqrt(12 / 7))
    assert weight_std_of("glorot", n_out=6) == pytest.approx(sqrt(2 / 7))


def test_networks_whose_lengths_vanish_keep_angles():
    """Near zero tanh is the identity; rectifiers are what they are at any length."""
    field = MeanField("tanh", 0.8)
    assert field.fixed_length() == 0.0 and field.correlation_map(0.3) == 0.3
    found = field.correlation_map([0.1, -0.5])
    assert isinstance(found, np.ndarray) and found.tolist() == [0.1, -0.5]
    relu = MeanField("relu", 0.8)
    expected = (sqrt(1 - 0.09) + 0.3 * (pi - np.arccos(0.3))) / pi
    assert relu.fixed_length() == 0.0 and relu.correlation_map(0.3) == pytest.approx(expected)


def test_a_kink_that_no_number_reaches_costs_no_error():
    cut = Activation("cut", lambda x: np.where(np.abs(x) < 1, x, 0.0), lambda x: np.where(np.abs(x) < 1, 1.0, 0.0))
    assert cut.quadrature_error(1.0) > 1e-5 > 1e-12 > cut.quadrature_error(1e-4)


def test_curvatures_are_one_for_each_layer_and_the_start():
    field = MeanField("tanh", 1.5, 0.3)
    found = field.curvatures(2.0, n_layers=3)
    assert len(found) == 4 and found[0] == 2.0
    for before, after in pairwise(found):
        assert after == pytest.approx(3 * field.chi_2 / field.chi_1**2 + before / field.chi_1)


@pytest.mark.parametrize("name", NAMES)
def test_a_variable_that_is_always_zero_is_independent_of_the_other(name):
    phi = activation(name)
    for g, average_of_pair in ((phi.function, phi.covariance), (phi.derivative, phi.slope_covariance)):
        at_zero = float(g(np.array([0.0]))[0])
        if name in ("relu", "leaky-relu", "abs") and g is phi.derivative:
            continue  # the slope at the kink is a convention
        mean = average(lambda x, g=g: float(g(np.array([x]))[0]), 1.7, name)
        assert average_of_pair(0.0, 1.7, 0.0) == pytest.approx(at_zero * mean, abs=1e-7)
        assert average_of_pair(1.7, 0.0, 0.0) == pytest.approx(at_zero * mean, abs=1e-7)
        assert average_of_pair(0.0, 0.0, 0.0) == pytest.approx(at_zero**2, abs=1e-9)


def test_depth_scales_of_networks_whose_lengths_vanish():
    field = MeanField("tanh", 0.8)
    assert field.correlation_depth_scale == pytest.approx(-1 / np.log(0.64)) == field.gradient_depth_scale
