r"""Montúfar 2017: a narrow layer caps the dimension.

Claim
    Every chain of rectifier layers with widths n_0, ..., n_L has at most prod_l sum_{j<=d_l} C(n_l, j) cells, d_l = min(n_0, ...,
    n_l), and some have as many.
Source
    G. Montúfar, Notes on the number of linear regions of deep neural networks (2017) [montufar2017].
Prediction
    plica.theory.regions.montufar_2017_upper_bound(widths)
Measurement
    exact counts (plica.count_regions): equal to the bound for layers of absolute values with a narrow layer among them, for one
    layer in general position and for zigzags on a line; below it for the largest of random networks of each architecture,
    208 in all, on a domain much larger than the distance at which they fold
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.regions._extremal import (
    LAYERS,
    MIRRORS,
    NARROW_MIRRORS,
    ZIGZAGS,
    figure,
    layer_cells,
    mirror_cells,
    zigzag_cells,
)
from plica.claims.regions._random_counts import SEED, rows_below
from plica.theory.regions import montufar_2017_upper_bound, raghu_2017_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("raghu-2017-upper", "serra-2018-upper")


def check(scale: str) -> Evidence:
    attained = [(w, mirror_cells(w), "absolute values") for w in (*NARROW_MIRRORS, *MIRRORS)]
    attained += [(w, layer_cells(w), "one layer") for w in LAYERS] + [(w, zigzag_cells(w), "zigzags") for w in ZIGZAGS]
    rows = [row(n, "=", montufar_2017_upper_bound(w), widths=w, network=name) for w, n, name in attained]
    rows += [
        row(mirror_cells(w), "<", raghu_2017_upper_bound(w), against="the bound without the cap", hidden=w[:-1])
        for w in NARROW_MIRRORS
    ]
    rows += rows_below(montufar_2017_upper_bound, scale)
    return Evidence(rows, draw=figure(rows), seed=SEED)
