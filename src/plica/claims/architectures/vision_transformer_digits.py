r"""A Vision Transformer reads digits, and a convolutional network with half the parameters reads them better.

Claim
    A Vision Transformer learns MNIST from its 60,000 images, but for want of locality it errs more often than LeNet-5 with fewer
    parameters does after the same number of epochs.
Source
    A. Dosovitskiy et al., An Image is Worth 16x16 Words, ICLR 2021, sections 1 and 3.1, on inductive bias and small data
    [dosovitskiy2021].
Prediction
    more than 0.965 of the test images right with 139,018 parameters; less than LeNet-5 with 61,706.
Measurement
    plica.models.vision.VisionTransformer with patches of 7 x 7, and LeNet-5, trained with Adam for 5 epochs
    (plica.learn.fit)
Stand-in
    A Vision Transformer with patches of 2 x 2 learns to classify more than 70 percent of the 8 x 8 digits in 4 epochs;
    nothing is compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, row
from plica.claims.learning._images import accuracies, accuracy_row, curve_figure, images, lenet_5
from plica.data import Dataset

if TYPE_CHECKING:
    from torch import nn

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("lenet-5",)
SEED = 2021


def vision_transformer(data: Dataset, seed: int) -> nn.Module:
    """Patches of a quarter of the side."""
    from plica.models import build
    from plica.models.vision import VisionTransformer, ViTConfig

    side = data.x.shape[-1]
    if side == 28:
        return build(VisionTransformer, ViTConfig.preset("mnist"), seed=seed)
    config = ViTConfig(side=side, patch=side // 4, n_channels=1, n_classes=10, d_model=32, n_layers=2, n_heads=4, d_ff=64)
    return build(VisionTransformer, config, seed=seed)


def check(scale: str) -> Evidence:
    from plica.models.vision import VisionTransformer

    data, is_full = images(scale, channel=True), scale == "full"
    assert data.x_test is not None
    n_test, epochs, batch, rate = len(data.x_test), *((5, 64, 1e-3) if is_full else (4, 32, 6e-3))
    found = accuracies(vision_transformer, data, epochs=epochs, seeds=[SEED], batch=batch, rate=rate)
    rows = [
        row(VisionTransformer.count_parameters("mnist"), "=", 139_018, what="parameters"),
        accuracy_row(found[:, -1], ">=", 0.965 if is_full else 0.7, n_test=n_test, epochs=epochs, model="Vision Transformer"),
    ]
    curves = {"Vision Transformer": found}
    if is_full:
        curves["LeNet-5"] = accuracies(lenet_5, data, epochs=epochs, seeds=[SEED], batch=batch, rate=rate)
        better = float(curves["LeNet-5"][:, -1].mean())
        rows.append(
            accuracy_row(found[:, -1], "<", better, n_test=n_test, epochs=epochs, model="Vision Transformer, below LeNet-5")
        )
    return Evidence(rows, draw=curve_figure(curves), seed=SEED)
