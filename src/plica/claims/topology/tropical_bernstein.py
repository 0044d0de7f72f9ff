r"""Bernstein's theorem, tropically: where the folds of two convex networks meet.

Claim
    Two maxima of affine functions of the plane in general position have folds that meet in as many points, each counted with the
    area that the two jumps of the slope span, as the mixed volume of their Newton polygons says.
Source
    D. N. Bernstein, The Number of Roots of a System of Equations, Funct. Anal. Appl. 9 (1975) [bernstein1975]; for the tropical
    version D. Maclagan, B. Sturmfels, Introduction to Tropical Geometry, 2015, Theorem 4.6.8 [maclagan2015].
Prediction
    plica.measure.newton_mixed_volume of the two polynomials
Measurement
    |det(jump of g, jump of h)| added up over the vertices where a fold of g crosses a fold of h, with exact maps of the cells
    around them (plica.decompose of both networks side by side, in a box that meets every face of R^2)
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plica.claims import Evidence, control, row
from plica.claims.topology.zhang_2018_newton import convex_network
from plica.geometry import Complex, Space, decompose
from plica.measure import newton_mixed_volume, tropical_form
from plica.network import Network, side_by_side

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zhang-2018-newton",)
SEED = 1975


def weighted_crossings(g: Network, h: Network) -> Fraction:
    """The crossings of folds of g with folds of h, counted with the areas that their jumps span."""
    cx = decompose(side_by_side(g, h), Space(2)).shown
    slopes = [_slopes(cx, cell) for cell in range(cx.n_cells)]
    around: dict[int, set[int]] = {}
    owner = np.repeat(np.arange(cx.n_cells), np.diff(cx.cell_offsets))
    for cell, vertex in zip(owner.tolist(), cx.cell_vertices.tolist(), strict=True):
        around.setdefault(vertex, set()).add(cell)
    total = Fraction(0)
    for cells in around.values():
        first, second = ({slopes[c][k] for c in cells} for k in (0, 1))
        if len(first) == len(second) == 2:
            (a, b), (c, d) = ([x - y for x, y in zip(*pair, strict=True)] for pair in (sorted(first), sorted(second)))
            total += abs(a * d - b * c)
    return total


def _slopes(cx: Complex, cell: int) -> list[tuple[Fraction, Fraction]]:
    """The slopes of both outputs on a cell."""
    numbers: list[Fraction] = cx.exact_map(cell).fractions()
    return [(numbers[k], numbers[2 + k]) for k in (0, 1)]


def check(scale: str) -> Evidence:
    rows = []
    shapes = [((2, 3, 1), (2, 4, 1)), ((2, 5, 1), (2, 3, 1)), ((2, 3, 2, 1), (2, 3, 1))]
    for one, other in shapes:
        for seed in range(SEED, SEED + (1 if scale == "quick" else 8)):
            g, h = convex_network(one, seed), convex_network(other, seed + 100)
            predicted = newton_mixed_volume([tropical_form(net).positive for net in (g, h)])
            measured = weighted_crossings(g, h)
            rows.append(row(float(measured), "=", float(predicted), first=one, second=other, seed=seed))
            exactly = int(measured == predicted)
            rows.append(control(exactly, "=", 1, what="equal as fractions", first=one, second=other, seed=seed))
    return Evidence(rows, seed=SEED)
