r"""Hanin and Rolnick: on a line, random networks break about once per neuron, at any depth.

Claim
    At initialization the expected number of breakpoints of a ReLU network along a line grows linearly in the number of neurons,
    whatever the depth.
Source
    B. Hanin, D. Rolnick, Complexity of Linear Regions in Deep Networks, ICML 2019, arXiv 1901.09021 [hanin2019a].
Prediction
    about N breakpoints for N neurons in total on a segment that reaches beyond most of them, within 15 percent; for one layer
    plica.theory.regions.gaussian_layer_crossings, exactly in expectation
Measurement
    breakpoints of random networks with the same N and different depths on [-50, 50], exactly for each network
    (plica.count_regions), averaged over seeds
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.geometry import Segment, count_regions
from plica.network import random_network
from plica.theory.regions import gaussian_layer_crossings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-plane", "montufar-2014")
SEED = 1901
BIAS = 0.3


def breakpoints(hidden: list[int], n_networks: int) -> tuple[float, float]:
    """Mean and standard error of the number of breakpoints on [-50, 50]."""
    segment = Segment([-50.0], [50.0])
    counts = [
        count_regions(random_network([1, *hidden, 1], seed=SEED + k, weights="he-normal", bias_std=BIAS), segment).n_cells - 1
        for k in range(n_networks)
    ]
    return mean(counts), stdev(counts) / sqrt(n_networks)


def check(scale: str) -> Evidence:
    n_networks = 100 if scale == "full" else 40
    rows = []
    for n in (64, 128) + ((256,) if scale == "full" else ()):
        for depth in (1, 2, 4, 8):
            measured, error = breakpoints([n // depth] * depth, n_networks)
            rows.append(row(measured, "=", n, kind="estimated", standard_error=error, tolerance=0.15, neurons=n, depth=depth))
            if depth == 1:
                exact = gaussian_layer_crossings(n, -50.0, 50.0, weight_std=sqrt(2.0), bias_std=BIAS)
                rows.append(row(measured, "=", exact, kind="estimated", standard_error=error, neurons=n, depth="1, exact mean"))
    return Evidence(rows, draw=figure(rows), seed=SEED, note="Eight layers of 8 could have more than 10^7 pieces.")


def figure(rows: list[Row]) -> Callable[[Axes], None]:
    """Breakpoints against depth, for each number of neurons."""

    def draw(ax: Axes) -> None:
        for n, color in zip((64, 128), SERIES, strict=False):
            chosen = [r for r in rows if r.parameters["neurons"] == n and isinstance(r.parameters["depth"], int)]
            depths = [r.parameters["depth"] for r in chosen]
            errors = [2 * (r.standard_error or 0.0) for r in chosen]
            ax.errorbar(depths, [r.measured for r in chosen], yerr=errors, fmt="o-", color=color, capsize=3, label=f"{n} neurons")
            ax.axhline(n, color=color, linewidth=0.8, linestyle=":")
        ax.set_xscale("log", base=2)
        ax.set_ylim(0)
        ax.set_xlabel("depth")
        ax.set_ylabel("breakpoints on [-50, 50]")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
