r"""The nearest point of another class in one cell, in fractions, with the multipliers that prove that none of the cell is nearer.

In a cell this is a quadratic program, :math:`\min |\delta|^2` with :math:`G\delta\ge h`. Floats guess which walls hold the
nearest point; with those as equations, :math:`\delta=G_A^T\lambda` and :math:`G_A G_A^T\lambda=h_A` is solved in fractions. If
:math:`\lambda\ge 0` and all walls of the cell are kept, nothing in the cell is nearer (Karush, Kuhn and Tucker); a wall with a
negative multiplier is let go, one that is broken is added. Where this goes round in circles, and there are few inputs, walls are
added one by one to the program without any, and those that block the way leave (D. Goldfarb and A. Idnani, A numerically stable
dual method for solving strictly convex quadratic programs, Math. Program. 27, 1983); in fractions this always ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from plica._types import Array
from plica.exact import maximize, solve
from plica.robust._cell_distance import Nearest, Pattern
from plica.robust._exact_steps import Columns, ExactSteps, start_at
from plica.robust.bounds._steps import RectifierStep, Steps

MOST_CHANGES = 200  # of the walls that hold the nearest point
FEW_INPUTS = 16  # up to which an empty cell is proved empty by a linear program in integers
Wall = tuple[int, int] | None  # a rectifier's tensor and its entry; None is the margin


@dataclass(frozen=True, eq=False)
class ExactNearest:
    """The nearest point of a cell where other is as good as label, its squared distance, and the multipliers of its walls."""

    point: tuple[Fraction, ...]
    squared_distance: Fraction
    multipliers: dict[Wall, Fraction]
    scores: tuple[Fraction, ...]


class CellProgram:
    """The quadratic program of one cell."""

    def __init__(self, exact: ExactSteps, x0: Array, guess: Nearest, label: int, other: int) -> None:
        self.exact, self.steps, self.pattern = exact, exact.steps, guess.pattern
        self.label, self.other = label, other
        self.x0 = [Fraction(float(v)) for v in x0]
        largest = max((float(w.max(initial=0.0)) for w in guess.walls.values()), default=0.0)
        near = [(float(w[0, k]), (i, int(k))) for i, w in guess.walls.items() for k in np.flatnonzero(w[0] > 1e-9 * largest)]
        self.walls: list[Wall] = [None, *(wall for _, wall in sorted(near, reverse=True))]
        self.rows: dict[Wall, tuple[list[Fraction], Fraction]] = {}

    def solved(self) -> ExactNearest | None:
        """The solution, proved; None if the walls that hold it were not found, or there is none."""
        found = self._from_guess()
        return self._from_nothing() if found is None and len(self.x0) <= FEW_INPUTS else found

    def _from_guess(self) -> ExactNearest | None:
        active, added = list(self.walls), self.walls[0]
        for _ in range(MOST_CHANGES):
            rows = [self._row(wall) for wall in active]
            gram = [[_dot(a, b) for b, _ in rows] for a, _ in rows]
            found = solve(gram, [h for _, h in rows])
            if found is None:  # a wall that follows from the others
                if active.pop() == added:
                    return None  # it would be added again
                continue
            multipliers = [Fraction(v) for v in found]
            worst = min(range(len(active)), key=lambda i: multipliers[i])
            if multipliers[worst] < 0:
                active.pop(worst)
                if not active:
                    return None
                continue
            delta = _sum(multipliers, [g for g, _ in rows], len(self.x0))
            is_inside, broken, scores = self._after(delta)
            if is_inside:
                return self._nearest(delta, active, multipliers, scores)
            if broken in active:
                return None
            active.append(broken)
            added = broken
        return None

    def _from_nothing(self) -> ExactNearest | None:
        delta = [Fraction(0)] * len(self.x0)
        active: list[Wall] = []
        multipliers: list[Fraction] = []
        while True:
            is_inside, wall, scores = self._after(delta)
            if is_inside:
                return self._nearest(delta, active, multipliers, scores)
            (g, h), own = self._row(wall), Fraction(0)
            while True:
                rows = [self._row(other)[0] for other in active]
                shares = solve([[_dot(a, b) for b in rows] for a in rows], [_dot(a, g) for a in rows]) if rows else []
                assert shares is not None  # the walls that are kept are independent
                way = [a - b for a, b in zip(g, _sum(shares, rows, len(g)), strict=True)]
                size = _dot(way, way)
                blocking = [(m / s, i) for i, (m, s) in enumerate(zip(multipliers, shares, strict=True)) if s > 0]
                if not size and not blocking:
                    return None  # no point is inside all walls
                full = (h - _dot(g, delta)) / size if size else None
                step, leaving = min(blocking, default=(Fraction(0), -1))
                is_full = full is not None and (leaving < 0 or full <= step)
                step = full if full is not None and is_full else step
                multipliers = [m - step * s for m, s in zip(multipliers, shares, strict=True)]
                own += step
                delta = [d + step * w for d, w in zip(delta, way, strict=True)]
                if is_full:
                    active, multipliers = [*active, wall], [*multipliers, own]
                    break
                del active[leaving], multipliers[leaving]

    def _after(self, delta: list[Fraction]) -> tuple[bool, Wall, list[Fraction]]:
        """Whether a step leads to a point inside all walls, a wall that it breaks if not, and the scores there."""
        scores, wall = self._look([a + b for a, b in zip(self.x0, delta, strict=True)])
        if wall is not None:
            return False, wall, scores
        g, h = self._row(None)
        return _dot(g, delta) >= h, None, scores

    def _nearest(
        self, delta: list[Fraction], active: list[Wall], multipliers: list[Fraction], scores: list[Fraction]
    ) -> ExactNearest:
        point = tuple(a + b for a, b in zip(self.x0, delta, strict=True))
        kept = {wall: m for wall, m in zip(active, multipliers, strict=True) if m}
        return ExactNearest(point, _dot(delta, delta), kept, tuple(scores))

    def is_empty(self) -> bool:
        """Whether it is proved that the cell has no such point; asked for few inputs only."""
        if len(self.x0) > FEW_INPUTS:
            return False
        walls: list[Wall] = [None, *((i, k) for i in self.steps.rectifiers for k in range(self.steps.size(i)))]
        rows = []
        for g, h in (self._row(wall) for wall in walls):
            scale = lcm(*(v.denominator for v in (*g, h)))
            rows.append(([-int(v * scale) for v in g], -int(h * scale)))
        found = maximize([0] * len(self.x0), [a for a, _ in rows], [b for _, b in rows])
        return found.status == "infeasible"

    def _look(self, point: list[Fraction]) -> tuple[list[Fraction], Wall]:
        """The scores of the cell's map at a point, and the wall of the cell that is broken most, if any."""
        start, denominator = start_at(point)
        tensors: dict[int, Columns] = {0: start}
        worst, broken = Fraction(0), None
        for i, step in enumerate(self.steps.steps):
            if isinstance(step, RectifierStep):
                x, states = tensors[step.parent], self.pattern[i + 1][0] == 1
                tensors[i + 1] = self.exact.rectified(i, x, states)
                outside = np.where(states, -x.integers[:, 0], x.integers[:, 0])
                k = int(np.argmax(outside))
                if outside[k] > worst:
                    worst, broken = Fraction(int(outside[k])), (i + 1, k)
            else:
                tensors[i + 1] = self.exact.affine(i, tensors, denominator)
            if broken is not None:
                return [], broken
        last = tensors[len(self.steps.steps)]
        unit = Fraction(2) ** last.exponent / denominator
        return [int(v) * unit for v in last.integers[:, 0]], None

    def _row(self, wall: Wall) -> tuple[list[Fraction], Fraction]:
        """g and h of one inequality g . (x - x0) >= h."""
        if wall not in self.rows:
            if wall is None:
                start = np.zeros(self.steps.size(self.steps.n_tensors - 1), dtype=object)
                start[self.label], start[self.other] = -1, 1
                g, c = pulled(self.exact, self.pattern, self.steps.n_tensors - 1, start)
            else:
                tensor, k = wall
                start = np.zeros(self.steps.size(tensor), dtype=object)
                start[k] = 1 if self.pattern[tensor][0, k] == 1 else -1
                g, c = pulled(self.exact, self.pattern, self.steps.steps[tensor - 1].parents[0], start)
            self.rows[wall] = (g, -(c + _dot(g, self.x0)))
        return self.rows[wall]


