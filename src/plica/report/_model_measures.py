"""Sections that measure: lengths, Jacobians, Lipschitz constants, dimension, and the bounds of theory."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from plica._show import at_most
from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import Segment
from plica.measure import jacobian, lipschitz_upper_bounds, trajectory_length
from plica.network import Network
from plica.report._model_section import Section, counted, spread
from plica.report._model_task import Task, longest
from plica.theory import regions

MOST_INPUTS = 4096  # of a network whose Jacobian is written out
MOST_DIGITS = 10**15  # of a bound that is written out
EVERYWHERE = "in the whole input space"


def lengths(task: Task) -> Section:
    """Trajectory length by layer, and what independent states would give."""
    section = Section(
        "lengths",
        "Length of a line as it passes the layers",
        "Layers that stretch lines make the output sensitive; the prediction is for directions and states of units "
        "drawn at random, as in the mean-field theory of random networks.",
        sources=["raghu2017", "price2019", "poole2016"],
    )
    if task.is_one_point:
        section.remark("All points of the data are equal.")
        return section
    growth: list[Array] = []
    least = 1.0
    pairs = task.groups(2, 16, same=False, key=40) or task.groups(2, 16, same=True, key=40)
    for i, pair in enumerate(pairs):
        if task.is_late and growth:
            break
        task.progress(f"line {i + 1} of {len(pairs)}")
        a, b = np.asarray(task.points[pair], dtype=float)
        stop = time.perf_counter() + task.seconds_left / 2
        found = longest(task.network, lambda s, a=a, b=b: trajectory_length(task.network, Segment(a, a + s * (b - a))), stop)  # type: ignore[misc]
        if found is not None:
            line, share = found
            least = min(least, share)
            growth.append(np.append(line.growth, line.output / line.input))
    if not growth:
        section.is_complete = False
        section.remark("No line was finished in the budget.")
        return section
    if least < 1:
        section.cut(f"Some lines are the first part of the way between two points, {least:.2%} or more of it.")
    measured = np.array(growth)
    predicted = mean_field_growth(task.network, task.rows(64, 41), task.rng(42))
    names = [f"layer {i}" for i in range(measured.shape[1] - 1)] + ["output"]
    rows = [[n, spread(m), spread(p)] for n, m, p in zip(names, measured.T, predicted.T, strict=True)]
    section.table(
        f"Length after the layer over length of the line, mean ± standard error over {counted(len(measured), 'line')} between "
        f"data (each exact up to rounding) and over {len(predicted)} draws of states",
        "estimated",
        ["after", "measured", "mean-field prediction"],
        rows,
    )
    section.figures.append(
        {
            "type": "lines",
            "kind": "estimated",
            "caption": "Length relative to the input",
            "alt": f"Lengths after each layer: measured {', '.join(f'{v:.3g}' for v in measured.mean(axis=0))}; "
            f"predicted {', '.join(f'{v:.3g}' for v in predicted.mean(axis=0))}.",
            "x": list(range(len(names))),
            "x_title": "after",
            "y_title": "length / length of the input",
            "x_names": names,
            "log": True,
            "series": [
                {"name": "measured", "y": measured.mean(axis=0).tolist()},
                {"name": "mean-field prediction", "y": predicted.mean(axis=0).tolist()},
            ],
        }
    )
    return section


def mean_field_growth(network: Network, points: Array, rng: np.random.Generator) -> Array:
    """How much random directions grow, layer by layer, when states are shuffled among the units of each layer."""
    result = []
    for x in points:
        states = [np.asarray(s) for s in network.pattern(x)]
        v = rng.standard_normal(network.n_inputs)
        ends = np.stack([v, np.zeros_like(v)]).reshape(2, *network.input_shape)
        shuffled = [rng.permutation(s.reshape(-1)).reshape(s.shape) for s in states]
        tensors = network.tensors(ends, pattern=shuffled)
        norms = [np.linalg.norm(tensors[i][0] - tensors[i][1]) for i in (*network.layers, -1)]
        result.append(np.array(norms) / np.linalg.norm(v))
    return np.array(result)


def jacobians(task: Task) -> Section:
    """Singular values of the Jacobian at data, and bounds of the Lipschitz constant."""
    section = Section(
        "jacobians",
        "Jacobian spectrum and Lipschitz bounds",
        "The largest singular value is how much the network can stretch a small change at the point; no change is stretched "
        "more than the upper bound.",
        sources=["pennington2017"],
    )
    upper = lipschitz_upper_bounds(task.network)[-1]
    section.fact("Lipschitz constant, at most", at_most(upper, 4), "certified")
    if task.network.n_inputs > MOST_INPUTS:
        section.leave_out(f"Jacobians are written out for networks with at most {MOST_INPUTS:,} inputs.")
        return section
    spectra: list[Array] = []
    points = task.rows(40, 50)
    for i, x in enumerate(points):
        if task.is_late and spectra:
            section.cut(f"The budget was enough for {i} of {len(points)} points.")
            break
        task.progress(f"Jacobian {i + 1} of {len(points)}")
        spectra.append(jacobian(task.network, x).singular_values)
    values = np.array(spectra)
    largest = values[:, 0]
    section.fact("Lipschitz constant, at least (largest Jacobian found)", f"{largest.max():.4g}", "estimated")
    section.fact("largest singular value at data", spread(largest), "estimated")
    section.summarize(
        f"Its Lipschitz constant is between {largest.max():.4g} (found at a point) and {at_most(upper, 4)} (proved).",
        "certified",
        weight=4.4,
    )
    rank = (values > 1e-9 * np.maximum(largest[:, None], 1e-300)).sum(axis=1)
    ranks = f"{rank.min()}" if rank.min() == rank.max() else f"{rank.min()} to {rank.max()}"
    section.fact("rank of the Jacobian", ranks, "estimated")
    shown = values[:, :60]
    if shown.shape[1] < 2:  # of one output: the number above is all
        return section
    curves: list[tuple[str, Callable[..., Array]]] = [("median", np.median), ("smallest", np.min), ("largest", np.max)]
    if len(shown) == 1:
        curves = [("singular value", np.median)]
    section.figures.append(
        {
            "type": "lines",
            "kind": "estimated",
            "caption": f"Singular values at {counted(len(values), 'data point')}, in decreasing order",
            "alt": f"Median singular values: {', '.join(f'{v:.3g}' for v in np.median(shown, axis=0)[:8])} and so on.",
            "x": list(range(1, shown.shape[1] + 1)),
            "x_title": "place in decreasing order",
            "y_title": "singular value",
            "log": True,
            "series": [{"name": name, "y": curve(shown, axis=0).tolist()} for name, curve in curves],
        }
    )
    return section


def dimensions(task: Task) -> Section:
    """Intrinsic dimension of the data and of each layer's representation."""
    from plica.dimension import MLE, HeinAudibert, TwoNN, bootstrap

    section = Section(
        "dimensions",
        "Intrinsic dimension, layer by layer",
        "The number of directions in which the data vary near a point: a network that has learned to tell classes apart usually "
        "lowers it.",
        sources=["hein2005", "levina2004", "facco2017", "ansuini2019"],
    )
    if task.stands_in:
        section.remark("No data were given: the dimension is that of standard normal points.")
    rows: list[list[str]] = []
    curves: dict[str, list[float]] = {"MLE": [], "TwoNN": []}
    names = ["data", *(f"layer {i}" for i in range(len(task.network.layers)))]
    n_most = int(np.clip(1e7 / (task.network.n_neurons + task.network.n_inputs), 200, 1500))
    tensors = _representations(task, task.rows(n_most, 60))
    if task.is_late:  # the estimates below cost the square of the number of points
        tensors = [X[:200] for X in tensors]
    n = len(tensors[0])
    if n < 50:
        section.remark(f"{n} points are too few; give at least 50.")
        return section
    for i, name in enumerate(names):
        task.progress(f"dimension of {name}")
        X = tensors[i]
        cells = [name, f"{X.shape[1]:,}"]
        for label, estimator in (("MLE", MLE()), ("TwoNN", TwoNN())):
            try:
                found = bootstrap(estimator, X, method="points", n_resamples=50, seed=task.seed)
                cells.append(f"{found.dimension:.2f} ± {found.standard_error:.2f}")
                curves[label].append(found.dimension)
            except InvalidInput:
                cells.append("none")
                curves[label].append(float("nan"))
        try:
            cells.append(f"{HeinAudibert(max_dimension=60).fit(X).dimension_:.0f}" if i == 0 else "")
        except InvalidInput:
            cells.append("none")
        rows.append(cells)
    section.table(
        f"Of {n:,} points, ± standard error of a bootstrap over points (seed {task.seed})",
        "estimated",
        ["representation", "coordinates", "MLE (20 neighbors)", "TwoNN", "Hein–Audibert"],
        rows,
    )
    first, last = curves["TwoNN"][0], curves["TwoNN"][-1]
    if not task.stands_in and np.isfinite([first, last]).all():
        section.summarize(
            f"The data vary in about {first:.1f} directions (TwoNN), their representation in the last layer in {last:.1f}.",
            "estimated",
            weight=4.5,
        )
    if not np.isfinite([*curves["MLE"], *curves["TwoNN"]]).any():
        section.remark("The points are too few different ones for an estimate.")
        return section
    section.figures.append(
        {
            "type": "lines",
            "kind": "estimated",
            "caption": "Intrinsic dimension by layer",
            "alt": "; ".join(f"{k}: {', '.join(f'{v:.1f}' if np.isfinite(v) else 'none' for v in y)}" for k, y in curves.items()),
            "x": list(range(len(rows))),
            "x_title": "representation",
            "y_title": "dimension",
            "x_names": names[: len(rows)],
            "log": False,
            "series": [{"name": k, "y": y} for k, y in curves.items()],
        }
    )
    return section


