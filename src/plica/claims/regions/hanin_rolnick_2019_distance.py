r"""Hanin and Rolnick: the nearest fold is about 1 / N away, at any depth.

Claim
    At initialization the mean distance from a point to the nearest fold of a ReLU network with N neurons is of the order of 1 /
    N, whatever the depth; in wide networks it is 1 / (N lambda) with the rate that each layer has at that point.
Source
    B. Hanin, D. Rolnick, Complexity of Linear Regions in Deep Networks, ICML 2019, arXiv 1901.09021 [hanin2019a]; the constant is
    derived in plica.theory.regions.wide_relu_fold_distance.
Prediction
    plica.theory.regions.wide_relu_fold_distance, within 3 percent
Measurement
    distances from random points to the border of their cells in random networks, each certified (plica.measure.fold_distance),
    over the prediction for that point, averaged over points and networks
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, Row, row
from plica.measure import fold_distance
from plica.network import random_network
from plica.theory.regions import wide_relu_fold_distance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-line", "hanin-rolnick-2019-plane")
SEED = 9021
N_INPUTS, BIAS, N_POINTS = 4, 0.3, 40


def against_theory(n_neurons: int, depth: int, n_networks: int) -> tuple[float, float, float]:
    """The mean of distance over prediction, its standard error over networks, and the mean distance."""
    hidden = [n_neurons // depth] * depth
    ratios, means = [], []
    for k in range(n_networks):
        net = random_network([N_INPUTS, *hidden, 1], seed=SEED + k, weights="he-normal", bias_std=BIAS)
        points = np.random.default_rng(SEED + k).standard_normal((N_POINTS, N_INPUTS))
        found = fold_distance(net, points).distance
        predicted = wide_relu_fold_distance(hidden, np.linalg.norm(points, axis=1), n_inputs=N_INPUTS, bias_std=BIAS)
        ratios.append(float((found / predicted).mean()))
        means.append(float(found.mean()))
    return float(np.mean(ratios)), float(np.std(ratios, ddof=1) / sqrt(n_networks)), float(np.mean(means))


def check(scale: str) -> Evidence:
    n_networks = 800 if scale == "full" else 100
    cases = [(64, 1), (128, 1), (64, 2), (128, 2), (128, 4)] + ([(256, 4), (512, 4)] if scale == "full" else [])
    rows = []
    for n, depth in cases:
        ratio, error, distance = against_theory(n, depth, n_networks + 10 * depth)
        about: dict[str, Any] = {"neurons": n, "depth": depth, "distance": round(distance, 5)}
        rows.append(row(ratio, "=", 1.0, kind="estimated", standard_error=error, tolerance=0.03, **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Distance over prediction, for each depth and number of neurons."""
    for depth, color in zip((1, 2, 4), SERIES, strict=False):
        chosen = [r for r in rows if r.parameters["depth"] == depth]
        n = [r.parameters["neurons"] for r in chosen]
        errors = [2 * (r.standard_error or 0.0) for r in chosen]
        ax.errorbar(n, [r.measured for r in chosen], yerr=errors, fmt="o-", color=color, capsize=3, label=f"depth {depth}")
    ax.axhline(1.0, color=PREDICTION, linewidth=0.8, linestyle=":")
    ax.set_xscale("log", base=2)
    ax.set_ylim(0, 1.4)
    ax.set_xlabel("neurons N")
    ax.set_ylabel("mean distance / prediction")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
