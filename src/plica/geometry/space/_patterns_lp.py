"""Cells by linear programs: a second, independent path, used as an oracle.

The cells are found by walking: from a cell through each of its facets to the next. Whether a constraint of a cell carries a
facet is asked of HiGHS in floating point, whose answer is only a hint. Accepted is a rational point on the facet at which every
other constraint is strictly satisfied, or multipliers that prove that no such point exists; both are checked in exact
arithmetic. Where the hint leads to neither, an exact linear program decides. The pattern behind a facet is the network's own at
a point moved off it by an infinitely small step. Shares nothing with the vertex-based engines.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

import numpy as np

from plica._types import Array
from plica.exact import exactly, maximize, particular_solution, rank, reduced
from plica.geometry._budget import Budget, Meter
from plica.geometry.domains import Box, Polytope, Space
from plica.network import Fold, FractionColumns, Network, walk

Point = tuple[Fraction, ...]
Form = tuple[int, ...]
Key = tuple[int, ...]
_SURE = 1e-7  # an inner radius above this is worth checking as a point, one below as a certificate


@dataclass(frozen=True, eq=False)
class LpCell:
    """A cell: its pattern, an exactly checked interior point, the cells behind its facets, and whether it is bounded."""

    pattern: Key
    interior: Point
    neighbors: frozenset[Key]
    is_bounded: bool


@dataclass(eq=False)
class LpCells:
    """All cells by pattern, and how they were found."""

    cells: dict[Key, LpCell] = field(default_factory=dict)
    n_programs: int = 0
    n_exact: int = 0

    @property
    def n_cells(self) -> int:
        return len(self.cells)

    @property
    def n_bounded(self) -> int:
        return sum(c.is_bounded for c in self.cells.values())


def cells_by_programs(
    network: Network, domain: Box | Polytope | Space, *, seed: int = 0, budget: Budget | None = None
) -> LpCells:
    """All cells of a network over a box, a polytope or all of R^n.

    Examples
    --------
    >>> from plica.network import Linear, Network, Rectifier
    >>> lines = Linear(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0.0, 0.0, -1.0]))
    >>> net = Network.sequential(2, [lines, Rectifier()])
    >>> found = cells_by_programs(net, Space(2))
    >>> found.n_cells, found.n_bounded
    (7, 1)
    """
    out, meter = LpCells(), Meter(budget or Budget(), len(network.layers))
    walker = _Walker(network, domain, out)
    start = walker.start(np.random.default_rng(seed))
    waiting, seen = deque([start]), {start[0]}
    while waiting:
        key, interior = waiting.popleft()
        cell, found = walker.visit(key, interior)
        out.cells[key] = cell
        for other, point in found:
            if other not in seen:
                seen.add(other)
                waiting.append((other, point))
        meter.check(n_cells=len(seen))
    return out


class _Walker:
    def __init__(self, network: Network, domain: Box | Polytope | Space, out: LpCells) -> None:
        self.network, self.domain, self.out = network, domain, out
        self.n = domain.dimension
        frame = np.vstack([np.eye(self.n), np.zeros(self.n)]) if isinstance(domain, Space) else domain.chart.points
        self.frame = exactly(frame)
        self.border: list[Form] = []
        if isinstance(domain, Polytope):
            self.border = list(domain.forms)
        elif isinstance(domain, Box):
            for i, (low, high) in enumerate(zip(domain.low[domain.free], domain.high[domain.free], strict=True)):
                for sign, bound in ((1, low), (-1, high)):
                    self.border.append(
                        _integer([Fraction(sign * int(j == i)) for j in range(self.n)], -sign * Fraction(float(bound)))
                    )

    def start(self, rng: np.random.Generator) -> tuple[Key, Point]:
        """A random point strictly inside a cell."""
        while True:
            if isinstance(self.domain, Space):
                x = rng.normal(size=self.n)
            else:
                low, high = self.domain.window.min(axis=0), self.domain.window.max(axis=0)
                x = low + (high - low) * rng.random(self.n)
            point = tuple(Fraction(float(c)) for c in x)
            key = pattern_beside(self.network, self.frame, point, tuple(Fraction(0) for _ in point))
            if all(_value(f, point) > 0 for f in (*self.border, *constraints(self.network, self.frame, key))):
                return key, point

    def visit(self, key: Key, interior: Point) -> tuple[LpCell, list[tuple[Key, Point]]]:
        """The facets of a cell and what lies behind them."""
        folds = constraints(self.network, self.frame, key)
        assert all(_value(f, interior) > 0 for f in folds)
        every = [*folds, *(f for f in self.border if f not in folds)]
        table = np.array([[float(c) for c in _small(f)] for f in every])
        found: list[tuple[Key, Point]] = []
        for i, form in enumerate(every):
            others = every[:i] + every[i + 1 :]
            point = self._facet_point(form, others, np.delete(table, i, axis=0), table[i])
            if point is None or form in self.border:
                continue
            outward = tuple(Fraction(-c) for c in form[:-1])
            other = pattern_beside(self.network, self.frame, point, outward)
            found.append((other, self._step(point, outward, other)))
        bounded = not isinstance(self.domain, Space) or is_bounded(every, self.n)
        return LpCell(key, interior, frozenset(k for k, _ in found), bounded), found

    def _step(self, point: Point, direction: Point, key: Key) -> Point:
        """A point inside the cell behind a facet: half way to where its next constraint ends."""
        step = Fraction(1)
        for f in (*constraints(self.network, self.frame, key), *self.border):
            value, slope = _value(f, point), sum(a * d for a, d in zip(f[:-1], direction, strict=True))
            if slope < 0 and value > 0:
                step = min(step, -value / slope / 2)
        return tuple(p + step * d for p, d in zip(point, direction, strict=True))

    # -- facets ------------------------------------------------------------------------------------------------------------

    def _facet_point(self, form: Form, others: list[Form], table: Array, row: Array) -> Point | None:
        """A point of the facet that no other constraint touches, or None; both proved."""
        from scipy.optimize import linprog

        self.out.n_programs += 1
        sizes = np.abs(table[:, :-1]).sum(axis=1)
        ahead = np.zeros(self.n + 1)
        ahead[-1] = -1.0
        result = linprog(
            ahead,
            A_ub=np.vstack([np.column_stack([-table[:, :-1], sizes]), -ahead]),
            b_ub=np.append(table[:, -1], 1.0),
            A_eq=np.append(row[:-1], 0.0)[None],
            b_eq=[-row[-1]],
            bounds=[(None, None)] * (self.n + 1),
            method="highs",
        )
        if result.status == 0 and result.x[-1] > _SURE:
            point = _onto(form, result.x[:-1])
            if all(_value(f, point) > 0 for f in others):
                return point
        elif result.status == 0 and self._is_refuted(form, others, -result.ineqlin.marginals[:-1]):
            return None
        return self._decide(form, others)

    def _is_refuted(self, form: Form, others: list[Form], hint: Array) -> bool:
        """Whether nonnegative multipliers on the hinted constraints prove that they never are all positive on the hyperplane."""
        support = np.flatnonzero(hint > 1e-9 * hint.max(initial=0.0))
        if not len(support) or len(support) > self.n + 1:
            return False
        columns = [others[i] for i in support]
        # sum of y_i g_i + z h has no linear part, and sum of y_i = 1
        rows = [[*(g[j] for g in columns), form[j]] for j in range(self.n)] + [[1] * len(columns) + [0]]
        solution = particular_solution(rows, [0] * self.n + [1])
        if solution is None or min(solution[:-1]) < 0:
            return False
        return sum(y * g[-1] for y, g in zip(solution, columns, strict=False)) + solution[-1] * form[-1] <= 0

    def _decide(self, form: Form, others: list[Form]) -> Point | None:
        """The same question as an exact linear program."""
        self.out.n_exact += 1
        matrix = [[*(-c for c in g[:-1]), 1] for g in others]
        matrix += [[*form[:-1], 0], [*(-c for c in form[:-1]), 0], [0] * self.n + [1]]
        bounds = [*(g[-1] for g in others), -form[-1], form[-1], 1]
        best = maximize([0] * self.n + [1], matrix, bounds)
        return best.x[:-1] if best.status == "optimal" and best.value > 0 else None


# -- the network in fractions ------------------------------------------------------------------------------------------------


def pattern_beside(network: Network, frame: Array, point: Point, direction: Point) -> Key:
    """The states of all neurons at point + epsilon * direction, for every small enough epsilon > 0.

    ``frame`` holds the directions of the chart and then its origin.
    """
    moved = np.array([(*direction, Fraction(0)), (*point, Fraction(1))], dtype=object) @ frame
    found: list[int] = []

    def choose(layer: int, op: Fold, columns: Array, shape: tuple[int, ...]) -> Array:
        states = op.states_where(lambda forms: _is_positive_beside(forms.columns(columns, exactly)), shape)
        found.extend(states.tolist())
        return states

    walk(network, FractionColumns(choose), {0: moved.reshape(2, *network.input_shape)})
    return tuple(found)


def _is_positive_beside(columns: Array) -> Array:
    """By lexicographic order: first the value (the last row), then its growth."""
    growth, value = columns
    return np.asarray((value > 0) | ((value == 0) & (growth > 0)))


def constraints(network: Network, frame: Array, key: Key) -> list[Form]:
    """The forms that are positive inside the cell with the given pattern, each hyperplane once, in coprime integers."""
    n, found, done = len(frame) - 1, {}, 0

    def choose(layer: int, op: Fold, columns: Array, shape: tuple[int, ...]) -> Array:
        nonlocal done
        size = network.nodes[network.layers[layer]].size
        states = np.array(key[done : done + size])
        done += size
        for *linear, constant in op.walls(states, columns.shape[1]).columns(columns, exactly).T:
            if any(linear):
                found[_integer(linear, constant)] = True
        return states

    walk(network, FractionColumns(choose), {0: frame.reshape(n + 1, *network.input_shape)})
    return list(found)


# -- small exact algebra -----------------------------------------------------------------------------------------------------


def _integer(linear: list[Fraction], constant: Fraction) -> Form:
    """A form in coprime integers: a positive multiple."""
    scale = lcm(*(c.denominator for c in (*linear, constant)))
    return reduced([int(c * scale) for c in (*linear, constant)])


def _small(form: Form) -> list[Fraction]:
    """The form divided by its largest coefficient, so that it fits in floats."""
    top = max(abs(c) for c in form[:-1])
    return [Fraction(c, top) for c in form]


def _value(form: Form, point: Point) -> Fraction:
    return sum((a * x for a, x in zip(form[:-1], point, strict=True)), Fraction(form[-1]))


def _onto(form: Form, x: Array) -> Point:
    """A rational point near x on the hyperplane: one coordinate is solved for."""
    point = [Fraction(float(c)) for c in x]
    j = max(range(len(point)), key=lambda i: abs(form[i]))
    rest = sum((form[i] * point[i] for i in range(len(point)) if i != j), Fraction(form[-1]))
    point[j] = -rest / form[j]
    return tuple(point)


def is_bounded(forms: list[Form], n: int) -> bool:
    """Whether the set where all forms are >= 0 (not empty) is bounded: its recession cone is {0}.

    In the cone all a v are >= 0. If their largest sum over |v| <= 1 is positive, the cone has a nonzero direction; if it is
    zero, the cone is the space on which all a v vanish, which is {0} when the a span R^n.
    """
    total = [sum(f[i] for f in forms) for i in range(n)]
    matrix = [[-c for c in f[:-1]] for f in forms]
    matrix += [[s * int(i == j) for j in range(n)] for i in range(n) for s in (1, -1)]
    best = maximize(total, matrix, [0] * len(forms) + [1] * (2 * n))
    if best.value > 0:
        return False
    return rank([f[:-1] for f in forms]) == n
