r"""Lossless compression: units whose sign is fixed on a box can go, and the function stays.

Claim
    On a bounded domain, hidden units that are proved to be always off can be removed, and units that are proved to be always on
    can be merged into no more than the next layer has units, without changing the function there.
Source
    T. Serra, A. Kumar, S. Ramalingam, Lossless Compression of Deep Neural Networks, CPAIOR 2020 [serra2020], Theorems 1 to 3.
Prediction
    a deviation of 0 where weights are integers, and below the certified bound of rounding otherwise; no fewer units than switch
    inside the box, and fewer than before
Measurement
    plica.sparse.compress on boxes, and the exact complex of the difference of both networks (plica.measure.compare); units that
    switch inside the box are counted by the folds of its exact complex; beyond the box both are evaluated at a thousand points
Remark
    In a first run at full scale one of four networks of integers had units in the ratio 3 to 1, and the smaller one was written
    as a third of the larger, which rounds. Since then the larger one is written as three times the smaller. That run also
    compared the networks exactly on a square 36 times as large, which took most of its twelve minutes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.geometry import Box, decompose
from plica.measure import compare
from plica.network import Linear, Network, Rectifier, random_network
from plica.sparse import compress

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975",)
SEED = 2020


def check(scale: str) -> Evidence:
    rows, curve = [], list[tuple[float, int, int, int]]()
    widths = [2, 24, 24, 2] if scale == "quick" else [2, 100, 100, 100, 2]
    for seed in range(1 if scale == "quick" else 4):
        network, exact = random_network(widths, seed=SEED + seed), integers(SEED + seed)
        for half in (0.1, 0.4) if scale == "quick" else (0.02, 0.1, 0.4):
            box = Box([0.5 - half] * 2, [0.5 + half] * 2)
            small, whole = compress(network, box), compress(exact, box)
            deviation = float(compare(network, small.network, box).largest)
            facts: dict[str, Any] = {"seed": SEED + seed, "half_width": half}
            rows.append(row(deviation, "<=", small.largest_error, **facts, what="largest deviation and its bound"))
            is_equal = compare(exact, whole.network, box).is_equal
            rows.append(row(is_equal, "=", True, **facts, what="integer weights: one function"))
            least = switching(network, box)
            rows.append(row(small.network.n_neurons, ">=", sum(least), **facts, what="units left, and those that switch"))
            rows.append(row(small.network.n_neurons, "<", network.n_neurons, **facts, what="units left, and all"))
            if seed == 0:
                curve.append((half, network.n_neurons, small.network.n_neurons, sum(least)))
        far = np.random.default_rng(seed).uniform(-3.0, 3.0, (1000, 2))
        beyond = float(np.abs(network(far) - small.network(far)).max())
        rows.append(control(beyond, ">", 0.01, seed=SEED + seed, what="the same networks at points of a larger box"))
    return Evidence(rows, draw=partial(draw, curve), seed=SEED)


def integers(seed: int) -> Network:
    """A network with small integer weights and planted copies: every sum and product is exact."""
    rng = np.random.default_rng(seed)
    first, offsets = rng.integers(-3, 4, (24, 2)).astype(float), rng.integers(-3, 4, 24).astype(float)
    first[5], offsets[5] = 2 * first[4], 2 * offsets[4]
    second, third = rng.integers(-2, 3, (10, 24)).astype(float), rng.integers(-2, 3, (2, 10)).astype(float)
    layers = [
        Linear(first, offsets),
        Rectifier(),
        Linear(second, rng.integers(-9, 10, 10).astype(float)),
        Rectifier(),
        Linear(third),
    ]
    return Network.sequential(2, layers)


def switching(network: Network, box: Box) -> list[int]:
    """For each layer, how many units change their state inside the box."""
    cx = decompose(network, box)
    return [int((np.ptp(cx.layer_states(k), axis=0) > 0).sum()) for k in range(len(network.layers))]


def draw(curve: list[tuple[float, int, int, int]], ax: Axes) -> None:
    """Units against the size of the box."""
    half, before, after, least = zip(*curve, strict=True)
    ax.plot(half, before, "--", color=PREDICTION, linewidth=0.9, label="before")
    ax.plot(half, after, "o-", color=MEASUREMENT, label="after compression")
    ax.plot(half, least, ":", color=PREDICTION, label="that switch in the box")
    ax.set(xscale="log", xlabel="half the width of the box", ylabel="units", ylim=(0, None))
    ax.legend(frameon=False)
