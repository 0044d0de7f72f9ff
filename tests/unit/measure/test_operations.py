"""Products are counted as they are multiplied out by hand."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from plica.measure import operations
from plica.models.attention import Attention


def test_a_recurrence_waits_for_itself_and_a_convolution_does_not() -> None:
    assert operations(nn.GRU(4, 4, batch_first=True), torch.zeros(1, 9, 4)).longest_chain == 9
    found = operations(nn.Conv1d(4, 5, 3), torch.zeros(2, 4, 9))
    assert (found.multiply_adds, found.longest_chain, found.between_inputs) == (2 * 7 * 3 * 4 * 5, 1, 0)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_only_scores_and_averages_multiply_tokens_with_tokens(heads: int) -> None:
    found = operations(Attention(8, heads), torch.zeros(1, 5, 8))
    assert found.between_inputs == 2 * 5 * 5 * 8
    assert found.multiply_adds == found.between_inputs + 4 * 5 * 8 * 8


def test_a_product_with_itself_is_between_inputs() -> None:
    class Gram(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x @ x.T

    found = operations(Gram(), torch.zeros(3, 4))
    assert (found.multiply_adds, found.between_inputs) == (36, 36)


def test_nothing_is_computed_on_meta() -> None:
    with torch.device("meta"):
        assert operations(nn.Linear(10**6, 10**6), torch.empty(1, 10**6)).multiply_adds == 10**12
