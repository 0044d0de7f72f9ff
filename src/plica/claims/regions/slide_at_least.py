r"""Does every network have many regions?

Claim
    No: of ReLU networks with widths n_0, n_1, ..., n_L some have fewer than prod_{l<L} floor(n_l / n_0) sum_{j<=n_0} C(n_L, j)
    regions, the number that the best of them reach; one has a single region.
Source
    Theories of Deep Learning, lecture 4, says of a network that it "partitions the input space into at least" so many regions
    [oxford-lecture-4]; the theorem of Pascanu et al. is about the best weights [pascanu2014].
Prediction
    1 for pairs x = ReLU(x) - ReLU(-x); for random networks fewer on average than
    plica.theory.regions.pascanu_2014_lower_bound(widths)
Measurement
    regions of particular networks in a box, exactly: plica.decompose
Remark
    The theorem is about the maximum over the weights. With all biases low enough nothing folds, and one layer of random
    weights already misses the count in a box. A network may have a single region.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.claims import Evidence, row
from plica.geometry import Box, decompose
from plica.network import Linear, Network, Rectifier, random_network
from plica.theory.regions import pascanu_2014_lower_bound

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
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
        about: dict[str, Any] = {"widths": net.widths, "network": "pairs x = ReLU(x) - ReLU(-x)"}
        rows.append(row(measured, "=", 1, **about))
        rows.append(row(measured, "<", pascanu_2014_lower_bound(net.widths), **about))
    n_networks = 400 if scale == "full" else 60
    widths = (2, 8, 8, 1)
    nets = [random_network(list(widths), seed=s, weights="he-normal", bias_std=0.5) for s in range(SEED, SEED + n_networks)]
    counts = np.array([decompose(net, square).n_regions for net in nets])
    error = float(counts.std(ddof=1) / n_networks**0.5)
    bound = pascanu_2014_lower_bound(widths)
    rows.append(
        row(float(counts.mean()), "<", bound, kind="estimated", standard_error=error, widths=widths, network="random, mean")
    )
    return Evidence(rows, seed=SEED, note="For the pairs the count holds on all of the plane: the network is the identity there.")
