r"""The growth bound for hard-tanh, printed for ReLU.

Claim
    For ReLU networks with weights N(0, sigma_w^2 / n) the expected length of a curve grows at least like B^d over d layers,
    B = sigma_w sqrt(n) / sqrt(s^2 + n s) with s^2 = sigma_w^2 + sigma_b^2.
Source
    Theories of Deep Learning, lecture 4, as a theorem of M. Raghu et al. "with ReLU activations" [oxford-lecture-4]; the
    formula is the one for hard-tanh, and there the unknown constant is inside the power [raghu2017].
Prediction
    plica.theory.lengths.raghu_2017_hard_tanh_base, the base B
Measurement
    the growth of the mean length of a random circle in one layer over random ReLU networks (plica.measure.Ensemble); the truth is
    plica.theory.lengths.relu_length_factor
Remark
    At He's initialization B = 1.18 for n = 64, but lengths shrink, by 0.990 a layer: no constant outside the power saves
    the bound for large d. The exact law is the claim relu-length-law.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, counterexample, row
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.lengths import raghu_2017_hard_tanh_base, relu_length_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("relu-length-law", "price-tanner-2019")
SEED = 2017


def check(scale: str) -> Evidence:
    n_networks = 8_000 if scale == "full" else 1_000
    rows = []
    for n in (16, 64):
        for weight_std in (1.2, sqrt(2.0), 4.0):
            lengths = circle_growth(n, 1, weight_std=weight_std, n_networks=n_networks, seed=SEED, n_points=16)
            measured, error = float(lengths.ratios[0]), float(lengths.ratio_errors[0])
            predicted = raghu_2017_hard_tanh_base(n, weight_std=weight_std)
            true = relu_length_factor(n, n, weight_std=weight_std)
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "n": n, "sigma_w": round(weight_std, 4)}
            rows.append(
                row(measured, ">=", predicted, **about)
                if weight_std == 4.0
                else counterexample(measured, ">=", predicted, truth=true, **about)
            )
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """The printed base, the exact factor of ReLU layers and what was measured, against sigma_w."""
    sigmas = np.geomspace(0.8, 5.0, 30)
    ax.plot(
        sigmas, [raghu_2017_hard_tanh_base(64, weight_std=float(s)) for s in sigmas], "--", color=BOUND, label="printed bound"
    )
    ax.plot(sigmas, [relu_length_factor(64, 64, weight_std=float(s)) for s in sigmas], color=PREDICTION, label="exact")
    chosen = [r for r in rows if r.parameters["n"] == 64]
    ax.plot([r.parameters["sigma_w"] for r in chosen], [r.measured for r in chosen], "o", color=MEASUREMENT, label="measured")
    factor_axes(ax, r"$\sigma_w$, width 64", xscale="log", yscale="log")
