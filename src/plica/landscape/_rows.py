"""The outputs of all samples on one cell of a line: by doubles where these decide, else in fractions."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.landscape._bernstein import EPS, elevated, from_powers
from plica.landscape._carry import Carried, Cell, Gains, NothingDecidedError, Rows, carry, gains_of
from plica.landscape._exact_pieces import exact_pieces
from plica.network import Network


class Outputs(NamedTuple):
    """What the line makes of samples on a cell.

    Attributes
    ----------
    rows
        Samples and intervals, in order.
    c, error
        Bernstein coefficients (degree + 1, rows, outputs) on the cell, and bounds of their errors (rows, outputs).
    n_exact
        Samples that were done in fractions.
    """

    rows: Rows
    c: Array
    error: Array
    n_exact: int


def outputs_on(
    start: Network, end: Network, x: Array, cell: Cell, *, gains: Gains | None = None, residual_of: Array | None = None
) -> Outputs:
    """The outputs of samples on a cell; with targets, what is left to them, in absolute value."""
    parts, undecided = [], set(range(len(x)))
    try:
        carrier, y = carry(start, end, x, cell, gains_of(start, end) if gains is None else gains)
        y = Carried(y.c.reshape(*y.c.shape[:2], -1), y.error.reshape(len(y.error), -1), y.version)
        if residual_of is not None:
            difference = y.c - residual_of[carrier.rows.sample]
            rounding = 2 * EPS * np.abs(difference).max(axis=0)
            y = carrier.rectified(Carried(difference, y.error + rounding, y.version), np.array(-1.0))
        parts, undecided = [Outputs(carrier.rows, y.c, y.error, 0)], carrier.undecided
    except NothingDecidedError:
        pass
    for sample in sorted(undecided):
        target = None if residual_of is None else residual_of[sample]
        parts.append(_exactly(start, end, x[sample], cell, sample, target))
    return joined(parts)


def joined(parts: list[Outputs]) -> Outputs:
    """Rows of different samples together."""
    degree = max(len(p.c) for p in parts) - 1
    rows = Rows(*(np.concatenate(columns) for columns in zip(*(p.rows for p in parts), strict=True)))
    c = np.concatenate([elevated(p.c, degree) for p in parts], axis=1)
    error = np.concatenate([p.error + 4 * EPS * (degree + 1 - len(p.c) + 1) * np.abs(p.c).max(axis=0) for p in parts])
    return Outputs(rows, c, error, sum(p.n_exact for p in parts))


def _exactly(start: Network, end: Network, x: Array, cell: Cell, sample: int, target: Array | None) -> Outputs:
    low, high = Fraction(cell.low), Fraction(cell.high)
    pieces = exact_pieces(start, end, x, low, high, target=target)
    degree = max(len(p.outputs) for p in pieces) - 1
    ends, coefficients = [], []
    for p in pieces:
        for number in (p.low, p.high):
            number.narrow((high - low) / 2**60)
        local = [(q - low) / (high - low) for q in (p.low.low, p.low.high, p.high.low, p.high.high)]
        ends.append([_down(local[0]), _up(local[1]), _down(local[2]), _up(local[3])])
        exact = from_powers(p.outputs, low, high - low)
        coefficients.append(elevated(exact.astype(np.float64), degree))
    c = np.stack(coefficients, axis=1)
    table = np.clip(np.array(ends), 0.0, 1.0)
    rows = Rows(np.full(len(pieces), sample), *table.T.copy())
    return Outputs(rows, c, 8 * EPS * (degree + 1) * np.abs(c).max(axis=0), 1)


def _down(x: Fraction) -> float:
    near = x.numerator / x.denominator
    return near if Fraction(near) <= x else nextafter(near, -inf)


def _up(x: Fraction) -> float:
    near = x.numerator / x.denominator
    return near if Fraction(near) >= x else nextafter(near, inf)
