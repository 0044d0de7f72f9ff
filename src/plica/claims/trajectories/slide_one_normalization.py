r"""What do three normalizations of the weights on three slides change?

Claim
    A network whose weights are N(0, sigma_w^2), as the model is introduced, lengthens curves by sqrt(n) times the factor of one
    whose weights are N(0, sigma_w^2 / n), as in the theorem of Raghu et al. two slides later.
Source
    Theories of Deep Learning, lecture 4 [oxford-lecture-4]; the theorems are in [raghu2017] and [price2019].
Prediction
    sqrt(n) times plica.theory.lengths.relu_length_factor with weights N(0, sigma_w^2 / n)
Measurement
    the mean growth of a random circle in one ReLU layer with weights N(0, sigma_w^2) (plica.measure.Ensemble)
Remark
    The factors differ by sqrt(n). With the weights as the model slide has them, the bound of Price and Tanner holds with the base
    sqrt(n) sigma_w / sqrt(2 pi); with the base as printed it needs weights of variance sigma_w^2 / n: the claim
    price-tanner-2019.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, row
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.lengths import price_tanner_2019_lower_bound, relu_length_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("price-tanner-2019", "relu-length-law")
SEED = 4
WIDTHS = (4, 16, 64)


def check(scale: str) -> Evidence:
    n_networks = 4000 if scale == "full" else 1000
    rows = []
    for n in WIDTHS:
        lengths = circle_growth(n, 1, weight_std=sqrt(n), n_networks=n_networks, seed=SEED, n_points=20)
        ratio, error = float(lengths.ratios[0]), float(lengths.ratio_errors[0])
        predicted = sqrt(n) * relu_length_factor(n, n, weight_std=1.0)
        rows.append(row(ratio, "=", predicted, kind="estimated", standard_error=error, n=n, sigma_w=1.0))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """The factor of one layer with the two normalizations, and the printed base."""
    n = [r.parameters["n"] for r in rows]
    ax.plot(n, [r.measured for r in rows], "X-", color=MEASUREMENT, label=r"weights $N(0, \sigma_w^2)$, measured")
    other = [r.predicted / sqrt(k) for k, r in zip(n, rows, strict=True)]
    ax.plot(n, other, "o-", color=PREDICTION, label=r"weights $N(0, \sigma_w^2/n)$, exact")
    bound = price_tanner_2019_lower_bound(1, 1, weight_std=1.0)
    ax.axhline(bound, color=BOUND, linestyle="--", linewidth=1, label=r"$\sigma_w/\sqrt{2\pi}$ as printed")
    factor_axes(ax, "width n", yscale="log", xscale="log")
