"""Blocks: the formula of each placement of layer norm, torch's own layers, the lecture's block; recording and freezing."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import plica
from plica.errors import InvalidInput, UnsupportedLayer
from plica.measure import jacobian
from plica.models import attention as a

D = torch.float64


def copied(layer: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer, norm: str) -> a.Block:
    """Our block with the weights of torch's layer."""
    decoder = isinstance(layer, nn.TransformerDecoderLayer)
    block = a.Block(8, 2, d_ff=16, norm=norm, cross=decoder).to(D)
    block.attention = a.Attention.from_torch(layer.self_attn)
    norms = [block.attention_norm, block.feed_forward_norm]
    theirs = [layer.norm1, layer.norm2]
    if decoder:
        block.cross = a.Attention.from_torch(layer.multihead_attn)
        norms, theirs = [block.attention_norm, block.cross_norm, block.feed_forward_norm], [layer.norm1, layer.norm2, layer.norm3]
    inner, outer = block.feed_forward.inner, block.feed_forward.outer
    pairs = [*zip(norms, theirs, strict=True), (inner, layer.linear1), (outer, layer.linear2)]
    for mine, its in pairs:
        mine.load_state_dict(its.state_dict())
    return block.eval()


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_blocks_equal_torch_layers(norm: str) -> None:
    torch.manual_seed(0)
    options = {"dim_feedforward": 16, "batch_first": True, "norm_first": norm == "pre", "dtype": D}
    x, memory = torch.randn(2, 5, 8, dtype=D), torch.randn(2, 4, 8, dtype=D)
    encoder = nn.TransformerEncoderLayer(8, 2, **options).eval()
    assert torch.allclose(copied(encoder, norm)(x), encoder(x), rtol=0, atol=1e-13)
    decoder = nn.TransformerDecoderLayer(8, 2, **options).eval()
    mask = nn.Transformer.generate_square_subsequent_mask(5, dtype=D)
    expected = decoder(x, memory, tgt_mask=mask)
    assert torch.allclose(copied(decoder, norm)(x, memory, mask="causal"), expected, rtol=0, atol=1e-13)


def test_the_other_placements_follow_their_formulas() -> None:
    torch.manual_seed(0)
    x = torch.randn(1, 5, 8, dtype=D)
    block = a.Block(8, 2, norm="none", phi_2="relu", residual_scale=1.5).double()
    middle = (1.5 * x + block.attention(x)).relu()
    assert torch.allclose(block(x), 1.5 * middle + block.feed_forward(middle))
    lecture = a.Block(8, 2, norm="none", residual="lecture").double()
    assert torch.allclose(lecture(x), x + lecture.feed_forward(lecture.attention(x)).relu())
    assert bool((lecture(x) >= x).all())
    deep = a.Block(8, 2, norm="post", residual_scale=2.0).double()
    middle = deep.attention_norm(2 * x + deep.attention(x))
    assert torch.allclose(deep(x), deep.feed_forward_norm(2 * middle + deep.feed_forward(middle)))


def test_blocks_without_the_second_norm_hold_no_parameters_for_it() -> None:
    names = [name for name, _ in a.Block(8, 2, residual="lecture").named_parameters()]
    assert not any("feed_forward_norm" in name or "cross" in name for name in names)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: a.Block(8, 2, norm="between"), "layer norm"),
        (lambda: a.Block(8, 2, activation="sine"), "activation"),
        (lambda: a.Block(8, 2, residual="none"), "residual"),
        (lambda: a.Block(8, 2, residual="lecture", cross=True), "one attention"),
        (lambda: a.Block(8, 2)(torch.randn(1, 3, 8), torch.randn(1, 3, 8)), "no context"),
        (lambda: a.Block(8, 2, cross=True)(torch.randn(1, 3, 8)), "needs a context"),
    ],
)
def test_bad_blocks_get_a_clear_error(call, words) -> None:
    with pytest.raises(InvalidInput, match=words):
        call()


