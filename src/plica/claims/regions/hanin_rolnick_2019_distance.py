r"""Hanin and Rolnick: the nearest fold is about 1 / N away, at any depth.

Claim
    At initialization the mean distance from a point to the nearest fold of a ReLU network with N neurons is of the order of
    1 / N, whatever the depth.
Source
    B. Hanin, D. Rolnick, Complexity of Linear Regions in Deep Networks, ICML 2019, arXiv 1901.09021 [hanin2019a].
Prediction
    mean distance proportional to N^-1 for every depth, exponent within 10 percent; at the same N all depths within a factor of 2
Measurement
    distances from random points to the border of their cells in random networks, each certified (plica.measure.fold_distance),
    averaged over networks
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.measure import fold_distance
from plica.network import random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-line", "hanin-rolnick-2019-plane")
SEED = 9021
N_INPUTS = 4


def distances(n_neurons: int, depth: int, n_networks: int) -> tuple[float, float]:
    """Mean distance to the nearest fold, and its standard error over networks."""
    found = []
    for k in range(n_networks):
        net = random_network([N_INPUTS, *[n_neurons // depth] * depth, 1], seed=SEED + k, weights="he-normal", bias_std=0.3)
        points = np.random.default_rng(SEED + k).standard_normal((4, N_INPUTS))
        found.append(fold_distance(net, points).mean)
    return mean(found), stdev(found) / sqrt(n_networks)


def exponent(sizes: list[int], values: list[float], errors: list[float]) -> tuple[float, float]:
    """Slope of log values against log sizes by least squares, and its standard error."""
    x, y = np.log(sizes), np.log(values)
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    return float(weights @ y), float(np.sqrt(((weights * np.array(errors) / np.array(values)) ** 2).sum()))


def check(scale: str) -> Evidence:
    n_networks = 1000 if scale == "full" else 150
    sizes = [32, 64, 128] + ([256, 512, 1024] if scale == "full" else [])
    rows, measured = [], {}
    for depth in (1, 2, 4):
        means, errors = zip(*(distances(n, depth, n_networks) for n in sizes), strict=True)
        measured[depth] = means
        slope, error = exponent(sizes, list(means), list(errors))
        rows.append(row(slope, "=", -1, kind="estimated", standard_error=error, tolerance=0.1, what="exponent of N", depth=depth))
        for n, m, e in zip(sizes, means, errors, strict=True):
            ratio = m / measured[1][sizes.index(n)]
            for relation, bound in ((">=", 0.5), ("<=", 2.0)):
                rows.append(
                    row(ratio, relation, bound, kind="estimated", standard_error=e / m * ratio, what="distance against depth 1",
                        neurons=n, depth=depth, distance=m)
                )  # fmt: skip
    return Evidence(rows, draw=figure(rows), seed=SEED)


def figure(rows: list[Row]) -> Callable[[Axes], None]:
    """Distance times the number of neurons, for each depth."""

    def draw(ax: Axes) -> None:
        for depth, color in zip((1, 2, 4), SERIES, strict=False):
            chosen = [r for r in rows if r.parameters["depth"] == depth and r.relation == "<=" and "neurons" in r.parameters]
            n = [r.parameters["neurons"] for r in chosen]
            ax.plot(
                n, [r.parameters["neurons"] * r.parameters["distance"] for r in chosen], "o-", color=color, label=f"depth {depth}"
            )
        ax.set_xscale("log", base=2)
        ax.set_ylim(0)
        ax.set_xlabel("neurons N")
        ax.set_ylabel("N times the mean distance to the nearest fold")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
