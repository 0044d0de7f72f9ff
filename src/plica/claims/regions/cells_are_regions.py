r"""Is every activation pattern a linear region?

Claim
    No: ReLU(x) - ReLU(-x) = x has two activation patterns and one linear region, and so has ReLU(ReLU(x) - 2) on [-1, 1], whose
    first neuron folds where the second is inactive; deep random networks have fewer regions than patterns, too.
Source
    B. Hanin and D. Rolnick, who keep the two apart [hanin2019b]; often the one is counted for the other.
Prediction
    1 region and 2 cells; fewer regions than cells in all of the random networks together, and never more in one
Measurement
    n_cells and n_regions of the exact complex (plica.decompose); for random networks also the cells united across their borders
    where their maps are the same, in fractions
Remark
    Two neurons are the fewest: one neuron that folds has two maps. What is true of all networks is the claim cells-and-regions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import PREDICTION, REFERENCE, SERIES
from plica.claims import Evidence, control, row
from plica.claims.regions._united import united
from plica.geometry import Box, Segment, decompose
from plica.network import Linear, Network, Rectifier, random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "exact"
SEE = ("cells-and-regions",)
SEED = 3


def identity() -> Network:
    """ReLU(x) - ReLU(-x)."""
    return Network.sequential(1, [Linear(np.array([[1.0], [-1.0]])), Rectifier(), Linear(np.array([[1.0, -1.0]]))])


def silent() -> Network:
    """ReLU(ReLU(x) - 2), which is 0 on [-1, 1] though its first unit folds."""
    ops = [Linear(np.array([[1.0]])), Rectifier(), Linear(np.array([[1.0]]), np.array([-2.0])), Rectifier()]
    return Network.sequential(1, ops)


def check(scale: str) -> Evidence:
    rows = []
    for network, net in (("ReLU(x) - ReLU(-x)", identity()), ("ReLU(ReLU(x) - 2)", silent())):
        line = decompose(net, Segment([-1.0], [1.0]))
        rows.append(row(line.n_cells, "=", 2, network=network, what="cells"))
        rows.append(row(line.n_regions, "=", 1, network=network, what="regions"))
    square = Box([-4.0, -4.0], [4.0, 4.0])
    regions, cells = 0, 0
    for seed in range(SEED, SEED + (40 if scale == "full" else 6)):
        cx = decompose(random_network([2, 6, 3, 2, 1], seed=seed, weights="he-normal", bias_std=0.5), square)
        network = f"random 2-6-3-2-1, seed {seed}"
        regions, cells = regions + cx.n_regions, cells + cx.n_cells
        rows.append(control(cx.n_regions, "<=", cx.n_cells, network=network, what="regions"))
        rows.append(control(cx.n_regions, "=", united(cx), network=network, what="regions, by maps in fractions"))
    rows.append(row(regions, "<", cells, network="all random 2-6-3-2-1", what="regions, against cells"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Two units that fold and one line that comes out."""
    x = np.linspace(-1, 1, 3)
    ax.plot(x, np.maximum(x, 0), color=SERIES[0], label="ReLU(x)")
    ax.plot(x, -np.maximum(-x, 0), color=SERIES[1], label="-ReLU(-x)")
    ax.plot(x, identity()(x[:, None])[:, 0], color=PREDICTION, linestyle=":", linewidth=2.5, label="their sum: one region")
    ax.axvline(0, color=REFERENCE, linewidth=0.8)
    ax.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    ax.text(0.02, -0.95, "two cells meet here", fontsize=8)
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
