r"""Could the constant in the growth theorem for ReLU be one?

Claim
    No: in ReLU networks of width k with weights N(0, sigma_w^2 / k) the expected length of a curve grows by less than sigma_w
    sqrt(k) / sqrt(k + 1) a layer, namely by about sigma_w / sqrt(2).
Source
    The base of the growth theorem (a) of M. Raghu et al., ICML 2017 [raghu2017], where an unknown constant stands inside the
    power.
Prediction
    1 / sqrt(2) of plica.theory.lengths.raghu_2017_relu_base, whose values at the widths 1, 3 and 8 are those of the printed
    formula, and plica.theory.lengths.relu_length_factor
Measurement
    the mean growth of a random circle per layer over random networks (plica.measure.Ensemble)
Remark
    The exact factor is about sigma_w / sqrt(2): at He's initialization lengths shrink where the base is 1.4. The claims
    relu-length-law and hanin-jeong-rolnick-2022 have the exact law.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, control, row
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.lengths import raghu_2017_relu_base, relu_length_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("relu-length-law", "hanin-jeong-rolnick-2022", "slide-raghu-relu")
SEED = 1606


def check(scale: str) -> Evidence:
    n_networks = 1000 if scale == "full" else 60
    printed = {1: sqrt(2.0), 3: sqrt(3.0), 8: 4 * sqrt(2.0) / 3}  # 2 sqrt(k) / sqrt(k + 1)
    rows = [
        control(raghu_2017_relu_base(k, weight_std=2.0), "=", value, tolerance=1e-12, against="as printed", sigma_w=2.0, k=k)
        for k, value in printed.items()
    ]
    for sigma in (1.2, sqrt(2.0), 2.0, 4.0):
        lengths = circle_growth(64, 4, weight_std=sigma, n_networks=n_networks, seed=SEED, n_points=20)
        rate, error = lengths.growth
        base = raghu_2017_relu_base(64, weight_std=sigma)
        about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "sigma_w": round(sigma, 4), "k": 64}
        rows.append(row(rate, "<", base, against="base", **about))
        share = about | {"standard_error": error / base}
        rows.append(row(rate / base, "=", 1 / sqrt(2), tolerance=0.005, against="share of the base", **share))
        rows.append(row(rate, "=", relu_length_factor(64, 64, weight_std=sigma), against="exact law", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """The base, the exact factor and the measured one, against sigma_w."""
    chosen = [r for r in rows if r.parameters["against"] == "exact law"]
    sigmas = [r.parameters["sigma_w"] for r in chosen]
    ax.plot(sigmas, [raghu_2017_relu_base(64, weight_std=s) for s in sigmas], "--", color=BOUND, label="base of the theorem")
    ax.plot(sigmas, [r.predicted for r in chosen], color=PREDICTION, label="exact")
    ax.plot(sigmas, [r.measured for r in chosen], "o", color=MEASUREMENT, label="measured")
    factor_axes(ax, r"$\sigma_w$, width 64", xscale="log", yscale="log")
