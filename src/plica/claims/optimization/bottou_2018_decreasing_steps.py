r"""Steps that fall like 1/k: the excess falls like 1/k, and its constant is known.

Claim
    With steps beta / (gamma + k), beta > 1/c, the expected excess of SGD is at most nu / (gamma + k). On a quadratic with
    eigenvalue L = c the excess times k tends to beta^2 L M / (2 (2 beta c - 1)): the bound's constant has beta c - 1 there.
Source
    L. Bottou, F. Curtis, J. Nocedal, Optimization Methods for Large-Scale Machine Learning, SIAM Review 60 (2018), Theorem 4.7
    [bottou2018].
Prediction
    plica.theory.optimization.quadratic_excess, step by step; the constant of its limit; and
    plica.theory.optimization.bottou_2018_decreasing_bound
Measurement
    the mean excess of many independent runs of plica.learn.SGD; the constant by exact second moments up to step 20,000
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import REFERENCE, SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.optimization._chains import mean_and_error, run_chains
from plica.learn import SGD
from plica.theory.optimization import bottou_2018_decreasing_bound, quadratic_excess

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bottou-2018-noise-floor",)
SEED = 47
ROUNDING = 1e-12
STEPS = (10, 40, 160)
SETTINGS = ((2.0, 1.0), (4.0, 3.0))  # beta and gamma: the first step is 1/L


def measured_excess(beta: float, gamma: float, n_runs: int) -> list[tuple[float, float]]:
    """Mean and error of the excess before steps 11, 41 and 161, from w = 1, with eigenvalue and variance 1."""

    def gradient(w: Array, rng: np.random.Generator) -> Array:
        return w + rng.standard_normal(w.shape)

    found = run_chains(
        np.ones((n_runs, 1)), gradient, optimizer=SGD(), rate=lambda step: beta / (gamma + step + 1), steps=STEPS, seed=SEED
    )
    return [mean_and_error(w[:, 0] ** 2 / 2) for w in found]


def check(scale: str) -> Evidence:
    n_runs = 200_000 if scale == "full" else 40_000
    rows = []
    for beta, gamma in SETTINGS:
        rates = [beta / (gamma + k) for k in range(1, 20_001)]
        exact = quadratic_excess([1.0], [1.0], rates, [1.0])
        for n, (measured, error) in zip(STEPS, measured_excess(beta, gamma, n_runs), strict=True):
            about: dict[str, Any] = {"beta": beta, "gamma": gamma, "steps": n}
            estimate: dict[str, Any] = {"kind": "estimated", "standard_error": error}
            rows.append(row(measured, "=", float(exact[n]), what="excess", **estimate, **about))
            bound = bottou_2018_decreasing_bound(
                n + 1, beta=beta, gamma=gamma, smoothness=1, convexity=1, noise=1, excess=float(exact[0])
            )
            rows.append(row(measured, "<=", bound, what="bound", **estimate, **about))
        limit = beta**2 / (2 * (2 * beta - 1))
        reached: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "tolerance": 1e-3}
        rows.append(row(float(exact[-1] * len(rates)), "=", limit, **reached, what="constant of 1/k", beta=beta))
        nu = bottou_2018_decreasing_bound(10**9, beta=beta, gamma=0, smoothness=1, convexity=1, noise=1, excess=0) * 1e9
        rounded: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING}
        rows.append(control(nu / limit, "=", (2 * beta - 1) / (beta - 1), **rounded, what="nu over it", beta=beta))
        far = bottou_2018_decreasing_bound(1, beta=beta, gamma=gamma, smoothness=1, convexity=1, noise=1, excess=100.0)
        rows.append(control(far, "=", 100.0, tolerance=1e-12, what="the bound before the first step, from far away", beta=beta))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The excess against the number of steps."""
    n = np.arange(1, 401)
    for color, (beta, gamma) in zip(SERIES, SETTINGS, strict=False):
        exact = quadratic_excess([1.0], [1.0], [beta / (gamma + k) for k in range(1, 401)], [1.0])[1:]
        bounds = [
            bottou_2018_decreasing_bound(int(k) + 1, beta=beta, gamma=gamma, smoothness=1, convexity=1, noise=1, excess=0.5)
            for k in n
        ]
        ax.plot(n, exact, color=color, label=f"step {beta:g} / ({gamma:g} + k)")
        ax.plot(n, bounds, color=color, linestyle="--", linewidth=0.8)
    ax.plot(n, 1 / n, color=REFERENCE, linewidth=0.8, label="1/k")
    ax.set(xscale="log", yscale="log", xlabel="steps", ylabel="expected excess, and bound")
    ax.legend(frameon=False)
