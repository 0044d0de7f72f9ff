"""Group-equivariant convolution for p4 [cohen2016]_."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models._config import Config, positive
from plica.models._model import Model

TURNS = 4


def turn_image(x: Tensor, times: int = 1) -> Tensor:
    """An image (..., h, w) turned by a quarter, counterclockwise, some times."""
    return torch.rot90(x, times, (-2, -1))


def turn_group_function(x: Tensor, times: int = 1) -> Tensor:
    """A function on the group (B, C, 4, h, w) acted on by quarter turns: each plane turns and moves one further."""
    return turn_image(x, times).roll(times, 2)


def _square(x: Tensor, rank: int, channels: int) -> None:
    shape = "(batch, channels, side, side)" if rank == 4 else "(batch, channels, 4, side, side)"
    if x.dim() != rank or x.shape[1] != channels or x.shape[-1] != x.shape[-2] or (rank == 5 and x.shape[2] != TURNS):
        raise InvalidInput(
            f"an input of shape {tuple(x.shape)} for {channels} channels.", hint=f"expected {shape}; quarter turns need squares"
        )


class LiftingConvolution(nn.Module):
    """Correlates an image with each filter in its four orientations: (B, C, h, w) to (B, K, 4, h', w')."""

    def __init__(self, n_in: int, n_out: int, size: int, *, padding: int = 0) -> None:
        super().__init__()
        self.n_in, self.padding = n_in, padding
        self.weight = nn.Parameter(torch.empty(n_out, n_in, size, size))
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.kaiming_uniform_(self.weight, nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        _square(x, 4, self.n_in)
        filters = torch.stack([turn_image(self.weight, r) for r in range(TURNS)], 1).flatten(0, 1)
        out = nn.functional.conv2d(x, filters, self.bias.repeat_interleave(TURNS), padding=self.padding)
        return out.unflatten(1, (-1, TURNS))


class GroupConvolution(nn.Module):
    """Correlates a function on the group with filters on the group: (B, C, 4, h, w) to (B, K, 4, h', w')."""

    def __init__(self, n_in: int, n_out: int, size: int, *, padding: int = 0) -> None:
        super().__init__()
        self.n_in, self.padding = n_in, padding
        self.weight = nn.Parameter(torch.empty(n_out, n_in, TURNS, size, size))
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.kaiming_uniform_(self.weight, nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        _square(x, 5, self.n_in)
        filters = torch.stack([turn_group_function(self.weight, r) for r in range(TURNS)], 1)  # (K, 4, C, 4, s, s)
        flat = filters.flatten(0, 1).flatten(1, 2)
        out = nn.functional.conv2d(x.flatten(1, 2), flat, self.bias.repeat_interleave(TURNS), padding=self.padding)
        return out.unflatten(1, (-1, TURNS))


@dataclass(frozen=True)
class P4Config(Config):
    """A stack of p4 convolutions with ReLU, two 2 x 2 maxima between them, and a sum over positions and turns."""

    n_in: int = 1
    n_classes: int = 10
    n_channels: int = 10
    n_layers: int = 4
    size: int = 3

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {"mnist": {}}

    def problems(self) -> list[tuple[str, str]]:
        sizes = positive(n_in=self.n_in, n_classes=self.n_classes, n_channels=self.n_channels, n_layers=self.n_layers)
        odd = [] if self.size % 2 else [("size is even.", "a filter needs a center")]
        return [*sizes, *odd]


class P4Classifier(Model[P4Config]):
    """Classes of images whose logits do not change when the image is turned by 90 degrees."""

    Config = P4Config

    def __init__(self, config: P4Config) -> None:
        super().__init__(config)
        c = config
        self.lift = LiftingConvolution(c.n_in, c.n_channels, c.size, padding=c.size // 2)
        self.layers = nn.ModuleList(
            GroupConvolution(c.n_channels, c.n_channels, c.size, padding=c.size // 2) for _ in range(c.n_layers - 1)
        )
        self.output = nn.Linear(c.n_channels, c.n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Logits (B, n_classes) of images (B, n_in, side, side)."""
        z = torch.relu(self.lift(x))
        for i, layer in enumerate(self.layers):
            if i < 2 and z.shape[-1] % 2 == 0:  # an odd side has no 2 x 2 tiling that a turn maps to itself
                z = nn.functional.max_pool3d(z, (1, 2, 2))
            z = torch.relu(layer(z))
        logits: Tensor = self.output(z.mean((2, 3, 4)))
        return logits
