r"""Pruning lowers the norm that bounds sup-norm perturbations.

Claim
    A matrix moves points by max_i sum_j |W_ij| at most where their entries move by one, and by as much in some direction. Setting
    weights to zero does not increase it, so the Lipschitz bound prod_l max_i sum_j |W_ij| of a ReLU network for sup-norm
    perturbations does not grow.
Source
    Y. Guo, C. Zhang, C. Zhang, Y. Chen, Sparse DNNs with Improved Adversarial Robustness, NeurIPS 2018 [guo2018].
Prediction
    the product before pruning; for one matrix max_i sum_j |W_ij| itself, and no more after pruning
Measurement
    the product for random integer matrices with random entries set to zero, in exact integers; the largest entry of W x over all
    2^8 signs x, where the maximum of a convex function on the cube must be; both beside plica.measure.lipschitz
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from plica.claims import Evidence, row
from plica.claims._draw import pairs_on_diagonal
from plica.geometry import Segment, decompose
from plica.measure import Lipschitz, lipschitz
from plica.network import Linear, Network, Rectifier

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("pruning-spectral-norm",)
SEED = 13


def bound(matrices: list[np.ndarray]) -> int:
    return prod(int(np.abs(W).sum(1).max()) for W in matrices)


def largest_move(W: np.ndarray) -> int:
    """The largest entry that W makes of a corner of the cube."""
    n = W.shape[1]
    signs = 2 * (np.arange(2**n)[:, None] >> np.arange(n) & 1) - 1
    return int(np.abs(signs @ W.T).max())


def by_library(matrices: list[np.ndarray]) -> Lipschitz:
    """The constant for the sup-norm of a network with these matrices, on a segment; that of one matrix is the same everywhere."""
    layers = [op for W in matrices for op in (Linear(W.astype(float)), Rectifier())][:-1]
    return lipschitz(decompose(Network.sequential(8, layers), Segment(-np.ones(8), np.ones(8))), norm="linf")


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for density in (0.9, 0.5, 0.1):
        for trial in range(50 if scale == "full" else 6):
            matrices = [rng.integers(-9, 10, (8, 8)) for _ in range(3)]
            pruned = [W * (rng.random(W.shape) < density) for W in matrices]
            if trial < 2:
                for W, cut in zip(matrices, pruned, strict=True):
                    rows.append(row(largest_move(W), "=", bound([W]), what="one matrix, attained", density=density, trial=trial))
                    rows.append(row(by_library([W]).value.exact, "=", bound([W]), what="library", density=density, trial=trial))
                    rows.append(row(largest_move(cut), "<=", largest_move(W), what="and after", density=density, trial=trial))
                found = by_library(pruned)
                about: dict[str, Any] = {"density": density, "trial": trial}
                rows.append(row(found.product_bound, "=", bound(pruned), what="product by the library, after", **about))
                rows.append(row(found.value.exact, "<=", bound(pruned), what="on a segment, after", **about))
            rows.append(row(bound(pruned), "<=", bound(matrices), density=density, trial=trial))
    products = [r for r in rows if "what" not in r.parameters]
    return Evidence(rows, draw=pairs_on_diagonal(products, "trial", x="bound before pruning", y="bound after"), seed=SEED)
