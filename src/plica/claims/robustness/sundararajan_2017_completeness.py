r"""Sundararajan, Taly and Yan: integrated gradients are complete.

Claim
    Integrated gradients along a straight path from a baseline to x add up to f(x) - f(baseline).
Source
    M. Sundararajan, A. Taly and Q. Yan, Axiomatic Attribution for Deep Networks, ICML 2017, Proposition 1 [sundararajan2017].
Prediction
    a sum without remainder
Measurement
    plica.measure.integrated_gradients in fractions: the gradient on every piece of the line times its length
Remark
    The usual sums over 10, 50 or 300 gradients miss it; the rows say by how much, relative to the largest attribution.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, row
from plica.measure import integrated_gradients
from plica.network import random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEED = 17


def check(scale: str) -> Evidence:
    rows, misses = [], []
    shapes = [(3, 10, 1), (5, 16, 16, 2)] + ([(20, 40, 40, 3)] if scale == "full" else [])
    for widths in shapes:
        for seed in range(SEED, SEED + (2 if scale == "quick" else 5)):
            net = random_network(widths, seed=seed, weights="he-normal", bias_std=0.5)
            x, baseline = 3 * np.random.default_rng(seed).normal(size=(2, widths[0]))
            found = integrated_gradients(net, x, baseline, exact=True)
            about: dict[str, Any] = {"widths": widths, "seed": seed, "pieces": found.n_pieces}
            rows.append(row(found.defect, "=", 0, what="what is missing from the sum", **about))
            size = float(np.abs(found.values).max())
            for steps in (10, 50, 300):
                miss = float(np.abs(found.riemann(steps) - found.values).max()) / size
                misses.append((steps, found.n_pieces, miss))
                rows.append(control(miss, "<=", 2 * found.n_pieces / steps, what=f"error of a sum of {steps} steps", **about))
    return Evidence(rows, draw=partial(draw, misses), seed=SEED)


def draw(misses: list[tuple[int, int, float]], ax: Axes) -> None:
    """How much the usual sums miss, against gradients for each piece; the sum over pieces misses nothing."""
    x = [steps / pieces for steps, pieces, _ in misses]
    ax.loglog(x, [miss for _, _, miss in misses], "o", color=MEASUREMENT, label="sums of 10, 50, 300 gradients")
    ends = [min(x), max(x)]
    ax.loglog(ends, [1 / v for v in ends], color=REFERENCE, linewidth=1, label="pieces / gradients")
    ax.set(xlabel="gradients for each piece of the line", ylabel="error, relative to the largest attribution")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
