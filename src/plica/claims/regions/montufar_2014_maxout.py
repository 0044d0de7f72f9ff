r"""Maxout layers that identify sectors of a rosette.

Claim
    Some network of L maxout layers of width n_0 and rank k has at least k^{L-1} k^{n_0} regions, if n_0 >= 2 or k = 2.
Source
    G. Montúfar, R. Pascanu, K. Cho, Y. Bengio, NeurIPS 2014, on maxout networks [montufar2014]; the condition on n_0 and k is
    derived in plica.theory.regions.montufar_2014_maxout_lower_bound.
Prediction
    plica.theory.regions.montufar_2014_maxout_lower_bound(n_0, depth=L, rank=k)
Measurement
    regions of plica.construct.maxout_rosette(k, L) on [-1, 1]^2, exactly: plica.decompose. One layer attains the
    number, two have twice as many, because the polygons have mirrors too. For one input and k = 3 the
    pieces of 200 random networks of two layers, never more than 7 where the formula says 9
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica.claims import Evidence, row
from plica.construct import maxout_rosette
from plica.geometry import Box, Segment, decompose
from plica.network import Linear, Max, Network
from plica.theory.regions import montufar_2014_maxout_lower_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("montufar-2014",)
SEED = 1402


def narrow_network(rng: np.random.Generator) -> Network:
    """Two maxout units of rank 3, one after the other, on a line."""
    groups = np.arange(3).reshape(1, 3)
    ops = [op for _ in range(2) for op in (Linear(rng.normal(size=(3, 1)), rng.normal(size=3)), Max(groups))]
    return Network.sequential(1, ops)


def check(scale: str) -> Evidence:
    square = Box([-1.0, -1.0], [1.0, 1.0])
    cases = [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2), (5, 2)] + ([(2, 5), (3, 5), (4, 4)] if scale == "full" else [])
    rows = []
    for k, depth in cases:
        measured = decompose(maxout_rosette(k, depth).network, square).n_regions
        predicted = montufar_2014_maxout_lower_bound(2, depth=depth, rank=k)
        rows.append(row(measured, "=" if depth == 1 else ">=", predicted, n_0=2, k=k, L=depth))
        if depth == 2:  # mirrors identify 2 k half sectors
            rows.append(row(measured, "=", 2 * predicted, n_0=2, k=k, L=depth, what="twice the bound"))
    rng = np.random.default_rng(SEED)
    far = Segment([-1e6], [1e6])
    most = max(decompose(narrow_network(rng), far).n_regions for _ in range(2000 if scale == "full" else 200))
    rows.append(row(most, "<=", 3 + 2 * 2, n_0=1, k=3, L=2))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Two layers of rank 3 on the plane."""
    from plica.claims._draw import draw_cells

    draw_cells(ax, decompose(maxout_rosette(3, 2).network, Box([-1.0, -1.0], [1.0, 1.0])))
    ax.set_title("two maxout layers of rank 3", fontsize=9)
