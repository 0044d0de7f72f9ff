r"""SNIP: a batch of images tells at the start which 5 percent of the weights are enough.

Claim
    LeNet-300-100, pruned at its first values to 5 percent of its weights by the size of w dL/dw, errs on 1.6 percent of MNIST's
    test images; networks pruned at random to as few do worse.
Source
    N. Lee, T. Ajanthan, P. H. S. Torr, SNIP: Single-shot Network Pruning Based on Connection Sensitivity, ICLR 2019 [lee2019b],
    Table 1. Images with mean 0 and variance 1 and weights of variance 1 / fan-in as in the authors' code.
Prediction
    an error of 1.6 percent, within the standard errors of test set and seeds; less than at random
Measurement
    plica.sparse.prune with one batch of 100 images, then SGD with momentum 0.9, batches of 100, a rate of 0.1 and a decay of
    0.0005 as published, for 20,000 steps in which the rate falls as a cosine (plica.sparse.fit_kept); two seeds. Published are
    250,000 steps, in which the rate falls by 10 every 25,000. Masks at random, 3,000 steps
Stand-in
    A 64-100-30-10 network on the 8 x 8 digits with 3 percent of its weights: SNIP's errs less often than one pruned at random.
Remark
    Tried before, one seed each: images between 0 and 1 left 2.24 percent after 36,000 steps in six stairs; with mean 0 and
    variance 1 it was 2.08 after 24,000 steps in three stairs; along a cosine 1.87 after 24,000 and 1.93 after 36,000 steps, with
    1,000 images for the scores 1.78 and 2.08, with twice the decay 2.07. So seeds differ by a tenth of a point, and the mean of
    these trainings, 1.9, is above the published number, if not beyond doubt. With Adam for 16 epochs, without decay, it had been
    2.4 percent. Biases are not pruned here; the authors prune them too, and draw new weights after pruning.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.claims.optimization._chains import mean_and_error
from plica.claims.sparsity._lenet import digits, lenet, trained, wrong_images

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.data import Dataset

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("tanaka-2020-synflow", "frankle-2019-tickets")
SEED = 2018
PRINTED = 0.016
N_SEEDS = 2


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    share = 0.05 if is_full else 0.03
    seeds = range(SEED, SEED + (N_SEEDS if is_full else 1))
    found = {method: [training(scale, method, share, seed) for seed in seeds] for method in ("snip", "random")}
    wrong = {name: np.mean([run[0] for run in runs], axis=0) for name, runs in found.items()}
    mean, error = mean_and_error(wrong["random"] - wrong["snip"])
    rows = [row(mean, ">", 0.0, kind="estimated", standard_error=error, density=share, what="error of random minus SNIP's")]
    if is_full:
        mean, of_images = mean_and_error(wrong["snip"])
        of_seeds = mean_and_error(np.array([run[0].mean() for run in found["snip"]]))[1]
        error = float(np.hypot(of_images, of_seeds))
        rows.insert(0, row(mean, "=", PRINTED, kind="estimated", standard_error=error, density=share, what="error of SNIP"))
    curves = {name: [run[1] for run in runs] for name, runs in found.items()}
    return Evidence(rows, draw=partial(draw, curves, is_full), seed=SEED)


def training(scale: str, method: str, share: float, seed: int) -> tuple[Any, list[tuple[int, float]]]:
    """Prune at the start, then train: which test images are wrong, and the error along the way."""
    import torch

    from plica.learn import SGD
    from plica.sparse import fit_kept, kept, prune

    is_full = scale == "full"
    data = standardized(digits(scale)) if is_full else digits(scale)
    assert data.y is not None
    model = lenet(scale, seed)
    if is_full:
        rescale(model)
    rows = np.random.default_rng(seed).permutation(len(data.x))[: 100 if is_full else 1000]
    masks = prune(model, method, share, data=(torch.as_tensor(data.x[rows]), torch.as_tensor(data.y[rows])), seed=seed)
    if not is_full:
        with kept(model, masks):
            wrong, right = trained(model, data, epochs=10, batch=64, rate=5e-3, seed=seed)
        return wrong, [(i, 1 - a) for i, a in enumerate(right) if i]
    steps = 20_000 if method == "snip" else 3_000  # masks at random need no long training to be worse
    optimizer = SGD(momentum=0.9, weight_decay=5e-4)
    how: dict[str, Any] = {"batch": 100, "optimizer": optimizer, "rate": 0.1, "schedule": "cosine", "seed": seed}
    found = fit_kept(model, masks, data, steps=steps, **how)
    curve = list(zip(*found.history.curve("test_accuracy"), strict=True))
    return wrong_images(model, data), [(int(step), 1 - right) for step, right in curve if step]


def standardized(data: Dataset) -> Dataset:
    """Mean 0 and variance 1 over all pixels of all training images."""
    assert data.x_test is not None
    mean, deviation = data.x.mean(), data.x.std()
    return replace(data, x=(data.x - mean) / deviation, x_test=(data.x_test - mean) / deviation)


def rescale(model: Any) -> None:
    """From Glorot's variance 2 / (fan-in + fan-out) to 1 / fan-in."""
    import torch

    with torch.no_grad():
        for weight in (p for p in model.parameters() if p.dim() == 2):
            weight.mul_(((weight.shape[0] + weight.shape[1]) / (2 * weight.shape[1])) ** 0.5)


def draw(curves: dict[str, list[list[tuple[int, float]]]], is_full: bool, ax: Axes) -> None:
    """Error along the training, one line for each seed."""
    for color, (name, runs) in zip(SERIES, curves.items(), strict=False):
        for i, curve in enumerate(runs):
            label = {"snip": "SNIP", "random": "random"}[name] if i == 0 else None
            ax.plot(*zip(*curve, strict=True), color=color, label=label)
    if is_full:
        ax.axhline(PRINTED, color=PREDICTION, linewidth=0.8, linestyle=":", label="printed")
    ax.set(yscale="log", xlabel="steps" if is_full else "epochs", ylabel="error on test images")
    ax.legend(frameon=False)
