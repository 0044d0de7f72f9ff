"""How folds cut: their forms at vertices in floating point, and on cells in floating point and in integers.

Which forms a fold has, and the codes by which the edges they make remember them, is told by the fold itself
(:class:`plica.network.operations.Fold`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from plica._types import Array
from plica.exact import Dyadic, Vector, to_floats, to_object
from plica.geometry._budget import tick
from plica.geometry.signs._all_maps import renew
from plica.geometry.signs._arrays import Crossings
from plica.geometry.signs._cell_maps import CellMaps, cell_maps, values_at
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._precision import PRECISIONS, Precision
from plica.geometry.signs._vertex_signs import SignForms
from plica.geometry.values._dyadic_rows import fitting, scale_of
from plica.geometry.values._tensors import EPS, NOT_ZERO, UNDERFLOW, Tensor, in_strips
from plica.network import EntryForms, Fold


def simple_forms(op: Fold, x: Tensor) -> SignForms:
    """The forms at the vertices of a fold that is no contest."""
    rows, size = x.bound(), x.values.shape[1]
    forms = None if op.is_relu else op.forms(op.codes(0, np.empty(0), size), size)
    if forms is None or forms.is_identity:
        return SignForms(x.values, rows.scale, rows.error, rows.floor, x.error, x.has_true_zeros, x.dyadic)
    z = in_strips(x.values, len(forms.neuron), forms.values)
    floor = forms.sums(rows.floor) + (EPS * (x.norm() + forms.size_of_constants()) if forms.rounds else 0.0)
    # exact values will repair these forms, not the tensor behind them: its error must stay
    dyadic = None if x.dyadic is None else fitting(min(x.dyadic.scale, scale_of(op.constants)), z, x.dyadic.rows)
    return SignForms(z, forms.sums(rows.scale), rows.error.copy(), floor, dyadic=dyadic)


def candidate_forms(op: Fold, x: Tensor, candidate: int) -> SignForms:
    """The candidates of one round of a contest against the best before them, at the vertices."""
    tick(x.nbytes)
    member, best, absent = op.contest(x.values, candidate)
    z = np.subtract(member, best, out=best)
    z[:, absent] = -1.0
    if x.has_true_zeros:
        z[(z == 0.0) & (member != 0.0)] = NOT_ZERO
    present = np.where(absent, 0.0, 1.0)
    dyadic = None if x.dyadic is None or absent.any() else x.dyadic
    return SignForms(z, present, 2 * x.error, present * (EPS * x.norm() + UNDERFLOW), None, x.has_true_zeros, dyadic)


def candidate_names(op: Fold, before: Array, winners: Array, candidate: int) -> Callable[[Array], None]:
    """Gives the lines made by a round of a contest their lasting names: the cell before the layer, and the form's code."""

    def rename(line: Array) -> None:
        cell, form = line[:, 1].copy(), line[:, 2].copy()
        line[:, 1] = before[cell]
        line[:, 2] = op.code(form, candidate, winners[cell, form])

    return rename


class HasVertices(Protocol):
    """What the oracle asks of a subdivision: the lines of each vertex, and some cell that each belongs to."""

    @property
    def vertex_hyperplanes(self) -> Array: ...

    def vertex_cell(self) -> Array: ...


