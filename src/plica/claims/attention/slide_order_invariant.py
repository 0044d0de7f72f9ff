r"""Is self-attention order-invariant?

Claim
    Self-attention without positions is order-invariant: f(P X) = f(X) for every permutation P of the tokens.
Source
    University of Washington lecture, issues of self-attention [washington-lecture].
Prediction
    0, the largest change of the output when the tokens are reversed
Measurement
    max |f(P X) - f(X)| for random tokens and plica.models.attention.Attention with random weights
Remark
    The outputs move with the tokens: f(P X) = P f(X), the claim permutation-equivariance. Only a pooled output is invariant.
"""

from __future__ import annotations

from typing import Any

import torch

from plica.claims import Evidence, control, counterexample
from plica.claims.attention._curves import curves
from plica.models.attention import Attention

STATEMENT = "misprint (reading)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("permutation-equivariance",)
SEED = 12
ROUNDING = 1e-13


def check(scale: str) -> Evidence:
    rows = []
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        for T in (1, 2, 8, 64):
            x, layer = torch.randn(1, T, 8, dtype=torch.float64), Attention(8, 2).double()
            output = layer(x)
            change = float((layer(x.flip(1)) - output).abs().max())
            about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "tokens": T, "unit": 1.0}
            # equivariance says by how much: the outputs are reversed, not the same
            moved = float((output.flip(1) - output).abs().max())
            rows.append(control(change, "=", 0.0, **about) if T == 1 else counterexample(change, "=", 0.0, truth=moved, **about))
            pooled = float((layer(x.flip(1)).mean(1) - output.mean(1)).abs().max())
            rows.append(control(pooled, "=", 0.0, output="mean", **about))
            if T == 8:
                shown = (output[0, :, 0].tolist(), layer(x.flip(1))[0, :, 0].tolist())
    draw = curves([(range(8), shown[0], "f(X)"), (range(8), shown[1], "f of the tokens in reverse")],
                  x="token", y="first coordinate of the output", log="")  # fmt: skip
    return Evidence(rows, draw=draw, seed=SEED)
