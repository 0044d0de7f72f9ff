"""The frame of a solid in a picture: room around its sides, and the names of its three axes beside their edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica.plot._axes import names_of_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.geometry import SpaceComplex

#: The edges that have the names of the axes: at the lower (0) or the upper (1) end of the other two.
_EDGES = ((None, 0, 0), (1, None, 0), (0, 0, None))


def frame_of_solid(cx: SpaceComplex, ax: Axes) -> None:
    """Limits and names of axes for what :meth:`SpaceComplex.outside` gives."""
    low, high = cx.vertices.min(axis=0), cx.vertices.max(axis=0)
    corners = np.array([[high[i] if at >> i & 1 else low[i] for i in range(3)] for at in range(8)])
    seen, middle = cx.on_screen(corners), cx.on_screen((low + high)[None] / 2)[0]
    pad = 0.12 * np.ptp(seen, axis=0).max()
    ax.set_xlim(seen[:, 0].min() - pad, seen[:, 0].max() + pad)
    ax.set_ylim(seen[:, 1].min() - pad, seen[:, 1].max() + pad)
    ax.set_aspect("equal")
    ax.set_axis_off()
    for name, ends in zip(names_of_axes(cx), _EDGES, strict=True):
        place = [(a + b) / 2 if end is None else (a, b)[end] for a, b, end in zip(low, high, ends, strict=True)]
        x, y = cx.on_screen(np.array([place]))[0]
        away = np.array([x, y]) - middle
        x, y = np.array([x, y]) + 0.6 * pad * away / np.linalg.norm(away)
        ax.text(x, y, name, ha="center", va="center")
