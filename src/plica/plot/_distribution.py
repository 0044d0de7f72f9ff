"""The distribution function of an output over a domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica import _palette as palette
from plica.plot._axes import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.measure import Distribution

POINTS = 240


def plot_distribution(found: Distribution, *, ax: Axes | None = None) -> Axes:
    """Draw P(output <= t) as a curve, the area under it filled, and the density, scaled to 1, beside it.

    Examples
    --------
    >>> import plica
    >>> from plica.measure import distribution
    >>> cx = plica.decompose(plica.random_network([2, 6, 1], seed=0), plica.Box([-1, -1], [1, 1]))
    >>> plot_distribution(distribution(cx)).get_ylabel()
    'P(output ≤ t)'
    """
    ax = axes_or_new(ax, size=(6.0, 3.5))
    low, high = float(found.knots[0]), float(found.knots[-1])
    reach = high - low or 1.0
    t = np.linspace(low - 0.02 * reach, high + 0.02 * reach, POINTS)
    p, density = found.cdf(t), found.density(t)
    ax.fill_between(t, 0, p, color=palette.mix(palette.MEASUREMENT, palette.PAPER, 0.25), linewidth=0)
    ax.plot(t, p, color=palette.MEASUREMENT, linewidth=1.5, label="distribution function")
    top = float(density.max()) or 1.0
    ax.plot(t, density / top, color=palette.BOUND, linewidth=1.0, linestyle="--", label="density, scaled to 1")
    ax.set_ylim(0, 1.05)
    ax.set_xlabel("t")
    ax.set_ylabel("P(output ≤ t)")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
