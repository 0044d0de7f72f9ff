r"""Gopalakrishnan et al.: keeping K of N coefficients of the input divides an attack by N / K.

Claim
    An attack of size eps in every coordinate changes a linear classifier w . x by eps |w|_1 at most, and reaches it. If the input
    is first projected on K of its N coefficients, chosen without regard to w, the change is eps times the sum of |w_i| over these
    K: the share K/N of it on average.
Source
    S. Gopalakrishnan, Z. Marzi, U. Madhow, R. Pedarsani, Combating Adversarial Attacks Using Sparse Representations (2018), whose
    abstract has the factor of roughly K/N for linear classifiers [gopalakrishnan2018].
Prediction
    eps |w|_1, attained by eps sign(w); K/N, the mean share that is left
Measurement
    the largest change over all corners of the cube for small N, and that by plica.robust.attacks.fgsm; the mean share over
    random supports for N = 64 and Gaussian weights, from the attack itself, which maximizes w . P e over corners e
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.robust.attacks import fgsm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-sparse-network", "pruning-max-norm")
SEED = 1803


def worst(w: np.ndarray, support: np.ndarray, eps: float) -> float:
    """The largest change of w . P x over all corners of the cube of half-width eps, P keeping the coefficients of the support."""
    corners = np.array(list(product((-eps, eps), repeat=len(w))))
    kept = np.where(np.isin(np.arange(len(w)), support), corners, 0.0)
    return float((kept @ w).max())


def attacked(w: np.ndarray, support: np.ndarray, eps: float) -> float:
    """The change by the best attack, eps times the sign of each weight, after the projection."""
    e = eps * np.sign(w)
    e[np.setdiff1d(np.arange(len(w)), support)] = 0.0
    return float(w @ e)


def signed(w: np.ndarray, support: np.ndarray, eps: float) -> float:
    """The change by the fast gradient sign method, which sees the classes (w . P x, 0) and the second one's loss."""
    kept = torch.zeros(len(w), dtype=torch.float64)
    kept[support] = torch.from_numpy(w[support])

    def scores(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([x @ kept, torch.zeros(len(x), dtype=x.dtype)], dim=1)

    moved = fgsm(scores, torch.zeros(1, len(w), dtype=torch.float64), torch.tensor([1]), epsilon=eps)
    return float(moved[0] @ kept)


def shares(N: int, K: int, n_draws: int) -> np.ndarray:
    """Of the attack's effect that is left, over random weights and supports."""
    rng = np.random.default_rng([SEED, N, K])
    found = []
    for _ in range(n_draws):
        w = rng.normal(size=N)
        found.append(attacked(w, rng.choice(N, K, replace=False), 1.0) / float(np.abs(w).sum()))
    return np.array(found)


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows, seen = [], {}
    for N, K in ((4, 4), (8, 3), (10, 5)):
        w, support = rng.normal(size=N), rng.choice(N, K, replace=False)
        expected = 0.1 * float(np.abs(w[support]).sum())
        rows.append(row(worst(w, support, 0.1), "=", expected, tolerance=1e-12, N=N, K=K, what="worst corner"))
        rows.append(row(attacked(w, support, 0.1), "=", expected, tolerance=1e-12, N=N, K=K, what="signs of the weights"))
        rows.append(row(signed(w, support, 0.1), "=", expected, tolerance=1e-12, N=N, K=K, what="signs of the gradient"))
    n_draws = 20_000 if scale == "full" else 2_000
    for N, K in ((64, 4), (64, 16), (64, 32), (256, 8)):
        found = shares(N, K, n_draws)
        seen[K / N] = float(found.mean())
        about: dict[str, Any] = {"kind": "estimated", "standard_error": float(found.std() / sqrt(n_draws))}
        rows.append(row(float(found.mean()), "=", K / N, N=N, K=K, what="share that is left", **about))
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def draw(seen: dict[float, float], ax: Axes) -> None:
    """The share of the attack that is left against the share of coefficients kept."""
    ends = [0.02, 0.6]
    ax.loglog(ends, ends, "--", color=PREDICTION, linewidth=1, label="K/N")
    ax.loglog(list(seen), list(seen.values()), "o", color=MEASUREMENT, markersize=6, label="attack that is left")
    ax.set(xlabel="coefficients kept, K/N", ylabel="effect of the attack")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
