"""Coordinates of vertices where floating point lost them: two folds that differ in the last bit meet somewhere.

Topology never depends on coordinates, so they are repaired only when somebody asks for them.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from plica._types import Array
from plica.exact import to_float
from plica.geometry.signs._cell_maps import CellMaps, cell_maps, values_at
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._ladder import Question, climb
from plica.geometry.signs._precision import Precision
from plica.geometry.values._tensors import EPS, Tensor

ACCURACY = 1e-6  # a coordinate known less well than this part of the window is computed anew
_VANISHING = 1e-250  # of the largest output or so: below, floats have no digits left


def lost_vertices(parameters: Tensor, exact: ExactMap) -> Array:
    """Numbers of the vertices whose position floating point does not know well enough."""
    return np.flatnonzero(~(parameters.error <= ACCURACY * _size(exact)))


def _size(exact: ExactMap) -> float:
    return 2 * float(np.ptp(exact.domain.window / 2, axis=0).min())  # the halves of any two floats have a difference


class _Lost(Question):
    """What are the numbers at vertices whose positions were lost? Items are vertices."""

    def __init__(self, values: Array, hyperplanes: Array, exact: ExactMap) -> None:
        self.values, self.hyperplanes, self.exact = values.copy(), hyperplanes, exact

    def decide(self, precision: Precision, items: Array) -> Array:
        maps = cell_maps(self.exact, precision)
        return np.concatenate([np.zeros(0, np.bool_), *(self._attempt(maps, some) for some in maps.parts(items))])

    @abstractmethod
    def _attempt(self, maps: CellMaps, some: Array) -> Array:
        """Write down the numbers that are known well enough; returns at which vertices they are."""


class _LostPositions(_Lost):
    def __init__(self, values: Array, hyperplanes: Array, exact: ExactMap, sizes: Array) -> None:
        super().__init__(values, hyperplanes, exact)
        self.sizes = sizes

    def _attempt(self, maps: CellMaps, some: Array) -> Array:
        p, error, known = maps.positions(self.hyperplanes[some])
        found = p[:, :-1] / p[:, -1:]
        bound = error[:, :-1] + np.abs(found) * (error[:, -1:] + 2 * EPS * p[:, -1:])
        good = known & (bound <= ACCURACY * self.sizes[some, None] * (p - error)[:, -1:]).all(axis=1)
        self.values[some[good]] = found[good]
        return np.asarray(good)

    def decide_exactly(self, items: Array) -> None:
        for v in items.tolist():
            q = self.exact.position(self.hyperplanes[v])
            self.values[v] = [to_float(c, q[-1]) for c in q[:-1]]


class _LostOutputs(_Lost):
    def __init__(self, values: Array, hyperplanes: Array, cells: Array, exact: ExactMap, exponent: int) -> None:
        super().__init__(values, hyperplanes, exact)
        self.cells, self.exponent = cells, exponent

    def _attempt(self, maps: CellMaps, some: Array) -> Array:
        p, p_error, known = maps.positions(self.hyperplanes[some])
        (x, error), which = maps.output(self.cells[some])
        found, bound = values_at(p, p_error, x[which], error[which])
        size = np.einsum("ij,ijk->ik", np.abs(p), np.abs(x[which])) / p[:, -1:]  # of what adds up
        good = known & (bound <= ACCURACY * size).all(axis=1)
        self.values[some[good]] = np.ldexp(found[good], -self.exponent)
        return np.asarray(good)

    def decide_exactly(self, items: Array) -> None:
        for v in items.tolist():
            self.values[v] = _exact_outputs(self.hyperplanes[v], int(self.cells[v]), self.exact, self.exponent)


def settled_positions(parameters: Tensor, hyperplanes: Array, exact: ExactMap, sizes: Array | None = None) -> Array:
    """The parameters of the vertices, each within ``ACCURACY`` of the window's size, or of a size for each that is larger."""
    wanted = np.full(len(parameters.error), _size(exact)) if sizes is None else sizes
    lost = np.flatnonzero(~(parameters.error <= ACCURACY * wanted))
    if not len(lost):
        return parameters.values
    question = _LostPositions(parameters.values, hyperplanes, exact, wanted)
    climb(question, lost, Tally())
    return question.values


def settled_outputs(
    outputs: Tensor,
    parameters: Tensor,
    hyperplanes: Array,
    cells: Array,
    exact: ExactMap,
    exponent: int,
) -> Array:
    """The outputs at the vertices in units of 2**exponent, anew where the position was lost; ``cells[v]`` is a cell at v."""
    lost = lost_vertices(parameters, exact)
    if not len(lost):
        return outputs.values
    question = _LostOutputs(outputs.values, hyperplanes, cells, exact, exponent)
    climb(question, lost, Tally())
    return question.values


def scaled_back(values: Array, hyperplanes: Array, cells: Array, exact: ExactMap, exponent: int) -> Array:
    """Outputs in units of 2**exponent as they are; beside much larger ones they may have vanished, and are computed exactly."""
    if not exponent:
        return values
    with np.errstate(over="ignore", under="ignore"):  # beyond the floats an output is infinite or zero
        out = np.asarray(np.ldexp(values, exponent))
    for v in np.flatnonzero((np.abs(values) < _VANISHING).any(axis=1)) if exponent > 0 else ():
        out[v] = np.where(np.abs(values[v]) < _VANISHING, _exact_outputs(hyperplanes[v], int(cells[v]), exact, 0), out[v])
    return out


def _exact_outputs(hyperplanes: Array, cell: int, exact: ExactMap, exponent: int) -> list[float]:
    q, columns = exact.position(hyperplanes), exact.output(cell)
    sums = sum(int(c) * columns.integers[j].astype(object) for j, c in enumerate(q))
    return [to_float(int(y), q[-1], columns.exponent - exponent) for y in sums]
