"""Curves on (logarithmic) axes, in the colors of the house."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from plica._palette import SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Curve = tuple[Sequence[float], Sequence[float], str]


def curves(
    measured: Sequence[Curve],
    predicted: Sequence[Curve] = (),
    *,
    x: str,
    y: str,
    log: str = "xy",
) -> Callable[[Axes], None]:
    """Measured values as dots that are joined, what was predicted dotted, in the same order of colors."""

    def draw(ax: Axes) -> None:
        for (xs, ys, label), color in zip(measured, SERIES, strict=False):
            ax.plot(xs, ys, "o-", color=color, markersize=4, linewidth=1.2, label=label)
        for (xs, ys, label), color in zip(predicted, SERIES, strict=False):
            ax.plot(xs, ys, ":", color=color, linewidth=1.2, label=label or None)
        if "x" in log:
            ax.set_xscale("log")
        if "y" in log:
            ax.set_yscale("log")
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.legend(frameon=False, fontsize=8)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