def test_a_record_holds_weights_and_entropies_and_changes_nothing() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(a.Block(8, 2, attention={"mask": "causal"}), a.Block(8, 4, attention={"normalizer": "linear"}))
    x = torch.randn(2, 5, 8)
    with plica.record(model) as r:
        with pytest.raises(InvalidInput, match="was not called"):
            r[0]
        seen = model(x)
        model(x[:1])
    assert torch.equal(seen, model(x)) and len(r.calls["0.attention"]) == 2
    weights, entropy = r.calls["0.attention"][0].weights, r.calls["0.attention"][0].entropy
    assert torch.allclose(weights.sum(-1), torch.ones(2, 2, 5)) and bool((weights.triu(1) == 0).all())
    assert torch.allclose(entropy[..., 0], torch.zeros(2, 2)) and bool((entropy <= np.log(5) + 1e-6).all())
    assert r[1].scores is None and set(r.weights) == set(r.names) == set(r.entropy)
    with pytest.raises(InvalidInput, match="no attention layer 7"):
        r[7]
    with pytest.raises(InvalidInput, match="has no attention"), plica.record(nn.Linear(2, 2)):
        pass


@pytest.mark.parametrize("batch_first", [True, False])
def test_a_record_sees_the_attention_of_torch(batch_first: bool) -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=batch_first).eval()
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    x = torch.randn(2, 5, 8)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    hidden = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    inputs = x if batch_first else x.transpose(0, 1)
    with torch.no_grad(), plica.record(model) as r:
        model(inputs, mask=mask, src_key_padding_mask=torch.zeros(2, 5).masked_fill(hidden, -torch.inf))
    first = model.layers[0].self_attn
    _, expected = first(inputs, inputs, inputs, attn_mask=mask != 0, key_padding_mask=hidden, average_attn_weights=False)
    assert torch.allclose(r["layers.0.self_attn"].weights, expected, atol=1e-6)
    assert r.names == ("layers.0.self_attn", "layers.1.self_attn")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"norm": "post"},
        {"norm": "none", "phi_2": "relu", "residual_scale": 1.3},
        {"norm": "none", "residual": "lecture"},
        {"attention": {"mask": "causal", "position": "alibi"}},
        {"attention": {"normalizer": "relu", "position": a.Sinusoidal(4, combine="concatenate")}},
        {"attention": {"position": a.Learned(3, 6, into="projections", std=1.0), "bias": False}, "bias": False},
        {"attention": {"normalizer": a.Linformer(3, 2), "score": "cosine"}},
    ],
    ids=str,
)
def test_frozen_blocks_agree_with_the_model_where_they_were_frozen(options: dict) -> None:
    torch.manual_seed(0)
    blocks = nn.ModuleList(a.Block(6, 2, d_ff=8, **options) for _ in range(2)).double()
    x = torch.randn(3, 6, dtype=D)
    expected: Tensor = x[None]
    for block in blocks:
        expected = block(expected)
    net = a.frozen(blocks, x)
    np.testing.assert_allclose(net(x.numpy()), expected[0].detach().numpy(), atol=1e-12)


def test_frozen_blocks_have_the_derivative_with_attention_and_norms_kept() -> None:
    """The derivative along a direction of the network, and of the formula with detached weights, written out here."""
    torch.manual_seed(0)
    block, x = a.Block(4, 2, d_ff=8).double(), torch.randn(3, 4, dtype=D)
    weights = block.attention.explain(block.attention_norm(x[None])).weights[0].detach()

    def norm(y: Tensor, deviation: Tensor) -> Tensor:
        return (y - y.mean(-1, keepdim=True)) / deviation

    def kept(y: Tensor) -> Tensor:
        core, n1 = block.attention, norm(y, (x.var(-1, correction=0, keepdim=True) + 1e-5).sqrt())
        v = core.v_proj(n1).view(3, 2, 2).transpose(0, 1)
        y = y + core.out_proj((weights @ v).transpose(0, 1).reshape(3, 4))
        at_x = x + core(block.attention_norm(x[None]))[0]
        return y + block.feed_forward(norm(y, (at_x.var(-1, correction=0, keepdim=True) + 1e-5).sqrt().detach()))

    J = torch.autograd.functional.jacobian(kept, x).reshape(12, 12)
    found = jacobian(a.frozen(block, x), x.numpy()).matrix
    np.testing.assert_allclose(found, J.numpy(), atol=1e-12)


def test_what_cannot_be_frozen_says_why() -> None:
    x = torch.randn(3, 8)
    with pytest.raises(UnsupportedLayer, match="GELU"):
        a.frozen(a.Block(8, 2, activation="gelu"), x)
    with pytest.raises(UnsupportedLayer, match="two inputs"):
        a.frozen(a.Block(8, 2, cross=True), x)
    with pytest.raises(InvalidInput, match="Block"):
        a.frozen([nn.Linear(8, 8)], x)
    with pytest.raises(InvalidInput, match="finite tokens"):
        a.frozen(a.Block(8, 2), x * torch.nan)
