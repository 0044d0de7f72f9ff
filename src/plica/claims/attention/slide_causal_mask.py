r"""The mask, as printed: e_ij hidden for i > j.

Claim
    Setting e_ij to minus infinity for i > j (i the query, j the key) makes attention causal: no output depends on a later token.
Source
    University of Washington lecture, slide on masked attention [washington-lecture].
Prediction
    0 pairs of a position and a later token that influences it
Measurement
    such pairs, found by changing one token at a time and comparing the outputs bit for bit
Remark
    It hides the past and shows the future. Causal is j > i: the claim causal-mask.
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, control, counterexample
from plica.claims.attention._heads import leaks

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("causal-mask",)
SEED = 0


def check(scale: str) -> Evidence:
    rows = []
    for T in (2, 3, 5, 8) + ((32,) if scale == "full" else ()):
        i, j = np.indices((T, T))
        rows.append(control(leaks(j > i, seed=SEED), "=", 0, tokens=T, hidden="j > i"))
        # query i sees the keys j >= i, so every later token reaches every earlier position
        rows.append(counterexample(leaks(i > j, seed=SEED), "=", 0, truth=T * (T - 1) // 2, tokens=T, hidden="i > j, printed"))
    return Evidence(rows, seed=SEED)
