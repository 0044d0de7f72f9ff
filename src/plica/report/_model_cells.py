"""Sections that read the complex: values, their distribution and persistence, classes, constants; redundant parameters."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

import numpy as np

from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput
from plica.geometry import BoundedComplex, Budget, Segment, Space, decompose
from plica.measure import (
    class_volumes,
    distribution,
    dual_graph,
    extremes,
    functional_dimension,
    lipschitz,
    moments,
    persistence,
    union_topology,
)
from plica.report._model_planes import windows
from plica.report._model_section import Section, counted
from plica.report._model_task import Task, longest

MOST_CELLS = 20_000
MOST_PARAMETERS = 400
MOST_ENTRIES = 1_000_000  # inputs times units of a network whose maps are written in integers
LEAST_SECONDS = 1.0  # for what is read off the cells of a small network
MOST_OUTPUTS = 12
MOST_CURVES = 4  # outputs whose distribution functions are drawn
N_LEVELS = 49
NORMS = {"l1": "sum of absolute values", "l2": "Euclidean", "linf": "largest absolute value"}
LONGEST = 6  # classes of the sublevel sets that are listed


def values(task: Task) -> Section:
    """Extremes, means, classes, constants and topology on the first window that planes shows."""
    section = Section(
        "values",
        "What the cells know",
        "The network is affine on every cell, so its extremes, means and constants on the window are known exactly or within "
        "certified bounds; sampling could only estimate them.",
        sources=["gaines2026"],
    )
    if task.network.n_inputs == 1 and task.is_one_point:
        section.remark("All points of the data are equal: they have no range.")
        return section
    if task.network.n_inputs == 1:
        low, high = float(task.points.min()), float(task.points.max())
        name, domain = "the range of the data", lambda s: Segment([low], [low + s * (high - low)])
    else:
        shown = windows(task)
        if not shown:
            section.remark("No plane was found: the points of the data are equal or on one line.")
            return section
        name, domain = shown[0].name, shown[0].domain
    stop = time.perf_counter() + task.seconds_left / 3

    def look(scale: float) -> tuple[BoundedComplex, Any] | None:
        try:
            budget = Budget(max_cells=MOST_CELLS, max_seconds=max(LEAST_SECONDS, task.seconds_left))  # also of each reading
            return decompose(task.network, domain(scale), budget=budget), domain(scale)
        except (InvalidDomain, BudgetExceeded):
            return None

    found = longest(task.network, look, stop)
    if found is None:
        section.is_complete = False
        section.remark("No window was finished in the budget.")
        return section
    (cx, window), share = found
    where = name if share == 1 else f"{name}, {share:.3g} of its sides"
    n_outputs = min(task.network.n_outputs, MOST_OUTPUTS)
    left = [] if _extremes(task, section, cx, where) == n_outputs else ["extremes and means of the other outputs"]
    steps = {
        "neighbors of cells": lambda: _neighbors(section, cx),
        "Lipschitz constants": lambda: _constants(task, section, cx, where),
        "parts and shapes of the classes": lambda: _classes(task, section, window, where),
        "distributions": lambda: _distributions(task, section, cx, where),
        "shapes of sublevel sets": lambda: _sublevels(task, section, cx, where),
    }
    if task.targets is not None:
        del steps["parts and shapes of the classes"]
    for name, step in steps.items():
        try:
            if not task.is_late:
                step()
                continue
        except BudgetExceeded:  # of one reading: the others may be quicker
            pass
        left.append(name)
    if left:
        section.cut(f"The time was not enough for {', '.join(left)}.")
    return section


def _extremes(task: Task, section: Section, cx: BoundedComplex, where: str) -> int:
    """Least, largest and mean values of the outputs for which there is time; of how many."""
    rows: list[list[str]] = []
    with suppress(BudgetExceeded):
        while len(rows) < min(task.network.n_outputs, MOST_OUTPUTS) and not (rows and task.is_late):
            k = len(rows)
            ends, mean = extremes(cx, output=k), moments(cx, output=k, order=1).mean
            rows.append([task.output_name(k), f"{float(ends.minimum):.6g}", f"{float(ends.maximum):.6g}", f"{float(mean):.6g}"])
    section.table(f"Least, largest and mean value over {where}", "certified", ["output", "minimum", "maximum", "mean"], rows)
    return len(rows)


def _neighbors(section: Section, cx: BoundedComplex) -> None:
    """How many cells meet a cell, and how far apart two of them are."""
    graph = dual_graph(cx)
    section.fact("neighbors of a cell on average", f"{graph.mean_degree:.4g} (at most {2 * cx.dimension})", "exact")
    section.fact("largest distance between two cells, in folds", f"{graph.diameter}", "exact")


def _classes(task: Task, section: Section, window: Any, where: str) -> None:
    """Which part of the window gets which answer, and in how many pieces."""
    found = class_volumes(task.network, window)
    rows = []
    there = np.unique(found.classes).tolist()
    for k in there[:MOST_OUTPUTS]:
        shape = union_topology(found.complex, found.classes == k)
        numbers = ", ".join(map(str, shape.betti[: found.complex.dimension]))
        rows.append(
            [task.class_name(k), f"{float(found.volumes[k]) / float(found.volume):.4%}", f"{shape.n_components}", numbers]
        )
    section.table(
        f"Classes over {where}: part of the window, connected components, Betti numbers over GF(2)",
        "certified",
        ["class", "part", "components", "Betti numbers"],
        rows,
    )
    if len(there) < len(found.volumes):
        section.remark("No other class is the answer there.")


def _constants(task: Task, section: Section, cx: BoundedComplex, where: str) -> None:
    """Lipschitz constants, of networks whose maps are small enough to be written in integers."""
    if task.network.n_inputs * task.network.n_neurons > MOST_ENTRIES:
        section.remark(
            "Lipschitz constants on the window are left out: the maps of its cells are too large to write in integers."
        )
        return
    constants = [lipschitz(cx, norm=norm) for norm in ("l1", "l2", "linf")]
    section.table(
        "Lipschitz constants on the window, and the product of the layers' norms",
        "certified",
        ["norm", "constant", "product of norms"],
        [[NORMS[c.norm], f"{float(c):.6g}", f"{c.product_bound:.6g}"] for c in constants],
    )
    steepest = constants[1]
    section.summarize(
        f"A change of the input grows at most {float(steepest):.4g} times (Euclidean norm) on {where}; the product of the "
        f"layers' norms would say {steepest.product_bound:.4g}.",
        "certified",
        weight=6,
    )


def _distributions(task: Task, section: Section, cx: BoundedComplex, where: str) -> None:
    """Distribution functions of the first outputs over a window, and their quantiles."""
    found = [distribution(cx, output=k) for k in range(min(cx.network.n_outputs, MOST_CURVES))]
    t = np.linspace(min(float(d.knots[0]) for d in found), max(float(d.knots[-1]) for d in found), N_LEVELS)
    heights = [d.cdf(t) for d in found]
    section.figures.append(
        {
            "type": "lines",
            "kind": "certified",
            "caption": f"The part of {where} where an output is at most t, against t",
            "alt": f"Distribution functions of {len(found)} outputs between {t[0]:.4g} and {t[-1]:.4g}; at the middle "
            f"{', '.join(f'{y[N_LEVELS // 2]:.2f}' for y in heights)}.",
            "x": t.tolist(),
            "x_title": "t",
            "y_title": "part of the window",
            "log": False,
            "series": [{"name": task.output_name(k), "y": y.tolist()} for k, y in enumerate(heights)],
        }
    )
    parts = (0.05, 0.5, 0.95)
    listed = found[: max(1, MOST_CELLS // cx.n_cells)]  # a quantile asks the function hundreds of times
    rows = [[task.output_name(k), *(f"{float(d.quantile(p)):.5g}" for p in parts)] for k, d in enumerate(listed)]
    section.table(f"Values below which parts of {where} lie", "certified", ["output", *(f"{p:.0%}" for p in parts)], rows)


def _sublevels(task: Task, section: Section, cx: BoundedComplex, where: str) -> None:
    """When components and holes of {output 0 <= t} come and go."""
    found = persistence(cx)
    names = ("component", "hole", "cavity")
    numbers = [counted(int((found.dimensions == k).sum()), names[k]) for k in range(cx.dimension)]
    section.fact(f"shapes that {{{task.output_name(0)} ≤ t}} passes through as t grows", ", ".join(numbers), "exact")
    order = np.argsort(found.births - found.deaths, kind="stable")[:LONGEST]
    rows = [
        [
            names[found.dimensions[i]],
            f"{found.births[i]:.5g}",
            f"{found.deaths[i]:.5g}" if np.isfinite(found.deaths[i]) else "stays",
        ]
        for i in order.tolist()
    ]
    section.table(
        f"Components and holes of {{{task.output_name(0)} ≤ t}} that last longest over {where}",
        "exact",
        ["shape", "appears at", "vanishes at"],
        rows,
    )
    section.sources.append("grigsby2022c")


def redundancy(task: Task) -> Section:
    """Functional dimension: how many parameters matter."""
    section = Section(
        "redundancy",
        "Parameters that matter",
        "The functional dimension is the number of directions in which a change of the parameters changes the function; it is at "
        "most the number of parameters minus the number of hidden units, each of which can be rescaled.",
        sources=["grigsby2022a"],
    )
    net = task.network
    section.fact("parameters", f"{net.n_parameters:,}", "exact")
    if net.n_parameters > MOST_PARAMETERS or net.n_inputs > 3:
        section.leave_out(f"Computed for networks of up to three inputs with up to {MOST_PARAMETERS} parameters.")
        return section
    try:
        budget = Budget(max_cells=MOST_CELLS, max_seconds=max(LEAST_SECONDS, task.seconds_left))
        found = functional_dimension(decompose(net, Space(net.n_inputs), budget=budget))
    except BudgetExceeded as error:
        section.is_complete = False
        section.remark(f"Not computed: {error.message}")
        return section
    except (InvalidInput, InvalidDomain) as error:
        section.remark(error.message)
        return section
    section.fact("functional dimension", f"{found.value:,}", found.kind)
    section.fact("at most", f"{found.bound:,}", "exact")
    section.fact("redundant beyond rescalings", f"{found.redundancy:,}", found.kind)
    section.summarize(
        f"{found.value:,} of {net.n_parameters:,} parameters are directions that change the function; "
        f"{found.redundancy:,} are redundant beyond rescalings of units.",
        found.kind,
        weight=5.5,
    )
    return section
