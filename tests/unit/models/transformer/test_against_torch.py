"""The encoder and the decoder equal torch's own with the same weights."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from plica.models import build
from plica.models.attention import Attention, Block
from plica.models.transformer import Transformer, TransformerConfig

D, HEADS, FF = 16, 4, 24


def copy_attention(theirs: nn.MultiheadAttention, ours: Attention) -> None:
    weights, biases = theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3)
    for layer, weight, bias in zip((ours.q_proj, ours.k_proj, ours.v_proj), weights, biases, strict=True):
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    ours.out_proj.load_state_dict(theirs.out_proj.state_dict())


def copy_layer(theirs: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer, ours: Block) -> None:
    copy_attention(theirs.self_attn, ours.attention)
    norms = [theirs.norm1, theirs.norm2]
    mine = [ours.attention_norm, ours.feed_forward_norm]
    if isinstance(theirs, nn.TransformerDecoderLayer):
        assert ours.cross is not None
        copy_attention(theirs.multihead_attn, ours.cross)
        norms, mine = [theirs.norm1, theirs.norm2, theirs.norm3], [ours.attention_norm, ours.cross_norm, ours.feed_forward_norm]
    for a, b in zip(norms, mine, strict=True):
        b.load_state_dict(a.state_dict())
    ours.feed_forward.inner.load_state_dict(theirs.linear1.state_dict())
    ours.feed_forward.outer.load_state_dict(theirs.linear2.state_dict())


@pytest.mark.filterwarnings("ignore:enable_nested_tensor", "ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_encoder_and_decoder_equal_those_of_torch(norm: str) -> None:
    torch.manual_seed(0)
    first = norm == "pre"
    theirs = nn.Transformer(
        D, HEADS, 2, 2, FF, dropout=0.0, activation="relu", batch_first=True, norm_first=first, dtype=torch.float64
    ).eval()
    for p in theirs.parameters():
        nn.init.normal_(p, std=0.3)
    if not first:  # the paper has no norm after the last layer
        theirs.encoder.norm = theirs.decoder.norm = None
    config = TransformerConfig(
        20, 20, d_model=D, n_heads=HEADS, d_ff=FF, n_encoder_layers=2, n_decoder_layers=2, norm=norm, dropout=0.0, max_length=16
    )
    ours = build(Transformer, config, seed=0).double().eval()
    with torch.no_grad():
        for stack, blocks in ((theirs.encoder, ours.encoder), (theirs.decoder, ours.decoder)):
            for layer, block in zip(stack.layers, blocks, strict=True):
                assert isinstance(block, Block)
                copy_layer(layer, block)
        if first:
            assert theirs.encoder.norm is not None and theirs.decoder.norm is not None
            ours.encoder_norm.load_state_dict(theirs.encoder.norm.state_dict())
            ours.decoder_norm.load_state_dict(theirs.decoder.norm.state_dict())
        source, target = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]]), torch.tensor([[1, 5, 6], [1, 7, 3]])
        hidden = nn.Transformer.generate_square_subsequent_mask(3, dtype=torch.float64)
        padding = source == 0
        answer = theirs(
            ours.source(source),
            ours.target(target),
            tgt_mask=hidden,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        torch.testing.assert_close(ours(source, target), ours.output(answer), rtol=0, atol=1e-11)
