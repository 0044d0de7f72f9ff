"""Coordinates of vertices where floating point lost them: two folds that differ in the last bit meet somewhere.

Topology never depends on coordinates, so they are repaired only when somebody asks for them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica._types import Array
from plica.exact import to_float
from plica.geometry.signs._cell_maps import PRECISIONS, CellMaps, values_at
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.values._tensors import EPS, Tensor

ACCURACY = 1e-6  # a coordinate known less well than this part of the window is computed anew
_VANISHING = 1e-250  # of the largest output or so: below, floats have no digits left


def lost_vertices(parameters: Tensor, exact: ExactMap) -> Array:
    """Numbers of the vertices whose position floating point does not know well enough."""
    return np.flatnonzero(~(parameters.error <= ACCURACY * _size(exact)))


def _size(exact: ExactMap) -> float:
    return 2 * float(np.ptp(exact.domain.window / 2, axis=0).min())  # the halves of any two floats have a difference


def settled_positions(parameters: Tensor, lines: Array, exact: ExactMap) -> Array:
    """The parameters of the vertices, each within ``ACCURACY`` of the window's size."""
    lost, values, far = lost_vertices(parameters, exact), parameters.values, ACCURACY * _size(exact)
    if not len(lost):
        return values
    values = values.copy()

    def attempt(maps: CellMaps, some: Array) -> Array:
        p, error, known = maps.positions(lines[some])
        found = p[:, :-1] / p[:, -1:]
        bound = error[:, :-1] + np.abs(found) * (error[:, -1:] + 2 * EPS * p[:, -1:])
        good = known & (bound <= far * (p - error)[:, -1:]).all(axis=1)
        values[some[good]] = found[good]
        return good

    for v in _still_lost(lost, exact, attempt):
        q = exact.position(lines[v])
        values[v] = [to_float(c, q[-1]) for c in q[:-1]]
    return values


def settled_outputs(outputs: Tensor, parameters: Tensor, lines: Array, cells: Array, exact: ExactMap, exponent: int) -> Array:
    """The outputs at the vertices divided by 2**exponent, anew where the position was lost; ``cells[v]`` is a cell at v."""
    lost, values = lost_vertices(parameters, exact), outputs.values
    if not len(lost):
        return values
    values = values.copy()

    def attempt(maps: CellMaps, some: Array) -> Array:
        p, p_error, known = maps.positions(lines[some])
        (x, error), which = maps.output(cells[some])
        found, bound = values_at(p, p_error, x[which], error[which])
        size = np.einsum("ij,ijk->ik", np.abs(p), np.abs(x[which])) / p[:, -1:]  # of what adds up
        good = known & (bound <= ACCURACY * size).all(axis=1)
        values[some[good]] = np.ldexp(found[good], -exponent)
        return good

    for v in _still_lost(lost, exact, attempt):
        values[v] = _exact_outputs(lines[v], int(cells[v]), exact, exponent)
    return values


def scaled_back(values: Array, lines: Array, cells: Array, exact: ExactMap, exponent: int) -> Array:
    """Outputs divided by 2**exponent as they are; beside much larger ones they may have vanished, and are computed exactly."""
    if not exponent:
        return values
    with np.errstate(over="ignore", under="ignore"):  # beyond the floats an output is infinite or zero
        out = np.asarray(np.ldexp(values, exponent))
    for v in np.flatnonzero((np.abs(values) < _VANISHING).any(axis=1)) if exponent > 0 else ():
        out[v] = np.where(np.abs(values[v]) < _VANISHING, _exact_outputs(lines[v], int(cells[v]), exact, 0), out[v])
    return out


def _exact_outputs(line: Array, cell: int, exact: ExactMap, exponent: int) -> list[float]:
    q, columns = exact.position(line), exact.output(cell)
    sums = sum(int(c) * columns.integers[j].astype(object) for j, c in enumerate(q))
    return [to_float(int(y), q[-1], columns.exponent - exponent) for y in sums]


def _still_lost(lost: Array, exact: ExactMap, attempt: Callable[[CellMaps, Array], Array]) -> Array:
    """What neither doubles nor extended precision can settle: that is for integers."""
    for sharp in PRECISIONS:
        maps = CellMaps(exact, sharp=sharp)
        left = [lost[:0]]
        for some in maps.parts(lost):
            with np.errstate(all="ignore"):
                left.append(some[~attempt(maps, some)])
        lost = np.concatenate(left)
    return lost
