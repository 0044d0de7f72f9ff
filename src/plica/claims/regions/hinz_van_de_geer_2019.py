r"""Hinz and van de Geer: any bound on one layer's activation histogram gives a bound for the network.

Claim
    Pushing a histogram of cells by dimension through the layers bounds the number of cells; with binomial histograms the
    bound is Serra's, with sharper histograms it is smaller.
Source
    P. Hinz, S. van de Geer, IEEE Trans. Inf. Theory 65 (2019), arXiv 1806.01918 [hinz2019]; the sharper histogram is the claim
    antipodal-histogram.
Prediction
    plica.theory.regions.hinz_van_de_geer_2019_upper_bound(widths) and plica.theory.regions.serra_2018_upper_bound(widths)
Measurement
    the largest exact count (plica.count_regions) among 208 random networks, below the bound; and the bound against Serra's for
    narrow architectures, in exact integers
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.regions._random_counts import SEED, rows_below
from plica.theory.regions import binomial_histogram, hinz_van_de_geer_2019_upper_bound, serra_2018_upper_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("serra-2018-upper", "antipodal-histogram")


def check(scale: str) -> Evidence:
    rows = rows_below(hinz_van_de_geer_2019_upper_bound, scale)
    narrow = [(3, 5, 5, 1), (4, 7, 7, 7, 1), (10, 10, 10, 1), (10, 15, 15, 15, 1)] + (
        [(784, 300, 100, 10)] if scale == "full" else []
    )
    for widths in narrow:
        serra = serra_2018_upper_bound(widths)
        framework = hinz_van_de_geer_2019_upper_bound(widths, histogram=binomial_histogram)
        rows.append(row(framework, "=", serra, widths=widths, histogram="binomial"))
        rows.append(row(hinz_van_de_geer_2019_upper_bound(widths), "<=", serra, widths=widths, histogram="antipodal"))
    return Evidence(rows, seed=SEED)
