r"""The causal mask hides key j from query i when j > i.

Claim
    Setting e_ij to minus infinity for j > i makes attention causal: no output depends on a later token. Nothing weaker does.
Source
    A. Vaswani et al., Attention Is All You Need, NeurIPS 2017, section 3.2.3 [vaswani2017].
Prediction
    0 pairs of a position and a later token that influences it; at least 1 pair if one entry above the diagonal is shown
Measurement
    such pairs, found by changing one token at a time and comparing the outputs bit for bit
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.attention._heads import leaks

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-causal-mask",)
SEED = 0


def check(scale: str) -> Evidence:
    rows = []
    for T in (2, 3, 5, 8) + ((32,) if scale == "full" else ()):
        i, j = np.indices((T, T))
        rows.append(row(leaks(j > i, seed=SEED), "=", 0, tokens=T, mask="j > i"))
        rows.append(row(leaks((j > i) & ~((i == 0) & (j == 1)), seed=SEED), ">=", 1, tokens=T, mask="j > i, but (0, 1) shown"))
    return Evidence(rows, seed=SEED)
