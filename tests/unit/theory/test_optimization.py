"""Rates of optimizers against their definitions: matrices, recursions and fractions, away from where constants are 1."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, inf, log, sqrt

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.theory import optimization as o

EIGENVALUES, VARIANCES = [0.5, 2.0, 3.0], [1.5, 0.25, 2.0]


@pytest.mark.parametrize(("rate", "m", "L", "c"), [("1/50", 400, "3", "1/5"), ("1/9", 77, "2", "3/4"), ("1/40", 1, "5", "2")])
def test_svrg_shrinks_by_the_sum_of_its_two_terms(rate: str, m: int, L: str, c: str) -> None:
    eta, smooth, convex = Fraction(rate), Fraction(L), Fraction(c)
    rest = 1 - 2 * smooth * eta
    expected = (1 / (convex * eta * m) + 2 * smooth * eta) / rest
    assert o.svrg_rate(float(eta), m, smoothness=float(smooth), convexity=float(convex)) == pytest.approx(
        float(expected), rel=1e-12
    )
    with pytest.raises(InvalidInput):
        o.svrg_rate(float(1 / (2 * smooth)) * 1.001, m, smoothness=float(smooth), convexity=float(convex))


def test_saga_is_slowed_by_many_summands_or_by_the_condition_number() -> None:
    assert o.saga_rate(10, smoothness=5.0, convexity=0.03) == pytest.approx(1 - 0.002, rel=1e-14)
    assert o.saga_rate(10, smoothness=0.5, convexity=0.3) == pytest.approx(1 - 0.025, rel=1e-14)
    assert o.saga_rate(1, smoothness=4.0, convexity=3.0) == 0.75 == o.saga_rate(1, smoothness=1.0, convexity=0.75)


def test_the_floor_of_constant_steps_is_where_the_recursion_ends() -> None:
    path = o.quadratic_excess(EIGENVALUES, VARIANCES, [0.3] * 600, [1.0, -2.0, 0.5])
    assert path[0] == pytest.approx((0.5 * 1 + 2 * 4 + 3 * 0.25) / 2, rel=1e-14)
    second = [(1 - 0.3 * h) ** 2 * w * w + 0.09 * v for h, w, v in zip(EIGENVALUES, [1, -2, 0.5], VARIANCES, strict=True)]
    assert path[1] == pytest.approx(sum(h * s for h, s in zip(EIGENVALUES, second, strict=True)) / 2, rel=1e-13)
    assert o.quadratic_floor(EIGENVALUES, VARIANCES, 0.3) == pytest.approx(path[-1], rel=1e-12)
    assert o.quadratic_floor(EIGENVALUES, VARIANCES, 2 / 3) == inf
    assert o.quadratic_floor(EIGENVALUES, VARIANCES, 0.66) < inf


def test_the_bound_of_constant_steps_is_attained_in_one_dimension_with_the_least_noise() -> None:
    # F = c w^2 / 2 has L = c; without noise the excess shrinks by (1 - alpha c)^2 <= 1 - alpha c
    for k, mu in ((0, 1.0), (1, 0.5), (7, 0.8)):
        floor = Fraction(1, 10) * 4 * 3 / (2 * 2 * Fraction(mu))
        expected = floor + (1 - Fraction(1, 10) * 2 * Fraction(mu)) ** k * (5 - floor)
        found = o.bottou_2018_fixed_bound(k, 0.1, smoothness=4, convexity=2, noise=3, excess=5, mu=mu)
        assert found == pytest.approx(float(expected), rel=1e-13)


def test_the_bound_of_decreasing_steps_is_the_larger_of_its_two_terms() -> None:
    given = {"beta": 3.0, "gamma": 4.0, "smoothness": 2.0, "convexity": 0.5, "noise": 6.0, "mu": 0.8}
    noise = 9 * 2 * 6 / (2 * (3 * 0.5 * 0.8 - 1))
    assert o.bottou_2018_decreasing_bound(11, excess=1.0, **given) == pytest.approx(noise / 15, rel=1e-12)
    assert o.bottou_2018_decreasing_bound(11, excess=900.0, **given) == pytest.approx(5 * 900 / 15, rel=1e-12)
    with pytest.raises(InvalidInput):
        o.bottou_2018_decreasing_bound(11, excess=1.0, **(given | {"beta": 2.5}))


@pytest.mark.parametrize("batch", [1, 3])
def test_second_moments_of_least_squares_follow_isserlis_as_matrices(batch: int) -> None:
    """S' = (1 - a H) S (1 - a H) + a^2/B (H S H + tr(HS) H) + a^2/B s^2 H, for diagonal H: iterated."""
    h, s2, a = np.array([0.5, 1.0, 2.0]), 1.7, 0.2
    s = np.zeros(3)
    for _ in range(4000):
        s = (1 - a * h) ** 2 * s + a * a / batch * (h * s * h + (h @ s) * h) + a * a / batch * s2 * h
    assert o.least_squares_floor(h, s2, a, batch=batch) == pytest.approx(float(h @ s) / 2, rel=1e-10)
    largest = o.least_squares_largest_rate(h, batch=batch)
    assert (
        o.least_squares_floor(h, s2, largest * 0.999, batch=batch)
        < inf
        == o.least_squares_floor(h, s2, largest * 1.001, batch=batch)
    )
    growth = (1 - largest * h) ** 2 * np.eye(3) + largest**2 / batch * (np.diag(h * h) + np.outer(h, h))
    assert np.abs(np.linalg.eigvals(growth)).max() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(("rate", "momentum"), [(0.2, 0.3), (0.5, 0.0), (0.05, 0.9), (3.0, 0.1)])
