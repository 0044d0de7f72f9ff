"""Readings of statements about one network: patterns, masks, symmetries, its folds and what training does to them."""

from __future__ import annotations

from itertools import product as combinations
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import Budget, Space, decompose
from plica.theory import regions
from plica.web._layers import initial_layers, network_of
from plica.web._readings import Facts, Reader, Reading
from plica.web._scene import Scene

ROUNDING = 1e-11
FEW = 8
"""Neurons of a layer up to which all masks are tried."""


def symmetric(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The same function with units in another order, each scaled by a power of two before and back after its rectifier."""
    if scene.layers is None or scene.network is None or set(scene.state.activations) != {"relu"}:
        return None
    rng = np.random.default_rng(0)
    layers = [(w.copy(), b.copy()) for w, b in scene.layers]
    for k, n in enumerate(scene.state.widths):
        order, scale = rng.permutation(n), 2.0 ** rng.integers(-3, 4, n)
        (w, b), (after, shift) = layers[k], layers[k + 1]
        layers[k] = (w[order] * scale[:, None], b[order] * scale)
        layers[k + 1] = (after[:, order] / scale, shift)
    points = rng.uniform(-2, 2, (200, scene.n_inputs))
    other = network_of(layers, scene.state.activations)
    apart = float(np.abs(other(points) - scene.network(points)).max())
    return Reading("change of the output under another order and scale of units", "=", 0.0, apart, rounding=ROUNDING)


def since_the_start(relation: str) -> Reader:
    """The cells of the trained network beside those it started with."""

    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        if scene.network is None or scene.problem is None:
            return None
        first = network_of(initial_layers(scene.state, scene.n_inputs, scene.problem.n_outputs), scene.state.activations)
        before = decompose(first, scene.domain(), budget=Budget(max_cells=50_000, max_seconds=5)).n_cells
        return Reading("cells in this window, beside those of the start", relation, before, facts["n_cells"])

    return read


def _distances(scene: Scene, network: Any) -> Array:
    from plica.measure import fold_distance

    assert scene.problem is not None
    return np.asarray(fold_distance(network, scene.problem.points[:40]).distance)


def nearest_fold(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The mean distance of data points to the nearest fold, beside that of wide random networks."""
    if scene.network is None or scene.problem is None or scene.n_inputs != 2:
        return None
    radii = np.linalg.norm(scene.problem.points[:40], axis=1)
    law = regions.wide_relu_fold_distance(scene.state.widths, radii, n_inputs=2, bias_std=max(scene.state.bias, 1e-3))
    found = _distances(scene, scene.network)
    return Reading("distance to the nearest fold, on average", "~", float(np.mean(law)), float(found.mean()))


def nearest_fold_since_the_start(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The same, beside what it was before the training."""
    if scene.network is None or scene.problem is None:
        return None
    first = network_of(initial_layers(scene.state, scene.n_inputs, scene.problem.n_outputs), scene.state.activations)
    before, now = (float(_distances(scene, network).mean()) for network in (first, scene.network))
    return Reading("distance to the nearest fold, beside that of the start", "~", before, now)


def on_a_pattern(*, is_printed: bool) -> Reader:
    """The output inside a cell, from its pattern s: (w s)(W x + b) + c; or with c inside the bracket, as it was printed."""

    def read(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
        if scene.layers is None or len(scene.layers) != 2 or "patterns" not in arrays or scene.network is None:
            return None
        cell = int(np.argmax(arrays["areas"]))
        a, b, c, d = facts["window"]
        corners = arrays["corners"][arrays["first"][cell] : arrays["first"][cell + 1]]
        x = arrays["vertices"][corners].mean(axis=0).astype(np.float64) * [b - a, d - c] + [a, c]
        (inner, shift), (outer, last) = scene.layers
        w = outer[0] * arrays["patterns"][cell]
        hidden = inner @ x + shift
        predicted = float(w @ (hidden + last[0]) if is_printed else w @ hidden + last[0])
        what = "output in the largest cell, from its pattern"
        return Reading(what, "=", predicted, float(scene.network(x[None])[0, 0]), rounding=ROUNDING)

    return read


def _masks(scene: Scene) -> Array | None:
    if scene.layers is None or len(scene.layers) != 2 or scene.state.widths[0] > FEW:
        return None
    return np.array(list(combinations((0.0, 1.0), repeat=scene.state.widths[0])))


def thinned(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The cells of the plane, on average over all masks that keep each unit or not, beside the formula."""
    masks = _masks(scene)
    if masks is None or scene.layers is None or scene.n_inputs != 2:
        return None
    (weight, bias), last = scene.layers
    counts = [1]
    for mask in masks[1:]:
        kept = mask > 0
        network = network_of([(weight[kept], bias[kept]), (last[0][:, kept], last[1])], scene.state.activations)
        counts.append(decompose(network, Space(2)).n_cells)
    predicted = float(regions.thinned_regions(scene.state.widths[0], 2, 0.5))
    return Reading("cells of the plane, mean over all masks", "=", predicted, float(np.mean(counts)))


def scaled_weights(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The output with weights times one half, beside the mean over all masks of the hidden layer."""
    masks = _masks(scene)
    if masks is None or scene.layers is None:
        return None
    first, (outer, last) = scene.layers
    x = np.array([[0.3, -0.4]]) if scene.n_inputs == 2 else np.array([[0.3]])
    outputs = [float(network_of([first, (outer * mask, last)], scene.state.activations)(x)[0, 0]) for mask in masks]
    halved = float(network_of([first, (outer / 2, last)], scene.state.activations)(x)[0, 0])
    return Reading("output at one point, mean over all masks", "=", halved, float(np.mean(outputs)), rounding=ROUNDING)


def breakpoints(scene: Scene, facts: Facts, arrays: dict[str, Any]) -> Reading | None:
    """The pieces of a segment through the origin, beside the integral for wide networks."""
    segment = scene.state.segment
    if "pieces" not in facts or len(segment) != 4:
        return None
    start, stop = np.array(segment[:2]), np.array(segment[2:])
    along = (stop - start) / np.linalg.norm(stop - start)
    offset = float(np.linalg.norm(start - (start @ along) * along))
    expected = regions.wide_relu_breakpoints(
        scene.state.widths,
        float(start @ along),
        float(stop @ along),
        bias_std=max(scene.state.bias, 1e-3),
        n_inputs=2,
        offset=offset,
    )
    return Reading("pieces of the segment, on average over seeds", "~", 1 + float(expected), facts["pieces"]["n_cells"])
