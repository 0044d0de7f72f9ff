"""BERT as published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from plica.models._config import Config
from plica.models.published._weights import Settings, Weights, activation_of, require
from plica.models.transformer import BERTConfig

_BERT_BLOCK = (
    ("attention.q_proj", "attention.self.query"), ("attention.k_proj", "attention.self.key"),
    ("attention.v_proj", "attention.self.value"), ("attention.out_proj", "attention.output.dense"),
    ("attention_norm", "attention.output.LayerNorm"), ("feed_forward.inner", "intermediate.dense"),
    ("feed_forward.outer", "output.dense"), ("feed_forward_norm", "output.LayerNorm"),
)  # fmt: skip


def bert_config(document: Settings, weights: Weights) -> Config:
    require(document, position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
    has_head = "cls.predictions.transform.dense.weight" in weights
    if has_head:
        require(document, tie_word_embeddings=True)
    return BERTConfig(
        vocabulary=document["vocab_size"], d_model=document["hidden_size"], n_layers=document["num_hidden_layers"],
        n_heads=document["num_attention_heads"], d_ff=document["intermediate_size"],
        max_length=document["max_position_embeddings"], n_segments=document.get("type_vocab_size", 2),
        activation=activation_of(document, "hidden_act", "gelu"), epsilon=document.get("layer_norm_eps", 1e-12),
        pooler="bert.pooler.dense.weight" in weights or "pooler.dense.weight" in weights,
        head=has_head,
        padding=document.get("pad_token_id") or 0,
    )  # fmt: skip


def bert_state(config: Any, w: Weights) -> Iterator[tuple[str, Tensor]]:
    w.cut_prefix("bert.")
    w.drop(lambda name: name.endswith("position_ids") or name.startswith("cls.seq_relationship."))
    yield "tokens.embedding.weight", w.take("embeddings.word_embeddings.weight")
    yield "tokens.position.weight", w.take("embeddings.position_embeddings.weight")
    yield "segments.weight", w.take("embeddings.token_type_embeddings.weight")
    yield from w.layer("token_norm", "embeddings.LayerNorm")
    for i in range(config.n_layers):
        for ours, theirs in _BERT_BLOCK:
            yield from w.layer(f"blocks.{i}.{ours}", f"encoder.layer.{i}.{theirs}")
    if config.pooler:
        yield from w.layer("pooler", "pooler.dense")
    if not config.head:
        return
    yield from w.layer("head.0", "cls.predictions.transform.dense")
    yield from w.layer("head.2", "cls.predictions.transform.LayerNorm")
    yield "head_bias", w.take("cls.predictions.bias")
    w.drop(lambda name: name.startswith("cls.predictions.decoder."))  # the embedding and the bias once more
