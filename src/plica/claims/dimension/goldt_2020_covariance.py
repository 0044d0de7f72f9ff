r"""Goldt et al.: data on a hidden manifold have the covariance of Gaussian data.

Claim
    Data X = f(C F / sqrt(D)) with Gaussian latent coordinates C have, to leading order in 1/D, the mean a and the covariance
    c - a^2 on the diagonal and b^2 F_i . F_j / D beside it, with a = E f(u), b = E u f(u), c = E f(u)^2: that of
    a + b C F / sqrt(D) + (c - a^2 - b^2)^{1/2} Z with independent noise Z.
Source
    S. Goldt, M. Mezard, F. Krzakala, L. Zdeborova, Physical Review X 10 (2020), the Gaussian equivalence [goldt2020].
Prediction
    plica.theory.hidden_manifold.gaussian_equivalent: a, c, and b^2 as the slope of the entries beside the diagonal against
    F_i . F_j / D
Measurement
    moments of samples with given features F of unit mean square, f = ReLU, sign, erf, tanh, averaged over samples; the hidden
    manifold of plica.data for tanh and erf, its c
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import erf

import plica.data
from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.theory.hidden_manifold import gaussian_equivalent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("hidden-manifold", "goldt-2020-learning-curves")
SEED = 1909
LATENT, N = 200, 60
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda u: np.maximum(u, 0.0),
    "sign": np.sign,
    "erf": erf,
    "tanh": np.tanh,
}


def check(scale: str) -> Evidence:
    n_batches, size = (100, 4000) if scale == "full" else (20, 4000)
    rng = np.random.default_rng(SEED)
    F = rng.standard_normal((LATENT, N))
    F /= np.sqrt((F**2).mean(0))  # entries of C F / sqrt(D) are then exactly standard normal
    overlaps = F.T @ F / LATENT
    beside = ~np.eye(N, dtype=bool)
    x = overlaps[beside]
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in FUNCTIONS}
    sums = {name: np.zeros((N, N)) for name in FUNCTIONS}
    for _ in range(n_batches):
        U = rng.standard_normal((size, LATENT)) @ F / sqrt(LATENT)
        for name, f in FUNCTIONS.items():
            X = f(U)
            C = np.cov(X.T)
            sums[name] += C / n_batches
            found[name].append((float(X.mean()), float(x @ C[beside] / (x @ x)), float((X**2).mean())))
    rows = []
    for name, values in found.items():
        theory = gaussian_equivalent(name)
        means, errors = np.mean(values, 0), np.std(values, 0, ddof=1) / sqrt(n_batches)
        predicted = (theory.a, theory.b**2, theory.c)
        for what, mean, error, expected in zip(("a", "b^2, from the covariance", "c"), means, errors, predicted, strict=True):
            about: dict[str, Any] = {"kind": "estimated", "standard_error": float(error), "f": name, "what": what}
            # beyond the leading order, an entry has terms of third order in the overlap, 1/sqrt(D)
            about |= {"tolerance": 4 / LATENT if what.startswith("b") else 0.0, "unit": 1.0 if expected == 0 else None}
            rows.append(row(float(mean), "=", expected, **about))
        residual = float(np.abs((sums[name] - theory.covariance(F))[beside]).max())
        spread = 5 * theory.c / sqrt(n_batches * size) + 0.3 * theory.c * float(np.abs(x).max()) ** 2
        rows.append(row(residual, "<=", spread, f=name, what="largest deviation of an entry"))
    for name in ("tanh", "erf"):
        data = plica.data.load("hidden-manifold", n=400, dimension=LATENT, ambient=4000, activation=name, seed=SEED).x
        squares = (data**2).mean(1)
        about = {"kind": "estimated", "standard_error": float(squares.std() / sqrt(400)), "tolerance": 2 / LATENT}
        rows.append(row(float(squares.mean()), "=", gaussian_equivalent(name).c, f=name, what="c, of plica.data", **about))
    shown = {name: (x, sums[name][beside], gaussian_equivalent(name).b ** 2) for name in FUNCTIONS}
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: dict[str, tuple[np.ndarray, np.ndarray, float]], ax: Axes) -> None:
    """Covariances of pairs of coordinates against the overlap of their features, and the lines b^2."""
    for color, (name, (overlap, entries, slope)) in zip(SERIES, shown.items(), strict=False):
        ax.plot(overlap[::9], entries[::9], ".", color=color, markersize=3, label=name)
        ends = np.array([overlap.min(), overlap.max()])
        ax.plot(ends, slope * ends, color=PREDICTION, linewidth=0.8)
    ax.set(xlabel=r"$F_i \cdot F_j / D$", ylabel="covariance of two coordinates")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
