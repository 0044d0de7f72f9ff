r"""The growth theorem for hard-tanh read with constant one.

Claim
    In hard-tanh networks of width k with weights N(0, sigma_w^2 / k) the expected length of a curve grows at least by
    sigma_w sqrt(k) / sqrt(s^2 + k s), s^2 = sigma_w^2 + sigma_b^2, a layer.
Source
    The base of the growth theorem (b) of M. Raghu et al., ICML 2017 [raghu2017], without its constant; the slides of Theories
    of Deep Learning, lecture 4, move that constant out of the power [oxford-lecture-4].
Prediction
    plica.theory.lengths.raghu_2017_hard_tanh_base
Measurement
    the growth of the mean length of a random circle in the last of several layers over random networks (plica.measure.Ensemble)
Remark
    In the theorem the constant stands inside the power and is unknown, so the base alone bounds nothing. The true factor of wide
    networks is sqrt(chi_1), smaller by (2 / pi)^{1/4} for large sigma_w: the claim raghu-2017-hard-tanh. Layers of 100 units are
    not wide enough for it at sigma_w = 8: 400 networks of them grew by 2.467 +- 0.008 where sqrt(chi_1) is 2.568.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, counterexample
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.lengths import raghu_2017_hard_tanh_base
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (reading)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("raghu-2017-hard-tanh", "slide-raghu-relu")
SEED = 1606


def check(scale: str) -> Evidence:
    k, n_networks = (800, 40) if scale == "full" else (200, 24)
    rows = []
    for sigma in (2.0, 4.0, 8.0):
        start = MeanField("hard-tanh", sigma).fixed_length() / sigma**2
        lengths = circle_growth(
            k, 5, weight_std=sigma, activation="hard-tanh", n_networks=n_networks, seed=SEED, mean_square=start, n_points=60
        )
        ratio, error = float(lengths.ratios[-1]), float(lengths.ratio_errors[-1])
        base = raghu_2017_hard_tanh_base(k, weight_std=sigma)
        slope = sqrt(MeanField("hard-tanh", sigma).chi_1)
        rows.append(
            counterexample(
                ratio, ">=", base, truth=slope, tolerance=0.02, kind="estimated", standard_error=error, sigma_w=sigma, k=k
            )
        )
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """The base with constant one, the factor of wide networks and the measured one."""
    sigmas = [r.parameters["sigma_w"] for r in rows]
    ax.plot(sigmas, [r.predicted for r in rows], "--", color=BOUND, label="base, constant 1")
    ax.plot(sigmas, [r.truth for r in rows], color=PREDICTION, label=r"$\sqrt{\chi_1}$")
    ax.plot(sigmas, [r.measured for r in rows], "o", color=MEASUREMENT, label=f"measured, k = {rows[0].parameters['k']}")
    factor_axes(ax, r"$\sigma_w$", ylim=(0, 3))
