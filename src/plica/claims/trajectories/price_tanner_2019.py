r"""Price and Tanner: a lower bound for the growth of lengths, also with sparse weights.

Claim
    With weights N(0, sigma_w^2 / n_in), each kept with probability alpha, a ReLU layer multiplies the expected length of a
    curve at least by alpha sigma_w sqrt(n_out / n_in) / sqrt(2 pi), with equality for one unit and a segment along a
    coordinate.
Source
    I. Price, J. Tanner, Trajectory growth lower bounds for random sparse deep ReLU networks (2019) [price2019]; the
    normalization by n is missing on the slide of Theories of Deep Learning, lecture 4 [oxford-lecture-4].
Prediction
    plica.theory.lengths.price_tanner_2019_lower_bound
Measurement
    the mean length of the image of a segment along a coordinate, for one unit, where both inequalities of the proof are
    equalities; and of a random circle, for as many units as inputs, where it is close to sigma_w sqrt(alpha / 2), over random
    networks (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, row
from plica.claims.trajectories._growth import circle_growth, one_unit
from plica.theory.lengths import price_tanner_2019_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("relu-length-law", "slide-raghu-relu")
SEED = 2019


def check(scale: str) -> Evidence:
    full = scale == "full"
    rows = []
    for n, sigma, density in ((1, 1.0, 1.0), (4, 2.0, 1.0), (4, 1.0, 0.5), (16, 1.0, 1.0), (9, 3.0, 0.25)):
        networks = round((400_000 if full else 6_000) / density)
        ratio, error = one_unit([1.0] + [0.0] * (n - 1), weight_std=sigma, density=density, n_networks=networks, seed=SEED)
        about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "n": n, "alpha": density, "sigma_w": sigma}
        bound = price_tanner_2019_lower_bound(n, 1, weight_std=sigma, density=density)
        rows.append(row(ratio, "=", bound, units=1, **about))
    for n in (16, 64):
        for density in (1.0, 0.5, 0.1):
            lengths = circle_growth(
                n, 1, weight_std=1.0, density=density, n_networks=8000 if full else 800, seed=SEED, n_points=16
            )
            ratio, error = float(lengths.ratios[0]), float(lengths.ratio_errors[0])
            about = {"kind": "estimated", "standard_error": error, "n": n, "alpha": density, "sigma_w": 1.0}
            bound = price_tanner_2019_lower_bound(n, n, weight_std=1.0, density=density)
            rows.append(row(ratio, ">=", bound, units=n, **about))
            if n == 64:
                rows.append(row(ratio, "=", sqrt(density / 2), tolerance=0.02, against="sigma_w sqrt(alpha / 2)", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Measured over bound: one where it is attained, sqrt(pi / alpha) in wide layers."""
    for units, color, label in ((1, MEASUREMENT, "one unit, along a coordinate"), (64, PREDICTION, "64 units, a circle")):
        chosen = [r for r in rows if r.parameters.get("units") == units]
        ratios = [r.measured / r.predicted for r in chosen]
        ax.plot([r.parameters["alpha"] for r in chosen], ratios, "o", color=color, label=label)
    ax.axhline(1.0, color=BOUND, linewidth=1, label="bound")
    ax.set_ylim(0)
    ax.set_xlabel(r"density $\alpha$")
    ax.set_ylabel("factor of a layer / bound")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
