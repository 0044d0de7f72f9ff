r"""Raghu et al.: a product of Zaslavsky's numbers bounds the cells of every network.

Claim
    Every network of rectifiers with widths n_0, ..., n_L has at most prod_l sum_{j<=n_0} C(n_l, j) cells, and some have as many.
Source
    M. Raghu, B. Poole, J. Kleinberg, S. Ganguli, J. Sohl-Dickstein, ICML 2017, the theorem on activation patterns (the paper has
    another one on lengths) [raghu2017]; the product with its constants is the proof's, the paper prints its order O(k^{m n}).
Prediction
    plica.theory.regions.raghu_2017_upper_bound(widths)
Measurement
    exact counts (plica.count_regions): equal to the bound for zigzags on a line, one layer in general position, and layers of
    absolute values that mirror every coordinate before a generic last layer; below it for the largest of random networks of each
    architecture, 208 in all, on a domain much larger than the distance at which they fold
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.regions._extremal import LAYERS, MIRRORS, ZIGZAGS, figure, layer_cells, mirror_cells, zigzag_cells
from plica.claims.regions._random_counts import SEED, rows_below
from plica.theory.regions import raghu_2017_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("montufar-2017-upper", "serra-2018-upper")


def check(scale: str) -> Evidence:
    attained = [(w, zigzag_cells(w), "zigzags") for w in ZIGZAGS]
    attained += [(w, layer_cells(w), "one layer") for w in LAYERS]
    attained += [(w, mirror_cells(w), "absolute values") for w in MIRRORS]
    rows = [row(n, "=", raghu_2017_upper_bound(w), widths=w, network=name) for w, n, name in attained]
    rows += rows_below(raghu_2017_upper_bound, scale)
    return Evidence(rows, draw=figure(rows), seed=SEED)
