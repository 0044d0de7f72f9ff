"""The Vision Transformer: patches are tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models._config import Config, divides, positive, share
from plica.models._model import Model
from plica.models.attention import Block


def _vit(patch: int, d_model: int, n_layers: int, n_heads: int) -> dict[str, Any]:
    return {"patch": patch, "d_model": d_model, "n_layers": n_layers, "n_heads": n_heads}


@dataclass(frozen=True)
class ViTConfig(Config):
    """Square images of ``side`` pixels in patches of ``patch``; one more token stands for the class."""

    side: int = 224
    patch: int = 16
    n_channels: int = 3
    n_classes: int = 1000
    d_model: int = 768
    n_layers: int = 12
    n_heads: int = 12
    d_ff: int = 0
    dropout: float = 0.0
    activation: str = "gelu"
    epsilon: float = 1e-5

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "vit-b16": _vit(16, 768, 12, 12),
        "vit-b32": _vit(32, 768, 12, 12),
        "vit-l16": _vit(16, 1024, 24, 16),
        "vit-l32": _vit(32, 1024, 24, 16),
        "vit-h14": _vit(14, 1280, 32, 16),
        "mnist": _vit(7, 64, 4, 4) | {"side": 28, "n_channels": 1, "n_classes": 10, "d_ff": 128},
    }

    def problems(self) -> list[tuple[str, str]]:
        return [
            *positive(n_channels=self.n_channels, n_classes=self.n_classes, d_model=self.d_model, n_layers=self.n_layers),
            *divides(n_heads=(self.n_heads, self.d_model), patch=(self.patch, self.side)),
            *positive(epsilon=self.epsilon),
            *share(dropout=self.dropout),
        ]

    @property
    def n_patches(self) -> int:
        return (self.side // self.patch) ** 2


def check_image(x: Tensor, n_channels: int, side: int) -> None:
    """Refuse what is not a batch of images of the size that the positions are for."""
    if x.dim() != 4 or x.shape[1:] != (n_channels, side, side):
        raise InvalidInput(f"images of shape {tuple(x.shape)}.", hint=f"expected (batch, {n_channels}, {side}, {side})")


class VisionTransformer(Model[ViTConfig]):
    """An Image is Worth 16x16 Words [dosovitskiy2021]_.

    Examples
    --------
    >>> VisionTransformer.count_parameters("vit-b16")
    86567656
    """

    Config = ViTConfig

    def __init__(self, config: ViTConfig) -> None:
        super().__init__(config)
        c = config
        self.patches = nn.Conv2d(c.n_channels, c.d_model, c.patch, c.patch)
        self.of_class = nn.Parameter(torch.zeros(1, 1, c.d_model))
        self.position = nn.Parameter(torch.randn(1, c.n_patches + 1, c.d_model) * 0.02)
        self.blocks = nn.ModuleList(
            Block(c.d_model, c.n_heads, d_ff=c.d_ff or None, activation=c.activation, dropout=c.dropout, epsilon=c.epsilon)
            for _ in range(c.n_layers)
        )
        self.norm = nn.LayerNorm(c.d_model, eps=c.epsilon)
        self.output = nn.Linear(c.d_model, c.n_classes)
        self.dropout = nn.Dropout(c.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (B, n_classes) of images (B, n_channels, side, side)."""
        check_image(x, self.config.n_channels, self.config.side)
        tokens = self.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.of_class.expand(len(x), -1, -1), tokens], 1) + self.position
        tokens = self.dropout(tokens)
        for block in self.blocks:
            tokens = block(tokens)
        logits: Tensor = self.output(self.norm(tokens[:, 0]))
        return logits
