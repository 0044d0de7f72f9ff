r"""Serra, Tjandraatmadja and Ramalingam: count the dimensions that inactive units lose.

Claim
    Every ReLU network has at most sum_{j in J} prod_l C(n_l, j_l) cells, where J holds the j with
    0 <= j_l <= min(n_0, n_1 - j_1, ..., n_{l-1} - j_{l-1}, n_l).
Source
    T. Serra, C. Tjandraatmadja, S. Ramalingam, ICML 2018, Theorem 1 [serra2018].
Prediction
    plica.theory.regions.serra_2018_upper_bound(widths)
Measurement
    the largest exact count (plica.count_regions) among random networks of each architecture, 208 in all, and the zigzag
    network (plica.construct.folding), which attains the bound on a line
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.regions._random_counts import SEED, rows_below
from plica.construct import folding
from plica.geometry import Segment, count_regions
from plica.theory.regions import serra_2018_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("raghu-2017-upper", "montufar-2017-upper", "hinz-van-de-geer-2019", "serra-2018-lower")


def check(scale: str) -> Evidence:
    rows = rows_below(serra_2018_upper_bound, scale)
    for widths in ((1, 3, 3, 1), (1, 4, 5, 6, 1)):
        most = count_regions(folding(widths, fold="zigzag").network, Segment([-1.0], [2.0])).n_cells
        rows.append(row(most, "<=", serra_2018_upper_bound(widths), widths=widths, networks=1, mean=most))
    return Evidence(rows, seed=SEED)
