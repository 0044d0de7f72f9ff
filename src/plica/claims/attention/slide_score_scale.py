r"""The scale of the scores, as printed: the square root of the embedding dimension.

Claim
    Dividing the scores of a head by d_emb^{1/2} gives them unit variance, for queries and keys with independent unit entries.
Source
    Theories of Deep Learning, lecture 4, slide of the transformer block [oxford-lecture-4].
Prediction
    1, the variance of q . k / d_emb^{1/2}
Measurement
    the mean square of the scores of plica.models.attention.Attend for random queries and keys of a head of dimension d_head =
    d_emb / h, multiplied by d_head / d_emb, with its standard error
Remark
    The variance is d_head / d_emb = 1/h. The scale is that of the head, d_head^{1/2} [vaswani2017]: the claim score-scale.
"""

from __future__ import annotations

from typing import Any

from plica.claims import Evidence, control, counterexample
from plica.claims.attention._curves import curves
from plica.claims.attention.score_scale import SEED, of_the_core

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("score-scale",)


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    for d_emb, heads in ((64, 1), (64, 2), (512, 8), (12288, 96)):
        measured, error = of_the_core(d_emb // heads, 200_000 if scale == "full" else 10_000)
        factor = d_emb // heads / d_emb
        about: dict[str, Any] = {"kind": "estimated", "standard_error": error * factor, "d_emb": d_emb, "heads": heads}
        value = measured * factor
        seen[heads] = value
        rows.append(
            control(value, "=", 1.0, **about) if heads == 1 else counterexample(value, "=", 1.0, truth=1 / heads, **about)
        )
    shown = [(list(seen), list(seen.values()), "divided by the root of d_emb")]
    return Evidence(
        rows, draw=curves(shown, [(list(seen), [1 / h for h in seen], "1/h")], x="heads h", y="mean square"), seed=SEED
    )
