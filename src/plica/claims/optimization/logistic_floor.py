r"""Logistic regression on pairs of digits: the floor of SGD from constants that are measured.

Claim
    For logistic regression with a ridge, n images and single images drawn with replacement, the expected squared distance to
    the minimum after k steps alpha <= 1 / (2 L_max) is at most (1 - alpha c)^k r_0 + 2 alpha s / c, with the largest
    smoothness L_max of a summand, the ridge c and the mean squared gradient s at the minimum. For small steps, 0.1 /
    L_max and twice that, the excess is that of the quadratic with the Hessian and the noise at the minimum; it halves with
    twice the batch.
Source
    R. Gower, N. Loizou, X. Qian, A. Sailanbayev, E. Shulgin, P. Richtarik, SGD: General Analysis and Improved Rates, ICML 2019,
    Theorem 3.1 [gower2019]; L. Bottou, F. Curtis, J. Nocedal [bottou2018] for the noise floor.
Prediction
    plica.theory.optimization.quadratic_floor with the eigenvalues of the Hessian and the noise in its eigenvectors, measured at
    the minimum; plica.theory.optimization.gower_2019_bound with the constants
Measurement
    runs of plica.learn.SGD on images of two digits, given by 16 principal components; the minimum by Newton's method
Stand-in
    3 against 8 of the 8 x 8 digits, in place of MNIST's.
Remark
    Noise that grows with the distance raises the floor: by an eighth on MNIST with steps of 1.1 / L_max.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.optimization._chains import Noisy, mean_and_error, run_chains
from plica.learn import SGD
from plica.theory.optimization import gower_2019_bound, quadratic_floor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bottou-2018-noise-floor", "batch-size-saturation")
SEED = 38
RIDGE = 0.5
N_COMPONENTS = 16


@dataclass(frozen=True)
class Logistic:
    """mean log(1 + exp(-y x . w)) + (c/2) |w|^2, with its minimum and the constants there."""

    x: Array
    y: Array
    minimum: Array
    eigenvalues: Array
    variances: Array
    smoothness: float
    noise: float

    def value(self, w: Array) -> Array:
        """The objective for each row of w."""
        margins = (w @ self.x.T) * self.y
        return np.asarray(np.logaddexp(0, -margins).mean(1) + RIDGE / 2 * (w**2).sum(1))

    def gradient(self, batch: int) -> Noisy:
        """The gradient of images drawn with replacement, for each run."""

        def drawn(w: Array, rng: np.random.Generator) -> Array:
            total = RIDGE * w
            for _ in range(batch):
                rows = rng.integers(len(self.x), size=len(w))
                x, y = self.x[rows], self.y[rows]
                slope = -y / (1 + np.exp(y * np.einsum("rd,rd->r", x, w)))
                total = total + slope[:, None] * x / batch
            return total

        return drawn


@cache
def problem(scale: str) -> Logistic:
    """3 against 8, by their first principal components (not centered), which are nearly all of the images."""
    data = plica.data.load("mnist") if scale == "full" else plica.data.load("digits")
    assert data.y is not None
    chosen = np.isin(data.y, (3, 8))
    x = data.flat[chosen].astype(np.float64)
    x = x @ np.linalg.eigh(x.T @ x)[1][:, -N_COMPONENTS:]
    y = np.where(data.y[chosen] == 3, 1.0, -1.0)
    w = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(y * (x @ w)))
        gradient = -(x.T @ (y * p)) / len(x) + RIDGE * w
        hessian = (x.T * (p * (1 - p))) @ x / len(x) + RIDGE * np.eye(len(w))
        w = w - np.linalg.solve(hessian, gradient)
    p = 1 / (1 + np.exp(y * (x @ w)))
    gradients = -(y * p)[:, None] * x + RIDGE * w
    eigenvalues, vectors = np.linalg.eigh((x.T * (p * (1 - p))) @ x / len(x) + RIDGE * np.eye(len(w)))
    variances = ((gradients @ vectors) ** 2).mean(0)
    largest = float((x**2).sum(1).max() / 4 + RIDGE)
    return Logistic(x, y, w, eigenvalues, variances, largest, float((gradients**2).sum(1).mean()))


def ends(one: Logistic, start: Array, rate: float, batch: int, steps: tuple[int, ...], n_runs: int) -> list[Array]:
    begin = np.tile(start, (n_runs, 1))
    return run_chains(begin, one.gradient(batch), optimizer=SGD(), rate=lambda step: rate, steps=steps, seed=SEED)


def check(scale: str) -> Evidence:
    one = problem(scale)
    n_runs = 1000 if scale == "full" else 1500
    small = 0.1 / one.smoothness  # noise that grows with the distance is left out: its share is of this order
    rows = []
    least = float(one.value(one.minimum[None])[0])
    for rate, batch in ((small, 1), (small, 2), (2 * small, 2)):
        times = tuple(int(k / (2 * rate * RIDGE)) for k in range(4, 11))  # in units of the slowest square's time
        found = np.mean([one.value(w) - least for w in ends(one, one.minimum, rate, batch, times, n_runs)], axis=0)
        mean, error = mean_and_error(found)
        predicted = quadratic_floor(one.eigenvalues, one.variances / batch, rate)
        estimate: dict[str, Any] = {"kind": "estimated", "standard_error": error, "tolerance": 0.04}
        rows.append(row(mean, "=", predicted, **estimate, what="excess at the floor", rate=round(rate, 6), batch=batch))
    step = 1 / (2 * one.smoothness)
    steps = (20, 100, 400)
    far = one.minimum + 1.0
    for n, w in zip(steps, ends(one, far, step, 1, steps, n_runs), strict=True):
        mean, error = mean_and_error(((w - one.minimum) ** 2).sum(1))
        bound = gower_2019_bound(n, step, convexity=RIDGE, noise=one.noise, distance=float(len(far)))
        rows.append(row(mean, "<=", bound, kind="estimated", standard_error=error, what="squared distance, bound", steps=n))
    rounded: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-9}
    rows.append(
        control(
            float(one.eigenvalues[0]), ">=", RIDGE * (1 - 1e-9), **rounded | {"standard_error": 1e-12}, what="least curvature"
        )
    )
    rows.append(control(float(one.eigenvalues[-1]), "<", one.smoothness, **rounded, what="largest curvature"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The excess at the floor against the step, for batches of 1 and 4; the bound."""
    one = problem("quick")
    least = float(one.value(one.minimum[None])[0])
    rates = np.geomspace(0.01, 0.2, 12)
    for batch, marker in ((1, "o"), (4, "s")):
        ax.plot(rates, [quadratic_floor(one.eigenvalues, one.variances / batch, r) for r in rates], color=PREDICTION)
        some = (0.04, 0.16)
        means = [(one.value(ends(one, one.minimum, r, batch, (int(3 / (r * RIDGE)),), 60)[0]) - least).mean() for r in some]
        ax.plot(some, means, marker, color=MEASUREMENT, label=f"batches of {batch}")
    ax.plot(rates, [one.smoothness * r * one.noise / RIDGE for r in rates], "--", color=BOUND, label="bound")
    ax.set(xscale="log", yscale="log", xlabel="step", ylabel="expected excess")
    ax.legend(frameon=False)
