"""The page of a training: its regions frame by frame, its loss and what else was seen, in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from plica._types import Array
from plica.errors import InvalidInput
from plica.report._charts import line_chart
from plica.report._complex import MOST_CELLS, variables_of
from plica.report._frames import Fact, draw_frame
from plica.report._page import frames_data, render
from plica.report._svg import Canvas, points_svg

if TYPE_CHECKING:
    from plica.learn import Fit, Regions


def training_page(
    found: Fit, *, title: str = "A training", points: Array | None = None, labels: Array | None = None, output: int = 0
) -> str:
    """The whole page as a string: frames that play, and curves of the history.

    Parameters
    ----------
    found
        What :func:`plica.learn.fit` returned, with a probe ``Regions(domain=..., keep=True)`` of the plane.
    title
        Of the page.
    points, labels
        Data to draw over the regions, where the domain is a box of the plane.
    output
        The output that colors the cells.
    """
    from plica.geometry import PlaneComplex

    probe = _kept(found)
    frames = [(epoch, cx) for _, epoch, cx in probe.frames if isinstance(cx, PlaneComplex)]
    n_cells = sum(cx.n_cells for _, cx in frames)
    if n_cells > MOST_CELLS:
        raise InvalidInput(
            f"a page with {n_cells:,} cells in {len(frames)} frames would be slow to open; the limit is {MOST_CELLS:,}.",
            hint="look less often: Regions(..., every=10), or write a GIF: plica.plot.animate_regions",
        )
    last = frames[-1][1]
    canvas = Canvas.around(last.vertices)
    reach = 0.6 * float(np.median(np.abs(last.outputs[:, output]))) or 1.0
    by_epoch = {row["epoch"]: row for row in found.history if row.get("loss") is not None}
    drawn = [
        draw_frame(
            cx, canvas, name=f"epoch {epoch}", facts=_facts(by_epoch.get(epoch, {})), output=output,
            shade=lambda f: f / (np.abs(f) + reach),
        )
        for epoch, cx in frames
    ]  # fmt: skip
    data = Markup("") if points is None else points_svg(points, np.zeros(len(points)) if labels is None else labels, canvas)
    return render(
        "training.html.j2",
        title=title,
        widths=" → ".join(map(str, last.network.widths)),
        stopped=found.stopped,
        canvas=canvas,
        description=f"{len(drawn)} frames; the last one has {last.n_cells} cells, colored by output {output} of the network.",
        frames=drawn,
        frames_data=frames_data(drawn, n_neurons=last.network.n_neurons),
        n_layers=len(last.network.layers),
        points=data,
        scale_names=(f"output {output} below 0", "above 0"),
        variables=variables_of(last),
        charts=_charts(found),
    )


def _kept(found: Fit) -> Regions:
    from plica.learn import Regions

    for probe in found.probes:
        if isinstance(probe, Regions) and probe.frames and probe.frames[0][2].dimension == 2:
            return probe
    raise InvalidInput(
        "this training kept no regions of a plane.", hint="probes=[Regions(domain=plica.Box([-1, -1], [1, 1]), keep=True)]"
    )


def _facts(row: dict[str, Any]) -> list[Fact]:
    names = [name for name in ("loss", "accuracy", "validation_accuracy", "test_accuracy") if row.get(name) is not None]
    return [Fact(name.replace("_", " "), f"{row[name]:.4g}") for name in names]


def _charts(found: Fit) -> list[tuple[str, Markup]]:
    """A curve for each column that has at least two numbers."""
    charts = []
    for name in found.history.columns:
        if name in ("step", "epoch", "rate"):
            continue
        x, y = found.history.curve(name)
        if len(x) > 1 and np.isfinite(y).all():
            label = name.replace("_", " ")
            charts.append(
                (
                    f"{label} by step",
                    line_chart(x, y, title=f"{label} by step", marks=[], log=name.endswith("loss") and min(y) > 0),
                )
            )
    return charts
