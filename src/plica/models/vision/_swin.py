"""Swin: attention in windows that are shifted from layer to layer, over an image that is coarsened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from plica.models._config import Config, divides, positive
from plica.models._model import Model
from plica.models.attention import Attend, FeedForward
from plica.models.vision._vit import check_image


@dataclass(frozen=True)
class SwinConfig(Config):
    """Stages of ``depths`` blocks with ``n_heads``; each stage after the first halves the side and doubles the width."""

    side: int = 224
    patch: int = 4
    n_channels: int = 3
    n_classes: int = 1000
    d_model: int = 96
    depths: tuple[int, ...] = (2, 2, 6, 2)
    n_heads: tuple[int, ...] = (3, 6, 12, 24)
    window: int = 7
    epsilon: float = 1e-5

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "swin-t": {},
        "swin-s": {"depths": (2, 2, 18, 2)},
        "swin-b": {"d_model": 128, "depths": (2, 2, 18, 2), "n_heads": (4, 8, 16, 32)},
        "mnist": {
            "side": 28, "patch": 2, "n_channels": 1, "n_classes": 10, "d_model": 32, "depths": (2, 2), "n_heads": (2, 4),
        },
    }  # fmt: skip

    def problems(self) -> list[tuple[str, str]]:
        sizes = positive(
            n_channels=self.n_channels, n_classes=self.n_classes, d_model=self.d_model, window=self.window, epsilon=self.epsilon
        )
        if len(self.depths) != len(self.n_heads) or not self.depths:
            return [*sizes, ("depths and n_heads have different lengths.", "give one number of each for every stage")]
        found = [*sizes, *divides(patch=(self.patch, self.side))]
        side = self.side // max(self.patch, 1)
        if side >> (len(self.depths) - 1) < 1:
            return [
                *found,
                (f"{side} patches cannot be halved {len(self.depths) - 1} times.", "use fewer stages or a larger side"),
            ]
        for i, heads in enumerate(self.n_heads):
            found += divides(**{f"n_heads[{i}]": (heads, self.d_model * 2**i)})
            if side % max(1, min(self.window, side)):
                found.append(
                    (f"stage {i} has side {side}, the window {self.window} does not tile it.", "choose side and window to fit")
                )
            if i + 1 < len(self.depths) and side % 2:
                found.append((f"stage {i} has the odd side {side}.", "it cannot be halved"))
            side //= 2
        return found


class WindowAttention(nn.Module):
    """Attention inside windows of a grid, shifted without wrapping, with a learned bias for each displacement."""

    places: Tensor

    def __init__(self, d: int, n_heads: int, *, side: int, window: int, shift: int) -> None:
        super().__init__()
        self.n_heads, self.side, self.window, self.shift = n_heads, side, window, shift
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.table = nn.Parameter(torch.randn((2 * window - 1) ** 2, n_heads) * 0.02)
        self.attend = Attend()
        self.register_buffer("places", displacements(window), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Tokens (B, side^2, d) in reading order."""
        n, w, s = len(x), self.window, self.side // self.window
        grid = x.view(n, self.side, self.side, -1).roll((-self.shift, -self.shift), (1, 2))
        tiles = grid.view(n, s, w, s, w, -1).transpose(2, 3).reshape(n * s * s, w * w, -1)
        q, k, v = self.qkv(tiles).unflatten(-1, (3, self.n_heads, -1)).permute(2, 0, 3, 1, 4)
        bias = self.bias()
        if self.shift:  # the last window of a row holds pixels that a turn of the torus brought together
            wall = torch.zeros_like(self.visible(), dtype=x.dtype).masked_fill(~self.visible(), float("-inf"))
            bias = (bias[None] + wall[:, None]).repeat(n, 1, 1, 1)
        mixed = self.attend(q, k, v, bias=bias)
        mixed = self.out(mixed.transpose(1, 2).flatten(2))
        grid = mixed.view(n, s, s, w, w, -1).transpose(2, 3).reshape(n, self.side, self.side, -1)
        return grid.roll((self.shift, self.shift), (1, 2)).view(n, self.side**2, -1)

    def bias(self) -> Tensor:
        """(heads, w^2, w^2)."""
        return self.table[self.places].permute(2, 0, 1)

    def visible(self) -> Tensor:
        """(windows, w^2, w^2): which pixels of a window were neighbors before the turn."""
        w, s = self.window, self.side // self.window
        line = (torch.arange(self.side, device=self.table.device) + self.shift) // self.side  # 1 for what came around
        down, across = line[:, None].expand(-1, self.side), line[None].expand(self.side, -1)
        group = (2 * down + across).view(s, w, s, w).transpose(1, 2).reshape(s * s, w * w)
        return group[:, :, None] == group[:, None]


