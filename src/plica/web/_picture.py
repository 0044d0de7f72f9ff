"""What the page draws: cells, folds, boundary and points as arrays, and the facts beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import isqrt, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded
from plica.geometry import Budget, Complex, Segment, decompose
from plica.measure import trajectory_length
from plica.network import Network
from plica.theory.lengths import relu_length_factor
from plica.web._cells import (
    cell_states,
    cycles,
    drawn_areas,
    drawn_boundary,
    drawn_positions,
    fitted_gradients,
    float_outputs,
    goals,
    is_united,
    work,
)
from plica.web._layers import LEAK, linear_layers
from plica.web._limits import Limits
from plica.web._scene import Scene

Arrays = dict[str, Array]

MAX_PATTERN_BYTES = 4_000_000
MAX_PIECES = 20_000
SHRINK_ATTEMPTS = 8
"""How often a window is made four times smaller to fit the budget."""
MAX_STATES = 1.5e7
"""States of neurons, all cells together, of a model in the window that is chosen for it."""
LEAST_CELLS = 500
MAX_CLASSES = 20
"""Outputs that are sent to the page at all vertices, for its map of classes."""
MAX_WEIGHTS = 60_000
"""Weights that are sent to the page, for its diagram; it draws larger networks without."""
MAX_MAP_WORK = 2e9
"""Multiplications for the affine maps of all cells; beyond, the page asks for one cell at a time."""


def picture(scene: Scene, limits: Limits) -> tuple[dict[str, Any], Arrays]:
    """The facts and arrays of a scene."""
    if scene.network is None:
        from plica.web._smooth import smooth_picture

        facts, arrays = smooth_picture(scene)
    else:
        cx = decomposed(scene, limits)
        facts, arrays = (line_arrays if scene.dimension == 1 else plane_arrays)(scene, cx)
        facts |= _counts(cx) | _path_facts(scene, arrays, limits)
        facts["cell_pin"] = pinned_cell(scene, cx)
        facts["reading"] = _reading(scene, facts | frame_facts(scene), arrays)
    _add_points(scene, arrays)
    _add_weights(scene, arrays)
    if "edges" not in arrays:
        arrays |= {"edges": np.zeros((0, 2), np.uint32), "edge_layer": np.zeros(0, np.int8)}
    return facts | _training_facts(scene, arrays) | frame_facts(scene), arrays


def decomposed(scene: Scene, limits: Limits) -> Complex:
    """The complex of a piecewise-linear scene, within the limits.

    Where no window was asked for and the whole one is too large, the part around its center that fits is taken.
    """
    assert scene.network is not None
    may_shrink = scene.problem is None and not scene.state.window
    budget = Budget(max_cells=limits.max_cells, max_seconds=limits.max_seconds, max_bytes=limits.max_job_bytes)
    if may_shrink:
        few = max(LEAST_CELLS, int(MAX_STATES / max(scene.network.n_neurons, 1)))
        budget = replace(budget, max_cells=min(limits.max_cells, few), max_seconds=limits.max_seconds / 4)
    for attempt in range(SHRINK_ATTEMPTS + 1):
        try:
            return decompose(scene.network, scene.domain(), budget=budget)
        except BudgetExceeded:
            if not may_shrink or attempt == SHRINK_ATTEMPTS:
                raise
            a, b, c, d = scene.window
            scene.window = ((5 * a + 3 * b) / 8, (3 * a + 5 * b) / 8, (5 * c + 3 * d) / 8, (3 * c + 5 * d) / 8)
    raise AssertionError


def _counts(cx: Complex) -> dict[str, Any]:
    return {
        "kind": "exact",
        "n_cells": cx.n_cells,
        "n_regions": cx.n_regions if is_united(cx) else None,
        "exact_fallbacks": cx.exact_fallbacks,
        "seconds": round(cx.seconds, 5),
    }


def frame_facts(scene: Scene) -> dict[str, Any]:
    """What is shown, apart from cells: the window, the network's shape, names of classes, images."""
    widths = [scene.n_inputs, *(len(w) for w, _ in scene.layers)] if scene.layers else list(scene.network.widths)  # type: ignore[union-attr]
    return {
        "query": scene.state.to_query(),
        "dimension": scene.dimension,
        "window": list(scene.window),
        "home": list(scene.home),
        "widths": widths,
        "n_layers": len(widths) - 2,
        "n_fixed": int(scene.problem is not None and bool(scene.state.features)),
        "n_outputs": widths[-1],
        "shown_output": scene.state.output,
        "bounds": _bounds(scene.network),
        "activations": _activations(scene),
        "leak": LEAK,
        "image": image_shape(scene.network) if scene.rows is not None else None,
        "image_range": [float(scene.rows.min()), float(scene.rows.max())] if scene.rows is not None else None,
        "n_rows": None if scene.rows is None else len(scene.rows),
        "is_classes": scene.problem is not None and scene.problem.is_classes,
        "class_names": list(scene.problem.names) if scene.problem is not None else [],
    }


