"""The section on the loss: exact along a line of weights with the network in its middle."""

from __future__ import annotations

import time

import numpy as np

from plica.errors import BudgetExceeded, PlicaError
from plica.geometry import Budget
from plica.landscape import LossLine, random_direction, survey
from plica.report._model_section import Section
from plica.report._model_task import Task

MOST_PARAMETERS = 500_000  # of a network whose weights are moved for a report
SAMPLES = (8, 32, 128)  # points, as many as the time allows
GROWTH = 6  # how many times longer four times the points are expected to take
N_DRAWN = 81


def landscape(task: Task) -> Section:
    """The loss of some points when all weights move along one random direction."""
    section = Section(
        "landscape",
        "The loss around the weights",
        "All weights move along one random direction, as far as each filter is long; along it the loss is computed, not sampled.",
        sources=["li2018"],
    )
    if task.targets is None and (task.labels is None or task.network.n_outputs < 2):
        section.remark("A loss needs labels or targets (--labels), and for labels an output for each class.")
        return section
    if task.network.n_parameters > MOST_PARAMETERS:
        section.leave_out(
            f"Weights of networks with more than {MOST_PARAMETERS:,} numbers are not moved here; see plica landscape."
        )
        return section
    try:
        line = _line(task)
    except PlicaError as error:
        section.is_complete = not isinstance(error, BudgetExceeded)
        section.remark(f"Not computed: {error.message}")
        return section
    most = min(len(task.points), SAMPLES[-1])
    if line.n_samples < most:
        section.cut(f"The time was enough for the loss on {line.n_samples} of {most} points.")
    _tell(section, line, "cross-entropy" if task.targets is None else "mean squared error")
    return section


def _line(task: Task) -> LossLine:
    """The loss of as many points as are likely to be finished in time."""
    direction = random_direction(task.network, seed=task.seed)
    found: LossLine | None = None
    order = task.rng(90).permutation(len(task.points))
    for n in SAMPLES:
        began = time.perf_counter()
        chosen = np.sort(order[:n])
        x = np.asarray(task.points[chosen], dtype=np.float64).reshape(len(chosen), *task.network.input_shape)
        if task.targets is None:
            y, loss = np.asarray(task.classes_of(chosen), dtype=np.int64), "cross-entropy"
        else:
            y, loss = task.targets[chosen].reshape(len(chosen), *task.network.output_shape), "squared"
        try:
            seen = survey(task.network, x, y, direction, loss=loss, budget=Budget(max_seconds=max(1.0, task.seconds_left)))
        except BudgetExceeded:
            if found is None:
                raise
            break
        assert isinstance(seen, LossLine)
        found = seen
        if n >= len(order) or GROWTH * (time.perf_counter() - began) > task.seconds_left:
            break
    assert found is not None
    return found


def _tell(section: Section, line: LossLine, loss: str) -> None:
    here, low, high = line.at(0.5), line.minimum, line.maximum
    section.fact(f"{loss} of the network on {line.n_samples} points", f"{here.middle:.6g}", "certified")
    section.fact("breakpoints on the line, where a unit switches", f"{line.n_breakpoints:,}", "exact")
    section.fact("lowest loss on the line", f"{low.value.middle:.6g} at {2 * low.t - 1:.4g}", "certified")
    section.fact("highest loss on the line", f"{high.value.middle:.6g} at {2 * high.t - 1:.4g}", "certified")
    missed = line.grid_miss().missed
    section.fact("how far a grid of 25 points stays below it", f"{missed:.3g}", "certified")
    t = np.linspace(0.0, 1.0, N_DRAWN)
    section.figures.append(
        {
            "type": "lines",
            "kind": "certified",
            "caption": f"{loss.capitalize()} of {line.n_samples} points along a random direction, normalized by filters; the "
            "network is at 0.",
            "alt": f"The loss along the line: {here.middle:.3g} at the network, up to {high.value.middle:.3g}.",
            "x": (2 * t - 1).tolist(),
            "x_title": "multiples of the direction",
            "y_title": loss,
            "series": [{"name": "loss", "y": line(t).tolist()}],
            "log": False,
        }
    )
    gain = here.low - low.value.high
    if gain > 0.01 * max(here.middle, 1e-12):
        section.summarize(
            f"Other weights do better: along a random direction the loss on {line.n_samples} points falls from {here.middle:.3g} "
            f"to {low.value.middle:.3g}.",
            "certified",
            weight=5,
        )
    section.remark("Other directions look different; plica landscape draws planes, and lines to another model.")
