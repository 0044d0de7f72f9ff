r"""Is every activation pattern a linear region?

Claim
    The number of linear regions of a ReLU network is the number of its activation patterns.
Source
    A common identification; B. Hanin and D. Rolnick keep the two apart [hanin2019b].
Prediction
    as many regions as cells
Measurement
    n_cells and n_regions of the exact complex (plica.decompose); for random networks also the cells united across their borders
    where their maps are the same, in fractions
Remark
    The smallest counterexample has two neurons: ReLU(x) - ReLU(-x) = x has two patterns and one region. A neuron that is
    active only where a later layer is inactive folds nothing either. What is true is the claim cells-and-regions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import PREDICTION, REFERENCE, SERIES
from plica.claims import Evidence, control, counterexample
from plica.claims.regions._united import united
from plica.geometry import Box, Segment, decompose
from plica.network import Linear, Network, Rectifier, random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (reading)"
EXPECTED = "refuted"
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
    line = decompose(identity(), Segment([-1.0], [1.0]))
    rows = [
        control(line.n_cells, "=", 2, network="ReLU(x) - ReLU(-x)", what="cells"),
        counterexample(line.n_regions, "=", line.n_cells, truth=1, network="ReLU(x) - ReLU(-x)", what="regions"),
    ]
    line = decompose(silent(), Segment([-1.0], [1.0]))
    rows += [
        control(line.n_cells, "=", 2, network="ReLU(ReLU(x) - 2)", what="cells"),
        counterexample(line.n_regions, "=", line.n_cells, truth=1, network="ReLU(ReLU(x) - 2)", what="regions"),
    ]
    square = Box([-4.0, -4.0], [4.0, 4.0])
    for seed in range(SEED, SEED + (40 if scale == "full" else 6)):
        cx = decompose(random_network([2, 6, 3, 2, 1], seed=seed, weights="he-normal", bias_std=0.5), square)
        network = f"random 2-6-3-2-1, seed {seed}"
        rows.append(control(cx.n_regions, "<=", cx.n_cells, network=network, what="regions"))
        rows.append(control(cx.n_regions, "=", united(cx), network=network, what="regions, by maps in fractions"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Two units that fold and one line that comes out."""
    x = np.linspace(-1, 1, 3)
    ax.plot(x, np.maximum(x, 0), color=SERIES[0], label="ReLU(x)")
    ax.plot(x, -np.maximum(-x, 0), color=SERIES[1], label="-ReLU(-x)")
    ax.plot(x, identity()(x[:, None])[:, 0], color=PREDICTION, linestyle=":", linewidth=2.5, label="their sum: one region")
    ax.axvline(0, color=REFERENCE, linewidth=0.8)
    ax.text(0.02, -0.95, "two cells meet here", fontsize=8)
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
