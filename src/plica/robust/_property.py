"""What a verifier is asked: boxes of inputs, and linear inequalities that inputs and outputs must not satisfy together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.robust.bounds._boxes import Boxes


@dataclass(frozen=True)
class Row:
    """An inequality: sum of inputs[i] x_i + sum of outputs[j] y_j <= bound, in fractions."""

    inputs: tuple[tuple[int, Fraction], ...]
    outputs: tuple[tuple[int, Fraction], ...]
    bound: Fraction

    def holds(self, x: Sequence[Fraction], y: Sequence[Fraction]) -> bool:
        """Whether it is satisfied, exactly."""
        return self.left(x, y) <= self.bound

    def left(self, x: Sequence[Fraction], y: Sequence[Fraction]) -> Fraction:
        return sum((c * x[i] for i, c in self.inputs), Fraction(0)) + sum((c * y[j] for j, c in self.outputs), Fraction(0))


@dataclass(frozen=True, eq=False)
class Query:
    """One box of inputs and the conjunctions of inequalities that are asked for in it: any of them is a counterexample."""

    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]
    conjunctions: tuple[tuple[Row, ...], ...]

    @cached_property
    def boxes(self) -> Boxes:
        """The box in floats, rounded outward."""
        low = [rounded(v, down=True) for v in self.low]
        return Boxes.of(low, [rounded(v, down=False) for v in self.high])

    @cached_property
    def inside(self) -> tuple[Array, Array]:
        """The ends rounded inward, where attackers look; a flat side keeps its nearest float."""
        low = np.array([rounded(v, down=False) for v in self.low])
        high = np.array([rounded(v, down=True) for v in self.high])
        return np.minimum(low, high), np.maximum(low, high)

    def contains(self, x: Sequence[Fraction]) -> bool:
        return all(a <= v <= b for a, v, b in zip(self.low, x, self.high, strict=True))

    def is_violated(self, x: Sequence[Fraction], y: Sequence[Fraction]) -> bool:
        """Whether (x, y) is a counterexample, exactly."""
        return self.contains(x) and any(all(row.holds(x, y) for row in rows) for rows in self.conjunctions)


@dataclass(frozen=True, eq=False)
class Property:
    """What is asked of a network; a *counterexample* is an input of a query's box that satisfies one of its conjunctions."""

    n_inputs: int
    n_outputs: int
    queries: tuple[Query, ...]


@dataclass(frozen=True, eq=False)
class Forms:
    """The rows of a query as floats that are exact: left sides as weights, right sides rounded up."""

    outputs: Array
    inputs: Array
    bound: Array
    groups: tuple[Array, ...]  # the rows of each conjunction

    @staticmethod
    def of(query: Query, n_inputs: int, n_outputs: int) -> Forms:
        rows = [row for conjunction in query.conjunctions for row in conjunction]
        outputs, inputs, bound = np.zeros((len(rows), n_outputs)), np.zeros((len(rows), n_inputs)), np.zeros(len(rows))
        for k, row in enumerate(rows):
            scale = lcm(*(c.denominator for _, c in (*row.inputs, *row.outputs)))
            for target, terms in ((inputs, row.inputs), (outputs, row.outputs)):
                for i, c in terms:
                    target[k, i] = _exact(c * scale)
            bound[k] = rounded(row.bound * scale, down=False)
        ends = np.cumsum([len(c) for c in query.conjunctions])
        groups = tuple(np.arange(end - len(c), end) for c, end in zip(query.conjunctions, ends, strict=True))
        return Forms(outputs, inputs, bound, groups)

    def left(self, x: Array, y: Array) -> Array:
        """The left sides minus the right ones, at points."""
        return np.asarray(y @ self.outputs.T + x @ self.inputs.T - self.bound)


def rounded(value: Fraction, *, down: bool) -> float:
    """The nearest float at or below (above) a fraction."""
    try:
        near = float(value)
    except OverflowError:
        raise InvalidInput("a number of the property does not fit in a float.") from None
    if Fraction(near) == value:
        return near
    if down:
        return near if Fraction(near) < value else float(np.nextafter(near, -np.inf))
    return near if Fraction(near) > value else float(np.nextafter(near, np.inf))


def _exact(value: Fraction) -> float:
    near = float(value)
    if Fraction(near) != value:
        raise InvalidInput(
            "the coefficients of an inequality have no common multiple that floats hold.", hint="use fewer decimal digits"
        )
    return near
