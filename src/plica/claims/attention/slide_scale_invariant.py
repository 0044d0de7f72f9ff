r"""Is attention scale-invariant?

Claim
    Self-attention gives a scale-invariant representation: multiplying all tokens by c > 0 leaves the weights unchanged.
Source
    University of Washington lecture, summary slide: "scale/order-invariant representation" [washington-lecture].
Prediction
    the entropy of the attention weights for c = 1
Measurement
    the mean entropy of the weights of plica.models.attention.Attention for random tokens multiplied by c: log T for small c, 0
    for large c
Remark
    Scores grow like c^2: attention turns from averaging (c -> 0) to choosing one token (large c). Values scale with c as well.
"""

from __future__ import annotations

from math import log
from typing import Any

import torch

from plica.claims import Evidence, control, counterexample
from plica.claims.attention._curves import curves
from plica.models.attention import Attention

STATEMENT = "misprint (reading)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("permutation-equivariance",)
SEED = 9
ROUNDING = 1e-13


def mean_entropy(c: float, *, T: int, d: int) -> float:
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        layer, x = Attention(d, 1, bias=False).double(), torch.randn(1, T, d, dtype=torch.float64)
        for projection in (layer.q_proj, layer.k_proj):
            torch.nn.init.normal_(projection.weight, std=d**-0.5)
        return float(layer.explain(c * x).entropy.mean())


def check(scale: str) -> Evidence:
    T = 256 if scale == "full" else 32
    base = mean_entropy(1.0, T=T, d=16)
    rows = []
    about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "tokens": T}
    rows.append(control(base, "<", log(T), c=1.0, **about))
    # small tokens have equal scores: an average over all T; large ones choose a single token
    rows.append(counterexample(mean_entropy(1e-4, T=T, d=16), "=", base, truth=log(T), tolerance=1e-6, c=1e-4, **about))
    rows.append(counterexample(mean_entropy(1e4, T=T, d=16), "=", base, truth=0.0, unit=1.0, c=1e4, **about))
    rows.append(counterexample(mean_entropy(2.0, T=T, d=16), "=", base, truth=base, truth_relation="<", c=2.0, **about))
    factors = tuple(10.0**e for e in (-2, -1, -0.5, 0, 0.5, 1, 2))
    shown = [(factors, [mean_entropy(c, T=T, d=16) for c in factors], "self-attention")]
    level = [(factors, [log(T)] * len(factors), "log T: the average")]
    return Evidence(rows, draw=curves(shown, level, x="factor c of all tokens", y="entropy of the weights", log="x"), seed=SEED)
