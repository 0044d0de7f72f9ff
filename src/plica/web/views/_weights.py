"""Weights: the loss along a line of weights, exactly, on a plane of them, and the path that training took."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Budget
from plica.landscape import folded_curvature, loss_line
from plica.network import Network
from plica.web._layers import Layer, network_of, two_scores
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web._training import Trainer, dense_network
from plica.web.views._sheet import Axis, Sheet

N_SAMPLES = 60
"""Points over which the loss on the line is exact; the first ones."""
GRID = 25
PATH = 16
COARSE = 25
MAX_WEIGHTS = 3_000


def sheet(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    found = scene()
    if found.problem is None or found.layers is None or found.network is None:
        raise InvalidInput("this view needs a piecewise-linear network that is trained here.", hint="choose data and ReLU")
    if sum(w.size + b.size for w, b in found.layers) > MAX_WEIGHTS:
        raise InvalidInput(f"this view is for networks of at most {MAX_WEIGHTS:,} weights.", hint="use narrower layers")
    made = Sheet(
        "The loss as the weights move: exactly along a line, with every breakpoint, and on a plane around them, with the "
        "path that training took."
    )
    here = _flat(found.layers)
    path, start = _path(state, found)
    toward = _direction(state, here, start, found)
    _line(made, state, found, here, toward, limits)
    _surface(made, state, found, here, path, toward)
    _descent(made, state, found, path)
    return made


def _flat(layers: list[Layer]) -> Array:
    return np.concatenate([part.ravel() for layer in layers for part in layer])


def _layers(found: Scene, vector: Array) -> list[Layer]:
    assert found.layers is not None
    out, at = [], 0
    for weight, bias in found.layers:
        w = vector[at : at + weight.size].reshape(weight.shape)
        at += weight.size
        out.append((w, vector[at : at + bias.size]))
        at += bias.size
    return out


def _path(state: State, found: Scene) -> tuple[Array, Array]:
    """The weights at some steps on the way, and those of the start."""
    assert found.problem is not None
    trainer = Trainer(state, found.problem)
    checkpoint = trainer.start()
    steps = np.unique(np.linspace(0, found.checkpoint.step if found.checkpoint else 0, PATH).astype(int))
    rows = []
    for step in steps:
        checkpoint, _ = trainer.run(checkpoint, int(step))
        rows.append(_flat(trainer.layers(checkpoint)))
    return np.array(rows), rows[0]


def _direction(state: State, here: Array, start: Array, found: Scene) -> Array:
    """To the start of the training, or random with the norms of the rows of weights."""
    if state.along == "start" and not np.array_equal(here, start):
        return start - here
    return _random(state.seed, here, found)


def _random(seed: int, here: Array, found: Scene) -> Array:
    draw = _layers(found, np.random.default_rng([seed, 11]).standard_normal(len(here)))
    rows = []
    for (w, b), (v, c) in zip(_layers(found, here), draw, strict=True):
        size, drawn = (np.sqrt((p**2).sum(1) + q**2) for p, q in ((w, b), (v, c)))
        factor = size / np.maximum(drawn, 1e-300)
        rows.append((v * factor[:, None], c * factor))
    return _flat(rows)


def _samples(found: Scene) -> tuple[Array, Array]:
    assert found.problem is not None
    y = found.problem.targets[:N_SAMPLES]
    return found.problem.points[:N_SAMPLES], y.astype(np.int64) if found.problem.is_classes else y[:, None]


def _network(found: Scene, vector: Array) -> Network:
    assert found.problem is not None
    make = two_scores if found.problem.is_classes else network_of
    return make(_layers(found, vector), found.activations)


def _loss(found: Scene, vector: Array) -> float:
    """Cross-entropy of classes, or the mean squared error."""
    x, y = _samples(found)
    out = _network(found, vector)(x)
    if found.problem is not None and found.problem.is_classes:
        top = out.max(axis=1)
        return float((top + np.log(np.exp(out - top[:, None]).sum(axis=1)) - out[np.arange(len(y)), y]).mean())
    return float(((out - y) ** 2).mean())


def _name(found: Scene) -> str:
    return "cross-entropy" if found.problem is not None and found.problem.is_classes else "squared"


def _line(made: Sheet, state: State, found: Scene, here: Array, toward: Array, limits: Limits) -> None:
    x, y = _samples(found)
    a, b = here - state.span * toward, here + state.span * toward
    budget = Budget(max_cells=200_000, max_seconds=limits.max_seconds / 2)
    line = loss_line(_network(found, a), _network(found, b), x, y, loss=_name(found), budget=budget)
    t = np.linspace(0, 1, 401)
    values = np.asarray(line(t))
    at = (2 * t - 1) * state.span
    panel = made.panel("Loss along the line", Axis("part of the direction"), Axis(f"{_name(found)} loss"), is_wide=True)
    panel.line(at, values, "loss, exact", "measured")
    grid = np.linspace(0, 1, COARSE)
    sampled = [_loss(found, (1 - s) * a + s * b) for s in grid]
    panel.dots((2 * grid - 1) * state.span, sampled, f"a grid of {COARSE} points", "bound")
    marks = np.asarray(line.breakpoints()).mean(axis=1)
    seen = (2 * marks[:: max(1, len(marks) // 400)] - 1) * state.span
    low, height = float(values.min()), 0.04 * float(np.ptp(values) or 1.0)
    panel.segments(np.repeat(seen, 2), np.tile([low - height, low], len(seen)), "breakpoints", "other")
    made.show(
        line.n_breakpoints,
        "breakpoints",
        "exact" if line.kind == "exact" else line.kind,
        f"{len(x)} points, degree {line.degree}",
    )
    made.read("degree", "degree of the outputs between breakpoints", "=", len(found.layers or []), line.degree)
    peak = line.maximum.value
    made.read("ridge", "largest loss of the grid, beside that of the line", "<=", float(peak.high), float(max(sampled)))
    made.read(
        "evaluated", "loss in the middle, evaluated twice", "=", _loss(found, here), float(line(np.array([0.5]))[0]), slack=1e-9
    )
    if line.loss == "squared":
        h = 1e-6
        along = (_loss(found, here + h * toward) - _loss(found, here - h * toward)) / (2 * h)
        slope = float(_gradient(found, here) @ toward)
        made.read("gradient", "slope along the direction, by backpropagation", "=", along, slope, slack=1e-4)
        bent = folded_curvature(line)
        what = "change of slope at breakpoints and between them, in all"
        made.read("curvature", what, "=", bent.total, _slopes(line), slack=0.02)
        if bent.total:
            made.read("at-folds", "of it at breakpoints, where no Hessian sees it", "~", bent.total, bent.at_folds)


def _gradient(found: Scene, vector: Array) -> Array:
    """The gradient of the mean squared error, written out layer by layer."""
    x, y = _samples(found)
    dense = dense_network(_layers(found, vector), found.activations)
    return np.asarray(dense.gradient(x, y)[1][0]) * _factor(dense, x, y)


def _factor(dense: Any, x: Array, y: Array) -> float:
    """The trainer's squared loss may be half the mean square: by what it is multiplied to be it."""
    mean = float(((dense.stages(x)[-1] - y) ** 2).mean())
    loss = dense.loss(x, y)
    return mean / loss if loss else 1.0


