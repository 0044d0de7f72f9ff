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

from collections.abc import Callable, Iterator
from math import sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.claims import Evidence, Row, row
from plica.geometry import Box, count_regions
from plica.network import Linear, Network, Rectifier, random_network
from plica.theory.regions import hanin_rolnick_2019_regions_estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-plane",)
SEED = 19060


def spirals(n: int) -> tuple[Array, Array]:
    """Two spirals and which of them each point is on."""
    t = np.linspace(0.3, 2.5, n // 2) * np.pi
    arm = np.stack([t * np.cos(t), t * np.sin(t)], axis=1) / 8
    return np.concatenate([arm, -arm]), np.repeat([1.0, -1.0], n // 2)


def train(parameters: list[Array], x: Array, y: Array, n_steps: int, rate: float = 3e-3) -> Iterator[tuple[list[Array], float]]:
    """Full-batch Adam on the logistic loss of an MLP [W1, b1, W2, b2, ...]; after each step the parameters and the error rate."""
    first, second = ([np.zeros_like(p) for p in parameters] for _ in range(2))
    for step in range(1, n_steps + 1):
        hidden = [x]
        for i in range(0, len(parameters), 2):
            z = hidden[-1] @ parameters[i].T + parameters[i + 1]
            hidden.append(np.maximum(z, 0.0) if i < len(parameters) - 2 else z)
        g = (-y / (1 + np.exp(np.clip(y * hidden[-1][:, 0], -50, 50))) / len(y))[:, None]
        for i in range(len(parameters) - 2, -1, -2):
            gradients = (g.T @ hidden[i // 2], g.sum(axis=0))
            g = (g @ parameters[i]) * (hidden[i // 2] > 0)
            for j, d in zip((i, i + 1), gradients, strict=True):
                first[j] = 0.9 * first[j] + 0.1 * d
                second[j] = 0.999 * second[j] + 0.001 * d * d
                size = np.sqrt(second[j] / (1 - 0.999**step)) + 1e-8
                parameters[j] = parameters[j] - rate * first[j] / (1 - 0.9**step) / size
        yield parameters, float((np.sign(hidden[-1][:, 0]) != y).mean())


def counts_while_training(depth: int, n_neurons: int, stages: list[int], seed: int) -> tuple[list[int], float]:
    """Cells before training and after the given numbers of steps, and the share of points misclassified at the end."""
    net = random_network([2, *[n_neurons // depth] * depth, 1], seed=seed, weights="he-normal", bias_std=0.3)
    parameters = [
        np.array(a)
        for node in net.nodes
        for a in (getattr(node.op, "weight", None), getattr(node.op, "bias", None))
        if a is not None
    ]
    square, x_y = Box([-30.0, -30.0], [30.0, 30.0]), spirals(200)
    found, wrong = [count_regions(net, square, cells_only=True).n_cells], 1.0
    for step, (now, error_rate) in enumerate(train(parameters, *x_y, n_steps=stages[-1]), start=1):
        wrong = error_rate
        if step in stages:
            ops: list[Linear | Rectifier] = []
            for i in range(0, len(now), 2):
                ops += ([Rectifier()] if i else []) + [Linear(now[i].copy(), now[i + 1].copy())]
            found.append(count_regions(Network.sequential(2, ops), square, cells_only=True).n_cells)
    return found, wrong


def check(scale: str) -> Evidence:
    n, n_networks = (96, 20) if scale == "full" else (48, 5)
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
    return Evidence(rows, draw=figure(rows, n), seed=SEED, reproduction=True)


def figure(rows: list[Row], n: int) -> Callable[[Axes], None]:
    """Cells over N^2 against training steps, for each depth."""

    def draw(ax: Axes) -> None:
        for depth, color in ((1, "#0072B2"), (2, "#E69F00"), (3, "#009E73"), (4, "#CC79A7")):
            chosen = [r for r in rows if r.parameters["depth"] == depth and r.relation == ">="]
            ax.plot(
                [r.parameters["steps"] for r in chosen],
                [r.measured / n**2 for r in chosen],
                "o-",
                color=color,
                label=f"depth {depth}",
            )
        ax.axhline(0.5, color="#1B1B1B", linewidth=0.8, linestyle=":")
        ax.set_xscale("symlog", linthresh=10)
        ax.set_ylim(0)
        ax.set_xlabel("training steps")
        ax.set_ylabel("cells / N²")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
