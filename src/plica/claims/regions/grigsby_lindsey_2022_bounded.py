r"""Grigsby and Lindsey: one bounded component.

Claim
    A decision region of a ReLU network with n inputs, one hidden layer of n + 1 units and one output has at most one bounded
    connected component.
Source
    J. E. Grigsby and K. Lindsey, On Transversality of Bent Hyperplane Arrangements and the Topological Expressiveness of ReLU
    Neural Networks, 2022 [grigsby2022b].
Prediction
    at most 1
Measurement
    components (plica.measure.union_topology) of the cells above and below a level, in a box that meets every face of R^n; a
    component that does not reach the border of the box is bounded
Remark
    The threshold is one more unit on top of the network, cut into its complex. With more hidden units there can be more
    bounded components. The bound is attained by the distance to a simplex, n + 1 units whose sum is below a level in a bounded
    set only; controls are sets whose components do reach the border.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import FILLS, INK, REFERENCE
from plica.claims import Evidence, control, row
from plica.geometry import Space, decompose
from plica.measure import union_topology
from plica.network import Linear, Network, Rectifier, Scale, extended, random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-bounded",)
SEED = 52


def bounded_components(net: Network, level: float) -> tuple[int, int]:
    """Bounded components of the sets below and above a level."""
    cx = decompose(extended(net, [Scale(np.ones(1), np.array([-level])), Rectifier()]), Space(net.n_inputs))
    states = cx.layer_states(len(cx.network.layers) - 1)[:, 0]
    below, above = (union_topology(cx.shown, states == k) for k in (0, 1))
    return int((~below.touches_border()).sum()), int((~above.touches_border()).sum())


def two_bumps() -> Network:
    """Two hats side by side: six units on a line, two bounded components above 1/2."""
    knots = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    heights = np.array([1.0, -2.0, 1.0, 1.0, -2.0, 1.0])
    return Network.sequential(1, [Linear(np.ones((6, 1)), -knots), Rectifier(), Linear(heights[None])])


def simplex(n: int) -> Network:
    """sum_i max(-x_i, 0) + max(x_1 + ... + x_n - 1, 0): n + 1 units, below 1 in a bounded set only."""
    sides = np.vstack([-np.eye(n), np.ones(n)])
    return Network.sequential(n, [Linear(sides, np.append(np.zeros(n), -1.0)), Rectifier(), Linear(np.ones((1, n + 1)))])


def check(scale: str) -> Evidence:
    rows = []
    for n in (1, 2, 3):
        for seed in range(SEED, SEED + (6 if scale == "quick" else 60)):
            net = random_network([n, n + 1, 1], seed=seed, weights="he-normal", bias_std=1.0)
            found = bounded_components(net, float(np.random.default_rng(seed).normal()))
            rows.append(row(max(found), "<=", 1, n=n, seed=seed))
        below, above = bounded_components(simplex(n), 1.0)
        rows.append(row(below, "=", 1, n=n, what="near a simplex: the bound is attained"))
        rows.append(control(above, "=", 0, n=n, what="far from it: unbounded"))
    below, above = bounded_components(two_bumps(), 0.5)
    rows.append(control(above, "=", 2, what="above two hats of six units, n = 1"))
    rows.append(control(below, "=", 1, what="below them: of three components one is bounded"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """A level of the two hats of six units, and of three units in the plane: the sets above it."""
    x = np.linspace(-1, 6, 281)
    hats = two_bumps()(x[:, None])[:, 0]
    ax.plot(x, hats, color=INK)
    ax.axhline(0.5, color=REFERENCE, linewidth=0.8, linestyle=":")
    ax.fill_between(x, 0.5, hats, where=list(hats > 0.5), color=FILLS[1], alpha=0.7)
    one = Network.sequential(
        1, [Linear(np.array([[1.0], [-1.0]]), np.array([0.0, 2.0])), Rectifier(), Linear(-np.ones((1, 2)), np.full(1, 5.0))]
    )
    heights = one(x[:, None])[:, 0]
    ax.plot(x, heights, color=INK, linestyle="--")
    ax.axhline(2.5, color=REFERENCE, linewidth=0.8, linestyle=":")
    ax.fill_between(x, 2.5, heights, where=list(heights > 2.5), color=FILLS[0], alpha=0.7)
    ax.text(5.9, 1.15, "6 units: two bounded sets", fontsize=8, ha="right")
    ax.text(5.9, 3.2, "n + 1 = 2 units: one", fontsize=8, ha="right")
    ax.set(xlabel="x", ylim=(-0.4, 3.6))
    ax.spines[["top", "right"]].set_visible(False)
