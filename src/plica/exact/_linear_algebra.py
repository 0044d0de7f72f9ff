r"""Linear algebra without rounding: one elimination in integers, and what is read off it.

Rows of fractions are multiplied by their common denominators first. Then Bareiss' elimination keeps every entry an integer that
is a minor of the matrix, so that numbers stay as short as they can be and every division leaves no remainder:

.. math:: a_{ij} \leftarrow (a_{kk} a_{ij} - a_{ik} a_{kj}) / p

with p the pivot of the step before. As all other rows are cleared (Jordan), the pivots are equal in the end: the matrix is the
reduced echelon form times one denominator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from numbers import Integral
from typing import Any

from plica.exact._homogeneous import Vector, point, reduced

Matrix = Iterable[Iterable[Any]]  # of integers, fractions and floats, which are the fractions that they are


@dataclass(frozen=True)
class Echelon:
    """The reduced echelon form of a matrix, in integers over one denominator.

    Attributes
    ----------
    rows
        Integers: the first ``rank`` rows are ``denominator`` times the reduced form, the others are zero.
    pivots
        The column of the leading entry of each of the first ``rank`` rows.
    denominator
        The entry at every pivot: up to its sign a largest nonzero minor of the integer rows.
    sign
        -1 if the rows were exchanged an odd number of times, else 1.
    """

    rows: list[list[int]]
    pivots: tuple[int, ...]
    denominator: int
    sign: int

    @property
    def rank(self) -> int:
        return len(self.pivots)


def eliminate(matrix: Matrix, n_columns: int | None = None) -> Echelon:
    """Bareiss' elimination; pivots are looked for in the first ``n_columns`` columns (all by default).

    Examples
    --------
    >>> form = eliminate([[0, 2, 4], [1, 1, 1]])
    >>> form.rows, form.pivots, form.denominator, form.sign
    ([[2, 0, -2], [0, 2, 4]], (0, 1), 2, -1)
    """
    return _bareiss([row for row, _ in _in_integers(matrix)], n_columns)


def rank(matrix: Matrix) -> int:
    """The rank.

    Examples
    --------
    >>> rank([[1, 2], [2, 4], [0.5, 1]])
    1
    """
    return eliminate(matrix).rank


def affine_dimension(points: Iterable[Sequence[Any]]) -> int:
    """The dimension of the affine hull of some points; -1 for none.

    Examples
    --------
    >>> affine_dimension([(0, 0, 1), (1, 1, 1), (2, 2, 1)])
    1
    """
    return rank([[*point, 1] for point in points]) - 1


def determinant(matrix: Matrix) -> Fraction:
    """The determinant of a square matrix.

    Examples
    --------
    >>> determinant([[0.5, 1], [3, 4]])
    Fraction(-1, 1)
    """
    scaled = list(_in_integers(matrix))
    rows = [row for row, _ in scaled]
    _check_square(rows)
    form = _bareiss(rows, None)
    if form.rank < len(rows):
        return Fraction(0)
    return Fraction(form.sign * form.denominator, prod(scale for _, scale in scaled))


def solve(matrix: Matrix, right: Iterable[Any]) -> list[Fraction] | None:
    """The one solution of a system, or None where there is none or more than one.

    Examples
    --------
    >>> solve([[2, 1], [1, 1]], [3, 2])
    [Fraction(1, 1), Fraction(1, 1)]
    """
    form, n = _augmented(matrix, right)
    return None if form.rank < n else _particular(form, n)


def particular_solution(matrix: Matrix, right: Iterable[Any]) -> list[Fraction] | None:
    """A solution with free unknowns at zero, or None where there is none.

    Examples
    --------
    >>> particular_solution([[1, 1, 1]], [2])
    [Fraction(2, 1), Fraction(0, 1), Fraction(0, 1)]
    """
    return _particular(*_augmented(matrix, right))


def null_space(matrix: Matrix) -> list[list[Fraction]]:
    """A basis of the vectors that a matrix with at least one row sends to zero, one for each free unknown.

    Examples
    --------
    >>> null_space([[1, 2, 0], [0, 0, 1]])
    [[Fraction(-2, 1), Fraction(1, 1), Fraction(0, 1)]]
    """
    form = eliminate(matrix)
    if not form.rows:
        raise ValueError("a matrix without rows does not say how many unknowns there are")
    basis = []
    for free in sorted(set(range(len(form.rows[0]))) - set(form.pivots)):
        vector = [Fraction(int(j == free)) for j in range(len(form.rows[0]))]
        for row, pivot in zip(form.rows, form.pivots, strict=False):
            vector[pivot] = Fraction(-row[free], form.denominator)
        basis.append(vector)
    return basis


def inverse(matrix: Matrix) -> list[list[Fraction]] | None:
    """The inverse of a square matrix, or None where there is none.

    Examples
    --------
    >>> inverse([[2, 0], [0, 0.25]])
    [[Fraction(1, 2), Fraction(0, 1)], [Fraction(0, 1), Fraction(4, 1)]]
    """
    rows = [list(row) for row in matrix]
    _check_square(rows)
    n = len(rows)
    form = eliminate([[*row, *(int(i == j) for j in range(n))] for i, row in enumerate(rows)], n)
    return None if form.rank < n else [[Fraction(v, form.denominator) for v in row[n:]] for row in form.rows]


def meet_all(forms: Iterable[Sequence[int]]) -> Vector:
    """The point where n affine forms with integer coefficients in n variables vanish, in homogeneous integers.

    Examples
    --------
    >>> meet_all([(2, 0, 0, -1), (0, 1, 0, -3), (0, 0, 1, 4)])
    (1, 6, -8, 2)
    """
    rows = [list(reduced(form)) for form in forms]
    n = len(rows)
    form = _bareiss(rows, n)
    if form.rank < n:
        raise ZeroDivisionError("the hyperplanes do not meet in one point")
    return point([*(-row[n] for row in form.rows), form.denominator])


def _bareiss(rows: list[list[int]], n_columns: int | None) -> Echelon:
    """Elimination of a list of integer rows, which is overwritten."""
    width = len(rows[0]) if rows else 0
    pivots: list[int] = []
    last, sign = 1, 1
    for column in range(width if n_columns is None else n_columns):
        k = len(pivots)
        found = next((i for i in range(k, len(rows)) if rows[i][column]), None)
        if found is None:
            continue
        if found != k:
            rows[k], rows[found], sign = rows[found], rows[k], -sign
        head = rows[k]
        p = head[column]
        for i, row in enumerate(rows):
            if i != k:
                f = row[column]
                rows[i] = [(p * a - f * b) // last for a, b in zip(row, head, strict=True)]
        pivots.append(column)
        last = p
    return Echelon(rows, tuple(pivots), last, sign)


def _in_integers(matrix: Matrix) -> Iterable[tuple[list[int], int]]:
    """Each row times its least common denominator, and that denominator."""
    for row in matrix:
        entries = [int(v) if isinstance(v, Integral) else Fraction(v) for v in row]
        scale = lcm(*(v.denominator for v in entries))
        yield [v.numerator * (scale // v.denominator) for v in entries], scale


def _augmented(matrix: Matrix, right: Iterable[Any]) -> tuple[Echelon, int]:
    """A system after elimination, with its right side as the last column, and the number of unknowns."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    if not rows:
        raise ValueError("a system without equations does not say how many unknowns there are")
    n = len(rows[0]) - 1
    return eliminate(rows, n), n


def _particular(form: Echelon, n: int) -> list[Fraction] | None:
    if any(row[n] for row in form.rows[form.rank :]):
        return None
    solution = [Fraction(0)] * n
    for row, pivot in zip(form.rows, form.pivots, strict=False):
        solution[pivot] = Fraction(row[n], form.denominator)
    return solution


def _check_square(rows: Sequence[Sequence[Any]]) -> None:
    if any(len(row) != len(rows) for row in rows):
        raise ValueError(f"expected a square matrix, got {len(rows)} rows with {sorted({len(row) for row in rows})} entries")
