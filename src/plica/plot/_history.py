"""Curves of a training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.learn import GapReport, History


def plot_history(history: History, *columns: str, against: str = "step", ax: Axes | None = None) -> Axes:
    """Columns of a training's history against its steps; without names, all losses on a logarithmic axis.

    Examples
    --------
    >>> from plica.learn import History
    >>> plot_history(History([{"step": 0, "loss": 1.0}, {"step": 9, "loss": 0.5}])).get_ylabel()
    'loss'
    """
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    chosen = list(columns) or [name for name in history.columns if name == "loss" or name.endswith("_loss")]
    for i, name in enumerate(chosen):
        x, y = history.curve(name, against=against)
        ax.plot(x, y, color=SERIES[i % len(SERIES)], marker="o" if len(x) < 30 else None, markersize=3, label=name)
    if not columns and all(value > 0 for name in chosen for value in history.curve(name)[1]):
        ax.set_yscale("log")
    ax.set_xlabel(against)
    ax.set_ylabel(chosen[0] if len(chosen) == 1 else "")
    if len(chosen) > 1:
        ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_gap(report: GapReport, *, ax: Axes | None = None) -> Axes:
    """Training and test loss against depth, for networks with the same number of parameters; dots are seeds."""
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    rows = report.summary()
    for name, color, label in (("train_loss", SERIES[0], "training"), ("test_loss", SERIES[1], "test")):
        ax.plot([row.depth for row in report.rows], [getattr(row, name) for row in report.rows], "o", color=color, alpha=0.35)
        ax.plot([row["depth"] for row in rows], [row[name] for row in rows], "-", color=color, label=label)
    ax.set_xlabel(f"hidden layers, with at most {max(row.n_parameters for row in report.rows):,} parameters")
    ax.set_ylabel("loss")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    return ax
