r"""Telgarsky: how many pieces a network can have on a line.

Claim
    A ReLU network with one input, L hidden layers and m neurons has at most 2^L prod_l n_l <= (2 m / L)^L affine pieces, with
    equality of the two bounds for equal widths. The most that there are is prod_l (n_l + 1), less by 2 n_l / (n_l + 1) a layer.
Source
    M. Telgarsky, Representation Benefits of Deep Feedforward Networks (2015) [telgarsky2015]; what is attained is in T. Serra et
    al. [serra2018].
Prediction
    plica.theory.regions.telgarsky_2015_upper_bound(widths), plica.theory.regions.telgarsky_2015_upper_bound_by_size
Measurement
    pieces of random networks, of the sawtooth (plica.construct.sawtooth) and of the network with the most pieces
    (plica.construct.folding with zigzags), exactly: plica.decompose; for the latter the bound is known as a multiple of the
    pieces that are counted
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from plica._palette import BOUND, SERIES
from plica.claims import Evidence, Row, row
from plica.construct import folding, sawtooth
from plica.geometry import Segment, decompose
from plica.network import random_network
from plica.theory.regions import telgarsky_2015_upper_bound, telgarsky_2015_upper_bound_by_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("sawtooth-unit-interval", "serra-2018-lower", "one-hidden-layer-pieces")
SEED = 16


def check(scale: str) -> Evidence:
    far, near = Segment([-64.0], [64.0]), Segment([-1.0], [2.0])
    n_networks = 100 if scale == "full" else 12
    found: list[tuple[str, tuple[int, ...], int]] = []
    for hidden in ((4,), (4, 4), (8, 8, 8), (16, 16, 16, 16)):
        nets = (random_network([1, *hidden, 1], seed=SEED + k, weights="he-normal", bias_std=0.5) for k in range(n_networks))
        found.append(("random", hidden, max(decompose(net, far).n_regions for net in nets)))
    for depth in (1, 2, 4, 8):
        net = sawtooth(depth).network
        found.append(("sawtooth", net.widths[1:-1], decompose(net, near).n_regions))
    for hidden in ((3,), (3, 3, 3), (4, 4, 4, 4), (3, 5, 4)):
        found.append(("zigzag", hidden, decompose(folding((1, *hidden, 1), fold="zigzag").network, near).n_regions))
    rows = []
    for network, widths, pieces in found:
        by_layers = telgarsky_2015_upper_bound((1, *widths, 1))
        rows.append(row(pieces, "<=", by_layers, network=network, hidden=widths))
        if network == "zigzag":
            ratio = prod(Fraction(2 * n, n + 1) for n in widths)
            rows.append(row(Fraction(by_layers, pieces), "=", ratio, network="bound over pieces", hidden=widths))
        by_size = telgarsky_2015_upper_bound_by_size(sum(widths), len(widths))
        relation = "=" if len(set(widths)) == 1 else "<"
        rows.append(row(by_layers, relation, by_size, network="the bound by layers against the one by size", hidden=widths))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Pieces against the bound, for random networks, sawteeth and zigzags."""
    for (name, marker), color in zip((("random", "o"), ("sawtooth", "s"), ("zigzag", "D")), SERIES, strict=False):
        chosen = [r for r in rows if r.parameters["network"] == name]
        ax.plot([r.predicted for r in chosen], [r.measured for r in chosen], marker, color=color, label=name)
    ends = [r.predicted for r in rows if r.relation == "<="]
    ax.plot([min(ends), max(ends)], [min(ends), max(ends)], color=BOUND, linewidth=1, label="as many as the bound")
    ax.set(xscale="log", yscale="log")
    ax.set_xlabel("bound by layers")
    ax.set_ylabel("pieces")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
