r"""A linear variational autoencoder is probabilistic principal component analysis.

Claim
    The largest evidence lower bound of a linear variational autoencoder equals the largest likelihood of probabilistic principal
    components, and it is attained where its noise is the mean of the eigenvalues that are left out.
Source
    J. Lucas, G. Tucker, R. Grosse, M. Norouzi, NeurIPS 2019, Theorem 1 and Section 4 [lucas2019]; M. Tipping, C. Bishop,
    Probabilistic Principal Component Analysis, J. R. Stat. Soc. B 61 (1999), equations (7) and (8) [tipping1999].
Prediction
    plica.theory.generative.ppca_log_likelihood, plica.theory.generative.ppca_noise
Measurement
    plica.models.generative.VAE without hidden layers, its bound maximized from a random start (plica.learn.fit), the expectation
    over latent variables taken in closed form; for the trained model the bound by draws must agree with it
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.claims.generation.baldi_1989_autoencoder import D, K, data
from plica.theory.generative import ppca_log_likelihood, ppca_noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import Tensor

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("baldi-1989-autoencoder",)
SEED = 2019


def exact_bound(model: Any, batch: Any) -> Tensor:
    """Minus the mean bound of a linear model with Gaussian noise: E|x - W z - b|^2 = |x - W m - b|^2 + sum_j |W_j|^2 v_j."""
    from math import log, pi

    from plica.models.generative import gaussian_divergence

    x = batch[0]
    mean, log_variance = model.posterior(x)
    W = model.decoder[0].weight
    square = (x - model.decoder(mean)).square().sum(dim=1) + (W.square().sum(dim=0) * log_variance.exp()).sum(dim=1)
    likelihood = -0.5 * (square / model.log_noise.exp() + D * (model.log_noise + log(2 * pi)))
    return -(likelihood - gaussian_divergence(mean, log_variance)).mean()


def check(scale: str) -> Evidence:
    import torch

    from plica.learn import fit
    from plica.models import build
    from plica.models.generative import VAE, VAEConfig

    rng = np.random.default_rng(SEED)
    points = data(300, rng)
    x = torch.from_numpy(points)
    values = np.linalg.eigvalsh(np.cov(points.T, bias=True))
    best, noise = ppca_log_likelihood(values, K), ppca_noise(values, K)
    rows = []
    curves = []
    for seed in range(5 if scale == "full" else 1):
        config = VAEConfig((D,), n_latent=K, widths=(), likelihood="gaussian")
        model = build(VAE, config, seed=seed).double()
        steps = 4000 if scale == "full" else 1200
        settings: dict[str, Any] = {"rate": 0.03, "schedule": "cosine", "seed": seed, "log_every": 20}
        found = fit(model, lambda step: (x,), steps=steps, objective=exact_bound, **settings)
        bound = -float(exact_bound(model, (x,)).detach())
        rows.append(row(bound, "=", best, tolerance=1e-4, what="bound in nats", seed=seed))
        rows.append(row(float(model.log_noise.detach().exp()), "=", noise, tolerance=1e-2, what="noise", seed=seed))
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(seed)
            drawn = torch.stack([model.bound(x).mean() for _ in range(200)]).numpy()
        error = float(drawn.std(ddof=1)) / np.sqrt(len(drawn))
        about: dict[str, Any] = {"kind": "estimated", "standard_error": error}
        rows.append(control(float(drawn.mean()), "=", bound, **about, what="bound by draws", seed=seed))
        curves.append(([r["step"] for r in found.history.rows], [-r["loss"] for r in found.history.rows]))
    return Evidence(rows, draw=partial(draw, curves, best), seed=SEED)


def draw(curves: list[tuple[list[int], list[float]]], best: float, ax: Axes) -> None:
    """How far the bound is below the likelihood while it is maximized."""
    for steps, bounds in curves:
        ax.plot(steps[1:], best - np.array(bounds[1:]), color=MEASUREMENT)
    ax.axhline(1e-4 * abs(best), color=PREDICTION, linewidth=0.8, linestyle="--", label="tolerance")
    ax.set(yscale="log", xlabel="step", ylabel="likelihood minus bound, nats")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
