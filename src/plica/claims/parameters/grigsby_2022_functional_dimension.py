r"""Grigsby, Lindsey, Meyerhoff and Wu: how many parameters matter.

Claim
    The functional dimension of a ReLU network, the largest rank of the derivatives of its values by its parameters, is at most
    the number of parameters minus the number of hidden units, because every hidden unit can be rescaled.
Source
    J. E. Grigsby, K. Lindsey, R. Meyerhoff and C. Wu, Functional Dimension of Feedforward ReLU Neural Networks, 2022
    [grigsby2022a].
Prediction
    at most sum over layers of (n + 1) m, minus the hidden units; equal for one wide hidden layer
Measurement
    plica.measure.functional_dimension over all cells of R^d: ranks of integer matrices modulo primes
Remark
    Units that no input switches on, or that others repeat, lower it further. The rank of derivatives at random points, which
    is what others compute, can miss small cells.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BOUND, INK, MEASUREMENT
from plica.claims import Evidence, Row, control, row
from plica.geometry import Space, decompose
from plica.measure import functional_dimension
from plica.network import Linear, Network, random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("relu-symmetries",)
SEED = 22


def repeated(net: Network) -> Network:
    """The first hidden unit a second time, half of its output from each."""
    first, fold, last = (node.op for node in net.nodes[1:])
    assert isinstance(first, Linear) and isinstance(last, Linear) and first.bias is not None
    weight, bias = np.vstack([first.weight, first.weight[:1]]), np.append(first.bias, first.bias[0])
    read = np.hstack([last.weight, last.weight[:, :1] / 2])
    read[:, 0] /= 2
    return Network.sequential(net.n_inputs, [Linear(weight, bias), fold, Linear(read, last.bias)])


def check(scale: str) -> Evidence:
    rows = []
    shapes = [(1, 4, 1), (2, 4, 1), (2, 3, 2), (2, 3, 3, 1), (3, 3, 2, 1)]
    shapes += [(2, 6, 5, 1), (3, 5, 4, 2)] if scale == "full" else []
    for widths in shapes:
        for seed in range(SEED, SEED + (2 if scale == "quick" else 6)):
            net = random_network(widths, seed=seed, weights="he-normal", bias_std=0.5)
            found = functional_dimension(decompose(net, Space(widths[0])))
            bound = sum((a + 1) * b for a, b in pairwise(widths)) - sum(widths[1:-1])
            rows.append(row(found.value, "<=", bound, widths=widths, seed=seed))
            if widths in ((1, 4, 1), (2, 4, 1)):
                rows.append(row(found.value, "=", bound, what="one hidden layer", widths=widths, seed=seed))
    net = random_network((2, 3, 1), seed=SEED, weights="he-normal", bias_std=0.5)
    twice = functional_dimension(decompose(repeated(net), Space(2)))
    rows.append(control(twice.value, "<=", 2 * 4 + 4 + 1 + 4 - 4 - 1, what="a repeated unit", widths=(2, 4, 1)))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """For each architecture its parameters, the bound without one for each hidden unit, and what was found."""
    shapes = list(dict.fromkeys(r.parameters["widths"] for r in rows if r.relation == "<=" and "seed" in r.parameters))
    for i, widths in enumerate(shapes):
        total = sum((a + 1) * b for a, b in pairwise(widths))
        ax.barh(i, total, height=0.6, facecolor="none", edgecolor=INK, linewidth=0.8, label="parameters" if i == 0 else None)
        chosen = [r for r in rows if r.parameters["widths"] == widths and r.relation == "<=" and "seed" in r.parameters]
        ax.plot(chosen[0].predicted, i, "|", color=BOUND, markersize=16, markeredgewidth=2, label="bound" if i == 0 else None)
        ax.plot([r.measured for r in chosen], [i] * len(chosen), "o", color=MEASUREMENT, label="measured" if i == 0 else None)
    ax.set_yticks(range(len(shapes)), ["-".join(map(str, widths)) for widths in shapes])
    ax.set(ylim=(len(shapes) - 0.4, -0.6), xlabel="functional dimension")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
