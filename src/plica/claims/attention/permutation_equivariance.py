r"""Self-attention without positions is permutation-equivariant.

Claim
    f(P X) = P f(X) for every permutation P of the tokens; the mean of the outputs is invariant. With a causal mask it is not so.
Source
    A. Vaswani et al., NeurIPS 2017, whose positions are needed because of it [vaswani2017].
Prediction
    0, the largest entry of f(P X) - P f(X); more than 0.01 with the causal mask
Measurement
    that entry for random tokens, weights and permutations in floating point, with its rounding error
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.attention._heads import random_weights, self_attention

EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-order-invariant",)
SEED = 21
ROUNDING = 1e-14


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for T in (2, 8, 64) + ((512,) if scale == "full" else ()):
        X, weights, order = rng.normal(size=(T, 8)), random_weights(rng, 8), rng.permutation(T)[::-1]
        order = np.roll(np.arange(T), 1) if (order == np.arange(T)).all() else order
        moved, still = self_attention(X[order], weights), self_attention(X, weights)
        later = np.triu(np.ones((T, T), bool), 1)
        causal = self_attention(X[order], weights, hidden=later) - self_attention(X, weights, hidden=later)[order]
        for output, difference, relation, predicted in (
            ("tokens", moved - still[order], "=", 0.0),
            ("mean", moved.mean(0) - still.mean(0), "=", 0.0),
            ("tokens, causal mask", causal, ">", 0.01),
        ):
            measured = float(np.abs(difference).max())
            rows.append(row(measured, relation, predicted, kind="estimated", standard_error=ROUNDING, output=output, tokens=T))
    return Evidence(rows, seed=SEED)
