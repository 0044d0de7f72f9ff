r"""Any arrangement, not only a generic one: regions from the characteristic polynomial.

Claim
    An arrangement A in R^d has (-1)^d chi_A(-1) regions, |chi_A(1)| of them bounded if its normals span R^d, however its
    hyperplanes coincide, are parallel or meet.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154 (1975), Theorem A [zaslavsky1975].
Prediction
    plica.theory.regions.characteristic_polynomial(normals, offsets), by deletion and restriction in exact rationals
Measurement
    the exact complex of the one-layer network with these weights, in a box that holds all vertices (plica.decompose), for lines
    and for planes in space; for reflection arrangements in space also the polynomial that combinatorics knows
"""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import n_bounded_cells, whole_complex
from plica.theory.regions import characteristic_polynomial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975", "zaslavsky-central")
SEED = 11


Arrangement = tuple[list[list[int]], list[int]]


def families() -> dict[str, Arrangement]:
    """Arrangements of lines that are not in general position."""
    star = [[1, 0], [0, 1], [1, 1], [1, -1], [2, 1]]
    return {
        "duplicated neurons": ([[1, 2], [2, 4], [-1, -2], [1, 0]], [3, 6, -3, 0]),
        "parallel lines": ([[1, 1]] * 5, [0, 1, 2, 3, 4]),
        "grid": ([[1, 0]] * 4 + [[0, 1]] * 3, [0, 1, 2, 3, 0, 1, 2]),
        "pencil": (star, [0] * 5),
        "two pencils": (star + star, [0] * 5 + [-3, -5, -8, 2, -11]),
        "triangular lattice": ([[1, 0]] * 3 + [[0, 1]] * 3 + [[1, 1]] * 5, [0, -1, -2, 0, -1, -2, 0, -1, -2, -3, -4]),
    }


def roots(d: int, shifts: tuple[int, ...]) -> Arrangement:
    """The hyperplanes x_i - x_j = s for i < j and the given s."""
    pairs = [[int(k == i) - int(k == j) for k in range(d)] for i, j in combinations(range(d), 2)]
    return [p for p in pairs for _ in shifts], [-s for _ in pairs for s in shifts]


def known() -> dict[str, tuple[Arrangement, list[int]]]:
    """Arrangements in space with the roots of their characteristic polynomials, as combinatorics has them."""
    axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    diagonals = [[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]]
    return {
        "braid, t (t - 1) (t - 2)": (roots(3, (0,)), [0, 1, 2]),
        "Shi, t (t - 3)^2": (roots(3, (0, 1)), [0, 3, 3]),
        "Catalan, t (t - 4) (t - 5)": (roots(3, (-1, 0, 1)), [0, 4, 5]),
        "mirrors of the cube, (t - 1) (t - 3) (t - 5)": ((axes + diagonals, [0] * 9), [1, 3, 5]),
        "grid, (t - 2) (t - 3) (t - 2)": (([axes[0]] * 2 + [axes[1]] * 3 + [axes[2]] * 2, [0, 1, 0, 1, 2, 0, 1]), [2, 3, 2]),
    }


def check(scale: str) -> Evidence:
    rows = []
    for name, (W, b) in families().items():
        found = characteristic_polynomial(W, b).n_regions
        rows.append(row(whole_complex(W, b).n_cells, "=", found, arrangement=name, d=2))
    for name, ((W, b), zeros) in known().items():
        chi = characteristic_polynomial(W, b)
        rows += [row(chi(t), "=", prod(t - z for z in zeros), arrangement=name, d=3, t=t) for t in (-1, 0, 1, 2, 7)]
        if np.linalg.matrix_rank(W) == 3:
            rows.append(row(whole_complex(W, b).n_cells, "=", chi.n_regions, arrangement=name, d=3))
            rows.append(row(n_bounded_cells(whole_complex(W, b)), "=", chi.n_bounded, arrangement=name, d=3, what="bounded"))
    rng = np.random.default_rng(SEED)
    for trial in range(200 if scale == "full" else 30):  # small integers: many coincidences
        d = 2 + trial % 3 // 2
        normals = rng.integers(-2, 3, (8 if d == 2 else 6, d))
        normals = normals[normals.any(axis=1)]
        offsets = rng.integers(-2, 3, len(normals))
        predicted = characteristic_polynomial(normals.tolist(), offsets.tolist()).n_regions
        measured = whole_complex(normals, offsets).n_cells
        rows.append(row(measured, "=", predicted, arrangement="random small integers", d=d, hyperplanes=len(normals)))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The triangular lattice."""
    from plica.claims._draw import draw_cells

    W, b = families()["triangular lattice"]
    draw_cells(ax, whole_complex(W, b))
    ax.set_title(rf"$\chi(t) = {characteristic_polynomial(W, b)}$")
