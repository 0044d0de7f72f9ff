"""Drawing a complex as SVG by hand: small files whose colors belong to the page's style sheet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from plica._types import Array

if TYPE_CHECKING:
    from plica.geometry import PlaneComplex


N_TINTS = 21


@dataclass(frozen=True)
class Canvas:
    """The map from the parameters of a domain to the coordinates of a picture, y upward.

    >>> canvas = Canvas.around(np.array([[-1.0, -1.0], [1.0, 0.0]]), width=100)
    >>> canvas.height
    50.0
    >>> canvas(np.array([[0.0, 0.0]]))
    array([[50., 0.]])
    """

    low: tuple[float, float]
    scale: float
    width: float
    height: float

    @staticmethod
    def around(points: Array, *, width: float = 1000.0) -> Canvas:
        low, high = points.min(0), points.max(0)
        scale = width / float(high[0] - low[0])
        return Canvas((float(low[0]), float(low[1])), scale, width, scale * float(high[1] - low[1]))

    def __call__(self, points: Array) -> Array:
        xy = (np.asarray(points) - self.low) * self.scale
        return np.stack([xy[..., 0], self.height - xy[..., 1]], axis=-1)


def number(value: float) -> str:
    """A coordinate with one decimal, as short as possible.

    >>> number(12.04), number(-0.01)
    ('12', '0')
    """
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def polygon_path(points: Array) -> str:
    """The ``d`` of a closed polygon.

    >>> polygon_path(np.array([[0, 0], [10, 0], [10, 2.5]]))
    'M0 0L10 0L10 2.5Z'
    """
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points.tolist()) + "Z"


def segments_path(segments: Iterable[Array]) -> str:
    """The ``d`` of segments (k, 2, 2); those that follow each other are joined, so that corners join too.

    >>> segments_path(np.array([[[0, 0], [1, 0]], [[1, 1], [1, 0]], [[5, 5], [6, 6]]]))
    'M0 0L1 0L1 1M5 5L6 6'
    """
    pairs: dict[tuple[str, str], None] = {}
    for (ax, ay), (bx, by) in np.asarray(list(segments), dtype=float).reshape(-1, 2, 2).tolist():
        ends = f"{number(ax)} {number(ay)}", f"{number(bx)} {number(by)}"
        if ends[0] != ends[1]:
            pairs[ends] = None
    around: dict[str, list[str]] = {}
    for a, b in pairs:
        around.setdefault(a, []).append(b)
        around.setdefault(b, []).append(a)
    parts: list[str] = []
    loose_ends_first = sorted(around, key=lambda point: len(around[point]) != 1)
    for start in loose_ends_first:
        while around[start]:
            chain, here = [start], start
            while around[here]:
                there = around[here].pop()
                around[there].remove(here)
                chain.append(there)
                here = there
            parts.append("M" + "L".join(chain))
    return "".join(parts)


def tints(values: Array, *, reach: float) -> Array:
    """The place of signed values on the page's scale of ``N_TINTS`` colors; +-reach are its ends.

    >>> tints(np.array([-9.0, 0.0, 1.0]), reach=1.0)
    array([ 0, 10, 20])
    """
    half = N_TINTS // 2
    return np.rint(half * np.clip(values / reach, -1, 1)).astype(int) + half


def cells_svg(cx: PlaneComplex, canvas: Canvas, classes: Array) -> Markup:
    """One path for each cell, in order, with the class ``t<k>`` of its tint."""
    shapes = (polygon_path(canvas(polygon)) for polygon in cx.cell_polygons())
    return Markup("").join(
        Markup('<path class="t{}" d="{}"/>').format(k, d) for k, d in zip(classes.tolist(), shapes, strict=True)
    )


def folds_svg(cx: PlaneComplex, canvas: Canvas, *, layers: Iterable[int] | None = None) -> Markup:
    """One path for the folds of each layer, with the classes ``fold`` and ``layer<i>``."""
    layers = range(len(cx.network.layers)) if layers is None else layers
    return Markup("").join(
        Markup('<path class="fold layer{}" d="{}"/>').format(i, segments_path(canvas(cx.folds(i)))) for i in layers
    )


def points_svg(points: Array, labels: Array, canvas: Canvas, *, radius: float = 8.0) -> Markup:
    """Data points: discs for label 0, diamonds for label 1, so that color is not alone in telling them apart."""
    marks = []
    r = 1.25 * radius
    for (x, y), label in zip(canvas(points).tolist(), np.asarray(labels).tolist(), strict=True):
        if label:
            d = f"M{number(x - r)} {number(y)}l{number(r)} {number(-r)} {number(r)} {number(r)} {number(-r)} {number(r)}Z"
            marks.append(Markup('<path class="point high" d="{}"/>').format(d))
        else:
            marks.append(
                Markup('<circle class="point low" cx="{}" cy="{}" r="{}"/>').format(number(x), number(y), number(radius))
            )
    return Markup("").join(marks)
