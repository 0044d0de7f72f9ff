r"""Deconvolution shows the same picture for every image.

Claim
    In a network without pooling, what deconvolution passes back to the image does not depend on the image. The gradient does:
    its product with the image and the constant of the cell add up to the output.
Source
    The rule is that of M. Zeiler, R. Fergus [zeiler2014]; that it forgets the image but for pooling is shown by W. Nie, Y. Zhang,
    A. Patel, ICML 2018 [nie2018].
Prediction
    0 for the difference of two pictures, the output for gradient times image plus constant; with max-pooling the pictures differ
Measurement
    a random convolutional network with and without pooling: plica.measure.saliency at digits; the constant of a cell is what the
    biases alone give through the units that are active
Remark
    Guided gradients depend on the image through the states of the units, and are the row of no cell.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import diverging_colormap
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.measure import saliency

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEED = 2014


def network(seed: int, *, pooled: bool) -> Any:
    """Two convolutions on 8 x 8 images, perhaps with pooling between them, and ten outputs."""
    import torch
    from torch import nn

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        parts: list[nn.Module] = [nn.Conv2d(1, 6, 3), nn.ReLU()]
        parts += [nn.MaxPool2d(2)] if pooled else []
        parts += [nn.Conv2d(6, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(6 if pooled else 96, 10)]
        return nn.Sequential(*parts).double()


def check(scale: str) -> Evidence:
    digits = plica.data.load("digits").x.astype(float)
    n = 50 if scale == "full" else 6
    rows = []
    for seed in range(SEED, SEED + (4 if scale == "full" else 1)):
        plain, pooled = network(seed, pooled=False), network(seed, pooled=True)
        images = digits[:n, None]
        shown = [saliency(plain, image, method="deconvolution") for image in images]
        apart = max(float(np.abs(a - shown[0]).max()) for a in shown)
        rows.append(row(apart, "=", 0.0, what="deconvolution, largest difference of two pictures", seed=seed))
        others = [saliency(pooled, image, method="deconvolution") for image in images]
        differ = max(float(np.abs(a - others[0]).max()) for a in others)
        rows.append(control(differ, ">", 1e-3, what="the same with max-pooling", seed=seed))
        for method in ("gradient", "guided"):
            pictures = [saliency(plain, image, method=method) for image in images]
            pairs = zip(images, pictures, strict=True)
            off = max(abs(_sum(plain, image, picture) - _output(plain, image)) for image, picture in pairs)
            if method == "gradient":
                rows.append(row(off, "<=", 1e-12, what="gradient: image and constant against the output", seed=seed))
            else:
                rows.append(control(off, ">", 1e-3, what="guided gradient: the same", seed=seed))
    methods = ("gradient", "guided", "deconvolution")
    grid = [[saliency(plain, image, method=method)[0] for method in methods] for image in images[:2]]
    return Evidence(rows, draw=partial(draw, [image[0] for image in images[:2]], grid), seed=SEED)


def _output(model: Any, image: Array) -> float:
    import torch

    with torch.no_grad():
        return float(model(torch.from_numpy(image)[None])[0, 0])


def _sum(model: Any, image: Array, picture: Array) -> float:
    """Picture times image, and the constant of the image's cell: what the biases alone give through the active units."""
    import torch

    with torch.no_grad():
        x, constant = torch.from_numpy(image)[None], torch.zeros(1, *image.shape).double()
        for part in model:
            before = x
            x = part(x)
            constant = constant * (before > 0) if isinstance(part, torch.nn.ReLU) else part(constant)
    return float((picture * image).sum()) + float(constant[0, 0])


def draw(images: list[Array], grid: list[list[Array]], ax: Axes) -> None:
    """Two images and three pictures of each."""
    lines = []
    for image, pictures in zip(images, grid, strict=True):
        parts = [image / np.abs(image).max(), *(p / np.abs(p).max() for p in pictures)]
        lines.append([np.pad(part, 1, constant_values=0.0) for part in parts])
    ax.imshow(np.block(lines), cmap=diverging_colormap(), vmin=-1, vmax=1)
    ax.set_xticks([4.5, 14.5, 24.5, 34.5], ["image", "gradient", "guided", "deconvolution"])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
