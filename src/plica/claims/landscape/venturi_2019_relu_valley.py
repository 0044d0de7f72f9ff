r"""Venturi, Bandeira and Bruna: one ReLU has a valley that is not the deepest, as many as the data span have none.

Claim
    One hidden ReLU without bias on the data f(1) = 2, f(-1) = 1 has two valleys, of mean squared error 1/2 and 2, and every path
    between them passes a loss of 5/2. Two units span all functions of this kind: from the shallow valley leads a path to
    loss 0 on which the loss never rises.
Source
    L. Venturi, A. Bandeira, J. Bruna, Spurious Valleys in One-hidden-layer Neural Network Optimization Landscapes, JMLR 20
    (2019): widths below and above the intrinsic dimension [venturi2019]. The example and the path are worked out here.
Prediction
    1/2, 2 and 5/2 for one unit: with w <= 0 the first sample is missed, with w >= 0 the second, at w = 0 both; a rise of 0 and a
    loss of 0 at the end for two
Measurement
    the exact loss on lines of weights (plica.landscape.loss_line): straight from one valley to the other and around by many
    bends; on a path of three segments, its largest value on each
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.landscape import LossLine, loss_line
from plica.network import Linear, Network, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("venturi-2019-quadratic", "connected-sublevel-sets")
SEED = 19
X, Y = np.array([[1.0], [-1.0]]), np.array([[2.0], [1.0]])


def network(w: Array, a: Array) -> Network:
    """sum_j a_j ReLU(w_j x)."""
    return Network.sequential(
        1, [Linear(np.reshape(w, (-1, 1)).astype(float)), Rectifier(), Linear(np.reshape(a, (1, -1)).astype(float))]
    )


def along(points: list[tuple[Array, Array]]) -> list[LossLine]:
    """The exact loss on the segments between networks, given by (w, a)."""
    return [loss_line(network(*p), network(*q), X, Y, n_cells=2) for p, q in pairwise(points)]


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    one = [np.array([1.0]), np.array([2.0])], [np.array([-1.0]), np.array([1.0])]
    deep, shallow = (tuple(p) for p in one)
    straight = along([deep, shallow])[0]  # type: ignore[list-item]
    about: dict[str, Any] = {"units": 1}
    rows = [
        row(straight.at(0.0).middle, "=", 0.5, kind="certified", tolerance=1e-12, what="the deep valley", **about),
        row(straight.at(1.0).middle, "=", 2.0, kind="certified", tolerance=1e-12, what="the shallow valley", **about),
    ]
    lowest = straight.maximum.value.high
    for _ in range(200 if scale == "full" else 20):
        bends = [(rng.normal(size=1), rng.normal(size=1)) for _ in range(3)]
        path = along([deep, *bends, shallow])  # type: ignore[list-item]
        lowest = min(lowest, max(line.maximum.value.high for line in path))
    direct = along([deep, (np.zeros(1), np.zeros(1)), shallow])  # type: ignore[list-item]
    ridge = max(line.maximum.value.high for line in direct)
    rows.append(row(ridge, "=", 2.5, kind="certified", tolerance=1e-9, what="the ridge, on the path through 0", **about))
    rows.append(row(lowest, ">=", 2.5 - 1e-9, kind="certified", what="the lowest ridge of all paths that were tried", **about))
    # two units in the shallow valley: one hands its weight to the other, turns over while it weighs nothing, and takes the rest
    start = (np.array([-1.0, -1.0]), np.array([0.5, 0.5]))
    free = (np.array([-1.0, -1.0]), np.array([0.0, 1.0]))
    turned = (np.array([1.0, -1.0]), np.array([0.0, 1.0]))
    end = (np.array([1.0, -1.0]), np.array([2.0, 1.0]))
    way = along([start, free, turned, end])
    for i, line in enumerate(way):
        rise = line.maximum.value.high - line.at(0.0).low
        rows.append(row(rise, "<=", 1e-9, kind="certified", what=f"rise on segment {i + 1}, at most", units=2))
    rows.append(row(way[0].at(0.0).middle, "=", 2.0, kind="certified", tolerance=1e-12, what="loss at the start", units=2))
    final = sum((Fraction(float(network(*end)(x)[0])) - Fraction(float(y[0]))) ** 2 for x, y in zip(X, Y, strict=True))
    rows.append(row(final, "=", Fraction(0), what="loss at the end", units=2))
    return Evidence(rows, draw=partial(draw, straight, way), seed=SEED)


def draw(straight: LossLine, way: list[LossLine], ax: Axes) -> None:
    """From valley to valley with one unit; down from the shallow one with two."""
    t = np.linspace(0, 1, 101)
    ax.plot(t, straight(t), color=SERIES[1], label="one unit: over a ridge")
    for i, line in enumerate(way):
        ax.plot((t + i) / len(way), line(t), color=SERIES[0], label="two units: never up" if i == 0 else None)
    ax.set(xlabel="share of the way", ylabel="squared loss")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
