"""Transformer-XL and XLNet: segments equal one pass, orders hide what comes later."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.errors import InvalidInput
from plica.models import build
from plica.models.efficient import PermutationLM, PermutationLMConfig, TransformerXL, TransformerXLConfig


def xl(reach: int) -> TransformerXL:
    return build(TransformerXL, TransformerXLConfig(9, d_model=8, n_layers=3, n_heads=2, reach=reach), seed=0).double().eval()


@settings(max_examples=12)
@given(reach=st.integers(1, 6), cuts=st.sets(st.integers(1, 13)))
def test_segments_with_memory_equal_one_banded_pass(reach: int, cuts: set[int]) -> None:
    model = xl(reach)
    text = torch.randint(0, 9, (2, 14), generator=torch.Generator().manual_seed(reach))
    with torch.no_grad():
        whole, _ = model(text)
        memory, parts = None, []
        for start, stop in pairwise([0, *sorted(cuts), 14]):
            logits, memory = model(text[:, start:stop], memory)
            assert memory.layers[0].shape[1] == min(stop, reach)
            parts.append(logits)
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=0, atol=1e-11)


def test_a_token_beyond_the_reach_of_all_layers_is_forgotten() -> None:
    model = xl(2)
    text = torch.arange(9)[None]
    other = text.clone()
    other[0, 0] = 5
    one, two = model(text)[0], model(other)[0]
    assert torch.equal(one[:, 7:], two[:, 7:]) and not torch.equal(one[:, :6], two[:, :6])  # 3 layers, 2 back each


def test_no_gradient_flows_into_the_memory() -> None:
    model = xl(4)
    _, memory = model(torch.tensor([[1, 2, 3]]))
    assert all(not part.requires_grad for part in memory.layers)


def permuted() -> PermutationLM:
    return build(PermutationLM, PermutationLMConfig(9, d_model=8, n_layers=2, n_heads=2, max_length=8), seed=0).double().eval()


@settings(max_examples=15)
@given(order=st.permutations(range(6)), place=st.integers(0, 5))
def test_a_prediction_sees_only_what_comes_before_it_in_the_order(order: list[int], place: int) -> None:
    model = permuted()
    text = torch.tensor([[1, 2, 3, 4, 5, 6]])
    other = text.clone()
    other[0, order[place]] = 8
    with torch.no_grad():
        one, two = model(text, order), model(other, order)
    before, after = order[: place + 1], order[place + 1 :]  # a token does not see itself either
    assert torch.equal(one[:, before], two[:, before])
    assert all(not torch.equal(one[:, p], two[:, p]) for p in after)


def test_the_identity_order_is_a_causal_language_model() -> None:
    model = permuted()
    text = torch.tensor([[1, 2, 3, 4, 5, 6]])
    assert torch.equal(model(text), model(text, range(6)))
    shorter = model(text[:, :3])
    torch.testing.assert_close(model(text)[:, :3], shorter, rtol=0, atol=1e-12)
    expected = torch.nn.functional.cross_entropy(model(text)[0], text[0])
    torch.testing.assert_close(model.loss(text), expected)


def test_the_probability_of_a_text_is_normalized_in_every_order() -> None:
    model = build(PermutationLM, PermutationLMConfig(3, d_model=8, n_layers=1, n_heads=2, max_length=3), seed=0).double().eval()
    texts = torch.cartesian_prod(*[torch.arange(3)] * 3)
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        logs = torch.log_softmax(model(texts, order), -1).gather(2, texts[:, :, None]).sum((1, 2))
        torch.testing.assert_close(logs.exp().sum(), torch.tensor(1.0).double())


def test_only_the_last_tokens_of_an_order_may_be_asked_for() -> None:
    model, text = permuted(), torch.tensor([[1, 2, 3, 4]])
    assert float(model.loss(text, seed=3, n_predicted=2).detach()) > 0
    with pytest.raises(InvalidInput):
        model(text, [0, 1, 1, 2])
