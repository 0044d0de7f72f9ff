r"""Zaslavsky for hyperplanes through the origin: a layer without biases.

Claim
    n hyperplanes through the origin of R^d, any d of whose normals are independent, cut it into 2 sum_{k<d} C(n-1, k) regions.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154 (1975) [zaslavsky1975].
Prediction
    plica.theory.regions.zaslavsky_central(n, d)
Measurement
    for d <= 3 the exact complex of a one-layer network without biases (plica.decompose); for d >= 4 the characteristic
    polynomial of the arrangement in exact rationals (plica.theory.regions.characteristic_polynomial)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import integer_arrangement, whole_complex
from plica.theory.regions import characteristic_polynomial, zaslavsky_central

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975", "slide-general-position")
SEED = 154


def check(scale: str) -> Evidence:
    cases = [(n, 2) for n in (1, 2, 4, 6, 7, 12)] + [(n, 3) for n in (3, 5, 6, 8)] + [(7, 4)]
    if scale == "full":
        cases += [(50, 2), (12, 3), (9, 4), (8, 5)]
    rows = []
    for n, d in cases:
        W, b = integer_arrangement(n, d, seed=SEED + n, central=True)
        measured = whole_complex(W, b).n_cells if d <= 3 else characteristic_polynomial(W.tolist(), b.tolist()).n_regions
        rows.append(row(measured, "=", zaslavsky_central(n, d), n=n, d=d))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Five lines through one point and their ten cones."""
    from plica.claims._draw import draw_cells

    draw_cells(ax, whole_complex([[1, 2], [-2, 1], [1, 0], [1, -1], [3, 1]], [0] * 5))
    ax.set_title(f"5 lines through the origin, {zaslavsky_central(5, 2)} regions")
