r"""Figure 3 of Price and Tanner: measured growth beside the bound, over sigma_w and alpha.

Claim
    For Gaussian weights N(0, sigma_w^2 / n) kept with probability alpha, the measured growth of lengths per ReLU layer lies above
    alpha sigma_w / sqrt(2 pi) for all sigma_w and alpha; it follows sigma_w sqrt(alpha / 2), so the gap is sqrt(pi / alpha).
Source
    I. Price, J. Tanner (2019), Figure 3 [price2019].
Prediction
    plica.theory.lengths.price_tanner_2019_lower_bound, plica.theory.lengths.relu_length_factor_upper_bound, the limit of wide
    layers, and sqrt(pi / alpha) between them
Measurement
    the mean growth per layer of a random circle through deep random networks (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.lengths import price_tanner_2019_lower_bound, relu_length_factor_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("price-tanner-2019", "price-2019-symmetric", "sparse-growth-threshold")
SEED = 3


def growth(weight_std: float, density: float, *, width: int, depth: int, n_networks: int, seed: int) -> dict[str, float]:
    """The mean growth per layer and its standard error: one task of a sweep."""
    lengths = circle_growth(width, depth, weight_std=weight_std, density=density, n_networks=n_networks, seed=seed, n_points=16)
    rate, error = lengths.growth
    return {"growth": rate, "standard_error": error}


def check(scale: str) -> Evidence:
    width, depth, n_networks = (784, 10, 30) if scale == "full" else (128, 4, 40)
    sigmas = (0.5, 1.0, 2.0, 4.0, 6.0, 8.0) if scale == "full" else (1.0, 2.0, 4.0)
    densities = (1.0, 0.75, 0.5, 0.25, 0.1) if scale == "full" else (1.0, 0.5, 0.1)
    rows = []
    curves: dict[float, list[tuple[float, float]]] = {}
    for density in densities:
        curves[density] = []
        for i, sigma in enumerate(sigmas):  # other networks for each sigma_w: lengths are proportional to it in one network
            found = growth(sigma, density, width=width, depth=depth, n_networks=n_networks, seed=SEED + i)
            rate, error = found["growth"], found["standard_error"]
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "sigma_w": sigma, "alpha": density}
            bound = price_tanner_2019_lower_bound(width, width, weight_std=sigma, density=density)
            rows.append(row(rate, ">=", bound, **about))
            gap: dict[str, Any] = about | {"standard_error": error / bound, "what": "gap"}
            rows.append(row(rate / bound, "=", sqrt(pi / density), tolerance=0.02 if width < 500 else 0.01, **gap))
            wide = relu_length_factor_upper_bound(width, width, weight_std=sigma, density=density)
            rows.append(row(rate, "=", wide, tolerance=0.02 if width < 500 else 0.01, **about))
            curves[density].append((sigma, rate))
    return Evidence(rows, draw=partial(draw, curves, width), seed=SEED)


def draw(curves: dict[float, list[tuple[float, float]]], width: int, ax: Axes) -> None:
    """Measured growth solid, the bound dashed, a color for each density."""
    for color, (density, points) in zip(SERIES, curves.items(), strict=False):
        sigmas = [s for s, _ in points]
        ax.plot(sigmas, [g for _, g in points], "o-", color=color, markersize=3, label=rf"$\alpha$ = {density}")
        bound = [price_tanner_2019_lower_bound(width, width, weight_std=s, density=density) for s in sigmas]
        ax.plot(sigmas, bound, "--", color=color, linewidth=1)
    factor_axes(ax, r"$\sigma_w$", "growth per layer (dashed: bound)", yscale="log")
