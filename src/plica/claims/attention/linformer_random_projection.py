r"""Do random projections of keys and values approximate attention?

Claim
    No: replacing n keys and values by k = n/4 random Gaussian mixtures of them, E k and E v with entries of variance 1/k, changes
    the output of softmax attention by more than its size, though some matrix of rank k is within half of it.
Source
    S. Wang et al., Linformer, 2020, whose proof projects the matrix of weights, P E^T E v, not keys and values [wang2020].
Prediction
    more than 1 for the layer and for P E^T E v; less than 0.5 for the best matrix of rank k
Measurement
    error_against_exact of plica.models.attention.Attend with plica.models.attention.Linformer, n = 128, Gaussian tokens;
    beside it P E^T E v, and the best approximation of rank k; the layer's mixtures have the stated variance
Remark
    The layer is off by more than its own size, and so is the projected form of the proof at this k; for scores as diffuse as
    these the optimum of rank k leaves far less. The projections must be trained. With k = n and E = I the layer is exact.
"""

from __future__ import annotations

from typing import Any

import torch

from plica.claims import Evidence, control, row
from plica.claims.attention._curves import curves
from plica.models.attention import Attend, Linformer

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("attention-special-cases",)
SEED = 2006
N, D_HEAD = 128, 64


def errors(k: int, n_draws: int) -> dict[str, list[float]]:
    """Relative errors of the layer, of the projected weights and of the best rank k."""
    found: dict[str, list[float]] = {"layer E k, E v": [], "P E^T E v": [], "best of rank k": []}
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        for _ in range(n_draws):
            q, keys, v = torch.randn(3, N, D_HEAD, dtype=torch.float64)
            attend = Attend(normalizer=Linformer(N, k, share=True).double())
            P = attend.exact().weights(q, keys)
            exact = P @ v
            E = torch.randn(k, N, dtype=torch.float64) * k**-0.5
            U, s, V = torch.linalg.svd(P)
            low = (U[:, :k] * s[:k]) @ V[:k] @ v
            found["layer E k, E v"].append(attend.error_against_exact(q, keys, v))
            found["P E^T E v"].append(float((P @ E.T @ E @ v - exact).norm() / exact.norm()))
            found["best of rank k"].append(float((low - exact).norm() / exact.norm()))
    return found


def check(scale: str) -> Evidence:
    n_draws, sizes = (20 if scale == "full" else 3), (16, 32, 64, 96)
    runs = {k: errors(k, n_draws) for k in sizes}
    rows = []
    for name in ("best of rank k", "P E^T E v", "layer E k, E v"):
        values = torch.tensor(runs[N // 4][name])
        error = float(values.std() / n_draws**0.5)
        relation, bound = ("<", 0.5) if name == "best of rank k" else (">", 1.0)
        rows.append(row(float(values.mean()), relation, bound, kind="estimated", standard_error=error, form=name, n=N, k=N // 4))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        for k in sizes:
            entries = Linformer(32 * N, k, share=True).keys.detach().double().reshape(-1)
            about: dict[str, Any] = {"kind": "estimated", "form": "variance of the layer's mixtures, times k", "n": N, "k": k}
            error = float((2 / len(entries)) ** 0.5)
            rows.append(control(float(entries.square().mean()) * k, "=", 1.0, standard_error=error, **about))
    seen = [(sizes, [max(sum(runs[k][name]) / n_draws, 1e-15) for k in sizes], name) for name in runs[16]]
    return Evidence(rows, draw=curves(seen, x="mixtures k", y="relative error"), seed=SEED)
