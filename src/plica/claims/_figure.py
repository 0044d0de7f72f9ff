"""Figures of evidence: drawn on matplotlib axes, or as an SVG element for a page."""

from __future__ import annotations

import inspect
import io
import re
import textwrap
from collections.abc import Callable
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, INK, MEASUREMENT, ON_AREA, PREDICTION, REFERENCE, on_any_paper
from plica.claims._values import show

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from plica.claims._evidence import Evidence
    from plica.claims._row import Row

SIZE = (4.4, 3.1)  # inches: letters of 10 points are read on a phone, where the figure is 340 pixels wide
MOST_LINES = 14
LONGEST_LABEL = 26
LETTERS_PER_INCH = 11.5


def draw(evidence: Evidence, ax: Axes | None = None) -> Axes:
    """The claim's own figure, or prediction against measurement."""
    ax = new_axes() if ax is None else ax
    if evidence.draw is not None:
        evidence.draw(ax)
    else:
        predicted_and_measured(evidence, ax)
    _break_labels(ax)
    for each in all_axes(ax.get_figure(root=True)):  # type: ignore[arg-type, call-arg]
        _thin(each)
        _keep_letters(each)
    return ax


def _break_labels(ax: Axes) -> None:
    """Names of axes that would be cut off at the border of the picture go on in a second line."""
    width, height = ax.get_figure(root=True).get_size_inches()  # type: ignore[union-attr, call-arg]
    for label, inches in ((ax.xaxis.label, width), (ax.yaxis.label, height)):
        words = label.get_text()
        if len(words) > LETTERS_PER_INCH * inches and "$" not in words and "\n" not in words:
            label.set_text(textwrap.fill(words, -(-len(words) // 2) + 4))


def _keep_letters(ax: Axes) -> None:
    """Letters on an image stay dark or light with what they stand on, whatever the paper is."""
    for text in ax.texts if ax.images else ():
        if text.get_transform() is ax.transData and text.get_color() == INK:
            text.set_color(ON_AREA["light"])


def all_axes(figure: Figure) -> list[Axes]:
    """Those of a figure, each followed by those drawn inside of it."""

    def with_inner(ax: Axes) -> list[Axes]:
        return [ax, *(inner for child in ax.child_axes for inner in with_inner(child))]  # type: ignore[arg-type]

    return [each for ax in figure.axes for each in with_inner(ax)]


def _thin(ax: Axes) -> None:
    """Numbers on logarithmic axes that do not run into each other: powers of ten, or 1, 2 and 5 where there are few of those."""
    from matplotlib.ticker import LogFormatter, LogLocator, NullFormatter

    for axis in (ax.xaxis, ax.yaxis):
        if axis.get_scale() != "log" or not isinstance(axis.get_minor_formatter(), LogFormatter):
            continue  # a figure that chose its own ticks keeps them
        axis.set_minor_formatter(NullFormatter())
        low, high = sorted(axis.get_view_interval())
        if 0 < low and high < 100 * low and isinstance(axis.get_major_locator(), LogLocator):
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter(lambda value, place: f"{value:g}")


def caption(drawn: Callable[[Axes], None] | None) -> str:
    """What a figure shows: the first paragraph of the words of the function that draws it.

    A function made inside of another one is described by the outer one.
    """
    function: Any = getattr(drawn, "func", drawn) or predicted_and_measured
    words = inspect.getdoc(function)
    if not words:
        outer = getattr(function, "__qualname__", "").partition(".")[0]
        words = inspect.getdoc(getattr(inspect.getmodule(function), outer, None)) if outer else None
    return " ".join((words or "").partition("\n\n")[0].split())


def new_axes(size: tuple[float, float] = SIZE) -> Axes:
    """Axes of a new figure that belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def numbers_of(evidence: Evidence) -> list[Row]:
    """The rows that compare two finite numbers."""
    kinds = (Real, Fraction)
    return [r for r in evidence.rows if isinstance(r.predicted, kinds) and isinstance(r.measured, kinds)]


def predicted_and_measured(evidence: Evidence, ax: Axes) -> None:
    """Every row on a line of its own: the prediction as a tick, the measurement as a dot; rows that fail are crosses."""
    rows = numbers_of(evidence)
    if not rows:
        ax.text(
            0.5, 0.5, "nothing to draw: the rows are words", ha="center", va="center", transform=ax.transAxes, color=REFERENCE
        )
        ax.set_axis_off()
        return
    rows = rows[:: -(-len(rows) // MOST_LINES)]
    y = range(len(rows))
    for i, r in enumerate(rows):
        ax.plot([_number(r.predicted), _number(r.measured)], [i, i], color=REFERENCE, linewidth=1, zorder=1)
    ax.plot([_number(r.predicted) for r in rows], y, "|", color=PREDICTION, markersize=12, markeredgewidth=2, label="predicted")
    for holds, marker, color in ((True, "o", MEASUREMENT), (False, "X", BOUND)):
        chosen = [(_number(r.measured), i) for i, r in enumerate(rows) if r.holds == holds]
        if chosen:
            label = "measured" if holds else "measured: contradicts"
            ax.plot(*zip(*chosen, strict=True), marker, color=color, markersize=5, label=label)
    for i, r in enumerate(rows):
        if r.standard_error is not None:
            ax.errorbar(_number(r.measured), i, xerr=2 * r.standard_error, color=MEASUREMENT, capsize=2, linewidth=1)
    values = [abs(_number(v)) for r in rows for v in (r.predicted, r.measured)]
    if min(values) > 0 and max(values) > 30 * min(values):
        ax.set_xscale("log")
    names = _varying(rows)
    ax.set_yticks(list(y), [_label(r, names) for r in rows])
    ax.set_ylim(len(rows) - 0.5, -0.7)
    ax.set_title(", ".join(name.replace("_", " ") for name in names), loc="left", fontsize="medium", color=REFERENCE)
    ax.set_xlabel("value, predicted and measured")
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=3)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _varying(rows: list[Row]) -> list[str]:
    """The parameters in which rows differ, at most three."""
    names = list(dict.fromkeys(name for r in rows for name in r.parameters))
    return [name for name in names if len({str(r.parameters.get(name)) for r in rows}) > 1 or len(rows) == 1][:3]


def _label(r: Row, names: list[str]) -> str:
    text = ", ".join(show(r.parameters[name]) for name in names if name in r.parameters)
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


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
    style |= {
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 10,
        "axes.facecolor": "none",
    }
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
