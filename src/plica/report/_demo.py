"""The page of ``plica demo``: a network learns, and its regions are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.report._charts import line_chart
from plica.report._frames import Fact, draw_frame, draw_layers
from plica.report._page import frames_data, render
from plica.report._svg import Canvas, points_svg

if TYPE_CHECKING:
    from plica.geometry import PlaneComplex


@dataclass(frozen=True)
class Moment:
    """The network after some epochs. ``complex`` is kept for the moments that are drawn."""

    epoch: int
    loss: float
    accuracy: float
    n_regions: int
    n_cells: int
    complex: PlaneComplex | None = None


@dataclass(frozen=True)
class Command:
    """A command to try next and what it is for."""

    line: str
    why: str


def demo_page(moments: Sequence[Moment], points: Array, labels: Array, *, commands: Sequence[Command] = ()) -> str:
    """The whole page as a string. At least the last moment must have its complex."""
    drawn = [m for m in moments if m.complex is not None]
    last = drawn[-1].complex
    assert last is not None
    canvas = Canvas.around(last.vertices)
    reach = 0.6 * float(np.median(np.abs(last.outputs))) or 1.0  # the value half way to full color
    frames = [
        draw_frame(
            m.complex,
            canvas,
            name=f"epoch {m.epoch}",
            facts=[Fact("loss", f"{m.loss:.4f}"), Fact("accuracy", f"{m.accuracy:.1%}")],
            shade=lambda f: f / (np.abs(f) + reach),
        )
        for m in drawn
        if m.complex is not None
    ]
    epochs = [m.epoch for m in moments]
    marks = [epochs.index(m.epoch) for m in drawn]
    widths = last.network.widths
    return render(
        "demo.html.j2",
        architecture=" + ".join(map(str, widths[1:-1])),
        canvas=canvas,
        commands=commands,
        description=(
            f"The square is divided into {last.n_cells} convex cells, colored by the output of the network: blue where it says "
            f"first spiral, orange where it says second. A thick line, the decision boundary, runs between the spirals."
        ),
        every=epochs[1] - epochs[0] if len(epochs) > 1 else 1,
        fallbacks=f"{last.exact_fallbacks:,}",
        frames=frames,
        frames_data=frames_data(frames, n_neurons=last.network.n_neurons),
        layers=draw_layers(last, canvas),
        loss_chart=line_chart(epochs, [m.loss for m in moments], title="Loss by epoch", marks=marks, log=True),
        n_boundary=len(last.decision_boundary()),
        points=points_svg(points, labels, canvas),
        regions_chart=line_chart(epochs, [m.n_regions for m in moments], title="Number of regions by epoch", marks=marks),
    )
