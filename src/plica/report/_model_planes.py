"""The section on planes through data: every cell of a window, and where the window lies in the whole plane."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry import Box, Budget, Plane, PlaneComplex, Segment, decompose
from plica.network import Max
from plica.report._model_cut import draw_cells
from plica.report._model_map import whole_map
from plica.report._model_section import Section
from plica.report._model_task import SMALL, Task, answer, longest

MOST_DRAWN = 3000  # cells in a picture: about 400 KB
MOST_CELLS = 60_000
CELLS_A_SECOND = 5_000  # that a small network may have on a plane: slow networks of five inputs take as long
MOST_MARKED = 300  # points of the data in a picture
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


@dataclass(frozen=True)
class Window:
    """A domain that can be made smaller, and the rows of the data that it is about.

    Parameters
    ----------
    name
        What it is.
    domain
        The domain at a scale; 1 is the whole of it.
    marks
        Points of the data, in the parameters of the whole plane.
    rows
        Their numbers in the data.
    is_named
        Whether they are few enough to have letters.
    middle, margin
        Where a smaller window lies: around this point of the whole plane, or from its corner with a margin.
    """

    name: str
    domain: Callable[[float], Any]
    marks: Array
    rows: tuple[int, ...]
    is_named: bool = True
    middle: Array | None = None
    margin: float = 0.0

    def parameters(self, scale: float) -> tuple[Array, float]:
        """How parameters p of the window of this scale lie in the whole plane: at offset + factor p."""
        if self.middle is not None:
            return self.middle, 1.0
        return np.zeros(2), scale if self.is_named else 1.0


def planes(task: Task) -> Section:
    """Exact regions on planes through data, with the decision boundary."""
    section = Section(
        "planes",
        "Regions on planes through the data",
        "Each cell is a piece of the plane on which the network is one affine map; crossing a fold changes the map"
        + (", crossing the thick line changes the answer." if task.has_boundary else "."),
        sources=["montufar2014", "hanin2019a"],
    )
    if task.network.n_inputs == 1:
        return _graph(task, section)
    table: list[list[str]] = []
    shown = windows(task)
    if not shown:
        section.remark("No plane was found: the points of the data are equal or on one line.")
        return section
    for number, window in enumerate(shown):
        task.progress(f"plane {number + 1} of {len(shown)}")
        share = task.seconds_left / (len(shown) - number)
        found = _largest(task, window.domain, share / 2 if task.network.n_neurons > SMALL else share)
        if found is None:
            section.remark(f"{window.name}: no window of this plane was finished in {share:.0f} s.")
            section.is_complete = False
            continue
        cx, scale = found
        where = window.name if scale == 1 else f"{window.name}, {scale:.3g} of its sides"
        edges = [] if not task.has_boundary else [f"{len(cx.decision_boundary()):,}"]
        table.append([where, f"{cx.n_cells:,}", f"{cx.n_regions:,}", *edges, f"{cx.exact_fallbacks:,}"])
        if number == 0:
            section.summarize(_headline(task, cx, where), "exact", weight=8)
        _show(task, section, window, cx, scale, where, share / 2)
        if scale < 1:
            name = f"{window.name[0].upper()}{window.name[1:]}"
            section.cut(f"{name}: the whole window did not fit the budget; the numbers are exact for the part named.")
    lines = ["segments of the decision boundary"] if task.has_boundary else []
    if not task.has_boundary and task.targets is None:
        section.remark(f"The line where the answer changes is drawn for up to {Max.most_members:,} outputs.")
    section.table("On each plane", "exact", ["plane", "cells", "regions", *lines, "signs decided in integers"], table)
    return section


def _headline(task: Task, cx: PlaneComplex, where: str) -> str:
    found = f"{cx.n_regions:,} linear region{'' if cx.n_regions == 1 else 's'} on {where}"
    if not task.has_boundary:
        return f"{found}."
    n_edges = len(cx.decision_boundary())
    boundary = f"the answer changes across {n_edges:,} segments" if n_edges else "the answer is the same everywhere"
    return f"{found}; {boundary} there."


def _show(task: Task, section: Section, window: Window, cx: PlaneComplex, scale: float, where: str, seconds: float) -> None:
    """The cells as a picture; where they are too many or only a part was walked, first the whole plane with the part marked."""
    drawn, zoom = cx, scale
    while drawn.n_cells > MOST_DRAWN:
        zoom /= 2
        drawn = decompose(task.network, window.domain(zoom))
    offset, factor = window.parameters(zoom)
    low, high = (offset + factor * np.asarray(end) for end in (drawn.vertices.min(axis=0), drawn.vertices.max(axis=0)))
    letters = "ABC" if window.is_named else ""
    titles = ("s, in A + s (B − A) + t (C − A)", "t") if window.is_named else (task.column(0), task.column(1))
    pictures = task.row_pictures(window.rows, names=letters) if window.is_named else []
    axes = {"x_title": titles[0], "y_title": titles[1]}
    if zoom < 1:
        task.progress("the whole plane")
        known = cx.decision_boundary() if scale == 1 and task.has_boundary else None
        whole = whole_map(task, window.domain(1.0) if window.middle is None else _plane_of(task, window), seconds, known=known)
        whole |= axes | {"images": pictures, "letters": list(letters)}
        whole |= _marks(task, window, whole)
        (x0, x1), (_, y1) = whole["window"]
        to_page = whole["width"] / (x1 - x0)
        inset = [(low[0] - x0) * to_page, (y1 - high[1]) * to_page, (high[0] - low[0]) * to_page, (high[1] - low[1]) * to_page]
        section.figures.append(whole | {"inset": [round(float(v), 2) for v in inset]})
        pictures = []
    part = "" if drawn is cx else f" The picture shows {drawn.n_cells:,} of them, {zoom:g} of the sides."
    figure = draw_cells(task, drawn, offset=offset, factor=factor)
    caption = f"{cx.n_cells:,} cells, {cx.n_regions:,} regions: {where}.{part}"
    figure |= axes | {"caption": ("Inset: " if zoom < 1 else "") + caption, "images": pictures, "letters": list(letters)}
    section.figures.append(figure | _marks(task, window, figure))


def _marks(task: Task, window: Window, figure: dict[str, Any]) -> dict[str, Any]:
    """Points of the data that lie in a picture, with their letters, the colors of their labels and what is known of them."""
    points = window.marks
    (x0, x1), (y0, y1) = figure["window"]
    inside = (points[:, 0] >= x0) & (points[:, 0] <= x1) & (points[:, 1] >= y0) & (points[:, 1] <= y1)
    to_page = figure["width"] / (x1 - x0)
    places = np.stack([(points[:, 0] - x0) * to_page, (y1 - points[:, 1]) * to_page], axis=1)[inside]
    letters = [letter for letter, is_in in zip(figure["letters"], inside, strict=False) if is_in]
    marked = [_said(task, row) for row, is_in in zip(window.rows, inside, strict=True) if is_in]
    return {"points": places.round(1).tolist(), "letters": letters, "marked": marked}


def _said(task: Task, row: int) -> list[str]:
    """The color of a point of the data, and a line about it."""
    output = task.network(np.asarray(task.points[row], dtype=float)[None]).reshape(1, -1)
    if task.targets is not None:
        return ["low", f"row {row}: target {task.targets[row]:.4g}, output {output[0, 0]:.4g}"]
    said = task.class_name(int(answer(output)[0]))
    if task.labels is None:
        return ["low", f"row {row}: answer {said}"]
    label = int(task.labels[row])
    color = f"c{label % 10}" if task.network.n_outputs > 1 else ("low", "high")[label]
    return [color, f"row {row}: label {task.class_name(label)}, answer {said}"]


def _plane_of(task: Task, window: Window) -> Plane:
    return Plane.through(*np.asarray(task.points[list(window.rows)], dtype=float), margin=0.15)


def _graph(task: Task, section: Section) -> Section:
    """A network with one input is a broken line over the range of the data."""
    low, high = float(task.points.min()), float(task.points.max())
    if low == high:
        section.remark("All points of the data are equal: they have no range.")
        return section
    cx = decompose(task.network, Segment([low], [high]), budget=Budget(max_cells=MOST_CELLS))
    t = np.asarray(cx.vertices)[:, 0]
    order = np.argsort(t, kind="stable")[:: max(1, len(t) // 2000)]
    values = cx.outputs.reshape(len(t), -1)[order]
    where = f"[{low:.4g}, {high:.4g}]"
    section.title = "Pieces over the range of the data"
    section.meaning = "Each piece of the range has one affine map; at a fold the map changes."
    section.summarize(f"{cx.n_regions:,} linear pieces over the range of the data, {where}.", "exact", weight=8)
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
            "x_title": task.columns[0] if task.columns else "input",
            "y_title": "output",
            "log": False,
            "series": [{"name": task.output_name(k), "y": values[:, k].tolist()} for k in range(min(4, values.shape[1]))],
        }
    )
    return section


def windows(task: Task) -> list[Window]:
    """The box of the data, or planes through three of its points."""
    if task.network.n_inputs == 2:
        low, high = task.points.min(axis=0).astype(float), task.points.max(axis=0).astype(float)
        pad = 0.1 * np.maximum(high - low, 1e-9)
        low, high = low - pad, high + pad
        chosen = np.sort(task.rng(2).permutation(len(task.points))[:MOST_MARKED])
        marks = np.asarray(task.points[chosen], dtype=np.float64)
        name = "the box of the data and a tenth around it"
        return [Window(name, lambda s: Box(low, low + s * (high - low)), marks, tuple(chosen.tolist()), is_named=False)]
    found: list[Window] = []
    mixed = task.groups(3, 1, same=False, key=10)
    if not mixed:  # two classes: a pair and one more
        rest = [i for pair in task.groups(2, 1, same=True, key=11) for i in pair]
        mixed = [np.append(pair, [i for i in rest if i not in pair][:1]) for pair in task.groups(2, 1, same=False, key=12)]
    one = task.groups(3, 1, same=True, key=13)
    together = "three points of one class" if task.targets is None else "three points of the data"
    for same, text, groups in ((False, "three points of different classes", mixed), (True, together, one)):
        for group in (g for g in groups if len(g) == 3):
            x0, x1, x2 = np.asarray(task.points[group], dtype=float)
            if not _span_a_plane(x0, x1, x2):
                continue
            rows = tuple(int(i) for i in group)
            listed = ", ".join(map(str, rows))
            t = _change(task, x0, x1) if task.network.n_neurons > SMALL and not same else None
            if t is None:
                found.append(Window(f"the plane through {text} (rows {listed})", partial(_corner, x0, x1, x2), CORNERS, rows))
            else:  # only a small window is affordable: it is put where something happens
                name = f"a window where the answer changes between the first two of rows {listed}, in their plane"
                around = partial(_around, x0 + t * (x1 - x0), x1 - x0, x2 - x0)
                found.append(Window(name, around, CORNERS, rows, middle=np.array([t, 0.0])))
    return found


def _span_a_plane(x0: Array, x1: Array, x2: Array) -> bool:
    try:
        Plane.through(x0, x1, x2)
    except InvalidDomain:
        return False
    return True


def _corner(x0: Array, x1: Array, x2: Array, scale: float) -> Plane:
    """A window of the plane through three points, from the first one."""
    return Plane.through(x0, x0 + scale * (x1 - x0), x0 + scale * (x2 - x0), margin=0.15)


def _around(middle: Array, d1: Array, d2: Array, scale: float) -> Plane:
    """A window with its middle at a point."""
    half = scale / 2
    return Plane.box(middle, d1, d2, low=(-half, -half), high=(half, half))


def _change(task: Task, x0: Array, x1: Array) -> float | None:
    """Where between two points the answer changes, by bisection."""
    first, last = (int(answer(task.network(x[None]).reshape(1, -1))[0]) for x in (x0, x1))
    if first == last:
        return None
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        here = int(answer(task.network((x0 + middle * (x1 - x0))[None]).reshape(1, -1))[0])
        low, high = (middle, high) if here == first else (low, middle)
    return low


def _largest(task: Task, domain: Any, seconds: float) -> tuple[PlaneComplex, float] | None:
    """The complex on the largest window that the time allows.

    The whole plane of a small network is asked for without looking ahead, so that only cells are a limit: as many as the time
    is good for on any machine, however long the engine takes to be loaded.
    """
    most_cells = min(MOST_CELLS, max(MOST_DRAWN, int(CELLS_A_SECOND * seconds)))

    def look(scale: float) -> PlaneComplex | None:
        try:
            cx = decompose(task.network, domain(scale), budget=Budget(max_cells=most_cells))
        except (InvalidDomain, BudgetExceeded):
            return None
        task.progress(f"{cx.n_regions:,} regions on {scale:g} of the sides")
        return cx

    return longest(task.network, look, time.perf_counter() + seconds)
