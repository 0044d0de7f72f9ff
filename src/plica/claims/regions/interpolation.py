r"""Every piecewise-linear function of one variable is a ReLU network with one hidden layer.

Claim
    A continuous piecewise-linear function on R with p pieces is a ReLU network with one hidden layer of p neurons, and none
    with fewer than p - 1 neurons computes it.
Source
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, ICLR 2018, Theorem 2.2 [arora2018].
Prediction
    p pieces from at most p neurons; m neurons make at most m + 1 pieces (plica.theory.regions.raghu_2017_upper_bound)
Measurement
    pieces and values of plica.construct.interpolant for random integer data, exactly: plica.decompose
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, row
from plica.construct import interpolant
from plica.geometry import Segment, decompose
from plica.theory.regions import raghu_2017_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-bijection", "one-hidden-layer-pieces")
SEED = 18


def random_data(p: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Knots, values and slopes of a function with p pieces, no two neighbors of which have the same slope."""
    x = np.arange(p - 1.0)
    slopes = 1.0 + np.cumsum(rng.integers(1, 8, p) * rng.choice([-1, 1], p))
    slopes[0] = slopes[1] + 3.0
    return x, 5.0 + np.concatenate([[0.0], np.cumsum(slopes[1:-1])]), slopes


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for p in (2, 3, 4, 6, 10, 20) + ((100, 400) if scale == "full" else ()):
        x, y, slopes = random_data(p, rng)
        net = interpolant(x, y, left=slopes[0], right=slopes[-1]).network
        cx = decompose(net, Segment([-4.0], [p + 4.0]))
        n_neurons = net.n_neurons
        rows.append(row(cx.n_regions, "=", p, p=p, what="pieces"))
        rows.append(row(n_neurons, "<=", p, p=p, what="neurons"))
        if p > 2:
            rows.append(row(raghu_2017_upper_bound((1, p - 2, 1)), "<", p, p=p, what="most pieces of p - 2 neurons"))
        rows.append(row(int((net(x[:, None]).ravel() != y).sum()), "=", 0, p=p, what="knots missed"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """A function with ten pieces, its knots, and the network."""
    x, y, slopes = random_data(10, np.random.default_rng(SEED))
    net = interpolant(x, y, left=slopes[0], right=slopes[-1]).network
    t = np.linspace(-1, 10, 1101)
    ax.plot(t, net(t[:, None])[:, 0], color=MEASUREMENT, label=f"network of {net.n_neurons} neurons")
    ax.plot(x, y, "o", color=PREDICTION, markersize=5, label="knots of 10 pieces")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
