r"""The maximum of n numbers is a ReLU network with ceil(log2 n) hidden layers.

Claim
    max(x_1, ..., x_n) is computed exactly by a ReLU network with ceil(log2 n) hidden layers; it has n pieces.
Source
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, ICLR 2018, Theorem 2.1 and its proof [arora2018].
Prediction
    ceil(log2 n) hidden layers; n regions; the value of the largest coordinate
Measurement
    the network built pair by pair (plica.construct.maximum); its regions over a box in R^n (plica.decompose) for n up to 4; its
    values at random integer points, compared exactly
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.construct import maximum
from plica.geometry import Box, decompose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("interpolation", "piecewise-linear-functions")
SEED = 2018


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for n in (2, 3, 4, 5, 8, 13) + ((32, 100) if scale == "full" else ()):
        net = maximum(n).network
        rows.append(row(len(net.layers), "=", int(np.ceil(np.log2(n))), n=n, what="hidden layers"))
        x = rng.integers(-(2**20), 2**20, (200, n)).astype(float)
        rows.append(row(int((net(x)[:, 0] != x.max(axis=1)).sum()), "=", 0, n=n, what="points where it differs"))
        if n <= 4:
            box = Box(-1.0 - np.arange(n) / 8, 1.0 + np.arange(n) / 16)
            rows.append(row(decompose(net, box).n_regions, "=", n, n=n, what="regions"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Hidden layers of the maximum of n numbers."""
    n = list(range(2, 34))
    ax.step(n, np.ceil(np.log2(n)), where="mid", color=PREDICTION, label="ceil(log2 n)")
    ax.plot(n, [len(maximum(k).network.layers) for k in n], "o", color=MEASUREMENT, markersize=4, label="as built")
    ax.set_xlabel("numbers n")
    ax.set_ylabel("hidden layers")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
