r"""Hanin and Rolnick: on a line, random networks break about once per neuron, at any depth.

Claim
    At initialization the expected number of breakpoints of a ReLU network along a line grows linearly in the number of neurons,
    whatever the depth: wide networks break once per neuron on a whole line, and a neuron of layer l breaks where a Cauchy
    variable of scale sigma_b sqrt(l / 2) falls.
Source
    B. Hanin, D. Rolnick, Complexity of Linear Regions in Deep Networks, ICML 2019, arXiv 1901.09021 [hanin2019a]; the constant
    and the place are derived in plica.theory.regions.wide_relu_breakpoints.
Prediction
    plica.theory.regions.wide_relu_breakpoints, within 3 percent where layers are wide for their depth; N on a segment that
    reaches far; for one layer plica.theory.regions.gaussian_layer_crossings, exactly in expectation
Measurement
    breakpoints of random networks with the same N and different depths on a long and on a short segment, exactly for each network
    (plica.count_regions), averaged over seeds
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.geometry import Segment, count_regions
from plica.network import random_network
from plica.theory.regions import gaussian_layer_crossings, wide_relu_breakpoints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-integral", "hanin-rolnick-2019-plane", "montufar-2014")
SEED = 1901
BIAS = 0.3


def breakpoints(hidden: list[int], reaches: tuple[float, ...], n_networks: int) -> list[tuple[float, float]]:
    """Mean and standard error of the number of breakpoints on each [-reach, reach], of the same networks."""
    segments = [Segment([-reach], [reach]) for reach in reaches]
    nets = (random_network([1, *hidden, 1], seed=SEED + k, weights="he-normal", bias_std=BIAS) for k in range(n_networks))
    counts = [[count_regions(net, segment, cells_only=True).n_cells - 1 for segment in segments] for net in nets]
    return [(mean(found), stdev(found) / sqrt(n_networks)) for found in zip(*counts, strict=True)]


def check(scale: str) -> Evidence:
    n_networks = 1500 if scale == "full" else 220
    rows = []
    for n in (64, 128) + ((256,) if scale == "full" else ()):
        for depth in (1, 2, 4, 8):
            hidden = [n // depth] * depth
            reaches = (50.0, 0.5) if n >= 128 and depth < 8 else (50.0,)
            for reach, (measured, error) in zip(reaches, breakpoints(hidden, reaches, n_networks), strict=True):
                wide = wide_relu_breakpoints(hidden, -reach, reach, bias_std=BIAS)
                about: dict[str, Any] = {"neurons": n, "depth": depth, "reach": reach}
                rows.append(row(measured, "=", wide, kind="estimated", standard_error=error, tolerance=0.03, **about))
                if reach == 50.0:
                    law = row(measured, "=", n, kind="estimated", standard_error=error, tolerance=0.03, against="N", **about)
                    rows.append(law)
                if depth == 1:
                    exact = gaussian_layer_crossings(n, -reach, reach, weight_std=sqrt(2.0), bias_std=BIAS)
                    rows.append(row(measured, "=", exact, kind="estimated", standard_error=error, against="one layer", **about))
    return Evidence(rows, draw=figure(rows), seed=SEED, note="Eight layers of 8 could have more than 10^7 pieces.")


def figure(rows: list[Row]) -> Callable[[Axes], None]:
    """Breakpoints against depth, for each number of neurons, on a long and on a short segment; lines where theory has them."""

    def draw(ax: Axes) -> None:
        for n, color in zip((64, 128), SERIES, strict=False):
            for reach, marker in ((50.0, "o"), (0.5, "s")):
                chosen = [
                    r
                    for r in rows
                    if "against" not in r.parameters and (r.parameters["neurons"], r.parameters["reach"]) == (n, reach)
                ]
                if not chosen:
                    continue
                depths = [r.parameters["depth"] for r in chosen]
                errors = [2 * (r.standard_error or 0.0) for r in chosen]
                label = f"{n} neurons, [-{reach:g}, {reach:g}]"
                ax.errorbar(depths, [r.measured for r in chosen], yerr=errors, fmt=marker, color=color, capsize=3, label=label)
                ax.plot(depths, [r.predicted for r in chosen], color=color, linewidth=0.8)
        ax.set_xscale("log", base=2)
        ax.set_ylim(0, 190)
        ax.set_xlabel("depth")
        ax.set_ylabel("breakpoints")
        ax.legend(frameon=False, fontsize=7, ncols=2)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
