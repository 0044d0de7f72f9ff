"""Pictures of the loss as a function of the weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica import _palette as palette
from plica.plot._axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.landscape import LossLine


def plot_loss_line(line: LossLine, *, ax: Axes | None = None, n_points: int = 401, grid: int = 25) -> Axes:
    """Draw the loss along a line of weights, the straight line between its ends, its barrier, and a coarse grid.

    Examples
    --------
    >>> import numpy as np
    >>> import plica
    >>> a, b = (plica.random_network([2, 4, 1], seed=s) for s in (0, 1))
    >>> ax = plica.landscape.loss_line(a, b, np.ones((1, 2)), np.zeros((1, 1))).plot()
    >>> ax.get_ylabel()
    'squared loss'
    """
    ax = axes_or_new(ax, size=(5.5, 3.5))
    t = np.union1d(np.linspace(0, 1, n_points), [line.maximum.t, line.barrier.t])
    values = line(t)
    ax.plot(t, values, color=palette.MEASUREMENT, label="exact")
    ax.plot([0, 1], values[[0, -1]], "--", color=palette.GRAY, linewidth=1, label="between the ends")
    points = np.linspace(0, 1, grid)
    ax.plot(points, line(points), "o", color=palette.CONTROL, markersize=3, label=f"{grid} points")
    at = line.barrier.t
    foot = (1 - at) * values[0] + at * values[-1]
    ax.plot(
        [at, at], [foot, foot + float(line.barrier.value)], color=palette.BOUND, label=f"barrier {float(line.barrier.value):.4g}"
    )
    ax.set(xlabel="t", ylabel=f"{line.loss} loss", xlim=(0, 1))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=8)
    return ax
