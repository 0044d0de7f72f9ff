"""The largest value along a line, from below by points and from above by bounds on intervals that are halved.

On a piece with a polynomial no value exceeds the largest Bernstein coefficient. With cross-entropy, values at both ends of an
interval and bounds of the slopes between them do the same; near a maximum both gaps fall with the square of the length.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import tick
from plica.landscape._bernstein import at, averages_rounding, restricted
from plica.landscape._entropy_cell import EntropyCell
from plica.landscape._polynomial_cell import PolynomialCell
from plica.measure import Enclosed

LossCell = PolynomialCell | EntropyCell
ROUNDS = 200


@dataclass(frozen=True)
class LineExtreme:
    """An extreme value along a line, and a parameter at which it is nearly taken."""

    t: float
    value: Enclosed


def largest(
    cells: Sequence[LossCell], *, sign: int = 1, chord: tuple[float, float, float] = (0.0, 0.0, 0.0), tolerance: float = 1e-9
) -> LineExtreme:
    """The largest value of sign * (loss - (1 - t) chord[0] - t chord[1]), the chord known up to chord[2]."""
    polynomial = [c for c in cells if isinstance(c, PolynomialCell)]
    if len(polynomial) == len(cells):
        found = _of_polynomials(polynomial, sign, chord, tolerance / 2)
    else:
        found = _of_entropies([c for c in cells if isinstance(c, EntropyCell)], sign, chord, tolerance / 2)
    t, low, high = found
    low, high = float(np.nextafter(low - chord[2], -np.inf)), float(np.nextafter(high + chord[2], np.inf))
    return LineExtreme(t, Enclosed(low, high) if sign > 0 else Enclosed(-high, -low))


def _of_polynomials(
    cells: list[PolynomialCell], sign: int, chord: tuple[float, float, float], tolerance: float
) -> tuple[float, float, float]:
    best, where, todo = -np.inf, 0.0, []
    for cell in cells:
        c = sign * (cell.c - _chord(cell, chord, len(cell.c))[:, None])
        error = cell.error + averages_rounding(c)
        low, high = np.concatenate([[0.0], cell.low]), np.concatenate([cell.high, [1.0]])
        todo.append((c, error, low, high, cell))
    bound = -np.inf
    for _ in range(ROUNDS):
        tick()
        looked = []
        for c, error, low, high, cell in todo:
            part = restricted(c, low, high)
            for s, values in ((low, part[0]), (high, part[-1]), ((low + high) / 2, at(c, (low + high) / 2))):
                i = int(np.argmax(values - error))
                if values[i] - error[i] > best:
                    best, where = float(values[i] - error[i]), cell.cell.low + (cell.cell.high - cell.cell.low) * float(s[i])
            looked.append((part.max(axis=0) + error, c, error, low, high, cell))
        rest = []
        for upper, c, error, low, high, cell in looked:
            closed = upper <= best + max(tolerance, 2.5 * float(error.max()))
            bound = max(bound, float(upper[closed].max(initial=-np.inf)))
            keep = ~closed
            if keep.any():
                c, error, low, high = c[:, keep], error[keep], low[keep], high[keep]
                middle = (low + high) / 2
                ends = np.concatenate([low, middle]), np.concatenate([middle, high])
                rest.append((np.tile(c, (1, 2)), np.tile(error, 2), *ends, cell))
        todo = rest
        if not todo:
            break
    bound = max([bound, *(float((restricted(c, low, high).max(axis=0) + e).max()) for c, e, low, high, _ in todo)])
    return where, best, max(bound, best)


def _chord(cell: LossCell, chord: tuple[float, float, float], n: int) -> Array:
    t = np.linspace(cell.cell.low, cell.cell.high, n) if n > 1 else np.array([cell.cell.low])
    return (1 - t) * chord[0] + t * chord[1]


def _of_entropies(
    cells: list[EntropyCell], sign: int, chord: tuple[float, float, float], tolerance: float
) -> tuple[float, float, float]:
    best, where, ties, finished = -np.inf, 0.0, 0, -np.inf
    heap: list[tuple[Any, ...]] = []  # (minus the bound, a number that ends ties, the interval and its values)

    def value(cell: EntropyCell, s: float) -> tuple[float, float]:
        nonlocal best, where
        v, e = cell.value(s)
        t = cell.cell.low + (cell.cell.high - cell.cell.low) * s
        v = sign * (v - (1 - t) * chord[0] - t * chord[1])
        if v - e > best:
            best, where = v - e, t
        return v, e

    def push(cell: EntropyCell, a: float, b: float, at_a: tuple[float, float], at_b: tuple[float, float]) -> None:
        nonlocal ties
        ties += 1
        down, up = cell.slope_range(a, b)
        drift = (chord[1] - chord[0]) * (cell.cell.high - cell.cell.low)
        slopes = sorted((sign * (down - drift), sign * (up - drift)))
        upper = _peak(at_a[0], at_b[0], slopes[0], slopes[1], b - a) + max(at_a[1], at_b[1])
        heapq.heappush(heap, (-upper, ties, cell, a, b, at_a, at_b))

    for cell in cells:
        push(cell, 0.0, 1.0, value(cell, 0.0), value(cell, 1.0))
    while heap:
        tick()
        upper, _, cell, a, b, at_a, at_b = heapq.heappop(heap)
        slack = max(tolerance, 2.5 * max(at_a[1], at_b[1]))
        if -upper <= best + slack or b - a < 1e-13:
            finished = -upper
            break
        m = (a + b) / 2
        at_m = value(cell, m)
        push(cell, a, m, at_a, at_m)
        push(cell, m, b, at_m, at_b)
    return where, best, max(finished, best)


def _peak(left: float, right: float, down: float, up: float, width: float) -> float:
    """The most that a function can reach between two values if its slopes stay within [down, up]."""
    if up <= 0:
        return max(left, right)
    if down >= 0:
        return max(left, right)
    x = min(max((right - left - down * width) / (up - down), 0.0), width)
    return max(left, right, left + up * x)
