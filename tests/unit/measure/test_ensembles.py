"""Ensembles of random networks against single networks, closed forms and the theory of wide layers."""

from __future__ import annotations

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.measure import Ensemble, Jacobians, Kernels, Signal, circle, trajectory_length
from plica.measure._activations import NAMES, activation
from plica.theory.kernels import nngp, ntk
from plica.theory.lengths import relu_expected_length
from plica.theory.meanfield import MeanField

SIGMAS = 4.5


def agree(measured, error, predicted):
    return bool((np.abs(np.asarray(measured) - predicted) <= SIGMAS * np.asarray(error)).all())


@pytest.mark.parametrize("weights", ["normal", "uniform", "discrete", "orthogonal"])
def test_network_i_has_the_numbers_of_random_network(weights):
    ensemble = Ensemble([3, 5, 4], n_networks=4, seed=7, weights=weights, weight_std=1.5, bias_std=0.3, density=0.7)
    alone = plica.random_network(
        [3, 5, 4], seed=np.random.default_rng(7).spawn(3)[2], weights=weights, gain=1.5, bias_std=0.3, density=0.7
    )
    x = np.random.default_rng(0).normal(size=(6, 3))
    np.testing.assert_allclose(np.maximum(alone(x), 0), ensemble.network(2)(x), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "options",
    [
        {"activation": "relu", "bias_std": 0.3},
        {"activation": "hard-tanh", "weight_std": 3.0},
        {"activation": "leaky-relu", "slope": 0.2, "density": 0.6},
        {"activation": "abs", "weights": "uniform"},
        {"activation": "relu", "skip": 0.5, "bias_std": 0.1},
    ],
)
def test_lengths_of_an_ensemble_are_those_of_its_networks(options):
    ensemble = Ensemble([4, 8, 8, 8], n_networks=5, seed=1, **{"weight_std": 1.4, **options})
    path = plica.Segment([-1.0, 0.5, 0.0, 1.0], [1.0, 1.0, -1.0, 0.2])
    tangents = ensemble.estimate_lengths(path, n_points=4000)
    chords = ensemble.estimate_lengths(path, n_points=4000, method="chords")
    for i in range(5):
        exact = trajectory_length(ensemble.network(i), path)
        np.testing.assert_allclose(tangents.post[i], exact.post, rtol=5e-3)
        np.testing.assert_allclose(chords.pre[i], exact.pre, rtol=5e-3)
        assert (chords.post[i] <= exact.post * (1 + 1e-12)).all()


def test_more_networks_and_other_chunks_change_no_network(monkeypatch):
    few = Ensemble([8, 16, 16], n_networks=3, seed=5, bias_std=0.1)
    many = Ensemble([8, 16, 16], n_networks=50, seed=5, bias_std=0.1)
    path = circle(np.eye(8)[0], np.eye(8)[1], n_points=40)
    expected = few.estimate_lengths(path).post
    np.testing.assert_allclose(many.estimate_lengths(path).post[:3], expected, rtol=1e-12)
    monkeypatch.setattr("plica.measure._ensembles.CHUNK_ENTRIES", 1)
    monkeypatch.setattr("plica.measure._ensembles.GEMM_ENTRIES", 16 * 16 * 9)
    np.testing.assert_allclose(few.estimate_lengths(path).post, expected, rtol=1e-12)


def test_the_mean_length_obeys_the_exact_law_of_relu_networks():
    widths = [6, 10, 4, 12]
    ensemble = Ensemble(widths, n_networks=4000, seed=0, weight_std=1.6, bias_std=0.5)
    lengths = ensemble.estimate_lengths(plica.Segment(np.zeros(6), np.ones(6)), n_points=6)
    expected = [relu_expected_length(widths[: i + 2], weight_std=1.6) * 6**0.5 for i in range(3)]
    assert agree(lengths.mean, lengths.standard_error, expected)


