"""The affine maps of a tile's cells, in the few variables of its program: what doubles say of a vertex that inherits nothing.

As in :mod:`plica.geometry.signs._cell_maps`, but a cell's map is a 3-vector for each extra variable instead of one for each
neuron of the network. Errors are bounded cell by cell, in the Frobenius norm of all 3-vectors together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry._bits import unpack
from plica.geometry.signs._cell_maps import values_at
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._intersections import meet_lines
from plica.geometry.tiles._program import CutStep, Program, Step
from plica.geometry.values._tensors import EPS, UNDERFLOW
from plica.network.operations import spectral_norm_bound

Vectors = tuple[Array, Array]  # (cells, functions, 3) and a bound of the error of each cell's
_PART_ENTRIES = 2**22
_KEPT_ENTRIES = 2**22  # of the maps of a tile's cells that are kept for later questions, over all steps


class _Kept(NamedTuple):
    """Maps of cells that were computed, and of which cells."""

    is_known: Array
    e: Array
    error: Array


class ReducedMaps:
    """Maps of the cells of a tile's complex that is being built."""

    def __init__(self, program: Program, exact: ExactMap) -> None:
        self.program, self._exact = program, exact
        self._kept: dict[int, _Kept | None] = {}  # by the number of steps; None where there is no room for them
        self._gains: dict[int, float] = {}

    def parts(self, rows: Array) -> list[Array]:
        """Rows in parts whose maps fit in memory."""
        step = max(1, _PART_ENTRIES // (3 * (self.program.n_extra + 3)))
        return [rows[i : i + step] for i in range(0, len(rows), step)]

    def variables(self, n_steps: int, cells: Array) -> Vectors:
        """The extra variables of the first steps, on cells of the complex after them."""
        if n_steps == 0:
            return np.zeros((len(cells), 0, 3)), np.zeros(len(cells))
        kept = self._kept_after(n_steps)
        if kept is None:
            return self._variables(n_steps, cells)
        new = np.unique(cells[~kept.is_known[cells]])
        if len(new):
            kept.e[new], kept.error[new] = self._variables(n_steps, new)
            kept.is_known[new] = True
        return kept.e[cells], kept.error[cells]

    def _kept_after(self, n_steps: int) -> _Kept | None:
        """Room for the maps of all cells after so many steps, whose numbers do not change any more."""
        if n_steps not in self._kept:
            n, k = len(self._exact.layers[n_steps - 1].parent), sum(step.n_new for step in self.program.steps[:n_steps])
            taken = sum(kept.e.size for kept in self._kept.values() if kept is not None)
            has_room = taken + 3 * n * k <= _KEPT_ENTRIES
            self._kept[n_steps] = _Kept(np.zeros(n, np.bool_), np.empty((n, k, 3)), np.empty(n)) if has_room else None
        return self._kept[n_steps]

    def _variables(self, n_steps: int, cells: Array) -> Vectors:
        step, layer = self.program.steps[n_steps - 1], self._exact.layers[n_steps - 1]
        parents, which = np.unique(layer.parent[cells], return_inverse=True)
        e, error = self.variables(n_steps - 1, parents)
        e, error = e[which], error[which]
        if not step.n_new:
            return e, error
        z, z_error = self.functions(n_steps - 1, e, error, step.columns)
        states = layer._states
        if isinstance(step, CutStep):
            new, lipschitz = _bent(step, self._exact.network.folds[step.layer], z, unpack(states.words[cells], len(step.codes)))
        else:
            groups, lipschitz = np.arange(step.n_new), self._exact.network.folds[step.layer].lipschitz()
            won = step.place[groups, states.table[cells].astype(np.intp)]
            new = np.take_along_axis(z, won[..., None], axis=1) - z[:, step.place[groups, step.first]]
        grown = error + 2 * lipschitz * z_error + 8 * EPS * lipschitz * np.sqrt((z * z).sum(axis=(1, 2)))
        return np.concatenate([e, new], axis=1), grown

    def functions(self, n_steps: int, e: Array, error: Array, columns: Array, *, n_members: int = 1) -> Vectors:
        """Functions given by columns over the variables of the first steps, on cells with these variables.

        The columns are some of the next step's, or of the outputs; or, with two ``n_members``, differences of two members:
        both may be off.
        """
        k, step = e.shape[1], self.program.steps[n_steps] if n_steps < len(self.program.steps) else None
        own = self.program.outputs_error if step is None else step.error
        rows = e.transpose(0, 2, 1).reshape(3 * len(e), k)
        y = (rows @ columns[:k]).reshape(len(e), 3, columns.shape[1]).transpose(0, 2, 1) + columns[k:].T
        gain, size = self._gain(n_steps, k) if k else 0.0, float(np.linalg.norm(columns))
        lengths = np.sqrt((e * e).sum(axis=2))
        rounding = (k + 8) * EPS * size * (1.0 + np.sqrt((lengths * lengths).sum(axis=1)))
        given = n_members * (gain * error + lengths @ own[:k] + own[k:].sum())
        return y, (given + rounding) * (1 + 1e-9) + UNDERFLOW

    def _gain(self, n_steps: int, k: int) -> float:
        """How much an error of the first k variables may grow in functions of the next step, or in the outputs."""
        if n_steps not in self._gains:
            step = self.program.steps[n_steps] if n_steps < len(self.program.steps) else None
            columns = self.program.outputs if step is None else step.columns
            gain = spectral_norm_bound(columns[:k])
            if isinstance(step, CutStep):
                gain = max(gain, spectral_norm_bound(step.form_columns[:k]))
            self._gains[n_steps] = min(gain, 1e300)
        return self._gains[n_steps]

    def positions(self, vertices: Array) -> tuple[Array, Array, Array]:
        """Homogeneous positions in the tile's own coordinates, bounds of their errors, and which are known at all."""
        p, error = np.zeros((len(vertices), 3)), np.zeros((len(vertices), 3))
        is_corner = (vertices[:, 0] < 0) & (vertices[:, 2] < 0)
        p[is_corner] = self.program.corners[vertices[is_corner, 1]]
        error[is_corner, :2] = 4 * EPS
        rest = np.flatnonzero(~is_corner)
        f, e = self._lines(vertices[rest].reshape(-1, 3))
        f, e = f.reshape(-1, 2, 3), e.reshape(-1, 2, 3)
        p[rest], error[rest] = meet_lines(f[:, 0], e[:, 0], f[:, 1], e[:, 1], EPS)
        sign = np.where(p[:, -1:] < 0.0, -1.0, 1.0)
        return sign * p, error, (np.abs(p[:, -1]) > 2 * error[:, -1]) & np.isfinite(error).all(axis=1)

    def own_positions(self, vertices: Array) -> tuple[Array, Array]:
        """Positions in the tile's own coordinates, with a bound of the error of each in the 2-norm, infinite where unknown."""
        with np.errstate(all="ignore"):
            p, error, known = self.positions(vertices)
            found = p[:, :-1] / p[:, -1:]
            bound = (error[:, :-1] + np.abs(found) * (error[:, -1:] + 2 * EPS * p[:, -1:])) / (p - error)[:, -1:]
            total = np.sqrt((bound * bound).sum(axis=1)) * (1 + 1e-9)
        return found, np.where(known & np.isfinite(total), total, np.inf)

    def is_far_from_zero(self, vertex: Array, layer: int, cell: int, column: Array, *, n_members: int) -> bool:
        """Whether a function of a step is certainly not zero at a vertex; on a cell before the step."""
        functions = self.functions(layer, *self.variables(layer, np.array([cell])), column[:, None], n_members=n_members)
        value, bound = self.values(vertex[None], functions)
        return bool(np.abs(value[0, 0]) > bound[0, 0])

    def _lines(self, names: Array) -> tuple[Array, Array]:
        """Lines (layer, cell, code) as 3-vectors, with a bound of the error of each coefficient."""
        f, error = np.empty((len(names), 3)), np.empty((len(names), 3))
        for layer in np.unique(names[:, 0]):
            rows = np.flatnonzero(names[:, 0] == layer)
            if layer < 0:
                p = self.program.corners[names[rows, 2]]
                q = self.program.corners[(names[rows, 2] + 1) % len(self.program.corners)]
                f[rows], error[rows] = np.cross(p, q), 32 * EPS
                continue
            step = self.program.steps[int(layer)]
            cells, which = np.unique(names[rows, 1], return_inverse=True)
            columns, places = self._columns(step, names[rows, 2])
            n_members = 1 if isinstance(step, CutStep) else 2
            y, bound = self.functions(int(layer), *self.variables(int(layer), cells), columns, n_members=n_members)
            f[rows] = y[which, places]
            error[rows] = bound[which, None]
        return f, error

    def _columns(self, step: Step, codes: Array) -> tuple[Array, Array]:
        """The columns of the distinct forms among these codes, and which of them each is."""
        distinct, places = np.unique(codes, return_inverse=True)
        if isinstance(step, CutStep):
            return step.form_columns[:, np.searchsorted(step.codes, distinct)], places
        forms = self._exact.network.folds[step.layer].forms(distinct, 0)
        assert forms.entry is not None and forms.other is not None
        a, b = (np.searchsorted(step.members, entries) for entries in (forms.entry, forms.other))
        return step.columns[:, a] - step.columns[:, b], places

    def values(self, vertices: Array, functions: Vectors) -> tuple[Array, Array]:
        """Functions at vertices given by their lines, with a bound of the error of each value."""
        y, error = functions
        with np.errstate(all="ignore"):
            p, p_error, known = self.positions(vertices)
            value, bound = values_at(p, p_error, y.swapaxes(1, 2), np.repeat(error[:, None], 3, axis=1))
        return value, np.where(known[:, None], bound, np.inf)


def _bent(step: CutStep, op: object, z: Array, flags: Array) -> tuple[Array, float]:
    """The extra variables of a layer on cells, from the pre-activations there and the signs of the open forms."""
    size = len(step.positive) // op.forms_per_neuron  # type: ignore[attr-defined]
    codes = (np.arange(op.forms_per_neuron)[:, None] * size + step.neurons).reshape(-1)  # type: ignore[attr-defined]
    signs = np.repeat(step.positive[codes][None].astype(np.int8), len(z), axis=0)
    order = np.argsort(codes)
    signs[:, order[np.searchsorted(codes, step.codes, sorter=order)]] = flags
    states = op.decided(0, np.empty(0), signs).astype(np.intp)  # type: ignore[attr-defined]
    neurons = np.arange(step.n_new)
    new = (step.factors[states, neurons] - step.slope)[..., None] * z
    new[..., -1] += step.constants[states, neurons]
    return new, float(op.lipschitz())  # type: ignore[attr-defined]
