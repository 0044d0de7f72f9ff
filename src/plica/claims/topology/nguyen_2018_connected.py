r"""Nguyen, Mukkamala and Hein: a pyramid of leaky ReLUs does not separate.

Claim
    If the widths of a network of leaky ReLUs never grow, from the inputs on, and its weight matrices have full rank, the open
    region of every class is connected.
Source
    Q. Nguyen, M. C. Mukkamala, M. Hein, Neural Networks Should Be Wide Enough to Learn Disconnected Decision Regions, ICML 2018,
    Theorem 3.10 [nguyen2018].
Prediction
    at most 1 component for each class
Measurement
    cells of one class that hang together through facets (the adjacency of plica.decompose over all of R^n, cut where two
    outputs are equal and both largest)
Remark
    Both conditions are needed: with one unit more, and with a matrix of lower rank, |x| > 1/2 has two components.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from plica.claims import Evidence, control, row
from plica.geometry import Space, decompose
from plica.network import Linear, Max, Network, Op, Rectifier, extended

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("beise-2021-narrow",)
SEED = 2018
LEAK = 0.125


def class_components(net: Network) -> list[int]:
    """For each class the components of the open set where its output is the largest."""
    from scipy.sparse.csgraph import connected_components

    n = net.n_outputs
    cx = decompose(extended(net, [Max(np.arange(n)[None])]), Space(net.n_inputs))
    classes = cx.layer_states(len(cx.network.layers) - 1)[:, 0]
    graph = cx.adjacency()
    out = []
    for k in range(n):
        own = np.flatnonzero(classes == k)
        out.append(int(connected_components(graph[own][:, own], directed=False)[0]) if len(own) else 0)
    return out


def pyramid(widths: tuple[int, ...], seed: int) -> Network:
    """Leaky ReLUs with random weights, which have full rank."""
    rng = np.random.default_rng(seed)
    ops: list[Op] = []
    for n_in, n_out in pairwise(widths):
        ops += [Linear(rng.normal(size=(n_out, n_in)), rng.normal(size=n_out)), Rectifier(np.array(LEAK))]
    return Network.sequential(widths[0], ops[:-1])


def two_sides(n: int, n_units: int) -> Network:
    """|x| - 1/2 against 0, from two units that read x and -x, and others that nothing reads."""
    weight = np.zeros((n_units, n))
    weight[0, 0], weight[1, 0] = 1.0, -1.0
    weight[np.arange(2, n_units), np.arange(2, n_units) - 1] = 1.0
    read = np.zeros((2, n_units))
    read[0, :2] = 1 / (1 - LEAK)
    return Network.sequential(n, [Linear(weight), Rectifier(np.array(LEAK)), Linear(read, np.array([-0.5, 0.0]))])


def check(scale: str) -> Evidence:
    rows = []
    for widths in [(2, 2, 2), (2, 2, 2, 2, 2), (3, 3, 3), (3, 3, 2, 2)]:
        for seed in range(SEED, SEED + (3 if scale == "quick" else 40)):
            rows.append(row(max(class_components(pyramid(widths, seed))), "<=", 1, widths=widths, seed=seed))
    rows.append(control(class_components(two_sides(2, 2))[0], "=", 2, what="a matrix of rank 1", widths=(2, 2, 2)))
    rows.append(control(class_components(two_sides(2, 3))[0], "=", 2, what="one unit more", widths=(2, 3, 2)))
    return Evidence(rows, seed=SEED)
