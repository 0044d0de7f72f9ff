"""Floats that are derived from the exact complex, against fractions: slopes, constants, sizes, positions along a segment."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import Segment
from plica.testing._case import Case, exact_maps, window_points
from plica.testing._rewrites import pulled_back

ACCURACY = 2e-6
"""Of a float, relative to the largest number of its kind: the slopes of an output, the sizes of a domain."""
LARGEST = Fraction(10) ** 290
SMALLEST = Fraction(10) ** -300


def check_floats(case: Case) -> None:
    """Maps on the input space and on the domain, sizes, and the same on a random segment of the domain."""
    for i, cell in enumerate(case.complex.cells):
        if i % max(1, case.complex.n_cells // 8) == 0:
            _check_cell(case, f"cell {i}", cell, case.maps[i])
            A, c = cell.affine_map
            _compare(case, f"the map of cell {i}", A, c, case.pointwise.piece(cell.pattern))
    _check_bounds(case)
    window = case.domain.window
    with np.errstate(over="ignore", invalid="ignore"):
        rounding = 2.0**-49 * float(np.abs(window).max() * np.ptp(window / 2, axis=0).max())  # of the coordinates of corners
        _check_sizes(case, case.complex.sizes(), [_area(polygon) for polygon in case.polygons], rounding)
    p, q = window_points(case.domain, case.rng("floats"), 2)
    if np.array_equal(p, q):
        return  # the window is a few floats wide
    line = case.engine(pulled_back(case.network, case.domain), Segment(p, q))
    breaks = [line.exact_vertex(i)[0] for i in range(line.n_vertices)]
    _check_sizes(case, line.vertices[:, 0], breaks)
    _check_sizes(case, line.sizes(), [b - a for a, b in itertools.pairwise(breaks)])
    maps = exact_maps(line)
    for i in range(0, line.n_cells, max(1, line.n_cells // 8)):
        _check_cell(case, f"piece {i} from {p.tolist()} to {q.tolist()}", line.cells[i], maps[i])


def _check_bounds(case: Case) -> None:
    """The maps of all cells at once are as near to the exact ones as their bounds say."""
    bounded = case.complex.bounded_maps()
    for i, rows in enumerate(case.maps):
        for j, bound in enumerate(np.asarray(bounded.error[i]).tolist()):
            if not np.isfinite(bound) or not np.isfinite(bounded.values[i, j]).all():
                continue  # beyond floating point; the exact form is asked there
            square = sum((Fraction(float(bounded.values[i, j, k])) - row[j]) ** 2 for k, row in enumerate(rows))
            if square > Fraction(bound) ** 2:
                case.fail(f"column {j} of the map of cell {i} is farther from the exact one than its bound {bound:.3g}")


def _check_cell(case: Case, where: str, cell: Any, rows: Any) -> None:
    A, c = cell.slice_map
    _compare(case, f"the map of {where} on the domain", A, c, rows)


def _compare(case: Case, what: str, A: Array, c: Array, rows: Any) -> None:
    """A float map against exact rows (slopes..., constant), output by output."""
    for k, (row, slopes, constant) in enumerate(zip(rows, A.tolist(), c.tolist(), strict=True)):
        sizes = [abs(x) for x in row]
        largest = max(sizes[:-1], default=Fraction(0))
        if max(largest, sizes[-1]) > LARGEST:
            continue
        for found, true in zip(slopes, row[:-1], strict=True):
            if not _is_near(found, true, largest):
                case.fail(f"{what}: a slope of output {k} is {float(true)!r}, given as {found!r}")
        if not _is_near(constant, row[-1], max(largest, sizes[-1])):
            case.fail(f"{what}: the constant of output {k} is {float(row[-1])!r}, given as {constant!r}")


def _is_near(found: float, true: Fraction, size: Fraction, rounding: float = 0.0) -> bool:
    """Whether a float is an exact number up to ACCURACY of a size and some rounding; floats say yes only well inside of that."""
    if not isfinite(found):
        return False
    if abs(found - float(true)) <= 0.9 * ACCURACY * float(size):
        return True
    return bool(abs(Fraction(found) - true) <= ACCURACY * size + Fraction(rounding) + SMALLEST)


def _check_sizes(case: Case, found: Array, exact: list[Fraction], rounding: float = 0.0) -> None:
    total = max(map(abs, exact)) if exact else Fraction(0)
    if len(found) != len(exact):
        case.fail(f"{len(exact)} sizes are given as {len(found)}")
    if total > LARGEST or not isfinite(rounding):
        return
    for given, true in zip(found.tolist(), exact, strict=True):
        if not _is_near(given, true, total, rounding):
            case.fail(f"a size or position is {float(true)!r}, given as {given!r}")


def _area(polygon: list[tuple[Fraction, ...]]) -> Fraction:
    pairs = zip(polygon, polygon[1:] + polygon[:1], strict=True)
    return sum((p[0] * q[1] - p[1] * q[0] for p, q in pairs), Fraction(0)) / 2
