"""Closed forms about attention and sizes of models."""

from __future__ import annotations

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.theory import attention, parameters


def test_the_variance_of_a_performer_feature_is_that_of_its_definition() -> None:
    rng = np.random.default_rng(0)
    q, k = np.array([0.3, -0.2]), np.array([0.1, 0.4])
    directions = rng.normal(size=(400_000, 2))
    products = np.exp(directions @ (q + k) - (q @ q + k @ k) / 2)
    exact = np.exp(q @ k)
    assert products.mean() == pytest.approx(exact, rel=0.01)
    predicted = attention.performer_relative_variance(float((q + k) @ (q + k)), 1)
    assert products.var() / exact**2 == pytest.approx(predicted, rel=0.03)


def test_windows_as_wide_as_the_sequence_show_everything() -> None:
    for n in (1, 2, 9):
        assert attention.visible_pairs("window", n, n + 3) == attention.visible_pairs("full", n) == n * n
        assert attention.visible_pairs("causal window", n, n) == attention.visible_pairs("causal", n)


def test_the_quadratic_part_passes_the_linear_one_at_six_widths() -> None:
    for d in (8, 64):
        below, at, above = (parameters.transformer_layer_multiply_adds(6 * d + i, d) for i in (-1, 0, 1))
        assert below[1] < below[0] and at[0] == at[1] and above[1] > above[0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: attention.score_variance(0, exponent=0.5),
        lambda: attention.visible_pairs("diagonal", 4),
        lambda: parameters.vit_parameters(12, 768, 3072, patch=15),
        lambda: parameters.swin_parameters(96, (2, 2), (3,)),
    ],
)
def test_bad_input_gets_a_clear_error(call) -> None:
    with pytest.raises(InvalidInput):
        call()


@pytest.mark.parametrize(("n", "radius"), [(1, 0), (5, 1), (6, 4), (7, 6), (4, 9)])
def test_visible_pairs_are_counted_one_by_one(n: int, radius: int) -> None:
    shows = {
        "full": lambda i, j: True,
        "causal": lambda i, j: j <= i,
        "window": lambda i, j: abs(i - j) <= radius,
        "causal window": lambda i, j: 0 <= i - j <= radius,
    }
    for mask, shown in shows.items():
        assert attention.visible_pairs(mask, n, radius) == sum(shown(i, j) for i in range(n) for j in range(n))


@pytest.mark.parametrize("b", [0.0, 0.3, 0.7, 1.0])
def test_the_entropy_of_a_softmax_is_that_of_its_gaussian_averages(b: float) -> None:
    """log sum e^s minus the mean of s under the softmax, sums over many keys being L times a Gaussian mean."""
    s = b * np.linspace(-12, 12, 200_001)
    density = np.exp(-(np.linspace(-12, 12, 200_001) ** 2) / 2)
    density /= density.sum()
    partition = density @ np.exp(s)
    entropy = np.log(1000 * partition) - (density @ (s * np.exp(s))) / partition
    assert attention.softmax_entropy(1000, b) == pytest.approx(entropy, rel=1e-9)


def test_singular_values_and_ranks_of_a_large_softmax() -> None:
    T = 700
    scores = np.exp(np.random.default_rng(0).normal(size=(T, T)))
    values = np.linalg.svd(scores / scores.sum(1, keepdims=True), compute_uv=False)
    edge = 2 * np.sqrt((values[1:] ** 2).mean())  # of the quarter circle that independent entries have
    assert edge == pytest.approx(attention.softmax_second_singular_value(T), rel=0.02)
    assert (values**2).sum() / values[0] ** 2 == pytest.approx(attention.softmax_stable_rank(), rel=0.03)


def test_weights_of_unit_rows_reach_their_ratio() -> None:
    """A query that is one key and the opposite of another."""
    for d, exponent in ((16, 0.5), (9, 1.0), (5, 0.25)):
        q = np.eye(d)[0]
        weights = np.exp(np.array([q @ q, q @ -q]) / d**exponent)
        found = attention.unit_row_weight_ratio_upper_bound(d, exponent=exponent)
        assert found == pytest.approx(weights[0] / weights[1])
    assert attention.unit_row_weight_ratio_upper_bound(16) == attention.unit_row_weight_ratio_upper_bound(16, exponent=0.5)


def test_sinusoid_frequencies_fall_in_equal_ratios_from_one_to_the_last_before_one_in_ten_thousand() -> None:
    for d in (6, 64):
        found = np.array(attention.sinusoid_frequencies(d))
        assert len(found) == d // 2 and found[0] == 1.0
        assert found[1:] / found[:-1] == pytest.approx(np.full(d // 2 - 1, 10000 ** (-2 / d)))


def test_the_variance_of_a_score_is_that_of_a_sum_of_products() -> None:
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(2, 60_000, 12))
    for exponent in (0.0, 0.5, 0.75):
        assert ((q * k).sum(1) / 12**exponent).var() == pytest.approx(attention.score_variance(12, exponent=exponent), rel=0.03)
