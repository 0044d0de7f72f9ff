r"""Positions of a Vision Transformer learn that images are flat.

Claim
    The learned positions of a Vision Transformer, which carry no information about the plane at first, are after training
    more alike the nearer their patches are: the plane is learned from nothing.
Source
    A. Dosovitskiy et al., ICLR 2021, section 4.5 and Figure 7 (center) [dosovitskiy2021]; quoted in lecture 4
    [oxford-lecture-4].
Prediction
    a correlation of less than -0.3 between the similarity of two rows and the distance of their patches; 0 at the start
Measurement
    cosines of rows of plica.models.vision.VisionTransformer's positions and distances of their patches, over all pairs,
    before and after training, over seeds
Stand-in
    The model learns where a spot is in an image of 12 x 12 pixels, in place of ImageNet's classes; at full scale, 24 x 24
    pixels in 64 patches, more steps and seeds. On 8 x 8 digits, a few epochs of classes taught its positions nothing that
    could be measured.
Remark
    The task was exchanged after seeing that classes of digits teach nothing in this time, and steps and rate of the quick check
    were adjusted after first runs of it. The settings of the full scale stood before it was first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from plica._palette import MAGNITUDES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.architectures.dosovitskiy_2021_locality import correlation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.models.vision import VisionTransformer

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("dosovitskiy-2021-locality", "vision-transformer-digits")
SEED, PATCH = 7, 3


def spots(side: int, seed: int, step: int) -> tuple[Tensor, Tensor]:
    """Images with one spot each, and where it is, from -1/2 to 1/2."""
    generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
    where = torch.rand(32, 2, generator=generator) * (side - 1)
    line = torch.arange(side).float()
    away = (line[None, :, None] - where[:, 0, None, None]) ** 2 + (line[None, None, :] - where[:, 1, None, None]) ** 2
    return torch.exp(-away / 4)[:, None], where / (side - 1) - 0.5


def trained(side: int, seed: int, n_steps: int) -> tuple[VisionTransformer, float, float]:
    """The model, the correlation before training, and the mean squared error afterwards over that of guessing the middle."""
    from plica.learn.tasks import Recipe, train
    from plica.models import build
    from plica.models.vision import VisionTransformer, ViTConfig

    config = ViTConfig(side=side, patch=PATCH, n_channels=1, n_classes=2, d_model=16, n_layers=1, n_heads=2, d_ff=32)
    model = build(VisionTransformer, config, seed=seed)
    before = correlation(model.position[0, 1:])

    def objective(model: nn.Module, drawn: tuple[Tensor, Tensor]) -> Tensor:
        return ((model(drawn[0]) - drawn[1]) ** 2).mean()

    train(model, lambda step: spots(side, seed, step), objective, Recipe(n_steps, rate=1e-2, n_warmup=10, seed=seed))
    images, where = spots(side, seed, 10**6)
    with torch.no_grad():
        error = float(objective(model, (images, where)) / (where**2).mean())
    return model, before, error


def check(scale: str) -> Evidence:
    side, n_steps, seeds = (24, 500, range(SEED, SEED + 5)) if scale == "full" else (12, 60, range(SEED, SEED + 2))
    runs = [trained(side, seed, n_steps) for seed in seeds]
    after = np.array([correlation(model.position[0, 1:]) for model, _, _ in runs])
    pairs = ((side // PATCH) ** 2) * ((side // PATCH) ** 2 - 1) / 2
    error = float(max(after.std(ddof=1), pairs**-0.5) / len(after) ** 0.5)
    at_start = float(np.mean([before for _, before, _ in runs]))
    estimate: dict[str, Any] = {"kind": "estimated", "what": "similarity of positions with distance"}
    rows = [
        row(float(after.mean()), "<", -0.3, standard_error=error, when="after training", **estimate),
        control(abs(at_start), "<", 0.3, standard_error=(pairs * len(after)) ** -0.5 / 2, when="before", **estimate),
        control(runs[0][2], "<", 0.8, kind="estimated", standard_error=0.01, what="error over that of guessing the middle"),
    ]
    return Evidence(rows, draw=partial(draw, similarities(runs[0][0].position[0, 1:])), seed=SEED)


def similarities(positions: Tensor) -> Array:
    """For each patch a small map of how alike its row is to those of all patches, in one picture."""
    rows = nn.functional.normalize(positions.detach(), dim=1)
    k = round(len(rows) ** 0.5)
    maps = (rows @ rows.T).view(k, k, k, k)
    framed = torch.full((k, k, k + 1, k + 1), torch.nan)
    framed[:, :, :k, :k] = maps
    return np.asarray(framed.transpose(1, 2).reshape(k * (k + 1), k * (k + 1)).numpy())


def draw(picture: Array, ax: Axes) -> None:
    """One small map for each patch: bright where positions are alike, which is near the patch itself."""
    ax.imshow(picture, cmap=MAGNITUDES, vmin=-1, vmax=1)
    ax.set_axis_off()
