"""The mean of a polynomial loss over all samples on a cell: one piecewise polynomial.

Every sample changes its polynomial at its own breakpoints. The sum begins with the first polynomials and adds, breakpoint by
breakpoint, what changes; the order of breakpoints of different samples that doubles cannot tell apart does not matter, as
both polynomials of a sample agree where it changes, and what they differ nearby is charged to the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from plica._types import Array, Integers
from plica.landscape._bernstein import EPS, at, averages_rounding, derivative, elevated, squared
from plica.landscape._carry import Cell
from plica.landscape._rows import Outputs


class Changes(NamedTuple):
    """Part of a sum: what it begins with, what is added where (each breakpoint of a sample), and bounds of errors."""

    first: Array  # (degree + 1,)
    low: Array
    high: Array
    sample: Integers
    added: Array  # (degree + 1, changes)
    error: float
    size: float  # sum of the magnitudes of all that is added
    n_exact: int


def squared_changes(out: Outputs, targets: Array, offset: int) -> Changes:
    """The mean over outputs of the squared residual."""
    residual = out.c - targets[out.rows.sample]
    size = np.abs(residual).max(axis=0)
    error = out.error + 2 * EPS * size
    c = squared(residual).mean(axis=2)
    rounding = (16 * len(c) + 2 * size.shape[1]) * EPS * np.square(size)
    return _changes(out, c, (2 * size * error + np.square(error) + rounding).mean(axis=1), offset)


def absolute_changes(out: Outputs, offset: int) -> Changes:
    """The mean over outputs of residuals that are absolute already."""
    c = out.c.mean(axis=2)
    return _changes(out, c, (out.error + 2 * out.c.shape[2] * EPS * np.abs(out.c).max(axis=0)).mean(axis=1), offset)


def _changes(out: Outputs, c: Array, error: Array, offset: int) -> Changes:
    begins = np.concatenate([[True], out.rows.sample[1:] != out.rows.sample[:-1]])
    later = np.flatnonzero(~begins)
    added = c[:, later] - c[:, later - 1]
    degree = len(c) - 1
    zone = (out.rows.a_high - out.rows.a_low)[later] * 2 * degree * np.abs(added).max(axis=0, initial=0.0)
    worst = np.maximum.reduceat(error, np.flatnonzero(begins)).sum()
    size = float(np.abs(c[:, begins]).sum(axis=1).max() + np.abs(added).sum(axis=1).max(initial=0.0))
    return Changes(
        c[:, begins].sum(axis=1),
        out.rows.a_low[later],
        out.rows.a_high[later],
        out.rows.sample[later] + offset,
        added,
        float(worst + 2 * zone.sum()),
        size,
        out.n_exact,
    )


@dataclass(frozen=True, eq=False)
class PolynomialCell:
    """The mean loss on a cell: polynomials between breakpoints, all on the cell's parameter in [0, 1].

    ``c`` has a column for each piece, ``low`` and ``high`` enclose the breakpoint after each but the last; ``error`` bounds the
    difference to the loss in real arithmetic.
    """

    cell: Cell
    low: Array
    high: Array
    sample: Integers
    c: Array
    error: float
    n_exact: int
    kind: str

    @property
    def n_breakpoints(self) -> int:
        return len(self.low)

    def piece_of(self, s: float) -> int:
        return int(np.searchsorted(self.low, s, side="left"))

    def value(self, s: float) -> tuple[float, float]:
        """The loss and a bound of its error."""
        c = self.c[:, self.piece_of(s)]
        return float(at(c, s)), self.error + float(averages_rounding(c))

    def slopes(self, s: float) -> tuple[float, float]:
        """The derivatives by t from the left and from the right."""
        inside = np.flatnonzero((self.low <= s) & (s <= self.high))
        piece = self.piece_of(s)
        left, right = (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (piece, piece)
        width = self.cell.high - self.cell.low
        return tuple(float(at(derivative(self.c[:, i]), s)) / width for i in (left, right))  # type: ignore[return-value]

    def kinks(self) -> tuple[Array, Array, Array]:
        """All breakpoints in t, with the derivative before and after each."""
        s, width = (self.low + self.high) / 2, self.cell.high - self.cell.low
        d = derivative(self.c)
        return self.cell.low + width * s, at(d[:, :-1], s) / width, at(d[:, 1:], s) / width

    STORED: ClassVar[tuple[str, ...]] = ("low", "high", "sample", "c", "scalars", "kind")

    def arrays(self) -> dict[str, Array]:
        scalars = np.array([*self.cell, self.error, self.n_exact])
        return {
            "low": self.low,
            "high": self.high,
            "sample": self.sample,
            "c": self.c,
            "scalars": scalars,
            "kind": np.array(self.kind),
        }

    @staticmethod
    def from_arrays(a: dict[str, Array]) -> PolynomialCell:
        low, high, error, n_exact = (float(v) for v in a["scalars"])
        return PolynomialCell(Cell(low, high), a["low"], a["high"], a["sample"], a["c"], error, int(n_exact), str(a["kind"]))


def polynomial_cell(cell: Cell, parts: list[Changes], n_samples: int, *, kind: str) -> PolynomialCell:
    """All parts together, as a mean."""
    degree = max(len(p.first) for p in parts) - 1
    added = np.concatenate([elevated(p.added, degree) for p in parts], axis=1)
    low, high, sample = (np.concatenate([getattr(p, name) for p in parts]) for name in ("low", "high", "sample"))
    order = np.argsort(low, kind="stable")
    first = np.sum([elevated(p.first, degree) for p in parts], axis=0)
    c = np.cumsum(np.concatenate([first[:, None], added[:, order]], axis=1), axis=1) / n_samples
    rounding = 2 * EPS * (len(low) + n_samples + 8 * degree + 8) * sum(p.size for p in parts)
    error = (sum(p.error for p in parts) + rounding) / n_samples * (1 + 1e-6)
    n_exact = sum(p.n_exact for p in parts)
    return PolynomialCell(cell, low[order], high[order], sample[order], c, float(error), n_exact, kind)
