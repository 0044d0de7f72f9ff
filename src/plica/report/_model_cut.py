"""The cells of a window as a picture, each cut along the decision boundary, so that colors end where answers do."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import PlaneComplex
from plica.report._model_task import Task
from plica.report._svg import N_TINTS, Canvas, polygon_path, segments_path, tints


def draw_cells(task: Task, cx: PlaneComplex, *, offset: Array, factor: float) -> dict[str, Any]:
    """Cells, folds and boundary as a figure; its axes count offset + factor p for a parameter p of the complex."""
    canvas = Canvas.around(cx.vertices)
    values = cx.outputs.reshape(len(cx.vertices), -1)
    sizes = np.asarray(cx.sizes()) * factor**2
    cells = []
    if values.shape[1] > 1:
        corners, starts = np.asarray(cx.cell_vertices), np.asarray(cx.cell_offsets)
        seen = set()
        for i, (a, b) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
            around = corners[a:b]
            for k, polygon in cut_by_answer(cx.vertices[around], values[around]):
                seen.add(k)
                tip = f"answer {task.class_name(k)}; cell {i} of {cx.n_cells:,}, area {sizes[i]:.3g}"
                cells.append([f"c{k % 10}", polygon_path(canvas(polygon)), tip])
        legend = [[f"c{k % 10}", task.output_name(k)] for k in sorted(seen)]
    else:
        means = cx.cell_means(values)[:, 0]
        ends = (float(values.min()), float(values.max()))
        middle = sum(ends) / 2 if task.targets is not None else 0.0
        reach = float(np.abs(means - middle).max(initial=0.0)) or 1.0
        for i, (tint, polygon) in enumerate(zip(tints(means - middle, reach=reach), cx.cell_polygons(), strict=True)):
            tip = f"output {means[i]:.4g} on average; cell {i} of {cx.n_cells:,}, area {sizes[i]:.3g}"
            cells.append([f"t{tint}", polygon_path(canvas(polygon)), tip])
        legend = signed_legend(task, *ends)
    low, high = (offset + factor * end for end in (cx.vertices.min(axis=0), cx.vertices.max(axis=0)))
    return {
        "type": "plane",
        "kind": "exact",
        "alt": f"A plane cut into {cx.n_cells:,} convex cells by straight folds, colored by the "
        f"{'answer' if task.targets is None else 'output'}.",
        "width": canvas.width,
        "height": canvas.height,
        "window": [[float(low[0]), float(high[0])], [float(low[1]), float(high[1])]],
        "fineness": round(float(np.clip(np.sqrt(800 / cx.n_cells), 0.25, 1.0)), 3),
        "cells": cells,
        "folds": [[i, segments_path(canvas(cx.folds(i)))] for i in range(len(cx.network.layers))],
        "boundary": segments_path(canvas(cx.decision_boundary())) if task.has_boundary else "",
        "legend": legend,
    }


def signed_legend(task: Task, low: float, high: float) -> list[list[str]]:
    """The ends of the scale of a single output: its sign is the answer, or it is a number."""
    if task.targets is not None:
        return [["t0", f"output {low:.4g}"], [f"t{N_TINTS - 1}", f"{high:.4g}"]]
    below, above = (
        f"{sign} 0" + (f": {task.names[k]}" if len(task.names) == 2 else "") for k, sign in enumerate(("below", "above"))
    )
    return [["t0", f"output {below}"], [f"t{N_TINTS - 1}", above]]


def cut_by_answer(polygon: Array, outputs: Array) -> list[tuple[int, Array]]:
    """A polygon on which outputs are affine, in parts on which one of them is the largest; each with its number.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> [(k, part.tolist()) for k, part in cut_by_answer(square, np.stack([square[:, 0], 1 - square[:, 0]], axis=1))]
    [(0, [[0.5, 0.0], [1.0, 0.0], [1.0, 1.0], [0.5, 1.0]]), (1, [[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [0.0, 1.0]])]
    """
    # An affine output that is the largest anywhere on the polygon is not below another one at every corner.
    largest = outputs.max(axis=1)
    candidates = [k for k in range(outputs.shape[1]) if not _is_below(outputs, k)]
    first = int(outputs[0].argmax())
    if (outputs[:, first] == largest).all() or len(candidates) == 1:
        return [(first, polygon)]
    parts = []
    for k in candidates:
        corners = np.concatenate([polygon, outputs], axis=1)
        for other in candidates:
            if other != k and len(corners):
                corners = _clipped(corners, corners[:, 2 + k] - corners[:, 2 + other])
        if len(corners) > 2:
            parts.append((k, corners[:, :2]))
    return parts


def _is_below(outputs: Array, k: int) -> bool:
    """Whether one other output is larger at every corner."""
    others = np.delete(outputs, k, axis=1)
    return bool((others > outputs[:, k : k + 1]).all(axis=0).any())


def _clipped(corners: Array, heights: Array) -> Array:
    """The part of a convex polygon where an affine function, given at its corners, is not negative."""
    kept = []
    for i in range(len(corners)):
        j = (i + 1) % len(corners)
        if heights[i] >= 0:
            kept.append(corners[i])
        if np.sign(heights[i]) * np.sign(heights[j]) < 0:
            t = heights[i] / (heights[i] - heights[j])
            kept.append(corners[i] + t * (corners[j] - corners[i]))
    return np.array(kept).reshape(len(kept), corners.shape[1])
