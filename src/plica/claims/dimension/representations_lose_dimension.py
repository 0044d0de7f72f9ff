r"""Training lowers the dimension of representations, layer by layer.

Claim
    In a network trained to classify digits the intrinsic dimension of the representation falls from layer to layer, and
    in the last hidden layer it is less than three quarters of that of the data; in the same network before training it is not.
Source
    A. Ansuini, A. Laio, J. H. Macke, D. Zoccolan, NeurIPS 2019 [ansuini2019], whose networks first raise it; these are smaller.
Prediction
    each layer below the one before; the ratio of the last hidden layer to the data below 3/4 after training, above it before
Measurement
    plica.dimension.MLE of the activations of a 64-64-64 network, at random weights and trained on digits of 8 x 8 pixels
    (quick), and of a 784-128-128-128 network on 6000 images of MNIST (full)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, Row, row
from plica.dimension import MLE, bootstrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("manifold-dimensions",)
SEED = 2019


def check(scale: str) -> Evidence:
    from plica.learn import fit, mlp

    data, widths, epochs, n_resamples = _task(scale)
    model = mlp(widths, seed=SEED)
    before = [_dimension(h, n_resamples) for h in _layers(model, data.flat)]
    fit(model, (data.flat, data.y), epochs=epochs, batch=64, optimizer="adam", rate=5e-3, seed=SEED)
    after = [_dimension(h, n_resamples) for h in _layers(model, data.flat)]
    rows: list[Row] = []
    for layer, ((value, error), (previous, error_before)) in enumerate(zip(after[1:], after, strict=False)):
        both = float(np.hypot(error, error_before))
        rows.append(row(value, "<", previous, kind="estimated", standard_error=both, layer=layer, network="trained"))
    base = before[0][0]
    rows.append(row(before[-1][0] / base, ">", 0.75, kind="estimated", standard_error=before[-1][1] / base, network="random"))
    rows.append(row(after[-1][0] / base, "<", 0.75, kind="estimated", standard_error=after[-1][1] / base, network="trained"))
    return Evidence(rows, draw=partial(draw, before, after), seed=SEED)


def _task(scale: str) -> tuple[Any, list[int], int, int]:
    """Data, widths, epochs, resamples."""
    import plica.data

    if scale == "full":
        return plica.data.load("mnist").subset(6000, seed=SEED), [784, 128, 128, 128, 10], 20, 20
    return plica.data.load("digits").subset(1000, seed=SEED), [64, 64, 64, 10], 40, 8


def _layers(model: Any, x: np.ndarray) -> list[np.ndarray]:
    """The data and the activations of the hidden layers."""
    import torch

    h = torch.as_tensor(x, dtype=torch.float32)
    found = [np.asarray(h, dtype=float)]
    with torch.no_grad():
        for module in model:
            h = module(h)
            if isinstance(module, torch.nn.ReLU):
                found.append(h.numpy().astype(float))
    return found


def _dimension(X: np.ndarray, n_resamples: int) -> tuple[float, float]:
    found = bootstrap(MLE(), X, n_resamples=n_resamples, seed=SEED)
    return found.dimension, found.standard_error


def draw(before: list[tuple[float, float]], after: list[tuple[float, float]], ax: Axes) -> None:
    """Dimension by layer, before and after."""
    for color, name, values in ((REFERENCE, "random", before), (MEASUREMENT, "trained", after)):
        heights, errors = zip(*values, strict=True)
        ax.errorbar(range(len(values)), heights, yerr=[2 * e for e in errors], color=color, marker="o", label=name)
    ax.set_xticks(range(len(after)), ["data", *(f"layer {i}" for i in range(len(after) - 1))])
    ax.set_ylabel("estimated dimension")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
