r"""Does noise always cost a sawtooth network pieces?

Claim
    No: when the parameters w of the sawtooth network with 64 pieces become w (1 + e) with normal e of standard deviation 0.01,
    the mean number of affine pieces on [0, 1] rises above 64, and falls below 64 only for larger e: peaks that stand higher than
    the next layer's zero are cut off flat. As e becomes small the mean tends to 80, 5/4 of 2^n for depth n.
Source
    Follows from the construction; the experiment of Summer@ICERM 2020, final presentation [icerm-2020], read with its labels as
    standard deviations.
Prediction
    layer l is a tent of height h_l with zeros at 0 and z_l. All peaks of the first l - 1 layers are of height h_{l-1} (for l = 1
    the end of the interval, of height 1); there are 1, 1, 2, 4, ... of them, and each becomes one more, flat piece if h_{l-1} >
    z_l, which is as likely as not: 64 and their number for every small perturbation, 64 + 32/2 on average. More than 64 at the
    standard deviation 0.01; fewer than 64 at 0.09, and fewer at 0.09 than at 0.04 than at 0.01
Measurement
    affine pieces on [0, 1], counted in fractions for each network, for the first ones by plica.count_regions too, averaged over
    perturbations
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import hypot, sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.claims.learning._sawtooth import PIECES, Layers, layers, mean_pieces, n_pieces_in_fractions, perturbed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("sawtooth-perturbed",)
SEED = 65
STDS = (0.01, 0.04, 0.09)
LITTLE = 1e-4


def predicted(given: Layers) -> int:
    """64 and the flat pieces, from the heights and zeros of the layers alone."""
    count, height = PIECES, Fraction(1)
    for level, (inner, outer) in enumerate(zip(given[::2], given[1::2], strict=True)):
        (first, second), (_, shift) = ((Fraction(float(v)) for v in part.ravel()) for part in inner)
        rise, fall = (Fraction(float(v)) for v in outer[0].ravel())
        up, turn = rise * first, -shift / second  # up * y - down * max(0, y - turn)
        down = -fall * second
        if height > down * turn / (down - up):
            count += max(1, 2 ** (level - 1))
        height = up * turn
    return count


def check(scale: str) -> Evidence:
    n_trials = 400 if scale == "full" else 80
    found = {std: mean_pieces(std, "all", n_trials=n_trials, seed=SEED) for std in STDS}
    rows = []
    networks = [perturbed(layers(), LITTLE, "all", np.random.default_rng((SEED, k))) for k in range(n_trials)]
    counts = [n_pieces_in_fractions(network) for network in networks]
    right = sum(count == predicted(network) for count, network in zip(counts, networks, strict=True))
    rows.append(row(right, "=", n_trials, std=LITTLE, against="64 and the peaks that are cut off, network by network"))
    error = stdev(counts) / sqrt(n_trials)
    about: dict[str, Any] = {"std": LITTLE, "against": "64 + 32/2"}
    rows.append(row(mean(counts), "=", 80, kind="estimated", standard_error=error, **about))
    for std, relation in ((0.01, ">"), (0.09, "<")):
        rows.append(row(found[std][0], relation, PIECES, kind="estimated", standard_error=found[std][1], std=std, against="64"))
    for small, large in pairwise(STDS):
        (more, e1), (fewer, e2) = found[small], found[large]
        about = {"std": large, "against": f"standard deviation {small}"}
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
