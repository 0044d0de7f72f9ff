r"""Sparse random ReLU networks lengthen curves when alpha sigma_w^2 exceeds two.

Claim
    With weights N(0, sigma_w^2 / n) kept with probability alpha, the expected length of a curve in wide ReLU networks grows
    exponentially with depth if alpha sigma_w^2 > 2 and shrinks if alpha sigma_w^2 < 2.
Source
    Jensen's inequality for I. Price and J. Tanner's networks [price2019]: the factor of a layer is at most and, for wide
    layers, in the limit sigma_w sqrt(alpha / 2).
Prediction
    plica.theory.lengths.relu_length_factor_upper_bound, above or below one
Measurement
    the mean growth per layer of a random circle over random networks (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from plica._palette import REFERENCE, SERIES
from plica.claims import Evidence, Row, row
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.lengths import relu_length_factor_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("price-2019-bound-threshold", "price-2019-figure-3")
SEED = 2


def check(scale: str) -> Evidence:
    width, n_networks = (512, 200) if scale == "full" else (128, 60)
    rows = []
    for density in (1.0, 0.5, 0.1):
        for product in (1.5, 1.9, 2.2, 3.0):
            sigma = sqrt(product / density)
            lengths = circle_growth(width, 3, weight_std=sigma, density=density, n_networks=n_networks, seed=SEED, n_points=12)
            rate, error = lengths.growth
            relation = ">" if relu_length_factor_upper_bound(width, width, weight_std=sigma, density=density) > 1 else "<"
            about: dict[str, Any] = {"alpha": density, "alpha sigma_w^2": product}
            rows.append(row(rate, relation, 1.0, kind="estimated", standard_error=error, **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Growth per layer against alpha sigma_w^2: one curve for all densities."""
    for color, density in zip(SERIES, (1.0, 0.5, 0.1), strict=False):
        chosen = [r for r in rows if r.parameters["alpha"] == density]
        x = [r.parameters["alpha sigma_w^2"] for r in chosen]
        ax.plot(x, [r.measured for r in chosen], "o-", color=color, markersize=4, label=rf"$\alpha$ = {density}")
    ax.axvline(2.0, color=REFERENCE, linewidth=0.8, linestyle=":")
    factor_axes(ax, r"$\alpha\sigma_w^2$", "growth per layer")