def _is_chain_of_rectifiers(network: Network) -> bool:
    n_dense = sum(node.op.dense is not None for node in network.nodes)
    return all(op.folds_once for op in network.folds) and n_dense + len(network.folds) == len(network.nodes) - 1


def _bounds(network: Network | None) -> list[dict[str, Any]]:
    """Upper bounds for the cells of a chain of rectifiers, from the tightest on."""
    if network is None or not _is_chain_of_rectifiers(network):
        return []
    is_relu = all(op.is_relu for op in network.folds)
    return [
        {"name": name, "value": value} for name, value, needs in _upper_bounds(network.widths) if is_relu or "rectifier" in needs
    ]


@lru_cache(maxsize=64)
def _upper_bounds(widths: tuple[int, ...]) -> list[tuple[str, float | None, str]]:
    from plica.theory.regions import bounds

    found = [(b.name, float(b.value) if b.value < 10**300 else None, b.needs) for b in bounds(widths) if b.kind == "upper"]
    return sorted(found, key=lambda entry: entry[1] or np.inf)


def _reading(scene: Scene, facts: dict[str, Any], arrays: Arrays) -> dict[str, Any] | None:
    """What the scene's claim predicts for this state, beside what is measured."""
    if not scene.state.scene or scene.problem is None or scene.state.features:
        return None
    from plica.web._lessons import lesson_of

    lesson = lesson_of(scene.state)
    read = lesson.read if lesson is not None else None
    found = read(scene, facts, arrays) if callable(read) else None
    return None if found is None else found.to_dict()


