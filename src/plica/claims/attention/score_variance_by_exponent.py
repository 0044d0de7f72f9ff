r"""The variance of scores is d^{1 - 2 alpha}; that of cosines is 1/d.

Claim
    For queries and keys with independent entries of mean 0 and variance 1, q . k d^{-alpha} has variance d^{1 - 2 alpha}: it
    grows for alpha = 0, stays for 1/2, vanishes for 1. The cosine of q and k has variance 1/d.
Source
    A. Vaswani et al., NeurIPS 2017, section 3.2.1 [vaswani2017], for alpha = 1/2; the rest follows from the same sum.
Prediction
    plica.theory.attention.score_variance(d, exponent=alpha), and 1/d
Measurement
    sample variances of the scores of plica.models.attention.Scaled and plica.models.attention.Cosine for Gaussian queries and
    keys
"""

from __future__ import annotations

import numpy as np
import torch

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.models.attention import Cosine, Scaled, Score
from plica.theory.attention import score_variance

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("score-scale",)
SEED = 256


def variance(score: Score, d: int, n: int) -> tuple[float, float]:
    """Of the scores of n independent pairs, with its standard error."""
    generator = torch.Generator().manual_seed(SEED)
    q, k = torch.randn(2, n, 1, d, dtype=torch.float64, generator=generator)
    squares = score(q, k).detach().numpy().reshape(-1) ** 2
    return float(squares.mean()), float(squares.std() / np.sqrt(n))


def check(scale: str) -> Evidence:
    n = 200_000 if scale == "full" else 20_000
    rows, measured, dimensions = [], [], (4, 16, 64, 256)
    for alpha in (0.0, 0.5, 1.0):
        found = [variance(Scaled(alpha), d, n) for d in dimensions]
        for d, (value, error) in zip(dimensions, found, strict=True):
            predicted = score_variance(d, exponent=alpha)
            rows.append(row(value, "=", predicted, kind="estimated", standard_error=error, score=f"alpha = {alpha:g}", d=d))
        measured.append((dimensions, [value for value, _ in found], f"alpha = {alpha:g}"))
    found = [variance(Cosine(0.0), d, n) for d in dimensions]
    for d, (value, error) in zip(dimensions, found, strict=True):
        rows.append(row(value, "=", 1 / d, kind="estimated", standard_error=error, score="cosine", d=d))
    measured.append((dimensions, [value for value, _ in found], "cosine"))
    return Evidence(rows, draw=curves(measured, x="dimension", y="variance of the scores"), seed=SEED)
