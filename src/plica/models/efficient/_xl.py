"""Transformer-XL: segments that remember the ones before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from plica.models._config import Config, divides, positive, share
from plica.models._model import Model
from plica.models._tokens import check_tokens
from plica.models.attention import Attention, FeedForward, window
from plica.models.transformer._parts import initialize


@dataclass(frozen=True)
class TransformerXLConfig(Config):
    """A token looks ``reach`` tokens back in every layer; a segment remembers as many tokens of the ones before.

    Positions are relative; absolute ones would be wrong as soon as a segment is remembered.
    """

    vocabulary: int
    d_model: int = 128
    n_layers: int = 4
    n_heads: int = 4
    d_ff: int = 0
    reach: int = 64
    max_length: int = 4096
    dropout: float = 0.0

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "chars": {"vocabulary": 65},
    }

    def problems(self) -> list[tuple[str, str]]:
        return [
            *positive(vocabulary=self.vocabulary, d_model=self.d_model, n_layers=self.n_layers, reach=self.reach),
            *divides(n_heads=(self.n_heads, self.d_model)),
            *share(dropout=self.dropout),
        ]


class XLMemory(NamedTuple):
    """For each layer its last inputs (B, at most reach, d); no gradient flows into them."""

    layers: tuple[Tensor, ...]


class XLBlock(nn.Module):
    """Pre-norm block whose keys are the remembered and the present tokens."""

    def __init__(self, config: TransformerXLConfig) -> None:
        super().__init__()
        c = config
        self.reach = c.reach
        self.attention = Attention(
            c.d_model, c.n_heads, mask=window(c.reach, causal=True), position="relative", dropout=c.dropout
        )
        self.feed_forward = FeedForward(c.d_model, c.d_ff or 4 * c.d_model, activation="gelu", dropout=c.dropout)
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(c.d_model), nn.LayerNorm(c.d_model)
        self.dropout = nn.Dropout(c.dropout)

    def forward(self, x: Tensor, memory: Tensor | None) -> Tensor:
        before = 0 if memory is None else memory.shape[1]
        y = self.attention_norm(x)
        seen = y if memory is None else torch.cat([self.attention_norm(memory), y], 1)
        x = x + self.dropout(self.attention(y, seen, offset=before))
        out: Tensor = x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))
        return out


class TransformerXL(Model[TransformerXLConfig]):
    """Causal language model with segment recurrence [dai2019]_.

    Reading a text in segments with the memory gives the logits of one pass over all of it with the mask of the last ``reach``
    tokens in every layer.

    Examples
    --------
    >>> model = TransformerXL(TransformerXLConfig(10, d_model=16, n_heads=2, n_layers=2, reach=4)).eval()
    >>> text = torch.arange(8)[None]
    >>> whole, _ = model(text)
    >>> first, memory = model(text[:, :4])
    >>> second, _ = model(text[:, 4:], memory)
    >>> torch.allclose(whole, torch.cat([first, second], 1), atol=1e-5)
    True
    """

    Config = TransformerXLConfig

    def __init__(self, config: TransformerXLConfig) -> None:
        super().__init__(config)
        c = config
        self.embedding = nn.Embedding(c.vocabulary, c.d_model)
        self.blocks = nn.ModuleList(XLBlock(c) for _ in range(c.n_layers))
        self.norm = nn.LayerNorm(c.d_model)
        self.dropout = nn.Dropout(c.dropout)
        initialize(self.blocks, 0.02)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, tokens: Tensor, memory: XLMemory | None = None) -> tuple[Tensor, XLMemory]:
        """Logits (B, T, V) after each token of a segment (B, T), and what to remember for the next."""
        check_tokens(tokens, self.config.vocabulary, self.config.max_length, "tokens")
        x = self.dropout(self.embedding(tokens))
        kept = []
        for i, block in enumerate(self.blocks):
            before = None if memory is None else memory.layers[i]
            joined = x if before is None else torch.cat([before, x], 1)
            kept.append(joined[:, -self.config.reach :].detach())
            x = block(x, before)
        logits = self.norm(x) @ self.embedding.weight.T
        return logits, XLMemory(tuple(kept))

    def begin(self, prompt: Tensor) -> tuple[Tensor, XLMemory | None]:
        """The last tokens of the prompts (B, T) and what is remembered before them."""
        return prompt[:, -1], self(prompt[:, :-1])[1] if prompt.shape[1] > 1 else None

    def advance(self, tokens: Tensor, state: XLMemory | None) -> tuple[Tensor, XLMemory]:
        """Logits (B, V) after the tokens (B,), and the new memory."""
        logits, memory = self(tokens[:, None], state)
        return logits[:, 0], memory
