r"""Facco et al.: the ratio of the second to the first neighbor's distance knows the dimension.

Claim
    Where points are spread evenly over d dimensions, mu = r_2 / r_1 has the distribution function 1 - mu^{-d}: its median is
    2^{1/d}, log mu has the mean 1/d, and maximum likelihood finds d without bias.
Source
    E. Facco, M. d'Errico, A. Rodriguez, A. Laio, Scientific Reports 7 (2017), equations 3 and 4 [facco2017].
Prediction
    d; log 2, d times the median of log mu
Measurement
    plica.dimension.TwoNN by both methods, plica.dimension.MLE, and the ratios themselves, from
    distances between all points of a flat torus of 1, 2 and 3 dimensions, which has no border and no curvature within it
"""

from __future__ import annotations

from functools import partial
from math import log, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.dimension import MLE, TwoNN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("manifold-dimensions", "high-dimensions-are-underestimated")
SEED = 2017


def torus(n: int, d: int, seed: int) -> np.ndarray:
    """n points of the product of d circles of circumference 2 pi, in 2 d coordinates."""
    angle = np.random.default_rng([SEED, seed]).uniform(0, 2 * pi, (n, d))
    return np.concatenate([np.cos(angle), np.sin(angle)], 1)


def ratios(X: np.ndarray) -> np.ndarray:
    """log mu of every point: candidates from all products, their distances from differences, as products cancel."""
    squares = (X**2).sum(1)
    nearest = []
    for start in range(0, len(X), 500):
        part, own = X[start : start + 500], np.arange(start, min(start + 500, len(X)))
        near = squares[own, None] + squares - 2 * part @ X.T
        near[np.arange(len(part)), own] = np.inf
        candidates = np.argpartition(near, 4, axis=1)[:, :4]
        nearest.append(np.sort(((X[candidates] - part[:, None]) ** 2).sum(2), axis=1)[:, :2])
    found = np.concatenate(nearest)
    return np.asarray(np.log(found[:, 1] / found[:, 0]) / 2)


def check(scale: str) -> Evidence:
    n, n_sets = (4000, 100) if scale == "full" else (2000, 14)
    rows, seen = [], {}
    for d in (1, 2, 3):
        sets = [torus(n, d, k) for k in range(n_sets)]
        logs = [ratios(X) for X in sets]
        seen[d] = np.sort(np.concatenate(logs))
        found = {
            "TwoNN, line": ([TwoNN().fit(X).dimension_ for X in sets], d),
            "TwoNN, likelihood": ([TwoNN(method="mle").fit(X).dimension_ for X in sets], d),
            "likelihood of ten neighbors": ([MLE(10).fit(X).dimension_ for X in sets], d),
            "d times the median of log mu": ([d * float(np.median(values)) for values in logs], log(2)),
            "d times the mean of log mu": ([d * float(values.mean()) for values in logs], 1.0),
        }
        for name, (values, predicted) in found.items():
            error = float(np.std(values, ddof=1) / sqrt(n_sets))
            # in space the ten nearest of 2000 points are half a radius of the circles away, and see their curvature
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "tolerance": 0.003 if d < 3 else 0.012}
            rows.append(row(float(np.mean(values)), "=", predicted, dimension=d, what=name, **about))
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def draw(seen: dict[int, np.ndarray], ax: Axes) -> None:
    """-log(1 - F) against log mu: lines of slope d."""
    for color, (d, logs) in zip(SERIES, seen.items(), strict=False):
        kept = logs[: int(0.98 * len(logs)) : len(logs) // 60]
        heights = -np.log1p(-np.arange(len(logs))[: int(0.98 * len(logs)) : len(logs) // 60] / len(logs))
        ax.plot(kept, heights, "o", color=color, markersize=3, label=f"d = {d}")
        ax.plot(kept, d * kept, color=PREDICTION, linewidth=0.8)
    ax.set(xlabel="log of the ratio of distances", ylabel="-log(1 - F)", xlim=(0, 2.5))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
