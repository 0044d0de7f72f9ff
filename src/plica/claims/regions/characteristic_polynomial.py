r"""Any arrangement, not only a generic one: regions from the characteristic polynomial.

Claim
    An arrangement A in R^d has (-1)^d chi_A(-1) regions, however its hyperplanes coincide, are parallel or meet.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154 (1975), Theorem A [zaslavsky1975].
Prediction
    plica.theory.regions.characteristic_polynomial(normals, offsets), by deletion and restriction in exact rationals
Measurement
    the exact complex of the one-layer network with these weights, in a box that holds all vertices (plica.decompose)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import whole_complex
from plica.theory.regions import characteristic_polynomial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975", "zaslavsky-central")
SEED = 11


def families() -> dict[str, tuple[list[list[int]], list[int]]]:
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


def check(scale: str) -> Evidence:
    rows = []
    for name, (W, b) in families().items():
        rows.append(
            row(whole_complex(W, b).n_cells, "=", characteristic_polynomial(W, b).n_regions, arrangement=name, lines=len(W))
        )
    rng = np.random.default_rng(SEED)
    for _ in range(200 if scale == "full" else 20):  # small integers: many coincidences
        normals = rng.integers(-2, 3, (8, 2))
        normals = normals[normals.any(axis=1)]
        offsets = rng.integers(-2, 3, len(normals))
        predicted = characteristic_polynomial(normals.tolist(), offsets.tolist()).n_regions
        measured = whole_complex(normals, offsets).n_cells
        rows.append(row(measured, "=", predicted, arrangement="random small integers", lines=len(normals)))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The triangular lattice."""
    from plica.claims._draw import draw_cells

    W, b = families()["triangular lattice"]
    draw_cells(ax, whole_complex(W, b))
    ax.set_title(f"chi(t) = {characteristic_polynomial(W, b)}")
