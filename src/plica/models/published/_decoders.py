"""GPT-2 and Llama as published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from plica.errors import InvalidNetwork
from plica.models._config import Config
from plica.models.published._weights import Settings, Weights, activation_of, require
from plica.models.transformer import GPTConfig


def gpt2_config(document: Settings, weights: Weights) -> Config:
    require(document, scale_attn_by_inverse_layer_idx=False, scale_attn_weights=True, add_cross_attention=False)
    return GPTConfig(
        vocabulary=document["vocab_size"], d_model=document["n_embd"], n_layers=document["n_layer"], n_heads=document["n_head"],
        max_length=document["n_positions"], d_ff=document.get("n_inner") or 0,
        activation=activation_of(document, "activation_function", "gelu_new"), epsilon=document.get("layer_norm_epsilon", 1e-5),
        tied=document.get("tie_word_embeddings", True),
    )  # fmt: skip


def gpt2_state(config: Any, w: Weights) -> Iterator[tuple[str, Tensor]]:
    w.cut_prefix("transformer.")
    w.drop(lambda name: name.endswith((".attn.bias", ".attn.masked_bias")))
    yield "tokens.embedding.weight", w.take("wte.weight")
    yield "tokens.position.weight", w.take("wpe.weight")
    for i in range(config.n_layers):
        ours, theirs = f"blocks.{i}", f"h.{i}"
        yield from w.layer(f"{ours}.attention_norm", f"{theirs}.ln_1")
        joint = w.take(f"{theirs}.attn.c_attn.weight").T.chunk(3)
        biases = w.take(f"{theirs}.attn.c_attn.bias").chunk(3)
        for name, weight, bias in zip(("q_proj", "k_proj", "v_proj"), joint, biases, strict=True):
            yield f"{ours}.attention.{name}.weight", weight.contiguous()
            yield f"{ours}.attention.{name}.bias", bias
        yield from w.layer(f"{ours}.attention.out_proj", f"{theirs}.attn.c_proj", transposed=True)
        yield from w.layer(f"{ours}.feed_forward_norm", f"{theirs}.ln_2")
        yield from w.layer(f"{ours}.feed_forward.inner", f"{theirs}.mlp.c_fc", transposed=True)
        yield from w.layer(f"{ours}.feed_forward.outer", f"{theirs}.mlp.c_proj", transposed=True)
    yield from w.layer("norm", "ln_f")
    yield from output_state(config, w)


def output_state(config: Any, w: Weights) -> Iterator[tuple[str, Tensor]]:
    """The matrix of the logits; a tied one may be written a second time."""
    if config.tied:
        w.drop(lambda name: name == "lm_head.weight")
    else:
        yield "output.weight", w.take("lm_head.weight")


def llama_config(document: Settings, weights: Weights) -> Config:
    require(document, attention_bias=False, mlp_bias=False, hidden_act="silu", pretraining_tp=1)
    rope = {**(document.get("rope_scaling") or {}), **(document.get("rope_parameters") or {})}
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind != "default":
        raise InvalidNetwork(f"rotary positions of type {kind!r} are not offered.", hint="only plain ones are")
    sliding, length = document.get("sliding_window"), document["max_position_embeddings"]
    if sliding is not None and document.get("use_sliding_window", True) and sliding < length:
        raise InvalidNetwork(f"a sliding window of {sliding} tokens is not offered.", hint="only null is")
    heads = document["num_attention_heads"]
    return GPTConfig(
        vocabulary=document["vocab_size"], d_model=document["hidden_size"], n_layers=document["num_hidden_layers"], n_heads=heads,
        d_head=document.get("head_dim") or document["hidden_size"] // heads,
        n_kv_heads=document.get("num_key_value_heads") or heads, d_ff=document["intermediate_size"], max_length=length,
        position="rotary", rotary_pairs="halves",
        rotary_base=float(rope.get("rope_theta") or document.get("rope_theta") or 10000.0), norm_kind="rms",
        epsilon=document.get("rms_norm_eps", 1e-6), activation="swiglu", bias=False,
        tied=document.get("tie_word_embeddings", False),
    )  # fmt: skip


def llama_state(config: Any, w: Weights) -> Iterator[tuple[str, Tensor]]:
    w.cut_prefix("model.")
    w.drop(lambda name: name.endswith("rotary_emb.inv_freq"))
    yield "tokens.embedding.weight", w.take("embed_tokens.weight")
    pairs = (
        ("attention_norm", "input_layernorm"), ("feed_forward_norm", "post_attention_layernorm"),
        ("attention.q_proj", "self_attn.q_proj"), ("attention.k_proj", "self_attn.k_proj"),
        ("attention.v_proj", "self_attn.v_proj"), ("attention.out_proj", "self_attn.o_proj"),
        ("feed_forward.gate", "mlp.gate_proj"), ("feed_forward.inner", "mlp.up_proj"), ("feed_forward.outer", "mlp.down_proj"),
    )  # fmt: skip
    for i in range(config.n_layers):
        for ours, theirs in pairs:
            yield from w.layer(f"blocks.{i}.{ours}", f"layers.{i}.{theirs}")
    yield from w.layer("norm", "norm")
    yield from output_state(config, w)
