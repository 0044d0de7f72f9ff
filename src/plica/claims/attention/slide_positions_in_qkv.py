r"""Positions, as printed: added to queries, keys and values.

Claim
    The transformer adds the positions to queries, keys and values: W x + p is the key of token x at position p.
Source
    University of Washington lecture, slide on positions [washington-lecture].
Prediction
    the keys W (x + p) of A. Vaswani et al., NeurIPS 2017, section 3.5, which adds positions to the embeddings
    [vaswani2017]: difference 0
Measurement
    the largest entry of W (x + p) - (W x + p), exactly, for random integer weights; it is 0 only for the identity
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row

EXPECTED = "refuted"
KIND = "exact"
SEE = ("sinusoid-positions",)
SEED = 15


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for d, name in ((4, "identity"), (1, "random"), (4, "random"), (16, "random")):
        W = np.eye(d, dtype=int) if name == "identity" else rng.integers(-4, 5, (d, d)) + 5 * np.eye(d, dtype=int)
        x, p = rng.integers(-9, 10, d), rng.integers(1, 10, d)
        difference = int(np.abs(W @ (x + p) - (W @ x + p)).max())
        rows.append(row(difference, "=", 0, d=d, W=name))
    return Evidence(rows, seed=SEED)
