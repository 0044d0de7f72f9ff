r"""Price and Tanner: a lower bound for the growth of lengths, also with sparse weights.

Claim
    With weights N(0, sigma_w^2 / n), each kept with probability alpha, the expected length of a curve grows per layer at
    least by alpha sigma_w / sqrt(2 pi).
Source
    I. Price, J. Tanner, Trajectory growth lower bounds for random sparse deep ReLU networks (2019) [price2019]; the
    normalization by n is missing on the slide of Theories of Deep Learning, lecture 4 [oxford-lecture-4].
Prediction
    plica.theory.lengths.price_tanner_2019_lower_bound
Measurement
    the mean length of the image of a unit tangent vector after one layer, by simulation; it is close to sigma_w sqrt(alpha
    / 2)
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.trajectories._tangents import tangent_growth
from plica.theory.lengths import price_tanner_2019_lower_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("relu-length-law", "slide-raghu-relu")
SEED = 2019


def check(scale: str) -> Evidence:
    n_samples = 20_000 if scale == "full" else 2_000
    rows = []
    for n in (16, 64):
        for density in (1.0, 0.5, 0.1):
            ((measured, error),) = tangent_growth(
                [n, n], weight_std=1.0, bias_std=0.0, density=density, n_samples=n_samples, seed=SEED
            )
            predicted = price_tanner_2019_lower_bound(n, n, weight_std=1.0, density=density)
            rows.append(row(measured, ">=", predicted, kind="estimated", standard_error=error, n=n, alpha=density))
    return Evidence(rows, seed=SEED)
