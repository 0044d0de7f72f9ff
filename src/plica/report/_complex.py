"""The page of one complex: ``plica regions model --plot page.html``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from plica.errors import InvalidInput
from plica.report._charts import line_chart
from plica.report._frames import Fact, draw_frame
from plica.report._page import frames_data, render
from plica.report._svg import Canvas

if TYPE_CHECKING:
    from plica.geometry import Complex

MOST_CELLS = 40_000  # about 8 MB; browsers become slow beyond


def complex_page(cx: Complex, *, title: str, output: int = 0) -> str:
    """The whole page as a string: a viewer in the plane, a graph with its breakpoints on a line."""
    if cx.dimension == 2 and cx.n_cells > MOST_CELLS:
        raise InvalidInput(
            f"a page with {cx.n_cells:,} cells would be slow to open; the limit is {MOST_CELLS:,}.",
            hint="write a .png instead, or look at a smaller domain",
        )
    n_regions = cx.n_regions  # asked first: telling regions apart may need exact fallbacks of its own
    facts = (
        Fact("exact fallbacks", f"{cx.exact_fallbacks:,}"),
        Fact("slivers", f"{cx.n_slivers:,}"),
        Fact("time", f"{cx.seconds:.3f} s"),
    )
    widths = " → ".join(map(str, cx.network.widths))
    if cx.dimension == 1:
        return render("pieces.html.j2", title=title, widths=widths, facts=facts, n_pieces=n_regions, chart=_graph(cx, output))
    from plica.geometry import PlaneComplex

    if not isinstance(cx, PlaneComplex):
        raise InvalidInput(f"a page shows a line or a plane; this complex has dimension {cx.dimension}.")
    canvas = Canvas.around(cx.vertices)
    frame = draw_frame(cx, canvas, name="", facts=facts, output=output)
    return render(
        "complex.html.j2",
        title=title,
        widths=widths,
        canvas=canvas,
        description=f"{cx.n_cells} convex cells, colored by output {output} of the network in the middle of each.",
        frames=[frame],
        frames_data=frames_data([frame], n_neurons=cx.network.n_neurons),
        n_layers=len(cx.network.layers),
        points=Markup(""),
        scale_names=(f"output {output} below 0", "above 0"),
        variables=variables_of(cx),
    )


def variables_of(cx: Complex) -> tuple[str, str]:
    """What the two parameters are called: x, y in a square, u, v on a plane or where coordinates are fixed."""
    from plica.geometry import Box

    return ("x", "y") if isinstance(cx.domain, Box) and cx.domain.n_inputs == 2 else ("u", "v")


def _graph(cx: Complex, output: int) -> Markup:
    t = np.asarray(cx.vertices)[:, 0]
    order = np.argsort(t, kind="stable")
    marks = range(1, len(t) - 1) if len(t) <= 400 else ()
    return line_chart(
        t[order].tolist(),
        cx.outputs[order, output].tolist(),
        title=f"Output {output} along the domain, with its {len(t) - 2} breakpoints",
        marks=list(marks),
        from_zero=False,
        mark_radius=2.5,
    )
