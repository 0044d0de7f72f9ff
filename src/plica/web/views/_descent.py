"""Descent: optimizers on a quadratic valley, with the rates and floors that are known for them."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from plica._types import Array
from plica.theory import optimization as theory
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web.views._sheet import Axis, Sheet

N = 24
"""Coordinates of the valley; the curvatures lie between 1 / condition and 1."""
N_RUNS = 200
N_STEPS = 300
LATE = 200
"""Steps after which a rate is read off, where rounding does not end the descent before."""
ROLES = {"gradient descent": "other", "heavy ball": "measured", "Nesterov": "bound"}
"""The color of each method, in every panel."""


def sheet(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    curvatures = np.geomspace(1 / state.condition, 1.0, N)
    made = Sheet(
        "Half the sum of λ x², the simplest valley: its curvatures λ lie between 1/κ and 1. What each method does there is known "
        "exactly, from its roots; with noisy gradients constant steps end at a floor of known height."
    )
    start = np.random.default_rng(state.seed).standard_normal(N)
    runs = {name: _run(name, curvatures, start) for name in ("gradient descent", "heavy ball", "Nesterov")}
    _errors(made, state, curvatures, runs)
    _valley(made, curvatures, start, state)
    _noisy(made, state, curvatures, start)
    return made


def _parameters(name: str, curvatures: Array) -> tuple[float, float]:
    low, high = float(curvatures.min()), float(curvatures.max())
    if name == "heavy ball":
        found = theory.heavy_ball_parameters(high, low)
    elif name == "Nesterov":
        found = theory.nesterov_parameters(high, low)
    else:
        return 2 / (low + high), 0.0
    return float(found[0]), float(found[1])


def _run(name: str, curvatures: Array, start: Array) -> Array:
    """The points of a run, written out step by step."""
    rate, momentum = _parameters(name, curvatures)
    before = x = start
    points = [x]
    for _ in range(N_STEPS):
        ahead = x + momentum * (x - before)
        slope = curvatures * (ahead if name == "Nesterov" else x)
        before, x = x, ahead - rate * slope
        points.append(x)
    return np.array(points)


def _errors(made: Sheet, state: State, curvatures: Array, runs: dict[str, Array]) -> None:
    panel = made.panel(
        "Distance to the minimum", Axis("step"), Axis("distance over that of the start", is_log=True), is_wide=True
    )
    steps = np.arange(N_STEPS + 1)
    radius = {
        "gradient descent": theory.gradient_descent_radius(curvatures, _parameters("gradient descent", curvatures)[0]),
        "heavy ball": theory.heavy_ball_radius(curvatures, *_parameters("heavy ball", curvatures)),
        "Nesterov": theory.nesterov_radius(curvatures, *_parameters("Nesterov", curvatures)),
    }
    for name, points in runs.items():
        size = np.linalg.norm(points, axis=1)
        seen = size / size[0]
        panel.line(steps, np.maximum(seen, 1e-15), name, ROLES[name])
        late = min(LATE, int(np.argmax(seen < 1e-11)) or LATE)
        # a double root adds a factor of the step: it is taken out before the rate is read off
        drift = (late / (late // 2)) if name == "heavy ball" else 1.0
        rate = float((seen[late] / seen[late // 2] / drift) ** (1 / (late - late // 2)))
        key = {"gradient descent": "gradient", "heavy ball": "heavy-ball", "Nesterov": "nesterov"}[name]
        made.read(key, f"factor of the distance in a step, {name}", "=", radius[name], rate, slack=0.01)
    least = [theory.nesterov_lower_bound(int(k), 1.0, 1 / state.condition) for k in steps[: 60 + 1]]
    panel.line(steps[: 60 + 1], least, "no method of the first order is below", "predicted", is_dashed=True)
    best = min(float(np.linalg.norm(points[20]) / np.linalg.norm(points[0])) for points in runs.values())
    made.read("lower-bound", "least distance after 20 steps, of the three", ">=", least[20] if state.condition > 4 else 0.0, best)
    made.show(radius["heavy ball"], "factor a step", "predicted", f"heavy ball, condition {state.condition:g}")


def _valley(made: Sheet, curvatures: Array, start: Array, state: State) -> None:
    """Two coordinates of the valley, the flattest and the steepest, and the ways down."""
    pair = np.array([curvatures[0], curvatures[-1]])
    reach = 1.3
    at = np.linspace(-reach, reach, 48)
    u, v = np.meshgrid(at, at)
    panel = made.panel(
        "The valley, its flattest and steepest way", Axis("flat", low=-reach, high=reach), Axis("steep", low=-reach, high=reach)
    )
    height = (pair[0] * u**2 + pair[1] * v**2) / 2
    panel.heat(np.log10(height + 1e-4), (-reach, reach, -reach, reach), "log₁₀ of the height")
    for name in ("gradient descent", "heavy ball"):
        way = _run(name, pair, np.array([1.0, 1.0]))[:60]
        panel.line(way[:, 0], way[:, 1], name, ROLES[name])


def _noisy(made: Sheet, state: State, curvatures: Array, start: Array) -> None:
    """Gradients with noise of variance one in every coordinate."""
    rng = np.random.default_rng([state.seed, 3])
    few = curvatures[N // 2 :]
    rate, n_steps = state.stride, 600
    x = np.zeros((N_RUNS, len(few)))
    seen = np.empty(n_steps)
    for k in range(n_steps):
        seen[k] = (few * x**2).sum(axis=1).mean() / 2
        x = x - rate * (few * x + rng.standard_normal(x.shape))
    floor = theory.quadratic_floor(few, np.ones_like(few), rate)
    exact = theory.quadratic_excess(few, np.ones_like(few), [rate] * (n_steps - 1), np.zeros_like(few))
    panel = made.panel("With noisy gradients", Axis("step"), Axis("mean excess", low=0))
    panel.line(np.arange(n_steps), seen, f"mean of {N_RUNS} runs", "measured")
    panel.line(np.arange(n_steps), exact, "expected")
    panel.line([0, n_steps], [floor, floor], "floor", "bound", is_dashed=True)
    late = (few * x**2).sum(axis=1) / 2
    made.read(
        "floor",
        "excess at the end, on average",
        "=",
        float(exact[-1]),
        float(late.mean()),
        error=float(late.std() / sqrt(N_RUNS)),
        slack=0.01,
    )
    _decreasing(made, few, rng)
    _least_squares(made, few[-4:], rng)
    _adam(made)


def _decreasing(made: Sheet, few: Array, rng: np.random.Generator) -> None:
    beta, gamma, n_steps = 2 / float(few.min()), 2 / float(few.min()) / 0.9, 400
    rates = beta / (gamma + np.arange(1, n_steps + 1))
    x = np.ones((N_RUNS, len(few)))
    for rate in rates:
        x = x - rate * (few * x + rng.standard_normal(x.shape))
    late = (few * x**2).sum(axis=1) / 2
    expected = theory.quadratic_excess(few, np.ones_like(few), rates, np.ones_like(few))
    made.read(
        "decreasing", f"excess after {n_steps} falling steps, on average", "=", float(expected[-1]), float(late.mean()),
        error=float(late.std() / sqrt(N_RUNS)), slack=0.01,
    )  # fmt: skip


def _least_squares(made: Sheet, few: Array, rng: np.random.Generator) -> None:
    """Fresh Gaussian data in every step, labels with noise of variance one: the floor of the mean loss above its minimum."""
    rate, n_steps = 0.05, 400
    w = np.zeros((4 * N_RUNS, len(few)))
    for _ in range(n_steps):
        x = rng.standard_normal(w.shape) * np.sqrt(few)
        residual = (x * w).sum(axis=1) - rng.standard_normal(len(w))
        w = w - rate * residual[:, None] * x
    excess = (few * w**2).sum(axis=1) / 2
    error = float(excess.std() / sqrt(len(w)))
    floor = theory.least_squares_floor(few, 1.0, rate)
    made.read(
        "least-squares", "floor of least squares from fresh data", "=", floor, float(excess.mean()), error=error, slack=0.02
    )


def _adam(made: Sheet) -> None:
    """Losses C x, -x, -x over and over on [-1, 1]: the regret of Adam a step, with the memory of the counterexample."""
    large, n_steps = 6.0, 6_000
    x, second, total = 1.0, 0.0, 0.0
    for k in range(n_steps):
        slope = large if k % 3 == 0 else -1.0
        total += slope * x - slope * -1.0
        second = second / (1 + large**2) + slope**2 * (1 - 1 / (1 + large**2))
        x = float(np.clip(x - 0.5 / sqrt(k + 1) * slope / sqrt(second), -1, 1))
    expected = theory.adam_counterexample_regret(large)
    made.read("adam", f"regret of Adam a step, C = {large:g}", "=", expected, total / n_steps, slack=0.05)
