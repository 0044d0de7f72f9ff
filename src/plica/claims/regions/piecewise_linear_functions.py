r"""Every continuous piecewise-linear function is a ReLU network, and every ReLU network is one.

Claim
    A continuous piecewise-linear function with affine pieces g_1, ..., g_m is max_i min_{j in S_i} g_j for suitable sets S_i, and
    so a ReLU network; a ReLU network is continuous and piecewise linear.
Source
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, ICLR 2018, Theorem 2.1 [arora2018].
Prediction
    a network taken apart into its pieces and put together again from maxima and minima of them is the same function: their
    difference has one region, on which all its coefficients are 0
Measurement
    random networks with integer weights: pieces and sets S_i from the exact complex (plica.construct.lattice_form), a ReLU
    network built from them (plica.construct.max_min), and the exact complex of the difference of the two
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.claims import Evidence, row
from plica.construct import lattice_form, max_min
from plica.geometry import Box, Segment, decompose
from plica.network import Add, Builder, Linear, Network, Rectifier

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("interpolation", "arora-2018-maximum", "slide-bijection")
SEED = 1611


def integer_network(widths: tuple[int, ...], seed: int) -> Network:
    """A ReLU network with small integer weights: all its maps are integers."""
    rng = np.random.default_rng(seed)
    ops: list[Linear | Rectifier] = []
    for i in range(len(widths) - 1):
        ops += [Rectifier()] if i else []
        weight, bias = rng.integers(-2, 3, (widths[i + 1], widths[i])), rng.integers(-2, 3, widths[i + 1])
        ops.append(Linear(weight.astype(float), bias.astype(float)))
    return Network.sequential(widths[0], ops)


def difference(f: Network, g: Network) -> Network:
    """f - g."""
    b, ends = Builder(f.n_inputs), []
    for net in (f, g):
        place = {0: 0}
        for i, node in enumerate(net.nodes[1:], start=1):
            place[i] = b.add(node.op, *(place[j] for j in node.inputs))
        ends.append(place[len(net.nodes) - 1])
    minus = b.add(Linear(np.array([[-1.0]])), ends[1])
    return b.build(b.add(Add(), ends[0], minus))


def check(scale: str) -> Evidence:
    rows = []
    cases = [((1, 4, 1), 3), ((1, 3, 3, 1), 3), ((2, 3, 1), 3), ((2, 3, 2, 1), 3)]
    cases += [((2, 4, 3, 1), 10), ((3, 3, 2, 1), 5)] if scale == "full" else []
    for widths, n_networks in cases:
        d = widths[0]
        domain = Segment([-3.0], [3.0]) if d == 1 else Box([-3.0] * d, [3.0] * d)
        for k in range(n_networks):
            net = integer_network(widths, SEED + k)
            cx = decompose(net, Box([-3.0], [3.0]) if d == 1 else domain)
            forms, groups = lattice_form(cx)
            again = max_min(forms, groups).network
            gap = decompose(difference(net, again), domain)
            what: dict[str, Any] = {"widths": widths, "seed": SEED + k, "pieces": len(forms), "neurons_again": again.n_neurons}
            rows.append(row(gap.n_regions, "=", 1, what="regions of the difference", **what))
            rows.append(row(sum(c != 0 for c in gap._exact_map(0).fractions()), "=", 0, what="its coefficients", **what))
    return Evidence(rows, seed=SEED)
