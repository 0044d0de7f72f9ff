"""The classes on the whole window of three data points, for networks whose cells there are too many to draw."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded
from plica.geometry import Box, Budget, Plane, decision_boundary
from plica.network import Network
from plica.report._model_cut import signed_legend
from plica.report._model_task import Task, answer
from plica.report._svg import N_TINTS, Canvas, number, segments_path, tints

SIDES = (120, 60, 30)  # points along the longer side at which the answer is asked, as the time allows
_BLOCK = 600
_FEW = 60  # points whose time says what all would take


def whole_map(task: Task, plane: Plane | Box, seconds: float, *, known: Array | None = None) -> dict[str, Any]:
    """The answers on a whole window: its decision boundary, ``known`` or found tile by tile in the time, over sampled colors.

    Where the time is not enough for the boundary, what was found of it is drawn, and the caption says so.
    """
    if task.targets is not None:
        return _values_map(task, plane, seconds)
    line, skipped, is_whole = known, 0.0, task.has_boundary
    if line is None and task.has_boundary:
        try:
            found = decision_boundary(task.network, plane, budget=Budget(max_seconds=seconds))
            line, skipped = found.segments, found.skipped
        except BudgetExceeded as stop:
            is_whole, partly = False, stop.partial.get("curves")
            line = None if partly is None or not partly.n_segments else partly.segments
    window = np.asarray(plane.window)
    canvas = Canvas.around(window)
    side = _side(task.network, plane, seconds)
    answers, cells = _patches(task.network, plane, canvas, answer, side)
    asked = f"Colors are the answers at {side} points along the longer side."
    if line is None:
        why = "The time was not enough for the line between them." if task.has_boundary else ""
        text = f"The answers on the whole plane. {asked} {why}"
    elif not is_whole:
        text = f"The answers on the whole plane, and the {len(line):,} segments between them for which there was time. {asked}"
    else:
        free = f", {skipped:.0%} of the window proved free of it" if skipped else ""
        text = f"The whole plane: {len(line):,} segments of the decision boundary{free}. The line is exact. {asked}"
    classes = task.network.n_outputs > 1
    colors = {k: f"c{k % 10}" if classes else f"t{(N_TINTS - 1) * k}" for k in answers}
    return _frame(window, canvas) | {
        "kind": "exact" if is_whole else "estimated",
        "caption": text,
        "alt": f"A plane divided into the areas of {len(answers)} answers.",
        "cells": [[colors[k], path, f"answer {task.class_name(k)}"] for k, path in zip(answers, cells, strict=True)],
        "boundary": "" if line is None else segments_path(canvas(line)),
        "legend": [[colors[k], task.output_name(k)] for k in answers] if classes else signed_legend(task, 0.0, 0.0),
    }


def _values_map(task: Task, plane: Plane | Box, seconds: float) -> dict[str, Any]:
    """The only output on a whole window, sampled."""
    side = _side(task.network, plane, seconds)
    window = np.asarray(plane.window)
    canvas = Canvas.around(window)
    ends: list[float] = []

    def tint(outputs: Array) -> Array:
        ends[:] = [float(outputs.min()), float(outputs.max())]
        return tints(outputs[:, 0] - sum(ends) / 2, reach=(ends[1] - ends[0]) / 2 or 1.0)

    found, cells = _patches(task.network, plane, canvas, tint, side)
    return _frame(window, canvas) | {
        "kind": "estimated",
        "caption": f"The output on the whole plane, asked at {side} points along the longer side.",
        "alt": f"A plane colored by the output, from {ends[0]:.4g} to {ends[1]:.4g}.",
        "cells": [[f"t{k}", path] for k, path in zip(found, cells, strict=True)],
        "boundary": "",
        "legend": signed_legend(task, *ends),
    }


def _frame(window: Array, canvas: Canvas) -> dict[str, Any]:
    low, high = window.min(axis=0), window.max(axis=0)
    return {
        "type": "plane",
        "width": canvas.width,
        "height": canvas.height,
        "window": [[float(low[0]), float(high[0])], [float(low[1]), float(high[1])]],
        "fineness": 0.6,
        "folds": [],
    }


def _side(network: Network, plane: Plane | Box, seconds: float) -> int:
    """How many points along a side can be asked in the time, by how long a few of them take."""
    few = plane.to_input(np.asarray(plane.window)[np.arange(_FEW) % len(plane.window)])
    began = time.perf_counter()
    network(few)
    each = (time.perf_counter() - began) / _FEW
    return next((side for side in SIDES if side**2 * each <= seconds), SIDES[-1])


def _patches(
    network: Network, plane: Plane | Box, canvas: Canvas, sort: Callable[[Array], Array], side: int
) -> tuple[list[int], list[str]]:
    """Rectangles of one sort of outputs each, as paths, and which sorts there are."""
    low, high = np.asarray(plane.window).min(axis=0), np.asarray(plane.window).max(axis=0)
    step = float((high - low).max()) / side
    nx, ny = (max(1, int(np.ceil(d / step - 1e-9))) for d in high - low)
    centers = np.stack(np.meshgrid(low[0] + step * (np.arange(nx) + 0.5), low[1] + step * (np.arange(ny) + 0.5)), axis=-1)
    inputs = plane.to_input(centers.reshape(-1, 2))
    blocks = [network(inputs[i : i + _BLOCK]) for i in range(0, len(inputs), _BLOCK)]
    answers = sort(np.concatenate([b.reshape(len(b), -1) for b in blocks])).reshape(ny, nx)
    paths: dict[int, list[str]] = {}
    for j, row in enumerate(answers):
        starts = np.concatenate([[0], np.flatnonzero(np.diff(row)) + 1, [nx]])
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            corners = np.array([low + step * np.array([a, j]), np.minimum(low + step * np.array([b, j + 1]), high)])
            (x0, y0), (x1, y1) = canvas(corners)
            path = f"M{number(x0)} {number(y0)}H{number(x1)}V{number(y1)}H{number(x0)}Z"
            paths.setdefault(int(row[a]), []).append(path)
    return sorted(paths), ["".join(paths[k]) for k in sorted(paths)]
