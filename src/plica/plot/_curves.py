"""Curves in a window of a plane, over what the network answers there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica import _palette as palette
from plica.plot._axes import axes_or_new, label_window

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch

    from plica.geometry import Curves
    from plica.network import Network

SIDE = 160  # points along a side of the window at which answers are asked
_BLOCK = 2000
_MOST_NAMES = 12  # answers that a legend names


def plot_curves(curves: Curves, *, network: Network | None = None, ax: Axes | None = None) -> Axes:
    """Draw curves in their window; tiles that were not looked at are gray.

    Parameters
    ----------
    curves
        What :func:`plica.decision_boundary` or :func:`plica.level_set` returned.
    network
        If given, the areas have the color of the largest output (of the sign of a single one), asked at points of a grid: the
        curves are exact, the colors are sampled.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 16, 3], seed=0)
    >>> ax = plot_curves(plica.decision_boundary(net, plica.Box([-1, -1], [1, 1])), network=net)
    >>> ax.get_xlabel()
    'x₁'
    """
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.patches import Patch, Polygon

    ax = axes_or_new(ax, size=(6.0, 5.0))
    window = Polygon(curves.domain.window, closed=True, fill=False, edgecolor=palette.GRAY, linewidth=0.8)
    ax.add_patch(window)
    areas = [] if network is None else _draw_answers(curves, network, ax, window)
    if curves.open_tiles:
        ax.add_collection(PolyCollection(curves.open_tiles, facecolors=palette.GRAY, alpha=0.35, edgecolors="none"))
        areas.append(Patch(facecolor=palette.GRAY, alpha=0.35, label="not looked at"))
    if areas:
        ax.legend(handles=areas, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    for color, width in ((palette.PAPER, 3.0), (palette.INK, 1.3)):
        ax.add_collection(LineCollection(curves.polylines, colors=color, linewidths=width, capstyle="round"))
    label_window(ax, curves.domain)
    return ax


def _draw_answers(curves: Curves, network: Network, ax: Axes, window: object) -> list[Patch]:
    """Fill the window with the colors of the answers; a handle for the name of each, where there are few."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    low, high = curves.domain.window.min(axis=0), curves.domain.window.max(axis=0)
    steps = (np.arange(SIDE) + 0.5) / SIDE
    points = low + np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2) * (high - low)
    answers = np.concatenate(
        [_answers(network, curves.domain.to_input(points[i : i + _BLOCK])) for i in range(0, len(points), _BLOCK)]
    )
    found, places = np.unique(answers, return_inverse=True)
    colors = [palette.AREAS["light"][k % len(palette.AREAS["light"])] for k in found.tolist()]
    picture = ax.imshow(
        places.reshape(SIDE, SIDE), origin="lower", extent=(low[0], high[0], low[1], high[1]), cmap=ListedColormap(colors),
        vmin=-0.5, vmax=len(found) - 0.5, interpolation="nearest", zorder=0,
    )  # fmt: skip
    picture.set_clip_path(window)  # type: ignore[arg-type]
    if len(found) > _MOST_NAMES:
        return []
    names = ["output <= 0", "output > 0"] if network.n_outputs == 1 else [f"output {k}" for k in range(network.n_outputs)]
    return [Patch(facecolor=color, label=names[k]) for k, color in zip(found.tolist(), colors, strict=True)]


def _answers(network: Network, inputs: np.ndarray) -> np.ndarray:
    outputs = network(inputs).reshape(len(inputs), -1)
    return np.asarray(outputs[:, 0] > 0 if outputs.shape[1] == 1 else outputs.argmax(axis=1), dtype=np.int64)
