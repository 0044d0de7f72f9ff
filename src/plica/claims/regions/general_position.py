r"""General position is a condition on [W|b].

Claim
    A layer ReLU(W x + b) of n >= d neurons cuts R^d into the full sum_{j<=d} C(n, j) regions if and only if any d rows of W are
    independent and any d + 1 rows of [W|b] are.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154 (1975) [zaslavsky1975].
Prediction
    whether the minors of W and [W|b] are all different from zero, in exact integers
Measurement
    whether the exact complex (plica.decompose) has plica.theory.regions.zaslavsky(n, d) cells, for d = 2 and 3
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import whole_complex
from plica.exact import determinant
from plica.theory.regions import zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-general-position", "zaslavsky-1975")
SEED = 7


def in_general_position(W: np.ndarray, b: np.ndarray) -> bool:
    """All d x d minors of W and all (d + 1) x (d + 1) minors of [W|b] are non-zero, for integer coefficients."""
    d = W.shape[1]
    A = [[int(v) for v in (*w, c)] for w, c in zip(W, b, strict=True)]
    independent = all(determinant([r[:-1] for r in chosen]) for chosen in combinations(A, d))
    return independent and all(determinant(list(chosen)) for chosen in combinations(A, d + 1))


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for trial in range(400 if scale == "full" else 60):
        d = 2 + trial % 3 // 2
        n, size = d + 1 + trial % 3, 2 + 2 * (trial % 5)  # small numbers are often, larger ones rarely in special position
        W = rng.integers(-size, size + 1, (n, d))
        W[~W.any(axis=1)] = [1] + [size] * (d - 1)
        b = rng.integers(-size, size + 1, n)
        full = whole_complex(W, b).n_cells == zaslavsky(n, d)
        rows.append(row(full, "=", in_general_position(W, b), n=n, d=d, trial=trial))
    share = f"{sum(r.measured for r in rows)} of {len(rows)} arrangements are in general position."
    return Evidence(rows, draw=draw, seed=SEED, note=share)


def draw(ax: Axes) -> None:
    """Three lines that meet, and the same with one moved."""
    from plica.claims._draw import draw_cells

    ax.set_axis_off()
    for k, b in enumerate(([0, 0, 0], [0, 0, 1])):
        box = ax.inset_axes((0.5 * k, 0.0, 0.48, 0.88))
        cx = whole_complex([[1, 2], [2, -1], [1, -1]], b)
        draw_cells(box, cx)
        box.set_title(f"{cx.n_cells} regions", fontsize=9)
