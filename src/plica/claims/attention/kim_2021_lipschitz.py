r"""Kim, Papamakarios and Mnih: dot-product attention has no Lipschitz constant.

Claim
    The derivative of dot-product self-attention has no bound: with one token at 0 and others at c and -c it grows like c^2, the
    variance of the tokens under the weights. With the score -|q - k|^2 and equal weights of queries and keys it stays bounded.
    Cosine scores do not see the scale at all: away from 0 the derivative of cosine attention at c X is that at X.
Source
    H. Kim, G. Papamakarios, A. Mnih, The Lipschitz Constant of Self-Attention, ICML 2021, Theorems 3.1 and 3.2 [kim2021].
Prediction
    a norm of at least 2 c^2 / 3 for three tokens 0, c, -c of dimension 1, the variance of the tokens under the uniform weights of
    the token at 0; for distances at most 5, above sqrt(3) (4 x + 1) with x e^{x + 1} = 2, which is 4.94; the same norm at every
    scale for cosine scores
Measurement
    plica.measure.jacobian_norms of plica.models.attention.Attention with unit weights and the scores q . k and -|q - k|^2, and
    with random weights and cosine scores
"""

from __future__ import annotations

import numpy as np
import torch

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.measure import jacobian_norms
from plica.models.attention import Attention, Cosine, Distance, Dot, Score

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-scale-invariant", "unit-rows-attend-uniformly")
SEED = 31
ROUNDING = 1e-9
SCALES = (1.0, 2.0, 4.0, 8.0, 16.0)


def unit_attention(score: Score) -> Attention:
    """One head of dimension 1 whose projections are the identity."""
    attention = Attention(1, 1, score=score, bias=False)
    with torch.no_grad():
        for parameter in attention.parameters():
            parameter.fill_(1.0)
    return attention


def check(scale: str) -> Evidence:
    tokens = np.array([[0.0], [1.0], [-1.0]])
    dot, distance = (jacobian_norms(unit_attention(score), tokens, scales=SCALES) for score in (Dot(), Distance(0.0)))
    rows = [
        row(float(norm), ">=", 2 * c * c / 3, kind="estimated", standard_error=ROUNDING, score="dot", c=c)
        for c, norm in zip(SCALES, dot, strict=True)
    ]
    for c, norm in zip(SCALES, distance, strict=True):
        rows.append(row(float(norm), "<=", 5.0, kind="estimated", standard_error=ROUNDING, score="distance", c=c))
    length, width = (16, 32) if scale == "full" else (6, 8)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        attention, X = Attention(width, 2, score=Cosine(), bias=False), torch.randn(length, width)
        plain = Attention(width, 2, score=Dot(), bias=False)
    cosine, random = (jacobian_norms(layer, X, scales=SCALES) for layer in (attention, plain))
    for c, norm in zip(SCALES, cosine, strict=True):
        rows.append(row(float(norm), "=", float(cosine[0]), kind="estimated", standard_error=ROUNDING, score="cosine", c=c))
    norms = (
        ("dot, tokens 0, c, -c", dot),
        ("distance, tokens 0, c, -c", distance),
        ("dot, random", random),
        ("cosine, random", cosine),
    )
    seen = [(SCALES, values.tolist(), name) for name, values in norms]
    return Evidence(rows, draw=curves(seen, x="scale of the tokens", y="norm of the derivative"), seed=SEED)