def _training_facts(scene: Scene, arrays: Arrays) -> dict[str, Any]:
    if scene.checkpoint is None:
        return {"step": 0, "loss": None, "held_loss": None, "diverged": None}
    losses = np.array(scene.losses or [], dtype=np.float32)
    stride = -(-len(losses) // 200) or 1
    arrays["losses"] = losses[::-1][::stride][::-1]
    gone = scene.diverged
    return {
        "step": scene.checkpoint.step,
        "loss": scene.loss,
        "held_loss": scene.held_loss,
        "loss_stride": stride,
        "diverged": None
        if gone is None
        else {"message": gone.message, "hint": gone.hint, "step": gone.checkpoint.step, "rate": gone.rate / 10},
    }


def normalized(points: Array, window: tuple[float, ...]) -> Array:
    """Points in units of the window: (0, 0) is its lower left corner, (1, 1) its upper right."""
    a, b, c, d = window
    return np.asarray((points - [a, c]) / [b - a, d - c], dtype=np.float32)


def plane_arrays(scene: Scene, cx: Any) -> tuple[dict[str, Any], Arrays]:
    """The cells of a plane."""
    corners, first = cycles(cx)
    is_exact = is_united(cx)  # else what only the eye sees is left to floating point; cells and folds are exact anyway
    positions = cx.vertices if is_exact else drawn_positions(cx)
    outputs = cx.outputs if is_exact else float_outputs(cx, positions)
    values = outputs[:, scene.state.output]
    arrays: Arrays = {
        "vertices": normalized(positions, scene.window),
        "corners": corners.astype(np.uint32),
        "first": first.astype(np.uint32),
        "values": values.astype(np.float32),
        "areas": cx.sizes() if is_exact else drawn_areas(cx, positions),
        "regions": (cx.regions if is_exact else np.arange(cx.n_cells)).astype(np.uint32),
        "edges": cx.edges.astype(np.uint32),
        "edge_layer": _layer_numbers(cx.edge_layer),
        "edge_cells": cx.edge_cells.astype(np.int32),
    }
    if 1 < outputs.shape[1] <= MAX_CLASSES and outputs.size <= MAX_PATTERN_BYTES:
        arrays["outputs"] = outputs.astype(np.float32)
    boundary = cx.decision_boundary() if is_exact else drawn_boundary(cx, positions, outputs)
    arrays["boundary"] = normalized(boundary.reshape(-1, 2), scene.window)
    _add_cell_facts(scene, cx, arrays)
    if "gradients" not in arrays:
        arrays["gradients"] = fitted_gradients(cx, positions, values).astype(np.float32)
    return _range(values), arrays


def _layer_numbers(layers: Array) -> Array:
    """One byte each, where there are no more layers."""
    return layers.astype(np.int8 if layers.max(initial=0) < 128 else np.int32)


def line_arrays(scene: Scene, cx: Any) -> tuple[dict[str, Any], Arrays]:
    """The pieces of an interval, as upright strips of the picture, and the graph over them."""
    t, y = cx.vertices[:, 0], cx.outputs[:, scene.state.output]
    n = cx.n_cells
    a, b, c, d = scene.window
    i = np.arange(n)
    inner = np.arange(1, n)
    ends = np.stack([np.concatenate([t, t]), np.repeat([c, d], n + 1)], axis=1)
    arrays: Arrays = {
        "vertices": normalized(ends, scene.window),
        "corners": np.stack([i, i + 1, i + n + 2, i + n + 1], axis=1).ravel().astype(np.uint32),
        "first": (4 * np.arange(n + 1)).astype(np.uint32),
        "values": np.concatenate([y, y]).astype(np.float32),
        "areas": cx.sizes(),
        "regions": cx.regions.astype(np.uint32),
        "edges": np.stack([inner, inner + n + 1], axis=1).astype(np.uint32),
        "edge_layer": _layer_numbers(cx.facet_layer[1:-1]),
        "edge_cells": np.stack([inner - 1, inner], axis=1).astype(np.int32),
        "curve": normalized(np.stack([t, y], axis=1), scene.window),
    }
    zeros = np.asarray(cx.decision_boundary()).reshape(-1)
    upright = np.stack([np.repeat(zeros, 2), np.tile([c, d], len(zeros))], axis=1)
    arrays["boundary"] = normalized(upright, scene.window)
    if scene.problem is not None and scene.problem.function is not None:
        x = np.linspace(a, b, 400)
        arrays["target"] = normalized(np.stack([x, scene.problem.function(x[:, None])], axis=1), scene.window)
    _add_cell_facts(scene, cx, arrays)
    return _range(y), arrays


def _range(values: Array) -> dict[str, Any]:
    return {"low": float(values.min()), "high": float(values.max())}


def _add_cell_facts(scene: Scene, cx: Any, arrays: Arrays) -> None:
    """Patterns, affine maps, and targets."""
    network = cx.network
    if cx.n_cells * network.n_neurons <= MAX_PATTERN_BYTES and network.layers:
        states = cell_states(cx)
        has_two = all(op.folds_once for op in network.folds)
        arrays["patterns"] = np.concatenate(states, axis=1).astype(np.bool_ if has_two else np.uint8)
        if cx.n_cells * work(network) <= MAX_MAP_WORK:
            slopes, constants = cx.slice_maps()
            arrays["maps"] = np.column_stack([slopes[:, scene.state.output], constants[:, scene.state.output]])
    if "maps" in arrays:
        arrays["gradients"] = np.linalg.norm(arrays["maps"][:, :-1], axis=1).astype(np.float32)
    first, corners = arrays["first"], arrays["corners"]
    places = cx.vertices if len(cx.vertices) == len(arrays["vertices"]) else np.concatenate([cx.vertices, cx.vertices])
    if scene.n_inputs <= 2 and (wanted := goals(scene, places, corners, first)) is not None:
        arrays["goals"] = wanted


def pinned_cell(scene: Scene, cx: Complex) -> int | None:
    """The cell of the pinned point, if it is inside the window."""
    pin = scene.state.pin
    if len(pin) != scene.dimension:
        return None
    a, b, c, d = scene.window
    if not a <= pin[0] <= b or (len(pin) == 2 and not c <= pin[1] <= d):
        return None
    directions, origin = scene.frame()
    return cx.cell_at(np.array(pin) @ directions + origin if scene.n_inputs <= 2 else np.array(pin))


def _path_facts(scene: Scene, arrays: Arrays, limits: Limits) -> dict[str, Any]:
    """Pieces of the path and lengths of its images."""
    assert scene.network is not None
    path = scene.path()
    budget = Budget(max_cells=MAX_PIECES, max_seconds=limits.max_seconds)
    facts: dict[str, Any] = {}
    if isinstance(path, Segment) and scene.path_name == "segment":
        line = decompose(scene.network, path, budget=budget)
        t, y = line.vertices[:, 0], line.outputs[:, scene.state.output]
        arrays |= {"path_t": t, "path_y": y, "path_layer": _layer_numbers(line.facet_layer)}
        facts["pieces"] = {"n_cells": line.n_cells, "n_regions": line.n_regions}
    lengths = trajectory_length(scene.network, path, budget=budget)
    facts["lengths"] = {
        "kind": lengths.kind,
        "input": lengths.input,
        "post": lengths.post.tolist(),
        "predicted": expected_lengths(scene, lengths.input),
        "output": lengths.output,
        "path": scene.path_name,
    }
    return facts


WEIGHT_STD: dict[str, Callable[[int, int], float]] = {
    "he-normal": lambda n_in, n_out: sqrt(2),
    "normal": lambda n_in, n_out: 1.0,
    "glorot-normal": lambda n_in, n_out: sqrt(2 * n_in / (n_in + n_out)),
}
"""The standard deviation of the weights of a Gaussian initialization, times the root of the inputs."""


def expected_lengths(scene: Scene, length: float) -> list[float] | None:
    """The expected length of the path's image after each layer, over all seeds, where the law of random ReLU networks says it."""
    state, std = scene.state, WEIGHT_STD.get(scene.state.init)
    if scene.problem is None or std is None or state.step or state.features or set(state.activations) != {"relu"}:
        return None
    factors = [
        relu_length_factor(n_in, n_out, weight_std=std(n_in, n_out)) for n_in, n_out in pairwise((scene.n_inputs, *state.widths))
    ]
    return [length * float(factor) for factor in np.cumprod(factors)]


def _add_points(scene: Scene, arrays: Arrays) -> None:
    if scene.problem is not None:
        p = scene.problem
        xy = p.points if p.n_inputs == 2 else np.stack([p.points[:, 0], p.targets], axis=1)
        arrays["points"], arrays["labels"] = normalized(xy, scene.window), p.targets.astype(np.float32)
        arrays["held"] = np.zeros(len(xy), np.uint8)
        arrays["held"][p.held] = 1
    elif scene.rows is not None and scene.n_inputs > 2:
        corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        arrays["points"], arrays["labels"] = normalized(corners, scene.window), np.arange(3, dtype=np.float32)
        arrays |= image_frame(scene)


def image_frame(scene: Scene) -> dict[str, Array]:
    """The image at the origin of a plane of images and those along its axes; nothing where inputs are none."""
    if scene.rows is None or image_shape(scene.network) is None:
        return {}
    directions, origin = scene.frame()
    return {"frame": np.concatenate([origin[None], directions]).astype(np.float32)}


def image_shape(network: Network | None) -> tuple[int, int, int] | None:
    """Channels, height and width of inputs that are images: by their shape, or a square of 64 and more numbers."""
    if network is None:
        return None
    shape = network.input_shape
    if len(shape) == 3 and shape[0] in (1, 3) and shape[1] * shape[2] >= 64:
        return (shape[0], shape[1], shape[2])
    side = isqrt(network.n_inputs)
    return (1, side, side) if len(shape) == 1 and side * side == network.n_inputs >= 64 else None


def _activations(scene: Scene) -> list[str]:
    """The activation of each layer, where the page can compute it from weights; else nothing."""
    if scene.layers is not None:
        return list(scene.activations)
    network = scene.network
    is_chain = network is not None and _is_chain_of_rectifiers(network) and all(op.is_relu for op in network.folds)
    return ["relu"] * len(network.folds) if network is not None and is_chain else []


def _add_weights(scene: Scene, arrays: Arrays) -> None:
    """The weights and biases, layer after layer, as they act on the coordinates of the picture."""
    if not _activations(scene):
        return
    if scene.layers is not None:
        layers = scene.layers
    else:
        layers = linear_layers(scene.network)  # type: ignore[arg-type]
        directions, origin = scene.frame()
        weight, bias = layers[0]
        layers[0] = (weight @ directions.T, bias + weight @ origin)
    if sum(w.size + b.size for w, b in layers) <= MAX_WEIGHTS:
        arrays["weights"] = np.concatenate([part.ravel() for layer in layers for part in layer])
