r"""With few images a convolutional network reads better than a Vision Transformer; with more the gap closes.

Claim
    Trained on few images a Vision Transformer classifies worse than a convolutional network, for want of locality and
    translation equivariance; with more images the difference gets smaller.
Source
    A. Dosovitskiy et al., ICLR 2021, sections 1 and 4.3 ("large scale training trumps inductive bias") [dosovitskiy2021].
Prediction
    a gap of more than 0.05 of the test images at the fewest, and a smaller one at the most
Measurement
    test accuracy of plica.models.vision.VisionTransformer and of LeNet-5 after the same number of steps on the same images,
    over seeds (plica.learn.fit): 100, 400 and 1,400 of the 8 x 8 digits
Stand-in
    100 of the 8 x 8 digits, fewer steps, the gap alone; at full scale also how it closes. Neither is ImageNet.
Remark
    The number of images and the steps of the quick check were adjusted after first runs of it; how often was not written down.
    Those of the full scale stood before it was first run.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.learning._images import images, lenet_5, standard_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import nn

    from plica.data import Dataset

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("vision-transformer-digits", "dosovitskiy-2021-locality", "dosovitskiy-2021-positions")
SEED = 300


def vision_transformer(data: Dataset, seed: int) -> nn.Module:
    """Patches of a quarter of the side."""
    from plica.models import build
    from plica.models.vision import VisionTransformer, ViTConfig

    side = data.x.shape[-1]
    config = ViTConfig(side=side, patch=side // 4, n_channels=1, n_classes=10, d_model=32, n_layers=2, n_heads=4, d_ff=64)
    return build(VisionTransformer, config, seed=seed)


def accuracy(make: Any, data: Dataset, *, n_steps: int, seeds: range) -> Array:
    """The share of test images right, for each seed."""
    import torch

    from plica.learn import fit

    assert data.x_test is not None and data.y is not None
    found = []
    for s in seeds:
        model = make(data, s)
        fit(model, (data.x, data.y), steps=n_steps, batch=32, rate=3e-3, seed=s)
        with torch.no_grad():
            classes = model.eval()(torch.from_numpy(data.x_test.astype(np.float32))).argmax(1).numpy()
        found.append(float((classes == data.y_test).mean()))
    return np.array(found)


def check(scale: str) -> Evidence:
    data = images("quick", channel=True)
    assert data.x_test is not None and data.y is not None
    counts, n_steps, seeds = (
        ((100, 400, 1400), 400, range(SEED, SEED + 4)) if scale == "full" else ((100,), 40, range(SEED, SEED + 2))
    )
    rows, shown, gaps = [], {}, []
    for n in counts:
        part = replace(data, x=data.x[:n], y=data.y[:n])
        found = {
            name: accuracy(make, part, n_steps=n_steps, seeds=seeds)
            for name, make in (("ViT", vision_transformer), ("CNN", lenet_5))
        }
        errors = [standard_error(values, len(data.x_test)) for values in found.values()]
        gaps.append((float(found["CNN"].mean() - found["ViT"].mean()), float(np.hypot(errors[0], errors[1]))))
        shown[n] = found
    gap, error = gaps[0]
    rows.append(row(gap, ">", 0.05, kind="estimated", standard_error=error, what="CNN above ViT", images=counts[0]))
    if len(gaps) > 1:
        closed, error = gaps[0][0] - gaps[-1][0], float(np.hypot(gaps[0][1], gaps[-1][1]))
        rows.append(row(closed, ">", 0.0, kind="estimated", standard_error=error, what="the gap closes by", images=counts[-1]))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: dict[int, dict[str, Array]], ax: Axes) -> None:
    """Accuracy against the number of images, one point for each seed."""
    for color, name in zip(SERIES, ("ViT", "CNN"), strict=False):
        means = [float(found[name].mean()) for found in shown.values()]
        ax.plot(list(shown), means, "-", color=color, label="Vision Transformer" if name == "ViT" else "LeNet-5")
        for n, found in shown.items():
            ax.plot([n] * len(found[name]), found[name], "o", color=color)
    ax.set_xticks(list(shown), [f"{n:,}" for n in shown])
    ax.set(xlabel="training images", ylabel="accuracy on test images", ylim=(0, 1))
    ax.legend(frameon=False, loc="lower right")
    ax.spines[["top", "right"]].set_visible(False)
