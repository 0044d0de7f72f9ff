"""The cells of a network in one tile, found with the neurons that switch there; the whole network decides what is in doubt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._bits import bit, unpack
from plica.geometry._budget import Meter, tick
from plica.geometry._states import OpenStates, OpenWinners
from plica.geometry.domains._tile import Tile
from plica.geometry.plane._cut import CutResult, Mesh, cut_mesh
from plica.geometry.plane._engine import start_mesh
from plica.geometry.plane._merge import merge_cells
from plica.geometry.signs import _kernels
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._oracle import CutOracle
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import SignForms
from plica.geometry.tiles._program import ContestStep, CutStep, Program
from plica.geometry.tiles._reduced_maps import ReducedMaps
from plica.geometry.values._tensors import EPS, NOT_ZERO, UNDERFLOW, Tensor, in_strips
from plica.network import EntryForms, Fold, Network
from plica.network.operations import spectral_norm_bound

_LOST = 1e-5  # errors of the variables beyond which they are computed anew on the way,
_LOST_AT_LAST = 1e-6  # and at the end, where results are read off
_LOST_POSITION = 1e-7  # of a vertex, in the tile's own coordinates
_PART_NUMBERS = 2**18  # new variables that are made at a time
_ON_EDGES = 2.0**-50  # how far the stored own coordinates of the corners may be from the true ones


class OpenOracle(CutOracle):
    """Answers about the open forms of a layer alone; in a contest, about the candidates of one round in open groups.

    In doubles the answers come from the maps in the program's own variables, beyond that from the whole network.
    """

    has_own_doubles = True

    def __init__(self, maps: ReducedMaps, exact: ExactMap, mesh: Mesh, layer: int, numbers: Array, **contest: Any) -> None:
        super().__init__(exact, mesh, layer, **contest)
        self._maps = maps
        self._numbers = numbers  # codes of forms, or groups

    def parts(self, rows: Array) -> list[Array]:
        return self._maps.parts(rows)

    def renew(self) -> bool:
        return False  # doubles begin with the program's own variables, whose bounds the walker watches

    def values_at(self, precision: Precision, hyperplanes: Array, cells: Array) -> tuple[Array, Array] | None:
        if precision is not Precision.DOUBLE:
            return self._by_network(precision, hyperplanes, cells)
        tick()
        before = cells if self._before is None else self._before[cells]
        distinct, which = np.unique(before, return_inverse=True)
        e, error = self._maps.variables(self._layer, distinct)
        step = self._maps.program.steps[self._layer]
        y, error = self._maps.functions(self._layer, e, error, step.form_columns if isinstance(step, CutStep) else step.columns)
        if isinstance(step, CutStep):
            return self._maps.values(hyperplanes, (y[which], error[which]))
        assert self._winners is not None
        open_ = np.searchsorted(step.groups, self._numbers)
        best = step.place[open_, self._winners[cells].astype(np.intp)]
        y = y[which[:, None], step.place[open_, self._candidate]] - y[which[:, None], best]
        return self._maps.values(hyperplanes, (y, 2 * error[which] + 2 * EPS * np.abs(y).max(axis=(1, 2), initial=0.0)))

    def _by_network(self, precision: Precision, hyperplanes: Array, cells: Array) -> tuple[Array, Array] | None:
        """The answers of the whole network, whose maps are large: a few vertices at a time."""
        found = [
            super(OpenOracle, self).values_at(precision, hyperplanes[some], cells[some])
            for some in super().parts(np.arange(len(cells)))
        ]
        known = [one for one in found if one is not None]
        return (
            (np.concatenate([v for v, _ in known]), np.concatenate([b for _, b in known])) if len(known) == len(found) else None
        )

    def _forms_on(self, cells: Any, size: int) -> EntryForms:
        codes = self._numbers
        if self._winners is not None:
            codes = self._op.code(codes, self._candidate, self._winners[cells])
        return self._op.forms(codes if codes.ndim == 1 else codes[:, None], size)


@dataclass(eq=False)
class TileCells:
    """The finished tile: its subdivision, the variables of the program at the vertices, and the exact maps of its cells."""

    program: Program
    mesh: Mesh
    variables: Tensor
    exact: ExactMap
    maps: ReducedMaps

    @property
    def n_cells(self) -> int:
        return self.mesh.n_cells

    def positions(self) -> Tensor:
        """The parameters of the vertices, as well as the variables are known there."""
        return self._placed(self.variables.values[:, -2:], self.variables.error)

    def positions_anew(self, vertices: Array) -> Tensor:
        """The parameters of some vertices, from the maps of their cells where the variables have lost digits."""
        own, error = self.variables.values[vertices, -2:], self.variables.error[vertices]
        for some in self.maps.parts(np.flatnonzero(error > _LOST_POSITION)):
            found, bound = self.maps.own_positions(self.mesh.vertex_hyperplanes[vertices[some]])
            better = bound < error[some]
            own[some[better]], error[some[better]] = found[better], bound[better]
        return self._placed(own, error)

    def _placed(self, own: Array, error: Array) -> Tensor:
        p = self.program
        values = p.center + p.scale * own
        return Tensor(values, float(p.scale.max()) * error + 2 * EPS * np.abs(values).max(axis=1) + UNDERFLOW)

    def outputs(self) -> Tensor:
        p = self.program
        matrix, constant = p.outputs[:-1], p.outputs[-1]
        values = in_strips(self.variables.values, len(constant), lambda rows: rows @ matrix + constant)
        error = _spread(p.outputs) * self.variables.error + floor_of(p, p.outputs, p.outputs_error, norm=True)
        return Tensor(values, error)


def _spread(columns: Array) -> float:
    """How much an error of the variables may grow, in the 2-norm; the constant has none."""
    return spectral_norm_bound(columns[:-1]) if columns.size else 0.0


def floor_of(program: Program, columns: Array, error: Array, *, norm: bool = False) -> Any:
    """How far functions with these columns may be off at any point where the variables are known."""
    size = program.sizes(len(columns) - 3)
    floor = float(size @ error) + (len(columns) + 4) * EPS * (size @ np.abs(columns)) + UNDERFLOW
    if not norm:
        return floor
    return float(size @ error) + (len(columns) + 4) * EPS * float(np.linalg.norm(size @ np.abs(columns))) + UNDERFLOW


class TileWalker:
    """Carries a subdivision of a tile through the steps of its program; a ``meter`` of its own is told every layer."""

    def __init__(self, network: Network, tile: Tile, program: Program, meter: Meter | None = None) -> None:
        self.network, self.program, self.meter = network, program, meter
        self.exact = ExactMap(network, tile)
        self.exact.float_maps[Precision.EXTENDED] = PairMaps(self.exact)
        self.maps = ReducedMaps(program, self.exact)
        self.mesh = start_mesh(tile)
        own = program.corners[:, :-1]
        self.variables = Tensor(np.array(own), np.full(len(own), _ON_EDGES))
        self.zeros: dict[int, Array] = {}  # where outputs that a maximum will compare are exactly zero, by their first variable

    def run(self) -> TileCells:
        n_known = 0
        for step in self.program.steps:
            tick()
            if isinstance(step, CutStep):
                self._cut(step, n_known)
            else:
                self._contest(step)
            n_known += step.n_new
            self._refresh(step.layer + 1)
            if self.meter is not None:
                self.meter.layer_finished(self.mesh.n_cells)
        return TileCells(self.program, self.mesh, self.variables, self.exact, self.maps)

    def _watch(self, n_cells: int, n_vertices: int, n_bytes: int) -> None:
        """Compare what is about to be made with the budget."""
        if self.meter is not None:
            rows = 8 * self.variables.values.shape[1] * n_vertices
            self.meter.check(n_cells=n_cells, n_bytes=n_bytes + self.variables.nbytes + rows)

    def _values(self, columns: Array, rows: slice = slice(None)) -> Array:
        """Affine functions of the variables at the vertices."""
        some = self.variables.values[rows]
        tick(8 * len(some) * columns.shape[1])
        return np.asarray(some @ columns[:-1] + columns[-1])

    def _take_over(self, result: CutResult) -> None:
        self.mesh = result.mesh
        self.variables = self.variables.extended(result.on_edges, result.inside, result.orders)
        self.zeros = {k: _extended(zeros, result) for k, zeros in self.zeros.items()}

    def _refresh(self, n_steps: int) -> None:
        """Compute the variables anew at vertices where they have lost digits on the way, from the maps of their cells."""
        is_end = n_steps == len(self.program.steps)
        lost = np.flatnonzero(self.variables.error > (_LOST_AT_LAST if is_end else _LOST))
        n_extra = self.variables.values.shape[1] - 2
        for some in self.maps.parts(lost):
            tick()
            cells, which = np.unique(self.mesh.vertex_cell()[some], return_inverse=True)
            e, error = self.maps.variables(n_steps, cells)
            own = np.repeat(np.eye(2, 3)[None], len(cells), axis=0)
            y = np.concatenate([e[:, :n_extra], own], axis=1)
            value, bound = self.maps.values(self.mesh.vertex_hyperplanes[some], (y[which], error[which]))
            total = np.sqrt((bound * bound).sum(axis=1)) * (1 + 1e-12)
            better = total < self.variables.error[some]
            self.variables.values[some[better]], self.variables.error[some[better]] = value[better], total[better]
        self.variables.largest_norm = None

    def _cut(self, step: CutStep, n_known: int) -> None:
        op = self.network.folds[step.layer]
        if not len(step.codes):
            n = self.mesh.n_cells
            states = OpenStates(op, step.positive, step.codes, np.zeros((n, 0), np.uint64))
            self.exact.layers.append(LayerStates(np.arange(n, dtype=np.int32), states))
            return
        columns = step.form_columns
        scale = np.linalg.norm(columns[:-1], axis=0) * (1 + 1e-12) + UNDERFLOW
        floor = floor_of(self.program, columns, step.error)
        forms = SignForms(self._values(columns), scale, self.variables.error.copy(), np.broadcast_to(floor, scale.shape).copy())
        oracle = OpenOracle(self.maps, self.exact, self.mesh, step.layer, step.codes)

        def rename(line: Array) -> None:
            line[:, 2] = step.codes[line[:, 2]]

        result = cut_mesh(self.mesh, forms, oracle, step.layer, rename=rename, watch=self._watch)
        assert isinstance(result, CutResult)
        self._take_over(result)
        states = OpenStates(op, step.positive, step.codes, result.words)
        self.exact.layers.append(LayerStates(result.parent, states))
        error = _spread(step.columns) * self.variables.error + floor_of(self.program, step.columns, step.error, norm=True)
        if step.keeps_outputs:
            known = np.zeros((len(error), result.words.shape[1]), np.uint64)
            _kernels.known_zero_words(self.mesh.offsets, self.mesh.half_edges, self.mesh.edges, result.words, known)
            self.zeros[n_known] = unpack(known, len(step.codes)) == 1
        norm = np.empty(len(error))

        def made(rows: slice) -> Array:
            z = self._values(step.columns, rows)
            norm[rows] = np.linalg.norm(z, axis=1)
            return np.asarray(step.outputs(z) - step.slope * z)

        joined = self._joined(made, step.columns.shape[1])
        self.variables = Tensor(joined, self.variables.error + (2 * op.lipschitz() * error + 4 * EPS * norm) + UNDERFLOW)

    def _joined(self, made: Callable[[slice], Array], n_new: int) -> Array:
        """All variables with so many new ones before u and v, which are made for a few vertices at a time."""
        old = self.variables.values
        n, width = len(old), old.shape[1] - 2
        tick(8 * n * (old.shape[1] + n_new))
        joined = np.empty((n, old.shape[1] + n_new))
        joined[:, :width], joined[:, -2:] = old[:, :width], old[:, -2:]
        step = max(1, _PART_NUMBERS // max(1, n_new))
        for a in range(0, n, step):
            rows = slice(a, a + step)
            joined[rows, width:-2] = made(rows)
        return joined

    def _members(self, step: ContestStep, known: Array) -> Array:
        """The members of open groups at the vertices; they are ``known`` at the first ones, which cuts leave as they are."""
        n = len(known)
        values = self._values(step.columns, slice(n, None))
        if step.has_true_zeros:
            values[values == 0.0] = NOT_ZERO
            values[:, ~step.live] = 0.0
            for first, zeros in self.zeros.items():
                here = np.flatnonzero((step.origin > first) & (step.origin <= first + zeros.shape[1]))
                rectified = np.maximum(values[:, here], NOT_ZERO)
                values[:, here] = np.where(zeros[n:, step.origin[here] - first - 1], 0.0, rectified)
        return np.concatenate([known, values]) if n else values

    def _contest(self, step: ContestStep) -> None:
        op = self.network.folds[step.layer]
        before = np.arange(self.mesh.n_cells, dtype=np.int32)
        winners = np.repeat(step.first[None].astype(op.state_type), len(before), axis=0)
        if len(step.groups):
            members = self._members(step, np.empty((0, len(step.members))))
            for j in range(1, step.entries.shape[1]):
                active = np.flatnonzero(step.can_win[:, j] & (step.first < j))
                if len(active):
                    before, winners = self._round(step, op, j, active, before, winners, members)
                    members = self._members(step, members)
            if (step.can_win.sum(axis=1) > 2).any():
                merged = merge_cells(self.mesh, before, winners)
                self.mesh, winners, before = merged.mesh, winners[merged.cells], before[merged.cells]
                self.variables = self.variables.taken(merged.vertices)
                self.zeros = {k: zeros[merged.vertices] for k, zeros in self.zeros.items()}
                members = members[merged.vertices]
            largest = _largest(members, step.place, step.can_win)
            reference = step.columns[:, step.place[np.arange(len(step.groups)), step.first]]
            error = _spread(step.columns) * self.variables.error + floor_of(self.program, step.columns, step.error, norm=True)
            rounding = 4 * EPS * np.linalg.norm(members, axis=1)
            joined = self._joined(lambda rows: largest[rows] - self._values(reference, rows), largest.shape[1])
            self.variables = Tensor(joined, self.variables.error + 2 * op.lipschitz() * (error + rounding) + UNDERFLOW)
        self.exact.layers.append(LayerStates(before, OpenWinners(step.winner, step.groups, winners)))

    def _round(
        self, step: ContestStep, op: Fold, j: int, active: Array, before: Array, winners: Array, members: Array
    ) -> tuple[Array, Array]:
        """The candidates at position j of the active groups against the best before them."""
        true_zeros = step.has_true_zeros
        candidate = members[:, step.place[active, j]]
        earlier = _largest(members, step.place[active, :j], step.can_win[active, :j])
        z = candidate - earlier
        if true_zeros:
            z[(z == 0.0) & (candidate != 0.0)] = NOT_ZERO
        ahead = step.columns[:, step.place[active, j], None] - step.columns[:, step.place[active, :j]]
        scale = np.linalg.norm(ahead[:-1], axis=0).max(axis=1) * (1 + 1e-12) + UNDERFLOW
        floor = 2 * floor_of(self.program, step.columns, step.error)
        floor = floor[step.place[active, : j + 1]].max(axis=1) + 2 * EPS * np.abs(members).max(initial=0.0)
        forms = SignForms(z, scale, self.variables.error.copy(), floor, None, true_zeros)
        groups = step.groups[active]
        oracle = OpenOracle(
            self.maps, self.exact, self.mesh, step.layer, groups, before=before, winners=winners[:, active], candidate=j
        )

        def rename(line: Array) -> None:
            cell, form = line[:, 1].copy(), line[:, 2].copy()
            line[:, 1] = before[cell]
            line[:, 2] = op.code(groups[form], j, winners[cell, active[form]])

        result = cut_mesh(self.mesh, forms, oracle, step.layer, rename=rename, watch=self._watch)
        assert isinstance(result, CutResult)
        self._take_over(result)
        won = np.stack([bit(result.words, k) for k in range(len(active))], axis=1)
        winners = winners[result.parent]
        winners[:, active] = np.where(won, op.state_type(j), winners[:, active])
        return before[result.parent], winners


def _largest(members: Array, place: Array, allowed: Array) -> Array:
    """The largest allowed member of each group at each vertex, -inf where there is none."""
    largest = np.where(allowed[:, 0], members[:, place[:, 0]], -np.inf)
    for j in range(1, place.shape[1]):
        some = np.flatnonzero(allowed[:, j])
        largest[:, some] = np.maximum(largest[:, some], members[:, place[some, j]])
    return largest


def _extended(zeros: Array, result: CutResult) -> Array:
    """Between two vertices an entry is zero where it is zero at both."""
    for new in (result.on_edges, result.inside):
        zeros = np.concatenate([zeros, zeros[new.p] & zeros[new.q]])
    return zeros
