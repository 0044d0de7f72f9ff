"""Small pictures that several claims share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from plica._palette import BOUND, FILLS, INK, MEASUREMENT, PREDICTION, REFERENCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.claims._row import Row
    from plica.geometry import Complex

Figure = Callable[["Axes"], None]


def draw_cells(ax: Axes, cx: Complex) -> None:
    """The cells of a plane complex, neighbors in different colors, with their edges."""
    from matplotlib.collections import PolyCollection

    colors: dict[int, int] = {}
    for i in range(cx.n_cells):  # greedy coloring
        taken = {colors.get(j) for j in cx.neighbors(i)}
        colors[i] = next(c for c in range(len(taken) + 1) if c not in taken)
    polygons = cx.cell_polygons()  # type: ignore[attr-defined]
    faces = [FILLS[colors[i] % len(FILLS)] for i in range(cx.n_cells)]
    ax.add_collection(PolyCollection(polygons, facecolors=faces, edgecolors=INK, linewidths=0.8, alpha=0.75))
    ax.autoscale_view()
    ax.set_aspect("equal")
    ax.set_axis_off()


def deviations(rows: Sequence[Row], name: str, *, only: Mapping[str, str] | None = None) -> Figure:
    """By how many percent measurements differ from what is printed, with the slack that its rounding leaves as a band."""
    chosen = [r for r in rows if r.slack and all(r.parameters.get(k) == v for k, v in (only or {}).items())]

    def draw(ax: Axes) -> None:
        for i, r in enumerate(chosen):
            ax.barh(i, 200 * (r.slack or 0), left=-100 * (r.slack or 0), height=0.7, color=FILLS[0], alpha=0.35)
        off = [100 * (float(r.measured) / float(r.predicted) - 1) for r in chosen]
        ax.plot(off, range(len(chosen)), "o", color=MEASUREMENT)
        ax.axvline(0, color=PREDICTION, linewidth=1)
        ax.set_yticks(range(len(chosen)), [f"{r.parameters[name]}: {_rounded(float(r.predicted))}" for r in chosen])
        ax.set_ylim(len(chosen) - 0.4, -0.6)
        ax.set_xlabel("counted, percent off the printed number")
        ax.spines[["top", "right", "left"]].set_visible(False)

    return draw


def shares(parts: Mapping[str, Mapping[str, float]], *, x: str) -> Figure:
    """What a whole is made of, in percent, one bar for each."""
    names = list(dict.fromkeys(name for inner in parts.values() for name in inner))

    def draw(ax: Axes) -> None:
        for i, inner in enumerate(parts.values()):
            left, total = 0.0, sum(inner.values())
            for name, color in zip(names, FILLS, strict=False):
                width = 100 * inner.get(name, 0) / total
                ax.barh(i, width, left=left, color=color, edgecolor=INK, linewidth=0.5, label=name if i == 0 else None)
                left += width
        ax.set_yticks(range(len(parts)), list(parts))
        ax.set_ylim(len(parts) - 0.4, -0.6)
        ax.set(xlim=(0, 100), xlabel=x)
        ax.legend(frameon=False, fontsize=8, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
        ax.spines[["top", "right", "left"]].set_visible(False)

    return draw


def sizes(counted: Mapping[str, float], printed: Mapping[str, float], *, x: str, wrong: Sequence[str] = ()) -> Figure:
    """Numbers of very different size as bars, with what is printed as ticks; a wrong print is a cross."""

    def draw(ax: Axes) -> None:
        names = list(counted)
        ax.barh(range(len(names)), list(counted.values()), height=0.55, color=FILLS[0], edgecolor=INK, linewidth=0.6)
        for i, name in enumerate(names):
            if name in printed:
                style = ("X", BOUND, "printed, wrong") if name in wrong else ("|", PREDICTION, "printed")
                ax.plot(printed[name], i, style[0], color=style[1], markersize=13 if style[0] == "|" else 8, markeredgewidth=2)
                ax.text(printed[name], i - 0.42, _rounded(printed[name]), ha="center", va="bottom", fontsize=8, color=INK)
        ax.set_xscale("log")
        everything = [*counted.values(), *printed.values()]
        ax.set_xlim(min(everything) / 4, max(everything) * 3)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.4, -0.8)
        ax.set_xlabel(x)
        ax.spines[["top", "right", "left"]].set_visible(False)

    return draw


def pairs_on_diagonal(rows: Sequence[Row], name: str, *, x: str, y: str, log: bool = True) -> Figure:
    """Measured against stated: on the diagonal where they agree; rows that contradict are crosses, a few with their names."""

    def draw(ax: Axes) -> None:
        ends = [f(float(v) for r in rows for v in (r.predicted, r.measured)) for f in (min, max)]
        ax.plot(ends, ends, color=REFERENCE, linewidth=1, zorder=1)
        for r in rows:
            style = ("o", MEASUREMENT) if r.holds else ("X", BOUND)
            ax.plot(float(r.predicted), float(r.measured), style[0], color=style[1])
            if not r.holds and sum(not other.holds for other in rows) <= 4:
                where = (float(r.predicted), float(r.measured))
                ax.annotate(str(r.parameters[name]), where, (-6, 4), textcoords="offset points", ha="right")
        scale = "log" if log else "linear"
        ax.set(xscale=scale, yscale=scale, xlabel=x, ylabel=y)
        ax.spines[["top", "right"]].set_visible(False)

    return draw


def beside_bounds(rows: Sequence[Row], name: str, *, x: str) -> Figure:
    """Each measurement with its error, and the side of its bound on which it must be."""

    def draw(ax: Axes) -> None:
        ends = [f(float(v) for r in rows for v in (r.predicted, r.measured)) for f in (min, max)]
        room = 0.25 * (ends[1] - ends[0]) or 1.0
        for i, r in enumerate(rows):
            stated, found = float(r.predicted), float(r.measured)
            if r.relation != "=":
                end = ends[1] + room if r.relation[0] == ">" else ends[0] - room
                ax.barh(i, end - stated, left=stated, height=0.7, color=FILLS[0], alpha=0.35)
            ax.plot(stated, i, "|", color=PREDICTION, markersize=18, markeredgewidth=2)
            ax.errorbar(found, i, xerr=2 * (r.standard_error or 0.0), fmt="o" if r.holds else "X", color=MEASUREMENT, capsize=3)
        ax.set_yticks(range(len(rows)), [str(r.parameters[name]) for r in rows])
        ax.set(xlim=(ends[0] - room, ends[1] + room), ylim=(len(rows) - 0.4, -0.6), xlabel=x)
        ax.spines[["top", "right", "left"]].set_visible(False)

    return draw


def _rounded(value: float) -> str:
    """A size as one says it: 1.6T, 11B, 65M."""
    for unit, sign in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if unit <= value < 1e15:
            return f"{value / unit:.3g}{sign}"
    return f"{value:.3g}"
