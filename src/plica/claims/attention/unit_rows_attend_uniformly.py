r"""Unit queries and keys with the factor d^{-1/2}: attention is almost uniform.

Claim
    If all queries and keys have unit length and scores are divided by sqrt(d), two weights of one query differ at most by
    the factor exp(2 / sqrt(d)): 1.284 for d = 64.
Source
    Follows from the formula of Theories of Deep Learning, lecture 4 [oxford-lecture-4]; A. Henry et al. replace the factor
    by a learned scale [henry2020].
Prediction
    plica.theory.attention.unit_row_weight_ratio_upper_bound(d)
Measurement
    the largest ratio of two weights of plica.models.attention.Attend with the score plica.models.attention.Cosine, for random
    rows, and for the worst rows k_1 = q = -k_2, where it is attained
"""

from __future__ import annotations

import numpy as np
import torch

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.models.attention import Attend, Cosine
from plica.theory.attention import unit_row_weight_ratio_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-layer-norm",)
SEED = 64
ROUNDING = 1e-13


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for d in (1, 4, 16, 64, 512) + ((12288,) if scale == "full" else ()):
        q, K = rng.normal(size=d), rng.normal(size=(64, d))
        for name, keys, relation in (("random", K, "=" if d == 1 else "<"), ("q and -q", np.stack([q, -q]), "=")):
            weights = np.asarray(Attend(Cosine()).weights(torch.tensor(q)[None], torch.tensor(keys)))[0]
            measured = float(weights.max() / weights.min())
            predicted = unit_row_weight_ratio_upper_bound(d)
            rows.append(row(measured, relation, predicted, kind="estimated", standard_error=ROUNDING * measured, d=d, keys=name))
    by_keys = {name: [r for r in rows if r.parameters["keys"] == name] for name in ("q and -q", "random")}
    shown = [
        ([r.parameters["d"] for r in found], [r.measured for r in found], f"keys: {name}") for name, found in by_keys.items()
    ]
    return Evidence(rows, draw=curves(shown, x="dimension d", y="largest ratio of two weights"), seed=SEED)
