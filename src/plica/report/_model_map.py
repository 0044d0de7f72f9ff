"""The classes on the whole window of three data points, for networks whose cells there are too many to draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded
from plica.geometry import Budget, Plane, decision_boundary
from plica.network import Network
from plica.report._model_task import Task, answer
from plica.report._svg import Canvas, number, segments_path

_SIDE = 120  # points along the longer side at which the answer is asked
_BLOCK = 600


def class_map(task: Task, group: Array, seconds: float) -> dict[str, Any] | None:
    """The decision boundary on the plane through three points of the data, every bit of it; None where that takes too long."""
    plane = Plane.through(*np.asarray(task.points[group], dtype=float), margin=0.15)
    try:
        curves = decision_boundary(task.network, plane, budget=Budget(max_seconds=seconds))
    except BudgetExceeded:
        return None
    canvas = Canvas.around(np.asarray(plane.window))
    colors, cells = _patches(task.network, plane, canvas)
    places = canvas(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    rows = ", ".join(map(str, group))
    n = len(curves.segments)
    caption = (
        f"The answers on the whole plane through rows {rows}: {n:,} segments of the decision boundary, {curves.skipped:.0%} of "
        f"the window proved free of it. The line is exact, colors are the answers at {_SIDE} points along the longer side."
    )
    return {
        "type": "plane",
        "kind": "exact",
        "caption": caption,
        "alt": f"A plane through three data points, divided by a line of {n:,} segments into the areas of {len(colors)} answers.",
        "width": canvas.width,
        "height": canvas.height,
        "fineness": 0.6,
        "cells": cells,
        "folds": [],
        "boundary": segments_path(canvas(curves.segments)),
        "points": places.round(1).tolist(),
        "legend": [[f"c{k % 10}", f"output {k}"] for k in colors],
    }


def _patches(network: Network, plane: Plane, canvas: Canvas) -> tuple[list[int], list[list[str]]]:
    """Rectangles of one answer each, as paths, and which answers there are."""
    low, high = np.asarray(plane.window).min(axis=0), np.asarray(plane.window).max(axis=0)
    step = float((high - low).max()) / _SIDE
    nx, ny = (max(1, int(np.ceil(d / step - 1e-9))) for d in high - low)
    centers = np.stack(np.meshgrid(low[0] + step * (np.arange(nx) + 0.5), low[1] + step * (np.arange(ny) + 0.5)), axis=-1)
    inputs = plane.to_input(centers.reshape(-1, 2))
    blocks = [network(inputs[i : i + _BLOCK]) for i in range(0, len(inputs), _BLOCK)]
    answers = np.concatenate([answer(b.reshape(len(b), -1)) for b in blocks]).reshape(ny, nx)
    paths: dict[int, list[str]] = {}
    for j, row in enumerate(answers):
        starts = np.concatenate([[0], np.flatnonzero(np.diff(row)) + 1, [nx]])
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            corners = np.array([low + step * np.array([a, j]), np.minimum(low + step * np.array([b, j + 1]), high)])
            (x0, y0), (x1, y1) = canvas(corners)
            path = f"M{number(x0)} {number(y0)}H{number(x1)}V{number(y1)}H{number(x0)}Z"
            paths.setdefault(int(row[a]), []).append(path)
    return sorted(paths), [[f"c{k % 10}", "".join(paths[k])] for k in sorted(paths)]
