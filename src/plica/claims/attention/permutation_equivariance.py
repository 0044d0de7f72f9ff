r"""Self-attention without positions is permutation-equivariant.

Claim
    f(P X) = P f(X) for every permutation P of the tokens; the mean of the outputs is invariant. With a causal mask, or with
    positions of any kind, it is not so.
Source
    A. Vaswani et al., NeurIPS 2017, whose positions are needed because of it [vaswani2017].
Prediction
    0, the largest entry of f(P X) - P f(X); more than 0.01 with the causal mask or with positions
Measurement
    that entry for random tokens, weights and permutations in floating point, with its rounding error; for positions
    plica.measure.equivariance_defect of plica.models.attention.Attention
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.attention._heads import random_weights, self_attention
from plica.measure import equivariance_defect

STATEMENT = "theorem"
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
    for position in ("none", "sinusoidal", "rotary", "alibi", "relative"):
        relation, bound = ("=", 0.0) if position == "none" else (">", 0.01)
        defect = positioned_defect(position)
        rows.append(
            row(defect, relation, bound, kind="estimated", standard_error=ROUNDING, output=f"positions: {position}", tokens=8)
        )
    return Evidence(rows, seed=SEED)


def positioned_defect(position: str) -> float:
    """The relative defect of a layer with positions."""
    import torch

    from plica.models.attention import Attention

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        layer = Attention(8, 2, position=position).double()
        return equivariance_defect(layer, 3 * torch.randn(8, 8, dtype=torch.float64))
