r"""Is self-attention order-invariant?

Claim
    Self-attention without positions is order-invariant: f(P X) = f(X) for every permutation P of the tokens.
Source
    University of Washington lecture, issues of self-attention [washington-lecture].
Prediction
    0, the largest change of the output when the tokens are reversed
Measurement
    max |f(P X) - f(X)| for random tokens and weights
Remark
    The outputs move with the tokens: f(P X) = P f(X), the claim permutation-equivariance. Only a pooled output is invariant.
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.attention._heads import random_weights, self_attention

EXPECTED = "refuted"
KIND = "estimated"
SEE = ("permutation-equivariance",)
SEED = 12
ROUNDING = 1e-14


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for T in (1, 2, 8, 64):
        X, weights = rng.normal(size=(T, 8)), random_weights(rng, 8)
        change = np.abs(self_attention(X[::-1], weights) - self_attention(X, weights)).max()
        rows.append(row(float(change), "=", 0.0, kind="estimated", standard_error=ROUNDING, tokens=T))
    return Evidence(rows, seed=SEED)