@pytest.mark.parametrize(
    ("activation", "weight_std", "bias_std"), [("tanh", 1.5, 0.3), ("erf", 1.3, 0.2), ("hard-tanh", 2.0, 0.1)]
)
def test_wide_networks_follow_the_maps(activation, weight_std, bias_std):
    field = MeanField(activation, weight_std, bias_std)
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    x *= 20 / np.linalg.norm(x)
    y = rng.normal(size=400)
    y -= (x @ y) / (x @ x) * x
    y = 0.6 * x + 0.8 * y * 20 / np.linalg.norm(y)
    signal = Ensemble(
        [400] * 6, n_networks=30, seed=0, weight_std=weight_std, bias_std=bias_std, activation=activation
    ).estimate_signal(x, y)
    q = field.lengths(field.first_length(1.0), n_layers=4)
    assert np.abs(signal.mean(signal.lengths) / q - 1).max() < 0.03
    c0 = (weight_std**2 * 0.6 + bias_std**2) / field.first_length(1.0)
    c = field.correlations(c0, n_layers=4, length=q[0])
    assert np.abs(signal.mean(signal.correlations) - c).max() < 0.03


def test_dropout_and_skips_follow_their_maps():
    for options in ({"keep": 0.8}, {"skip": 1.0}):
        field = MeanField("tanh", 1.5, 0.3, **options)
        x = np.ones(300)
        signal = Ensemble(
            [300] * 6, n_networks=40, seed=1, weight_std=1.5, bias_std=0.3, activation="tanh", **options
        ).estimate_signal(x, x)
        q = field.lengths(field.first_length(1.0), n_layers=4)
        assert np.abs(signal.mean(signal.lengths) / q - 1).max() < 0.04
        c = field.correlations(1.0, n_layers=4, length=q[0])
        assert np.abs(signal.mean(signal.correlations) - c).max() < 0.04


def test_gradients_of_linear_networks_keep_the_variance_that_n_out_gives():
    signal = Ensemble([50, 400, 100, 200], n_networks=200, seed=0, weight_std=1.0, activation="identity").estimate_signal(
        np.ones(50)
    )
    # backward through W (n_out x n_in) with variance 1 / n_in the mean square is multiplied by n_out / n_in
    expected = [100 / 400 * 200 / 100, 200 / 100, 1.0]
    assert agree(signal.mean(signal.gradients), signal.standard_error(signal.gradients) + 1e-12, expected)


def test_jacobians_of_an_ensemble_are_those_of_its_networks():
    ensemble = Ensemble([5, 7, 6], n_networks=3, seed=2, weight_std=1.5, bias_std=0.4, skip=0.0)
    x = np.random.default_rng(3).normal(size=5)
    measured = ensemble.estimate_jacobians(x)
    for i in range(3):
        expected = plica.measure.jacobian(ensemble.network(i), x)
        np.testing.assert_allclose(measured.singular_values[i], expected.singular_values, atol=1e-12)
    assert measured.moments[0] == pytest.approx((measured.singular_values**2).mean())


def test_orthogonal_linear_networks_are_isometries():
    jacobians = Ensemble([12] * 5, n_networks=3, seed=0, weights="orthogonal", activation="identity").estimate_jacobians(
        np.ones(12)
    )
    np.testing.assert_allclose(jacobians.singular_values, 1.0, rtol=1e-12)


@pytest.mark.parametrize("activation", ["relu", "erf"])
def test_kernels_of_finite_networks_are_near_those_of_infinite_ones(activation):
    x = np.random.default_rng(1).normal(size=(3, 6))
    ensemble = Ensemble([6, 256, 256], n_networks=200, seed=0, weight_std=1.4, bias_std=0.3, activation=activation)
    kernels = ensemble.estimate_kernels(x)
    options = {"depth": 2, "weight_std": 1.4, "bias_std": 0.3, "activation": activation}
    for measured, predicted in ((kernels.nngp, nngp(x, **options)), (kernels.ntk, ntk(x, **options))):
        slack = 0.02 * np.abs(predicted).max() / SIGMAS  # finite width
        assert agree(kernels.mean(measured), kernels.standard_error(measured) + slack, predicted)


