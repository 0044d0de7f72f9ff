"""To and from torch's own multi-head attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica.models.attention._attention import Attention


def from_multihead(cls: type[Attention], module: nn.MultiheadAttention, choices: dict[str, Any]) -> Attention:
    """An Attention with the weights of ``nn.MultiheadAttention``, whatever its layout of batches."""
    if module.bias_k is not None or module.bias_v is not None or module.add_zero_attn:
        raise InvalidInput("add_bias_kv and add_zero_attn append keys that are no tokens.", hint="train without them")
    if module.kdim != module.vdim:
        raise InvalidInput(f"keys of width {module.kdim} and values of width {module.vdim} are not one context.")
    found = cls(
        module.embed_dim,
        module.num_heads,
        d_context=module.kdim,
        bias=module.in_proj_bias is not None,
        **{"dropout": module.dropout, **choices},
    ).to(module.out_proj.weight)
    with torch.no_grad():
        if module._qkv_same_embed_dim:
            weights = module.in_proj_weight.chunk(3)
        else:
            weights = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
        for projection, weight in zip((found.q_proj, found.k_proj, found.v_proj), weights, strict=True):
            projection.weight.copy_(weight)
        found.out_proj.weight.copy_(module.out_proj.weight)
        if module.in_proj_bias is not None:
            biases = module.in_proj_bias.chunk(3)
            for projection, b in zip((found.q_proj, found.k_proj, found.v_proj), biases, strict=True):
                projection.bias.copy_(b)
            found.out_proj.bias.copy_(module.out_proj.bias)
    return found.train(module.training)
