r"""Sparsity against attacks, as printed: of the network.

Claim
    The effect of sparsity on attacks in the cited paper comes from a sparse network: with all weights kept it is that of no
    defense.
Source
    Theories of Deep Learning, lecture 15, on robustness and sparsity of networks, citing Gopalakrishnan et al. 2018
    [oxford-lecture-15].
Prediction
    1, the share of an attack's effect on a linear classifier that is left when no weight is pruned
Measurement
    that share for dense Gaussian weights, N = 64, with K coefficients of the input kept by the front end of the paper
Remark
    The paper sparsifies the input, not the network: K/N is left though every weight is kept [gopalakrishnan2018], the claim
    gopalakrishnan-2018-sparse-input. For weights see the claim pruning-max-norm.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

from plica.claims import Evidence, control, counterexample
from plica.claims.robustness.gopalakrishnan_2018_sparse_input import draw, shares

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("gopalakrishnan-2018-sparse-input", "pruning-max-norm")


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    for K in (64, 32, 8):
        found = shares(64, K, 2_000)
        seen[K / 64] = float(found.mean())
        about: dict[str, Any] = {"kind": "estimated", "standard_error": float(found.std() / sqrt(2_000)) + 1e-12}
        about |= {"N": 64, "kept": K, "weights": "all"}
        if K == 64:
            rows.append(control(float(found.mean()), "=", 1.0, **about))
        else:
            rows.append(counterexample(float(found.mean()), "=", 1.0, truth=K / 64, **about))
    return Evidence(rows, draw=partial(draw, seen), seed=1803)
