r"""The mask, as printed: e_ij hidden for i > j.

Claim
    Setting e_ij to minus infinity for i > j (i the query, j the key) makes attention causal: no output depends on a later token.
Source
    University of Washington lecture, slide on masked attention [washington-lecture].
Prediction
    0 pairs of a position and a later token that influences it
Measurement
    such pairs in plica.models.attention.Attention with both masks: one token is changed at a time, and outputs are compared bit
    for bit
Remark
    It hides the past and shows the future. Causal is j > i: the claim causal-mask.
"""

from __future__ import annotations

from functools import partial

import torch

from plica.claims import Evidence, control, counterexample
from plica.claims.attention.causal_mask import D, draw, influence, pairs
from plica.models import attention as a

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("causal-mask",)
SEED = 0


def check(scale: str) -> Evidence:
    rows = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        for T in (2, 3, 5, 8) + ((32,) if scale == "full" else ()):
            x = torch.randn(1, T, D, dtype=torch.float64)
            printed = a.explicit(torch.ones(T, T, dtype=torch.bool).triu())  # query i sees the keys j >= i
            seen = {
                name: influence(a.Attention(D, 2, mask=mask).double(), x, lambda token: token + 1.0)
                for name, mask in (("j > i", "causal"), ("i > j, printed", printed))
            }
            rows.append(control(pairs(seen["j > i"])[0], "=", 0, tokens=T, hidden="j > i"))
            # every later token reaches every earlier position, and of the others only the own
            later, earlier = pairs(seen["i > j, printed"])
            rows.append(counterexample(later, "=", 0, truth=T * (T - 1) // 2, tokens=T, hidden="i > j, printed"))
            rows.append(control(earlier, "=", T, tokens=T, hidden="i > j, printed; own and earlier tokens"))
    return Evidence(rows, draw=partial(draw, seen["i > j, printed"]), seed=SEED)
