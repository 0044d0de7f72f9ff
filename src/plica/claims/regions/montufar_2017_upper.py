r"""Montúfar 2017: a narrow layer caps the dimension.

Claim
    Every ReLU network with widths n_0, ..., n_L has at most prod_l sum_{j<=d_l} C(n_l, j) cells, d_l = min(n_0, ..., n_l).
Source
    G. Montúfar, Notes on the number of linear regions of deep neural networks (2017) [montufar2017].
Prediction
    plica.theory.regions.montufar_2017_upper_bound(widths)
Measurement
    the largest exact count (plica.count_regions) among random networks of each architecture, 208 networks in all, on a
    domain much larger than the distance at which they fold
"""

from __future__ import annotations

from plica.claims import Evidence
from plica.claims.regions._random_counts import SEED, rows_below
from plica.theory.regions import montufar_2017_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("raghu-2017-upper", "serra-2018-upper")


def check(scale: str) -> Evidence:
    return Evidence(rows_below(montufar_2017_upper_bound, scale), seed=SEED)
