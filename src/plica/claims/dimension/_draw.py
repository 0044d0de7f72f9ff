"""The estimate against the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import SERIES
from plica.claims import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def estimates(rows: list[Row], ax: Axes, *, x: str, x_label: str, y_label: str = "estimated dimension") -> None:
    """One line for each estimator; the dashed one is the prediction."""
    names = list(dict.fromkeys(r.parameters["estimator"] for r in rows))
    for color, name in zip(SERIES, names, strict=False):
        mine = [r for r in rows if r.parameters["estimator"] == name]
        places = [r.parameters[x] for r in mine]
        ax.plot(places, [r.measured for r in mine], "o", color=color, markersize=5, label=name)
        ax.plot(places, [r.predicted for r in mine], "--", color=color, linewidth=0.8)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.legend(frameon=False)