def test_the_tangent_kernel_of_one_network_is_that_of_automatic_differentiation():
    import torch

    ensemble = Ensemble([3, 5, 4], n_networks=1, seed=4, weight_std=1.3, bias_std=0.5, activation="tanh")
    x = np.random.default_rng(0).normal(size=(2, 3))
    rngs = [ensemble.generator(0)]
    layers = [ensemble.draw(rngs, i) for i in range(2)]
    v = torch.tensor(rngs[0].standard_normal((1, 4)), requires_grad=True)
    # standard-normal parameters: the stored ones divided by their scales
    raw = []
    for (W, b), n_in in zip(layers, (3, 5), strict=True):
        raw.append(torch.tensor(W[0] * np.sqrt(n_in) / 1.3, requires_grad=True))
        raw.append(torch.tensor(b[0] / 0.5, requires_grad=True))
    c = torch.zeros(1, dtype=torch.float64, requires_grad=True)

    def output(row):
        z = torch.tensor(row)
        for i, n_in in enumerate((3, 5)):
            z = torch.tanh(1.3 / n_in**0.5 * raw[2 * i] @ z + 0.5 * raw[2 * i + 1])
        return (1.3 / 4**0.5 * v[0] @ z + 0.5 * c).sum()

    gradients = [torch.cat([g.reshape(-1) for g in torch.autograd.grad(output(row), [*raw, v, c])]) for row in x]
    expected = np.array([[float(a @ b) for b in gradients] for a in gradients])
    np.testing.assert_allclose(ensemble.estimate_kernels(x).ntk[0], expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"widths": [4]}, "at least two"),
        ({"widths": [4, 0]}, "positive"),
        ({"n_networks": 0}, "n_networks"),
        ({"seed": -1}, "seed"),
        ({"weights": "cauchy"}, "not known"),
        ({"weight_std": -1.0}, "weight_std"),
        ({"bias_std": float("nan")}, "bias_std"),
        ({"density": 0.0}, "density"),
        ({"density": 1.5}, "density"),
        ({"keep": 0.0}, "keep"),
        ({"activation": "softmax"}, "not known"),
        ({"widths": [2, 3, 4], "skip": 1.0}, "equal widths"),
    ],
)
def test_bad_ensembles_get_a_clear_error(options, words):
    with pytest.raises(InvalidInput, match=words):
        Ensemble(**{"widths": [2, 3, 3], "n_networks": 2, "seed": 0, **options})


def test_bad_questions_get_a_clear_error():
    ensemble = Ensemble([2, 3, 3], n_networks=2, seed=0)
    segment = plica.Segment([0, 0], [1, 1])
    for call, words in (
        (lambda: ensemble.estimate_lengths(plica.Segment([0.0], [1.0])), "inputs"),
        (lambda: ensemble.estimate_lengths(segment, n_points=0), "n_points"),
        (lambda: ensemble.estimate_lengths(segment, method="guess"), "not known"),
        (lambda: ensemble.estimate_lengths([0, 1]), "expected a path"),
        (lambda: ensemble.estimate_signal([1.0, np.inf]), "finite"),
        (lambda: ensemble.network(2), "no network 2"),
        (lambda: Ensemble([2, 3], n_networks=1, seed=0, activation="tanh").network(0), "piecewise linear"),
        (lambda: Ensemble([2, 3], n_networks=1, seed=0, keep=0.5).estimate_lengths(segment), "dropout"),
        (lambda: Ensemble([2, 3], n_networks=1, seed=0, keep=0.5).estimate_jacobians([1, 1]), "dropout"),
        (lambda: Ensemble([2, 3], n_networks=1, seed=0, weights="uniform").estimate_kernels([[1, 1]]), "Gaussian"),
        (lambda: ensemble.estimate_kernels([[1.0]]), "rows of 2"),
    ):
        with pytest.raises(InvalidInput, match=words):
            call()


def test_one_network_has_no_standard_error():
    lengths = Ensemble([2, 3], n_networks=1, seed=0).estimate_lengths(plica.Segment([0, 0], [1, 1]), n_points=10)
    assert np.isinf(lengths.standard_error).all()
    assert "factor" in repr(lengths)


@pytest.mark.parametrize("options", [{}, {"keep": 0.8}, {"skip": 0.5}], ids=str)
def test_units_drawn_without_matrices_have_the_law_of_networks(options):
    ensemble = Ensemble(
        [10, 20, 15, 20] if not options.get("skip") else [10, 20, 20, 20],
        n_networks=4000, seed=0, weight_std=1.5, bias_std=0.3, activation="tanh", **options,
    )  # fmt: skip
    points = np.random.default_rng(1).normal(size=(2, 10))
    drawn, built = ensemble.estimate_forward(points), ensemble.estimate_signal(*points)
    for one, two in ((drawn.lengths, built.lengths), (drawn.correlations, built.correlations)):
        error = np.hypot(one.std(0), two.std(0)) / np.sqrt(4000)
        assert (np.abs(one.mean(0) - two.mean(0)) < 5 * error).all()
        assert np.abs(one.std(0) / two.std(0) - 1).max() < 0.08


