r"""Hinz and van de Geer: any bound on one layer's activation histogram gives a bound for the network.

Claim
    Pushing a histogram of cells by dimension through the layers bounds the number of cells, and the bound is attained on a line,
    by one layer and after one or two units; with binomial histograms it is Serra's, with the sharper histogram it is smaller
    where layers are narrow and their width is odd.
Source
    P. Hinz, S. van de Geer, IEEE Trans. Inf. Theory 65 (2019), arXiv 1806.01918 [hinz2019]; the sharper histogram is the claim
    antipodal-histogram.
Prediction
    plica.theory.regions.hinz_van_de_geer_2019_upper_bound(widths) and plica.theory.regions.serra_2018_upper_bound(widths)
Measurement
    exact counts (plica.count_regions) of networks that attain the bound, and the largest among 208 random networks, below it; the
    bound against Serra's for narrow architectures, in exact integers; and the sums of the histogram against the sign patterns of
    random arrangements, enumerated in rationals
Remark
    The page said at first that the sharper histogram gives a smaller bound, without a condition: its examples were odd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import REFERENCE, SERIES
from plica.claims import Evidence, row
from plica.claims.regions._arrangement import cell_patterns, integer_arrangement
from plica.claims.regions._extremal import LAYERS, NARROW, ZIGZAGS, layer_cells, narrow_cells, zigzag_cells
from plica.claims.regions._random_counts import SEED, rows_below
from plica.theory.regions import (
    antipodal_histogram,
    binomial_histogram,
    hinz_van_de_geer_2019_upper_bound,
    serra_2018_upper_bound,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("serra-2018-upper", "antipodal-histogram")
DRAWN = ((3, 5), (4, 7), (10, 15), (6, 11))
DEPTHS = range(1, 9)


def check(scale: str) -> Evidence:
    attained = [(w, zigzag_cells(w), "zigzags") for w in ZIGZAGS] + [(w, layer_cells(w), "one layer") for w in LAYERS]
    attained += [(w, narrow_cells(w), "after one or two units") for w in NARROW]
    rows = [row(n, "=", hinz_van_de_geer_2019_upper_bound(w), widths=w, network=name) for w, n, name in attained]
    rows += rows_below(hinz_van_de_geer_2019_upper_bound, scale)
    odd = [(3, 5, 5, 1), (4, 7, 7, 7, 1), (5, 5, 5, 5, 1), (10, 15, 15, 15, 1)]
    even = [(4, 6, 6, 6, 1), (10, 10, 10, 1), (10, 16, 16, 16, 1)] + ([(784, 300, 100, 10)] if scale == "full" else [])
    for widths in (*odd, *even):
        serra = serra_2018_upper_bound(widths)
        framework = hinz_van_de_geer_2019_upper_bound(widths, histogram=binomial_histogram)
        rows.append(row(framework, "=", serra, hidden=widths[:-1], histogram="binomial"))
        relation = "<" if widths in odd else "="  # more than half of an even number of units: Serra's sums are no larger
        rows.append(row(hinz_van_de_geer_2019_upper_bound(widths), relation, serra, hidden=widths[:-1], histogram="antipodal"))
    for n, d in ((5, 3), (7, 3), (6, 4)):  # the sums of a histogram bound those of every arrangement
        patterns = cell_patterns(*integer_arrangement(n, d, seed=SEED))
        for least in range(n + 1):
            found = sum(sum(p) >= least for p in patterns)
            allowed = sum(antipodal_histogram(d, n)[least:])
            rows.append(row(found, "<=", allowed, n=n, d=d, active=f">= {least}"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """How much smaller than Serra's the bound by the sharper histogram is, against the number of layers."""
    for (inputs, width), color in zip(DRAWN, SERIES, strict=False):
        networks = [(inputs, *[width] * depth, 1) for depth in DEPTHS]
        ratios = [hinz_van_de_geer_2019_upper_bound(w) / serra_2018_upper_bound(w) for w in networks]
        ax.plot(DEPTHS, ratios, "o-", color=color, markersize=4, label=f"{inputs} inputs, layers of {width}")
    ax.axhline(1, color=REFERENCE, linewidth=1)
    ax.set(xlabel="layers", ylabel="bound / Serra's", ylim=(None, 1.02))
    ax.legend(frameon=False, fontsize=8)
