r"""Few cells have more than half of their units active.

Claim
    Of the cells of n hyperplanes in R^d, at most sum_{j<=d} C(n-1, j) have more than n/2 units active, however the neurons
    are oriented; for odd n up to 7 some orientation has as many.
Source
    Derived in plica.theory.regions.antipodal_histogram, for the framework of P. Hinz and S. van de Geer [hinz2019].
Prediction
    plica.theory.regions.zaslavsky(n - 1, d)
Measurement
    the most such cells over all 2^n orientations of random arrangements, whose sign patterns are enumerated in exact rationals;
    and plica.theory.regions.antipodal_histogram, which must allow no more
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, Row, row
from plica.claims.regions._arrangement import cell_patterns, integer_arrangement
from plica.theory.regions import antipodal_histogram, zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        rows.append(row(measured, "=" if n in (1, 3, 5, 7) else "<=", zaslavsky(n - 1, d), n=n, d=d))
        if n % 2:
            rows.append(row(sum(antipodal_histogram(d, n)[n // 2 + 1 :]), ">=", measured, n=n, d=d, what="the histogram"))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Cells with more than half of their units active, over the bound."""
    for d, color in zip((1, 2, 3), SERIES, strict=False):
        chosen = [r for r in rows if r.parameters["d"] == d and "what" not in r.parameters]
        n = [r.parameters["n"] for r in chosen]
        ax.plot(n, [r.predicted for r in chosen], "_", color=PREDICTION, markersize=14)
        ax.plot(n, [r.measured for r in chosen], "o-", color=color, markersize=5, label=f"d = {d}")
    ax.plot([], [], "_", color=PREDICTION, markersize=14, label="bound")
    ax.set_yscale("log")
    ax.set_xlabel("neurons n")
    ax.set_ylabel("cells, more than half active")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
