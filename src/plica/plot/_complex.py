"""Pictures of a complex: its cells in the plane, its folds, its pieces on a line, a solid from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica import _palette as palette
from plica._palette import MAGNITUDES
from plica.errors import InvalidInput
from plica.plot._axes import axes_or_new, label_axes
from plica.plot._paint import cell_gradient_norms, map_coloring
from plica.plot._solid import frame_of_solid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.geometry import Complex

COLORS = ("region", "pattern", "output", "gradient", "layer")
MANY_CELLS = 20_000  # above this a vector file is slower to open than a picture


def plot_complex(
    cx: Complex,
    *,
    ax: Axes | None = None,
    color: str = "output",
    output: int = 0,
    boundary: bool = False,
    colorbar: bool = True,
    edge_width: float | None = None,
) -> Axes:
    """Draw the cells of a complex; one in one dimension goes to :func:`plot_pieces`, one in three is seen from outside.

    Parameters
    ----------
    cx
        What :func:`plica.decompose` returned.
    color
        ``"output"``: the value in the middle of each cell, blue below zero and vermilion above. ``"gradient"``: the norm of
        the gradient, in cividis. ``"region"``, ``"pattern"``: neighboring regions (cells) differ. ``"layer"``: cells are
        blank and folds have the color of their layer.
    output
        The output that ``"output"`` and ``"gradient"`` look at.
    boundary
        Also draw the decision boundary: where another output becomes the largest, or where a single output changes its sign.
    colorbar
        Explain the colors of ``"output"`` and ``"gradient"`` beside the axes.
    edge_width
        Width of the edges in points; by default finer the more cells there are.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 8, 1], seed=0)
    >>> ax = plot_complex(plica.decompose(net, plica.Box([-1, -1], [1, 1])))
    >>> ax.get_xlabel()
    'x₁'
    """
    if color not in COLORS:
        raise InvalidInput(f"color is {color!r}.", hint=f"one of {', '.join(COLORS)}")
    if not 0 <= output < cx.network.n_outputs:
        raise InvalidInput(f"output is {output}, the network has {cx.network.n_outputs}.", hint="outputs are counted from 0")
    if cx.dimension == 1:
        return plot_pieces(cx, ax=ax, output=output)
    from matplotlib.collections import LineCollection, PolyCollection

    from plica.geometry import PlaneComplex, SpaceComplex

    solid = cx if isinstance(cx, SpaceComplex) and cx.dimension == 3 else None
    if solid is None and not isinstance(cx, PlaneComplex):
        raise InvalidInput(
            f"pictures show lines, planes and solids; this is a {type(cx).__name__} of dimension {cx.dimension}.",
            hint="look at a slice: plica.Plane.through(x0, x1, x2), or export the cells: to_meshio()",
        )
    if solid is not None and (boundary or color != "output"):
        raise InvalidInput(
            f"of a solid the sides are seen, without a boundary and colored by output; color is {color!r}.",
            hint="look at a slice: plica.Plane.through(x0, x1, x2)",
        )
    ax = axes_or_new(ax, size=(6.0, 5.0))
    if edge_width is None:
        edge_width = float(np.clip(12 / np.sqrt(cx.n_cells), 0.05, 0.6))
    paint = _paint(cx, color, output)
    if isinstance(cx, PlaneComplex):
        polygons = cx.cell_polygons()
    elif solid is not None:
        polygons, seen = solid.outside()
        frame_of_solid(solid, ax)
        paint = {name: np.asarray(value)[seen] if name == "array" else value for name, value in paint.items()}
    cells = PolyCollection(
        polygons,
        edgecolors="none" if color == "layer" else palette.INK,
        linewidths=edge_width,
        rasterized=cx.n_cells > MANY_CELLS,
        **paint,
    )
    ax.add_collection(cells)
    if colorbar and color in ("output", "gradient"):
        name = f"output {output}" if color == "output" else f"gradient norm of output {output}"
        ax.figure.colorbar(cells, ax=ax, label=name, shrink=0.8)
    if color == "layer":
        plot_folds(cx, ax=ax)
    if boundary and isinstance(cx, PlaneComplex):
        segments = list(cx.decision_boundary())
        for line_color, width in ((palette.PAPER, 3.5), (palette.INK, 1.8)):
            ax.add_collection(LineCollection(segments, colors=line_color, linewidths=width, capstyle="round"))
    if solid is None:
        label_axes(ax, cx)
    return ax


def _paint(cx: Complex, color: str, output: int) -> dict[str, Any]:
    if color == "output":
        values = cx.cell_means(cx.outputs[:, output])
        reach = float(np.abs(values).max(initial=0.0)) or 1.0
        return {"array": values, "cmap": palette.diverging_colormap(), "clim": (-reach, reach)}
    if color == "gradient":
        return {"array": cell_gradient_norms(cx, output), "cmap": MAGNITUDES}
    if color == "layer":
        return {"facecolors": palette.PAPER}
    labels = np.asarray(cx.regions) if color == "region" else np.arange(cx.n_cells)
    fills = np.array([palette.mix(c, palette.PAPER, 0.35) for c in palette.FILLS])
    return {"facecolors": fills[map_coloring(cx, labels) % len(fills)]}


def plot_folds(
    cx: Complex, *, ax: Axes | None = None, layer: int | None = None, neuron: int | None = None, line_width: float = 1.0
) -> Axes:
    """Draw the folds, in the color of the layer that made them.

    ``layer`` and ``neuron`` choose some of them, as in ``Complex.folds``.
    """
    from matplotlib.collections import LineCollection

    ax = axes_or_new(ax)
    n_layers = len(cx.network.layers)
    if neuron is not None and layer is None:
        raise InvalidInput(f"neuron {neuron} of which layer?", hint="give layer= too")
    for i in range(n_layers) if layer is None else [layer]:
        folds = cx.folds(i) if neuron is None else cx.folds(i, neuron)
        style: dict[str, Any] = {"colors": palette.layer_color(i), "label": f"layer {i}"}
        if cx.dimension == 1:
            ax.vlines(folds[:, 0], 0, 1, transform=ax.get_xaxis_transform(), linewidths=line_width, **style)
        else:
            ax.add_collection(LineCollection(list(folds), linewidths=line_width, capstyle="round", **style))
    label_axes(ax, cx)
    if n_layers > 1 and layer is None:
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return ax


def plot_pieces(cx: Complex, *, ax: Axes | None = None, output: int = 0) -> Axes:
    """Draw the graph of one output over a segment, a path or an interval, with a mark at each breakpoint."""
    if cx.dimension != 1:
        raise InvalidInput("this complex lies in the plane, pieces are one-dimensional.", hint="use plot_complex")
    ax = axes_or_new(ax, size=(7.0, 3.0))
    t = np.asarray(cx.vertices)[:, 0]
    order = np.argsort(t, kind="stable")
    y = cx.outputs[order, output]
    ax.plot(t[order], y, color=palette.MEASUREMENT, linewidth=1.5)
    if len(t) <= 400:
        ax.plot(t[order][1:-1], y[1:-1], "o", color=palette.BOUND, markersize=3, label="breakpoint")
    label_axes(ax, cx)
    ax.set_ylabel(f"output {output}")
    return ax
