"""Small pictures for notebooks: folds in the plane, a graph on a line, a solid from outside, curves in a window. Text only."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from plica import _palette as palette
from plica._types import Array

if TYPE_CHECKING:
    from plica.geometry._complex import Complex
    from plica.geometry._curves import Curves

SIDE = 260
MANY_EDGES = 20_000  # a larger picture makes a notebook slow
MANY_CELLS = 5_000  # of more, only folds are drawn
N_SHADES = 6


def thumbnail(cx: Complex) -> str:
    """The picture as an SVG element with a text alternative; empty from four dimensions on.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 4, 1], seed=0)
    >>> thumbnail(plica.decompose(net, plica.Box([-1, -1], [1, 1])))[:35]
    '<svg role="img" aria-label="8 cells'
    """
    if cx.n_vertices > MANY_EDGES:
        return ""
    if cx.dimension > 2:
        return _solid(cx)
    if cx.dimension == 1:
        graph = np.column_stack([cx.vertices[:, 0], cx.outputs[:, 0]])
        points = _fitted(graph, stretched=True)
        line = f'<path d="M{"L".join(_at(p) for p in points)}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
        dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2" fill="currentColor"/>' for x, y in points)
        return _svg(points, line + dots, f"{cx.n_cells:,} pieces; the graph of output 0, with a dot at every breakpoint")
    points, layers = _fitted(cx.vertices), np.asarray(cx.facet_layer)
    paths = []
    for layer in np.unique(layers)[::-1]:
        ends = points[cx.facet_vertices.reshape(-1, 2)[layers == layer]]
        ink = 0.8 ** max(int(layer), 0)
        strokes = "".join(f"M{_at(a)}L{_at(b)}" for a, b in ends)
        paths.append(
            f'<path d="{strokes}" fill="none" stroke="currentColor" stroke-width="{1.5 * ink:.2f}" stroke-opacity="{ink:.2f}"/>'
        )
    said = f"{cx.n_cells:,} cells; folds, finer the later their layer"
    if cx.n_cells > MANY_CELLS:
        return _svg(points, "".join(paths), said)
    return _svg(
        points, _fills(cx, points) + "".join(paths), said + "; cells in the color of output 0, blue below 0, orange above"
    )


def thumbnail_of_curves(curves: Curves) -> str:
    """Curves in their window, with what was not looked at in gray; empty where there are too many segments for a notebook.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 4, 1], seed=0)
    >>> thumbnail_of_curves(plica.decision_boundary(net, plica.Box([-1, -1], [1, 1]))).count("<path")
    3
    """
    if curves.n_segments > MANY_EDGES:
        return ""
    parts = [curves.domain.window, *curves.open_tiles, *curves.polylines]
    points = _fitted(np.concatenate(parts))
    frame, *others = ("M" + "L".join(map(_at, part)) for part in np.split(points, np.cumsum([len(part) for part in parts])[:-1]))
    gray, lines = others[: len(curves.open_tiles)], others[len(curves.open_tiles) :]
    content = (
        f'<path d="{frame}Z" fill="none" stroke="currentColor" stroke-opacity="0.4"/>'
        f'<path d="{"".join(d + "Z" for d in gray)}" fill="currentColor" fill-opacity="0.15"/>'
        f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    )
    n = len(curves.polylines)
    said = f"{n:,} polyline{'' if n == 1 else 's'} in a window" + ("; gray was not looked at" if gray else "")
    return _svg(points, content, said)


def _solid(cx: Complex) -> str:
    """The sides of a solid that face the viewer, as its cells meet them."""
    from plica.geometry.space._complex import SpaceComplex

    if cx.dimension != 3 or not isinstance(cx, SpaceComplex):
        return ""
    polygons, cells = cx.outside()
    means = cx.cell_means(np.asarray(cx.outputs)[:, 0])
    points = _fitted(np.concatenate(polygons))
    parts = np.split(points, np.cumsum([len(polygon) for polygon in polygons])[:-1])
    paths = "".join(
        f'<path d="M{"L".join(_at(p) for p in part)}Z" fill="{color}" fill-opacity="0.85" stroke="currentColor"/>'
        for part, color in zip(parts, np.array(_colors(means))[cells], strict=True)
    )
    said = f"{cx.n_cells:,} cells of a solid, seen from outside, in the color of output 0"
    return _svg(points, f'<g stroke-linejoin="round" stroke-width="0.8">{paths}</g>', said)


def _fills(cx: Complex, points: Array) -> str:
    """Cells in the color of their mean output, cells of one color as one path."""
    offsets, corners, values = cx.cell_offsets, cx.cell_vertices, np.asarray(cx.outputs)[:, 0]
    means = np.add.reduceat(values[corners], offsets[:-1]) / np.diff(offsets)
    colors = _colors(means)
    paths = []
    for color in sorted(set(colors)):
        cells = [c for c, own in enumerate(colors) if own == color]
        d = "".join("M" + "L".join(_at(p) for p in points[corners[offsets[c] : offsets[c + 1]]]) + "Z" for c in cells)
        paths.append(f'<path d="{d}" fill="{color}" fill-opacity="0.75"/>')
    return "".join(paths)


def _colors(means: Array) -> list[str]:
    """Blue below zero and orange above where there are both signs, else from dark to light."""
    low, high = float(means.min()), float(means.max())
    if low * high < 0:
        most = float(np.quantile(np.abs(means), 0.95)) or 1.0
        levels = np.rint(np.clip(means / most, -1, 1) * N_SHADES).astype(int)
        ends = palette.SIGNED["light"]
        return [palette.mix(ends[1], ends[2 if level > 0 else 0], abs(int(level)) / N_SHADES) for level in levels]
    stops = palette.CIVIDIS
    places = np.rint((means - low) / ((high - low) or 1.0) * (len(stops) - 1)).astype(int)
    return [stops[place] for place in places]


def _fitted(points: Array, *, stretched: bool = False) -> Array:
    """Positions in the picture, the second coordinate upwards."""
    low, high = points.min(axis=0), points.max(axis=0)
    extent = np.where(high > low, high - low, 1.0)
    scale = SIDE / (extent if stretched else extent.max())
    moved = (points - low) * scale
    height = (extent * scale)[1]
    return np.column_stack([moved[:, 0], height - moved[:, 1]]) + 4


def _at(point: Array) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _svg(points: Array, content: str, text: str) -> str:
    width, height = points.max(axis=0) + 4
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    return f'<svg role="img" aria-label="{escape(text, quote=True)}" {size}><title>{escape(text)}</title>{content}</svg>'
