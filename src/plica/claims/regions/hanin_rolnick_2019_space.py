r"""Hanin and Rolnick in three dimensions: about N^3 / 6 cells, at any depth.

Claim
    At initialization a ReLU network with N neurons and d inputs has of the order of N^d / d! cells in all of R^d, whatever the
    depth; here d = 3.
Source
    B. Hanin, D. Rolnick, Deep ReLU Networks Have Surprisingly Few Activation Patterns, NeurIPS 2019, arXiv 1906.00904
    [hanin2019b].
Prediction
    plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 3), within a factor of 2
Measurement
    cells of random networks with the same N and different depths in all of R^3 (plica.Space), exactly for each network
    (plica.count_regions), averaged over seeds
"""

from __future__ import annotations

from math import sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.geometry import Space, count_regions
from plica.network import random_network
from plica.theory.regions import hanin_rolnick_2019_regions_estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-plane", "zaslavsky-1975")
SEED = 904


def check(scale: str) -> Evidence:
    n_networks = 120 if scale == "full" else 12
    rows = []
    curves: dict[int, list[tuple[int, float]]] = {}
    for n in (24,) + ((36, 48) if scale == "full" else ()):
        predicted = float(hanin_rolnick_2019_regions_estimate(n, 3))
        for depth in (1, 2, 3):
            nets = (
                random_network([3, *[n // depth] * depth, 1], seed=SEED + k, weights="he-normal", bias_std=0.3)
                for k in range(n_networks)
            )
            counts = [count_regions(net, Space(3), cells_only=True).n_cells for net in nets]
            curves.setdefault(depth, []).append((n, mean(counts)))
            error = stdev(counts) / sqrt(n_networks)
            for relation, factor in ((">=", 0.5), ("<=", 2.0)):
                rows.append(
                    row(
                        mean(counts), relation, factor * predicted, kind="estimated", standard_error=error, neurons=n, depth=depth
                    )
                )

    def draw(ax: Axes) -> None:
        for (depth, points), color in zip(curves.items(), SERIES[:3], strict=True):
            ax.plot(*zip(*points, strict=True), "o-", color=color, label=f"depth {depth}")
        sizes = [n for n, _ in curves[1]]
        estimates = [float(hanin_rolnick_2019_regions_estimate(n, 3)) for n in sizes]
        ax.plot(sizes, estimates, color=PREDICTION, linewidth=0.8, linestyle=":", label="N³ / 6")
        ax.set_yscale("log")
        ax.set_xlabel("neurons N")
        ax.set_ylabel("cells of R³")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return Evidence(rows, draw=draw, seed=SEED)
