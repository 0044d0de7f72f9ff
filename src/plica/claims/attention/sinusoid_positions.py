r"""Sinusoidal positions are relative: a shift is a rotation.

Claim
    For sinusoidal positions the inner product p_s . p_t depends only on s - t, |p_t|^2 = d/2, and p_{t+k} = R_k p_t with one
    rotation R_k for all t.
Source
    A. Vaswani et al., NeurIPS 2017, section 3.5 [vaswani2017].
Prediction
    0, the largest deviation from each of the three identities, with plica.theory.attention.sinusoid_frequencies(d)
Measurement
    the deviations over 256 positions in floating point, with their rounding error
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.theory.attention import sinusoid_frequencies

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-sinusoid-index",)
ROUNDING = 1e-12


def positions(d: int, T: int) -> np.ndarray:
    """Pairs (sin, cos) as complex numbers: i e^{-i w t} has the real part sin and the imaginary part cos."""
    angles = np.outer(np.arange(T), sinusoid_frequencies(d))
    return np.sin(angles) + 1j * np.cos(angles)


def check(scale: str) -> Evidence:
    T = 4096 if scale == "full" else 256
    rows = []
    for d in (2, 16, 512):
        p = positions(d, T)
        products = (p @ p.conj().T).real
        shift = 5
        toeplitz = max(float(np.ptp(np.diagonal(products, k))) for k in (0, 1, shift, T // 2))
        rotation = np.exp(-1j * shift * np.array(sinusoid_frequencies(d)))
        deviations = {
            "p_s . p_t depends on s - t": toeplitz,
            "|p_t|^2 = d/2": float(np.abs(np.diagonal(products) - d / 2).max()),
            "p_{t+5} = R_5 p_t": float(np.abs(p[shift:] - p[:-shift] * rotation).max()),
        }
        for identity, deviation in deviations.items():
            rows.append(row(deviation, "=", 0.0, kind="estimated", standard_error=ROUNDING * d, d=d, identity=identity))
    return Evidence(rows)