def _representations(task: Task, points: Array) -> list[Array]:
    """The points and the activations of every layer, for as many points as the time allows."""
    network = task.network
    kept: list[list[Array]] = [[] for _ in range(len(network.layers) + 1)]
    for start in range(0, len(points), 50):
        if task.is_late and start >= 200:
            break
        task.progress(f"activations of points {start} to {min(start + 50, len(points))} of {len(points)}")
        block = points[start : start + 50]
        values = network.tensors(block.reshape(len(block), *network.input_shape))
        for layer, node in enumerate((0, *network.layers)):
            kept[layer].append(values[node].reshape(len(block), -1))
    return [np.concatenate(blocks) for blocks in kept]


def bounds(task: Task) -> Section:
    """What theory says about the number of cells, for this architecture."""
    section = Section(
        "bounds",
        "Bounds on the number of regions",
        "No network of this shape has more cells than the upper bounds; on planes and lines through data it usually "
        "has far fewer.",
    )
    from plica.claims import show

    net = task.network
    is_rectified = all(op.folds_once for op in net.folds)
    is_chain = all(node.inputs == (i,) for i, node in enumerate(net.nodes[1:]))
    table: dict[str, dict[str, str]] = {}
    for where, n_inputs in (("on a line", 1), ("on a plane", 2), (EVERYWHERE, net.n_inputs)):
        widths = (n_inputs, *net.widths[1:])
        if len({1, 2} & {n_inputs}) and n_inputs > net.n_inputs:
            continue
        if not is_rectified or (n_inputs > 2 and net.n_neurons * n_inputs > 200_000):
            continue
        task.progress(f"bounds {where}")
        for bound in regions.bounds(widths):
            if bound.kind != "upper" or not (is_chain or bound.needs == "rectifiers in any graph"):
                continue
            if "ReLU" in bound.needs and not all(op.is_relu for op in net.folds):
                continue
            table.setdefault(bound.name, {})[where] = f"{bound.value:,}" if bound.value < MOST_DIGITS else show(bound.value)
            section.sources += [bound.source] if bound.source and bound.source not in section.sources else []
    places = list(dict.fromkeys(where for row in table.values() for where in row))
    rows = [[name, *(row.get(where, "") for where in places)] for name, row in table.items()]
    section.table("Upper bounds of the number of cells", "certified", ["bound", *places], rows)
    if not rows:
        section.remark("The table is for networks of rectifiers; this one has other folds.")
    elif EVERYWHERE not in places:
        section.remark(
            "For the whole input space of a network of this size the bounds have thousands of digits and are left out."
        )
    if not is_chain:
        section.remark("The graph is no chain: only bounds for any graph are shown.")
    return section
