"""Figures of evidence: drawn on matplotlib axes, or as an SVG element for a page."""

from __future__ import annotations

import io
import re
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, INK, MEASUREMENT, PREDICTION, REFERENCE, on_any_paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from plica.claims._evidence import Evidence
    from plica.claims._row import Row


def draw(evidence: Evidence, ax: Axes | None = None) -> Axes:
    """The claim's own figure, or prediction against measurement."""
    ax = new_axes() if ax is None else ax
    if evidence.draw is not None:
        evidence.draw(ax)
    else:
        predicted_and_measured(evidence, ax)
    return ax


def new_axes(size: tuple[float, float] = (5.2, 3.4)) -> Axes:
    """Axes of a new figure that belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def predicted_and_measured(evidence: Evidence, ax: Axes) -> None:
    """Every row: the prediction as a bar's end, the measurement as a dot; rows that fail are crosses."""
    rows = [r for r in evidence.rows if isinstance(r.predicted, (Real, Fraction)) and isinstance(r.measured, (Real, Fraction))]
    if not rows:
        ax.text(
            0.5, 0.5, "nothing to draw: the rows are words", ha="center", va="center", transform=ax.transAxes, color=REFERENCE
        )
        ax.set_axis_off()
        return
    rows = rows[:: -(-len(rows) // 40)]
    x = range(len(rows))
    ax.plot(x, [_number(r.predicted) for r in rows], "_", color=PREDICTION, markersize=12, label="predicted")
    for holds, marker, color in ((True, "o", MEASUREMENT), (False, "X", BOUND)):
        chosen = [(i, _number(r.measured)) for i, r in enumerate(rows) if r.holds == holds]
        if chosen:
            label = "measured" if holds else "measured: contradicts"
            ax.plot(*zip(*chosen, strict=True), marker, color=color, markersize=5, label=label)
    for i, r in enumerate(rows):
        if r.standard_error is not None:
            ax.errorbar(i, _number(r.measured), yerr=2 * r.standard_error, color=MEASUREMENT, capsize=2, linewidth=1)
    values = [abs(_number(v)) for r in rows for v in (r.predicted, r.measured)]
    if min(values) > 0 and max(values) > 30 * min(values):
        ax.set_yscale("log")
    ax.set_xticks(list(x) if len(rows) <= 16 else [])
    if len(rows) <= 16:
        ax.set_xticklabels(
            [_label(r) for r in rows], rotation=45 if len(rows) > 5 else 0, ha="right" if len(rows) > 5 else "center"
        )
        ax.tick_params(axis="x", labelsize=7)
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)


def _label(r: Row) -> str:
    from plica.claims._values import show

    return ", ".join(f"{name}={show(value)}" for name, value in r.parameters.items())[:28]


def _number(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def svg(evidence: Evidence) -> str:
    """The figure as one ``<svg>`` element whose identifiers are its own."""
    import matplotlib

    name = evidence.claim.id if evidence.claim else "evidence"
    buffer = io.StringIO()
    style: dict[Any, Any] = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK)
    style |= {"svg.hashsalt": name, "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "axes.facecolor": "none"}
    with matplotlib.rc_context(style):
        ax = draw(evidence)
        figure: Figure = ax.get_figure(root=True)  # type: ignore[assignment, call-arg]
        figure.patch.set_alpha(0)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return on_any_paper(_embeddable(buffer.getvalue(), name, f"figure of claim {name}"))


def _embeddable(text: str, prefix: str, title: str) -> str:
    """Without prolog and metadata, with identifiers that no other figure on the page has."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\b(id=")', rf"\g<1>{prefix}-", text)
    text = re.sub(r"url\(#", f"url(#{prefix}-", text)
    text = re.sub(r'((?:xlink:)?href="#)', rf"\g<1>{prefix}-", text)
    return re.sub(r"^<svg ", f'<svg role="img" aria-label="{title}" ', text).strip()
