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
    that share for dense Gaussian weights, N = 64, with K coefficients of the input kept by the front end of the paper; the same
    by plica.robust.attacks.fgsm on the classifier and its front end
Remark
    The paper sparsifies the input, not the network: K/N is left though every weight is kept [gopalakrishnan2018], the claim
    gopalakrishnan-2018-sparse-input. For weights see the claim pruning-max-norm.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from plica.claims import Evidence, control, counterexample
from plica.claims.robustness.gopalakrishnan_2018_sparse_input import draw, shares, signed

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("gopalakrishnan-2018-sparse-input", "pruning-max-norm")


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    for K in (64, 32, 8):
        share = shares(64, K, 2_000)
        seen[K / 64] = float(share.mean())
        about: dict[str, Any] = {"kind": "estimated", "standard_error": float(share.std() / sqrt(2_000)) + 1e-12}
        about |= {"N": 64, "kept": K, "weights": "all"}
        if K == 64:
            rows.append(control(float(share.mean()), "=", 1.0, **about))
        else:
            rows.append(counterexample(float(share.mean()), "=", 1.0, truth=K / 64, **about))
    rng = np.random.default_rng(1803)
    for K in (64, 8):
        w, support = rng.normal(size=64), rng.choice(64, K, replace=False)
        left = float(np.abs(w[support]).sum() / np.abs(w).sum())
        found = signed(w, support, 1.0) / float(np.abs(w).sum())
        told: dict[str, Any] = {
            "kind": "estimated",
            "standard_error": 1e-13,
            "N": 64,
            "kept": K,
            "weights": "all",
            "attack": "fgsm",
        }
        rows.append(control(found, "=", 1.0, **told) if K == 64 else counterexample(found, "=", 1.0, truth=left, **told))
    return Evidence(rows, draw=partial(draw, seen), seed=1803)
