"""Sections that look at the network and at its folds: what it is, lines between points, distances to folds."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._show import at_least, at_most
from plica.geometry import Segment, decompose
from plica.measure import fold_distance
from plica.report._model_section import Section, counted, spread
from plica.report._model_task import Task, answer, longest

N_WRONG = 12  # inputs with a wrong answer that are shown
ON_FOLD = 1e-12  # of the length of a point: as near as rounding tells apart


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
    if task.targets is not None:
        _errors(task, section)
    elif task.labels is not None and task.made_shape is None:
        chosen = np.sort(task.rng(1).permutation(len(task.points))[:1000])
        blocks = [net(np.asarray(task.points[block], dtype=float)) for block in np.array_split(chosen, max(1, len(chosen) // 50))]
        answers = np.concatenate([answer(block.reshape(len(block), -1)) for block in blocks])
        is_right = answers == task.labels[chosen]
        n_right = int(is_right.sum())
        section.fact(
            "points with their label as answer", f"{n_right:,} of {len(chosen):,} ({n_right / len(chosen):.1%})", "estimated"
        )
        section.summarize(
            f"{_shape(task)}: {n_right:,} of {len(chosen):,} points ({n_right / len(chosen):.1%}) get their label.",
            "estimated",
            weight=9,
        )
        if task.names:
            words = ", ".join(f"{name} is {k}" for k, name in enumerate(task.names))
            section.remark(f"Words of the data stand for outputs in the order of the alphabet: {words}.")
        wrong = chosen[~is_right][:N_WRONG]
        if len(wrong) and task.image_shape is not None:
            section.images(
                f"The first {len(wrong)} of {len(chosen) - n_right:,} that get another one",
                "exact",
                task.row_pictures(wrong),
            )
    else:
        section.summarize(f"{_shape(task)}, {net.n_neurons:,} units that fold.", "exact", weight=4)
    return section


def _shape(task: Task) -> str:
    """Widths and parameters."""
    net = task.network
    widths = " → ".join(f"{w:,}" for w in net.widths) if len(net.widths) <= 8 else f"{len(net.layers)} folding layers"
    return f"{widths}, {net.n_parameters:,} parameters"


def _errors(task: Task, section: Section) -> None:
    """How far the output is from the targets."""
    assert task.targets is not None
    chosen = np.sort(task.rng(1).permutation(len(task.points))[:1000])
    targets = task.targets[chosen]
    errors = task.network(np.asarray(task.points[chosen], dtype=float)).reshape(-1) - targets
    rms, spread_of_targets = float(np.sqrt((errors**2).mean())), float(targets.std())
    share = f"; they vary by {spread_of_targets:.4g}" if spread_of_targets else ""
    section.fact("root mean square error", f"{rms:.4g} on {len(chosen):,} points", "estimated")
    section.fact("largest error", f"{np.abs(errors).max():.4g}", "estimated")
    section.fact("standard deviation of the targets", f"{spread_of_targets:.4g}", "estimated")
    section.summarize(
        f"{_shape(task)}: the output is {rms:.4g} from its target (root mean square over {len(chosen):,} points{share}).",
        "estimated",
        weight=9,
    )


def pieces(task: Task) -> Section:
    """Affine pieces on the way from one point to another."""
    section = Section(
        "pieces",
        "Pieces between data points",
        "On the straight way between two points the network is a broken line"
        + ("; more pieces between classes than within them show where it bends." if task.targets is None else "."),
        sources=["hanin2019a", "raghu2017"],
    )
    if task.is_one_point:
        section.remark("All points of the data are equal.")
        return section
    rows: list[list[str]] = []
    series: list[dict[str, Any]] = []
    kinds = [("different classes", False), ("the same class", True)] if task.targets is None else [("any two points", True)]
    for place, (name, same) in enumerate(kinds):
        walks = _walk(task, name, same, task.seconds_left / (len(kinds) - place), place)
        whole = [w for w in walks if w.share == 1]
        if not walks:
            section.remark(f"No pair of {name} was found.")
            continue
        counts = [w.pieces for w in whole]
        extent = f"{min(counts):,} to {max(counts):,}" if counts else "none finished"
        changes = spread([w.changes for w in whole]) if whole else "none finished"
        density = spread([w.pieces / w.length for w in walks])
        rows.append(
            [
                name,
                f"{len(walks)}",
                spread(counts) if counts else "none finished",
                extent,
                *([changes] if task.has_boundary else []),
                density,
            ]
        )
        if counts:
            series.append({"name": name, "values": counts})
        if len(whole) < len(walks):
            part = min(w.share for w in walks)
            n_parts = len(walks) - len(whole)
            section.cut(
                f"{name.capitalize()}: {n_parts} of the pairs for a part of the way only, {part:.2%} or more; exact there."
            )
    changed = ["changes of the answer"] if task.has_boundary else []
    section.table(
        "Mean ± standard error over random pairs; the number of pieces of each pair is exact",
        "estimated",
        ["pairs of", "pairs", "pieces", "range (exact)", *changed, "pieces per unit of length"],
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
                "x_title": "the two points are of" if task.targets is None else "pairs",
                "y_title": "pieces between them",
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
        if time.perf_counter() >= stop and walks:
            break
        task.progress(f"pair {i + 1} of {len(pairs)}, {name}")
        a, b = np.asarray(task.points[pair], dtype=float)
        found = longest(task.network, lambda s, a=a, b=b: decompose(task.network, Segment(a, a + s * (b - a))), stop)  # type: ignore[misc]
        if found is not None:
            cx, share = found
            n_changes = len(cx.decision_boundary()) if task.has_boundary else 0
            walks.append(Walk(int(cx.n_regions), n_changes, share * float(np.linalg.norm(b - a)), share))
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
    low, high = np.array(lower), np.array(upper)
    is_on = (low == 0) & (high <= ON_FOLD * (1 + np.linalg.norm(points[: len(high)].reshape(len(high), -1), axis=1)))
    seen = np.isfinite(distance) & ~is_on
    section.fact("points", f"{len(distance)}", "exact")
    if is_on.any():
        section.fact("points on a fold, up to rounding", f"{int(is_on.sum())}", "certified")
        section.remark("Images lie on folds where their background makes members of a maximum equal.")
    if not np.isfinite(distance).any():
        section.remark("No point has a fold at a finite distance: the network is one affine map.")
        return section
    if seen.any():
        others = "the others: " if is_on.any() else ""
        section.fact(f"{others}least distance, at least", at_least(low[seen].min(), 6), "certified")
        section.fact(f"{others}mean distance to the nearest fold", spread(distance[seen]), "estimated")
        section.fact(f"{others}largest gap between proved bounds", at_most((high - low)[seen].max(), 2), "certified")
        section.fact(f"{others}mean distance × units", f"{distance[seen].mean() * task.network.n_neurons:.4g}", "estimated")
        around, within = counted(int(seen.sum()), "point"), at_least(low[seen].min(), 3)
        section.summarize(
            f"Around {around} the network is one affine map within {within} or more, on average {distance[seen].mean():.3g}.",
            "certified",
            weight=3,
        )
    layers = np.array(by_layer)
    rows = [
        [str(i), f"{task.network.widths[i + 1]:,}", at_least(layers[:, i].min(), 6), at_least(np.median(layers[:, i]), 6)]
        for i in range(layers.shape[1])
    ]
    section.table("No fold of the layer is nearer than", "certified", ["layer", "units", "least", "median"], rows)
    if int(seen.sum()) > 2:  # fewer are no distribution
        section.figures.append(
            {
                "type": "histogram",
                "kind": "certified" if method != "bounds" else "estimated",
                "caption": "Distances to the nearest fold" + (", upper bounds" if method == "bounds" else ""),
                "alt": f"Histogram of {int(seen.sum())} distances from {distance[seen].min():.3g} to {distance[seen].max():.3g}.",
                "values": [float(f"{v:.5g}") for v in distance[seen]],
                "x_title": "distance to the nearest fold",
                "y_title": "points",
            }
        )
    if len(distance) < len(points):
        section.cut(f"The budget was enough for {len(distance)} of {len(points)} points.")
    return section
