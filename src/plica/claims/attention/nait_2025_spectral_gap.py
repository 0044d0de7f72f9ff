r"""Nait Saada, Naderi and Tanner: the spectral gap of random attention.

Claim
    The softmax of T x T independent standard Gaussian scores has the largest singular value 1 and a second one near
    2 (e - 1)^{1/2} / T^{1/2}: the gap stays open as the number of tokens grows. Its stable rank tends to e.
Source
    T. Nait Saada, A. Naderi, J. Tanner, Mind the Gap, ICML 2025 [nait2025]; the constants follow from the variance e - 1 of
    e^s / E e^s and the edge of a random matrix with independent entries.
Prediction
    1 within 2 percent; at least plica.theory.attention.softmax_second_singular_value(T), and at most 1.6 times it, because the
    single largest entries, which are log-normal, stand out of the bulk at these T; plica.theory.attention.softmax_stable_rank()
    within eight percent
Measurement
    plica.measure.spectral_gap of random matrices, means over seeds
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.measure import spectral_gap
from plica.theory.attention import softmax_second_singular_value, softmax_stable_rank

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("dong-2021-rank-collapse",)
SEED = 2410


def gaps(T: int, n: int) -> np.ndarray:
    """(n, 3): first and second singular value and stable rank."""
    rng = np.random.default_rng(SEED)
    found = []
    for _ in range(n):
        weights = np.exp(rng.normal(size=(T, T)))
        gap = spectral_gap(weights / weights.sum(1, keepdims=True))
        found.append((gap.first, gap.second, gap.stable_rank))
    return np.array(found)


def check(scale: str) -> Evidence:
    sizes = (128, 256, 512, 1024) if scale == "full" else (128, 256)
    rows, first, second = [], [], []
    for T in sizes:
        n = 40_000 // T
        found = gaps(T, n)
        means, errors = found.mean(0), found.std(0, ddof=1) / np.sqrt(n)
        predicted = softmax_second_singular_value(T)
        expected = (
            (0, "=", 1.0, 0.02, "first"),
            (1, ">=", predicted, 0.0, "second"),
            (1, "<=", 1.6 * predicted, 0.0, "second"),
            (2, "=", softmax_stable_rank(), 0.08, "stable rank"),
        )
        for i, sign, target, slack, what in expected:
            error = float(errors[i])
            rows.append(
                row(float(means[i]), sign, target, kind="estimated", standard_error=error, tolerance=slack, what=what, T=T)
            )
        first.append(float(means[0]))
        second.append(float(means[1]))
    law = (sizes, [softmax_second_singular_value(T) for T in sizes], "2 sqrt(e - 1) / sqrt(T)")
    draw = curves([(sizes, second, "second"), (sizes, first, "first")], [law], x="tokens T", y="singular value")
    return Evidence(rows, draw=draw, seed=SEED)
