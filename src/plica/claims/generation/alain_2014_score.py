r"""What a denoising autoencoder learns is the score.

Claim
    The denoiser r with the least squared error under Gaussian noise of variance s^2 has r(x) - x = s^2 times the derivative of
    the logarithm of the density of the noisy data.
Source
    G. Alain, Y. Bengio, What Regularized Auto-Encoders Learn from the Data-Generating Distribution, JMLR 15 (2014), Theorem 1
    [alain2014]; without a limit of small noise it is Tweedie's formula.
Prediction
    plica.theory.generative.mixture_score of the noisy density
Measurement
    a mixture of two Gaussians: the posterior mean by summing over a fine grid of clean points; a ReLU network trained to
    denoise (plica.learn.fit with plica.learn.denoising), its residual weighted by the density
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.theory.generative import mixture_density, mixture_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEED = 2014
MEANS, WIDTH, NOISE = np.array([-1.0, 1.5]), 0.3, 0.4


def check(scale: str) -> Evidence:
    import torch

    from plica.learn import denoising, fit, mlp

    total = sqrt(WIDTH**2 + NOISE**2)
    clean = np.linspace(-5, 5.5, 4001)
    prior = sum(np.exp(-0.5 * ((clean - m) / WIDTH) ** 2) for m in MEANS)
    rows = []
    for x in (-2.0, -1.3, 0.0, 0.2, 0.5, 2.2):
        weight = prior * np.exp(-0.5 * ((x - clean) / NOISE) ** 2)
        residual = float((weight * clean).sum() / weight.sum()) - x
        score = float(mixture_score(np.array(x), MEANS, total))
        rows.append(row(residual / NOISE**2, "=", score, tolerance=1e-9, x=x, what="residual of the posterior mean"))

    def batch(step: int) -> tuple[torch.Tensor]:
        rng = np.random.default_rng((SEED, step))
        points = rng.choice(MEANS, 1024) + WIDTH * rng.normal(size=1024)
        return (torch.from_numpy(points[:, None].astype(np.float32)),)

    model = mlp([1, 24, 24, 1], seed=SEED)
    steps = 4000 if scale == "full" else 500
    fit(model, batch, steps=steps, objective=denoising(NOISE), rate=0.01, schedule="cosine", seed=SEED)
    x_grid = np.linspace(-2.5, 3.0, 400)
    with torch.no_grad():
        out = model(torch.from_numpy(x_grid[:, None].astype(np.float32)))[:, 0].double().numpy()
    learned, score_grid, density = (
        (out - x_grid) / NOISE**2,
        mixture_score(x_grid, MEANS, total),
        mixture_density(x_grid, MEANS, total),
    )
    off = sqrt(float((density * (learned - score_grid) ** 2).sum() / (density * score_grid**2).sum()))
    most = 0.03 if scale == "full" else 0.1
    rows.append(row(off, "<=", most, what="a trained network: distance from the score, relative"))
    clean_score = mixture_score(x_grid, MEANS, WIDTH)
    other = sqrt(float((density * (learned - clean_score) ** 2).sum() / (density * clean_score**2).sum()))
    rows.append(control(other, ">", 0.5, what="its distance from the score without noise"))
    return Evidence(rows, draw=partial(draw, x_grid, learned, score_grid), seed=SEED)


def draw(x: Array, learned: Array, score: Array, ax: Axes) -> None:
    """The score of the noisy data, and what the network learned."""
    ax.plot(x, score, color=PREDICTION, linewidth=1, label="score of the noisy density")
    ax.plot(x, learned, color=MEASUREMENT, linewidth=1.2, linestyle="--", label="residual over variance, trained")
    ax.set(xlabel="x")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
