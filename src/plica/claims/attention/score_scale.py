r"""Scores divided by the square root of the head's dimension have unit variance.

Claim
    q . k / d_head^{1/2} has variance 1 for queries and keys with independent entries of mean 0 and variance 1, whatever the
    number of heads: d_head is the dimension of one head, not that of the token.
Source
    A. Vaswani et al., NeurIPS 2017, section 3.2.1 [vaswani2017].
Prediction
    1
Measurement
    the mean square of the scores of plica.models.attention.Attend for Gaussian queries and keys, and of
    plica.models.attention.Attention with orthogonal projections, 64 dimensions and 1 to 16 heads, with its standard error
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import torch

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.models.attention import Attend, Attention

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-score-scale", "score-variance-by-exponent")
SEED = 17
D_MODEL = 64


def mean_square(scores: torch.Tensor | None) -> tuple[float, float]:
    """Of independent draws, with its standard error."""
    assert scores is not None
    squares = scores.double().flatten(1).square().mean(1)
    return float(squares.mean()), float(squares.std() / sqrt(len(squares)))


def of_the_core(d: int, n: int) -> tuple[float, float]:
    """The mean square of q . k / sqrt(d) in the core, for n random pairs, and its standard error."""
    q, k = torch.randn(2, n, 1, d, generator=torch.Generator().manual_seed(SEED))
    return mean_square(Attend().explain(q[:, None], k[:, None], k[:, None]).scores)


def check(scale: str) -> Evidence:
    n = 1_000_000 if scale == "full" else 50_000
    rows, seen = [], {}
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        for d in (1, 16, 64, 128):
            seen[d], error = of_the_core(d, n)
            rows.append(row(seen[d], "=", 1.0, kind="estimated", standard_error=error, layer="core", d_head=d))
        for n_heads in (1, 4, 16):
            layer = Attention(D_MODEL, n_heads, bias=False)
            for projection in (layer.q_proj, layer.k_proj):
                torch.nn.init.orthogonal_(projection.weight)
            x, y = torch.randn(2, n // 10, 1, D_MODEL)
            measured, error = mean_square(layer.explain(x, y).scores)
            about: dict[str, Any] = {"layer": f"{n_heads} heads of a layer of width {D_MODEL}", "d_head": D_MODEL // n_heads}
            rows.append(row(measured, "=", 1.0, kind="estimated", standard_error=error, **about))
    draw = curves(
        [(list(seen), list(seen.values()), "divided by d^(1/2)"), (list(seen), [d * v for d, v in seen.items()], "not divided")],
        x="dimension of the head", y="mean square of the scores",
    )  # fmt: skip
    return Evidence(rows, draw=draw, seed=SEED)
