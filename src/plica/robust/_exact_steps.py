"""Steps in integers: values at rational points, and affine pieces on boxes, without rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import Dyadic, to_object
from plica.robust.bounds._steps import AffineStep, RectifierStep, Steps


@dataclass(frozen=True, eq=False)
class Columns:
    """Integers (entries, columns) times ``2**exponent`` over a denominator that all tensors share; the constant is last."""

    integers: Array
    exponent: int


def start_at(point: Sequence[Fraction]) -> tuple[Columns, int]:
    """A rational point as one column, and the common denominator."""
    denominator = lcm(*(v.denominator for v in point))
    return Columns(_objects([[int(v * denominator)] for v in point]), 0), denominator


def start_on(low: Sequence[Fraction], high: Sequence[Fraction]) -> tuple[Columns, int, list[int]]:
    """A box as columns: x = low + (high - low) t for its sides that are not flat, which are returned too."""
    denominator = lcm(*(v.denominator for v in (*low, *high)))
    moving = [i for i in range(len(low)) if low[i] < high[i]]
    rows = [[int((high[i] - low[i]) * denominator) if i == j else 0 for j in moving] for i in range(len(low))]
    return Columns(_objects([[*row, int(v * denominator)] for row, v in zip(rows, low, strict=True)]), 0), denominator, moving


def _objects(rows: list[list[int]]) -> Array:
    out = np.empty((len(rows), len(rows[0])), dtype=object)
    out[:] = rows
    return out


Choose = Callable[[int, Columns], Array]


class ExactSteps:
    """The steps of a network with integers in the place of floats; made once, used many times."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self._made: dict[int, list[tuple[Any, int]]] = {}

    def affine(self, index: int, xs: dict[int, Columns], denominator: int) -> Columns:
        """Tensor ``index + 1`` from its parents."""
        step = self.steps.steps[index]
        assert isinstance(step, AffineStep)
        parts = [
            Columns(_product(m, xs[p].integers), exponent + xs[p].exponent)
            for p, (m, exponent) in zip(step.parents, self._matrices(index), strict=True)
        ]
        offset = Dyadic.from_floats(step.offset)
        if step.offset.any():
            constant = np.zeros(parts[0].integers.shape, dtype=object)
            constant[:, -1] = to_object(offset.integers) * denominator
            parts.append(Columns(constant, offset.exponent))
        exponent = min(p.exponent for p in parts)
        total: Any = 0
        for p in parts:
            total = total + p.integers * (1 << (p.exponent - exponent))
        return Columns(total, exponent)

    def _matrices(self, index: int) -> list[tuple[Any, int]]:
        if index not in self._made:
            step = self.steps.steps[index]
            assert isinstance(step, AffineStep)
            self._made[index] = [_integers(m) for m in step.matrices]
        return self._made[index]

    def transposed(self, index: int, form: Array) -> list[tuple[Array, int]]:
        """A form of integers on tensor ``index + 1`` as forms on its parents, each with an exponent of 2."""
        out: list[tuple[Array, int]] = []
        for parent, (matrix, exponent) in zip(self.steps.steps[index].parents, self._matrices(index), strict=True):
            if isinstance(matrix, np.ndarray):
                found = np.asarray(form @ matrix, dtype=object)
            else:
                data, columns, starts = matrix
                found = np.zeros(self.steps.size(parent), dtype=object)
                np.add.at(found, columns, data * np.repeat(form, np.diff(starts)))
            out.append((found, exponent))
        return out

    def rectified(self, index: int, x: Columns, is_active: Array) -> Columns:
        """Tensor ``index + 1`` with the given states."""
        step = self.steps.steps[index]
        assert isinstance(step, RectifierStep)
        if not step.slope.any():
            return Columns(np.where(is_active[:, None], x.integers, 0), x.exponent)
        slope = Dyadic.from_floats(step.slope)
        exponent = min(slope.exponent, 0)
        factor = np.where(is_active, 1 << -exponent, to_object(slope.shifted_to(exponent)))
        return Columns(x.integers * factor[:, None], x.exponent + exponent)

    def values(self, point: Sequence[Fraction]) -> list[Fraction]:
        """The output at a rational point.

        Examples
        --------
        >>> import plica
        >>> from plica.robust.bounds import steps_of
        >>> net = plica.random_network([2, 4, 1], seed=0)
        >>> (y,) = ExactSteps(steps_of(net)).values([Fraction(1, 3), Fraction(1, 7)])
        >>> bool(abs(float(y) - net([1 / 3, 1 / 7])[0]) < 1e-12)
        True
        """
        start, denominator = start_at(point)
        tensors = {0: start}
        for i, step in enumerate(self.steps.steps):
            if isinstance(step, AffineStep):
                tensors[i + 1] = self.affine(i, tensors, denominator)
            else:
                x = tensors[step.parent]
                tensors[i + 1] = self.rectified(i, x, x.integers[:, 0] > 0)
        last = tensors[len(self.steps.steps)]
        unit = Fraction(2) ** last.exponent / denominator
        return [int(v) * unit for v in last.integers[:, 0]]


def _integers(matrix: Any) -> tuple[Any, int]:
    """A matrix in integers: dense, or (integers, columns, starts of rows)."""
    if isinstance(matrix, np.ndarray):
        d = Dyadic.from_floats(matrix)
        return to_object(d.integers), d.exponent
    rows = matrix.tocsr()
    d = Dyadic.from_floats(rows.data)
    return (to_object(d.integers), rows.indices, rows.indptr), d.exponent


def _product(matrix: Any, x: Array) -> Array:
    if isinstance(matrix, np.ndarray):
        return np.asarray(matrix @ x, dtype=object)
    data, columns, starts = matrix
    out = np.zeros((len(starts) - 1, x.shape[1]), dtype=object)
    full = np.flatnonzero(starts[1:] > starts[:-1])
    if len(full):
        out[full] = np.add.reduceat(data[:, None] * x[columns], starts[full], axis=0)
    return out
