r"""SNIP: a batch of images tells at the start which 5 percent of the weights are enough.

Claim
    LeNet-300-100, pruned at its first values to 5 percent of its weights by the size of w dL/dw, errs on 1.6 percent of MNIST's
    test images; networks pruned at random to as few do worse.
Source
    N. Lee, T. Ajanthan, P. H. S. Torr, SNIP: Single-shot Network Pruning Based on Connection Sensitivity, ICLR 2019 [lee2019b],
    Table 1; the number from memory.
Prediction
    an error of 1.6 percent, within the standard errors of test set and seeds
Measurement
    plica.sparse.prune with one batch of 1,000 images, then the paper's recipe, SGD with momentum, a rate of 0.1 and decay
    (plica.sparse.Protocol), for 60 epochs, masks kept (plica.sparse.kept)
Stand-in
    A 64-100-30-10 network on the 8 x 8 digits with 3 percent of its weights: SNIP's errs less often than one pruned at random.
Remark
    With Adam for 16 epochs, without decay, it was 2.4 percent (one seed): too short, and the few weights fit the training images.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.claims.optimization._chains import mean_and_error
from plica.claims.sparsity._lenet import digits, lenet, trained, wrong_images

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("tanaka-2020-synflow", "frankle-2019-tickets")
SEED = 2018
PRINTED = 0.016


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    share = 0.05 if is_full else 0.03
    found = {m: training(scale, m, share, SEED, short=is_full and m == "random") for m in ("snip", "random")}
    wrong = {name: run[0] for name, run in found.items()}
    mean, error = mean_and_error(wrong["random"] - wrong["snip"])
    rows = [row(mean, ">", 0.0, kind="estimated", standard_error=error, density=share, what="error of random minus SNIP's")]
    if is_full:
        mean, error = mean_and_error(wrong["snip"])
        rows.insert(0, row(mean, "=", PRINTED, kind="estimated", standard_error=error, density=share, what="error of SNIP"))
    return Evidence(rows, draw=partial(draw, {name: run[1] for name, run in found.items()}, is_full), seed=SEED)


def training(scale: str, method: str, share: float, seed: int, *, short: bool) -> tuple[Any, list[float]]:
    """Prune at the start, then train; random masks need no long training to be worse."""
    import torch

    from plica.sparse import Protocol, kept, prune

    data, is_full = digits(scale), scale == "full"
    assert data.y is not None
    model = lenet(scale, seed)
    rows = np.random.default_rng(seed).permutation(len(data.x))[:1000]
    masks = prune(model, method, share, data=(torch.as_tensor(data.x[rows]), torch.as_tensor(data.y[rows])), seed=seed)
    with kept(model, masks):
        if not is_full:
            return trained(model, data, epochs=10, batch=64, rate=5e-3, seed=seed)
        found = Protocol(epochs=3 if short else 60).fit(model, data, seed=seed)
        return wrong_images(model, data), [float(a) for a in found.history["test_accuracy"] if a is not None]


def draw(curves: dict[str, list[float]], is_full: bool, ax: Axes) -> None:
    """Error against epochs."""
    for color, (name, curve) in zip(SERIES, curves.items(), strict=False):
        epochs = np.arange(1, len(curve))
        ax.plot(epochs, 1 - np.array(curve[1:]), color=color, label={"snip": "SNIP", "random": "random"}[name])
    if is_full:
        ax.axhline(PRINTED, color=PREDICTION, linewidth=0.8, linestyle=":", label="printed")
    ax.set(yscale="log", xlabel="epochs", ylabel="error on test images")
    ax.legend(frameon=False)