class CutOracle:
    """Exact answers for one cut of one layer: the forms on each cell in integers.

    ``before`` maps the cells of the mesh to the cells before the layer (they differ only between the cuts of a maximum);
    ``winners`` are the current winners of a maximum, ``candidate`` the member that is being compared. Before every answer the
    budget is asked.
    """

    has_own_doubles = False

    def __init__(
        self, exact: ExactMap, mesh: HasVertices, layer: int, *, before: Array | None = None, winners: Array | None = None,
        candidate: int = 0, exponent: int = 0,
    ) -> None:  # fmt: skip
        self._exact, self._mesh, self._layer = exact, mesh, layer
        self._op = exact.network.folds[layer]
        self._before, self._winners, self._candidate, self._input_exponent = before, winners, candidate, exponent
        self._integers: dict[int, tuple[list[int], int]] = {}
        self._matrix: dict[int, Dyadic] = {}
        self._exponent: int | None = None  # of all integers; maps of cells have exponents of their own

    def _forms(self, cell: int) -> Dyadic:
        """All forms of the cut on a cell, as integer columns."""
        if cell not in self._matrix:
            if len(self._matrix) > 2000:
                self._matrix.clear()
            self._matrix[cell] = self._make_forms(cell)
        return self._matrix[cell]

    def _make_forms(self, cell: int) -> Dyadic:
        x = self._exact.fold_input(self._layer, cell if self._before is None else int(self._before[cell]))
        return self._forms_on(cell, x.integers.shape[1]).dyadic_columns(x)

    def _forms_on(self, cells: Any, size: int) -> EntryForms:
        """Which forms cut the cells in this round."""
        states = np.empty(0) if self._winners is None else self._winners[cells]
        codes = self._op.codes(self._candidate, states, size)
        return self._op.forms(codes if codes.ndim == 1 else codes[:, None], size)

    @property
    def tally(self) -> Tally:
        return self._exact.tally

    def integers(self, vertex: int) -> tuple[list[int], int]:
        if vertex not in self._integers:
            forms = self._forms(int(self._mesh.vertex_cell()[vertex]))
            p = self.position(self._mesh.vertex_hyperplanes[vertex])
            columns = to_object(forms.integers)
            if self._exponent is None:
                self._exponent = forms.exponent
            up, down = max(forms.exponent - self._exponent, 0), max(self._exponent - forms.exponent, 0)
            numbers = [int(i) << up for i in sum(c * columns[j] for j, c in enumerate(p))]
            self._integers[vertex] = (numbers, int(p[-1]) << down)
        return self._integers[vertex]

    def order_by_lines(self, edges: Array, crossings: Crossings, items: Array) -> Array:
        return np.zeros(len(items), np.bool_)  # which forms share a line is not known

    def order_by_meetings(self, crossings: Crossings, items: Array) -> Array:
        return np.zeros(len(items), np.bool_)

    def rounded(self, vertex: int) -> Array:
        numbers, w = self.integers(vertex)
        assert self._exponent is not None
        return np.array(to_floats(numbers, w, self._exponent - self._input_exponent))

    def parts(self, rows: Array) -> list[Array]:
        return cell_maps(self._exact, Precision.DOUBLE).parts(rows)

    def renew(self) -> bool:
        return not self._input_exponent and renew(self._exact, self._layer, self._mesh.vertex_hyperplanes)

    def values(self, precision: Precision, vertices: Array) -> tuple[Array, Array] | None:
        return self.values_at(precision, self._mesh.vertex_hyperplanes[vertices], self._mesh.vertex_cell()[vertices])

    def values_at(self, precision: Precision, hyperplanes: Array, cells: Array) -> tuple[Array, Array] | None:
        if self._input_exponent or precision not in PRECISIONS:
            return None
        tick()
        maps = cell_maps(self._exact, precision)
        with np.errstate(all="ignore"):  # what is unknown is not used
            p, p_error, known = maps.positions(hyperplanes)
            value, bound = values_at(p, p_error, *self._float_forms(maps, cells))
            return value, np.where(known[:, None], bound, np.inf)

    def _float_forms(self, maps: CellMaps, cells: Array) -> tuple[Array, Array]:
        """All forms of the cut on each of the cells, as columns, with a bound of the error of each column."""
        (x, error), which = maps.fold_input(self._layer, cells if self._before is None else self._before[cells])
        forms, error = self._forms_on(cells, x.shape[2]), error[which]
        if forms.is_identity:
            return x[which], error
        y, error = forms.columns_of(x, which), self._op.form_gain() * error
        if forms.rounds:
            rounded = slice(None) if forms.other is not None else slice(-1, None)
            error[:, rounded] += maps.eps * np.sqrt((y[:, rounded] * y[:, rounded]).sum(axis=2)) + UNDERFLOW
        return y, error * (1 + 1e-12)

    def form(self, cell: int, k: int) -> Vector:
        return tuple(int(i) for i in self._forms(cell).integers[:, k])

    def position(self, hyperplanes: Array) -> Vector:
        tick()
        return self._exact.position(hyperplanes)
