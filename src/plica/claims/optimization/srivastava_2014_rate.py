r"""The rate of dropout: flat around one half, worse at both ends.

Claim
    With the number of units fixed, the test error as a function of the probability p of keeping a unit is flat for p between 0.4
    and 0.8, larger as p goes to 1, and much larger for small p, where few units remain.
Source
    N. Srivastava et al., Dropout, JMLR 15 (2014), section 7.3, Figure 9a [srivastava2014]; the interval as several readers of
    that section print it.
Prediction
    the error at p = 0.1 more than 1.5 times that at 0.5; the error at 1 more than at 0.5; between 0.5 and 0.8 a difference of
    less than half a percentage point
Measurement
    784-512-512-10 networks trained on 10,000 images of MNIST for 30 epochs (plica.learn.fit), four each at p = 0.5 and 0.8;
    standard errors are those of the test images
Remark
    One network each left the difference between 0.5 and 0.8 inconclusive: 0.0019, with a standard error of 0.0011. With four each
    the full scale has no record yet.
Stand-in
    On 400 of the 8 x 8 digits, three tenths of them labeled at random, the error on other digits is larger at p = 0.1 and at p =
    1 than at p = 1/2.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.optimization._chains import mean_and_error
from plica.claims.optimization._dropout import SMALL, Recipe, outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("srivastava-2014-mnist",)
SEED = 2014


def errors(scale: str, keep: float) -> Array:
    """At full scale the share of networks that are wrong on each test image, otherwise the error for each seed."""
    if scale == "full":
        seeds, recipe = range(SEED, SEED + (4 if keep in (0.5, 0.8) else 1)), Recipe(512, 30, 128, 1e-3, "cosine")
        return np.mean([outcome(10_000, recipe, keep=keep, seed=seed).wrong for seed in seeds], axis=0)
    return np.array([outcome(0, SMALL, keep=keep, seed=seed).wrong.mean() for seed in range(SEED, SEED + 6)])


def check(scale: str) -> Evidence:
    shares = (0.1, 0.3, 0.5, 0.8, 1.0) if scale == "full" else (0.1, 0.5, 1.0)
    found = {keep: errors(scale, keep) for keep in shares}
    rows = []
    for keep, factor in ((0.1, 1.5), (1.0, 1.0)):
        mean, error = mean_and_error(found[keep] - factor * found[0.5])
        rows.append(
            row(mean, ">", 0.0, kind="estimated", standard_error=error, what=f"error minus {factor:g} times that at 1/2", p=keep)
        )
    if scale == "full":
        mean, error = mean_and_error(found[0.8] - found[0.5])
        for relation, limit in (("<", 0.005), (">", -0.005)):
            rows.append(row(mean, relation, limit, kind="estimated", standard_error=error, what="error minus that at 1/2", p=0.8))
    return Evidence(rows, draw=partial(draw, found), seed=SEED)


def draw(found: dict[float, Array], ax: Axes) -> None:
    """Error against the probability of keeping."""
    means, deviations = zip(*(mean_and_error(values) for values in found.values()), strict=True)
    ax.errorbar(list(found), means, yerr=np.array(deviations), fmt="o-", color=MEASUREMENT, capsize=2)
    ax.set(yscale="log", xlabel="probability of keeping p", ylabel="error on test images")
