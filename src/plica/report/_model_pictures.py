"""The section on what a network looks for: first filters, inputs that outputs like best, reconstructions."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded, InvalidDomain, PlicaError
from plica.geometry import BoundedComplex, Box, Budget, decompose
from plica.measure import extremes
from plica.network import Network
from plica.report._model_latent import generator_of, latent_plane
from plica.report._model_section import Section
from plica.report._model_task import Task
from plica.robust import maximizing_input

MOST_UNITS = 1500  # of a network whose largest outputs are searched for
MOST_INPUTS = 2  # of a network whose box is cut into cells instead
MOST_CELLS = 60_000
MOST_OUTPUTS = 10
MOST_FILTERS = 40
MOST_POINTS = 2000  # whose outputs are compared
FEW = 6  # inputs whose values are printed
SHOWN = 8


WANTED = (
    "The inputs of the data's box at which outputs are largest: how large they are there, and what no input exceeds, by proof."
)
LEFT = "The first filters, and what is left of data after the way through the network."
MADE = "Every picture that it makes of two latent variables, and how much of the space of pictures each cell becomes."


def pictures(task: Task) -> Section:
    """First filters, what outputs want, or what a generator or an autoencoder makes."""
    network, shape = task.network, task.image_shape
    made = generator_of(task)
    if shape is not None and network.n_outputs == network.n_inputs:
        section = Section("pictures", "What is left of the data", LEFT)
        _filters(section, network, shape)
        _reconstructions(section, task, shape)
    elif made is None:
        section = Section("pictures", "What it looks for", WANTED, sources=["erhan2009"])
        _filters(section, network, shape)
        _wanted(section, task, shape)
    else:
        section = Section("pictures", "What it makes", MADE)
    if made is not None:
        latent_plane(section, task, made)
    return section


def first_filters(network: Network, shape: tuple[int, int, int] | None) -> Array | None:
    """Weights of the first layer as pictures (units, channels, rows, columns); None if they are none."""
    for node in network.nodes:
        weight = node.op.arrays().get("weight")
        if weight is None or weight.dtype.kind != "f":
            continue
        weight = np.asarray(weight, dtype=float)
        if node.op.kind == "conv" and weight.ndim == 4 and min(weight.shape[2:]) > 1:
            return weight
        if node.op.kind == "linear" and shape is not None and weight.shape[1] == prod(shape):
            return weight.reshape(len(weight), *shape)
        return None
    return None


def _filters(section: Section, network: Network, shape: tuple[int, int, int] | None) -> None:
    found = first_filters(network, shape)
    if found is None:
        return
    chosen = np.argsort(-np.square(found).sum(axis=(1, 2, 3)), kind="stable")[:MOST_FILTERS]
    tiles = [picture for unit in np.sort(chosen) for picture in found[unit][: 1 if found.shape[1] > 3 else None]]
    size = f"{found.shape[2]} x {found.shape[3]}"
    which = "all" if len(chosen) == len(found) else f"the {len(chosen)} largest of"
    channels = f", one below the other for {found.shape[1]} channels" if 1 < found.shape[1] <= 3 else ""
    channels = channels or (f", the first of {found.shape[1]} channels" if found.shape[1] > 3 else "")
    depth = found.shape[1] if found.shape[1] <= 3 else 1
    section.figures.append(
        tiles_figure(
            [tiles[k::depth] for k in range(depth)],
            signed=True,
            kind="exact",
            caption=f"First filters of {size} weights, {which} {len(found):,}{channels}. Blue is negative, orange positive, each "
            "filter on its own scale.",
        )
    )
    section.fact("first filters", f"{len(found):,} of {size} weights", "exact")


def _wanted(section: Section, task: Task, shape: tuple[int, int, int] | None) -> None:
    network = task.network
    if network.n_neurons > MOST_UNITS:
        section.leave_out(
            f"Largest outputs are searched for in networks with at most {MOST_UNITS:,} units; see maximizing_input."
        )
        return
    points = np.asarray(task.points, dtype=np.float64)
    box = Box(points.min(axis=0), points.max(axis=0))
    cx = _cells(network, box)
    n = min(network.n_outputs, MOST_OUTPUTS)
    on_data = _outputs(network, points[:MOST_POINTS]).max(axis=0)
    rows: list[list[str]] = []
    images: list[Any] = []
    for k in range(n):
        if task.is_late and rows:
            section.is_complete = False
            section.remark(f"Time was over after {len(rows)} of {network.n_outputs} outputs.")
            break
        task.progress(f"output {k + 1} of {n}")
        seconds = max(0.2, task.seconds_left / (n - k))
        try:
            found = _searched(task, box, k, seconds) if cx is None else _at_a_vertex(cx, k)
        except PlicaError as error:
            section.is_complete = False
            section.remark(f"Not searched: {error.message}")
            break
        where = [f"({', '.join(f'{v:.4g}' for v in np.ravel(found.point))})"] if network.n_inputs <= FEW else []
        rows.append(
            [task.output_name(k).removeprefix("output "), f"{on_data[k]:.5g}", f"{found.value:.5g}", f"{found.upper:.5g}", *where]
        )
        images.append(found.point)
        section.is_complete &= found.is_closed
    section.table(
        "The largest value of each output on the box around the data", "certified",
        ["output", "largest on the data", "attained in the box", "nowhere above", *["where"][: network.n_inputs <= FEW]], rows,
    )  # fmt: skip
    if shape is not None and images:
        channels = [np.asarray(x, dtype=float).reshape(shape) for x in images]
        section.figures.append(
            tiles_figure(
                [[image[c] for image in channels] for c in range(min(shape[0], 3))],
                signed=False,
                kind="certified",
                caption=f"What {_first(task, len(images))}: the inputs of the box with the values of the table.",
            )
        )


def _first(task: Task, n: int) -> str:
    """So many of the outputs want something."""
    return f"{task.output_name(0)} wants" if n == 1 else f"{task.output_name(0)} to {task.output_name(n - 1)} want"


def _cells(network: Network, box: Box) -> BoundedComplex | None:
    """The complex over a box of few inputs, whose vertices hold the largest values; None where it is too large."""
    if network.n_inputs > MOST_INPUTS:
        return None
    try:
        return decompose(network, box, budget=Budget(max_cells=MOST_CELLS))
    except (InvalidDomain, BudgetExceeded):
        return None


class _Largest(NamedTuple):
    """The largest value of an output: attained at a point, proved from above."""

    point: Array
    value: float
    upper: float
    is_closed: bool


def _at_a_vertex(cx: BoundedComplex, output: int) -> _Largest:
    top = extremes(cx, output=output).maximum
    return _Largest(top.point, float(top), float(top), True)


def _searched(task: Task, box: Box, output: int, seconds: float) -> _Largest:
    found = maximizing_input(task.network, box, output=output, tolerance=1e-2, timeout_s=seconds, seed=task.seed)
    return _Largest(found.point, found.value, found.upper, found.is_closed)


def _outputs(network: Network, points: Array) -> Array:
    return np.concatenate([network(part).reshape(len(part), -1) for part in np.array_split(points, -(-len(points) // 500))])


def _reconstructions(section: Section, task: Task, shape: tuple[int, int, int]) -> None:
    """Data above what the network makes of them."""
    given = task.rows(SHOWN, 90)
    made = _outputs(task.network, given)
    lost = np.square(made - given).sum() / max(float(np.square(given - given.mean(axis=0)).sum()), 1e-300)
    section.fact("squared error over the variance, of the inputs shown", f"{lost:.3g}", "estimated")
    section.figures.append(
        tiles_figure(
            [[x.reshape(shape)[0] for x in part] for part in (given, made)],
            signed=False,
            kind="estimated",
            caption=f"{len(given)} inputs, and below what the network makes of them.",
        )
    )


def tiles_figure(rows: list[list[Array]], *, signed: bool, kind: str, caption: str) -> dict[str, Any]:
    """Pictures beside each other as plain data: whole numbers from 0 to 255, 128 for zero where values are signed."""
    lines = []
    for row in rows:
        line = []
        for picture in row:
            values = np.asarray(picture, dtype=float)
            if signed:
                scaled = 128 + 127 * values / max(float(np.abs(values).max()), 1e-300)
            else:
                scaled = 255 * (values - values.min()) / max(float(np.ptp(values)), 1e-300)
            line.append(scaled.round().astype(int).tolist())
        lines.append(line)
    return {"type": "tiles", "kind": kind, "caption": caption, "alt": caption, "signed": signed, "rows": lines}
