r"""Raghu et al.: a product of Zaslavsky's numbers bounds the cells of every network.

Claim
    Every ReLU network with widths n_0, ..., n_L has at most prod_l sum_{j<=n_0} C(n_l, j) cells.
Source
    M. Raghu, B. Poole, J. Kleinberg, S. Ganguli, J. Sohl-Dickstein, ICML 2017, Theorem 1 [raghu2017].
Prediction
    plica.theory.regions.raghu_2017_upper_bound(widths)
Measurement
    the largest exact count (plica.count_regions) among random networks of each architecture, 208 networks in all, on a
    domain much larger than the distance at which they fold
"""

from __future__ import annotations

from plica.claims import Evidence
from plica.claims.regions._random_counts import SEED, rows_below
from plica.theory.regions import raghu_2017_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("montufar-2017-upper", "serra-2018-upper")


def check(scale: str) -> Evidence:
    return Evidence(rows_below(raghu_2017_upper_bound, scale), seed=SEED)
