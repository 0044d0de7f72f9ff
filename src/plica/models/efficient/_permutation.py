"""XLNet's objective: tokens predicted in any order, by two streams of attention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from plica.models._config import Config, divides, positive, share
from plica.models._model import Model
from plica.models._tokens import check_tokens
from plica.models.attention import Attention, FeedForward, Learned, Mask, order
from plica.models.transformer._parts import initialize


@dataclass(frozen=True)
class PermutationLMConfig(Config):
    """Sizes of a model of texts of at most ``max_length`` tokens in any order."""

    vocabulary: int
    d_model: int = 128
    n_layers: int = 4
    n_heads: int = 4
    d_ff: int = 0
    max_length: int = 64
    dropout: float = 0.0

    def problems(self) -> list[tuple[str, str]]:
        return [
            *positive(vocabulary=self.vocabulary, d_model=self.d_model, n_layers=self.n_layers, max_length=self.max_length),
            *divides(n_heads=(self.n_heads, self.d_model)),
            *share(dropout=self.dropout),
        ]


class TwoStreamBlock(nn.Module):
    """The content stream sees itself, the query stream does not; both have one set of weights."""

    def __init__(self, config: PermutationLMConfig) -> None:
        super().__init__()
        c = config
        self.attention = Attention(c.d_model, c.n_heads, dropout=c.dropout)
        self.feed_forward = FeedForward(c.d_model, c.d_ff or 4 * c.d_model, activation="gelu", dropout=c.dropout)
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(c.d_model), nn.LayerNorm(c.d_model)

    def forward(self, content: Tensor, query: Tensor, weak: Mask, strict: Mask) -> tuple[Tensor, Tensor]:
        seen = self.attention_norm(content)
        query = query + self.attention(self.attention_norm(query), seen, mask=strict)
        content = content + self.attention(seen, mask=weak)
        query = query + self.feed_forward(self.feed_forward_norm(query))
        return content + self.feed_forward(self.feed_forward_norm(content)), query


class PermutationLM(Model[PermutationLMConfig]):
    """Predicts the token at each place from those that come before it in a given order [yang2019]_.

    With the identity order it is a causal language model whose prediction of token t sees the tokens before t.

    Examples
    --------
    >>> model = PermutationLM(PermutationLMConfig(10, d_model=16, n_heads=2, n_layers=1))
    >>> model(torch.tensor([[4, 5, 6]]), [2, 0, 1]).shape
    torch.Size([1, 3, 10])
    """

    Config = PermutationLMConfig

    def __init__(self, config: PermutationLMConfig) -> None:
        super().__init__(config)
        c = config
        self.embedding = nn.Embedding(c.vocabulary, c.d_model)
        self.position = Learned(c.max_length, c.d_model)
        self.question = nn.Parameter(torch.randn(c.d_model) * 0.02)
        self.blocks = nn.ModuleList(TwoStreamBlock(c) for _ in range(c.n_layers))
        self.norm = nn.LayerNorm(c.d_model)
        self.output = nn.Linear(c.d_model, c.vocabulary)
        initialize(self.blocks, 0.02)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, tokens: Tensor, sequence: Sequence[int] | None = None) -> Tensor:
        """Logits (B, T, V) of each token given the ones earlier in ``sequence``, left to right unless given."""
        check_tokens(tokens, self.config.vocabulary, self.config.max_length, "tokens")
        n = tokens.shape[1]
        places = list(range(n)) if sequence is None else [int(p) for p in sequence]
        weak, strict = order(places), order(places, strict=True)
        content = self.position(self.embedding(tokens))
        query = self.position(self.question.expand(*tokens.shape, -1))
        for block in self.blocks:
            content, query = block(content, query, weak, strict)
        logits: Tensor = self.output(self.norm(query))
        return logits

    def loss(self, tokens: Tensor, *, seed: int | None = None, n_predicted: int | None = None) -> Tensor:
        """Cross-entropy of the last ``n_predicted`` tokens of a random order (all of them unless given)."""
        n = tokens.shape[1]
        if seed is None:
            places = list(range(n))
        else:
            places = torch.randperm(n, generator=torch.Generator().manual_seed(seed)).tolist()
        asked = torch.tensor(places[n - (n_predicted or n) :])
        logits = self(tokens, places)[:, asked]
        return nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, asked].flatten())
