r"""Hanin and Rolnick: training does not make many more cells.

Claim
    While a ReLU network with N neurons and two inputs is trained, its number of cells stays of the order of N^2 / 2, whatever the
    depth.
Source
    B. Hanin, D. Rolnick, Deep ReLU Networks Have Surprisingly Few Activation Patterns, NeurIPS 2019, arXiv 1906.00904
    [hanin2019b].
Prediction
    plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 2), within a factor of 2 at every stage
Measurement
    cells on [-30, 30]^2, exactly for each network (plica.count_regions), before, during and after training with Adam to separate
    two spirals, averaged over seeds
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, Row, row
from plica.geometry import Box, count_regions
from plica.network import random_network
from plica.theory.regions import hanin_rolnick_2019_regions_estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-plane",)
SEED = 19060


def spirals(n: int) -> tuple[Array, Array]:
    """Two spirals and which of them each point is on."""
    t = np.linspace(0.3, 2.5, n // 2) * np.pi
    arm = np.stack([t * np.cos(t), t * np.sin(t)], axis=1) / 8
    return np.concatenate([arm, -arm]), np.repeat([[1.0], [0.0]], n // 2, axis=0)


def counts_while_training(depth: int, n_neurons: int, stages: list[int], seed: int) -> tuple[list[int], float]:
    """Cells before training and after the given numbers of steps, and the share of points misclassified at the end."""
    from plica.learn import Adam, Dense, Stepper

    net = random_network([2, *[n_neurons // depth] * depth, 1], seed=seed, weights="he-normal", bias_std=0.3)
    layers = [(op.weight, op.bias) for op in net.dense_layers if op.bias is not None]
    dense = Dense(layers, ["relu"] * depth, loss="logistic")
    x, y = spirals(200)
    stepper = Stepper([dense.weights], lambda step: dense.gradient(x, y), optimizer=Adam(), rate=lambda step: 3e-3)
    square = Box([-30.0, -30.0], [30.0, 30.0])
    found = [count_regions(net, square, cells_only=True).n_cells]
    for stage in stages:
        while stepper.step < stage:
            stepper.advance()
        found.append(count_regions(dense.network(), square, cells_only=True).n_cells)
    return found, float(((dense.stages(x)[-1] > 0) != (y > 0)).mean())


def check(scale: str) -> Evidence:
    n, n_networks = (96, 40) if scale == "full" else (48, 10)
    stages = [100, 300, 1000, 3000] if scale == "full" else [30, 100, 400]
    predicted = float(hanin_rolnick_2019_regions_estimate(n, 2))
    rows = []
    for depth in (1, 2, 3, 4):
        found, wrong = zip(*(counts_while_training(depth, n, stages, SEED + k) for k in range(n_networks)), strict=True)
        for stage, counts in zip([0, *stages], zip(*found, strict=True), strict=True):
            error = stdev(counts) / sqrt(n_networks)
            for relation, factor in ((">=", 0.5), ("<=", 2.0)):
                rows.append(
                    row(mean(counts), relation, factor * predicted, kind="estimated", standard_error=error, depth=depth,
                        steps=stage, neurons=n, wrong_at_the_end=mean(wrong))
                )  # fmt: skip
    return Evidence(rows, draw=figure(rows, n), seed=SEED)


def figure(rows: list[Row], n: int) -> Callable[[Axes], None]:
    """Cells over N^2 against training steps, for each depth."""

    def draw(ax: Axes) -> None:
        for depth, color in zip((1, 2, 3, 4), SERIES, strict=False):
            chosen = [r for r in rows if r.parameters["depth"] == depth and r.relation == ">="]
            ax.plot(
                [r.parameters["steps"] for r in chosen],
                [r.measured / n**2 for r in chosen],
                "o-",
                color=color,
                label=f"depth {depth}",
            )
        ax.axhline(0.5, color=PREDICTION, linewidth=0.8, linestyle=":")
        ax.set_xscale("symlog", linthresh=10)
        ax.set_ylim(0)
        ax.set_xlabel("training steps")
        ax.set_ylabel("cells / N²")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