def _slopes(line: Any) -> float:
    """The slope at the end minus that at the start, from values alone."""
    h = 1e-6
    v = np.asarray(line(np.array([0.0, h, 1 - h, 1.0])))
    return float((v[3] - v[2] - v[1] + v[0]) / h)


def _surface(made: Sheet, state: State, found: Scene, here: Array, path: Array, toward: Array) -> None:
    other = _random(state.seed + 1, here, found)
    other -= (other @ toward) / (toward @ toward) * toward
    other *= np.linalg.norm(toward) / np.linalg.norm(other)
    at = np.linspace(-1.25 * state.span, 1.25 * state.span, GRID)
    values = np.array([[_loss(found, here + u * toward + v * other) for u in at] for v in at])
    panel = made.panel("Loss on a plane of weights", Axis("along the direction"), Axis("across, random"))
    reach = 1.25 * state.span
    panel.heat(np.log10(np.maximum(values, 1e-12)), (-reach, reach, -reach, reach), "log₁₀ of the loss")
    way = np.stack([(path - here) @ toward / (toward @ toward), (path - here) @ other / (other @ other)], axis=1)
    inside = np.abs(way).max(axis=1) <= reach
    if len(way) > 1 and inside.sum() > 1:
        panel.line(way[inside, 0], way[inside, 1], "path of training", "predicted")
        panel.dots(way[inside, 0], way[inside, 1], "", "bound")


def _descent(made: Sheet, state: State, found: Scene, path: Array) -> None:
    steps = np.unique(np.linspace(0, found.checkpoint.step if found.checkpoint else 0, PATH).astype(int))
    panel = made.panel("Loss on the way", Axis("step"), Axis(f"{_name(found)} loss"))
    panel.dots(steps, [_loss(found, row) for row in path], "steps of the training")
