"""The section on weights: how many are not zero, and which units the box of the data makes superfluous."""

from __future__ import annotations

import numpy as np

from plica._show import at_most
from plica.errors import PlicaError
from plica.report._model_section import Section
from plica.report._model_task import Task
from plica.sparse import compress

MOST_PARAMETERS = 2_000_000  # of a network that is compressed for a report


def weights(task: Task) -> Section:
    """Zeros among the weights, and what can go without changing the function on the box around the data."""
    section = Section(
        "weights",
        "Weights that are needed",
        "Zeros need not be stored, and units that the box around the data makes superfluous can be removed: on it the smaller "
        "network is the same function.",
        sources=["serra2020"],
    )
    rows = []
    for node in task.network.nodes:
        for label, array in node.op.arrays().items():
            if array.dtype.kind == "f" and array.ndim > 1:
                n = int(np.count_nonzero(array))
                rows.append([f"{node.name}, {label}", " × ".join(map(str, array.shape)), f"{n:,}", f"{n / array.size:.2%}"])
    if rows:
        section.table("Weights that are not zero", "exact", ["layer", "shape", "not zero", "share"], rows)
    if task.network.n_parameters > MOST_PARAMETERS:
        section.leave_out(f"Networks of more than {MOST_PARAMETERS:,} numbers are not compressed here; see plica compress.")
        return section
    points = np.asarray(task.points, dtype=np.float64).reshape(len(task.points), -1)
    try:
        found = compress(task.network, (points.min(axis=0), points.max(axis=0)))
    except PlicaError as error:
        section.remark(f"Not compressed: {error.message}")
        return section
    facts = found.to_dict()
    removed = ", ".join(f"{facts[name]} {name}" for name in ("dead", "constant", "unread", "merged", "folded") if facts[name])
    section.fact("units that are left", f"{found.network.n_neurons:,} of {found.original.n_neurons:,}", "certified")
    section.fact("removed", removed or "none", "certified")
    section.fact("numbers to store", f"{found.network.n_parameters:,} of {found.original.n_parameters:,}", "exact")
    section.fact("deviation anywhere on the box", f"at most {at_most(found.largest_error, 3)}", "certified")
    gone = found.original.n_neurons - found.network.n_neurons
    if gone:
        moved = f"no output moves by more than {at_most(found.largest_error, 2)}" if found.largest_error else "nothing changes"
        section.summarize(
            f"{gone:,} of {found.original.n_neurons:,} units can be removed: {moved} on the box around the data.",
            "certified",
            weight=6.5,
        )
    section.remark("plica compress writes the smaller network; on a smaller box more units can go.")
    return section
