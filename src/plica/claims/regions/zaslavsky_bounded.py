r"""Zaslavsky: how many regions of an arrangement are bounded.

Claim
    Of the regions of n hyperplanes in general position in R^d, C(n-1, d) are bounded.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154 (1975), Theorem C [zaslavsky1975].
Prediction
    plica.theory.regions.zaslavsky_bounded(n, d)
Measurement
    cells of the exact complex (plica.decompose) that do not touch the border of a box with all vertices in its interior
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import integer_arrangement, whole_complex
from plica.theory.regions import zaslavsky_bounded

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975",)
SEED = 3


def check(scale: str) -> Evidence:
    rows = []
    for n in (1, 2, 3, 4, 6, 10, 15) + ((40, 80) if scale == "full" else ()):
        cx: Any = whole_complex(*integer_arrangement(n, 2, seed=SEED + n))
        at_border = np.unique(cx.edge_cells[cx.edge_layer < 0])
        n_bounded = cx.n_cells - int((at_border >= 0).sum())
        rows.append(row(n_bounded, "=", zaslavsky_bounded(n, 2), n=n, d=2))
    return Evidence(rows, seed=SEED)
