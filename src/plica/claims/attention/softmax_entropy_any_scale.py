r"""Does log L - b^2/2 hold for larger scores?

Claim
    No: the entropy of softmax weights with independent Gaussian scores of standard deviation b exceeds log L - b^2/2 for b >= 2,
    with L = 512 keys. It is F - b F'(b), where F is the mean of log sum_j e^{s_j}.
Source
    The law for small b is that of the claim softmax-entropy; that it needs e^{b^2} to be much smaller than L is our remark on it
    [vaswani2017].
Prediction
    more than plica.theory.attention.softmax_entropy(L, b), and equal to F - b F'(b) from other random scores, its derivative by
    central differences
Measurement
    the mean of plica.measure.attention_entropy over random queries, for b from 2 to 4
Remark
    At b = 2 the entropy is larger by 0.14, at b = 4 the law is negative while the entropy is about 2: a few keys hold most of the
    weight.
"""

from __future__ import annotations

from functools import partial
from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, Row, row
from plica.claims.attention.softmax_entropy import SEED, mean_entropy
from plica.theory.attention import softmax_entropy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("softmax-entropy",)
N_KEYS, STEP = 512, 1e-3


def from_partition_sums(b: float, n_queries: int) -> tuple[float, float]:
    """F - b F'(b) with its standard error."""
    g = np.random.default_rng(SEED + 1).normal(size=(n_queries, N_KEYS))

    def log_sums(scale: float) -> np.ndarray:
        return np.logaddexp.reduce(scale * g, axis=1)

    found = log_sums(b) - b * (log_sums(b + STEP) - log_sums(b - STEP)) / (2 * STEP)
    return float(found.mean()), float(found.std() / np.sqrt(n_queries))


def check(scale: str) -> Evidence:
    n_queries = 20_000 if scale == "full" else 2_000
    rows = []
    for b in (2.0, 3.0, 4.0):
        measured, error = mean_entropy(N_KEYS, b, n_queries)
        expected, other = from_partition_sums(b, n_queries)
        about: dict[str, Any] = {"kind": "estimated", "b": b}
        rows.append(row(measured, ">", softmax_entropy(N_KEYS, b), standard_error=error, against="log L - b^2/2", **about))
        rows.append(row(measured, "=", expected, standard_error=hypot(error, other), against="F - b F'(b)", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """The entropy against the standard deviation of scores, and the law for small ones, which becomes negative."""
    b = np.linspace(0, 4, 60)
    ax.plot(b, [softmax_entropy(N_KEYS, v) for v in b], color=BOUND, label="log L - b²/2")
    found = [r for r in rows if r.relation == "="]
    ax.plot([r.parameters["b"] for r in found], [r.measured for r in found], "o", color=MEASUREMENT, label="measured, L = 512")
    ax.set(xlabel="standard deviation b of the scores", ylabel="entropy")
    ax.axhline(0, color=BOUND, linewidth=0.6, linestyle=":")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
