r"""When larger batches stop paying: at about as many samples as there are dimensions.

Claim
    For least squares without noise in the labels, with Gaussian inputs of covariance I in R^d and fresh batches of B, the best
    constant step is 1 / (1 + (d + 1)/B), and it multiplies the expected squared error by (d + 1)/(B + d + 1). So a batch of B is
    worth B single samples for B much below d + 1 and only log B of them far above; at B = d + 1 an e-fold costs 1.44 times as
    many samples as with small batches. For other covariances tr(H)/|H| takes the place of d.
Source
    S. Ma, R. Bassily, M. Belkin, The Power of Interpolation, ICML 2018 [ma2018], for the two regimes; the exact factor is derived
    here from Isserlis' theorem.
Prediction
    plica.theory.optimization.least_squares_factor and its minimum over steps
Measurement
    the mean squared error of many runs of plica.learn.SGD after one and after four steps
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, REFERENCE
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.optimization._chains import mean_and_error, run_chains
from plica.claims.optimization.gaussian_least_squares_floor import sampled_gradient
from plica.learn import SGD
from plica.theory.optimization import least_squares_best_rate, least_squares_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("gaussian-least-squares-floor", "bottou-2018-noise-floor")
SEED = 2018
D = 5


def measured(values: Array, start: Array, rate: float, batch: int, n_steps: int, n_runs: int) -> Array:
    """H-weighted squared errors of all runs: sum of lambda w^2."""
    begin = np.tile(start, (n_runs, 1))
    (w,) = run_chains(
        begin, sampled_gradient(values, 0.0, batch), optimizer=SGD(), rate=lambda step: rate, steps=(n_steps,), seed=SEED
    )
    return np.asarray((values * w**2).sum(1))


def check(scale: str) -> Evidence:
    n_runs = 400_000 if scale == "full" else 30_000
    ones, rows = np.ones(D), []
    samples: dict[int, tuple[float, float]] = {}
    for batch in (1, 2, D + 1, 24) if scale == "quick" else (1, 2, D + 1, 24, 96):
        best = 1 / (1 + (D + 1) / batch)
        factor = (D + 1) / (batch + D + 1)
        found, error = mean_and_error(measured(ones, ones, best, batch, 1, n_runs) / D)
        about: dict[str, Any] = {"batch": batch, "d": D}
        rows.append(row(found, "=", factor, kind="estimated", standard_error=error, what="factor of a step", **about))
        samples[batch] = batch / -log(found), batch / log(found) ** 2 * error / found
        rounded: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-7}
        rows.append(row(least_squares_best_rate(ones, batch=batch), "=", best, **rounded, what="best step", **about))
        least = least_squares_factor(ones, best, batch=batch)
        rows.append(row(least, "=", factor, **rounded, what="factor of a step, from the moments", **about))
    for batch in (D + 1, 24):
        cost, error = samples[batch]
        predicted = batch / log(1 + batch / (D + 1)) * log(1 + 1 / (D + 1))
        one, one_error = samples[1]
        error = cost / one * float(np.hypot(error / cost, one_error / one))
        what = "samples for an e-fold, over those with batches of 1"
        rows.append(row(cost / one, "=", predicted, kind="estimated", standard_error=error, what=what, batch=batch))
    values = np.array([1.0, 0.25, 0.25])
    for batch in (1, 8):
        rate = least_squares_best_rate(values, batch=batch)
        slowest = np.sqrt(slowest_moments(values, rate, batch))
        found, error = mean_and_error(measured(values, slowest, rate, batch, 2, n_runs) / (values * slowest**2).sum())
        predicted = least_squares_factor(values, rate, batch=batch) ** 2
        rows.append(row(found, "=", predicted, kind="estimated", standard_error=error, what="two steps, H not I", batch=batch))
    return Evidence(rows, draw=draw, seed=SEED)


def slowest_moments(values: Array, rate: float, batch: int) -> Array:
    """The second moments that a step multiplies by the factor: iterated from all ones."""
    second = np.ones(len(values))
    for _ in range(4000):
        second = ((1 - rate * values) ** 2 + (rate * values) ** 2 / batch) * second + rate**2 / batch * values * (values @ second)
        second /= second.max()
    return second


def draw(ax: Axes) -> None:
    """Samples for an e-fold against the batch, in dimensions 5, 20 and 100."""
    batches = np.unique(np.geomspace(1, 1000, 40).astype(int))
    for d, color in ((5, PREDICTION), (20, MEASUREMENT), (100, REFERENCE)):
        ax.plot(batches, batches / np.log1p(batches / (d + 1)), color=color, label=f"d = {d}")
        ax.axvline(d + 1, color=color, linewidth=0.6, linestyle=":")
    ax.set(xscale="log", yscale="log", xlabel="batch", ylabel="samples for an e-fold")
    ax.legend(frameon=False)
