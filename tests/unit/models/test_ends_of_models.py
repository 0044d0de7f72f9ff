"""Models at their ends: sizes that begin a training, masks that are combined, additive masks, what messages say."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import plica
from plica.errors import InvalidInput
from plica.models import attention as a
from plica.models.efficient import PermutationLM, PermutationLMConfig
from plica.models.equivariant import GroupConvolution, LiftingConvolution
from plica.models.transformer import BERT, BERTConfig, GPTConfig

D = torch.float64


def test_random_blocks_are_of_the_past_in_every_combination_with_a_causal_mask() -> None:
    sparse, near = a.big_bird(1, radius=0, n_global=0, n_random=2, seed=1), a.window(1)
    past = a.big_bird(1, radius=0, n_global=0, n_random=2, seed=1, causal=True) | a.window(1, causal=True)
    for combined in (sparse | near, near | sparse):
        assert torch.equal((combined & a.causal()).matrix(12, 12), past.matrix(12, 12))
    assert not torch.equal((sparse.matrix(12, 12) | near.matrix(12, 12)) & a.causal().matrix(12, 12), past.matrix(12, 12))


def test_weights_begin_with_the_size_that_was_published() -> None:
    torch.manual_seed(0)
    bert = BERT(BERTConfig(50, 64, 2, 4))
    assert bert.blocks[0].attention.q_proj.weight.std().item() == pytest.approx(0.02, rel=0.05)
    orders = PermutationLM(PermutationLMConfig(11, d_model=256, n_heads=2, n_layers=1))
    assert orders.question.std().item() == pytest.approx(0.02, rel=0.3)
    assert GPTConfig.preset("gpt2-small").max_length == 1024


def test_two_additive_masks_of_a_call_are_added() -> None:
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, batch_first=True, dtype=D).eval()
    x = torch.randn(2, 4, 8, dtype=D)
    padding, pairs = torch.randn(2, 4, dtype=D), torch.randn(4, 4, dtype=D)
    with plica.record(nn.Sequential(layer)) as seen, torch.no_grad():
        _, weights = layer(x, x, x, key_padding_mask=padding, attn_mask=pairs, average_attn_weights=False)
    (found,) = seen.weights.values()
    assert torch.allclose(found, weights, atol=1e-12)


def test_a_refused_input_is_told_the_axes_that_are_missing() -> None:
    with pytest.raises(InvalidInput) as refused:
        LiftingConvolution(1, 2, 3)(torch.zeros(1, 1, 4, 5))
    assert "(batch, channels, side, side)" in str(refused.value.hint)
    with pytest.raises(InvalidInput) as refused:
        GroupConvolution(1, 2, 3)(torch.zeros(1, 1, 4, 4))
    assert "(batch, channels, 4, side, side)" in str(refused.value.hint)