def displacements(window: int) -> Tensor:
    """For each pair of pixels of a window the number of their displacement: (w^2, w^2)."""
    line = torch.arange(window)
    place = torch.stack(torch.meshgrid(line, line, indexing="ij"), -1).view(-1, 2)
    difference = place[:, None] - place[None] + window - 1
    return difference[..., 0] * (2 * window - 1) + difference[..., 1]


class WindowBlock(nn.Module):
    """x + A(LN x), then x + F(LN x), with attention in windows."""

    def __init__(self, d: int, n_heads: int, *, side: int, window: int, shift: int, epsilon: float = 1e-5) -> None:
        super().__init__()
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(d, eps=epsilon), nn.LayerNorm(d, eps=epsilon)
        self.attention = WindowAttention(d, n_heads, side=side, window=window, shift=shift)
        self.feed_forward = FeedForward(d, 4 * d, activation="gelu")

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        out: Tensor = x + self.feed_forward(self.feed_forward_norm(x))
        return out


class Merging(nn.Module):
    """Four neighboring pixels become one of twice the width."""

    def __init__(self, d: int, side: int) -> None:
        super().__init__()
        self.side = side
        self.norm = nn.LayerNorm(4 * d)
        self.reduce = nn.Linear(4 * d, 2 * d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        h = self.side // 2
        parts = x.view(len(x), h, 2, h, 2, -1).permute(0, 1, 3, 4, 2, 5).reshape(len(x), h * h, -1)
        out: Tensor = self.reduce(self.norm(parts))
        return out


class Swin(Model[SwinConfig]):
    """Hierarchical vision transformer with shifted windows [liu2021]_.

    Examples
    --------
    >>> Swin.count_parameters("swin-t")
    28288354
    """

    Config = SwinConfig

    def __init__(self, config: SwinConfig) -> None:
        super().__init__(config)
        c = config
        side, d = c.side // c.patch, c.d_model
        self.patches = nn.Conv2d(c.n_channels, d, c.patch, c.patch)
        self.patch_norm = nn.LayerNorm(d)
        stages: list[nn.Module] = []
        for i, (depth, heads) in enumerate(zip(c.depths, c.n_heads, strict=True)):
            window = min(c.window, side)
            shifts = [window // 2 if j % 2 and window < side else 0 for j in range(depth)]
            stages += [WindowBlock(d, heads, side=side, window=window, shift=s, epsilon=c.epsilon) for s in shifts]
            if i + 1 < len(c.depths):
                stages.append(Merging(d, side))
                side, d = side // 2, 2 * d
        self.stages = nn.ModuleList(stages)
        self.norm = nn.LayerNorm(d, eps=c.epsilon)
        self.output = nn.Linear(d, c.n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (B, n_classes) of images (B, n_channels, side, side)."""
        check_image(x, self.config.n_channels, self.config.side)
        tokens = self.patch_norm(self.patches(x).flatten(2).transpose(1, 2))
        for stage in self.stages:
            tokens = stage(tokens)
        logits: Tensor = self.output(self.norm(tokens).mean(1))
        return logits
