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
    the growth of the mean length of a tangent vector per layer over random ReLU networks, by simulation; the exact value is
    plica.theory.lengths.relu_length_factor
Remark
    At He's initialization B = 1.18 for n = 64, but lengths shrink, by 0.990 a layer: no constant outside the power saves
    the bound for large d. The exact law is the claim relu-length-law.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from plica.claims import Evidence, counterexample, row
from plica.claims.trajectories._tangents import tangent_growth
from plica.theory.lengths import raghu_2017_hard_tanh_base, relu_length_factor

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("relu-length-law", "price-tanner-2019")
SEED = 2017


def check(scale: str) -> Evidence:
    n_samples = 20_000 if scale == "full" else 2_000
    rows = []
    for n in (16, 64):
        for weight_std in (1.2, sqrt(2.0), 4.0):
            ((measured, error),) = tangent_growth([n, n], weight_std=weight_std, bias_std=0.0, n_samples=n_samples, seed=SEED)
            predicted = raghu_2017_hard_tanh_base(n, weight_std=weight_std)
            true = relu_length_factor(n, n, weight_std=weight_std)
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "n": n, "sigma_w": round(weight_std, 4)}
            rows.append(
                row(measured, ">=", predicted, **about)
                if weight_std == 4.0
                else counterexample(measured, ">=", predicted, truth=true, **about)
            )
    return Evidence(rows, seed=SEED)
