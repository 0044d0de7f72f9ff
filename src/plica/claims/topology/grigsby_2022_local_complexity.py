r"""Grigsby, Lindsey and Masden: one point of high complexity.

Claim
    The local complexity of a ReLU network at a point, the rank of the homology by which its sublevel sets change there, can be
    arbitrarily large, already for two inputs.
Source
    J. E. Grigsby, K. Lindsey, M. Masden, Local and Global Topological Complexity Measures of ReLU Neural Network Functions,
    2022 [grigsby2022c].
Prediction
    2^k - 1 for a star of 2^k valleys: k folds, so exponential in depth
Measurement
    multiplicities of the only critical point inside (plica.measure.critical_points)
Remark
    The star is |x| + |y| = p against a sawtooth of (|x| - |y|) / p: each fold of the sawtooth doubles the valleys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica.claims import Evidence, control, row
from plica.geometry import Box, decompose
from plica.measure import critical_points
from plica.network import Linear, Network, Op, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("banchoff-1967-index", "telgarsky-2015-pieces")


def star(k: int) -> Network:
    """A function that is linear along every ray from 0, negative in 2^k directions; k from 2 up."""
    fold: Op = Rectifier(np.array(-1.0))
    saw: list[Op] = [Linear(np.array([[1.0, 0.0], [-1.0, 2.0]])), fold]
    turn, last = Linear(np.array([[1.0, 1.0], [1.0, -1.0]])), Linear(np.array([[1.0, -2.0]]))
    return Network.sequential(2, [fold, turn, fold, *saw * (k - 2), last])


def check(scale: str) -> Evidence:
    square = Box([-1.0, -1.0], [1.0, 1.0])
    rows = []
    for k in range(2, 7 if scale == "quick" else 10):
        points = critical_points(decompose(star(k), square)).interior
        rows.append(control(len(points), "=", 1, what="critical points inside", k=k))
        rows.append(row(max(sum(p.multiplicities) for p in points), "=", 2**k - 1, k=k))
        rows.append(row(max(p.multiplicities[1] for p in points), "=", 2**k - 1, what="all of them saddles", k=k))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The star of 16 valleys."""
    from plica.claims._draw import draw_cells

    draw_cells(ax, decompose(star(4), Box([-1.0, -1.0], [1.0, 1.0])))
    ax.set_title("sixteen valleys meet in one point", fontsize=9)
