"""Sections that look at the regions: what the network is, planes, lines between points, distances to folds."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry import Box, Budget, Plane, Segment, decompose
from plica.measure import fold_distance
from plica.report._model_map import class_map
from plica.report._model_section import Section, spread
from plica.report._model_task import SMALL, Task, answer, longest
from plica.report._svg import N_TINTS, Canvas, polygon_path, segments_path, tints

if TYPE_CHECKING:
    from plica.geometry import PlaneComplex

MOST_DRAWN = 3000  # cells in a picture: about 300 KB
MOST_CELLS = 60_000


def architecture(task: Task) -> Section:
    """Operations, shapes, parameters."""
    net = task.network
    section = Section(
        "architecture",
        "The network",
        "A graph of affine operations and folds; between folds it is affine, so everything below follows from these numbers.",
    )
    section.fact("parameters", f"{net.n_parameters:,}", "exact")
    section.fact("units that fold", f"{net.n_neurons:,}", "exact")
    section.fact("folding layers", f"{len(net.layers)}", "exact")
    section.fact("inputs", f"{net.n_inputs:,}", "exact")
    section.fact("outputs", f"{net.n_outputs:,}", "exact")
    places = {node: layer for layer, node in enumerate(net.layers)}
    rows = []
    for i, node in enumerate(net.nodes):
        numbers = sum(a.size for a in node.op.arrays().values() if a.dtype.kind == "f" and a.ndim > 0)
        kind = f"layer {places[i]}, folds" if i in places else ("input" if i == 0 else "affine")
        rows.append([node.name, type(node.op).__name__, kind, "×".join(map(str, node.shape)) or "1", f"{numbers:,}"])
    if len(rows) > 60:
        section.remark(f"The table shows the first 60 of {len(rows)} operations.")
    section.table("Operations", "exact", ["name", "operation", "role", "shape", "numbers"], rows[:60])
    kinds = Counter(type(node.op).__name__ for node in net.nodes[1:])
    section.remark("All operations are supported: " + ", ".join(f"{n} {k}" for k, n in kinds.most_common()) + ".")
    if task.labels is not None:
        chosen = np.sort(task.rng(1).permutation(len(task.points))[:1000])
        blocks = [net(np.asarray(task.points[block], dtype=float)) for block in np.array_split(chosen, max(1, len(chosen) // 50))]
        answers = np.concatenate([answer(block.reshape(len(block), -1)) for block in blocks])
        section.fact(f"accuracy on {len(chosen):,} points", spread((answers == task.labels[chosen]).astype(float)), "estimated")
    return section


def planes(task: Task) -> Section:
    """Exact regions on planes through data, with the decision boundary."""
    section = Section(
        "planes",
        "Regions on planes through the data",
        "Each cell is a piece of the plane on which the network is one affine map; crossing a fold changes the map, crossing the "
        "thick line changes the answer.",
        sources=["montufar2014", "hanin2019a"],
    )
    if task.network.n_inputs == 1:
        return _graph(task, section)
    rows: list[list[str]] = []
    _whole_map(task, section)
    shown_windows = windows(task)
    for number, (name, domain, marks) in enumerate(shown_windows):
        task.progress(f"plane {number + 1} of {len(shown_windows)}")
        share = task.seconds_left / (len(shown_windows) - number)
        found = _largest(task, domain, share)
        if found is None:
            section.remark(f"{name}: no window of this plane was finished in {share:.0f} s.")
            section.is_complete = False
            continue
        cx, scale = found
        where = name if scale == 1 else f"{name}, a window of {scale:.3g} of its sides"
        edges = cx.decision_boundary()
        rows.append([where, f"{cx.n_cells:,}", f"{cx.n_regions:,}", f"{len(edges):,}", f"{cx.exact_fallbacks:,}"])
        section.figures.append(_picture(task, domain, cx, scale, where, marks))
        if scale < 1:
            section.remark(f"{name}: the whole window did not fit the budget; the numbers are exact for the part named.")
    section.table(
        "On each plane", "exact", ["plane", "cells", "regions", "segments of the decision boundary", "exact fallbacks"], rows
    )
    return section


def _whole_map(task: Task, section: Section) -> None:
    """For a large network with several outputs, the answers on the whole plane of three points, within half of the time."""
    if task.network.n_neurons <= SMALL or task.network.n_outputs == 1 or task.network.n_inputs == 2:
        return
    for group in task.groups(3, 1, same=False, key=10):
        task.progress("the answers on a plane")
        figure = class_map(task, group, task.seconds_left / 2)
        if figure is None:
            section.remark("The decision boundary on the whole plane of three points was not finished in half of the time.")
        else:
            section.figures.append(figure)


def _graph(task: Task, section: Section) -> Section:
    """A network with one input is a broken line over the range of the data."""
    low, high = float(task.points.min()), float(task.points.max())
    cx = decompose(task.network, Segment([low], [high]), budget=Budget(max_cells=MOST_CELLS))
    t = np.asarray(cx.vertices)[:, 0]
    order = np.argsort(t, kind="stable")[:: max(1, len(t) // 2000)]
    values = cx.outputs.reshape(len(t), -1)[order]
    where = f"[{low:.4g}, {high:.4g}]"
    section.title = "Pieces over the range of the data"
    section.table(
        "On the range of the data", "exact", ["range", "cells", "pieces"], [[where, f"{cx.n_cells:,}", f"{cx.n_regions:,}"]]
    )
    section.figures.append(
        {
            "type": "lines",
            "kind": "exact",
            "caption": f"Outputs over {where}, with corners where they are exact up to rounding",
            "alt": f"A broken line of {cx.n_regions:,} pieces over {where}.",
            "x": (low + (high - low) * t[order]).tolist(),
            "log": False,
            "series": [{"name": f"output {k}", "y": values[:, k].tolist()} for k in range(min(4, values.shape[1]))],
        }
    )
    return section


def windows(task: Task) -> list[tuple[str, Any, Array]]:
    """Names, domains by scale, and the points to mark, in parameters."""
    if task.network.n_inputs == 2:
        low, high = task.points.min(axis=0).astype(float), task.points.max(axis=0).astype(float)
        pad = 0.1 * np.maximum(high - low, 1e-9)
        low, high = low - pad, high + pad
        return [("the box of the data", lambda s: Box(low, low + s * (high - low)), task.rows(300, 2))]
    found: list[tuple[str, Any, Array]] = []
    marks = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    mixed = task.groups(3, 1, same=False, key=10)
    if not mixed:  # two classes: a pair and one more
        rest = [i for pair in task.groups(2, 1, same=True, key=11) for i in pair]
        mixed = [np.append(pair, [i for i in rest if i not in pair][:1]) for pair in task.groups(2, 1, same=False, key=12)]
    one = task.groups(3, 1, same=True, key=13)
    for same, text, groups in ((False, "three points of different classes", mixed), (True, "three points of one class", one)):
        for group in (g for g in groups if len(g) == 3):
            x0, x1, x2 = np.asarray(task.points[group], dtype=float)
            rows = ", ".join(map(str, group))
            middle = _change(task, x0, x1) if task.network.n_neurons > SMALL and not same else None
            if middle is None:
                found.append((f"{text} (rows {rows})", partial(_corner, x0, x1, x2), marks))
            else:  # only a small window is affordable: it is put where something happens
                name = f"a change of the answer between the first two of rows {rows}, in their plane"
                found.append((name, partial(_around, middle, x1 - x0, x2 - x0), marks[:1]))
    return found


def _corner(x0: Array, x1: Array, x2: Array, scale: float) -> Plane:
    """A window of the plane through three points, from the first one."""
    return Plane.through(x0, x0 + scale * (x1 - x0), x0 + scale * (x2 - x0), margin=0.15)


def _around(middle: Array, d1: Array, d2: Array, scale: float) -> Plane:
    """A window with its middle at a point."""
    half = scale / 2
    return Plane.box(middle, d1, d2, low=(-half, -half), high=(half, half))


def _change(task: Task, x0: Array, x1: Array) -> Array | None:
    """A point between two others where the answer changes, by bisection."""
    first, last = (int(answer(task.network(x[None]).reshape(1, -1))[0]) for x in (x0, x1))
    if first == last:
        return None
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        here = int(answer(task.network((x0 + middle * (x1 - x0))[None]).reshape(1, -1))[0])
        low, high = (middle, high) if here == first else (low, middle)
    return np.asarray(x0 + low * (x1 - x0))


def _largest(task: Task, domain: Any, seconds: float) -> tuple[PlaneComplex, float] | None:
    """The complex on the largest window that the time allows."""

    def look(scale: float) -> PlaneComplex | None:
        try:
            cx = decompose(task.network, domain(scale), budget=Budget(max_cells=MOST_CELLS))
        except (InvalidDomain, BudgetExceeded):
            return None
        task.progress(f"{cx.n_regions:,} regions on {scale:g} of the sides")
        return cx

    return longest(task.network, look, time.perf_counter() + seconds)


def _picture(task: Task, domain: Any, cx: PlaneComplex, scale: float, name: str, marks: Array) -> dict[str, Any]:
    """The cells as paths; of a complex with too many cells, a window that has few enough."""
    shown, zoom = cx, scale
    while shown.n_cells > MOST_DRAWN:
        zoom /= 2
        shown = decompose(task.network, domain(zoom))
    canvas = Canvas.around(shown.vertices)
    n_outputs = task.network.n_outputs
    vertices = shown.outputs.reshape(len(shown.vertices), -1)
    cells = []
    values = shown.cell_means(vertices)
    if n_outputs > 1:
        colors = [f"c{k % 10}" for k in values.argmax(axis=1)]
        legend = [[f"c{k % 10}", f"output {k}"] for k in sorted(set(values.argmax(axis=1).tolist()))]
    else:
        reach = float(np.abs(values).max(initial=0.0)) or 1.0
        colors = [f"t{k}" for k in tints(values[:, 0], reach=reach)]
        legend = [["t0", "output below 0"], [f"t{N_TINTS - 1}", "above 0"]]
    for color, polygon in zip(colors, shown.cell_polygons(), strict=True):
        cells.append([color, polygon_path(canvas(polygon))])
    places = canvas(marks / zoom if len(marks) == 3 else marks)
    inside = (places >= 0).all(axis=1) & (places[:, 0] <= canvas.width) & (places[:, 1] <= canvas.height)
    part = "" if zoom == scale else f" The picture shows {shown.n_cells:,} of them, {zoom:g} of the sides."
    return {
        "type": "plane",
        "kind": "exact",
        "caption": f"{cx.n_cells:,} cells, {cx.n_regions:,} regions: {name}.{part}",
        "alt": f"A plane cut into {shown.n_cells:,} convex cells by straight folds, colored by the largest output; {name}.",
        "width": canvas.width,
        "height": canvas.height,
        "fineness": round(float(np.clip(np.sqrt(800 / shown.n_cells), 0.25, 1.0)), 3),
        "cells": cells,
        "folds": [[i, segments_path(canvas(shown.folds(i)))] for i in range(len(task.network.layers))],
        "boundary": segments_path(canvas(shown.decision_boundary())),
        "points": places[inside].round(1).tolist(),
        "legend": legend,
    }


def pieces(task: Task) -> Section:
    """Affine pieces on the way from one point to another."""
    section = Section(
        "pieces",
        "Pieces between data points",
        "On the straight way between two points the network is a broken line; more pieces between classes than within them "
        "show where it bends.",
        sources=["hanin2019a", "raghu2017"],
    )
    rows: list[list[str]] = []
    series: list[dict[str, Any]] = []
    kinds = [("different classes", False), ("the same class", True)]
    for place, (name, same) in enumerate(kinds):
        walks = _walk(task, name, same, task.seconds_left / (len(kinds) - place), place)
        whole = [w for w in walks if w.share == 1]
        if not walks:
            section.remark(f"There is no pair of {name} that was walked in the budget.")
            continue
        counts = [w.pieces for w in whole]
        extent = f"{min(counts):,} to {max(counts):,}" if counts else "none finished"
        changes = spread([w.changes for w in whole]) if whole else "none finished"
        density = spread([w.pieces / w.length for w in walks])
        rows.append([name, str(len(walks)), spread(counts) if counts else "none finished", extent, changes, density])
        if counts:
            series.append({"name": name, "values": counts})
        if len(whole) < len(walks):
            part = min(w.share for w in walks)
            n_parts = len(walks) - len(whole)
            section.remark(
                f"{name.capitalize()}: {n_parts} of the pairs for a part of the way only, {part:.2%} or more; exact there."
            )
    section.table(
        "Mean ± standard error over random pairs; the number of pieces of each pair is exact",
        "estimated",
        ["pairs of", "pairs", "pieces", "range (exact)", "changes of the answer", "pieces per unit of length"],
        rows,
    )
    if series:
        section.figures.append(
            {
                "type": "strip",
                "kind": "exact",
                "caption": "Pieces between pairs of points; each dot is a pair.",
                "alt": "; ".join(f"{s['name']}: from {min(s['values'])} to {max(s['values'])} pieces" for s in series),
                "series": series,
            }
        )
    section.is_complete = bool(rows)
    return section


@dataclass(frozen=True)
class Walk:
    """The way from one point to another, or a first part of it: pieces, changes of the largest output, length."""

    pieces: int
    changes: int
    length: float
    share: float


def _walk(task: Task, name: str, same: bool, seconds: float, key: int) -> list[Walk]:
    stop = time.perf_counter() + seconds
    walks: list[Walk] = []
    pairs = task.groups(2, 24, same=same, key=20 + key)
    for i, pair in enumerate(pairs):
        if time.perf_counter() >= stop:
            break
        task.progress(f"pair {i + 1} of {len(pairs)}, {name}")
        a, b = np.asarray(task.points[pair], dtype=float)
        found = longest(task.network, lambda s, a=a, b=b: decompose(task.network, Segment(a, a + s * (b - a))), stop)  # type: ignore[misc]
        if found is not None:
            cx, share = found
            walks.append(Walk(int(cx.n_regions), len(cx.decision_boundary()), share * float(np.linalg.norm(b - a)), share))
    return walks


def folds(task: Task) -> Section:
    """How far data are from the nearest fold."""
    section = Section(
        "folds",
        "Distance of the data to folds",
        "Within this distance the network is exactly affine around the point: at small distances small changes of the input "
        "change the map.",
        sources=["hanin2019a"],
    )
    if not task.network.layers:
        section.remark("The network has no folds.")
        return section
    points = task.rows(200, 30)
    lower, upper, by_layer = [], [], []
    step = 1
    start = 0
    while start < len(points) and (start == 0 or not task.is_late):
        task.progress(f"distances, point {start} of {len(points)}")
        found = fold_distance(task.network, points[start : start + step])
        lower += found.lower.tolist()
        upper += found.upper.tolist()
        by_layer += found.by_layer_lower.tolist()
        start += step
        step = min(2 * step, 32)
    method = found.method
    distance = np.array(upper if method == "bounds" else (np.array(lower) + np.array(upper)) / 2)
    finite = np.isfinite(distance)
    section.fact("points", f"{len(distance)}", "exact")
    section.fact("least distance, at least", f"{min(lower):.4g}", "certified")
    section.fact("mean distance to the nearest fold", spread(distance[finite]), "estimated")
    section.fact(
        "largest gap between proved bounds",
        f"{max(np.array(upper)[finite] - np.array(lower)[finite], default=0.0):.2g}",
        "certified",
    )
    section.fact("mean distance × units", f"{distance[finite].mean() * task.network.n_neurons:.4g}", "estimated")
    on_fold = int((np.array(lower) == 0).sum())
    if on_fold:
        section.remark(
            f"{on_fold} points lie on a fold up to rounding, as images do whose background makes members of a maximum equal."
        )
    layers = np.array(by_layer)
    rows = [
        [str(i), f"{task.network.widths[i + 1]:,}", f"{layers[:, i].min():.4g}", f"{np.median(layers[:, i]):.4g}"]
        for i in range(layers.shape[1])
    ]
    section.table("No fold of the layer is nearer than", "certified", ["layer", "units", "least", "median"], rows)
    section.figures.append(
        {
            "type": "histogram",
            "kind": "certified" if method != "bounds" else "estimated",
            "caption": "Distances to the nearest fold" + (", upper bounds" if method == "bounds" else ""),
            "alt": f"Histogram of {len(distance)} distances from {distance[finite].min():.3g} to {distance[finite].max():.3g}.",
            "values": [float(f"{v:.5g}") for v in distance[finite]],
        }
    )
    if len(distance) < len(points):
        section.remark(f"The budget was enough for {len(distance)} of {len(points)} points.")
    return section