def test_radii_are_those_of_the_matrices_of_one_step(rate: float, momentum: float) -> None:
    def radius(step: list[list[list[float]]]) -> float:
        return max(float(np.abs(np.linalg.eigvals(np.array(m))).max()) for m in step)

    heavy = [[[1 + momentum - rate * h, -momentum], [1.0, 0.0]] for h in EIGENVALUES]
    ahead = [[[(1 + momentum) * (1 - rate * h), -momentum * (1 - rate * h)], [1.0, 0.0]] for h in EIGENVALUES]
    assert o.heavy_ball_radius(EIGENVALUES, rate, momentum) == pytest.approx(radius(heavy), rel=1e-10)
    assert o.nesterov_radius(EIGENVALUES, rate, momentum) == pytest.approx(radius(ahead), rel=1e-10)
    assert o.gradient_descent_radius(EIGENVALUES, rate) == pytest.approx(max(abs(1 - rate * h) for h in EIGENVALUES), rel=1e-14)


def test_named_parameters_are_the_best_and_those_printed() -> None:
    rate, momentum = o.heavy_ball_parameters(18.0, 2.0)
    assert (rate, momentum) == pytest.approx((4 / 32, 0.25), rel=1e-12)
    assert all(o.heavy_ball_radius([2.0, 18.0], rate * s, momentum) > 0.5 + 1e-3 for s in (0.97, 1.03))
    rate, momentum = o.nesterov_parameters(18.0, 2.0)
    assert (rate, momentum) == pytest.approx((1 / 18, 0.5), rel=1e-14)
    assert o.nesterov_lower_bound(4, 18.0, 2.0) == pytest.approx(1 / 16, rel=1e-14)
    assert o.nesterov_lower_bound(0, 18.0, 2.0) == 1


def test_adaptive_bounds_are_those_printed_where_no_constant_is_one() -> None:
    L, D, eta, b, eps = 3.0, 2.0, 0.5, 1.75, 0.3
    assert o.adagrad_norm_steps(eps, smoothness=L, excess=D, rate=eta, b0=b) == 1 + ceil(
        (4 * D**2 / eta**2 + 2 * b * D / eta) / eps
    )
    b = 0.25
    C = 1 + 2 * log(eta * L / b)
    total = 2 * L * D + (2 * D / eta + eta * L * C) ** 2 + (eta * L) ** 2 * (1 + C) - b**2
    assert o.adagrad_norm_steps(eps, smoothness=L, excess=D, rate=eta, b0=b) == 1 + ceil(total / eps)
    assert o.adagrad_regret_bound([3.0, 4.0, 0.5], diameter=3.0, rate=2.0) == pytest.approx((9 / 4 + 2) * 7.5, rel=1e-14)
    best = sqrt(2) * 3.0 * 7.5
    assert o.adagrad_regret_bound([3.0, 4.0, 0.5], diameter=3.0, rate=3 / sqrt(2)) == pytest.approx(best, rel=1e-13)
    assert o.adam_counterexample_regret(5.0) == 2.0
    with pytest.raises(InvalidInput):
        o.adam_counterexample_regret(2.0)


def test_second_moments_are_infinite_from_the_largest_step_on() -> None:
    assert o.least_squares_floor([1.0, 1.0], 1.0, 0.5) == inf  # the share is 1/2 + 1/2
    assert o.least_squares_floor([0.1, 1.0], 1.0, 1.5) == inf  # the second coordinate alone diverges
    assert o.least_squares_floor([0.1, 0.1], 1.0, 1.5) < inf


@pytest.mark.parametrize("b", [0.4, 1.2, 1.5, 2.5])
def test_steps_of_adagrad_norm_to_four_digits(b: float) -> None:
    """With so small an accuracy every term counts; from b0 = eta L on the first bound holds."""
    L, D, eta, eps = 3.0, 0.7, 0.5, 1e-4
    if b >= eta * L:
        total = (2 * D / eta) ** 2 + 2 * b * D / eta
    else:
        C = 1 + 2 * log(eta * L / b)
        total = 2 * L * D + (2 * D / eta + eta * L * C) ** 2 + (eta * L) ** 2 * (1 + C) - b * b
    found = o.adagrad_norm_steps(eps, smoothness=L, excess=D, rate=eta, b0=b)
    assert found - 1 == pytest.approx(total / eps, abs=1.001)
