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

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BARS, BOUND, CONTROL
from plica.claims import Evidence, row
from plica.geometry import Box, decompose
from plica.network import Linear, Network, Rectifier, random_network
from plica.theory.regions import pascanu_2014_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    printed = 8**2 * 8**2  # prod_l n_l^min(n_0, n_l / 2) of the slide
    rows.append(row(int(counts.max()), "<", printed, widths=widths, network="random, most", against="the product on the slide"))
    note = "For the pairs the count holds on all of the plane: the network is the identity there."
    return Evidence(rows, draw=partial(draw, counts, bound), seed=SEED, note=note)


def draw(counts: np.ndarray, bound: int, ax: Axes) -> None:
    """Regions of random networks of one architecture, and the number that the best weights reach."""
    ax.hist(counts, bins=20, color=BARS)
    ax.axvline(bound, color=BOUND, label=f"{bound}: some network has as many")
    ax.axvline(1, color=CONTROL, label="1: pairs ReLU(x) - ReLU(-x)")
    ax.set_xlabel("regions of random 2-8-8-1 networks")
    ax.set_ylabel("networks")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
