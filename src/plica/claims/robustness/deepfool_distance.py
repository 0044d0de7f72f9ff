r"""How far does DeepFool go beyond the nearest other class?

Claim
    On a trained classifier of handwritten digits DeepFool without overshoot is never nearer than the distance to the nearest
    other class, and seldom far from it: the mean of their quotients is below 1.2, and some are not 1.
Source
    Asked here, after S. Moosavi-Dezfooli, A. Fawzi, P. Frossard, CVPR 2016 [moosavi2016], who call the perturbations minimal and
    compare with other attacks only.
Prediction
    quotients from 1 on, with a mean below 1.2 and a largest one above 1.001
Measurement
    plica.robust.attacks.deepfool over plica.robust.class_distance, in l2, for inputs that the classifier did not see; both bounds
    of the distance are proved
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from plica import from_torch
from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.claims.robustness._digits import trained
from plica.robust import class_distance
from plica.robust.attacks import deepfool, margins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "certified"
SEE = ("certificates-and-attacks",)
SEED = 1511


def check(scale: str) -> Evidence:
    import torch

    n = 100 if scale == "full" else 8
    model, points, labels = trained(32 if scale == "full" else 16, SEED)
    network = from_torch(model)
    x, y = torch.as_tensor(points[:n]), torch.as_tensor(labels[:n])
    fooled = deepfool(model, x, y, overshoot=0.0)
    reached = (margins(model(fooled), y) <= 0).tolist()
    far = (fooled - x).norm(dim=1).tolist()
    rows, quotients = [], []
    for k in range(n):
        true = class_distance(network, points[k], norm="l2", tolerance=1e-4, timeout_s=60)
        rows.append(control(true.lower, "<=", true.upper, kind="certified", input=k, what="proved and attained distance"))
        if reached[k]:
            rows.append(row(far[k], ">=", true.lower, kind="certified", input=k, what="DeepFool against the distance"))
            quotients.append(far[k] / true.upper)
    rows.append(row(float(np.mean(quotients)), "<", 1.2, kind="certified", n=len(quotients), what="mean quotient"))
    rows.append(row(float(np.max(quotients)), ">", 1.001, kind="certified", n=len(quotients), what="largest quotient"))
    return Evidence(rows, draw=partial(draw, quotients), seed=SEED)


def draw(quotients: list[float], ax: Axes) -> None:
    """The quotients in order."""
    ax.axhline(1.0, color=PREDICTION, linewidth=1)
    ax.plot(np.linspace(0, 1, len(quotients)), sorted(quotients), "o-", color=MEASUREMENT, markersize=4, linewidth=1)
    ax.set(xlabel="share of the inputs", ylabel="DeepFool / distance")
    ax.spines[["top", "right"]].set_visible(False)
