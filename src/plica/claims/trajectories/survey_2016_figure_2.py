r"""Figure 2 of the expressivity survey: length against depth, width and sigma_w.

Claim
    In hard-tanh networks the length of a circle grows exponentially with depth; its growth per layer rises with the width k and
    with sigma_w, and saturates at sqrt(chi_1) as k grows.
Source
    M. Raghu, B. Poole, J. Kleinberg, S. Ganguli, J. Sohl-Dickstein, Survey of Expressivity in Deep Neural Networks (2016),
    Figure 2 [raghu2016].
Prediction
    plica.theory.meanfield.MeanField for the widest networks: sqrt(chi_1) at the length that the last layer has
Measurement
    the growth of the mean length of a random circle in the last layer over random networks (plica.measure.Ensemble), for
    sigma_w^2 from 1 to 64 and k up to 1024 (quick: up to 256)
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("raghu-2017-hard-tanh", "raghu-2017-constant-one")
SEED = 1611
DEPTH = 8


def last_factor(width: int, weight_variance: float, *, n_networks: int, seed: int) -> dict[str, float]:
    """The growth in the last layer and its standard error: one task of a sweep."""
    lengths = circle_growth(
        width, DEPTH, weight_std=sqrt(weight_variance), activation="hard-tanh", n_networks=n_networks, seed=seed, n_points=40
    )
    return {"factor": float(lengths.ratios[-1]), "standard_error": float(lengths.ratio_errors[-1])}


def factor_of_layer(weight_variance: float, depth: int) -> float:
    """sqrt(chi_1) at the length q of layer ``depth`` for inputs with mean square one; at the fixed length if that is reached."""
    field = MeanField("hard-tanh", sqrt(weight_variance))
    q = float(field.lengths(field.first_length(1.0), n_layers=depth - 1)[-1])
    return sqrt(weight_variance * float(field.phi.slope_power(q)))


def check(scale: str) -> Evidence:
    full = scale == "full"
    widths = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) if full else (4, 16, 64, 256)
    variances = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0) if full else (2.0, 8.0, 32.0)
    table: dict[tuple[int, float], tuple[float, float]] = {}
    for variance in variances:
        for width in widths:
            found = last_factor(width, variance, n_networks=max(8, (120_000 if full else 24_000) // width), seed=SEED)
            table[width, variance] = (found["factor"], found["standard_error"])
    rows = []
    for variance in variances:
        wide, error = table[widths[-1], variance]
        limit = factor_of_layer(variance, DEPTH)
        tolerance = 3 * sqrt(variance) / widths[-1]
        about: dict[str, Any] = {"sigma_w^2": variance, "quantity": "factor at the largest width"}
        rows.append(row(wide, "=", limit, kind="estimated", standard_error=error, tolerance=tolerance, **about))
        for narrow, wider in zip(widths[1:], widths[5 if full else 3 :], strict=False):
            (a, ea), (b, eb) = table[narrow, variance], table[wider, variance]
            about = {"sigma_w^2": variance, "quantity": f"factor at k = {wider} against k = {narrow}"}
            rows.append(row(b, ">=", a, kind="estimated", standard_error=sqrt(ea**2 + eb**2), **about))
    for width in widths[2:]:
        for low, high in pairwise(variances):
            (a, ea), (b, eb) = table[width, low], table[width, high]
            about = {"sigma_w^2": high, "quantity": f"factor at k = {width} against sigma_w^2 = {low:g}"}
            rows.append(row(b, ">=", a, kind="estimated", standard_error=sqrt(ea**2 + eb**2), **about))
    return Evidence(rows, draw=partial(draw, table, widths, variances), seed=SEED)


def draw(
    table: dict[tuple[int, float], tuple[float, float]], widths: tuple[int, ...], variances: tuple[float, ...], ax: Axes
) -> None:
    """Growth per layer against width, a color for each sigma_w^2, dashed where mean field has it saturate."""
    for color, variance in zip(SERIES, variances, strict=False):
        ax.plot(
            widths,
            [table[k, variance][0] for k in widths],
            "o-",
            color=color,
            markersize=3,
            label=rf"$\sigma_w^2$ = {variance:g}",
        )
        ax.axhline(MeanField("hard-tanh", sqrt(variance)).stretch, color=color, linestyle="--", linewidth=0.8)
    factor_axes(ax, "width k", r"$l_{d+1} / l_d$ (dashed: $\sqrt{\chi_1}$)", xscale="log")
