"""ViT and Swin as published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from plica.errors import InvalidNetwork
from plica.models._config import Config
from plica.models.published._weights import Settings, Weights, activation_of, require
from plica.models.vision import SwinConfig, ViTConfig

_VIT_BLOCK = (
    ("attention_norm", "layernorm_before"), ("attention.q_proj", "attention.attention.query"),
    ("attention.k_proj", "attention.attention.key"), ("attention.v_proj", "attention.attention.value"),
    ("attention.out_proj", "attention.output.dense"), ("feed_forward_norm", "layernorm_after"),
    ("feed_forward.inner", "intermediate.dense"), ("feed_forward.outer", "output.dense"),
)  # fmt: skip


def _n_classes(weights: Weights) -> int:
    if "classifier.weight" not in weights:
        raise InvalidNetwork("these weights have no classifier.", hint="save a model for image classification")
    return weights.rows("classifier.weight")


def vit_config(document: Settings, weights: Weights) -> Config:
    require(document, qkv_bias=True)
    return ViTConfig(
        side=document["image_size"], patch=document["patch_size"], n_channels=document["num_channels"],
        n_classes=_n_classes(weights), d_model=document["hidden_size"], n_layers=document["num_hidden_layers"],
        n_heads=document["num_attention_heads"], d_ff=document["intermediate_size"],
        activation=activation_of(document, "hidden_act", "gelu"), epsilon=document.get("layer_norm_eps", 1e-12),
    )  # fmt: skip


def vit_state(config: Any, w: Weights) -> Iterator[tuple[str, Tensor]]:
    w.cut_prefix("vit.")
    yield "of_class", w.take("embeddings.cls_token")
    yield "position", w.take("embeddings.position_embeddings")
    yield from w.layer("patches", "embeddings.patch_embeddings.projection")
    for i in range(config.n_layers):
        for ours, theirs in _VIT_BLOCK:
            yield from w.layer(f"blocks.{i}.{ours}", f"encoder.layer.{i}.{theirs}")
    yield from w.layer("norm", "layernorm")
    yield from w.layer("output", "classifier")


def swin_config(document: Settings, weights: Weights) -> Config:
    require(document, qkv_bias=True, mlp_ratio=4.0, hidden_act="gelu", use_absolute_embeddings=False)
    return SwinConfig(
        side=document["image_size"], patch=document["patch_size"], n_channels=document["num_channels"],
        n_classes=_n_classes(weights), d_model=document["embed_dim"], depths=tuple(document["depths"]),
        n_heads=tuple(document["num_heads"]), window=document["window_size"], epsilon=document.get("layer_norm_eps", 1e-5),
    )  # fmt: skip


def swin_state(config: Any, w: Weights) -> Iterator[tuple[str, Tensor]]:
    w.cut_prefix("swin.")
    w.drop(lambda name: name.endswith("relative_position_index"))
    yield from w.layer("patches", "embeddings.patch_embeddings.projection")
    yield from w.layer("patch_norm", "embeddings.norm")
    place = 0
    for s, depth in enumerate(config.depths):
        for j in range(depth):
            ours, theirs = f"stages.{place}", f"encoder.layers.{s}.blocks.{j}"
            yield from w.layer(f"{ours}.attention_norm", f"{theirs}.layernorm_before")
            parts = [dict(w.layer("x", f"{theirs}.attention.self.{name}")) for name in ("query", "key", "value")]
            for kind in parts[0]:
                yield kind.replace("x", f"{ours}.attention.qkv"), torch.cat([part[kind] for part in parts])
            yield f"{ours}.attention.table", w.take(f"{theirs}.attention.self.relative_position_bias_table")
            yield from w.layer(f"{ours}.attention.out", f"{theirs}.attention.output.dense")
            yield from w.layer(f"{ours}.feed_forward_norm", f"{theirs}.layernorm_after")
            yield from w.layer(f"{ours}.feed_forward.inner", f"{theirs}.intermediate.dense")
            yield from w.layer(f"{ours}.feed_forward.outer", f"{theirs}.output.dense")
            place += 1
        if s + 1 < len(config.depths):
            yield from w.layer(f"stages.{place}.norm", f"encoder.layers.{s}.downsample.norm")
            yield from w.layer(f"stages.{place}.reduce", f"encoder.layers.{s}.downsample.reduction")
            place += 1
    yield from w.layer("norm", "layernorm")
    yield from w.layer("output", "classifier")
