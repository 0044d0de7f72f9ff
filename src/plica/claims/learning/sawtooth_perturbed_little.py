r"""Does noise always cost a sawtooth network pieces?

Claim
    No: when the parameters w of the sawtooth network with 64 pieces become w (1 + e) with normal e of standard deviation 0.01,
    the mean number of affine pieces on [0, 1] rises above 64, and falls below 64 only for larger e: peaks that stand out of
    [0, 1] are cut by the next layer, valleys below 0 by its ReLU.
Source
    Follows from the construction; the experiment of Summer@ICERM 2020, final presentation [icerm-2020], read with its labels as
    standard deviations.
Prediction
    more than 64 pieces at the standard deviation 0.01; fewer than 64 at 0.09, and fewer at 0.09 than at 0.04 than at 0.01
Measurement
    affine pieces on [0, 1], counted in fractions for each network, for the first ones by plica.count_regions too, averaged over
    perturbations
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, Any

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.claims.learning._sawtooth import PIECES, mean_pieces

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("sawtooth-perturbed",)
SEED = 65
STDS = (0.01, 0.04, 0.09)


def check(scale: str) -> Evidence:
    n_trials = 400 if scale == "full" else 80
    found = {std: mean_pieces(std, "all", n_trials=n_trials, seed=SEED) for std in STDS}
    rows = []
    for std, relation in ((0.01, ">"), (0.09, "<")):
        rows.append(row(found[std][0], relation, PIECES, kind="estimated", standard_error=found[std][1], std=std, against="64"))
    for small, large in pairwise(STDS):
        (more, e1), (fewer, e2) = found[small], found[large]
        about: dict[str, Any] = {"std": large, "against": f"standard deviation {small}"}
        rows.append(row(fewer, "<", more, kind="estimated", standard_error=hypot(e1, e2), **about))
    return Evidence(rows, draw=figure(found), seed=SEED)


def figure(found: dict[float, tuple[float, float]]) -> Callable[[Axes], None]:
    """Mean pieces against the standard deviation."""

    def draw(ax: Axes) -> None:
        means, errors = zip(*found.values(), strict=True)
        ax.errorbar(list(found), means, yerr=errors, fmt="o-", color=MEASUREMENT, capsize=2)
        ax.axhline(PIECES, color=PREDICTION, linewidth=0.8, linestyle=":")
        ax.set_ylim(0)
        ax.set_xlabel("standard deviation of the relative perturbation")
        ax.set_ylabel("mean pieces on [0, 1]")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
