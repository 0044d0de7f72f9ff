"""Every legal combination of score, mask, normalizer and position against one dense definition; the others raise."""

from __future__ import annotations

from itertools import product

import choices as c
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from plica.errors import InvalidInput
from plica.models import attention as a

TOLERANCE = 1e-13
USUAL = ("dot", "scaled", "cosine", "multiplicative", "additive", "distance")
PAIRWISE = ("none", "rotary", "alibi", "buckets", "relative")


def require_equal(combination: tuple[str, str, str, str], x: Tensor) -> None:
    attention = c.attention(*combination)
    with torch.no_grad():
        output, found = attention(x), attention.explain(x)
    expected = a.reference(attention, x)
    assert np.abs(output.numpy() - expected).max() <= TOLERANCE * (1 + np.abs(expected).max()), combination
    assert torch.equal(found.output, output), combination
    heads = attention._join(found.weights @ attention._project(x, None, None, None, 0)[2]).detach()
    assert torch.allclose(heads, output, rtol=0, atol=1e-12 * (1 + float(output.abs().max()))), combination


@pytest.mark.parametrize("normalizer", c.NORMALIZERS)
@pytest.mark.parametrize("score", c.SCORES)
def test_legal_combinations_equal_the_definition_and_others_raise_with_a_reason(score: str, normalizer: str, x: Tensor) -> None:
    masks = c.MASKS if score in USUAL else ("full", "causal and padding")  # the whole product is a slow test
    for mask, position in product(masks, PAIRWISE):
        combination = (score, mask, normalizer, position)
        if c.legal(*combination):
            require_equal(combination, x)
        else:
            with pytest.raises(InvalidInput, match="do not go together: ") as raised:
                c.attention(*combination)
            assert raised.value.hint


@pytest.mark.parametrize("position", [name for name in c.POSITIONS if name not in PAIRWISE])
def test_absolute_positions_go_with_every_score_and_normalizer(position: str, x: Tensor) -> None:
    for score, normalizer in product(USUAL, c.NORMALIZERS):
        for mask in ("full", "causal and padding"):
            if c.legal(score, mask, normalizer, position):
                require_equal((score, mask, normalizer, position), x)


@pytest.mark.slow
def test_the_whole_product_of_choices_equals_the_definition(x: Tensor) -> None:
    checked = 0
    for combination in c.combinations():
        if c.legal(*combination):
            require_equal(combination, x)
            checked += 1
    assert checked > 4000


@pytest.mark.parametrize("offset", [2, 4])
@pytest.mark.parametrize("position", c.POSITIONS)
@pytest.mark.parametrize("normalizer", ["softmax", "relu", "performer", "linear"])
def test_queries_at_an_offset_equal_the_definition(position: str, normalizer: str, offset: int, x: Tensor) -> None:
    for mask in ("full", "causal", "window"):
        if c.legal("scaled", mask, normalizer, position):
            attention = c.attention("scaled", mask, normalizer, position)
            query = x[:, offset:]
            expected = a.reference(attention, query, x, offset=offset)
            with torch.no_grad():
                assert np.allclose(attention(query, x, offset=offset), expected, atol=1e-13)
                assert np.allclose(attention(x)[:, offset:], expected, atol=1e-13)


