"""Images that flow: every pixel is read a little beside its place (C. Xiao et al., ICLR 2018), as smoothly as may be."""

from __future__ import annotations

import torch
from torch import Tensor

from plica.errors import InvalidInput
from plica.robust.attacks._scores import Model, check, margins


def flowed(images: Tensor, flow: Tensor) -> Tensor:
    """Images (batch, channels, height, width) whose pixel (i, j) is read at (i + rows, j + columns), bilinear, zeros outside.

    ``flow`` (batch, 2, height, width) holds rows and columns in pixels.

    Examples
    --------
    >>> flow = torch.zeros(1, 2, 1, 3)
    >>> flow[:, 1] = 0.25
    >>> flowed(torch.tensor([[[[0.0, 1.0, 0.0]]]]), flow).tolist()
    [[[[0.25, 0.75, 0.0]]]]
    """
    if images.ndim != 4 or flow.shape != (len(images), 2, *images.shape[-2:]):
        raise InvalidInput(f"images of shape {tuple(images.shape)} and a flow of shape {tuple(flow.shape)} do not fit.")
    height, width = images.shape[-2:]
    rows = torch.arange(height, dtype=images.dtype)[:, None] + flow[:, 0]
    columns = torch.arange(width, dtype=images.dtype) + flow[:, 1]
    grid = torch.stack([(2 * columns + 1) / width - 1, (2 * rows + 1) / height - 1], dim=-1)
    return torch.nn.functional.grid_sample(images, grid, align_corners=False)


def roughness(flow: Tensor) -> Tensor:
    """For each flow the sum over neighboring pixels of the distance between their shifts: 0 for a translation."""
    total = torch.zeros(len(flow), dtype=flow.dtype)
    for axis in (2, 3):
        total = total + (flow.diff(dim=axis).square().sum(1) + 1e-12).sqrt().flatten(1).sum(1)
    return total


def flow_attack(
    model: Model,
    images: Tensor,
    labels: Tensor,
    *,
    pixels: float = 1.0,
    smoothness: float = 0.01,
    n_steps: int = 60,
    rate: float = 0.1,
) -> tuple[Tensor, Tensor]:
    """Flows of at most ``pixels`` in each direction that change the class, and the images that they make.

    Adam on the margin plus ``smoothness`` times the roughness; of all steps the smoothest flow that changes the class is kept, or
    the one with the least margin where none does. Returns the images and the flows.
    """
    check(images, labels)
    if images.ndim != 4 or not pixels >= 0:
        raise InvalidInput("expected images (batch, channels, height, width) and pixels >= 0.")
    flow = torch.zeros(len(images), 2, *images.shape[-2:], dtype=images.dtype, requires_grad=True)
    optimizer = torch.optim.Adam([flow], lr=rate)
    best, least = flow.detach().clone(), torch.full((len(images),), torch.inf, dtype=images.dtype)
    for _ in range(n_steps + 1):
        margin, rough = margins(model(flowed(images, flow)), labels), roughness(flow)
        # any flow that fools is better than one that does not: margins are put above all roughness
        top = 4.0 * pixels * flow[0].numel() + 1.0
        score = torch.where(margin <= 0, rough, top + margin).detach()
        better = score < least
        best[better], least[better] = flow.detach()[better], score[better]
        optimizer.zero_grad()
        (margin.clamp(min=-0.1) + smoothness * rough).sum().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        with torch.no_grad():
            flow.clamp_(-pixels, pixels)
    return flowed(images, best), best
