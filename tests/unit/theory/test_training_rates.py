"""Constants of training against their definitions: masks counted, moments followed, bounds written out in fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log, sqrt

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.theory import optimization as o
from plica.theory.regions import thinned_regions, zaslavsky


@pytest.mark.parametrize(("n", "d", "keep"), [(5, 2, "1/3"), (6, 1, "3/4"), (4, 7, "1/2"), (0, 2, "1/2"), (3, 0, "1/5")])
def test_thinned_regions_are_the_mean_of_zaslavskys_over_all_masks(n: int, d: int, keep: str) -> None:
    p = Fraction(keep)
    masks = list(product((0, 1), repeat=n))
    mean = sum((p ** sum(m) * (1 - p) ** (n - sum(m)) * zaslavsky(sum(m), d) for m in masks), Fraction(0))
    assert thinned_regions(n, d, p) == mean
    with pytest.raises(InvalidInput):
        thinned_regions(n, d, Fraction(3, 2))


@pytest.mark.parametrize(("rate", "batch"), [(0.1, 1), (0.3, 4), (0.02, 7)])
def test_the_factor_of_least_squares_is_that_of_moments_in_full(rate: float, batch: int) -> None:
    """(I - r xx^T) S (I - r xx^T) for Gaussian x, all entries of S, by Isserlis' theorem: power iteration."""
    H = np.diag([1.5, 0.5, 0.25])
    S = np.eye(3)
    for _ in range(3000):
        twice = H @ S @ H
        new = S - rate * (H @ S + S @ H) + rate**2 * ((1 + 1 / batch) * twice + np.trace(H @ S) / batch * H)
        factor, S = np.trace(new) / np.trace(S), new / np.trace(new)
    assert o.least_squares_factor([1.5, 0.5, 0.25], rate, batch=batch) == pytest.approx(factor, rel=1e-9)


@pytest.mark.parametrize(("d", "batch"), [(1, 1), (7, 3), (30, 200)])
def test_the_best_step_in_equal_directions(d: int, batch: int) -> None:
    scale = 2.5  # the step is measured in units of the eigenvalue
    best = o.least_squares_best_rate([scale] * d, batch=batch)
    assert best * scale == pytest.approx(batch / (batch + d + 1), rel=1e-6)
    assert o.least_squares_factor([scale] * d, best, batch=batch) == pytest.approx((d + 1) / (batch + d + 1), rel=1e-9)
    assert o.least_squares_factor(
        [scale] * d, o.least_squares_largest_rate([scale] * d, batch=batch), batch=batch
    ) == pytest.approx(1)


def test_gowers_bound_forgets_the_start_and_keeps_the_noise() -> None:
    assert o.gower_2019_bound(3, 0.25, convexity=2.0, noise=3.0, distance=16.0) == 16 / 8 + 2 * 0.25 * 3 / 2
    assert o.gower_2019_bound(0, 0.25, convexity=2.0, noise=0.0, distance=5.0) == 5.0


@pytest.mark.parametrize("delta", [1.0, 0.3])
def test_adagrad_norm_with_noise_is_bounded_by_the_smaller_of_two(delta: float) -> None:
    n, smooth, excess, rate, b0, noise, gradient = 50, 3.0, 2.0, 0.5, 0.7, 0.2, 1.1
    q = excess / rate + (4 * noise + rate * smooth) / 2 * log(20 * n * (gradient**2 + noise**2) / b0**2 + 10)
    first = (2 * b0 / n + 4 * (gradient + noise) / sqrt(n)) * q / delta**1.5
    second = (8 * q / delta + 2 * b0) * 4 * q / (n * delta) + 8 * q * noise / (delta**1.5 * sqrt(n))
    about = {"smoothness": smooth, "excess": excess, "rate": rate, "b0": b0, "noise": noise, "gradient": gradient}
    assert o.adagrad_norm_noisy_bound(n, failure=delta, **about) == pytest.approx(min(first, second), rel=1e-12)
    n, gradient = 10**8, 20.0  # many steps with gradients much larger than the noise: the second is the smaller
    q = excess / rate + (4 * noise + rate * smooth) / 2 * log(20 * n * (gradient**2 + noise**2) / b0**2 + 10)
    second = (8 * q / delta + 2 * b0) * 4 * q / (n * delta) + 8 * q * noise / (delta**1.5 * sqrt(n))
    found = o.adagrad_norm_noisy_bound(n, failure=delta, **(about | {"gradient": gradient}))
    assert found == pytest.approx(second, rel=1e-12)
    late = o.adagrad_norm_noisy_bound(10**9, failure=delta, **(about | {"noise": 0.0}))  # without noise the second: 1 / N
    later = o.adagrad_norm_noisy_bound(10**10, failure=delta, **(about | {"noise": 0.0}))
    assert 8 < late / later < 10
    with pytest.raises(InvalidInput):
        o.adagrad_norm_noisy_bound(n, failure=1.5, **about)
