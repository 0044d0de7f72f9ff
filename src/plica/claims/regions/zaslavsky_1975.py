r"""Zaslavsky: how many regions an arrangement of hyperplanes has.

Claim
    n hyperplanes in general position cut R^d into sum_{k<=d} C(n, k) regions.
Source
    T. Zaslavsky, Facing up to Arrangements, Mem. AMS 154 (1975), Theorem A [zaslavsky1975].
Prediction
    plica.theory.regions.zaslavsky(n, d)
Measurement
    for d <= 3 the exact complex of a one-layer network with random integer weights, in a box that holds all its vertices
    (plica.decompose); for d >= 4 the distinct sign patterns around the vertices, in exact rationals
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, row
from plica.claims.regions._arrangement import cell_patterns, integer_arrangement, whole_complex
from plica.theory.regions import zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-central", "zaslavsky-bounded", "characteristic-polynomial", "slide-general-position")
SEED = 1975


def check(scale: str) -> Evidence:
    cases = [(n, d) for d in (1, 2) for n in (1, 2, 3, 5, 8, 13)] + [(n, 3) for n in (2, 4, 6, 8)] + [(6, 4), (7, 4)]
    if scale == "full":
        cases += [(40, 2), (80, 2), (14, 3), (11, 4), (10, 5)]
    rows = []
    for n, d in cases:
        W, b = integer_arrangement(n, d, seed=SEED + n)
        measured = whole_complex(W, b).n_cells if d <= 3 else len(cell_patterns(W, b))
        rows.append(row(measured, "=", zaslavsky(n, d), n=n, d=d))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Five lines in general position and their sixteen regions."""
    from plica.claims._draw import draw_cells

    draw_cells(ax, whole_complex([[1, 2], [-2, 1], [1, 0], [1, -1], [3, 1]], [1, 1, -2, 0, -2]))
    ax.set_title(f"5 lines, {zaslavsky(5, 2)} regions")
