r"""Does every network have many regions?

Claim
    Every ReLU network with widths n_0, n_1, ..., n_L has at least prod_{l<L} floor(n_l / n_0) sum_{j<=n_0} C(n_L, j) regions.
Source
    Theories of Deep Learning, lecture 4, "partitions the input space into at least" [oxford-lecture-4].
Prediction
    plica.theory.regions.pascanu_2014_lower_bound(widths), read as a bound for every network
Measurement
    regions of particular networks in a box, exactly: plica.decompose
Remark
    The theorem is about the maximum over the weights. With all biases low enough nothing folds, and one layer of random
    weights already misses the count in a box. A network may have a single region.
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.geometry import Box, decompose
from plica.network import Linear, Network, Rectifier, random_network
from plica.theory.regions import pascanu_2014_lower_bound

EXPECTED = "refuted"
KIND = "exact"
SEE = ("pascanu-2014", "slide-product-bound")
SEED = 4


def linear_network(n: int) -> Network:
    """Pairs ReLU(x) - ReLU(-x) = x: many neurons, one affine map on the whole plane."""
    pair = np.vstack([np.eye(2), -np.eye(2)])
    W = np.vstack([pair] * (n // 4))
    back = np.hstack([np.eye(2), -np.eye(2)] * (n // 4)) / (n // 4)
    ops = [Linear(W), Rectifier(), Linear(back), Linear(W), Rectifier(), Linear(back[:1])]
    return Network.sequential(2, ops)


def check(scale: str) -> Evidence:
    square = Box([-10.0, -10.0], [10.0, 10.0])
    rows = []
    for n in (4, 8, 16):
        net = linear_network(n)
        measured = decompose(net, square).n_regions
        rows.append(
            row(measured, ">=", pascanu_2014_lower_bound(net.widths), widths=net.widths, network="pairs x = ReLU(x) - ReLU(-x)")
        )
    for seed in range(SEED, SEED + (50 if scale == "full" else 5)):
        net = random_network([2, 8, 8, 1], seed=seed, weights="he-normal", bias_std=0.5)
        measured = decompose(net, square).n_regions
        rows.append(row(measured, ">=", pascanu_2014_lower_bound(net.widths), widths=net.widths, network=f"random, seed {seed}"))
    return Evidence(rows, seed=SEED, note="For the pairs the count holds on all of the plane: the network is the identity there.")
