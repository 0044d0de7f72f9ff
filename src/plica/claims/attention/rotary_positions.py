r"""Rotary positions are relative, and keep lengths.

Claim
    If queries and keys are turned by angles proportional to their positions, in pairs of coordinates, then the score of
    positions s and t depends on s - t only, for any query and key, and no vector changes its length. Sinusoids that are added
    do not have this: the products with the tokens remain.
Source
    J. Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021 [su2021].
Prediction
    0, the largest change of a score when both positions are shifted, and of a length; more than 0.01 for added sinusoids
Measurement
    plica.models.attention.Rotary and plica.models.attention.Sinusoidal on random queries and keys in float64
"""

from __future__ import annotations

import torch

from plica.claims import Evidence, row
from plica.models.attention import Rotary, Sinusoidal

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("sinusoid-positions",)
SEED = 2104
ROUNDING = 1e-11
SHIFTS = (1, 17, 1000)


def check(scale: str) -> Evidence:
    rows = []
    for d in (2, 16, 64) + ((512,) if scale == "full" else ()):
        generator = torch.Generator().manual_seed(SEED)
        q, k = torch.randn(2, 12, d, dtype=torch.float64, generator=generator)
        for name, place in (("rotary", Rotary(d)), ("sinusoids added", Sinusoidal(d))):
            still = place(q) @ place(k).T
            moved = max(float((place(q, offset=s) @ place(k, offset=s).T - still).abs().max()) for s in SHIFTS)
            relation, bound = ("=", 0.0) if name == "rotary" else (">", 0.01)
            rows.append(
                row(moved, relation, bound, kind="estimated", standard_error=ROUNDING, positions=name, d=d, what="scores")
            )
        lengths = float((Rotary(d)(q, offset=99).norm(dim=1) - q.norm(dim=1)).abs().max())
        rows.append(row(lengths, "=", 0.0, kind="estimated", standard_error=ROUNDING, positions="rotary", d=d, what="lengths"))
    return Evidence(rows, seed=SEED)
