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

from typing import Any

import numpy as np

from plica.claims import Evidence, control, counterexample
from plica.claims.attention._heads import random_weights, self_attention

STATEMENT = "misprint (reading)"
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
        output = self_attention(X, weights)
        change = float(np.abs(self_attention(X[::-1], weights) - output).max())
        about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "tokens": T, "unit": 1.0}
        # equivariance says by how much: the outputs are reversed, not the same
        moved = float(np.abs(output[::-1] - output).max())
        rows.append(control(change, "=", 0.0, **about) if T == 1 else counterexample(change, "=", 0.0, truth=moved, **about))
    return Evidence(rows, seed=SEED)
