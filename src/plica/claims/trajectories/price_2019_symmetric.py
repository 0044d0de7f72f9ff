r"""Price and Tanner: the growth bound for uniform, discrete and sparse weights.

Claim
    With independent symmetric weights w, each kept with probability alpha, a ReLU layer from n_in to n_out units multiplies the
    expected length of a curve at least by alpha sqrt(n_out) E|w| / (2 sqrt(2)): alpha C / (4 sqrt(2)) for weights uniform on
    +-C / sqrt(n), alpha c / (2 sqrt(2)) for weights +-c / sqrt(n), n = n_in = n_out.
Source
    I. Price, J. Tanner (2019) [price2019], with Szarek's constant in Khintchine's inequality [szarek1976].
Prediction
    plica.theory.lengths.symmetric_lower_bound
Measurement
    the mean length of a random circle after one layer over random networks (plica.measure.Ensemble), over its length before; and
    that of a segment along (1, 1, 0, ...) for one unit with weights +-1, where the bound is attained
Remark
    Measured growth is close to Jensen's upper bound, plica.theory.lengths.relu_length_factor_upper_bound, two to seven
    times the lower bound.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.claims.trajectories._growth import circle_growth, one_unit
from plica.theory.lengths import relu_length_factor_upper_bound, symmetric_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("price-tanner-2019", "price-2019-figure-3")
SEED = 1911
#: sqrt(n) E|w| and sqrt(n) times the standard deviation of each kind of weights
SCHEMES = {"uniform": (0.5, 1 / sqrt(3.0)), "discrete": (1.0, 1.0)}


def check(scale: str) -> Evidence:
    n_networks = 5000 if scale == "full" else 1600
    rows = []
    for n in (16, 64) if scale == "quick" else (16, 64, 256):
        for weights, (mean_absolute, deviation) in SCHEMES.items():
            for density in (1.0, 0.5, 0.1):
                lengths = circle_growth(
                    n, 1, weight_std=1.0, weights=weights, density=density, n_networks=n_networks, seed=SEED, n_points=20
                )
                ratio, error = float(lengths.ratios[0]), float(lengths.ratio_errors[0])
                about: dict[str, Any] = {
                    "kind": "estimated",
                    "standard_error": error,
                    "weights": weights,
                    "n": n,
                    "alpha": density,
                }
                rows.append(row(ratio, ">=", symmetric_lower_bound(n, n, mean_absolute=mean_absolute, density=density), **about))
                upper = relu_length_factor_upper_bound(n, n, weight_std=deviation, density=density)
                rows.append(row(ratio, "<=", upper, **about))
    # two coordinates alike are where Khintchine's inequality has its constant: signs cancel half of the time
    for n in (2, 5):
        ratio, error = one_unit([1.0, 1.0] + [0.0] * (n - 2), weight_std=1.0, weights="discrete", n_networks=8000, seed=SEED)
        bound = symmetric_lower_bound(n, 1, mean_absolute=1.0)
        about = {"kind": "estimated", "standard_error": error, "weights": "discrete, one unit", "n": n, "alpha": 1.0}
        rows.append(row(ratio, "=", bound, **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Measured factors between the two bounds, against density."""
    for color, weights in zip(SERIES, SCHEMES, strict=False):
        chosen = [r for r in rows if r.parameters["weights"] == weights and r.parameters["n"] == 64]
        alphas = [r.parameters["alpha"] for r in chosen[::2]]
        ax.plot(alphas, [r.measured for r in chosen[::2]], "o-", color=color, markersize=4, label=f"{weights}, measured")
        ax.plot(alphas, [r.predicted for r in chosen[::2]], "--", color=color, label=f"{weights}, lower bound")
        ax.plot(alphas, [r.predicted for r in chosen[1::2]], ":", color=color, label=f"{weights}, Jensen's upper bound")
    ax.set_xlabel(r"density $\alpha$")
    ax.set_ylabel("factor of one layer")
    ax.set(xscale="log", yscale="log")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=7)
