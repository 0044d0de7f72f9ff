r"""Beise, Dias Da Cruz and Schröder: narrow networks enclose nothing.

Claim
    If no hidden layer of a ReLU network has more units than there are inputs, every connected component of a decision region
    is unbounded.
Source
    H.-P. Beise, S. Dias Da Cruz, U. Schröder, On Decision Regions of Narrow Deep Neural Networks, Neural Networks 140 (2021)
    [beise2021].
Prediction
    0 bounded components, at any depth
Measurement
    components (plica.measure.union_topology) of the cells above and below 0, in a box that meets every face of R^n; a
    component that does not reach the border of the box is bounded
Remark
    Units may be dead, folds may coincide: networks with weights -1, 0 and 1 are among those measured.
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, control, row
from plica.claims.regions.grigsby_lindsey_2022_bounded import bounded_components
from plica.claims.topology._ternary import ternary
from plica.network import Linear, Network, Rectifier, random_network

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("grigsby-lindsey-2022-bounded", "hanin-sellke-2017")
SEED = 118


def pyramid(n: int) -> Network:
    """1 - sum of ReLU(x_i) - ReLU(-sum of x_i): n + 1 units, positive on a bounded set alone."""
    weight = np.vstack([np.eye(n), -np.ones((1, n))])
    return Network.sequential(n, [Linear(weight), Rectifier(), Linear(-np.ones((1, n + 1)), np.ones(1))])


def check(scale: str) -> Evidence:
    rows = []
    shapes = [(1, 1, 1, 1), (2, 2, 1), (2, 2, 2, 2, 1), (3, 3, 3, 1), (3, 2, 3, 1)]
    for widths in shapes:
        for seed in range(SEED, SEED + (2 if scale == "quick" else 40)):
            for name, net in (
                ("random", random_network(widths, seed=seed, weights="he-normal", bias_std=0.5)),
                ("ternary", ternary(widths, seed=seed)),
            ):
                rows.append(row(sum(bounded_components(net, 0.0)), "=", 0, widths=widths, weights=name, seed=seed))
    for n in (1, 2, 3):
        rows.append(control(bounded_components(pyramid(n), 0.0)[1], "=", 1, what="one unit more", widths=(n, n + 1, 1)))
    return Evidence(rows, seed=SEED)
