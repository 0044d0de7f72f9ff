"""The Set Transformer: attention between elements, through inducing points, and pooling by attention."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from plica.models._config import Config, divides, positive
from plica.models._model import Model
from plica.models.attention import Attention, FeedForward, Mask, explicit
from plica.models.sets._deep_sets import check_set


class SetBlock(nn.Module):
    """MAB(X, Y): LN(H + F(H)) with H = LN(X + A(X, Y)) [lee2019]_; without Y the elements look at each other."""

    def __init__(self, d: int, n_heads: int) -> None:
        super().__init__()
        self.attention = Attention(d, n_heads)
        self.attention_norm = nn.LayerNorm(d)
        self.feed_forward = FeedForward(d, d)
        self.feed_forward_norm = nn.LayerNorm(d)

    def forward(self, x: Tensor, y: Tensor | None = None, *, mask: Mask | None = None) -> Tensor:
        x = self.attention_norm(x + self.attention(x, y, mask=mask))
        out: Tensor = self.feed_forward_norm(x + self.feed_forward(x))
        return out


class InducedBlock(nn.Module):
    """ISAB: m learned points look at the set, the set looks at them; linear cost in the number of elements [lee2019]_."""

    def __init__(self, d: int, n_heads: int, n_points: int) -> None:
        super().__init__()
        self.points = nn.Parameter(torch.randn(n_points, d) * d**-0.5)
        self.inward, self.outward = SetBlock(d, n_heads), SetBlock(d, n_heads)

    def forward(self, x: Tensor, *, mask: Mask | None = None) -> Tensor:
        points = self.inward(self.points.expand(len(x), -1, -1), x, mask=mask)
        out: Tensor = self.outward(x, points)
        return out


class Pooling(nn.Module):
    """PMA: k learned seeds look at the set and become its summary [lee2019]_."""

    def __init__(self, d: int, n_heads: int, n_seeds: int = 1) -> None:
        super().__init__()
        self.seeds = nn.Parameter(torch.randn(n_seeds, d) * d**-0.5)
        self.prepare = FeedForward(d, d)
        self.block = SetBlock(d, n_heads)

    def forward(self, x: Tensor, *, mask: Mask | None = None) -> Tensor:
        out: Tensor = self.block(self.seeds.expand(len(x), -1, -1), self.prepare(x), mask=mask)
        return out


@dataclass(frozen=True)
class SetTransformerConfig(Config):
    """``n_points`` inducing points in every layer; 0 for attention between all pairs."""

    d_in: int
    d_out: int
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    n_points: int = 16
    n_seeds: int = 1

    def problems(self) -> list[tuple[str, str]]:
        return [
            *positive(d_in=self.d_in, d_out=self.d_out, d_model=self.d_model, n_layers=self.n_layers, n_seeds=self.n_seeds),
            *divides(n_heads=(self.n_heads, self.d_model)),
        ]


class SetTransformer(Model[SetTransformerConfig]):
    """A permutation-invariant map of sets to ``n_seeds`` vectors.

    Examples
    --------
    >>> model, x = SetTransformer(SetTransformerConfig(2, 1)).double(), torch.rand(1, 5, 2).double()
    >>> torch.allclose(model(x), model(x.flip(1)))
    True
    """

    Config = SetTransformerConfig

    def __init__(self, config: SetTransformerConfig) -> None:
        super().__init__(config)
        c = config
        self.input = nn.Linear(c.d_in, c.d_model)
        self.layers = nn.ModuleList(
            InducedBlock(c.d_model, c.n_heads, c.n_points) if c.n_points else SetBlock(c.d_model, c.n_heads)
            for _ in range(c.n_layers)
        )
        self.pooling = Pooling(c.d_model, c.n_heads, c.n_seeds)
        self.output = nn.Linear(c.d_model, c.d_out)

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """(B, n_seeds, d_out) for sets (B, n, d_in), of which only the ``visible`` (B, n) elements count."""
        check_set(x, visible, self.config.d_in)
        mask = None if visible is None else explicit(visible[:, None, None])
        x = self.input(x)
        for layer in self.layers:
            x = layer(x, mask=mask)
        out: Tensor = self.output(self.pooling(x, mask=mask))
        return out
