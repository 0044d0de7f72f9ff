r"""Hanin and Rolnick: in the plane, random networks have about N^2 / 2 cells, at any depth.

Claim
    At initialization a ReLU network with N neurons and two inputs has of the order of N^2 / 2 cells, whatever the depth:
    not exponentially many.
Source
    B. Hanin, D. Rolnick, Deep ReLU Networks Have Surprisingly Few Activation Patterns, NeurIPS 2019, arXiv 1906.00904
    [hanin2019b].
Prediction
    plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 2), within a factor of 2
Measurement
    cells of random networks with the same N and different depths on [-30, 30]^2, exactly for each network
    (plica.count_regions), averaged over seeds
"""

from __future__ import annotations

from math import sqrt
from statistics import mean, stdev

from plica.claims import Evidence, row
from plica.geometry import Box, count_regions
from plica.network import random_network
from plica.theory.regions import hanin_rolnick_2019_regions_estimate

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-line",)
SEED = 1906


def check(scale: str) -> Evidence:
    n_networks = 100 if scale == "full" else 20
    square = Box([-30.0, -30.0], [30.0, 30.0])
    rows = []
    for n in (24, 48) + ((96,) if scale == "full" else ()):
        predicted = float(hanin_rolnick_2019_regions_estimate(n, 2))
        for depth in (1, 2, 3, 4):
            widths = [2, *[n // depth] * depth, 1]
            nets = (random_network(widths, seed=SEED + k, weights="he-normal", bias_std=0.3) for k in range(n_networks))
            counts = [count_regions(net, square).n_cells for net in nets]
            error = stdev(counts) / sqrt(n_networks)
            for relation, factor in ((">=", 0.5), ("<=", 2.0)):
                rows.append(
                    row(
                        mean(counts), relation, factor * predicted, kind="estimated", standard_error=error, neurons=n, depth=depth
                    )
                )
    return Evidence(rows, seed=SEED)
