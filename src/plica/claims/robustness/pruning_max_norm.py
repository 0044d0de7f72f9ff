r"""Pruning lowers the norm that bounds sup-norm perturbations.

Claim
    Setting weights to zero does not increase max_i sum_j |W_ij|, so the Lipschitz bound prod_l max_i sum_j |W_ij| of a ReLU
    network for sup-norm perturbations does not grow.
Source
    Y. Guo, C. Zhang, C. Zhang, Y. Chen, Sparse DNNs with Improved Adversarial Robustness, NeurIPS 2018 [guo2018].
Prediction
    the product before pruning
Measurement
    the product for random integer matrices with random entries set to zero, in exact integers
"""

from __future__ import annotations

from math import prod

import numpy as np

from plica.claims import Evidence, row
from plica.claims._draw import pairs_on_diagonal

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("pruning-spectral-norm",)
SEED = 13


def bound(matrices: list[np.ndarray]) -> int:
    return prod(int(np.abs(W).sum(1).max()) for W in matrices)


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for density in (0.9, 0.5, 0.1):
        for trial in range(50 if scale == "full" else 6):
            matrices = [rng.integers(-9, 10, (8, 8)) for _ in range(3)]
            pruned = [W * (rng.random(W.shape) < density) for W in matrices]
            rows.append(row(bound(pruned), "<=", bound(matrices), density=density, trial=trial))
    return Evidence(rows, draw=pairs_on_diagonal(rows, "trial", x="bound before pruning", y="bound after"), seed=SEED)
