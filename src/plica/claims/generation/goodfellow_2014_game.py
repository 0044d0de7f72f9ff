r"""The best discriminator, and the value of the game.

Claim
    Against densities p of data and q of what is made, the best discriminator is p / (p + q), the game's value is then twice the
    Jensen-Shannon divergence minus log 4, and it is least, -log 4, where p = q.
Source
    I. Goodfellow et al., Generative Adversarial Nets, NeurIPS 2014, Proposition 1 and Theorem 1 [goodfellow2014].
Prediction
    plica.theory.generative.optimal_discriminator, plica.theory.generative.jensen_shannon; for Gaussians of variance 1 at 0 and m
    the best logit is m^2/2 - m x
Measurement
    a discriminator with one linear layer, trained by plica.learn.fit on the game's value, which is summed over a fine grid
"""

from __future__ import annotations

from functools import partial
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.theory.generative import jensen_shannon, mixture_density, optimal_discriminator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import Tensor

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
STEP = 0.02


def check(scale: str) -> Evidence:
    import torch
    from torch import nn
    from torch.nn.functional import softplus

    from plica.learn import fit

    x = np.arange(-8, 11, STEP)
    grid = torch.from_numpy(x[:, None])
    rows = []
    pictures = []
    for m in (0.0, 1.0, 2.0) if scale == "quick" else (0.0, 0.5, 1.0, 1.5, 2.0, 3.0):
        p, q = (mixture_density(x, np.array([center]), 1.0) for center in (0.0, m))
        weights = [torch.from_numpy(density * STEP) for density in (p, q)]

        def value(model: Any, batch: Any, weights: list[Tensor] = weights) -> Tensor:
            """Minus the value of the game for the discriminator."""
            logit = model(batch[0])[:, 0]
            total: Tensor = (weights[0] * softplus(-logit)).sum() + (weights[1] * softplus(logit)).sum()
            return total

        model = nn.Linear(1, 1).double()
        with torch.no_grad():
            model.weight.fill_(0.5)
            model.bias.fill_(-0.5)
        fit(model, lambda step: (grid,), steps=400, objective=value, optimizer="nesterov", rate=0.3)
        slope, constant = float(model.weight.detach()), float(model.bias.detach())
        if m:
            rows.append(row(slope, "=", -m, tolerance=1e-4, what="slope of the logit", m=m))
            rows.append(row(constant, "=", m * m / 2, tolerance=1e-4, what="constant of the logit", m=m))
        reached = -float(value(model, (grid,)).detach())
        best = 2 * jensen_shannon(p, q, STEP) - log(4)
        rows.append(row(reached, "=", best, tolerance=1e-7, what="value of the game", m=m))
        told, wanted = 1 / (1 + np.exp(-(slope * x + constant))), optimal_discriminator(p, q)
        for i in np.searchsorted(x, (-1.0, m, m + 1)).tolist():
            at: dict[str, Any] = {"m": m, "x": round(float(x[i]), 2)}
            rows.append(row(float(told[i]), "=", float(wanted[i]), tolerance=1e-4, what="probability of being data", **at))
        pictures.append((m, x, told, wanted))
        if m == 0:
            rows.append(row(reached, "=", -log(4), tolerance=1e-9, what="value where p = q", m=m))
            rows.append(row(abs(slope) + abs(constant), "<=", 1e-6, what="the logit where p = q", m=m))
    return Evidence(rows, draw=partial(draw, pictures))


def draw(pictures: list[tuple[float, Array, Array, Array]], ax: Axes) -> None:
    """Trained and best discriminators."""
    for color, (m, x, told, best) in zip(SERIES, pictures, strict=False):
        ax.plot(x, best, color=color, linewidth=3, alpha=0.3)
        ax.plot(x, told, "--", color=color, linewidth=1, label=f"made at {m:g}")
    ax.plot([], [], color=PREDICTION, linewidth=3, alpha=0.3, label="best")
    ax.plot([], [], "--", color=MEASUREMENT, label="trained")
    ax.set(xlabel="x", ylabel="probability of being data", xlim=(-5, 6))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
