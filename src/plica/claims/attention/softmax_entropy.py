r"""The entropy of attention with Gaussian scores is log L - b^2/2, for b up to 1.

Claim
    The weights of a query whose L scores are independent Gaussians with standard deviation b <= 1 have the entropy log L - b^2/2,
    for many keys.
Source
    Follows from the law of large numbers for the sums of e^s and s e^s; the setting is that of A. Vaswani et al., NeurIPS 2017,
    section 3.2.1 [vaswani2017].
Prediction
    b^2/2 below log L, the entropy of equal weights: log L - plica.theory.attention.softmax_entropy(L, b), within a twentieth
Measurement
    log L minus the mean of plica.measure.attention_entropy over random queries, with its standard error
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.measure import attention_entropy
from plica.theory.attention import softmax_entropy

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-scale-invariant", "softmax-entropy-any-scale")
SEED = 512


def mean_entropy(n_keys: int, b: float, n_queries: int) -> tuple[float, float]:
    scores = b * np.random.default_rng(SEED).normal(size=(n_queries, n_keys))
    weights = np.exp(scores - scores.max(1, keepdims=True))
    found = attention_entropy(weights)
    return float(found.mean()), float(found.std() / np.sqrt(n_queries))


def check(scale: str) -> Evidence:
    n_queries = 20_000 if scale == "full" else 2_000
    rows, deviations = [], (0.5, 0.75, 1.0)
    for n_keys in (512, 2048):
        for b in deviations:
            measured, error = mean_entropy(n_keys, b, n_queries)
            predicted = log(n_keys) - softmax_entropy(n_keys, b)
            about: dict[str, Any] = {"keys": n_keys, "b": b, "what": "log L - entropy"}
            rows.append(
                row(log(n_keys) - measured, "=", predicted, tolerance=0.05, kind="estimated", standard_error=error, **about)
            )
    wide = (*deviations, 1.5, 2.0, 3.0, 4.0)
    seen = (wide, [mean_entropy(512, b, 200)[0] for b in wide], "512 keys")
    law = (wide, [softmax_entropy(512, b) for b in wide], "log L - b^2/2")
    draw = curves([seen], [law], x="standard deviation b of the scores", y="entropy (nats)", log="")
    return Evidence(rows, draw=draw, seed=SEED)
