r"""Do lengths grow only where the bound of Price and Tanner does?

Claim
    No: in random ReLU networks with weights N(0, sigma_w^2 / n) kept with probability alpha, lengths grow with depth where alpha
    sigma_w^2 > 2, also where the base of the bound, alpha sigma_w / sqrt(2 pi), is below one.
Source
    The lower bound is that of I. Price and J. Tanner (2019), who do not call it a threshold [price2019].
Prediction
    growth above one for alpha sigma_w^2 > 2 and below one for alpha sigma_w^2 < 2, while
    plica.theory.lengths.price_tanner_2019_lower_bound is below one
Measurement
    the mean growth per layer of a random circle over random networks (plica.measure.Ensemble)
Remark
    The threshold is alpha sigma_w^2 > 2: the claim sparse-growth-threshold. For alpha = 0.1 the bound asks for sigma_w > 25,
    while lengths grow from 4.5 on.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, Row, row
from plica.claims.trajectories._growth import circle_growth, factor_axes
from plica.theory.lengths import price_tanner_2019_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("sparse-growth-threshold", "price-tanner-2019")
SEED = 2


def check(scale: str) -> Evidence:
    n_networks = 400 if scale == "full" else 60
    rows = []
    for sigma, density in ((1.0, 1.0), (2.0, 1.0), (2.4, 0.5), (8.0, 0.1)):
        base = price_tanner_2019_lower_bound(64, 64, weight_std=sigma, density=density)
        lengths = circle_growth(64, 3, weight_std=sigma, density=density, n_networks=n_networks, seed=SEED, n_points=12)
        rate, error = lengths.growth
        about: dict[str, Any] = {"sigma_w": sigma, "alpha": density, "base": round(base, 4)}
        relation = ">" if density * sigma**2 > 2 else "<"
        rows.append(row(base, "<", 1.0, what="base of the bound", **about))
        rows.append(row(rate, relation, 1.0, kind="estimated", standard_error=error, what="growth", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Growth and bound of the same networks: growth passes one where the bound does not."""
    cases = list(dict.fromkeys((r.parameters["sigma_w"], r.parameters["alpha"]) for r in rows))
    for what, color, marker in (("growth", MEASUREMENT, "o"), ("base of the bound", BOUND, "_")):
        values = [r.measured for r in rows if r.parameters["what"] == what]
        ax.plot(range(len(cases)), values, marker, color=color, markersize=10, label=what)
    ax.set_xticks(range(len(cases)), [f"$\\sigma_w$ = {s:g}\n$\\alpha$ = {a:g}" for s, a in cases], fontsize=8)
    factor_axes(ax, "", "a layer", ylim=(0, 2))
