"""The classes on the whole window of three data points, for networks whose cells there are too many to draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded
from plica.geometry import Box, Budget, Plane, decision_boundary
from plica.network import Network
from plica.report._model_task import Task, answer
from plica.report._svg import N_TINTS, Canvas, number, segments_path

_SIDE = 120  # points along the longer side at which the answer is asked
_BLOCK = 600


def whole_map(task: Task, plane: Plane | Box, seconds: float, *, known: Array | None = None) -> dict[str, Any]:
    """The answers on a whole window: its decision boundary, ``known`` or found tile by tile in the time, over sampled colors.

    Where the time is not enough for the boundary, colors are all there is, and the caption says so.
    """
    line, skipped = known, 0.0
    if line is None:
        try:
            found = decision_boundary(task.network, plane, budget=Budget(max_seconds=seconds))
            line, skipped = found.segments, found.skipped
        except BudgetExceeded:
            pass
    window = np.asarray(plane.window)
    canvas = Canvas.around(window)
    answers, cells = _patches(task.network, plane, canvas)
    asked = f"Colors are the answers at {_SIDE} points along the longer side."
    if line is None:
        text = f"The answers on the whole plane. {asked} The time was not enough for the line between them."
    else:
        free = f", {skipped:.0%} of the window proved free of it" if skipped else ""
        text = f"The whole plane: {len(line):,} segments of the decision boundary{free}. The line is exact. {asked}"
    low, high = window.min(axis=0), window.max(axis=0)
    classes = task.network.n_outputs > 1
    colors = {k: f"c{k % 10}" if classes else f"t{(N_TINTS - 1) * k}" for k in answers}
    return {
        "type": "plane",
        "kind": "estimated" if line is None else "exact",
        "caption": text,
        "alt": f"A plane divided into the areas of {len(answers)} answers.",
        "width": canvas.width,
        "height": canvas.height,
        "window": [[float(low[0]), float(high[0])], [float(low[1]), float(high[1])]],
        "fineness": 0.6,
        "cells": [[colors[k], path, f"answer {k}"] for k, path in zip(answers, cells, strict=True)],
        "folds": [],
        "boundary": "" if line is None else segments_path(canvas(line)),
        "legend": [[colors[k], f"output {k}" if classes else ("above 0" if k else "output below 0")] for k in answers],
    }


def _patches(network: Network, plane: Plane | Box, canvas: Canvas) -> tuple[list[int], list[str]]:
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
    return sorted(paths), ["".join(paths[k]) for k in sorted(paths)]
