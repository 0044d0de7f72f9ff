"""BERT: an encoder that predicts hidden tokens; with efficient attention it is Linformer, Performer or Big Bird."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models._config import Config, divides, one_of, positive, share
from plica.models._model import Model
from plica.models._tokens import check_tokens, has_values
from plica.models.attention import Block, explicit
from plica.models.transformer._deepnet import deepnet_scales
from plica.models.transformer._parts import (
    VARIANTS,
    Tokens,
    apply_deepnet,
    attention_choices,
    attention_position,
    block_norm,
    common_problems,
    initialize,
)


def _base(**values: Any) -> dict[str, Any]:
    return {"vocabulary": 30522, "d_model": 768, "n_layers": 12, "n_heads": 12, "max_length": 512} | values


@dataclass(frozen=True)
class BERTConfig(Config):
    """Sizes and choices of an encoder.

    Parameters
    ----------
    n_segments
        Learned rows that tell a first text from a second; 0 for none.
    variant, reach, n_features
        Efficient attention: ``window`` and ``big-bird`` with blocks of ``reach``, ``performer`` and ``linformer`` with
        ``n_features``.
    head
        What predicts hidden tokens; without it there are only the vectors of :meth:`BERT.encode`.
    pooler
        A linear map with tanh of the first token, for texts as a whole.
    """

    vocabulary: int
    d_model: int
    n_layers: int
    n_heads: int
    max_length: int = 512
    d_ff: int = 0
    n_segments: int = 2
    position: str = "learned"
    norm: str = "post"
    activation: str = "gelu"
    epsilon: float = 1e-5
    variant: str = "full"
    reach: int = 64
    n_features: int = 256
    pooler: bool = True
    head: bool = True
    dropout: float = 0.1
    padding: int = 0

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "bert-base": _base(),
        "bert-large": _base(d_model=1024, n_layers=24, n_heads=16),
        "linformer": _base(variant="linformer", n_features=128),
        "performer": _base(variant="performer"),
        "big-bird": _base(variant="big-bird", max_length=4096),
    }

    def problems(self) -> list[tuple[str, str]]:
        return [
            *positive(vocabulary=self.vocabulary, d_model=self.d_model, n_layers=self.n_layers, max_length=self.max_length),
            *divides(n_heads=(self.n_heads, self.d_model)),
            *common_problems(self.position, self.norm),
            *one_of("variant", self.variant, VARIANTS),
            *positive(epsilon=self.epsilon),
            *share(dropout=self.dropout),
        ]


class BERT(Model[BERTConfig]):
    """Bidirectional encoder with a head for hidden tokens [devlin2019]_.

    Examples
    --------
    The encoder of the published base model has 109,482,240 parameters, its head for hidden tokens 622,650:

    >>> BERT.count_parameters("bert-base")
    110104890
    """

    Config = BERTConfig

    def __init__(self, config: BERTConfig) -> None:
        super().__init__(config)
        c = config
        self.tokens = Tokens(
            c.vocabulary, c.d_model, position=c.position, max_length=c.max_length, dropout=0.0,
            std=c.d_model**-0.5 if c.position == "sinusoidal" else 0.02,
        )  # fmt: skip
        self.segments = nn.Embedding(c.n_segments, c.d_model) if c.n_segments else None
        self.token_norm = nn.LayerNorm(c.d_model, eps=c.epsilon)
        self.dropout = nn.Dropout(c.dropout)
        self.blocks = nn.ModuleList(self._block(seed) for seed in range(c.n_layers))
        self.norm = nn.LayerNorm(c.d_model, eps=c.epsilon) if c.norm == "pre" else nn.Identity()
        self.pooler = nn.Linear(c.d_model, c.d_model) if c.pooler else None
        self.head, self.head_bias = None, None
        if c.head:
            self.head = nn.Sequential(nn.Linear(c.d_model, c.d_model), nn.GELU(), nn.LayerNorm(c.d_model, eps=c.epsilon))
            self.head_bias = nn.Parameter(torch.zeros(c.vocabulary))
        initialize(self, 0.02)
        if self.segments is not None:
            nn.init.normal_(self.segments.weight, std=0.02)
        if c.norm == "deepnet":
            apply_deepnet(self.blocks, deepnet_scales(c.n_layers))

    def _block(self, seed: int) -> Block:
        c = self.config
        choices = attention_choices(
            c.variant, d_head=c.d_model // c.n_heads, max_length=c.max_length, is_causal=False, reach=c.reach,
            n_features=c.n_features, seed=seed,
        ) | {"position": attention_position(c.position, c.d_model)}  # fmt: skip
        if c.variant in ("performer", "linear"):
            choices["dropout"] = 0.0  # no weights are formed that could be dropped
        return Block(
            c.d_model, c.n_heads, d_ff=c.d_ff or None, norm=block_norm(c.norm), activation=c.activation, attention=choices,
            dropout=c.dropout, epsilon=c.epsilon,
        )  # fmt: skip

    def encode(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Vectors (B, T, d) of tokens (B, T); padding is at the ends of rows."""
        c = self.config
        check_tokens(tokens, c.vocabulary, c.max_length, "tokens", padding=c.padding)
        x = self.tokens(tokens)
        if self.segments is not None:
            x = x + self.segments(torch.zeros_like(tokens) if segments is None else segments)
        elif segments is not None:
            raise InvalidInput("this model has no segments.", hint="build it with n_segments=2")
        visible = tokens != c.padding
        mask = None if has_values(visible) and bool(visible.all()) else explicit(visible[:, None, None])
        x = self.dropout(self.token_norm(x))
        for block in self.blocks:
            x = block(x, mask=mask)
        out: Tensor = self.norm(x)
        return out

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Logits (B, T, V) of the token at each place."""
        if self.head is None:
            raise InvalidInput("this model has no head for hidden tokens.", hint="model.encode(tokens) gives its vectors")
        return self.head(self.encode(tokens, segments)) @ self.tokens.embedding.weight.T + self.head_bias

    def pooled(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """One vector (B, d) for each text, read off its first token."""
        if self.pooler is None:
            raise InvalidInput("this model has no pooler.", hint="build it with pooler=True")
        return torch.tanh(self.pooler(self.encode(tokens, segments)[:, 0]))


def masked_tokens(
    tokens: Tensor, *, mask_token: int, vocabulary: int, seed: int, padding: int = 0, share: float = 0.15
) -> tuple[Tensor, Tensor]:
    """BERT's exercise: 15 % of the tokens are to be predicted; 8 of 10 are hidden, 1 is replaced at random, 1 is left.

    Returns
    -------
    The tokens that the model reads, and which places it is asked about.
    """
    generator = torch.Generator().manual_seed(seed)
    chance = torch.rand(tokens.shape, generator=generator)
    asked = (chance < share) & (tokens != padding)
    kind = torch.rand(tokens.shape, generator=generator)
    other = torch.randint(0, vocabulary, tokens.shape, generator=generator)
    other = torch.where(other == padding, tokens, other)  # inside a text padding stands for nothing
    read = torch.where(asked & (kind < 0.8), torch.full_like(tokens, mask_token), tokens)
    read = torch.where(asked & (kind >= 0.8) & (kind < 0.9), other, read)
    return read, asked
