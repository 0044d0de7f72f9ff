"""The persistence diagram of an output over a domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica import _palette as palette
from plica.plot._axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.measure import Persistence

NAMES = ("components", "holes", "cavities")
MARKERS = ("o", "s", "^", "D")


def plot_persistence(found: Persistence, *, ax: Axes | None = None) -> Axes:
    """Draw each class as a point: its birth to the right, its death upward; classes that stay lie on the dashed line on top.

    Examples
    --------
    >>> import plica
    >>> from plica.measure import persistence
    >>> cx = plica.decompose(plica.random_network([2, 6, 1], seed=0), plica.Box([-1, -1], [1, 1]))
    >>> plot_persistence(persistence(cx)).get_xlabel()
    'birth'
    """
    ax = axes_or_new(ax, size=(4.5, 4.5))
    ends = found.deaths[np.isfinite(found.deaths)]
    values = np.concatenate([found.births, ends])
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    reach = high - low or 1.0
    top = high + 0.1 * reach
    ax.plot([low, high], [low, high], color=palette.REFERENCE, linewidth=0.8)
    ax.axhline(top, color=palette.REFERENCE, linewidth=0.8, linestyle="--")
    colors = palette.SERIES
    for k in np.unique(found.dimensions).tolist():
        own = found.dimensions == k
        name = NAMES[k] if k < len(NAMES) else f"dimension {k}"
        deaths = np.where(np.isfinite(found.deaths[own]), found.deaths[own], top)
        style = {"marker": MARKERS[k % 4], "color": colors[k % len(colors)], "edgecolors": palette.PAPER, "linewidths": 0.5}
        ax.scatter(found.births[own], deaths, s=26, label=name, **style)
    ax.set_aspect("equal")
    ax.set_xlabel("birth")
    ax.set_ylabel("death")
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
