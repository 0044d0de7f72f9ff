r"""One hidden layer on a line: at most one piece more than neurons.

Claim
    A ReLU network with one hidden layer of m neurons has at most m + 1 affine pieces on the line, and some have m + 1.
Source
    Theories of Deep Learning, lecture 15, "linear in width" [oxford-lecture-15]; R. Arora et al., ICLR 2018 [arora2018].
Prediction
    m + 1, plica.theory.regions.raghu_2017_upper_bound((1, m, 1))
Measurement
    pieces of random networks on a long segment, and of an interpolant of m + 1 alternating values
    (plica.construct.interpolant), exactly: plica.decompose
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import CONTROL, MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.construct import interpolant
from plica.geometry import Segment, decompose
from plica.network import Network, random_network
from plica.theory.regions import raghu_2017_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("sawtooth-unit-interval", "telgarsky-2015-pieces")
SEED = 0


def zigzag(m: int) -> Network:
    """m neurons through m alternating values."""
    return interpolant(range(m), [k % 2 for k in range(m)], right=(-1.0) ** m / 2).network


def check(scale: str) -> Evidence:
    far = Segment([-(2.0**20)], [2.0**20])
    rows = []
    for m in (1, 2, 3, 5, 8, 13, 64):
        seeds = range(SEED, SEED + (20 if scale == "full" else 4))
        nets = [random_network([1, m, 1], seed=seed, weights="normal", bias_std=1.0) for seed in seeds]
        most = max(decompose(net, far).n_regions for net in nets)
        rows.append(row(most, "<=", raghu_2017_upper_bound((1, m, 1)), m=m, network=f"most of {len(nets)} random"))
        rows.append(row(decompose(zigzag(m), far).n_regions, "=", m + 1, m=m, network="zigzag"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Eight neurons, nine pieces; and a random network, which has its breakpoints elsewhere."""
    x = np.linspace(-2, 9, 1101)
    net, other = zigzag(8), random_network([1, 8, 1], seed=SEED, weights="normal", bias_std=1.0)
    ax.plot(x, net(x[:, None])[:, 0], color=MEASUREMENT, label="8 neurons, 9 pieces")
    values = other((x[:, None] - 3) / 2)[:, 0]
    ax.plot(x, values / np.abs(values).max(), color=CONTROL, label="8 random neurons")
    ax.plot(range(8), [k % 2 for k in range(8)], "o", color=PREDICTION, markersize=4)
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
