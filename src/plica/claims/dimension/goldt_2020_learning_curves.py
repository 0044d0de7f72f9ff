r"""Goldt et al.: learning curves on a hidden manifold are those on Gaussian data.

Claim
    A learner of X = f(C F / sqrt(D)) with labels that depend on the latent coordinates C generalizes as well as on the Gaussian
    data a + b C F / sqrt(D) + (c - a^2 - b^2)^{1/2} Z, and better or worse than without the noise Z, whose size f decides.
Source
    S. Goldt, M. Mezard, F. Krzakala, L. Zdeborova, Physical Review X 10 (2020) [goldt2020]; for ridge regression F. Gerace et
    al., ICML 2020 [gerace2020].
Prediction
    the test error of ridge regression on the Gaussian data, with a, b, c of plica.theory.hidden_manifold.gaussian_equivalent
Measurement
    the test error of ridge regression on the data themselves, N = 150, D = 75, 40 to 600 samples, f = sign and erf, averaged
    over draws of everything; without the noise Z it is another curve
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import erf

from plica._palette import SERIES
from plica.claims import Evidence, control, row
from plica.theory.hidden_manifold import gaussian_equivalent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("goldt-2020-covariance",)
SEED = 2020
N, LATENT, RIDGE = 150, 75, 0.05
SIZES = (40, 150, 600)
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"sign": np.sign, "erf": erf}


def errors_of(name: str, n: int, seed: int) -> tuple[float, float, float]:
    """On the manifold, on its Gaussian equivalent, and on a + b U without noise."""
    rng = np.random.default_rng([SEED, n, seed])
    F, teacher = rng.standard_normal((LATENT, N)), rng.standard_normal(LATENT)
    latent = rng.standard_normal((n + 600, LATENT))
    y = np.tanh(latent @ teacher / sqrt(LATENT))
    U = latent @ F / sqrt(LATENT)
    theory = gaussian_equivalent(name)
    gaussian = theory.a + theory.b * U + theory.noise * rng.standard_normal(U.shape)
    found = []
    for X in (FUNCTIONS[name](U), gaussian, theory.a + theory.b * U):
        A = X[:n]
        w = np.linalg.solve(A.T @ A / N + RIDGE * np.eye(N), A.T @ y[:n] / N)
        found.append(float(((X[n:] @ w - y[n:]) ** 2).mean()))
    return found[0], found[1], found[2]


def check(scale: str) -> Evidence:
    n_draws = 400 if scale == "full" else 100
    rows, curves = [], {}
    for name in FUNCTIONS:
        means = []
        for n in SIZES:
            errors = np.array([errors_of(name, n, k) for k in range(n_draws)])
            mean, spread = errors.mean(0), errors.std(0, ddof=1) / sqrt(n_draws)
            means.append(mean)
            error = float(np.std(errors[:, 0] - errors[:, 1], ddof=1) / sqrt(n_draws))
            about: dict[str, Any] = {"f": name, "samples": n, "kind": "estimated"}
            rows.append(row(float(mean[0]), "=", float(mean[1]), standard_error=error, tolerance=0.02, data="manifold", **about))
            if n == max(SIZES):
                gap = float(np.hypot(spread[0], spread[2]))
                rows.append(control(float(mean[0]), ">", 1.2 * float(mean[2]), standard_error=gap, data="without noise", **about))
        curves[name] = np.array(means)
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[str, np.ndarray], ax: Axes) -> None:
    """Test error against samples: dots on the manifold, lines on Gaussian data, dotted without noise."""
    for color, (name, values) in zip(SERIES, curves.items(), strict=False):
        ax.plot(SIZES, values[:, 0], "o", color=color, label=f"{name}, manifold")
        ax.plot(SIZES, values[:, 1], "-", color=color, label="Gaussian equivalent")
        ax.plot(SIZES, values[:, 2], ":", color=color, label="without noise")
    ax.set(xlabel="training samples", ylabel="mean squared test error", xscale="log", yscale="log")
    ax.legend(frameon=False, fontsize=7)
    ax.spines[["top", "right"]].set_visible(False)
