"""Networks with tanh: smooth, so without regions; values on a grid stand for them, marked as estimated."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import Segment
from plica.web._cells import goals
from plica.web._layers import Layer
from plica.web._scene import Scene
from plica.web._training import dense_network

GRID = 72
PATH = 2001


def evaluate(layers: list[Layer], activations: tuple[str, ...], x: Array) -> list[Array]:
    """The points, what each activation makes of them, and the output."""
    return dense_network(layers, activations).stages(x)


def smooth_picture(scene: Scene) -> tuple[dict[str, Any], dict[str, Array]]:
    """The same facts and arrays as for an exact picture, without folds and counts."""
    from plica.web._picture import normalized

    assert scene.layers is not None
    a, b, c, d = scene.window
    is_line = scene.dimension == 1
    nx, ny = (400, 1) if is_line else (GRID, GRID)
    u, v = np.linspace(a, b, nx + 1), np.linspace(c, d, ny + 1)
    grid = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
    inputs = grid[:, :1] if is_line else grid
    y = evaluate(scene.layers, scene.activations, inputs)[-1][:, 0]
    i, j = (k.ravel() for k in np.meshgrid(np.arange(nx), np.arange(ny)))
    low = j * (nx + 1) + i
    corners = np.stack([low, low + 1, low + nx + 2, low + nx + 1], axis=1)
    n = len(corners)
    at = y[corners]
    slopes = [(at[:, 1] + at[:, 2] - at[:, 0] - at[:, 3]) / 2 / (u[1] - u[0])]
    if not is_line:
        slopes.append((at[:, 2] + at[:, 3] - at[:, 0] - at[:, 1]) / 2 / (v[1] - v[0]))
    centers = inputs[corners].mean(1)
    gradient = np.stack(slopes, axis=1)
    constant = at.mean(1) - (gradient * centers).sum(1)
    arrays: dict[str, Array] = {
        "vertices": normalized(grid, scene.window),
        "corners": corners.ravel().astype(np.uint32),
        "first": (4 * np.arange(n + 1)).astype(np.uint32),
        "values": y.astype(np.float32),
        "areas": np.full(n, (b - a) / nx * (1.0 if is_line else (d - c) / ny)),
        "regions": np.arange(n, dtype=np.uint32),
        "edge_cells": np.zeros((0, 2), np.int32),
        "maps": np.concatenate([gradient, constant[:, None]], axis=1),
        "gradients": np.linalg.norm(gradient, axis=1).astype(np.float32),
        "boundary": normalized(_crossings(grid, y, corners), scene.window),
    }
    if (wanted := goals(scene, inputs, arrays["corners"], arrays["first"])) is not None:
        arrays["goals"] = wanted
    if is_line:
        arrays["curve"] = normalized(np.stack([u, y[: nx + 1]], axis=1), scene.window)
        if scene.problem is not None and scene.problem.function is not None:
            arrays["target"] = normalized(np.stack([u, scene.problem.function(u[:, None])], axis=1), scene.window)
    facts = {
        "kind": "estimated",
        "n_cells": None,
        "n_regions": None,
        "n_samples": len(y),
        "low": float(y.min()),
        "high": float(y.max()),
        "lengths": _lengths(scene),
        "cell_pin": None,
    }
    return facts, arrays


def _crossings(grid: Array, y: Array, corners: Array) -> Array:
    """Where the piecewise-linear interpolant of the samples is zero, two ends after each other."""
    found = []
    for triangle in (corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]):
        positive = y[triangle] > 0
        cut = triangle[positive.any(1) & ~positive.all(1)]
        if not len(cut):
            continue
        up = y[cut] > 0
        alone = np.where(up.sum(1) == 1, up.argmax(1), (~up).argmax(1))
        apex = cut[np.arange(len(cut)), alone]
        ends = []
        for other in (cut[np.arange(len(cut)), (alone + 1) % 3], cut[np.arange(len(cut)), (alone + 2) % 3]):
            t = y[apex] / (y[apex] - y[other])
            ends.append(grid[apex] + t[:, None] * (grid[other] - grid[apex]))
        found.append(np.stack(ends, axis=1))
    return np.concatenate(found).reshape(-1, 2) if found else np.zeros((0, 2))


def _lengths(scene: Scene) -> dict[str, Any]:
    assert scene.layers is not None
    path = scene.path()
    points = path.to_input(np.linspace(0, 1 if isinstance(path, Segment) else path.size, PATH)[:, None])
    stages = evaluate(scene.layers, scene.activations, points)
    sums = [float(np.linalg.norm(np.diff(stage, axis=0), axis=1).sum()) for stage in stages]
    return {"kind": "estimated", "input": sums[0], "post": sums[1:-1], "output": sums[-1], "path": scene.path_name}