@pytest.mark.parametrize("score", ["dot", "scaled", "scaled alpha 1", "cosine", "multiplicative"])
@pytest.mark.parametrize("mask", c.MASKS)
def test_softmax_of_inner_products_equals_the_fused_kernel(score: str, mask: str, x: Tensor) -> None:
    attention = c.attention(score, mask, "softmax", "none")
    q, k, v, _ = attention._project(x, None, None, None, 0)
    scale = {"dot": 1.0, "scaled": 0.5, "scaled alpha 1": 0.25, "cosine": 0.5, "multiplicative": 1.0}[score]
    if score == "cosine":
        q, k = q / q.norm(dim=-1, keepdim=True), k / k.norm(dim=-1, keepdim=True)
    if score == "multiplicative":
        assert isinstance(attention.attend.score, a.Multiplicative)
        q = q @ attention.attend.score.weight
    visible = c.MASKS[mask]().matrix(c.LENGTH, c.LENGTH)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=visible, scale=scale)
    q, k, v, _ = attention._project(x, None, None, None, 0)
    assert torch.allclose(attention.attend(q, k, v), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("normalizer", [n for n in c.NORMALIZERS if n != "linformer"])
@pytest.mark.parametrize("score", c.SCORES)
def test_a_row_without_visible_keys_is_zero_and_has_finite_gradients(score: str, normalizer: str) -> None:
    if not c.legal(score, "full", normalizer, "none"):
        return
    visible = torch.ones(c.LENGTH, c.LENGTH, dtype=torch.bool)
    visible[2] = False
    attend = c.attention(score, "full", normalizer, "none").attend
    q, k, v = (torch.randn(1, 2, c.LENGTH, c.D_HEAD, dtype=torch.float64, requires_grad=True) for _ in range(3))
    output = attend(q, k, v, mask=visible)
    assert bool((output[:, :, 2] == 0).all()) and bool((attend.weights(q, k, mask=visible)[:, :, 2] == 0).all())
    output.square().sum().backward()
    for tensor in (q, k, v):
        assert tensor.grad is not None and bool(tensor.grad.isfinite().all())
    assert bool((attend.explain(q, k, v, mask=visible).entropy[:, :, 2] == 0).all())


def test_a_bias_is_added_to_the_scores_of_dense_normalizers_and_refused_by_others(x: Tensor) -> None:
    bias = torch.randn(c.HEADS, c.LENGTH, c.LENGTH, dtype=torch.float64)
    attend = c.attention("scaled", "causal", "softmax", "none").attend
    q, k, v = torch.randn(3, 2, c.HEADS, c.LENGTH, c.D_HEAD, dtype=torch.float64)
    scores = (attend.scores(q, k) + bias).masked_fill(~a.causal().matrix(c.LENGTH, c.LENGTH), -torch.inf)
    assert torch.allclose(attend(q, k, v, bias=bias), scores.softmax(-1) @ v, atol=1e-14)
    for normalizer in ("performer", "linear", "linformer"):
        with pytest.raises(InvalidInput, match="do not go together"):
            c.attention("scaled", "full", normalizer, "none").attend(q, k, v, bias=bias)


def test_the_reasons_name_what_contradicts_what() -> None:
    for choices, words in (
        ({"normalizer": a.Linformer(6, 3), "mask": "causal"}, "every mixture of a Linformer holds every token"),
        ({"normalizer": a.Linformer(6, 3), "position": "alibi"}, "a mixture of keys has no position"),
        ({"normalizer": "performer", "score": "additive"}, "a feature map replaces an inner product"),
        ({"normalizer": "linear", "score": "distance"}, "not a distance"),
        ({"normalizer": "linear", "position": "relative"}, "never forms the scores"),
        ({"score": "additive", "position": "rotary"}, "relative only inside an inner product"),
        ({"score": "cosine", "position": "relative"}, "linear in the query"),
    ):
        with pytest.raises(InvalidInput, match=words):
            a.Attention(8, 2, **choices)  # type: ignore[arg-type]


@given(
    st.sampled_from(sorted(c.SCORES)),
    st.sampled_from(sorted(set(c.NORMALIZERS) - {"linformer"})),
    st.sampled_from(PAIRWISE),
    st.integers(1, 3),
    st.integers(1, 7),
    st.integers(1, 7),
    st.integers(0, 2**16),
)
@settings(max_examples=60, deadline=None)
def test_any_number_of_queries_and_keys_and_any_mask_equal_the_definition(
    score: str, normalizer: str, position: str, batch: int, n_queries: int, n_keys: int, seed: int
) -> None:
    if not c.legal(score, "full", normalizer, position):
        return
    attention = c.attention(score, "full", normalizer, position)
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(batch, n_queries, c.WIDTH, dtype=torch.float64, generator=generator)
    key, value = torch.randn(2, batch, n_keys, c.WIDTH, dtype=torch.float64, generator=generator)
    visible = torch.rand(batch, c.HEADS, n_queries, n_keys, generator=generator) < 0.6
    expected = a.reference(attention, query, key, value, mask=visible)
    with torch.no_grad():
        output = attention(query, key, value, mask=visible).numpy()
    assert np.abs(output - expected).max() <= TOLERANCE * (1 + np.abs(expected).max())
