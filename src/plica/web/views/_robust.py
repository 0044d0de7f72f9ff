"""Robustness: a point, the ball around it in which nothing changes, and the nearest point of the other class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Box, Budget, decompose
from plica.measure import integrated_gradients
from plica.network import Network, to_torch
from plica.robust import certified_radius, class_distance
from plica.web._layers import two_scores
from plica.web._limits import Limits
from plica.web._scene import Scene
from plica.web._state import State
from plica.web.views._sheet import Axis, Sheet

GRID = 64
MAX_NODES = 600
"""Of the search for a certificate: counted, so that the same state says the same on any machine that is fast enough."""
SHARE = 0.4
"""Of a job's seconds: what the cells may take, and what the search may take; a hard point ends with what is known by then."""
METHODS = ("interval", "wong-kolter", "crown")


def sheet(state: State, scene: Callable[[], Scene], limits: Limits) -> Sheet:
    found = scene()
    network = _scores(found)
    point = _point(state, found)
    boundary = _boundary(found, network, limits)
    near, radius = _nearest(boundary, point, state.norm)
    seconds = SHARE * limits.max_seconds
    made = Sheet(
        "A point, the largest ball around it in which the class stays the same, and the nearest point where it does not: on the "
        "boundary of the exact cells, in this window. Drag the point. A search certifies the distance: "
        f"at most {MAX_NODES} nodes and {seconds:.3g} s."
    )
    distance = class_distance(network, point, norm=state.norm, timeout_s=seconds, max_nodes=MAX_NODES)  # type: ignore[arg-type]
    is_certified = distance.lower * (1 - 1e-5) <= radius <= distance.upper * (1 + 1e-5) and distance.is_closed
    where = f"in the {'Euclidean' if state.norm == 'l2' else 'maximum'} norm"
    if not distance.is_closed:
        spent = f"{MAX_NODES} nodes" if distance.n_nodes >= MAX_NODES else f"{seconds:.3g} s, {distance.n_nodes} nodes,"
        where += f"; {spent} of a search did not certify it"
    made.show(radius, "to the other class", "certified" if is_certified else "estimated", where)
    radii = {name: certified_radius(network, point, norm=state.norm, method=name) for name in METHODS}  # type: ignore[arg-type]
    attack = _deepfool(network, point) if state.norm == "l2" else None
    _plane(made, state, found, network, boundary, point, (near, radius, radii["crown"]))
    _profile(made, found, point, near)
    _methods(made, radii, radius, attack)
    made.read("order", "radius that CROWN proves, beside the distance", "<=", radius, radii["crown"])
    made.read("tie", "difference of the scores at the nearest point", "=", 0.0, _margin(network, near), rounding=1e-6)
    made.read("certified", "distance, beside a certified upper bound", "<=", distance.upper * (1 + 1e-6), radius)
    if attack is not None:
        made.read("attack", "distance that DeepFool goes", ">=", radius, attack, rounding=1e-9)
    parts = integrated_gradients(network, near, point, output=1)
    gain = float(network(near[None])[0, 1] - network(point[None])[0, 1])
    made.read("complete", "sum of integrated gradients on the way there", "=", gain, float(np.sum(parts.values)), rounding=1e-9)
    return made


def _boundary(found: Scene, network: Network, limits: Limits) -> Array:
    """The ends of the segments where the class changes, (n, 2, 2)."""
    a, b, c, d = found.window
    budget = Budget(max_cells=60_000, max_seconds=SHARE * limits.max_seconds)
    cx: Any = decompose(network, Box([a, c], [b, d]), budget=budget)
    ends = np.asarray(cx.decision_boundary()).reshape(-1, 2, 2)
    if not len(ends):
        raise InvalidInput("one class fills this window.", hint="train the network, or choose a larger window")
    return ends


def _nearest(boundary: Array, point: Array, norm: str) -> tuple[Array, float]:
    """The nearest point of the segments, and how far it is.

    In the maximum norm the distance along a segment is piecewise linear: it is least at an end, or where it turns.
    """
    start, way = boundary[:, 0] - point, boundary[:, 1] - boundary[:, 0]
    if norm == "l2":
        length = np.maximum((way**2).sum(axis=1), 1e-300)
        t = np.clip(-(start * way).sum(axis=1) / length, 0, 1)[:, None]
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            turns = [
                -start[:, 0] / way[:, 0],
                -start[:, 1] / way[:, 1],
                (start[:, 1] - start[:, 0]) / (way[:, 0] - way[:, 1]),
                -(start[:, 1] + start[:, 0]) / (way[:, 0] + way[:, 1]),
            ]
        t = np.stack(
            [np.clip(np.nan_to_num(u, posinf=0, neginf=0), 0, 1) for u in (*turns, np.zeros(len(way)), np.ones(len(way)))], axis=1
        )
    places = start[:, None] + t[:, :, None] * way[:, None]
    size = np.abs(places).max(axis=2) if norm == "linf" else np.sqrt((places**2).sum(axis=2))
    i, k = np.unravel_index(int(size.argmin()), size.shape)
    return np.asarray(point + places[i, k]), float(size[i, k])


