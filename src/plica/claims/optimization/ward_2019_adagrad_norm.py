r"""AdaGrad-Norm converges from any start of its step, with a number of steps that is known.

Claim
    On an L-smooth function gradient steps eta / b_k with b_k^2 = b_0^2 + sum |grad|^2 reach min |grad F|^2 <= eps within a number
    of steps that depends on L, on F(x_0) - F_* and, like b_0 or its logarithm, on b_0; constant steps eta / b_0 diverge on a
    quadratic with curvature L for b_0 < eta L / 2. On a long slope the bound for large b_0 is at most twice the truth, and for
    b_0 near eta L it is 16 times the truth: its leading term 4 D^2 / (eta^2 eps) against x^2 / (4 eta^2).
Source
    R. Ward, X. Wu, L. Bottou, AdaGrad Stepsizes: Sharp Convergence over Nonconvex Landscapes, ICML 2019, Theorem 2.2 [ward2019];
    its constants as others print them, too.
Prediction
    plica.theory.optimization.adagrad_norm_steps
Measurement
    runs of plica.learn.AdaGradNorm over six decades of b_0 on a quadratic, on a function that is not convex, and on a slope where
    the bound is nearly attained
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.learn import SGD, AdaGradNorm, Optimizer, Stepper
from plica.theory.optimization import adagrad_norm_steps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("duchi-2011-regret", "bottou-2018-noise-floor")
STARTS = tuple(10.0**k for k in range(-3, 4))
LIMIT = 200_000


@dataclass(frozen=True)
class Problem:
    """A function by its gradient, with its smoothness and its excess at the start."""

    name: str
    gradient: Callable[[Array], Array]
    start: Array
    smoothness: float
    excess: float
    accuracy: float


def quadratic() -> Problem:
    values = np.array([4.0, 1.0, 0.25])
    start = np.array([1.0, -2.0, 2.0])
    return Problem("quadratic", lambda w: values * w, start, 4.0, float((values * start**2).sum() / 2), 1e-3)


def wavy() -> Problem:
    """sum w^2 / 2 + 3 sin^2 w: curvature from 1 - 6 to 1 + 6, many stationary points; its least value is 0."""
    start = np.array([3.0, -4.0])
    value = float((start**2 / 2 + 3 * np.sin(start) ** 2).sum())
    return Problem("not convex", lambda w: w + 3 * np.sin(2 * w), start, 7.0, value, 1e-3)


def slope(distance: float = 40.0, smoothness: float = 1.0) -> Problem:
    """A Huber function with a slope just above the accuracy asked for, so long that it ends when the bound does."""
    accuracy = 0.01
    steep = 1.001 * accuracy**0.5

    def gradient(w: Array) -> Array:
        return np.clip(smoothness * w, -steep, steep)

    excess = steep * distance - steep**2 / (2 * smoothness)
    return Problem("slope", gradient, np.array([distance]), smoothness, excess, accuracy)


def steps_needed(problem: Problem, optimizer: Optimizer, rate: float, limit: int) -> int | None:
    """Gradients taken until one is as short as asked for; None if none is, or the run diverges."""
    w = problem.start.copy()
    reached = [False]

    def gradient(step: int) -> tuple[float, list[Array]]:
        g = problem.gradient(w)
        reached[0] = float(g @ g) <= problem.accuracy
        return 0.0, [g]

    stepper = Stepper([w], gradient, optimizer=optimizer, rate=lambda step: rate)
    for n in range(1, limit + 1):
        stepper.advance()
        if reached[0]:
            return n
        if not np.isfinite(w).all() or np.abs(w).max() > 1e12:
            return None
    return None


def check(scale: str) -> Evidence:
    rows = []
    for problem in (quadratic(), wavy()):
        for b0 in STARTS:
            bound = adagrad_norm_steps(problem.accuracy, smoothness=problem.smoothness, excess=problem.excess, rate=1.0, b0=b0)
            found = steps_needed(problem, AdaGradNorm(b0=b0), 1.0, min(bound, LIMIT))
            rows.append(row(-1 if found is None else found, "<=", bound, what=problem.name, b0=b0))
            rows.append(control(found is not None, "=", True, what=f"{problem.name}: reached", b0=b0))
    for b0 in (1e-3, 1.0, 1.9):
        found = steps_needed(quadratic(), SGD(), 1.0 / b0, 5000)
        rows.append(control(found is None, "=", True, what="a constant step 1 / b0 diverges", b0=b0))
    problem = slope()
    for b0 in (1000.0, 3000.0) if scale == "quick" else (1000.0, 3000.0, 30_000.0):
        bound = adagrad_norm_steps(problem.accuracy, smoothness=1.0, excess=problem.excess, rate=100.0, b0=b0)
        found = steps_needed(problem, AdaGradNorm(b0=b0), 100.0, bound) or 0
        # all steps are eta s / b_0 but for what b gains: b_0 x / (eta s) of them, and 2 b_0 D / (eta s^2) is twice that
        about: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-3, "what": "bound over steps, b_0 large", "b0": b0}
        rows.append(row(bound / found if found else 0.0, "=", 2.0, tolerance=0.02, **about))
    problem = slope(
        400.0, 0.02
    )  # gradients of one length s: x moves by 2 eta N^{1/2} in N steps, and D = s x: 4 D^2 / s^2 = 16 N
    for b0 in (0.025, 0.005):  # on both sides of eta L
        bound = adagrad_norm_steps(problem.accuracy, smoothness=0.02, excess=problem.excess, rate=1.0, b0=b0)
        found = steps_needed(problem, AdaGradNorm(b0=b0), 1.0, bound) or 0
        rows.append(
            row(bound / found, "=", 16.0, tolerance=0.04, kind="estimated", standard_error=0.02, what="bound over steps", b0=b0)
        )
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Steps needed against b0, and the bound."""
    problem = quadratic()
    starts = np.geomspace(1e-3, 1e3, 25)
    found = [steps_needed(problem, AdaGradNorm(b0=b), 1.0, LIMIT) for b in starts]
    bounds = [adagrad_norm_steps(problem.accuracy, smoothness=4.0, excess=problem.excess, rate=1.0, b0=b) for b in starts]
    plain = [steps_needed(problem, SGD(), 1 / b, LIMIT) for b in starts]
    ax.plot(starts, bounds, color=BOUND, linestyle="--", label="bound")
    ax.plot(starts, [n if n else np.nan for n in found], "o-", color=MEASUREMENT, markersize=3, label="AdaGrad-Norm")
    ax.plot(starts, [n if n else np.nan for n in plain], "s-", color=REFERENCE, markersize=3, label="constant step 1 / b0")
    ax.set(xscale="log", yscale="log", xlabel="b0", ylabel="steps")
    ax.legend(frameon=False)
