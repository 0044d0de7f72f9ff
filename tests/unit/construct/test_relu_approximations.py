"""Splines, integrals, boxes, triangulations and wavelets: sizes, certificates, refusals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from plica import Segment, decompose
from plica.construct import (
    Polynomial,
    box_network,
    cos,
    exp,
    integral_network,
    narrow,
    sin,
    spline,
    sqrt,
    step_function,
    triangulation,
    variables,
    wavelets,
)
from plica.construct.interpolants._wavelets import hat_coefficients, largest_terms
from plica.errors import BudgetExceeded, InvalidInput
from plica.network import Linear

(x,) = variables(1)
u, v = variables(2)


@pytest.mark.parametrize(
    ("target", "interval"), [(sin(5 * x), (0.0, 1.0)), (exp(x), (-1.0, 2.0)), (Polynomial([1, 0, 3]), (0.0, 2.0))]
)
def test_splines_reach_the_error_asked_for_and_the_bound_is_tight(target: object, interval: tuple[float, float]) -> None:
    s = spline(target, error=1e-3, interval=interval)
    error = s.certificate.true_error
    assert error.high <= float(s.certificate.bound) * (1 + 1e-6) and s.certificate.bound <= 1e-3 * (1 + 1e-6)
    assert s.certificate.tightness < 1.02 and s.n_units == s.theorem["units"] and s.depth == 1


def test_a_spline_of_a_parabola_with_dyadic_knots_is_exact_at_its_knots() -> None:
    s = spline(Polynomial([0, 0, 1]), 8)
    assert all(s([k / 8])[0] == (k / 8) ** 2 for k in range(9))
    assert float(s.certificate.true_error.high) == 2.0**-8


def test_a_spline_is_verified_and_a_tampered_one_is_not() -> None:
    certificate = spline(sin(3 * x), 8).certificate
    assert certificate.verify()
    module = __import__("plica.network", fromlist=["to_torch"]).to_torch(certificate.network)
    assert certificate.verify(module)
    import torch

    with torch.no_grad():
        next(p for p in module.parameters() if p.numel() > 3).view(-1)[2] += 1e-6
    assert not certificate.verify(module)


def test_quadrature_converges_with_order_two_for_relus_and_one_for_steps() -> None:
    for units, order in (("relu", 4.0), ("step", 2.0)):
        errors = [float(integral_network(exp(x), n, units=units).certificate.bound) for n in (16, 32, 64)]
        assert all(a / b == pytest.approx(order, rel=0.1) for a, b in pairwise(errors))


def test_random_thresholds_have_equal_coefficients_that_sum_to_the_variation() -> None:
    steps = integral_network(sin(3 * x), 100, units="step", rule="random", seed=1)
    heights = np.abs(steps.network.output[0][0, 1:])  # type: ignore[union-attr]
    assert np.ptp(heights) < 1e-15 and heights.sum() == pytest.approx(2 - np.sin(3), rel=1e-6)
    again = integral_network(sin(3 * x), 100, units="step", rule="random", seed=1)
    assert np.array_equal(again.network.hidden[0][1], steps.network.hidden[0][1])  # type: ignore[union-attr]


def test_the_mean_of_random_networks_is_the_function() -> None:
    grid = np.linspace(0, 1, 21)[:, None]
    values = np.mean([integral_network(exp(x), 50, rule="random", seed=k)(grid)[:, 0] for k in range(20)], axis=0)
    assert np.abs(values - np.exp(grid[:, 0])).max() < 0.03


def test_the_partition_lemma_holds_on_a_grid() -> None:
    edges, values = step_function(u * v, n=8)
    assert len(edges) == 9 and edges[0] == 0 and edges[-1] == 1
    p = np.random.default_rng(0).random((500, 2))
    index = np.minimum((p * 8).astype(int), 7)
    assert np.abs(values[index[:, 0], index[:, 1]] - p[:, 0] * p[:, 1]).max() <= 2 * (1 / 16)


@pytest.mark.parametrize("value", ["center", "corner"])
def test_the_box_network_is_within_twice_eps_in_the_mean(value: str) -> None:
    b = box_network(sin(3 * x), error=0.25, lipschitz=3, value=value)
    error = b.certificate.true_error
    assert error.norm == "L1" and error.high <= b.certificate.bound <= 2 * Fraction(1, 4)
    assert b.n_units <= b.theorem["units"] == 4 * 12 + 12 and b.depth == 2
    weights = np.concatenate([n.op.weight.ravel() for n in b.network.nodes if isinstance(n.op, Linear)][:2])
    assert (weights * 2.0**20 == np.round(weights * 2.0**20)).all()


def test_boxes_in_three_dimensions_have_the_counted_units() -> None:
    a, b, c = variables(3)
    net = box_network((a + b + c) / 3, error=0.5)
    assert net.network.widths[2] == 8 and net.n_units <= net.theorem["units"] == 4 * 3 * 2 + 8
    p = np.random.default_rng(1).random((4000, 3))
    assert np.abs(net(p)[:, 0] - p.mean(1)).mean() <= float(net.certificate.bound)


def test_triangulations_interpolate_and_their_bound_is_tight_for_a_product() -> None:
    t = triangulation(u * v, 4)
    grid = np.stack(np.meshgrid(np.arange(5), np.arange(5)), -1).reshape(-1, 2) / 4
    assert np.array_equal(t(grid)[:, 0], grid[:, 0] * grid[:, 1])
    assert t.certificate.true_error.high <= float(t.certificate.bound) * (1 + 1e-5) and t.certificate.tightness < 1.01
    by_error = triangulation(sin(3 * u) * cos(2 * v), error=0.05)
    assert by_error.certificate.true_error.high <= 0.05


def test_hidden_weights_of_a_triangulation_are_integers() -> None:
    net = triangulation(sin(3 * u) * cos(2 * v), 5).network
    hidden = [n.op for n in net.nodes if isinstance(n.op, Linear)][:-1]
    assert all((op.weight == np.round(op.weight)).all() for op in hidden)


def test_all_hats_give_the_interpolant() -> None:
    values = np.sin(np.arange(17) / 16 * 3)
    w = wavelets(sin(3 * x), 15, levels=4, bits=40)
    grid = np.arange(17) / 16
    assert np.allclose(w(grid[:, None])[:, 0], values, atol=1e-10)
    assert decompose(w.network, Segment([0.0], [1.0])).n_regions == 16


def test_a_hat_is_its_own_coefficient() -> None:
    hat = np.interp(np.arange(33) / 32, [0.25, 0.375, 0.5], [0.0, 2.0, 0.0])
    (term,) = largest_terms(hat, 5)
    assert (term.level, term.index, term.coefficient) == (2, 1, 2.0)
    assert [len(c) for c in hat_coefficients(hat)] == [1, 2, 4, 8, 16]


def test_weights_of_wavelets_have_the_stated_bits() -> None:
    w = wavelets(sqrt(x), 12)
    out = [n.op for n in w.network.nodes if isinstance(n.op, Linear)][-1]
    scaled = out.weight * 2.0 ** w.parameters["bits"]
    assert (scaled == np.round(scaled)).all() and w.certificate.bound < 0.01


def test_bad_arguments_are_refused_with_the_numbers() -> None:
    with pytest.raises(InvalidInput, match="either"):
        spline(sin(x))
    with pytest.raises(InvalidInput, match="not bounded"):
        spline(sqrt(x), 4)
    with pytest.raises(BudgetExceeded, match="units"):
        spline(sin(x), error=1e-15)
    with pytest.raises(InvalidInput, match="must be positive"):
        box_network(sin(x), error=0)
    with pytest.raises(BudgetExceeded, match=r"boxes; the limit"):
        box_network(u * v, error=1e-3)
    with pytest.raises(InvalidInput, match="slope reaches"):
        box_network(3 * u + v, error=0.5, lipschitz=1)
    with pytest.raises(InvalidInput, match="do not fit"):
        box_network(sin(x), error=0.5, ramp=0.5)
    with pytest.raises(BudgetExceeded, match="cells"):
        triangulation(u * v, error=1e-9)
    with pytest.raises(InvalidInput, match=r"2\^J"):
        hat_coefficients([0.0, 1.0])
    with pytest.raises(InvalidInput, match="n must be"):
        integral_network(exp(x), 0)


@pytest.mark.parametrize("error", [0.2, 0.03])
def test_a_narrow_network_has_the_coarsest_grid_that_its_theorem_allows(error: float) -> None:
    found = narrow(sin(3 * x), error=error)
    n = found.parameters["n"]
    assert found.theorem["error"] <= error < 9 / (8 * (n - 1) ** 2)  # |f''| <= 9