def _scores(found: Scene) -> Network:
    """A network with a score for each class."""
    if found.n_inputs != 2 or found.network is None:
        raise InvalidInput("this view needs a piecewise-linear network with two inputs.", hint="choose two moons and ReLU")
    if found.layers is None:
        if found.network.n_outputs < 2:
            raise InvalidInput("this view needs a model with a score for each class.", hint="two outputs or more")
        return found.network
    return two_scores(found.layers, found.activations)


def _point(state: State, found: Scene) -> Array:
    if len(state.pin) == 2:
        return np.array(state.pin)
    return np.array(found.problem.points[0]) if found.problem is not None else np.zeros(2)


def _margin(network: Network, point: Any) -> float:
    scores = np.sort(network(np.asarray(point)[None])[0])
    return float(scores[-1] - scores[-2])


def _deepfool(network: Network, point: Array) -> float:
    import torch

    from plica.robust.attacks import deepfool

    model = to_torch(network)
    x = torch.from_numpy(point[None])
    label = torch.from_numpy(network(point[None]).argmax(1))
    moved = deepfool(model, x, label, overshoot=0.0).detach().numpy()[0]
    return float(np.linalg.norm(moved - point))


def _plane(
    made: Sheet, state: State, found: Scene, network: Network, boundary: Array, point: Array, balls: tuple[Array, float, float]
) -> None:
    near, radius, proved = balls
    a, b, c, d = found.window
    u, v = (low + (high - low) * (np.arange(GRID) + 0.5) / GRID for low, high in ((a, b), (c, d)))
    scores = network(np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2))
    lead = np.tanh(scores[:, 1] - np.delete(scores, 1, axis=1).max(axis=1)).reshape(GRID, GRID)
    panel = made.panel("The plane", Axis("x", low=a, high=b), Axis("y", low=c, high=d), is_square=True)
    panel.heat(lead, (a, b, c, d), "tanh of the difference of scores", table="output", low=-1.15, high=1.15, is_plain=True)
    ends = boundary.reshape(-1, 2)
    panel.segments(ends[:, 0], ends[:, 1], "decision boundary", "predicted")
    for size, name, role in ((radius, "largest ball", "bound"), (proved, "proved by CROWN", "other")):
        ring = _ring(point, size, state.norm)
        panel.line(ring[:, 0], ring[:, 1], name, role, is_dashed=role == "other")
    panel.line([point[0], near[0]], [point[1], near[1]], "", "bound")
    panel.dots(near[:1], near[1:], "nearest other class", "bound")
    panel.movable("pin[0]", "pin[1]", at=(float(point[0]), float(point[1])), step=((b - a) / 50, (d - c) / 50))


def _ring(center: Array, radius: float, norm: str) -> Array:
    if norm == "linf":
        return center + radius * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
    t = np.linspace(0, 2 * np.pi, 121)
    return center + radius * np.stack([np.cos(t), np.sin(t)], axis=1)


def _profile(made: Sheet, found: Scene, point: Array, near: Array) -> None:
    """The output on the way to the nearest point and beyond."""
    t = np.linspace(0, 1.6, 161)
    network = found.network
    assert network is not None
    y = network(point + t[:, None] * (near - point))
    panel = made.panel("On the way there", Axis("part of the way"), Axis("output"))
    panel.line(t, y[:, 0] if y.shape[1] == 1 else y[:, 1] - y[:, 0], "output", "measured")
    panel.line([0, 1.6], [0, 0], "boundary", "reference", is_dashed=True)


def _methods(made: Sheet, radii: dict[str, float], radius: float, attack: float | None) -> None:
    panel = made.panel("Radii", Axis("how it is proved", names=("intervals", "Wong and Kolter", "CROWN")), Axis("radius", low=0))
    panel.bars(np.arange(1, len(radii) + 1), list(radii.values()), "proved", "other", width=0.7)
    panel.line([0.5, len(radii) + 0.5], [radius] * 2, "distance", "bound")
    if attack is not None:
        panel.line([0.5, len(radii) + 0.5], [attack] * 2, "DeepFool", "reference", is_dashed=True)
