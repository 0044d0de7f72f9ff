r"""Few cells have more than half of their units active.

Claim
    Of the cells of n hyperplanes in R^d, at most sum_{j<=d} C(n-1, j) have more than n/2 units active, however the neurons
    are oriented.
Source
    Derived in plica.theory.regions.antipodal_histogram, for the framework of P. Hinz and S. van de Geer [hinz2019].
Prediction
    plica.theory.regions.zaslavsky(n - 1, d)
Measurement
    the most such cells over all 2^n orientations of random arrangements, whose sign patterns are enumerated in exact rationals
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import cell_patterns, integer_arrangement
from plica.theory.regions import zaslavsky

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("hinz-van-de-geer-2019",)
SEED = 5


def most_active(n: int, d: int, seed: int) -> int:
    """The largest number of cells with more than n/2 active units, over all orientations of the n neurons."""
    cells = np.array(sorted(cell_patterns(*integer_arrangement(n, d, seed=seed))))
    flips = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    active = (cells[None] ^ flips[:, None]).sum(-1)
    return int((2 * active > n).sum(1).max())


def check(scale: str) -> Evidence:
    cases = [(n, d) for d in (1, 2, 3) for n in range(d, 8)] + ([(8, 3), (9, 3), (8, 4), (9, 4)] if scale == "full" else [])
    rows = []
    for n, d in cases:
        measured = max(most_active(n, d, SEED + k) for k in range(10 if scale == "full" else 2))
        rows.append(row(measured, "<=", zaslavsky(n - 1, d), n=n, d=d))
    return Evidence(rows, seed=SEED)
