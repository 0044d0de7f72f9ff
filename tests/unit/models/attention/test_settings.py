"""Settings that published models use: shared keys and values, halves that turn, buckets of distances, gates, RMS norm."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput, UnsupportedLayer
from plica.models import attention as a
from plica.models.transformer import GPT, GPTConfig

D = torch.float64


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
@pytest.mark.parametrize("position", ["none", "neighbors", "halves", "buckets"])
def test_shared_keys_and_values_equal_the_definition(n_kv_heads: int, position: str) -> None:
    torch.manual_seed(0)
    place = {"none": None, "buckets": a.Buckets(4, n_buckets=8, farthest=11, causal=True)}.get(position) or (
        a.Rotary(4, pairs=position, base=50.0) if position in ("neighbors", "halves") else None
    )
    attention = a.Attention(12, 4, d_head=4, n_kv_heads=n_kv_heads, mask="causal", position=place).to(D)
    x = torch.randn(2, 7, 12, dtype=D)
    with torch.no_grad():
        found = attention(x)
        cache = a.Cache()
        parts = torch.cat([attention(x[:, i : i + 1], cache=cache) for i in range(7)], 1)
    assert np.abs(found.numpy() - a.reference(attention, x)).max() < 1e-13
    assert cache.keys is not None and cache.keys.shape == (2, n_kv_heads, 7, 4)  # what is shared is kept once
    assert torch.allclose(parts, found, atol=1e-13)
    assert attention.k_proj.weight.shape == (4 * n_kv_heads, 12)
    assert torch.equal(attention.explain(x).output, found)


def test_one_head_of_keys_and_values_is_the_same_for_all_queries() -> None:
    torch.manual_seed(0)
    shared = a.Attention(8, 2, n_kv_heads=1).to(D)
    full = a.Attention(8, 2).to(D)
    with torch.no_grad():
        for name in ("q_proj", "out_proj"):
            getattr(full, name).load_state_dict(getattr(shared, name).state_dict())
        for name in ("k_proj", "v_proj"):
            mine, its = getattr(full, name), getattr(shared, name)
            mine.weight.copy_(its.weight.repeat(2, 1))
            mine.bias.copy_(its.bias.repeat(2))
    x = torch.randn(1, 5, 8, dtype=D)
    assert torch.allclose(shared(x), full(x), atol=1e-14)


def test_halves_are_neighbors_in_another_order() -> None:
    x = torch.randn(3, 6, dtype=D)
    order = torch.tensor([0, 3, 1, 4, 2, 5])  # neighbors in the order of halves
    turned = a.Rotary(6, pairs="halves")(x)
    assert torch.allclose(turned[:, order], a.Rotary(6)(x[:, order]), atol=1e-15)
    assert not torch.allclose(turned, a.Rotary(6)(x))


def test_gates_and_root_mean_squares_follow_their_formulas() -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 3, 6, dtype=D)
    layer = a.FeedForward(6, 10, activation="swiglu", bias=False).to(D)
    assert layer.gate is not None
    gate, up = x @ layer.gate.weight.T, x @ layer.inner.weight.T
    expected = (gate / (1 + torch.exp(-gate)) * up) @ layer.outer.weight.T
    assert torch.allclose(layer(x), expected, atol=1e-14)
    norm = a.token_norm(6, kind="rms", epsilon=1e-3).to(D)
    norm.weight.data.uniform_(0.5, 2.0)
    by_hand = x / torch.sqrt((x**2).mean(-1, keepdim=True) + 1e-3) * norm.weight
    assert torch.allclose(norm(x), by_hand, atol=1e-14)
    smooth = a.FeedForward(6, 10, activation="gelu-tanh").to(D)
    z = smooth.inner(x)
    curve = 0.5 * z * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (z + 0.044715 * z**3)))
    assert torch.allclose(smooth(x), smooth.outer(curve), atol=1e-14)


def test_attention_alone_can_be_frozen_whatever_follows_it() -> None:
    torch.manual_seed(0)
    blocks = [
        a.Block(8, 4, activation=name, norm_kind=kind, attention={"n_kv_heads": 2, "mask": "causal"}).to(D)
        for name, kind in (("gelu-tanh", "layer"), ("swiglu", "rms"))
    ]
    x = torch.randn(5, 8, dtype=D)
    expected = x[None]
    with torch.no_grad():
        for block in blocks:
            expected = expected + block.attention(block.attention_norm(expected))
    net = a.frozen(blocks, x, attention_only=True)
    assert np.allclose(net(x.numpy()), expected[0], atol=1e-12) and not net.layers
    for block in blocks:
        with pytest.raises(UnsupportedLayer, match=r"piecewise linear|gate"):
            a.frozen(block, x)
    relu = a.Block(8, 4, norm_kind="rms", attention={"n_kv_heads": 1}).to(D)
    folded = a.frozen(relu, x)
    assert np.allclose(folded(x.numpy()), relu(x[None])[0].detach(), atol=1e-12)
    assert plica.decompose(folded, plica.Segment(x.numpy().ravel(), -x.numpy().ravel())).n_cells > 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: a.Attention(8, 4, n_kv_heads=3),
        lambda: a.Attention(8, 4, n_kv_heads=0),
        lambda: a.Rotary(4, pairs="thirds"),
        lambda: a.Buckets(2, n_buckets=6),
        lambda: a.Buckets(2, n_buckets=32, farthest=20),
        lambda: a.Block(8, 2, norm_kind="batch"),
        lambda: a.FeedForward(8, 8, activation="reglu"),
        lambda: GPTConfig(10, 8, 1, 4, n_kv_heads=3),
        lambda: GPTConfig(10, 8, 1, 4, norm_kind="batch"),
        lambda: GPTConfig(10, 8, 1, 4, epsilon=0.0),
    ],
)
def test_settings_that_make_no_sense_are_refused(call) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert caught.value.hint


def test_a_llama_shaped_model_is_causal_and_continues_from_its_cache(tmp_path) -> None:
    config = GPTConfig(
        31, 16, 2, 4, n_kv_heads=2, position="rotary", rotary_pairs="halves", norm_kind="rms", activation="swiglu", bias=False,
        max_length=12, tied=False, d_ff=24,
    )  # fmt: skip
    torch.manual_seed(0)
    model = GPT(config).to(D).eval()
    tokens = torch.randint(0, 31, (2, 9))
    with torch.no_grad():
        whole = model(tokens)
        assert torch.allclose(model(tokens[:, :5]), whole[:, :5], atol=1e-13)
        last, state = model.begin(tokens[:, :6])
        for i in range(6, 9):
            logits, state = model.advance(last, state)
            assert torch.allclose(logits, whole[:, i - 1], atol=1e-13)
            last = tokens[:, i]
    model.float().save(tmp_path)
    again = plica.models.load_model(tmp_path)
    assert again.config == config and torch.equal(again(tokens), model(tokens))


@pytest.mark.parametrize("causal", [False, True])
def test_far_buckets_grow_like_the_logarithm(causal: bool) -> None:
    """Distance d is in bucket ``exact + j`` or a later one if (d / exact)^m >= (farthest / exact)^j, in fractions."""
    side = 32 if causal else 16
    exact = m = side // 2
    position = a.Buckets(1, n_buckets=32, farthest=120, causal=causal)  # no distance lies on an edge
    edges = [Fraction(120, exact) ** j for j in range(1, m)]
    for distance in range(exact, 400):
        size = Fraction(distance, exact) ** m
        expected = exact + sum(size >= edge for edge in edges)
        assert position.bucket(torch.tensor([-distance])).item() == expected
        if not causal:
            assert position.bucket(torch.tensor([distance])).item() == side + expected