def test_units_of_other_weights_are_not_drawn_without_matrices():
    with pytest.raises(InvalidInput, match="orthogonal"):
        Ensemble([4, 4], n_networks=2, seed=0, weights="orthogonal").estimate_forward(np.ones(4))
    with pytest.raises(InvalidInput, match="rows of 4"):
        Ensemble([4, 4], n_networks=2, seed=0).estimate_forward(np.ones(3))


def test_the_spread_of_networks_is_the_unbiased_deviation_and_its_error_that_of_the_mean():
    values = np.array([[1.0, 5.0], [3.0, 5.0]])  # two networks: |1 - 3| / sqrt(2), and over sqrt(2) once more for the mean
    assert np.allclose(Signal.spread(values), [np.sqrt(2), 0]) and np.allclose(Signal.standard_error(values), [1, 0])
    assert Signal.spread(values[:1]).tolist() == [np.inf, np.inf] and Signal.mean(values).tolist() == [2, 5]


def test_the_relative_variance_of_jacobians_is_that_of_each_network_whatever_its_size():
    ensemble = Ensemble([2, 2], n_networks=2, seed=0)
    found = Jacobians(ensemble, np.array([[3.0, 1.0], [30.0, 10.0]]))  # squares 9 and 1: mean 5, variance 16
    assert np.allclose(found.relative_variance, [16 / 25, 0.0], atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_slopes_are_derivatives_of_their_functions(name: str) -> None:
    x, h = np.array([-1.7, -0.6, 0.3, 1.4]), 1e-6
    phi = activation(name)
    y, slope = phi.with_slope(x)
    np.testing.assert_allclose(slope, (phi.function(x + h) - phi.function(x - h)) / (2 * h), atol=1e-8)
    np.testing.assert_array_equal(y, phi.function(x))


def test_the_error_of_the_growth_is_what_leaving_out_networks_says():
    lengths = Ensemble([3, 12, 12, 12], n_networks=60, seed=2, weight_std=1.5).estimate_lengths(circle([1.0, 0, 0], [0, 1.0, 0]))
    rate, error = lengths.growth
    last, depth = lengths.post[:, -1], lengths.post.shape[1]
    assert rate == pytest.approx((last.mean() / lengths.input) ** (1 / depth))
    without = ((last.sum() - last) / (len(last) - 1) / lengths.input) ** (1 / depth)
    jackknife = np.sqrt((len(last) - 1) / len(last) * ((without - without.mean()) ** 2).sum())
    assert error == pytest.approx(jackknife, rel=0.05)


@pytest.mark.parametrize("kind", ["heavy tails", "networks of other sizes"])
def test_errors_of_the_moments_of_jacobians_are_what_leaving_out_networks_says(kind):
    rng = np.random.default_rng(0)
    values = rng.lognormal(size=(80, 6)) if kind == "heavy tails" else rng.uniform(1, 2, (80, 1)) * rng.uniform(0.7, 1.3, (80, 6))
    found = Jacobians(Ensemble([6, 6], n_networks=80, seed=0), values)
    squares = values**2
    rest = [np.delete(squares, i, axis=0) for i in range(80)]
    for error, f in zip(found.moment_errors, (np.mean, np.var), strict=True):
        without = np.array([f(part) for part in rest])
        assert error == pytest.approx(np.sqrt(79 / 80 * ((without - without.mean()) ** 2).sum()), rel=0.05)


def test_errors_of_ratios_are_what_leaving_out_networks_says():
    lengths = Ensemble([3, 12, 12, 12], n_networks=60, seed=3, weight_std=1.5).estimate_lengths(circle([1.0, 0, 0], [0, 1.0, 0]))
    before = np.column_stack([np.full(60, lengths.input), lengths.post[:, :-1]])
    without = np.array([np.delete(lengths.post, i, axis=0).mean(0) / np.delete(before, i, axis=0).mean(0) for i in range(60)])
    jackknife = np.sqrt(59 / 60 * ((without - without.mean(0)) ** 2).sum(0))
    assert lengths.ratio_errors == pytest.approx(jackknife, rel=0.05)


def test_the_error_of_a_mean_kernel_is_the_deviation_over_the_root_of_the_number():
    values = np.array([[[1.0]], [[3.0]], [[5.0]], [[3.0]]])  # squares of deviations add up to 8, a third of it, over 4
    assert Kernels.standard_error(values) == pytest.approx(np.sqrt(8 / 3 / 4)) and Kernels.mean(values) == 3
