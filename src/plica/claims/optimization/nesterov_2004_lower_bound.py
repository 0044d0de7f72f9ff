r"""What no method of the first order can beat, and that it can be reached.

Claim
    There is a quadratic with eigenvalues from c to L for which after k steps every method whose iterates stay in the span of
    the gradients seen is at least ((sqrt(q) - 1) / (sqrt(q) + 1))^k times as far from the minimum as at the start, q = L/c.
    The best point of the span is exactly as far, and so is the best heavy ball, on this function.
Source
    Yu. Nesterov, Introductory Lectures on Convex Optimization (2004), Theorem 2.1.13 [nesterov2004].
Prediction
    plica.theory.optimization.nesterov_lower_bound
Measurement
    Nesterov's quadratic, with its chain of 2 and -1, in 400 dimensions: the point of the Krylov space nearest to the minimum,
    by least squares; and runs of plica.learn.SGD without momentum, with heavy ball and with Nesterov's
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.learn import SGD, Stepper
from plica.theory.optimization import heavy_ball_parameters, nesterov_lower_bound, nesterov_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("polyak-1964-heavy-ball", "nesterov-2004-rate")
SIZE = 400
METHODS: dict[str, dict[str, Any]] = {
    "gradient descent": {},
    "heavy ball": {"momentum": None},
    "Nesterov": {"momentum": None, "nesterov": True},
}


def chain(smoothness: float, convexity: float) -> tuple[Array, Array, Array]:
    """The Hessian, the linear term and the minimum of Nesterov's function, cut off where the minimum is below 1e-16."""
    second = 2 * np.eye(SIZE) - np.eye(SIZE, k=1) - np.eye(SIZE, k=-1)
    hessian = (smoothness - convexity) / 4 * second + convexity * np.eye(SIZE)
    linear = np.zeros(SIZE)
    linear[0] = (smoothness - convexity) / 4
    return hessian, linear, np.linalg.solve(hessian, linear)


def nearest_in_span(n_steps: int, minimum: Array) -> float:
    """From 0 the gradients span the first coordinates; the distance of the minimum to them."""
    return float(np.linalg.norm(minimum[n_steps:]))


def distances(name: str, smoothness: float, convexity: float, n_steps: int) -> list[float]:
    """|w_k - w*| / |w_0 - w*| of a run of an optimizer from 0."""
    hessian, linear, minimum = chain(smoothness, convexity)
    options = METHODS[name]
    rate = 1 / smoothness
    if "momentum" in options:
        choose = nesterov_parameters if options.get("nesterov") else heavy_ball_parameters
        rate, momentum = choose(smoothness, convexity)
        options = options | {"momentum": momentum}
    w = np.zeros(SIZE)
    stepper = Stepper([w], lambda step: (0.0, [hessian @ w - linear]), optimizer=SGD(**options), rate=lambda step: rate)
    found = [1.0]
    for _ in range(n_steps):
        stepper.advance()
        found.append(float(np.linalg.norm(w - minimum) / np.linalg.norm(minimum)))
    return found


def check(scale: str) -> Evidence:
    rows = []
    for smoothness, convexity in ((10.0, 1.0), (40.0, 0.4)):
        minimum = chain(smoothness, convexity)[2]
        about: dict[str, Any] = {"L": smoothness, "c": convexity}
        n_steps = (3, 10, 25) if scale == "quick" else (1, 3, 10, 25, 40)
        runs = {name: distances(name, smoothness, convexity, max(n_steps)) for name in METHODS}
        for k in n_steps:
            bound = nesterov_lower_bound(k, smoothness, convexity)
            best = nearest_in_span(k, minimum) / float(np.linalg.norm(minimum))
            rows.append(row(best, "=", bound, kind="estimated", standard_error=1e-12, what="best of the span", k=k, **about))
            for name, run in runs.items():
                relation = "=" if name == "heavy ball" else ">="
                rows.append(row(run[k], relation, bound, kind="estimated", standard_error=1e-12, what=name, k=k, **about))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Distances to the minimum, and the bound below them."""
    steps = np.arange(41)
    for color, name in zip(SERIES, METHODS, strict=False):
        ax.plot(steps, distances(name, 40.0, 0.4, 40), color=color, label=name)
    ax.plot(steps, [nesterov_lower_bound(int(k), 40.0, 0.4) for k in steps], color=BOUND, linestyle="--", label="no method below")
    ax.set(yscale="log", xlabel="steps", ylabel="distance to the minimum, relative")
    ax.legend(frameon=False)
