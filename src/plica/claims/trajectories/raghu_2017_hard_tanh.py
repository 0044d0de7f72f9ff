r"""Raghu et al.: hard-tanh networks lengthen curves in proportion to the root of sigma_w.

Claim
    In wide hard-tanh networks with weights N(0, sigma_w^2 / k) the length of a curve grows by sqrt(chi_1) a layer, where chi_1 =
    sigma_w^2 P(|N(0, q*)| < 1); for large sigma_w this is (2 / pi)^{1/4} sqrt(sigma_w), the scaling of the theorem.
Source
    M. Raghu, B. Poole, J. Kleinberg, S. Ganguli, J. Sohl-Dickstein, ICML 2017, the theorem on trajectory growth (b), a lower
    bound O(sigma_w sqrt(k) / sqrt(s^2 + k s))^d with s^2 = sigma_w^2 + sigma_b^2 [raghu2017]; the constant is that of B. Poole
    et al. [poole2016].
Prediction
    plica.theory.meanfield.MeanField, its stretch sqrt(chi_1); at every width k the same share sqrt(chi_1 / sigma_w) of the base
    of the theorem, plica.theory.lengths.raghu_2017_hard_tanh_base
Measurement
    the growth of the mean length of a random circle in the last of several layers over random networks (plica.measure.Ensemble),
    started at the length that the network keeps
"""

from __future__ import annotations

from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, PREDICTION, REFERENCE
from plica.claims import Evidence, Row, row
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.lengths import raghu_2017_hard_tanh_base
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("raghu-2017-constant-one", "survey-2016-figure-2", "slide-raghu-relu")
SEED = 1606


def check(scale: str) -> Evidence:
    width, n_networks = (1024, 60) if scale == "full" else (256, 16)
    sigmas = (2.0, 4.0, 8.0, 16.0) if scale == "full" else (2.0, 4.0, 8.0)
    rows = []
    for sigma in sigmas:
        field = MeanField("hard-tanh", sigma)
        start = field.fixed_length() / sigma**2
        lengths = circle_growth(
            width, 5, weight_std=sigma, activation="hard-tanh", n_networks=n_networks, seed=SEED, mean_square=start, n_points=60
        )
        ratio, error = float(lengths.ratios[-1]), float(lengths.ratio_errors[-1])
        rows.append(
            row(ratio, "=", field.stretch, kind="estimated", standard_error=error, tolerance=0.02, sigma_w=sigma, k=width)
        )
    # how the bound depends on the width: the same share of it is found at every k
    share = MeanField("hard-tanh", 2.0).stretch / sqrt(2.0)
    for k in (4, 8, 16, 64):
        start = MeanField("hard-tanh", 2.0).fixed_length() / 4
        lengths = circle_growth(
            k, 5, weight_std=2.0, activation="hard-tanh", n_networks=16_000 // k, seed=SEED, mean_square=start, n_points=60
        )
        ratio, error = float(lengths.ratios[-1]), float(lengths.ratio_errors[-1])
        base = raghu_2017_hard_tanh_base(k, weight_std=2.0)
        about: dict[str, Any] = {"sigma_w": 2.0, "k": k, "what": "share of the bound"}
        rows.append(row(ratio / base, "=", share, kind="estimated", standard_error=error / base, tolerance=0.02, **about))
    for sigma in (100.0, 10_000.0):
        scaled = MeanField("hard-tanh", sigma).stretch / sqrt(sigma)
        rows.append(row(scaled, "=", (2 / pi) ** 0.25, tolerance=1 / sigma, sigma_w=sigma, k="infinite"))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED, note="The last rows compare sqrt(chi_1 / sigma_w) with its limit.")


def draw(rows: list[Row], ax: Axes) -> None:
    """The factor of a layer against sigma_w: measured, mean field, and the base of the theorem with constant one."""
    sigmas = np.geomspace(1.0, 16.0, 40)
    ax.plot(
        sigmas, [MeanField("hard-tanh", float(s)).stretch for s in sigmas], color=PREDICTION, label=r"mean field $\sqrt{\chi_1}$"
    )
    base = [raghu_2017_hard_tanh_base(1024, weight_std=float(s)) for s in sigmas]
    ax.plot(sigmas, base, "--", color=BOUND, label="base of the theorem, constant 1")
    ax.plot(sigmas, (2 / pi) ** 0.25 * np.sqrt(sigmas), ":", color=REFERENCE, label=r"$(2/\pi)^{1/4}\sqrt{\sigma_w}$")
    measured = [r for r in rows if r.kind == "estimated" and "what" not in r.parameters]
    ax.plot([r.parameters["sigma_w"] for r in measured], [r.measured for r in measured], "o", color=MEASUREMENT, label="measured")
    factor_axes(ax, r"$\sigma_w$", xscale="log", yscale="log")
