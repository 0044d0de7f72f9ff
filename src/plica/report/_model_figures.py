"""Figures of a report from plain data to SVG; every text is escaped here."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, log10
from typing import Any

import numpy as np
from markupsafe import Markup

from plica.report._charts import log_ticks, round_ticks
from plica.report._latent import draw_latent
from plica.report._svg import number
from plica.report._tiles import draw_tiles

WIDTH, HEIGHT = 460.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 76.0, 24.0, 14.0, 50.0
MOST_MARKED = 60  # points of a curve that answer the pointer
MARGINS = 164.0, 34.0, 24.0, 106.0  # left, right, top, bottom of a plane, where its axes are
#: How curves are told apart without color; the page's legend has the same.
DASHES = ("", "6 4", "2 3", "9 3 2 3")


def draw(figure: dict[str, Any]) -> Markup:
    """The SVG of a figure of a :class:`plica.report._model_section.Section`."""
    kinds: dict[str, Callable[[dict[str, Any]], Markup]] = {
        "plane": _plane,
        "lines": _lines,
        "histogram": _histogram,
        "strip": _strip,
        "images": _images,
        "tiles": draw_tiles,
        "latent": draw_latent,
    }
    return kinds[figure["type"]](figure)


def _images(figure: dict[str, Any]) -> Markup:
    pictures = Markup("").join(
        Markup('<li><img src="{}" alt="{}"><b>{}</b> <span>{}</span></li>').format(
            p["src"], p["name"], p["name"], p.get("note", "")
        )
        for p in figure["images"]
    )
    return Markup('<ul class="images">{}</ul>').format(pictures)


def _plane(figure: dict[str, Any]) -> Markup:
    width, height = figure["width"], figure["height"]
    cells = Markup("").join(
        Markup('<path class="{}" d="{}" data-tip="{}"/>').format(c, d, tip[0])
        if tip
        else Markup('<path class="{}" d="{}"/>').format(c, d)
        for c, d, *tip in figure["cells"]
    )
    folds = Markup("").join(Markup('<path class="fold layer{}" d="{}"/>').format(min(int(i), 4), d) for i, d in figure["folds"])
    line = Markup('<path class="halo" d="{0}"/><path class="boundary" d="{0}"/>').format(figure["boundary"])
    letters = figure.get("letters") or [""] * len(figure["points"])
    points = Markup("").join(
        _mark(float(x), float(y), letter, color, tip)
        for (x, y), letter, (color, tip) in zip(figure["points"], letters, figure["marked"], strict=True)
    )
    left, right, top, bottom = MARGINS
    return Markup(
        '<svg class="plane axes" viewBox="{} {} {} {}" role="img" aria-label="{}" style="--fineness:{}">'
        '<g class="cells">{}</g>{}{}{}{}<path class="rim" d="M0 0H{}V{}H0Z"/>{}</svg>'
    ).format(
        number(-left), number(-top), number(width + left + right), number(height + top + bottom),
        figure["alt"], float(figure["fineness"]), cells, folds, line, points, _inset(figure), number(width), number(height),
        _plane_axes(figure),
    )  # fmt: skip


def _mark(x: float, y: float, letter: str, color: str, tip: str) -> Markup:
    """A point of the data in the color of its label, with its letter if it has one."""
    dot = Markup('<circle class="point {}" cx="{}" cy="{}" r="{}" data-tip="{}"/>').format(
        color, number(x), number(y), 12 if letter else 9, tip
    )
    return dot + (
        Markup('<text class="letter" x="{}" y="{}">{}</text>').format(number(x + 18), number(y - 14), letter) if letter else ""
    )


def _inset(figure: dict[str, Any]) -> Markup:
    """Where the next picture lies in this one: a rectangle, with a ring around one that is too small to see."""
    if not figure.get("inset"):
        return Markup("")
    x, y, w, h = map(float, figure["inset"])
    parts = [Markup('<path class="inset" d="M{} {}h{}v{}h{}Z"/>').format(number(x), number(y), number(w), number(h), number(-w))]
    if max(w, h) < 40:
        parts.append(Markup('<circle class="inset" cx="{}" cy="{}" r="30"/>').format(number(x + w / 2), number(y + h / 2)))
    return Markup("").join(parts)


def _plane_axes(figure: dict[str, Any]) -> Markup:
    """Ticks and names outside the picture."""
    width, height = figure["width"], figure["height"]
    (x0, x1), (y0, y1) = figure["window"]
    parts = []
    for v in [t for t in round_ticks(x0, x1) if x0 <= t <= x1]:
        px = (v - x0) / ((x1 - x0) or 1) * width
        parts.append(Markup('<path class="ticks" d="M{0} {1}v10"/><text class="tick x" x="{0}" y="{2}">{3}</text>').format(
            number(px), number(height), number(height + 40), f"{v:.6g}"))  # fmt: skip
    for v in [t for t in round_ticks(y0, y1) if y0 <= t <= y1]:
        py = height - (v - y0) / ((y1 - y0) or 1) * height
        parts.append(Markup('<path class="ticks" d="M0 {0}h-10"/><text class="tick y" x="-16" y="{1}">{2}</text>').format(
            number(py), number(py + 9), f"{v:.6g}"))  # fmt: skip
    parts.append(
        Markup('<text class="axis" x="{}" y="{}">{}</text>').format(number(width / 2), number(height + 84), figure["x_title"])
    )
    parts.append(
        Markup('<text class="axis" transform="translate({} {}) rotate(-90)">{}</text>').format(
            number(12 - MARGINS[0] + 22), number(height / 2), figure["y_title"]
        )
    )
    return Markup("").join(parts)


class _Axes:
    """A frame with ticks, and the map from numbers to the picture."""

    def __init__(self, x: list[float], y: list[float], *, log: bool = False, from_zero: bool = False) -> None:
        finite = [v for v in y if isfinite(v) and (v > 0 or not log)] or [1.0]
        self.floor = min(finite)
        self.log = log
        heights = [self.height(v) for v in finite]
        bottom = min([0.0, *heights]) if from_zero and not log else min(heights)
        self.ticks = log_ticks(heights) if log else round_ticks(bottom, max([bottom, *heights]))
        step = max(1, -(-len(self.ticks) // 7))
        self.low, self.high = min([bottom, *self.ticks]), max([*heights, *self.ticks])
        self.ticks = self.ticks[::step]
        self.left, self.right = min(x), max(x)

    def height(self, v: float) -> float:
        return log10(max(v, self.floor)) if self.log else v

    def place(self, u: float, v: float) -> tuple[float, float]:
        px = LEFT + (u - self.left) / ((self.right - self.left) or 1) * (WIDTH - LEFT - RIGHT)
        return px, self._vertical(self.height(v))

    def _vertical(self, height: float) -> float:
        return HEIGHT - BOTTOM - (height - self.low) / ((self.high - self.low) or 1) * (HEIGHT - TOP - BOTTOM)

    def frame(self, x_ticks: list[tuple[float, str]]) -> list[Markup]:
        parts = []
        for v in self.ticks:
            py = self._vertical(v)
            label = f"{10**v:g}" if self.log else f"{v:g}"
            parts.append(
                Markup('<path class="grid" d="M{} {}H{}"/><text class="tick y" x="{}" y="{}">{}</text>').format(
                    number(LEFT), number(py), number(WIDTH - RIGHT), number(LEFT - 8), number(py + 4), label
                )
            )
        for u, name in x_ticks:
            px = self.place(u, self.floor if self.log else self.low)[0]
            parts.append(
                Markup('<text class="tick x" x="{}" y="{}">{}</text>').format(number(px), number(HEIGHT - BOTTOM + 18), name)
            )
        return parts


def _chart(figure: dict[str, Any], parts: list[Markup]) -> Markup:
    """A chart with the names of its axes."""
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts = [
        *parts,
        Markup('<text class="axis" x="{}" y="{}">{}</text>').format(
            number((LEFT + WIDTH - RIGHT) / 2), number(HEIGHT - 8), figure["x_title"]
        ),
        Markup('<text class="axis" transform="translate(16 {}) rotate(-90)">{}</text>').format(number(middle), figure["y_title"]),
    ]
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        number(WIDTH), number(HEIGHT), figure["alt"], Markup("").join(parts)
    )


def _lines(figure: dict[str, Any]) -> Markup:
    x = [float(v) for v in figure["x"]]
    axes = _Axes(x, [float(v) for s in figure["series"] for v in s["y"]], log=figure["log"], from_zero=True)
    names = figure.get("x_names")
    if names:
        step = max(1, -(-len(names) // 6))
        ticks = [(x[i], names[i]) for i in range(0, len(names), step)]
    else:
        whole = all(u == round(u) for u in x)
        ticks = [(u, f"{u:g}") for u in round_ticks(min(x), max(x)) if u == round(u) or not whole]
    parts = axes.frame(ticks)
    for k, series in enumerate(figure["series"]):
        points = [
            (u, float(v))
            for u, v in zip(x, series["y"], strict=True)
            if isfinite(float(v)) and (float(v) > 0 or not figure["log"])
        ]
        if not points:
            continue
        path = "M" + "L".join("{} {}".format(*map(number, axes.place(u, v))) for u, v in points)
        parts.append(Markup('<path class="curve s{}" d="{}" stroke-dasharray="{}"/>').format(k % 4, path, DASHES[k % 4]))
        for u, v in points if len(points) <= MOST_MARKED else []:
            px, py = axes.place(u, v)
            where = names[x.index(u)] if names else f"{figure['x_title']} {u:.5g}"
            parts.append(
                Markup('<circle class="dot s{}{}" cx="{}" cy="{}" r="{}" data-tip="{}"/>').format(
                    k % 4, " unseen" if len(points) > 24 else "", number(px), number(py), 3 if len(points) <= 24 else 7,
                    f"{where}, {series['name']}: {v:.5g}",
                )
            )  # fmt: skip
    return _chart(figure, parts)


def _histogram(figure: dict[str, Any]) -> Markup:
    values = np.asarray(figure["values"], dtype=float)
    counts, edges = np.histogram(values, bins=min(24, max(5, len(values) // 5)))
    axes = _Axes(edges.tolist(), [0.0, *counts.tolist()], from_zero=True)
    parts = axes.frame([(u, f"{u:.3g}") for u in round_ticks(float(edges[0]), float(edges[-1]))])
    for count, a, b in zip(counts.tolist(), edges, edges[1:], strict=False):
        (x0, y0), (x1, y1) = axes.place(float(a), 0.0), axes.place(float(b), count)
        parts.append(
            Markup('<rect class="bar" x="{}" y="{}" width="{}" height="{}" data-tip="{}"/>').format(
                number(x0 + 0.5),
                number(y1),
                number(max(x1 - x0 - 1, 0.5)),
                number(y0 - y1),
                f"{count} between {float(a):.4g} and {float(b):.4g}",
            )
        )
    return _chart(figure, parts)


def _strip(figure: dict[str, Any]) -> Markup:
    series = figure["series"]
    axes = _Axes([-0.5, len(series) - 0.5], [float(v) for s in series for v in s["values"]], from_zero=True)
    parts = axes.frame([(float(k), s["name"]) for k, s in enumerate(series)])
    for k, s in enumerate(series):
        for i, v in enumerate(s["values"]):
            px, py = axes.place(k + 0.5 * ((i * 0.618) % 1 - 0.5), float(v))
            parts.append(
                Markup('<circle class="dot s{}" cx="{}" cy="{}" r="4" data-tip="{}"/>').format(
                    k % 4, number(px), number(py), f"{s['name']}: {v:,}"
                )
            )
    return _chart(figure, parts)
