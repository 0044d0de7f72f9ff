r"""A little noise gives a sawtooth network more pieces.

Claim
    When the parameters w of the sawtooth network with 64 pieces become w (1 + e) with normal e of standard deviation 0.01, the
    mean number of affine pieces on [0, 1] rises above 64: peaks that stand out of [0, 1] are cut by the next layer, valleys
    below 0 by its ReLU.
Source
    Follows from the construction; the experiment of Summer@ICERM 2020, final presentation [icerm-2020], read with its labels as
    standard deviations.
Prediction
    more than 64 pieces; 78, 67 and 47 on average at standard deviations 0.01, 0.04 and 0.09
Measurement
    affine pieces on [0, 1], counted exactly for each network (plica.count_regions), averaged over perturbations
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, row
from plica.claims.learning._sawtooth import PIECES, mean_pieces

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("sawtooth-perturbed",)
SEED = 65
EARLIER = {0.01: 78, 0.04: 67, 0.09: 47}


def check(scale: str) -> Evidence:
    n_trials = 200 if scale == "full" else 12
    rows = []
    for std, earlier in EARLIER.items():
        pieces, error = mean_pieces(std, "all", n_trials=n_trials, seed=SEED)
        if std == 0.01:
            rows.append(row(pieces, ">", PIECES, kind="estimated", standard_error=error, std=std))
        rows.append(row(pieces, "=", earlier, kind="estimated", standard_error=error, tolerance=0.02, std=std))
    return Evidence(rows, draw=figure(rows), seed=SEED, reproduction=True)


def figure(rows: list[Row]) -> Callable[[Axes], None]:
    """Mean pieces against the standard deviation."""

    def draw(ax: Axes) -> None:
        chosen = [r for r in rows if r.relation == "="]
        x = [r.parameters["std"] for r in chosen]
        ax.errorbar(
            x,
            [r.measured for r in chosen],
            yerr=[r.standard_error or 0.0 for r in chosen],
            fmt="o-",
            color=MEASUREMENT,
            capsize=2,
        )
        ax.axhline(PIECES, color=PREDICTION, linewidth=0.8, linestyle=":")
        ax.set_ylim(0)
        ax.set_xlabel("standard deviation of the relative perturbation")
        ax.set_ylabel("mean pieces on [0, 1]")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
