"""Transformers for tokens: nothing leaks, padding is invisible, presets are what they say."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models import build
from plica.models.attention import Block, Linformer
from plica.models.transformer import (
    BERT,
    GPT,
    LECTURE,
    BERTConfig,
    GPTConfig,
    Transformer,
    TransformerConfig,
    deepnet_scales,
    masked_tokens,
)
from plica.models.transformer._deepnet import scale_first_weights

POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "buckets", "relative", "lecture")


def gpt(**choices: Any) -> GPT:
    return build(GPT, GPTConfig(11, 8, 2, 2, max_length=12, **choices), seed=0).double().eval()


def bert(**choices: Any) -> BERT:
    settings = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 2, "max_length": 16, "dropout": 0.0, **choices}
    return build(BERT, BERTConfig.from_dict(settings), seed=0).double().eval()


def influence(model: nn.Module, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
    """(T, T): the size of the derivative of output t with respect to the embedding of token s."""
    table = []
    for t in range(tokens.shape[1]):
        kept: list[Tensor] = []
        handle = embedding.register_forward_hook(lambda _m, _i, out, kept=kept: kept.append(out) or out)
        out = model(tokens)
        handle.remove()
        (gradient,) = torch.autograd.grad(out[0, t].square().sum(), kept[0])
        table.append(gradient[0].abs().sum(-1))
    return torch.stack(table)


@pytest.mark.parametrize(
    "choices",
    [{"position": p} for p in POSITIONS]
    + [
        {"variant": "performer", "n_features": 8},
        {"variant": "linear"},
        {"variant": "big-bird", "reach": 2},
        {"norm": "deepnet"},
    ],
    ids=str,
)
def test_no_gradient_of_a_gpt_comes_from_a_later_token(choices: dict[str, Any]) -> None:
    model = gpt(**choices)
    seen = influence(model, model.tokens.embedding, torch.tensor([[1, 2, 3, 4, 5, 6]]))
    assert (seen.triu(1) == 0).all() and (seen.diagonal() > 0).all()


def test_a_window_hides_what_is_too_far_back() -> None:
    model = gpt(variant="window", reach=1)
    seen = influence(model, model.tokens.embedding, torch.tensor([[1, 2, 3, 4, 5, 6]]))
    i, j = torch.meshgrid(torch.arange(6), torch.arange(6), indexing="ij")
    reached = (j <= i) & (i - j <= 2)  # two layers, one token back in each
    assert torch.equal(seen > 0, reached)


def test_a_bert_sees_everything() -> None:
    model = bert()
    assert (influence(model, model.tokens.embedding, torch.tensor([[1, 2, 3, 4]])) > 0).all()


@pytest.mark.parametrize("variant", ["full", "window", "big-bird", "performer", "linear"])
def test_padding_of_a_bert_changes_nothing(variant: str) -> None:
    model = bert(variant=variant, reach=20, n_features=8)
    short, padded = torch.tensor([[1, 2, 3]]), torch.tensor([[1, 2, 3, 0, 0]])
    torch.testing.assert_close(model(padded)[:, :3], model(short), rtol=0, atol=1e-11)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("norm", ["pre", "post", "none", "deepnet"])
def test_padding_of_a_source_changes_nothing(position: str, norm: str) -> None:
    config = TransformerConfig(
        11, 11, d_model=8, n_heads=2, d_ff=8, n_encoder_layers=2, n_decoder_layers=1, position=position, norm=norm, max_length=12,
        dropout=0.0,
    )  # fmt: skip
    model = build(Transformer, config, seed=0).double().eval()
    short, padded, target = torch.tensor([[3, 4, 5]]), torch.tensor([[3, 4, 5, 0, 0]]), torch.tensor([[1, 6, 7]])
    torch.testing.assert_close(model(padded, target), model(short, target), rtol=0, atol=1e-11)


def test_a_decoder_does_not_see_later_targets() -> None:
    config = TransformerConfig(11, 11, d_model=8, n_heads=2, d_ff=8, n_encoder_layers=1, n_decoder_layers=2, dropout=0.0)
    model = build(Transformer, config, seed=0).double().eval()
    source = torch.tensor([[3, 4, 5]])
    one, two = model(source, torch.tensor([[1, 6, 7, 8]])), model(source, torch.tensor([[1, 6, 9, 10]]))
    assert torch.equal(one[:, :2], two[:, :2]) and not torch.equal(one[:, 2:], two[:, 2:])


def test_an_alignment_is_an_average_over_the_source_without_padding() -> None:
    config = TransformerConfig(11, 11, d_model=8, n_heads=2, d_ff=8, n_encoder_layers=1, n_decoder_layers=2, dropout=0.0)
    model = build(Transformer, config, seed=0).eval()
    source, target = torch.tensor([[3, 4, 5], [6, 0, 0]]), torch.tensor([[1, 6], [1, 7]])
    before = model(source, target)
    weights = model.alignment(source, target)
    assert weights.shape == (2, 2, 3) and torch.equal(model(source, target), before)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2))
    assert (weights[1, :, 1:] == 0).all()


def test_tied_tables_are_one_parameter() -> None:
    sizes = {
        tied: Transformer.count_parameters(
            TransformerConfig(50, 50, d_model=8, n_heads=2, d_ff=8, n_encoder_layers=1, n_decoder_layers=1, tied=tied)
        )
        for tied in ("all", "output", "none")
    }
    assert sizes["none"] - sizes["output"] == sizes["output"] - sizes["all"] == 50 * 8


def test_the_stream_of_the_lectures_block_can_only_grow() -> None:
    model = build(GPT, GPTConfig.preset("lecture"), seed=0).eval()
    x = model.tokens(torch.arange(20)[None])
    for block in model.blocks:
        y = block(x)
        assert (y >= x).all() and not torch.equal(y, x)
        x = y
    assert len(LECTURE) == 6 and not GPTConfig.preset("lecture").tied


def test_the_usual_block_can_shrink_an_entry() -> None:
    model = build(GPT, GPTConfig.preset("chars"), seed=0).eval()
    x = model.tokens(torch.arange(20)[None])
    assert (model.blocks[0](x) < x).any()


def test_deepnet_has_the_published_constants() -> None:
    assert deepnet_scales(8).alpha == pytest.approx(2.0) and deepnet_scales(2).beta == pytest.approx(0.5)
    six = deepnet_scales(6, n_other=6, side="encoder")
    assert six.alpha == pytest.approx(0.81 * 6 ** (5 / 16)) and six.beta == pytest.approx(0.87 * 6 ** (-5 / 16))
    decoder = deepnet_scales(6, side="decoder")
    assert decoder.alpha == pytest.approx(18**0.25) and decoder.beta == pytest.approx(72**-0.25)
    for wrong in ({"n_layers": 0}, {"n_layers": 3, "side": "encoder"}, {"n_layers": 3, "side": "left"}):
        with pytest.raises(InvalidInput):
            deepnet_scales(**wrong)


def test_with_deepnets_scales_a_step_changes_a_deep_model_as_little_as_a_shallow_one() -> None:
    """How far the output moves when all weights of the blocks take one small step."""

    def change(norm: str, n_layers: int) -> float:
        model = build(GPT, GPTConfig(11, 16, n_layers, 2, max_length=12, norm=norm), seed=0)
        tokens = torch.arange(10)[None]
        before = model(tokens).detach()
        model.loss(torch.arange(11)[None]).backward()
        with torch.no_grad():
            for block in model.blocks:
                for p in block.parameters():
                    if p.grad is not None:
                        p -= 0.05 * p.grad
            return float((model(tokens) - before).norm())

    assert change("deepnet", 40) < 3 * change("deepnet", 4)
    assert next(b.residual_scale for b in gpt(norm="deepnet").blocks if isinstance(b, Block)) == pytest.approx(4**0.25)


def test_a_big_bird_with_all_blocks_is_full_attention() -> None:
    sparse, dense = bert(variant="big-bird", reach=16), bert()
    tokens = torch.tensor([[1, 2, 3, 4, 5, 6, 7]])
    torch.testing.assert_close(sparse(tokens), dense(tokens), rtol=0, atol=1e-11)


def test_a_linformer_with_identity_projections_is_exact() -> None:
    model, dense = bert(variant="linformer", n_features=16, max_length=16), bert()
    with torch.no_grad():
        for block in model.blocks:
            assert isinstance(block, Block) and isinstance(block.attention.attend.normalizer, Linformer)
            block.attention.attend.normalizer.keys.copy_(torch.eye(16))
            block.attention.attend.normalizer.values.copy_(torch.eye(16))
    dense.load_state_dict({k: v for k, v in model.state_dict().items() if "normalizer" not in k})
    tokens = torch.arange(16)[None] % 10 + 1
    torch.testing.assert_close(model(tokens), dense(tokens), rtol=0, atol=1e-11)


def test_berts_exercise_hides_replaces_and_leaves_in_the_published_shares() -> None:
    tokens = torch.randint(5, 100, (100, 200), generator=torch.Generator().manual_seed(0))
    tokens[:, 150:] = 0
    read, asked = masked_tokens(tokens, mask_token=4, vocabulary=100, seed=1)
    n = int(asked.sum())
    assert not asked[:, 150:].any() and abs(n / (100 * 150) - 0.15) < 0.012
    hidden, same = int((read[asked] == 4).sum()), int((read[asked] == tokens[asked]).sum())
    assert abs(hidden / n - 0.8) < 0.04 and abs(same / n - 0.1) < 0.03
    assert torch.equal(read[~asked], tokens[~asked])


def test_segments_and_poolers_are_there_or_refused() -> None:
    model = bert()
    tokens = torch.tensor([[1, 2, 3]])
    assert model.pooled(tokens).shape == (1, 8)
    assert not torch.equal(model(tokens, torch.tensor([[0, 1, 1]])), model(tokens))
    with pytest.raises(InvalidInput, match="n_segments"):
        bert(n_segments=0)(tokens, torch.zeros_like(tokens))
    with pytest.raises(InvalidInput, match="pooler"):
        bert(pooler=False).pooled(tokens)


@pytest.mark.parametrize("tokens", [[[11]], [[-1]], [[1] * 13], [[]]])
def test_tokens_outside_the_limits_are_refused(tokens: list[list[int]]) -> None:
    with pytest.raises(InvalidInput):
        gpt()(torch.tensor(tokens, dtype=torch.long))
    with pytest.raises(InvalidInput, match="integers"):
        gpt()(torch.tensor(tokens, dtype=torch.float))


@pytest.mark.parametrize("variant", ["full", "window", "big-bird", "performer", "linear"])
def test_a_longer_text_changes_nothing_at_its_beginning(variant: str) -> None:
    config = GPTConfig(11, 8, 2, 2, max_length=40, variant=variant, reach=2, n_features=8)
    model = build(GPT, config, seed=0).double().eval()
    text = torch.arange(40)[None] % 7
    torch.testing.assert_close(model(text)[:, :15], model(text[:, :15]), rtol=0, atol=1e-11)


@pytest.mark.parametrize("variant", ["performer", "linear"])
def test_attention_without_weights_drops_nothing_in_training(variant: str) -> None:
    model = bert(variant=variant, dropout=0.5).train()
    x = torch.randn(2, 6, 8, dtype=torch.float64)
    for block in model.blocks:
        assert torch.equal(block.attention(x), block.attention(x))


def test_deepnet_makes_values_and_outputs_small_and_leaves_queries_and_keys() -> None:
    torch.manual_seed(0)
    block, beta = Block(96, 4), 0.25
    scale_first_weights(block, beta)
    usual = (2 / (96 + 96)) ** 0.5  # Xavier's
    layers = block.attention
    for layer, gain in ((layers.q_proj, 1.0), (layers.k_proj, 1.0), (layers.v_proj, beta), (layers.out_proj, beta)):
        assert float(layer.weight.detach().std()) == pytest.approx(gain * usual, rel=0.03)
    inner = block.feed_forward.inner.weight.detach()
    assert float(inner.std()) == pytest.approx(beta * (2 / sum(inner.shape)) ** 0.5, rel=0.03)
