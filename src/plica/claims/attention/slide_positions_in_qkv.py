r"""Is a position added to the key the same as one added to the token?

Claim
    Adding a position p to the token and adding it to the key differ by (W - I) p, which is 0 for all positions only for W = I.
Source
    The lecture of the University of Washington draws positions at queries, keys and values [washington-lecture]; A. Vaswani
    et al., NeurIPS 2017, section 3.5, add them to the embeddings [vaswani2017].
Prediction
    the largest entry of (W - I) p, not 0
Measurement
    the largest entry of W (x + p) - (W x + p), exactly, for random integer weights
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row

STATEMENT = "question"
EXPECTED = "answered"
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
        expected = max(abs(sum(int(W[i, j]) * int(p[j]) for j in range(d)) - int(p[i])) for i in range(d))
        rows.append(row(difference, "=", expected, d=d, W=name))
        rows.append(row(difference, "=", 0, d=d, W=name) if name == "identity" else row(difference, ">", 0, d=d, W=name))
    return Evidence(rows, seed=SEED)
