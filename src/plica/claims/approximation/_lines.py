"""Measured lines with dots and predicted ones dashed, on axes that may be logarithmic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from plica._palette import BOUND, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Line = tuple[Sequence[float], Sequence[float], str]


def lines(measured: Sequence[Line], predicted: Sequence[Line] = (), *, x: str, y: str, log: str = "xy") -> Callable[[Axes], None]:
    """Measured values as dots that are joined; predictions in the color of bounds."""

    def draw(ax: Axes) -> None:
        for (xs, ys, label), color in zip(measured, SERIES, strict=False):
            ax.plot(xs, ys, "o-", color=color, markersize=4, linewidth=1, label=label)
        for (xs, ys, label), style in zip(predicted, ("--", ":", "-."), strict=False):
            ax.plot(xs, ys, style, color=BOUND, linewidth=1.2, label=label)
        ax.set(xlabel=x, ylabel=y, xscale="log" if "x" in log else "linear", yscale="log" if "y" in log else "linear")
        ax.legend(frameon=False, fontsize=8)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
