"""From data to latent variables and back: fully connected or convolutional, piecewise linear, or linear altogether."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod

from torch import nn

from plica.models._config import one_of

STYLES = ("dense", "transposed", "upsampled")


def problems_of_shape(shape: Sequence[int], style: str, widths: Sequence[int]) -> list[tuple[str, str]]:
    """What is wrong with a choice of encoder and decoder."""
    found = one_of("style", style, STYLES)
    if not shape or min(shape) < 1:
        found.append((f"shape is {tuple(shape)}.", "give sizes of one point, as (64,) or (1, 28, 28)"))
    elif style != "dense" and (len(shape) != 3 or any(n % 4 for n in shape[1:]) or len(widths) != 2):
        hint = "images (channels, height, width) whose sides 4 divides, and two widths: channels of the two grids"
        found.append((f"convolutions for shape {tuple(shape)} and widths {tuple(widths)}.", hint))
    return found


def encoder(shape: Sequence[int], widths: Sequence[int], n_out: int, *, style: str = "dense") -> nn.Sequential:
    """From a point to ``n_out`` numbers. Without widths it is one linear layer; convolutions halve the grid twice.

    Examples
    --------
    >>> import torch
    >>> encoder((1, 28, 28), (8, 16), 3, style="transposed")(torch.zeros(5, 1, 28, 28)).shape
    torch.Size([5, 3])
    """
    if style == "dense":
        return nn.Sequential(nn.Flatten(), *_dense([prod(shape), *widths, n_out]))
    channels, height, width = shape
    first, second = widths
    return nn.Sequential(
        nn.Conv2d(channels, first, 4, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(first, second, 4, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(second * (height // 4) * (width // 4), n_out),
    )


def decoder(shape: Sequence[int], widths: Sequence[int], n_latent: int, *, style: str = "dense") -> nn.Sequential:
    """From latent variables to a point, the encoder turned around.

    ``transposed`` doubles the grid by transposed convolutions of four by four, whose steps divide their size; ``upsampled`` by
    repeating pixels before convolutions of three by three.

    Examples
    --------
    Every style is piecewise linear:

    >>> import plica, torch
    >>> model = decoder((1, 8, 8), (4, 8), 2, style="upsampled").eval()
    >>> plica.from_torch(model, example_input=torch.zeros(1, 2)).n_outputs
    64
    """
    if style == "dense":
        return nn.Sequential(*_dense([n_latent, *reversed(widths), prod(shape)]), nn.Unflatten(1, tuple(shape)))
    channels, height, width = shape
    first, second = widths
    grid = (second, height // 4, width // 4)
    start = [nn.Linear(n_latent, prod(grid)), nn.ReLU(), nn.Unflatten(1, grid)]
    return nn.Sequential(*start, *_doubled(second, first, style), nn.ReLU(), *_doubled(first, channels, style))


def _doubled(n_in: int, n_out: int, style: str) -> list[nn.Module]:
    if style == "transposed":
        return [nn.ConvTranspose2d(n_in, n_out, 4, stride=2, padding=1)]
    return [nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2d(n_in, n_out, 3, padding=1)]


def _dense(widths: Sequence[int]) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(widths):
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
    return layers[:-1]
