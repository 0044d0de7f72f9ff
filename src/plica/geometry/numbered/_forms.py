"""Affine functions of the plane by number: equal numbers are equal functions, and the numbers are exact."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.exact import Dyadic, Vector, cross, reduced, to_float
from plica.geometry._budget import tick
from plica.geometry.numbered import _kernels
from plica.geometry.numbered._condensed import Rows, Unsuited

ZERO, ONE = 0, 1
_NO_LINE = -1
_SAFE = 2.0**300
_KEY_BITS = 21  # of the number of a form inside a key
_COEFFICIENT_BITS = 63 - 2 * _KEY_BITS
MOST_FORMS = 2**18
_RANGES = 8  # of cells that are numbered at the same time, whatever the number of cores,
_LEAST_ENTRIES = 2**18  # where there are more numbers than these

Form = tuple[int, int, int, int]  # (a, b, c, exponent): the function (a x + b y + c) 2**exponent


class FormTable:
    """All functions met so far; what sums of them are is remembered by their numbers.

    ``coefficients[i]`` are those of form i, each rounded once; ``line[i]`` is the number of the line where it vanishes (up to a
    factor), 0 for the function zero and -1 for other constants.
    """

    def __init__(self) -> None:
        self.exact: list[Form] = []
        self.lines: list[Vector] = [(0, 0, 0)]
        self.coefficients, self.line = np.zeros((1024, 3)), np.zeros(1024, np.int32)
        self._number: dict[Form, int] = {}
        self._line_number: dict[Vector, int] = {}
        self._factors: list[float] = [0.0]
        self._factor_number: dict[float, int] = {0.0: 0}
        self._sums = _kernels.Sums(np.full(2**14, -1, np.int64), np.zeros(2**14, np.int32))
        self._n_sums = 0
        assert self.number((0, 0, 0, 0)) == ZERO and self.number((0, 0, 1, 0)) == ONE

    @property
    def exponent(self) -> int:
        """All forms are integers over this power of two."""
        return min(form[3] for form in self.exact)

    def number(self, form: Form) -> int:
        """The number of a function, a new one if it is new."""
        form = _normal(form)
        if form not in self._number:
            n = len(self.exact)
            if n >= MOST_FORMS:
                raise Unsuited
            if n == len(self.line):
                self.coefficients = np.concatenate([self.coefficients, np.zeros_like(self.coefficients)])
                self.line = np.concatenate([self.line, np.zeros_like(self.line)])
            self.coefficients[n] = [to_float(i, 1, form[3]) for i in form[:3]]
            if any(not 1 / _SAFE < abs(c) < _SAFE for c in self.coefficients[n] if c) or any(
                i and not c for i, c in zip(form, self.coefficients[n], strict=False)
            ):
                raise Unsuited
            self.line[n] = self.line_number(form[:3])
            self.exact.append(form)
            self._number[form] = n
        return self._number[form]

    def line_number(self, form: Vector) -> int:
        """The number of the line where a form vanishes."""
        if not any(form[:2]):
            return _NO_LINE if form[2] else ZERO
        line = reduced(form)
        if next(i for i in line if i) < 0:
            line = tuple(-i for i in line)
        if line not in self._line_number:
            self._line_number[line] = len(self.lines)
            self.lines.append(line)
        return self._line_number[line]

    def number_columns(self, columns: Dyadic) -> Array:
        """The numbers of functions given as exact columns (3, n)."""
        rows = zip(*(map(int, row) for row in columns.integers.reshape(3, -1)), strict=True)
        return np.array([self.number((a, b, c, columns.exponent)) for a, b, c in rows], np.int32)

    # -- sums of forms -------------------------------------------------------------------------------------------------

    def apply(self, rows: Rows, ids: Array, parent: Array, positive: Array) -> Array:
        """The numbers of the atoms after an affine operation, on every cell: (cells, atoms).

        ``ids`` are those before it on the cells' parents; ``positive`` words say where they were positive, if a fold is between.
        """
        factors = np.array([[self._factor(c), self._factor(-c)] for c in rows.coefficient.tolist()], np.int64).reshape(-1, 2)
        n_cells, n_rows = len(parent), len(rows.offsets) - 1
        tick(4 * n_cells * n_rows)
        out = np.empty((n_cells, n_rows), np.int32)
        terms = _kernels.Terms(rows.offsets, rows.atom, factors, rows.n_before, rows.after_fold, self._factor(1.0))
        uses = _uses(rows, ids.shape[1])
        n = _RANGES if out.size > _LEAST_ENTRIES else 1
        ranges = [_Range(n_cells * i // n, n_cells * (i + 1) // n, n_rows) for i in range(n)]

        def number(i: int, _: int) -> None:
            r = ranges[i]
            cells = np.array([r.first, r.reached, r.stop])
            r.reached, r.n_missing = _kernels.number_rows(
                terms, uses, ids, parent, positive, self._sums, cells, r.missing, r.seen, out
            )

        while True:
            parallel_ranges(number, len(ranges), least=1, most=1)
            ranges = [r for r in ranges if r.n_missing]
            if not ranges:
                return out
            tick()
            for key in np.unique(np.concatenate([r.missing[: r.n_missing] for r in ranges])).tolist():
                self._remember(key, n_cells * n_rows)

    def _factor(self, coefficient: float) -> int:
        if coefficient not in self._factor_number:
            if len(self._factors) >= 2**_COEFFICIENT_BITS:
                raise Unsuited
            self._factor_number[coefficient] = len(self._factors)
            self._factors.append(coefficient)
        return self._factor_number[coefficient]

    def _remember(self, key: int, n_asked: int) -> None:
        """Find the sum that a key stands for: one form, and a coefficient times another."""
        mask = 2**_KEY_BITS - 1
        a, b = self.exact[key >> (_KEY_BITS + _COEFFICIENT_BITS)], self.exact[key & mask]
        factor = self._factors[(key >> _KEY_BITS) & (2**_COEFFICIENT_BITS - 1)]
        self._n_sums += 1
        if self._n_sums > 20_000 + n_asked // 16:  # on cells of general networks every function is new
            raise Unsuited
        if 2 * self._n_sums > len(self._sums.keys):
            old = self._sums
            self._sums = _kernels.Sums(np.full(4 * len(old.keys), -1, np.int64), np.zeros(4 * len(old.keys), np.int32))
            _kernels.move_sums(old, self._sums)
        _kernels.insert_sum(self._sums, key, self.number(_plus(a, factor, b)))


class _Range:
    """Cells that are numbered one after the other, how far that has come, and the sums that are missing there."""

    def __init__(self, first: int, stop: int, n_rows: int) -> None:
        self.first, self.reached, self.stop, self.n_missing = first, first, stop, 0
        self.missing, self.seen = np.empty(max(64, n_rows), np.int64), np.full(n_rows, -1, np.int64)


def _uses(rows: Rows, n_atoms: int) -> _kernels.Uses:
    """The rows that use each atom before them, both of its parts after a fold."""
    users = np.repeat(np.arange(len(rows.offsets) - 1), np.diff(rows.offsets))
    kept = rows.atom < rows.n_before
    atom, users = rows.atom[kept] % max(1, n_atoms), users[kept]
    order = np.argsort(atom, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(atom, minlength=n_atoms))])
    return _kernels.Uses(offsets.astype(np.int64), users[order].astype(np.int64))


def _normal(form: Form) -> Form:
    """The same function with the largest exponent."""
    *numbers, exponent = form
    together = numbers[0] | numbers[1] | numbers[2]
    if not together:
        return 0, 0, 0, 0
    shift = (together & -together).bit_length() - 1
    a, b, c = (i >> shift for i in numbers)
    return a, b, c, exponent + shift


def _plus(a: Form, factor: float, b: Form) -> Form:
    """a + factor b."""
    numerator, denominator = factor.as_integer_ratio()
    exponent = b[3] - (denominator.bit_length() - 1)
    low = min(a[3], exponent)
    x, y, z = ((i << (a[3] - low)) + (numerator * j << (exponent - low)) for i, j in zip(a[:3], b[:3], strict=True))
    return x, y, z, low


def side_lines(table: FormTable, corners: list[Vector]) -> list[int]:
    """The numbers of the lines through the sides of a polygon."""
    return [table.line_number(cross(p, q)) for p, q in pairwise([*corners, corners[0]])]
