r"""Grigsby, Lindsey and Rolnick: networks without hidden symmetries.

Claim
    If no hidden layer is narrower than the input, there are networks of every such architecture whose parameters are determined
    by their function up to permutations and rescalings of hidden units; others of the same shape have hidden symmetries.
Source
    J. E. Grigsby, K. Lindsey, D. Rolnick, Hidden Symmetries of ReLU Networks, ICML 2023 [grigsby2023].
Prediction
    a network with 0 dimensions of symmetries beyond one rescaling for each hidden unit; one more for a repeated unit's output
Measurement
    plica.measure.symmetries over all cells of R^n: ranks modulo primes, directions named and checked, the least over seeds
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from plica.claims import Evidence, control, row
from plica.geometry import Space, decompose
from plica.measure import symmetries
from plica.network import Linear, Network, Rectifier, random_network

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("grigsby-2022-functional-dimension", "relu-symmetries")
SEED = 2306


def with_dead_unit(widths: tuple[int, int, int], seed: int) -> Network:
    """A random layer and one more unit, ReLU(-1)."""
    first, _, last = (node.op for node in random_network(widths, seed=seed, weights="he-normal", bias_std=0.5).nodes[1:])
    assert isinstance(first, Linear) and isinstance(last, Linear) and first.bias is not None
    weight, bias = np.vstack([first.weight, np.zeros((1, widths[0]))]), np.append(first.bias, -1.0)
    read = np.hstack([last.weight, np.ones((widths[2], 1))])
    return Network.sequential(widths[0], [Linear(weight, bias), Rectifier(), Linear(read, last.bias)])


def check(scale: str) -> Evidence:
    rows = []
    shapes = [(1, 3, 1), (2, 3, 1), (2, 3, 3, 1)] + ([(2, 4, 4, 4, 1), (3, 4, 4, 1)] if scale == "full" else [])
    for widths in shapes:
        found = []
        for seed in range(SEED, SEED + (4 if scale == "quick" else 12)):
            net = random_network(widths, seed=seed, weights="he-normal", bias_std=0.5)
            found.append(symmetries(decompose(net, Space(widths[0]))))
            lost = found[-1].functional.n_parameters - found[-1].functional.value
            rows.append(control(lost, ">=", sum(widths[1:-1]), what="rescalings", widths=widths, seed=seed))
        rows.append(row(min(s.n_known + s.n_hidden for s in found), "=", sum(widths[1:-1]), what="all", widths=widths))
    widths = (2, 3, 2)
    idle = symmetries(decompose(with_dead_unit(widths, SEED), Space(2)))
    n_idle = widths[0] + 1 + widths[2]
    rows.append(control(int(idle.idle.sum()), "=", n_idle, what="idle parameters of a dead unit", widths=(2, 4, 2)))
    total = sum((a + 1) * b for a, b in pairwise((2, 4, 2)))
    rows.append(control(idle.functional.value, "=", total - 3 - n_idle, what="functional dimension with it", widths=(2, 4, 2)))
    return Evidence(rows, seed=SEED)
