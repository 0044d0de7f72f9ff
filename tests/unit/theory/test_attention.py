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
