r"""Scores divided by the square root of the head's dimension have unit variance.

Claim
    q . k / d_head^{1/2} has variance 1 for queries and keys with independent entries of mean 0 and variance 1.
Source
    A. Vaswani et al., NeurIPS 2017, section 3.2.1 [vaswani2017].
Prediction
    1
Measurement
    the sample variance for Gaussian queries and keys, with its standard error
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from plica.claims import Evidence, row

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-score-scale",)
SEED = 17


def score_variance(d: int, n: int) -> tuple[float, float]:
    """Sample variance of q . k / sqrt(d) and its standard error."""
    rng = np.random.default_rng(SEED)
    scores = np.concatenate([(rng.normal(size=(1000, d)) * rng.normal(size=(1000, d))).sum(1) for _ in range(n // 1000)]) / sqrt(
        d
    )
    squares = scores**2
    return float(squares.mean()), float(squares.std() / sqrt(n))


def check(scale: str) -> Evidence:
    rows = []
    for d in (1, 16, 64, 128):
        measured, error = score_variance(d, 1_000_000 if scale == "full" else 50_000)
        rows.append(row(measured, "=", 1.0, kind="estimated", standard_error=error, d_head=d))
    return Evidence(rows, seed=SEED)
