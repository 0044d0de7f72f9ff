r"""Least squares from Gaussian data: noise that depends on the parameters, its floor, and the step where it wins.

Claim
    SGD on E (x . w - y)^2 / 2 with Gaussian x, labels with noise of variance sigma^2 and fresh batches of B has the floor
    (sigma^2 / 2) q / (1 - q), q = sum_i (alpha lambda_i / B) / (2 - alpha lambda_i (1 + 1/B)). From q = 1 on the second moment
    grows without bound, though the mean converges for alpha lambda < 2: in one dimension and B = 1 from alpha lambda = 2/3 on.
Source
    By Isserlis' theorem from the recursion of the second moments; the question is that of [bottou2018], section 4, where the
    noise may grow with the gradient.
Prediction
    plica.theory.optimization.least_squares_floor and plica.theory.optimization.least_squares_largest_rate
Measurement
    many independent runs of plica.learn.SGD on drawn batches; at the largest step the second moment after one step, over the
    one before
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.optimization._chains import Noisy, mean_and_error, run_chains
from plica.learn import SGD
from plica.theory.optimization import least_squares_floor, least_squares_largest_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bottou-2018-noise-floor",)
SEED = 1918
EIGENVALUES = np.array([1.0, 0.5, 0.25])


def sampled_gradient(values: Array, label_std: float, batch: int) -> Noisy:
    """The gradient of a fresh batch for each run; the true parameters are 0."""

    def gradient(w: Array, rng: np.random.Generator) -> Array:
        total = np.zeros_like(w)
        for _ in range(batch):
            x = rng.standard_normal(w.shape) * np.sqrt(values)
            residual = (x * w).sum(1) - label_std * rng.standard_normal(len(w))
            total += residual[:, None] * x
        return total / batch

    return gradient


def one_run(values: Array, rate: float, batch: int, n_steps: int, n_runs: int, *, start: float, label_std: float) -> Array:
    (w,) = run_chains(
        np.full((n_runs, len(values)), start), sampled_gradient(values, label_std, batch), optimizer=SGD(),
        rate=lambda step: rate, steps=(n_steps,), seed=SEED,
    )  # fmt: skip
    return w


def check(scale: str) -> Evidence:
    n_runs = 100_000 if scale == "full" else 10_000
    rows = []
    for rate, batch in ((0.1, 1), (0.2, 1), (0.2, 4), (0.6, 8)):
        w = one_run(EIGENVALUES, rate, batch, int(4 / (0.25 * rate)), n_runs, start=0.0, label_std=1.0)
        measured, error = mean_and_error((EIGENVALUES * w**2).sum(1) / 2)
        floor = least_squares_floor(EIGENVALUES, 1.0, rate, batch=batch)
        about: dict[str, Any] = {"rate": rate, "batch": batch}
        rows.append(row(measured, "=", floor, kind="estimated", standard_error=error, what="floor", tolerance=1e-3, **about))
    for batch in (1, 4):
        rate = least_squares_largest_rate([1.0], batch=batch)
        w = one_run(np.ones(1), rate, batch, 1, 20 * n_runs, start=1.0, label_std=0.0)
        growth, error = mean_and_error(w[:, 0] ** 2)
        about = {"rate": round(rate, 4), "batch": batch}
        rows.append(row(growth, "=", 1.0, kind="estimated", standard_error=error, what="growth of the second moment", **about))
        mean, error = mean_and_error(w[:, 0])
        rows.append(row(mean, "=", 1 - rate, kind="estimated", standard_error=error, what="the mean shrinks", **about))
    largest = least_squares_largest_rate([1.0])
    rows.append(row(largest, "=", 2 / 3, kind="estimated", standard_error=1e-15, what="largest step, one dimension"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The floor against the step for some batches; it ends where the second moment does."""
    for color, batch in zip(SERIES, (1, 4, 16), strict=False):
        most = least_squares_largest_rate(EIGENVALUES, batch=batch)
        rates = np.linspace(0.01, 0.98 * most, 200)
        floors = [least_squares_floor(EIGENVALUES, 1.0, r, batch=batch) for r in rates]
        ax.plot(rates, floors, color=color, label=f"batch {batch}")
        ax.axvline(most, color=color, linestyle=":", linewidth=0.8)
    ax.set(yscale="log", xlabel="step", ylabel="expected excess in the limit")
    ax.legend(frameon=False)
