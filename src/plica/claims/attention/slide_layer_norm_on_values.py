r"""Layer norm, as printed: on queries and values.

Claim
    Layer normalization of the queries and values keeps the scores at a fixed mean and variance, whatever the scale of the tokens.
Source
    Theories of Deep Learning, lecture 15, slide on attention: "Q and V have layer-norm" [oxford-lecture-15].
Prediction
    1, the factor by which the spread of the scores grows when the keys' weights are multiplied by 10
Measurement
    that factor for plica.models.attention.Attend on random tokens, with queries and values, and with queries and keys, through
    torch's layer norm
Remark
    The scores are products of queries and keys: with the keys as they are they grow with them. What is in use is the norm of
    queries and keys [henry2020]; the transformer of 2017 normalizes neither. See the claim layer-norm-length.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from plica.claims import Evidence, control, counterexample
from plica.claims.attention._curves import curves
from plica.models.attention import Attend

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("layer-norm-length", "slide-layer-norm")
SEED = 15
ROUNDING = 1e-3  # epsilon of the norm, against a variance of about 1
FACTORS = (1.0, 2.0, 10.0, 100.0)


def spread(normed: str, factor: float, *, n: int = 32, d: int = 16) -> float:
    """Standard deviation of the scores of n random tokens, the matrix of the keys multiplied by a factor."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        x = torch.randn(n, d)
        WQ, WK, WV = torch.randn(3, d, d) / d**0.5
        parts: dict[str, Tensor] = {"Q": x @ WQ, "K": factor * (x @ WK), "V": x @ WV}
        parts = {name: layer_norm(p, (d,)) if name in normed else p for name, p in parts.items()}
        scores = Attend().explain(parts["Q"], parts["K"], parts["V"]).scores
        assert scores is not None
        return float(scores.std())


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    for normed in ("QK", "QV"):
        seen[normed] = [spread(normed, f) for f in FACTORS]
        for f, value in zip(FACTORS[1:], seen[normed][1:], strict=True):
            about: dict[str, Any] = {"kind": "estimated", "normalized": " and ".join(normed), "factor of the keys": f}
            ratio, error = value / seen[normed][0], ROUNDING * value / seen[normed][0]
            if normed == "QK":
                rows.append(control(ratio, "=", 1.0, standard_error=error, **about))
            else:
                rows.append(counterexample(ratio, "=", 1.0, truth=f, standard_error=error, **about))
    shown = [(FACTORS, values, "norm of " + " and ".join(name)) for name, values in seen.items()]
    return Evidence(rows, draw=curves(shown, x="factor of the keys", y="spread of the scores"), seed=SEED)
