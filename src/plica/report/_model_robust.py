"""The section on robustness: the inputs that are nearest to another class, with distances proved from both sides."""

from __future__ import annotations

import numpy as np

from plica._show import at_least, at_most
from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Segment, decompose
from plica.network import Linear, Network, Reshape, extended
from plica.report._model_section import Section
from plica.report._model_task import Task
from plica.robust import ClassDistance, class_distance, estimate_class_distances, most_fragile

MOST_UNITS = 1500  # of a network whose distances are searched for
MOST_POINTS = 2000  # whose distance is estimated
SHOWN = 10
LOOKED_AT = 20
N_PICTURES = 4  # inputs that are shown with their neighbors


def fragile(task: Task) -> Section:
    """The ten most fragile inputs of those that look nearest to another class."""
    section = Section(
        "fragile",
        "The most fragile inputs",
        "So small a change of the input, in the Euclidean norm, changes the answer; no smaller change does.",
        sources=["moosavi2016", "wong2018"],
    )
    network = task.network
    if task.targets is not None:
        section.remark("The data have numbers as targets, not classes: there is no other answer to be near to.")
        return section
    if network.n_outputs == 1:  # class 1 is where it is positive
        network = extended(network, [Reshape((1,)), Linear(np.array([[0.0], [1.0]]), np.zeros(2))])
        section.remark("The only output stands for two classes by its sign.")
    if network.n_neurons > MOST_UNITS:
        section.leave_out(f"Distances are searched for in networks with at most {MOST_UNITS:,} units; see plica radius.")
        return section
    indices = np.sort(task.rng(70).permutation(len(task.points))[:MOST_POINTS])
    points = np.asarray(task.points[indices], dtype=np.float64)
    order = np.argsort(estimate_class_distances(network, points), kind="stable")[:LOOKED_AT]
    found: list[ClassDistance] = []
    within = _usual_distance(points)
    for k, row in enumerate(order):
        if task.is_late and found:
            break
        task.progress(f"distance {k + 1} of {len(order)}")
        share = task.seconds_left / max(1, min(SHOWN, len(order)) - k)
        try:
            found.append(class_distance(network, points[row], tolerance=1e-6, timeout_s=max(0.2, share), within=within))
        except InvalidInput as error:
            section.remark(error.message)
            return section
    chosen = most_fragile(found, SHOWN)
    rows = [
        [
            f"{indices[order[k]]}",
            *([] if task.labels is None else [task.class_name(int(task.labels[indices[order[k]]]))]),
            task.class_name(found[k].label),
            task.class_name(found[k].other) if np.isfinite(found[k].upper) else "none found",
            at_least(found[k].lower, 7),
            at_most(found[k].upper, 7) if np.isfinite(found[k].upper) else "none found",
        ]
        for k in chosen
    ]
    head = ["row of the data", *([] if task.labels is None else ["label"]), "class", "nearest other", "at least", "at most"]
    which = f"the {len(rows)} inputs nearest to it" if len(rows) > 1 else "the input nearest to it"
    section.table(f"Distance to another class of {which}, proved (at least) and attained (at most)", "certified", head, rows)
    nearest = [(int(indices[order[k]]), points[order[k]], found[k]) for k in chosen]
    _tell(task, section, nearest, within)
    attained = next((each for each in nearest if np.isfinite(each[2].upper)), None)
    if attained is not None and not task.is_late:
        _way(task, network, section, attained, (indices, points))
    closed = sum(d.is_closed for d in found)
    section.fact("inputs searched", f"{len(found)} of {len(points):,} looked at", "exact")
    section.fact("distances known to six digits", f"{closed}", "exact")
    far = sum(not np.isfinite(d.upper) and d.lower >= within * (1 - 1e-5) for d in found)
    if far:
        section.fact("no other class within the usual distance of two inputs", f"{far} of them, {within:.4g}", "certified")
    section.is_complete = closed + far == len(found)
    if len(found) < len(order):
        section.cut(f"The time was enough for {len(found)} of the {len(order)} that look nearest to another class.")
    section.remark("Searched are the inputs that a linear estimate puts nearest to another class.")
    return section


def _tell(task: Task, section: Section, nearest: list[tuple[int, Array, ClassDistance]], within: float) -> None:
    """The nearest of all in one sentence, and the nearest ones as pictures beside the inputs that they become."""
    attained = [each for each in nearest if np.isfinite(each[2].upper)]
    if not attained:
        return
    row, _, least = min(attained, key=lambda each: each[2].upper)
    section.summarize(
        f"Row {row} gets answer {task.class_name(least.other)} instead of {task.class_name(least.label)} after a change of "
        f"{at_most(least.upper, 4)}, and of no less than "
        f"{at_least(least.lower, 4)} (Euclidean norm); two inputs are {within:.3g} apart.",
        "certified",
        weight=7,
    )
    pictures: list[dict[str, str]] = []
    for i, x, each in attained[:N_PICTURES]:
        pictures += task.picture(x, f"row {i}", f"answer {task.class_name(each.label)}")
        pictures += task.picture(each.point, f"at {each.upper:.3g}", f"answer {task.class_name(each.other)}")
    if pictures:
        section.images("Inputs, each beside the nearest one with another answer that was found", "certified", pictures)


def _way(
    task: Task, network: Network, section: Section, fragile: tuple[int, Array, ClassDistance], data: tuple[Array, Array]
) -> None:
    """From the most fragile input to the nearest of the data with another answer: two scores, straight on every piece."""
    (row, start, found), (indices, points) = fragile, data
    answers = network(points.reshape(-1, *network.input_shape)).reshape(len(points), -1).argmax(axis=1)
    others = np.flatnonzero(answers != found.label)
    end, other, where = found.point, found.other, "to the nearest input with another answer"
    if len(others):
        k = others[np.linalg.norm(points[others] - start, axis=1).argmin()]
        end, other, where = points[k], int(answers[k]), f"to row {int(indices[k])}, the nearest looked at with another answer"
    far = float(np.linalg.norm(end - start))
    line = decompose(network, Segment(start, end))
    t = line.vertices[:, 0]
    way = start + t[:, None] * (end - start)
    scores = network(way.reshape(-1, *network.input_shape)).reshape(len(t), -1)
    caption = f"From row {row} {where}: {line.n_cells:,} pieces; no other answer before {at_least(found.lower, 4)}"
    section.figures.append(
        {
            "type": "lines",
            "kind": "exact",
            "caption": caption,
            "alt": f"Scores of {task.class_name(found.label)} and {task.class_name(other)} on a segment of length {far:.4g} with "
            f"{line.n_cells:,} affine pieces.",
            "x": (far * t).tolist(),
            "x_title": f"distance from row {row}",
            "y_title": "score",
            "log": False,
            "series": [
                {"name": f"score of {task.class_name(name)}", "y": scores[:, name].tolist()} for name in (found.label, other)
            ],
        }
    )
    if len(others):
        pictures = task.picture(start, f"row {row}", f"answer {task.class_name(found.label)}")
        pictures += task.picture(found.point, f"at {found.upper:.3g}", f"answer {task.class_name(found.other)}")
        pictures += task.picture(end, f"row {int(indices[k])}", f"answer {task.class_name(other)}, {far:.3g} away")
        if pictures:
            section.images("Both ends of that way, and between them the nearest input with another answer", "certified", pictures)


def _usual_distance(points: Array) -> float:
    """The median distance of an input to another one: a change that large is no small change."""
    apart = np.linalg.norm(points - np.roll(points, 1 + len(points) // 2, axis=0), axis=1)
    found = float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0
    return found
