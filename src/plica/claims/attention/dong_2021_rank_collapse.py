r"""Dong, Cordonnier and Loukas: attention alone loses rank doubly exponentially.

Claim
    Without skip connections and feed-forward layers, the distance of the tokens from all being equal shrinks by the cube from
    layer to layer: res' <= C res^3.
Source
    Y. Dong, J.-B. Cordonnier, A. Loukas, Attention Is Not All You Need, ICML 2021 [dong2021].
Prediction
    log(res_3 / res_2) / log(res_2 / res_1) of at least 2.5, the exponent of the contraction up to its constant; a residual below
    10^-4 after three layers
Measurement
    plica.measure.rank_residuals through random plica.models.attention.Attention layers in float64, over seeds; what it measures
    is the least distance from tokens that are all equal, found by least squares
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from plica.claims import Evidence, control, row
from plica.claims.attention._curves import curves
from plica.measure import rank_residual, rank_residuals
from plica.models.attention import Attention

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("dong-2021-skip-connections", "nait-2025-spectral-gap")
SEED = 2021


def residuals(*, n_layers: int, length: int, width: int, seed: int) -> np.ndarray:
    """Of layers with weights of variance 1/d, as in the paper's analysis of random attention."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = [Attention(width, 1, bias=False).double() for _ in range(n_layers)]
        with torch.no_grad():
            for layer in layers:
                for parameter in layer.parameters():
                    parameter.normal_(0, width**-0.5)
        return rank_residuals(layers, torch.randn(length, width, dtype=torch.float64))


def check(scale: str) -> Evidence:
    length, width, n_seeds = (64, 128, 20) if scale == "full" else (32, 64, 8)
    runs = np.array([residuals(n_layers=4, length=length, width=width, seed=SEED + k) for k in range(n_seeds)])
    ratios = np.log(runs[:, 3] / runs[:, 2]) / np.log(runs[:, 2] / runs[:, 1])
    error = float(ratios.std(ddof=1) / np.sqrt(n_seeds))
    worst = float(runs[:, 3].max())
    rows = [
        row(float(ratios.mean()), ">=", 2.5, kind="estimated", standard_error=error, what="exponent", tokens=length, width=width),
        row(worst, "<=", 1e-4, kind="estimated", standard_error=0.0, what="residual after 3 layers", tokens=length, width=width),
    ]
    tokens = np.random.default_rng(SEED).normal(size=(length, width)) + 1.0
    equal = np.linalg.lstsq(np.ones((length, 1)), tokens, rcond=None)[0]
    least = float(np.linalg.norm(tokens - equal) / np.linalg.norm(tokens))
    about: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-14, "what": "residual, by least squares", "tokens": length}
    rows.append(control(rank_residual(tokens), "=", least, width=width, **about))
    shown = [(range(5), run, f"seed {SEED + k}") for k, run in enumerate(runs[:4])]
    return Evidence(rows, draw=curves(shown, x="layer", y="residual", log="y"), seed=SEED)
