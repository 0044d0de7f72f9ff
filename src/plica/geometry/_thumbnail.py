"""A small picture of a complex for notebooks: its folds in the plane, its graph on a line. Text only, no matplotlib."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array

if TYPE_CHECKING:
    from plica.geometry._complex import Complex

SIDE = 260
MANY_EDGES = 20_000  # a larger picture makes a notebook slow


def thumbnail(cx: Complex) -> str:
    """The picture as an SVG element with a text alternative; empty where there is nothing to draw in two dimensions.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 4, 1], seed=0)
    >>> thumbnail(plica.decompose(net, plica.Box([-1, -1], [1, 1])))[:35]
    '<svg role="img" aria-label="8 cells'
    """
    if cx.dimension > 2 or cx.n_vertices > MANY_EDGES:
        return ""
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
    return _svg(points, "".join(paths), f"{cx.n_cells:,} cells; folds, finer the later their layer")


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
