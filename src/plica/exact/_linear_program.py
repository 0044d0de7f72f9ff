"""Linear programs in integers, solved without rounding: the last word where floating point is not sure.

A program asks for the largest value of an affine form c x under constraints a x <= b in a few free variables. It is solved by
the criss-cross method (T. Terlaky, 1985): one rule, least index first, no phases, and finite on every program. The dictionary is
kept in integers over one common denominator, and every division in a pivot leaves no remainder (J. Edmonds).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True, eq=False)
class Solution:
    """The verdict on a linear program, with what proves it.

    Attributes
    ----------
    status
        ``"optimal"``, ``"infeasible"`` or ``"unbounded"``.
    x
        An optimal point; for an unbounded program a direction along which the value grows within the constraints.
    value
        c x at that point.
    multipliers
        One number >= 0 for each constraint. Optimal: they combine the constraints to c x <= value. Infeasible: they combine
        them to 0 <= (something negative).
    """

    status: str
    x: tuple[Fraction, ...] = ()
    value: Fraction = Fraction(0)
    multipliers: tuple[Fraction, ...] = ()


def maximize(objective: Sequence[int], matrix: Sequence[Sequence[int]], bounds: Sequence[int]) -> Solution:
    """The largest c x with A x <= b, for integer data and free x.

    Examples
    --------
    >>> s = maximize([1, 1], [[1, 2], [3, 1], [-1, 0], [0, -1]], [4, 6, 0, 0])
    >>> s.status, [str(c) for c in s.x], str(s.value)
    ('optimal', ['8/5', '6/5'], '14/5')
    >>> maximize([1], [[1], [-1]], [-1, 0]).status
    'infeasible'
    """
    d = _Dictionary(objective, matrix, bounds)
    d.free_variables_enter()
    status = d.solve()
    if status == "optimal":
        return Solution(status, d.point(), d.at(-1, 0), d.multipliers())
    if status == "infeasible":
        return Solution(status, multipliers=d.multipliers())
    # a direction of growth exists; whether there is a point to start from is a program of its own
    ray = d.point()
    if any(objective):
        start = maximize([0] * len(objective), matrix, bounds)
        if start.status == "infeasible":
            return start
    return Solution("unbounded", ray)


class _Dictionary:
    """Basic variables as (rows / q) times (1, nonbasic variables); the last row is the objective.

    Variables 0 .. n-1 are free, variable n + i is the slack of constraint i and has to be >= 0.
    """

    def __init__(self, objective: Sequence[int], matrix: Sequence[Sequence[int]], bounds: Sequence[int]) -> None:
        self.n, self.m = len(objective), len(bounds)
        self.t = np.zeros((self.m + 1, self.n + 1), dtype=object)
        for i in range(self.m):
            self.t[i] = [int(bounds[i]), *(-int(a) for a in matrix[i])]
        self.t[-1] = [0, *(int(c) for c in objective)]
        self.q = 1
        self.basic = list(range(self.n, self.n + self.m))
        self.nonbasic = list(range(self.n))
        self.guilty = -1  # the row or column that proves the verdict

    def at(self, row: int, column: int) -> Fraction:
        return Fraction(int(self.t[row, column]), self.q)

    def pivot(self, r: int, s: int) -> None:
        """The basic variable of row r leaves, the nonbasic one of column s enters."""
        t, p = self.t, self.t[r, s]
        row, column = t[r].copy(), t[:, s].copy()
        t = (t * p - np.outer(column, row)) // self.q
        t[:, s] = column
        t[r] = -row
        t[r, s] = self.q
        self.t, self.q = (t, p) if p > 0 else (-t, -p)
        self.basic[r], self.nonbasic[s - 1] = self.nonbasic[s - 1], self.basic[r]

    def free_variables_enter(self) -> None:
        """Free variables become basic and stay so; one that no constraint contains stays nonbasic at zero."""
        for s in range(1, self.n + 1):
            r = next((r for r in range(self.m) if self.t[r, s] and self.basic[r] >= self.n), None)
            if r is not None:
                self.pivot(r, s)

    def solve(self) -> str:
        n = self.n
        while True:
            for s in range(1, n + 1):  # a free variable that only the objective contains
                if self.nonbasic[s - 1] < n and self.t[-1, s]:
                    self.guilty = s
                    return "unbounded"
            bad_rows = [(self.basic[r], r, 0) for r in range(self.m) if self.basic[r] >= n and self.t[r, 0] < 0]
            bad_columns = [
                (self.nonbasic[s - 1], s, 1) for s in range(1, n + 1) if self.nonbasic[s - 1] >= n and self.t[-1, s] > 0
            ]
            if not bad_rows and not bad_columns:
                return "optimal"
            _, place, is_column = min(bad_rows + bad_columns)
            if is_column:
                choice = [(self.basic[r], r) for r in range(self.m) if self.basic[r] >= n and self.t[r, place] < 0]
                if not choice:
                    self.guilty = place
                    return "unbounded"
                self.pivot(min(choice)[1], place)
            else:
                choice = [
                    (self.nonbasic[s - 1], s) for s in range(1, n + 1) if self.nonbasic[s - 1] >= n and self.t[place, s] > 0
                ]
                if not choice:
                    self.guilty = -2 - place
                    return "infeasible"
                self.pivot(place, min(choice)[1])

    def point(self) -> tuple[Fraction, ...]:
        """The values of the free variables; after "unbounded" their rates along the guilty column."""
        x = [Fraction(0)] * self.n
        column = max(self.guilty, 0)
        sign = 1
        if column and self.nonbasic[column - 1] < self.n:
            sign = 1 if self.t[-1, column] > 0 else -1
            x[self.nonbasic[column - 1]] = Fraction(sign)
        for r in range(self.m):
            if self.basic[r] < self.n:
                x[self.basic[r]] = sign * self.at(r, column)
        return tuple(x)

    def multipliers(self) -> tuple[Fraction, ...]:
        row, own = (-1, -1) if self.guilty >= -1 else (-2 - self.guilty, self.basic[-2 - self.guilty])
        out = [Fraction(0)] * self.m
        for s in range(1, self.n + 1):
            if self.nonbasic[s - 1] >= self.n:
                out[self.nonbasic[s - 1] - self.n] = -self.at(row, s)
        if own >= self.n:
            out[own - self.n] = Fraction(1)
        return tuple(out)
