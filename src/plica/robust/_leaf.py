"""The last word on a small box: neurons whose sign is not certain are branched on, linear programs in integers decide.

On the box x = low + (high - low) t every tensor is an affine piece in integers once the states of the neurons before it are
known. A neuron that may have both signs splits the polytope of t in two closed halves; where all states are known, the
inequalities of a conjunction are a linear program without rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd

import numpy as np

from plica._types import Array
from plica.exact import maximize
from plica.robust._exact_steps import Columns, ExactSteps, start_on
from plica.robust._property import Row
from plica.robust.bounds._boxes import Ranges
from plica.robust.bounds._steps import AffineStep

Inequality = tuple[tuple[int, ...], int]  # a t <= b
Point = list[Fraction]


class TooManyPieces(Exception):
    """The box has more pieces than was allowed."""


class Leaf:
    """Exact decisions on boxes for one network; ``n_pieces`` counts the affine pieces that programs were solved on."""

    def __init__(self, exact: ExactSteps, check: Callable[[], None] = lambda: None) -> None:
        self.exact, self.check, self.n_pieces = exact, check, 0

    def find(
        self,
        low: Sequence[Fraction],
        high: Sequence[Fraction],
        conjunctions: Sequence[Sequence[Row]],
        ranges: Sequence[Ranges],
        *,
        known: Array | None = None,
        max_pieces: int = 4096,
    ) -> Point | None:
        """A point of the box that satisfies one of the conjunctions, or None: there is none. ``ranges`` (one row) are proved.

        ``known`` are states that are supposed, -1 where none is: only points that have them are looked for.
        """
        start, denominator, moving = start_on(low, high)
        n = len(moving)
        sides: list[Inequality] = []
        for j in range(n):
            unit = tuple(int(i == j) for i in range(n))
            sides += [(unit, 1), (tuple(-c for c in unit), 0)]
        self._left = max_pieces
        self._known: dict[int, Array] = {}
        if known is not None and len(known):
            sizes = [self.exact.steps.size(i) for i in self.exact.steps.rectifiers]
            self._known = dict(zip(self.exact.steps.rectifiers, np.split(known, np.cumsum(sizes)[:-1]), strict=True))
        t = self._walk(0, {0: start}, denominator, sides, conjunctions, ranges, n)
        if t is None:
            return None
        x = list(low)
        for j, i in enumerate(moving):
            x[i] = low[i] + (high[i] - low[i]) * t[j]
        return x

    def _walk(
        self,
        index: int,
        tensors: dict[int, Columns],
        denominator: int,
        facets: list[Inequality],
        conjunctions: Sequence[Sequence[Row]],
        ranges: Sequence[Ranges],
        n: int,
    ) -> Point | None:
        steps = self.exact.steps.steps
        for i in range(index, len(steps)):
            step = steps[i]
            if isinstance(step, AffineStep):
                tensors[i + 1] = self.exact.affine(i, tensors, denominator)
                continue
            x, r = tensors[step.parent], ranges[step.parent]
            states = np.where(r.low[0] >= 0, 1, np.where(r.high[0] <= 0, 0, -1))
            if i + 1 in self._known:
                states, facets = _supposed(x.integers, states, self._known[i + 1], facets)
            found = self._decided(x.integers, states, facets, n)
            for known, polytope in found[:-1]:
                branch = dict(tensors)
                branch[i + 1] = self.exact.rectified(i, x, known == 1)
                point = self._walk(i + 1, branch, denominator, polytope, conjunctions, ranges, n)
                if point is not None:
                    return point
            known, facets = found[-1]
            tensors[i + 1] = self.exact.rectified(i, x, known == 1)
        self.n_pieces += 1
        self._left -= 1
        if self._left < 0:
            raise TooManyPieces
        self.check()
        return self._satisfied(tensors[0], tensors[len(steps)], denominator, facets, conjunctions, n)

    def _decided(self, forms: Array, states: Array, facets: list[Inequality], n: int) -> list[tuple[Array, list[Inequality]]]:
        """All ways in which the neurons of a layer may be switched on a polytope, each with its part of the polytope."""
        waiting, out = [(states.copy(), facets)], []
        while waiting:
            known, polytope = waiting.pop()
            unknown = np.flatnonzero(known < 0)
            if not len(unknown):
                out.append((known, polytope))
                if len(out) > self._left:
                    raise TooManyPieces
                continue
            k = unknown[0]
            *a, c = (int(v) for v in forms[k])
            most, least = _extreme(a, polytope, n), _extreme([-v for v in a], polytope, n)
            if most is None or least is None:
                continue  # an empty polytope
            known = known.copy()
            if most + c <= 0 or -least + c >= 0:
                known[k] = int(most + c > 0)
                waiting.append((known, polytope))
                continue
            for state in (0, 1):
                side = known.copy()
                side[k] = state
                sign = 1 if state == 0 else -1
                waiting.append((side, [*polytope, _reduced(tuple(sign * v for v in a), -sign * c)]))
        return out or [(np.zeros_like(states), [*facets, (tuple([0] * n), -1)])]

    def _satisfied(
        self,
        x: Columns,
        y: Columns,
        denominator: int,
        facets: list[Inequality],
        conjunctions: Sequence[Sequence[Row]],
        n: int,
    ) -> Point | None:
        for rows in conjunctions:
            extra = [_inequality(row, x, y, denominator, n) for row in rows]
            matrix, bounds = zip(*(facets + extra), strict=True) if facets or extra else ((), ())
            if n == 0:
                if all(b >= 0 for b in bounds):
                    return []
                continue
            solution = maximize([0] * n, matrix, bounds)
            if solution.status == "optimal":
                return list(solution.x)
        return None


def _supposed(forms: Array, states: Array, known: Array, facets: list[Inequality]) -> tuple[Array, list[Inequality]]:
    """States with those that are supposed, and the facets of these."""
    facets = list(facets)
    for k in np.flatnonzero(known >= 0):
        sign = 1 if known[k] == 0 else -1
        *a, c = (int(v) for v in forms[k])
        facets.append(_reduced(tuple(sign * v for v in a), -sign * c))
    return np.where(known >= 0, known, states), facets


def _extreme(a: list[int], facets: list[Inequality], n: int) -> Fraction | None:
    """The largest a t on a polytope that is bounded; None if it is empty."""
    if n == 0:
        return Fraction(0) if all(b >= 0 for _, b in facets) else None
    if not any(a):
        return Fraction(0)
    matrix, bounds = zip(*facets, strict=True)
    solution = maximize(a, matrix, bounds)
    return solution.value if solution.status == "optimal" else None


def _reduced(a: tuple[int, ...], b: int) -> Inequality:
    divisor = gcd(*a, b) or 1
    return tuple(v // divisor for v in a), b // divisor


def _inequality(row: Row, x: Columns, y: Columns, denominator: int, n: int) -> Inequality:
    """An inequality of inputs and outputs as one of t, in integers."""
    total = [Fraction(0)] * (n + 1)
    for columns, terms in ((x, row.inputs), (y, row.outputs)):
        unit = Fraction(2) ** columns.exponent / denominator
        for i, factor in terms:
            for j in range(n + 1):
                total[j] += factor * unit * int(columns.integers[i, j])
    bound = row.bound - total[-1]
    scale = 1
    for v in (*total[:-1], bound):
        scale = scale * v.denominator // gcd(scale, v.denominator)
    return _reduced(tuple(int(v * scale) for v in total[:-1]), int(bound * scale))
