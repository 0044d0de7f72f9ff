r"""Which way of pruning keeps most, at equal length of training?

Claim
    With equal training, pruning what was trained keeps more accuracy than masks chosen at the start, and these more than
    masks at random.
Source
    A question; the comparison of T. Hoefler et al., Sparsity in Deep Learning, JMLR 22 (2021) [hoefler2021], without its budgets.
Prediction
    errors in this order: gradual magnitude pruning, SNIP, masks at random
Measurement
    64-100-30-10 networks on the 8 x 8 digits, one protocol for all methods (plica.sparse.trial): the same first weights, batches
    and epochs. Standard errors are those of repetitions
Remark
    At full scale the figure has ten methods at four densities. RigL and SET begin with masks at random, and a training this
    short gives them little time to move; published comparisons train several times longer.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.sparsity._lenet import draw_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("hoefler-2021-five-percent", "frankle-2019-tickets", "lee-2019-snip", "tanaka-2020-synflow")
SEED = 0
QUICK = ("gradual", "snip", "random")
FULL = ("gradual", "trained-magnitude", "trained-units", "snip", "synflow", "grasp", "magnitude", "rigl", "set", "random")


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    shares, n = ((0.2, 0.1, 0.05, 0.02), 5) if is_full else ((0.1,), 3)
    found = {method: {share: errors(method, share, n) for share in shares} for method in (FULL if is_full else QUICK)}
    rows = []
    for share in (0.1, 0.05) if is_full else (0.1,):
        for better, worse in (("gradual", "snip"), ("snip", "random")):
            apart = found[worse][share] - found[better][share]
            error = float(apart.std(ddof=1) / np.sqrt(n))
            what = f"error of {worse} minus that of {better}"
            rows.append(row(float(apart.mean()), ">", 0.0, kind="estimated", standard_error=error, density=share, what=what))
    curves = {
        method: [(share, max(float(e.mean()), 1e-3), float(e.std(ddof=1) / np.sqrt(n))) for share, e in by_share.items()]
        for method, by_share in found.items()
    }
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def errors(method: str, share: float, n: int) -> Array:
    """The errors on test images of n repetitions."""
    from plica.sparse import trial

    runs = [trial(method, share, data="digits", hidden=[100, 30], epochs=6, batch=32, repetition=SEED + i) for i in range(n)]
    return np.array([1 - run["accuracy"] for run in runs])


def draw(curves: dict[str, list[tuple[float, float, float]]], ax: Axes) -> None:
    """Error against the share of the weights that is left."""
    draw_errors(curves, {}, ax)