def _dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), Fraction(0))


def _sum(factors: list[Fraction], rows: list[list[Fraction]], n: int) -> list[Fraction]:
    """Rows times factors, added."""
    return [sum((f * row[j] for f, row in zip(factors, rows, strict=True)), Fraction(0)) for j in range(n)]


def pulled(exact: ExactSteps, pattern: Pattern, tensor: int, form: Array) -> tuple[list[Fraction], Fraction]:
    """A form of integers on one tensor as an affine function of the input, in the cell of a pattern."""
    steps: Steps = exact.steps
    waiting: dict[int, tuple[Array, int]] = {tensor: (form, 0)}
    constant = Fraction(0)
    for i in range(tensor, 0, -1):
        if i not in waiting:
            continue
        (a, exponent), step = waiting.pop(i), steps.steps[i - 1]
        if isinstance(step, RectifierStep):
            back = exact.rectified(i - 1, Columns(a[:, None], exponent), pattern[i][0] == 1)
            _add(waiting, step.parent, back.integers[:, 0], back.exponent)
        else:
            constant += sum(
                (int(v) * Fraction(float(b)) for v, b in zip(a, step.offset, strict=True) if v and b), Fraction(0)
            ) * (Fraction(2) ** exponent)
            for parent, (product, own) in zip(step.parents, exact.transposed(i - 1, a), strict=True):
                _add(waiting, parent, product, exponent + own)
    if 0 not in waiting:
        return [Fraction(0)] * steps.n_inputs, constant
    a, exponent = waiting[0]
    unit = Fraction(2) ** exponent
    return [int(v) * unit for v in a], constant


def _add(waiting: dict[int, tuple[Array, int]], tensor: int, a: Array, exponent: int) -> None:
    if tensor in waiting:
        b, other = waiting[tensor]
        low = min(exponent, other)
        a, exponent = a * (1 << (exponent - low)) + b * (1 << (other - low)), low
    waiting[tensor] = (a, exponent)
