r"""Telgarsky: how many pieces a network can have on a line.

Claim
    A ReLU network with one input, L hidden layers and m neurons has at most 2^L prod_l n_l <= (2 m / L)^L affine pieces.
Source
    M. Telgarsky, Representation Benefits of Deep Feedforward Networks (2015) [telgarsky2015].
Prediction
    plica.theory.regions.telgarsky_2015_upper_bound(widths)
Measurement
    pieces of random networks, of the sawtooth (plica.construct.sawtooth) and of the network with the most pieces
    (plica.construct.folding with zigzags), exactly: plica.decompose
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.construct import folding, sawtooth
from plica.geometry import Segment, decompose
from plica.network import random_network
from plica.theory.regions import telgarsky_2015_upper_bound, telgarsky_2015_upper_bound_by_size

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
        found.append((f"most of {n_networks} random", hidden, max(decompose(net, far).n_regions for net in nets)))
    for depth in (1, 2, 4, 8):
        net = sawtooth(depth).network
        found.append(("sawtooth", net.widths[1:-1], decompose(net, near).n_regions))
    for hidden in ((3,), (3, 3, 3), (4, 4, 4, 4)):
        found.append(("zigzag", hidden, decompose(folding((1, *hidden, 1), fold="zigzag").network, near).n_regions))
    rows = []
    for network, widths, pieces in found:
        by_layers = telgarsky_2015_upper_bound((1, *widths, 1))
        rows.append(row(pieces, "<=", by_layers, network=network, hidden=widths))
        by_size = telgarsky_2015_upper_bound_by_size(sum(widths), len(widths))
        rows.append(row(by_layers, "<=", by_size, network="the bound by layers against the one by size", hidden=widths))
    return Evidence(rows, seed=SEED)
