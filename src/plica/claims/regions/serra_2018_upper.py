r"""Serra, Tjandraatmadja and Ramalingam: count the dimensions that inactive units lose.

Claim
    Every ReLU network has at most sum_{j in J} prod_l C(n_l, j_l) cells, where J holds the j with 0 <= j_l <= min(n_0, n_1 -
    j_1, ..., n_{l-1} - j_{l-1}, n_l); on a line, for one layer, and for one or two units followed by any layer, some have as
    many.
Source
    T. Serra, C. Tjandraatmadja, S. Ramalingam, ICML 2018, Theorem 1 [serra2018]; the abstract says that the bounds are exact for
    inputs of dimension one, the networks after one or two units are ours.
Prediction
    plica.theory.regions.serra_2018_upper_bound(widths)
Measurement
    exact counts (plica.count_regions): equal to the bound for zigzags on a line (plica.construct.folding), one layer in general
    position, and ReLU(x), ReLU(y) followed by tangents of a hyperbola, which meet each other and both axes; below it for the
    largest of random networks of each architecture, 208 in all
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.regions._extremal import LAYERS, NARROW, ZIGZAGS, figure, layer_cells, narrow_cells, zigzag_cells
from plica.claims.regions._random_counts import SEED, rows_below
from plica.theory.regions import montufar_2017_upper_bound, serra_2018_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("raghu-2017-upper", "montufar-2017-upper", "hinz-van-de-geer-2019", "serra-2018-lower")


def check(scale: str) -> Evidence:
    attained = [(w, zigzag_cells(w), "zigzags") for w in ZIGZAGS] + [(w, layer_cells(w), "one layer") for w in LAYERS]
    attained += [(w, narrow_cells(w), "after one or two units") for w in NARROW]
    rows = [row(n, "=", serra_2018_upper_bound(w), widths=w, network=name) for w, n, name in attained]
    for w in NARROW:
        rows.append(row(serra_2018_upper_bound(w), "<", montufar_2017_upper_bound(w), hidden=w[:-1], against="Montúfar's bound"))
    rows += rows_below(serra_2018_upper_bound, scale)
    return Evidence(rows, draw=figure(rows), seed=SEED)
