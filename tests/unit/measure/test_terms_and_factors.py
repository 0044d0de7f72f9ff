"""One term or factor at a time of what is measured: each test fails without it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

import plica
from plica.exact import Dyadic
from plica.measure import (
    Ensemble,
    critical_points,
    equivalence,
    estimate_frechet_distance,
    fold_distance,
    functional_dimension,
    great_circle,
    integrated_gradients,
    mode_coverage,
    spectral_gap,
)
from plica.measure._pullback import exact_pullback, pullback
from plica.network import Linear, Network, Rectifier
from plica.theory.generative import gaussian_frechet_distance


def test_activations_of_a_signal_are_squares_after_the_activation():
    ensemble = Ensemble([4, 9, 7], n_networks=3, seed=3, weight_std=1.5, bias_std=0.4)
    x = np.random.default_rng(0).normal(size=4)
    signal = ensemble.estimate_signal(x)
    expected = [np.mean(ensemble.network(i)(x) ** 2) for i in range(3)]
    np.testing.assert_allclose(signal.activations[:, -1], expected, rtol=1e-12)


@pytest.mark.parametrize(("options", "factor"), [({"skip": 0.5}, 0.64 + 0.25), ({"keep": 0.5}, 0.64 / 0.5)], ids=str)
def test_gradients_go_back_through_skips_and_masks(options, factor):
    """Linear layers: a skip adds its square, a mask of zeros and 1 / keep has mean square 1 / keep."""
    signal = Ensemble([150] * 5, n_networks=200, seed=4, weight_std=0.8, activation="identity", **options).estimate_signal(
        np.ones(150)
    )
    found, error = signal.mean(signal.gradients), signal.standard_error(signal.gradients)
    assert (np.abs(found - factor ** np.arange(3, -1, -1)) <= 4.5 * error + 1e-12).all()
    assert (error < 0.05 * found).all()


def test_exact_gradients_add_what_comes_by_several_ways():
    class Residual(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = x + torch.relu(self.first(x))
            return x + torch.relu(self.second(x))

    torch.manual_seed(1)
    net = plica.from_torch(Residual().double(), example_input=torch.zeros(1, 3, dtype=torch.float64))
    states, weights = net.pattern(np.array([0.3, -0.4, 0.5])), np.array([1.0, -0.5, 2.0])
    exact = exact_pullback(net, states, len(net.nodes) - 1, Dyadic.from_floats(weights)).fractions()
    matrix, _ = net.linearize(states)
    np.testing.assert_allclose([float(f) for f in exact], weights @ matrix, rtol=1e-13)


def test_every_rounding_of_a_gradient_is_in_its_bound():
    """A product of two hundred numbers is rounded two hundred times: often by more than one unit in all."""
    beyond_one = 0
    for seed in range(8):
        numbers = np.random.default_rng(seed).uniform(0.5, 2.0, 200)
        net = Network.sequential(1, [Linear(np.array([[w]])) for w in numbers])
        last = len(net.nodes) - 1
        (exact,) = exact_pullback(net, [], last, Dyadic.from_floats(np.ones(1))).fractions()
        (found,), error = pullback(net, [], last, np.ones(1))
        off = abs(Fraction(float(found)) - exact)
        assert off <= Fraction(error)
        beyond_one += off > abs(exact) * Fraction(1, 2**52)
    assert beyond_one >= 2


def test_the_frechet_distance_is_that_of_unbiased_covariances():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(6, 2)), rng.normal(size=(9, 2)) * [2.0, 0.5] + 1.0
    expected = gaussian_frechet_distance(x.mean(0), np.cov(x.T), y.mean(0), np.cov(y.T))
    assert estimate_frechet_distance(x, y).value == pytest.approx(expected, rel=1e-10)


def test_a_sample_at_the_radius_is_near_its_mode():
    found = mode_coverage([[3.0, 4.0], [6.0, 8.1]], [[0.0, 0.0]], radius=5.0)
    assert found.near == 0.5


def test_the_stable_rank_does_not_change_with_the_scale_of_a_matrix():
    matrix = np.diag([2.0, 1.0, 1.0])
    assert spectral_gap(matrix).stable_rank == pytest.approx(1.5)
    assert spectral_gap(7 * matrix).stable_rank == pytest.approx(1.5)


@pytest.mark.parametrize("n_points", [4, 10])
def test_the_gap_of_an_arc_is_the_distance_of_its_chords(n_points):
    arc = great_circle([3.0, 0.0, 0.0], [0.0, 3.0 * np.cos(0.4), 3.0 * np.sin(0.4)], n_points=n_points)
    middles = (arc.points[:-1] + arc.points[1:]) / 2
    on_arc = arc.on_curve((np.arange(n_points) + 0.5) / n_points * arc.size)
    assert arc.gap == pytest.approx(np.linalg.norm(middles - on_arc, axis=1).max(), rel=1e-9)


def test_units_that_repeat_others_are_added_up_with_their_factors():
    """u and 2 u, read as u + 2 u and as 3 u: one function."""
    inner = Linear(np.array([[1.0, -0.5], [2.0, -1.0]]), np.array([0.25, 0.5]))
    nets = [Network.sequential(2, [inner, Rectifier(), Linear(np.array([row]))]) for row in ([1.0, 1.0], [3.0, 0.0], [0.0, 1.5])]
    for other in nets[1:]:
        assert equivalence(nets[0], other).is_exact
    x = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_allclose(nets[0](x), nets[1](x), rtol=1e-12)


def test_a_flat_border_does_not_make_a_function_degenerate_inside():
    """The pyramid 1 - max(|x|, |y|) is 0 on all of the border, and has one maximum."""
    pyramid = plica.construct.max_min([[-1, 0, 1], [1, 0, 1], [0, -1, 1], [0, 1, 1]], [[0, 1, 2, 3]]).network
    found = critical_points(plica.decompose(pyramid, plica.Box([-1, -1], [1, 1])))
    assert any(p.on_border and p.is_flat for p in found.points)
    assert found.is_morse and [p.index for p in found.interior] == [2]


def test_a_unit_without_parameters_has_no_scale_to_lose():
    """w, b, v and c: one of four is the scale of the only unit that is there."""
    net = Network.sequential(
        1, [Linear(np.array([[1.0], [0.0]]), np.array([0.5, 0.0])), Rectifier(), Linear(np.array([[2.0, 0.0]]), np.array([0.25]))]
    )
    among = np.array([True, False, True, False, True, False, True])
    found = functional_dimension(plica.decompose(net, plica.Segment([-2.0], [2.0])), among=among)
    assert (found.value, found.bound, found.kind) == (3, 3, "exact")


@pytest.mark.parametrize("offset", [1e5, 1e7])
def test_lengths_that_lost_digits_are_in_the_error_of_attributions(offset):
    """Far from zero the places of folds on a segment are known to few digits, and so are the lengths between them."""
    rng = np.random.default_rng(7)
    weight, start = rng.normal(size=(6, 2)), offset * rng.normal(size=2)
    end, t = start + rng.normal(size=2), rng.random(6)
    bias = -(weight @ start * (1 - t) + weight @ end * t)
    net = Network.sequential(2, [Linear(weight, bias), Rectifier(), Linear(rng.normal(size=(1, 6)))])
    found, exact = integrated_gradients(net, end, start), integrated_gradients(net, end, start, exact=True)
    off = np.array([float(abs(Fraction(float(v)) - f)) for v, f in zip(found.values, exact.exact, strict=True)])
    assert (off <= found.error).all()
    assert off.max() > 100 * 2.0**-50 * np.abs(found.values).max(), "digits were lost"


def test_bounds_of_a_distance_hold_where_its_digits_are_lost():
    """One unit, far from zero: what is left of w . x + b is wrong in its fifth digit, on both sides."""
    rng = np.random.default_rng(3)
    weight, far = rng.normal(size=(1, 3)), 1e11 * rng.normal(size=3)
    net = Network.sequential(3, [Linear(weight, -(weight @ far)), Rectifier(), Linear(np.ones((1, 1)))])
    points = far + rng.normal(size=(60, 3))
    found, exact = (fold_distance(net, points, method=method) for method in ("bounds", "exact"))
    assert (found.lower <= exact.distance).all() and (exact.distance <= found.upper).all()
    inner = np.abs(points @ weight[0] - weight[0] @ far) / np.linalg.norm(weight)
    assert np.abs(inner / exact.distance - 1).max() > 1e-5, "digits were lost"
