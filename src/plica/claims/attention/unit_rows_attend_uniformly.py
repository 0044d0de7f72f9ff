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
    the largest ratio of two weights for random rows, and for the worst rows k_1 = q = -k_2, where it is attained
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.attention._heads import softmax
from plica.theory.attention import unit_row_weight_ratio_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-layer-norm",)
SEED = 64
ROUNDING = 1e-14


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for d in (1, 4, 16, 64, 512) + ((12288,) if scale == "full" else ()):
        q, K = rng.normal(size=d), rng.normal(size=(64, d))
        q, K = q / np.linalg.norm(q), K / np.linalg.norm(K, axis=1, keepdims=True)
        for name, keys, relation in (("random", K, "=" if d == 1 else "<"), ("q and -q", np.stack([q, -q]), "=")):
            weights = softmax((keys @ q / np.sqrt(d))[None])[0]
            measured = float(weights.max() / weights.min())
            predicted = unit_row_weight_ratio_upper_bound(d)
            rows.append(row(measured, relation, predicted, kind="estimated", standard_error=ROUNDING * measured, d=d, keys=name))
    return Evidence(rows, seed=SEED)
