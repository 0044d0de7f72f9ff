r"""Constant steps end at a floor: its exact height, and the bound of Bottou, Curtis and Nocedal.

Claim
    On an L-smooth and c-strongly convex F, SGD with a constant step alpha <= 1/L and noise of variance M has an expected excess
    of at most alpha L M / (2 c) in the limit. On quadratics the excess is (1/2) sum_i alpha v_i / (2 - alpha lambda_i): in the
    limit of small steps it halves with the step and with twice the batch, and the bound is attained at lambda_i = 1/alpha.
Source
    L. Bottou, F. Curtis, J. Nocedal, Optimization Methods for Large-Scale Machine Learning, SIAM Review 60 (2018), Theorem 4.6
    [bottou2018].
Prediction
    plica.theory.optimization.quadratic_floor, from the Lyapunov equation of the stationary covariance; as a bound
    plica.theory.optimization.bottou_2018_fixed_bound
Measurement
    the mean excess of many independent runs of plica.learn.SGD whose batches are drawn, long after the start is forgotten
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.optimization._chains import mean_and_error, run_chains
from plica.learn import SGD
from plica.theory.optimization import bottou_2018_fixed_bound, quadratic_floor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bottou-2018-decreasing-steps", "gaussian-least-squares-floor")
SEED = 2018
EIGENVALUES = np.array([1.0, 4.0])
VARIANCES = np.array([1.0, 0.5])


def excesses(values: Array, variances: Array, rate: float, batch: int, n_runs: int) -> Array:
    """F - F* of each run after so many steps that a ten-thousandth of the start is left."""

    def gradient(w: Array, rng: np.random.Generator) -> Array:
        noise = rng.standard_normal((batch, *w.shape)).mean(0) * np.sqrt(variances)
        return values * w + noise

    n_steps = int(np.ceil(np.log(1e-4) / np.log(max(abs(1 - rate * values).max(), 0.1))))
    (w,) = run_chains(
        np.ones((n_runs, len(values))), gradient, optimizer=SGD(), rate=lambda step: rate, steps=(n_steps,), seed=SEED
    )
    return np.asarray((values * w**2).sum(1) / 2)


def check(scale: str) -> Evidence:
    n_runs = 100_000 if scale == "full" else 20_000
    rows, floors = [], {}
    for rate, batch in ((0.2, 1), (0.1, 1), (0.05, 1), (0.1, 2), (0.1, 4)):
        measured, error = mean_and_error(excesses(EIGENVALUES, VARIANCES, rate, batch, n_runs))
        noise = VARIANCES / batch
        floors[rate, batch] = measured, error
        about: dict[str, Any] = {"rate": rate, "batch": batch}
        estimate: dict[str, Any] = {"kind": "estimated", "standard_error": error}
        rows.append(row(measured, "=", quadratic_floor(EIGENVALUES, noise, rate), what="floor", **estimate, **about))
        bound = bottou_2018_fixed_bound(10**6, rate, smoothness=4, convexity=1, noise=float(noise.sum()), excess=2.5)
        rows.append(row(measured, "<=", bound, what="bound", **estimate, **about))
    for other, name in (((0.05, 1), "half the step"), ((0.1, 2), "twice the batch")):
        (high, high_error), (low, low_error) = floors[0.1, 1], floors[other]
        ratio = low / high
        error = ratio * np.hypot(high_error / high, low_error / low)
        # the noise of a batch is divided by it; a step also enters 2 - alpha lambda: (1.95 + 1.8) against (1.9 + 1.6)
        exact = 0.5 if name == "twice the batch" else 0.5 * (1 / 1.95 + 0.5 / 1.8) / (1 / 1.9 + 0.5 / 1.6)
        rows.append(row(ratio, "=", exact, kind="estimated", standard_error=float(error), what=name))
    same = np.array([2.0, 2.0, 2.0])
    measured, error = mean_and_error(excesses(same, np.ones(3), 0.5, 1, n_runs))
    attained = bottou_2018_fixed_bound(10**6, 0.5, smoothness=2, convexity=2, noise=3, excess=3)
    rows.append(row(measured, "=", attained, kind="estimated", standard_error=error, what="the bound, attained", rate=0.5))
    settings = {"smoothness": 4.0, "convexity": 1.0, "noise": 1.5, "excess": 2.5}
    steps = [bottou_2018_fixed_bound(k, 0.1, **settings) for k in range(4)]
    rows.append(control(steps[0], "=", 2.5, tolerance=1e-12, what="the bound before any step is the excess", rate=0.1))
    for k in range(3):  # the proof: a step takes away alpha c of the excess and adds alpha^2 L M / 2
        after = (1 - 0.1) * steps[k] + 0.1**2 * 4 * 1.5 / 2
        rows.append(
            control(steps[k + 1], "=", after, tolerance=1e-12, what="the bound after one step more", rate=0.1, steps=k + 1)
        )
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The floor against the step: exact, measured, and the bound."""
    rates = np.geomspace(0.01, 0.25, 60)
    ax.plot(rates, [quadratic_floor(EIGENVALUES, VARIANCES, r) for r in rates], color=PREDICTION, label="exact floor")
    bounds = [bottou_2018_fixed_bound(10**6, r, smoothness=4, convexity=1, noise=1.5, excess=2.5) for r in rates]
    ax.plot(rates, bounds, color=BOUND, linestyle="--", label="bound")
    some = (0.02, 0.05, 0.1, 0.2)
    means = [mean_and_error(excesses(EIGENVALUES, VARIANCES, r, 1, 2000))[0] for r in some]
    ax.plot(some, means, "o", color=MEASUREMENT, label="2,000 runs")
    ax.set(xscale="log", yscale="log", xlabel="step", ylabel="expected excess")
    ax.legend(frameon=False)
