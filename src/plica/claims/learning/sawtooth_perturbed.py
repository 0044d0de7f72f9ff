r"""A sawtooth network does not survive perturbed weights.

Claim
    When the parameters w of the sawtooth network with 64 pieces become w (1 + e) with normal e of variance 0.01 to 0.09, the
    mean number of affine pieces on [0, 1] falls below 64, and the more the larger the variance. Perturbing the weights alone
    destroys more pieces than perturbing the biases alone.
Source
    Summer@ICERM 2020, final presentation, on perturbed sawtooth networks [icerm-2020].
Prediction
    fewer than 64 pieces when all parameters or the weights are perturbed, fewer at variance 0.09 than at 0.01, and no fewer
    when the biases are perturbed than when the weights are
Measurement
    affine pieces on [0, 1], counted in fractions for each network, for the first ones by plica.count_regions too, averaged over
    perturbations
Remark
    The figures of the presentation label their axis "variance" and show 30 to 60 pieces. With that reading the means are 43, 25
    and 17 at 0.01, 0.04 and 0.09; read as standard deviations the same labels give 78, 67 and 47: claim
    sawtooth-perturbed-little.
"""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, sqrt
from typing import TYPE_CHECKING

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.claims.learning._sawtooth import PIECES, WHAT, mean_pieces

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("sawtooth-perturbed-little", "sawtooth-relearned", "sawtooth-unit-interval")
SEED = 64


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    variances = tuple(k / 100 for k in range(1, 10)) if is_full else (0.01, 0.09)
    n_trials = 400 if is_full else 80
    found = {(what, v): mean_pieces(sqrt(v), what, n_trials=n_trials, seed=SEED) for what in WHAT for v in variances}
    rows = []
    for (what, v), (pieces, error) in found.items():
        if what == "biases":
            weights, other = found["weights", v]
            rows.append(
                row(pieces, ">=", weights, kind="estimated", standard_error=hypot(error, other), perturbed=what, variance=v)
            )
        else:
            rows.append(row(pieces, "<", PIECES, kind="estimated", standard_error=error, perturbed=what, variance=v))
    for what in WHAT:
        (first, e1), (last, e2) = found[what, variances[0]], found[what, variances[-1]]
        rows.append(row(last, "<", first, kind="estimated", standard_error=hypot(e1, e2), perturbed=what, variance=variances[-1]))
    return Evidence(rows, draw=figure(found), seed=SEED)


def figure(found: dict[tuple[str, float], tuple[float, float]]) -> Callable[[Axes], None]:
    """Mean pieces against the variance, for each choice of what is perturbed."""

    def draw(ax: Axes) -> None:
        for what, color in zip(WHAT, SERIES[:3], strict=True):
            points = [(v, *value) for (name, v), value in found.items() if name == what]
            x, y, e = zip(*points, strict=True)
            ax.errorbar(x, y, yerr=e, fmt="o-", color=color, label=what, capsize=2)
        ax.axhline(PIECES, color=PREDICTION, linewidth=0.8, linestyle=":")
        ax.set_ylim(0)
        ax.set_xlabel("variance of the relative perturbation")
        ax.set_ylabel("mean pieces on [0, 1]")
        ax.legend(frameon=False, title="perturbed")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
