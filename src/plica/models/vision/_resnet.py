"""Residual networks, and the plain ones they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models._config import Config, one_of, positive
from plica.models._model import Model


def _imagenet(depths: tuple[int, ...], *, bottleneck: bool = False) -> dict[str, Any]:
    return {"depths": depths, "bottleneck": bottleneck}


def _small(n: int) -> dict[str, Any]:
    """Three stages of n blocks, 6 n + 2 layers, for images of 32 pixels [he2016]_."""
    return {"depths": (n, n, n), "width": 16, "stem": "small", "shortcut": "padding", "n_classes": 10}


@dataclass(frozen=True)
class ResNetConfig(Config):
    """Stages of blocks; each stage after the first halves the side and doubles the width.

    Parameters
    ----------
    depths
        Blocks of each stage.
    bottleneck
        Three convolutions 1, 3, 1 with a middle of a quarter of the width, in place of two of side 3.
    stem
        ``imagenet``: a convolution of side 7 and a pooling, both with stride 2; ``small``: a convolution of side 3.
    shortcut
        Where a stage begins: ``projection`` (option B) or ``padding`` with zeros (option A, no parameters).
    bottleneck_stride
        Which convolution of a bottleneck halves the side: the ``first``, as published, or the ``middle`` one, as in torchvision.
    residual
        False leaves out all sums: the plain network.
    """

    depths: tuple[int, ...] = (2, 2, 2, 2)
    bottleneck: bool = False
    width: int = 64
    n_channels: int = 3
    n_classes: int = 1000
    stem: str = "imagenet"
    shortcut: str = "projection"
    bottleneck_stride: str = "middle"
    residual: bool = True

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "resnet-18": _imagenet((2, 2, 2, 2)),
        "resnet-34": _imagenet((3, 4, 6, 3)),
        "resnet-50": _imagenet((3, 4, 6, 3), bottleneck=True),
        "resnet-101": _imagenet((3, 4, 23, 3), bottleneck=True),
        "resnet-152": _imagenet((3, 8, 36, 3), bottleneck=True),
        "resnet-20": _small(3),
        "resnet-32": _small(5),
        "resnet-44": _small(7),
        "resnet-56": _small(9),
        "resnet-110": _small(18),
        "resnet-1202": _small(200),
    }

    def problems(self) -> list[tuple[str, str]]:
        empty = [("a stage without blocks.", "give at least one block for each stage")]
        return [
            *positive(width=self.width, n_channels=self.n_channels, n_classes=self.n_classes),
            *one_of("stem", self.stem, ("imagenet", "small")),
            *one_of("shortcut", self.shortcut, ("projection", "padding")),
            *one_of("bottleneck_stride", self.bottleneck_stride, ("first", "middle")),
            *(empty if not self.depths or min(self.depths) < 1 else []),
        ]

    @property
    def n_weight_layers(self) -> int:
        """Layers with weights on the longest way: the number in the published names."""
        return 2 + (3 if self.bottleneck else 2) * sum(self.depths)


class ZeroPadding(nn.Module):
    """Every other pixel, and new channels of zeros: a shortcut without parameters."""

    def __init__(self, stride: int, n_new: int) -> None:
        super().__init__()
        self.stride, self.n_new = stride, n_new

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.pad(x[:, :, :: self.stride, :: self.stride], (0, 0, 0, 0, 0, self.n_new))


class ResidualBlock(nn.Module):
    """relu(shortcut(x) + F(x)), F of convolutions with batch norm and ReLUs between them; without the sum if it is plain."""

    def __init__(self, d_in: int, d_out: int, *, stride: int, config: ResNetConfig) -> None:
        super().__init__()
        inner = d_out // 4 if config.bottleneck else d_out
        first, middle = (stride, 1) if config.bottleneck_stride == "first" else (1, stride)
        plan = (
            [(d_in, inner, 1, first), (inner, inner, 3, middle), (inner, d_out, 1, 1)]
            if config.bottleneck
            else [(d_in, inner, 3, stride), (inner, d_out, 3, 1)]
        )
        parts: list[nn.Module] = []
        for i, (a, b, side, step) in enumerate(plan):
            parts += [nn.Conv2d(a, b, side, step, side // 2, bias=False), nn.BatchNorm2d(b)]
            if i < len(plan) - 1:
                parts.append(nn.ReLU())
        self.layers = nn.Sequential(*parts)
        self.relu = nn.ReLU()
        self.shortcut: nn.Module | None = None
        if config.residual:
            self.shortcut = self._shortcut(d_in, d_out, stride, config)

    @staticmethod
    def _shortcut(d_in: int, d_out: int, stride: int, config: ResNetConfig) -> nn.Module:
        if d_in == d_out and stride == 1:
            return nn.Identity()
        if config.shortcut == "padding":
            return ZeroPadding(stride, d_out - d_in)
        return nn.Sequential(nn.Conv2d(d_in, d_out, 1, stride, bias=False), nn.BatchNorm2d(d_out))

    def forward(self, x: Tensor) -> Tensor:
        y = self.layers(x)
        out: Tensor = self.relu(y if self.shortcut is None else self.shortcut(x) + y)
        return out


class ResNet(Model[ResNetConfig]):
    """Deep residual network [he2016]_, or its plain counterpart.

    Examples
    --------
    >>> ResNet.count_parameters("resnet-50"), ResNet.count_parameters("resnet-20")
    (25557032, 269722)
    """

    Config = ResNetConfig

    def __init__(self, config: ResNetConfig) -> None:
        super().__init__(config)
        c = config
        if c.stem == "imagenet":
            stem = [nn.Conv2d(c.n_channels, c.width, 7, 2, 3, bias=False), nn.BatchNorm2d(c.width), nn.ReLU()]
            self.stem = nn.Sequential(*stem, nn.MaxPool2d(3, 2, 1))
        else:
            self.stem = nn.Sequential(nn.Conv2d(c.n_channels, c.width, 3, 1, 1, bias=False), nn.BatchNorm2d(c.width), nn.ReLU())
        blocks: list[nn.Module] = []
        d_in = c.width
        for stage, n_blocks in enumerate(c.depths):
            d_out = c.width * 2**stage * (4 if c.bottleneck else 1)
            for i in range(n_blocks):
                blocks.append(ResidualBlock(d_in, d_out, stride=2 if stage and not i else 1, config=c))
                d_in = d_out
        self.blocks = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.output = nn.Linear(d_in, c.n_classes)
        for part in self.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_out", nonlinearity="relu")

    @classmethod
    def count_multiply_adds(cls, preset: str | ResNetConfig, side: int, **changes: Any) -> int:
        """Multiplications of weights for one image of side x side pixels, counted on the module without memory.

        Examples
        --------
        >>> ResNet.count_multiply_adds("resnet-20", 32)
        40551040
        """
        config = ResNetConfig.preset(preset, **changes) if isinstance(preset, str) else preset
        total = 0

        def count(part: nn.Module, _: Any, out: Tensor) -> None:
            nonlocal total
            uses = out.shape[-2] * out.shape[-1] if isinstance(part, nn.Conv2d) else 1
            assert isinstance(part.weight, Tensor)
            total += part.weight.numel() * uses

        with torch.device("meta"), torch.no_grad():
            model = cls(config).eval()
            for part in model.modules():
                if isinstance(part, nn.Conv2d | nn.Linear):
                    part.register_forward_hook(count)
            model(torch.empty(1, config.n_channels, side, side))
        return total

    def forward(self, x: Tensor) -> Tensor:
        """Logits (B, n_classes) of images (B, n_channels, h, w)."""
        if x.dim() != 4 or x.shape[1] != self.config.n_channels:
            raise InvalidInput(
                f"images of shape {tuple(x.shape)}.", hint=f"expected (batch, {self.config.n_channels}, height, width)"
            )
        logits: Tensor = self.output(torch.flatten(self.pool(self.blocks(self.stem(x))), 1))
        return logits
