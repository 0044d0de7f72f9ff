r"""General position is a condition on [W|b].

Claim
    The layer ReLU(W x + b) cuts R^d into the full sum_{j<=d} C(n, j) regions if and only if any k <= d rows of W are
    independent and any d + 1 rows of [W|b] are.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154 (1975) [zaslavsky1975].
Prediction
    whether the minors of W and [W|b] are all different from zero, in exact integers
Measurement
    whether the exact complex (plica.decompose) has plica.theory.regions.zaslavsky(n, d) cells
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import whole_complex
from plica.theory.regions import zaslavsky

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-general-position", "zaslavsky-1975")
SEED = 7


def in_general_position(W: np.ndarray, b: np.ndarray) -> bool:
    """All 2 x 2 minors of W and all 3 x 3 minors of [W|b] are non-zero, for lines with integer coefficients."""
    A = [[int(v) for v in (*w, c)] for w, c in zip(W, b, strict=True)]
    two = all(p[0] * q[1] != p[1] * q[0] for p, q in combinations(A, 2))
    return two and all(_determinant(p, q, r) for p, q, r in combinations(A, 3))


def _determinant(p: list[int], q: list[int], r: list[int]) -> int:
    minors = (q[1] * r[2] - q[2] * r[1], q[0] * r[2] - q[2] * r[0], q[0] * r[1] - q[1] * r[0])
    return p[0] * minors[0] - p[1] * minors[1] + p[2] * minors[2]


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for trial in range(300 if scale == "full" else 40):
        n, size = 3 + trial % 3, 2 + trial % 5  # small numbers are often, larger ones rarely in special position
        W = rng.integers(-size, size + 1, (n, 2))
        W[~W.any(axis=1)] = (1, size)
        b = rng.integers(-size, size + 1, n)
        full = whole_complex(W, b).n_cells == zaslavsky(n, 2)
        rows.append(row(full, "=", in_general_position(W, b), n=n, d=2, trial=trial))
    return Evidence(rows, seed=SEED, note=f"{sum(r.measured for r in rows)} of {len(rows)} arrangements are in general position.")
