"""Networks of one size and several depths that learn images, with cells and distances to folds counted on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims.learning._images import images
from plica.geometry import Plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.data import Dataset
    from plica.learn import History, Probe


@dataclass(frozen=True)
class Watched:
    """Epochs of the looks, and (seeds, looks) what was seen; the accuracy on test images at the end."""

    epochs: list[int]
    values: Array
    accuracy: float

    def mean(self, look: int) -> tuple[float, float]:
        """Mean over seeds at a look, and its standard error."""
        column = self.values[:, look]
        return float(column.mean()), float(column.std(ddof=1) / sqrt(len(column)))

    def change(self, look: int) -> tuple[float, float]:
        """Mean over seeds of the value at a look over that at the start, and its standard error."""
        ratios = self.values[:, look] / self.values[:, 0]
        return float(ratios.mean()), float(ratios.std(ddof=1) / sqrt(len(ratios)))


def plane_through(data: Dataset, seed: int) -> Plane:
    """A plane through three training images, twice as wide as they lie apart on either side."""
    rows = np.random.default_rng(seed).choice(len(data.x), 3, replace=False)
    return Plane.through(*data.flat[rows].astype(np.float64), margin=2.0)


def watch(
    scale: str,
    widths: Sequence[int],
    *,
    probe: Callable[[Dataset, int], Probe],
    column: str,
    seeds: Sequence[int],
    epochs: int,
) -> Watched:
    """Train with Adam, once for each seed, and collect one column of the history."""
    from plica.learn import fit, mlp

    data = images(scale)
    batch, rate = (128, 1e-3) if scale == "full" else (32, 3e-3)
    histories: list[History] = []
    for seed in seeds:
        model = mlp([data.flat.shape[1], *widths, 10], seed=seed, weights="he-normal", bias_std=0.1, flatten=True)
        found = fit(model, data, epochs=epochs, batch=batch, rate=rate, seed=seed, probes=[probe(data, seed)])
        histories.append(found.history)
    looks = [[(row["epoch"], row[column]) for row in history if row.get(column) is not None] for history in histories]
    return Watched(
        [epoch for epoch, _ in looks[0]],
        np.array([[value for _, value in one] for one in looks], dtype=np.float64),
        float(np.mean([history.last["test_accuracy"] for history in histories])),
    )


def curves(found: dict[int, Watched], factor: Callable[[int], float], ylabel: str) -> Callable[[Axes], None]:
    """Means over seeds against epochs, a line for each depth."""

    def draw(ax: Axes) -> None:
        for (depth, watched), color in zip(found.items(), SERIES, strict=False):
            means, errors = zip(*(watched.mean(i) for i in range(len(watched.epochs))), strict=True)
            y, e = (factor(depth) * np.array(part) for part in (means, errors))
            ax.errorbar(watched.epochs, y, yerr=e, fmt="o-", color=color, capsize=2, label=f"depth {depth}")
        ax.set_ylim(0)
        ax.set_xlabel("epochs")
        ax.set_ylabel(ylabel)
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
