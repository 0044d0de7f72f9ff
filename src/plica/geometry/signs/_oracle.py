"""How each kind of fold cuts: its forms in floating point and in integers.

Codes of forms, as kept with the edges they make: a rectifier's unit k has form k; a clip's unit k has forms k (x - low) and
size + k (high - x); a maximum over groups of K members cuts K - 1 times, and where member j challenges the current winner i of
group g the form is x[j] - x[i], with code (g K + j) K + i.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from plica._types import Array
from plica.exact import Dyadic, Vector, align, to_float, to_object
from plica.geometry.signs._cell_maps import IS_SHARP, PRECISIONS, CellMaps, values_at
from plica.geometry.signs._crossings import SignForms
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.values._dyadic_rows import fitting, scale_of
from plica.geometry.values._equal_entries import never_wins
from plica.geometry.values._tensors import EPS, NORM_UNDERFLOW, NOT_ZERO, UNDERFLOW, Tensor
from plica.network import Clip, Fold, Max, Rectifier


def simple_forms(op: Fold, x: Tensor) -> SignForms:
    """The forms of a rectifier or a clip at the vertices."""
    rows = x.bound()
    if isinstance(op, Rectifier):
        return SignForms(x.values, rows.scale, rows.error, rows.floor, x.error, x.has_true_zeros, x.dyadic)
    assert isinstance(op, Clip)
    z = np.concatenate([x.values - op.low, op.high - x.values], axis=1)
    floor = rows.floor + EPS * (x.norm() + max(abs(op.low), abs(op.high)))
    # exact values will repair these forms, not the tensor behind them: its error must stay
    dyadic = None if x.dyadic is None else fitting(min(x.dyadic.scale, scale_of(np.array([op.low, op.high]))), z, x.dyadic.rows)
    return SignForms(z, np.tile(rows.scale, 2), rows.error.copy(), np.tile(floor, 2), dyadic=dyadic)


def candidate_forms(op: Max, x: Tensor, candidate: int) -> SignForms:
    """Member ``candidate`` of each group against the best of those before it, at the vertices."""
    groups = op.groups.reshape(-1, op.groups.shape[-1])
    absent = never_wins(groups, candidate)
    best = running_maximum(op, x.values, candidate)
    member = x.values[:, groups[:, candidate]]
    z = np.where(absent, -1.0, member - best)
    if x.has_true_zeros:
        z[(z == 0.0) & (member != 0.0)] = NOT_ZERO
    present = np.where(absent, 0.0, 1.0)
    dyadic = None if x.dyadic is None or absent.any() else x.dyadic
    return SignForms(z, present, 2 * x.error, present * (EPS * x.norm() + UNDERFLOW), None, x.has_true_zeros, dyadic)


def running_maximum(op: Max, values: Array, stop: int) -> Array:
    groups = op.groups.reshape(-1, op.groups.shape[-1])[:, :stop]
    return np.asarray(values[:, np.where(groups < 0, groups[:, :1], groups)].max(-1))


def candidate_names(before: Array, winners: Array, candidate: int, n_members: int) -> Callable[[Array], None]:
    """Gives the lines made by a challenge their lasting names: the cell before the layer, and the code of the two members."""

    def rename(line: Array) -> None:
        cell, form = line[:, 1].copy(), line[:, 2].copy()
        line[:, 1] = before[cell]
        line[:, 2] = (form * n_members + candidate) * n_members + winners[cell, form]

    return rename


class HasVertices(Protocol):
    """What the oracle asks of a subdivision: the lines of each vertex, and some cell that each belongs to."""

    @property
    def vertex_hyperplanes(self) -> Array: ...

    def vertex_cell(self) -> Array: ...


class CutOracle:
    """Exact answers for one cut of one layer: the forms on each cell in integers.

    ``before`` maps the cells of the mesh to the cells before the layer (they differ only between the cuts of a maximum);
    ``winners`` are the current winners of a maximum, ``candidate`` the member that is being compared. ``tick`` is called before
    every answer, and may object; ``settle`` before hyperplanes are read, and may give new ones their lasting names.
    """

    def __init__(
        self, exact: ExactMap, mesh: HasVertices, layer: int, *, before: Array | None = None, winners: Array | None = None,
        candidate: int = 0, exponent: int = 0, tick: Callable[[], None] | None = None, settle: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self._exact, self._mesh, self._layer = exact, mesh, layer
        self._op = exact.network.nodes[exact.network.layers[layer]].op
        self._before, self._winners, self._candidate, self._input_exponent = before, winners, candidate, exponent
        self._values: dict[int, tuple[list[int], int]] = {}
        self._matrix: dict[int, Dyadic] = {}
        self._exponent = 0
        self._tick, self._settle = tick, settle

    def _forms(self, cell: int) -> Dyadic:
        """All forms of the cut on a cell, as integer columns."""
        if cell not in self._matrix:
            if len(self._matrix) > 2000:
                self._matrix.clear()
            self._matrix[cell] = self._make_forms(cell)
        return self._matrix[cell]

    def _make_forms(self, cell: int) -> Dyadic:
        x = self._exact.fold_input(self._layer, cell if self._before is None else int(self._before[cell]))
        if isinstance(self._op, Clip):
            bounds = Dyadic.from_floats(np.array([self._op.low, self._op.high]))
            (a, (low, high)), exponent = align(x, bounds)
            a = to_object(a)
            above, below = a.copy(), -a
            above[-1] -= int(low)
            below[-1] += int(high)
            return Dyadic(np.concatenate([above, below], axis=1), exponent)
        if isinstance(self._op, Max):
            assert self._winners is not None
            groups = self._op.groups.reshape(-1, self._op.groups.shape[-1])
            winner = groups[np.arange(len(groups)), self._winners[cell]]
            absent = never_wins(groups, self._candidate)
            member = np.where(absent, winner, groups[:, self._candidate])
            a = to_object(x.integers)
            difference = a[:, member] - a[:, winner]
            difference[-1] = np.where(absent, -1, difference[-1])
            return Dyadic(difference, x.exponent)
        return x

    def values(self, vertex: int) -> tuple[list[int], int]:
        if vertex not in self._values:
            forms = self._forms(int(self._mesh.vertex_cell()[vertex]))
            p = self.position(self._mesh.vertex_hyperplanes[vertex])
            columns = to_object(forms.integers)
            self._exponent = forms.exponent
            self._values[vertex] = ([int(i) for i in sum(c * columns[j] for j, c in enumerate(p))], p[-1])
        return self._values[vertex]

    def sharp(self, vertex: int) -> tuple[Array, Array] | None:
        """All forms at a vertex in extended precision, with a bound of each error; None where that is not to be had."""
        return self.sharp_at(self._mesh.vertex_hyperplanes[vertex], int(self._mesh.vertex_cell()[vertex]))

    def sharp_at(self, line: Array, cell: int) -> tuple[Array, Array] | None:
        """The same at a vertex given by its lines and a cell it belongs to."""
        if not IS_SHARP or self._input_exponent:
            return None
        self._begin()
        if self._exact.sharp is None:
            self._exact.sharp = CellMaps(self._exact, sharp=True)
        with np.errstate(all="ignore"):  # what is unknown is not used
            p, p_error, known = self._exact.sharp.positions(line[None])
            if not known[0]:
                return None
            value, bound = values_at(p, p_error, *self._float_forms(self._exact.sharp, np.array([cell])))
        return value[0], bound[0]

    def refresh(self, forms: SignForms, rows: Array, *, sharp: bool = False) -> Array:
        """Compute the forms at some vertices anew from the maps of their cells; returns the rows that are better now."""
        if self._input_exponent or forms.trust_zero or sharp not in PRECISIONS:
            return rows[:0]
        maps, better = CellMaps(self._exact, sharp=sharp), []
        for some in maps.parts(rows):
            self._begin()
            with np.errstate(all="ignore"):  # what is unknown is not used
                p, p_error, known = maps.positions(self._mesh.vertex_hyperplanes[some])
                value, bound = values_at(p, p_error, *self._float_forms(maps, self._mesh.vertex_cell()[some]))
            if sharp:  # they will be kept as doubles
                bound = bound + EPS * np.abs(value)
            has_error = forms.scale > 0.0  # what is never a member has none
            error = (np.maximum(bound - forms.floor, 0.0)[:, has_error] / forms.scale[has_error]).max(axis=1, initial=0.0)
            good = np.flatnonzero(known & (error < forms.error[some]) & np.isfinite(bound).all(axis=1))
            some, value, bound = some[good], value[good], bound[good]
            forms.z[some], forms.error[some] = value, error[good]
            if forms.tensor_error is not None:
                forms.tensor_error[some] = np.sqrt((bound * bound).sum(axis=1)) * (1 + 1e-12) + NORM_UNDERFLOW
            better.append(some)
        return np.concatenate([rows[:0], *better])

    def _float_forms(self, maps: CellMaps, cells: Array) -> tuple[Array, Array]:
        """All forms of the cut on each of the cells, as columns, with a bound of the error of each column."""
        (x, error), which = maps.fold_input(self._layer, cells if self._before is None else self._before[cells])
        x, error = x[which], error[which]
        if isinstance(self._op, Clip):
            above, below, more = x.copy(), -x, np.sqrt(2.0) * error
            above[:, -1] -= self._op.low
            below[:, -1] += self._op.high
            for part in (above, below):
                more[:, -1] += maps.eps * np.sqrt((part[:, -1] * part[:, -1]).sum(axis=1)) + UNDERFLOW
            return np.concatenate([above, below], axis=2), more * (1 + 1e-12)
        if isinstance(self._op, Max):
            assert self._winners is not None
            groups = self._op.groups.reshape(-1, self._op.groups.shape[-1])
            winner = groups[np.arange(len(groups)), self._winners[cells]]
            absent = never_wins(groups, self._candidate)
            member = np.where(absent, winner, groups[:, self._candidate])
            shape = (*x.shape[:2], len(groups))
            a, b = (np.take_along_axis(x, np.broadcast_to(i[:, None], shape), axis=2) for i in (member, winner))
            difference = a - b
            difference[:, -1] = np.where(absent, -1.0, difference[:, -1])
            used = np.sqrt(np.bincount(self._op.groups[self._op.groups >= 0]).max())
            return difference, 2 * used * error + maps.eps * np.sqrt((difference * difference).sum(axis=2)) + UNDERFLOW
        return x, error

    def floats(self, vertex: int) -> Array:
        numbers, w = self.values(vertex)
        return np.array([to_float(i, w, self._exponent - self._input_exponent) for i in numbers])

    def form(self, cell: int, k: int) -> Vector:
        return tuple(int(i) for i in self._forms(cell).integers[:, k])

    def position(self, line: Array) -> Vector:
        self._begin()
        return self._exact.position(line)

    def _begin(self) -> None:
        """Before an answer: look at the clock, and have hyperplanes named for good."""
        if self._tick is not None:
            self._tick()
        if self._settle is not None:
            self._settle()
