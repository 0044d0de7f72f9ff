r"""Regions are unions of cells.

Claim
    The number of linear regions of a ReLU network is at most the number of its activation patterns, with equality for one
    hidden layer whose hyperplanes are distinct and whose output weights are not zero.
Source
    B. Hanin, D. Rolnick, NeurIPS 2019, where the two are defined apart [hanin2019b].
Prediction
    n_regions <= n_cells, and equality for one layer
Measurement
    n_cells and n_regions of the exact complex of random networks (plica.decompose)
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.geometry import Box, decompose
from plica.network import random_network

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("cells-are-regions",)
SEED = 30


def check(scale: str) -> Evidence:
    square = Box([-4.0, -4.0], [4.0, 4.0])
    rows = []
    for widths in ((2, 8, 1), (2, 6, 3, 2, 1), (2, 8, 8, 1), (2, 5, 5, 5, 1)):
        for seed in range(SEED, SEED + (20 if scale == "full" else 3)):
            cx = decompose(random_network(widths, seed=seed, weights="he-normal", bias_std=0.5), square)
            relation = "=" if len(widths) == 3 else "<="
            rows.append(row(cx.n_regions, relation, cx.n_cells, widths=widths, seed=seed))
    return Evidence(rows, seed=SEED)
