r"""Barron's constant of a Gaussian.

Claim
    f(x) = exp(-|x|^2 / (2 sigma^2)) on R^d has Barron constant C = sqrt(2) Gamma((d+1)/2) / (sigma Gamma(d/2)) <= sqrt(d) /
    sigma.
Source
    A. Barron, IEEE Trans. Inf. Theory 39 (1993) [barron1993]; the University of Washington lecture prints it with an
    amplitude (2 pi sigma^2)^{d/2}, which would multiply the constant [washington-lecture].
Prediction
    plica.theory.approximation.barron_constant_gaussian(d, sigma=sigma), and sqrt(d) / sigma as an upper bound
Measurement
    the mean length of random Gaussian vectors N(0, I / sigma^2), the integral that defines C, by sampling
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from plica.claims import Evidence, row
from plica.theory.approximation import barron_constant_gaussian

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-fourier-pair",)
SEED = 1993


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    n = 1_000_000 if scale == "full" else 100_000
    rows = []
    for d in (1, 2, 5, 10):
        for sigma in (1.0, 0.5):
            lengths = np.linalg.norm(rng.normal(size=(n, d)) / sigma, axis=1)
            measured, error = float(lengths.mean()), float(lengths.std() / sqrt(n))
            predicted = barron_constant_gaussian(d, sigma=sigma)
            rows.append(row(measured, "=", predicted, kind="estimated", standard_error=error, d=d, sigma=sigma))
            rows.append(row(measured, "<=", sqrt(d) / sigma, kind="estimated", standard_error=error, d=d, sigma=sigma))
    return Evidence(rows, seed=SEED)
