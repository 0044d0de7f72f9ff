"""Maxima on a short part of a line: groups whose winner changes there get a column, as neurons that switch do.

The members of a group meet one after the other, as everywhere else. What a group gives beyond its winner on the first piece,
:math:`e = z_{winner} - z_{first}`, is small on a short part. Behind ReLUs ties are the rule, because many members are zero; where
a neuron is inactive its zero is known to be one, and a later zero does not win against an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from plica._types import Array
from plica.geometry.line._chunks import LineStates
from plica.geometry.line._cut import LineCut
from plica.geometry.line._cut_line import LineMesh, cut_line, replay
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._oracle import CutOracle
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import SignForms
from plica.geometry.values._tensors import EPS, NOT_ZERO, UNDERFLOW
from plica.network import EntryForms, Network, once_per_network

if TYPE_CHECKING:
    from plica.geometry.line._part_walk import PartWalker


AtPoints = Callable[[Array], tuple[Array, Array]]  # the forms at some vertices, and bounds of their errors


class OpenOracle(CutOracle):
    """Answers about some forms of a layer, or some groups of a maximum; doubles have nothing to add to what was asked before."""

    def __init__(
        self,
        exact: ExactMap,
        mesh: LineMesh,
        layer: int,
        numbers: Array,
        before: Array,
        *,
        at_points: AtPoints | None = None,
        **contest: Any,
    ) -> None:
        super().__init__(exact, mesh, layer, before=before, **contest)
        self._numbers = numbers  # codes of forms, or groups
        self._at_points = at_points

    def values(self, precision: Precision, vertices: Array) -> tuple[Array, Array] | None:
        if precision is Precision.DOUBLE or self._at_points is None:
            return super().values(precision, vertices)
        value, bound = self._at_points(vertices)
        left = np.flatnonzero((np.abs(value) <= bound).any(axis=1))
        if len(left) and (finer := super().values(precision, vertices[left])) is not None:
            value, bound = value.astype(finer[0].dtype), bound.astype(finer[1].dtype)
            value[left], bound[left] = finer
        return value, bound

    def renew(self) -> bool:
        return False  # columns of parts are pairs of doubles already

    def values_at(self, precision: Precision, hyperplanes: Array, cells: Array) -> tuple[Array, Array] | None:
        return None if precision is Precision.DOUBLE else super().values_at(precision, hyperplanes, cells)

    def _forms_on(self, cells: Any, size: int) -> EntryForms:
        codes = self._numbers
        if self._winners is not None:
            codes = self._op.code(codes, self._candidate, self._winners[cells])
        return self._op.forms(codes if codes.ndim == 1 else codes[:, None], size)


@once_per_network
def _rectified_before(network: Network, fold: int) -> tuple[int, Array] | None:
    """The layer of ReLUs right before a maximum that reads it unchanged, and which of its neurons each entry is (-1: none)."""
    index, chain = network.nodes[fold].inputs[0], []
    while index and index not in network.layers:
        node = network.nodes[index]
        op: Any = node.op
        if not op.moves_entries or op.n_terms() or op.offset is not None or len(node.inputs) != 1:
            return None
        chain.append(index)
        index = node.inputs[0]
    if index not in network.layers or not network.nodes[index].op.is_relu:
        return None
    numbers = np.arange(1.0, network.nodes[index].size + 1).reshape(1, *network.nodes[index].shape)
    for i in reversed(chain):
        moving: Any = network.nodes[i].op
        numbers = moving.linear([numbers], moving.coefficients)
    layer = network.layers.index(index)
    return (layer, numbers.reshape(-1).astype(np.int64) - 1) if network.layers.index(fold) == layer + 1 else None


class PartContest:
    """One layer of maxima on the pieces of a part."""

    def __init__(self, walker: PartWalker, layer: int, fold: int) -> None:
        self.walker, self.layer = walker, layer
        self.op = cast(Any, walker.network.folds[layer])
        self.source = walker.network.nodes[fold].inputs[0]
        self.rectified = _rectified_before(walker.network, fold)
        self.entries = np.asarray(self.op.entries)
        self.parent = np.arange(len(walker.line) - 1, dtype=np.int32)

    def run(self) -> LineStates:
        """Cut the part where winners change; leaves the members, the winners and the parents of the pieces."""
        w = self.walker
        can_win = self._possible()
        self.first = can_win.argmax(axis=1)
        self.groups = np.flatnonzero(can_win.sum(axis=1) > 1)
        self.can_win = can_win[self.groups]
        members, place = np.unique(self.entries[self.groups], return_inverse=True)
        self.place = place.reshape(len(self.groups), self.entries.shape[1])
        self.y, self.y_error = w.on_pieces(self.source, members)
        self.off = self._inactive(members)
        self.winners = np.repeat(self.first[self.groups][None].astype(self.op.state_type), len(self.parent), axis=0)
        for j in range(1, self.entries.shape[1]):
            active = np.flatnonzero(self.can_win[:, j] & (self.first[self.groups] < j))
            if len(active):
                self._round(j, active)
        self._merge()
        start = self.first.astype(self.op.state_type)
        start[self.groups] = self.winners[0]
        changed = np.argwhere(self.winners[1:] != self.winners[:-1])
        state = self.winners[1:][changed[:, 0], changed[:, 1]]
        return LineStates(
            len(self.entries), np.zeros(1, np.int64), start[None], changed[:, 0] + 1, self.groups[changed[:, 1]], state
        )

    def _possible(self) -> Array:
        """Which members may win somewhere on the part."""
        w = self.walker
        value, spread = w.ranges(self.source)
        live = w.is_live(self.source)
        low, high = np.where(live, value - spread, 0.0), np.where(live, value + spread, 0.0)
        if self.rectified is not None:
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        can_win = ~np.asarray(self.op.cannot_win) & (high[self.entries] >= low[self.entries].max(axis=1, keepdims=True))
        for j in range(1, self.entries.shape[1]):  # a zero does not win against an earlier zero, or an earlier rectified entry
            zero = ~live[self.entries]
            earlier = can_win[:, :j] & (zero[:, :j] if self.rectified is None else True)
            can_win[:, j] &= ~(zero[:, j] & earlier.any(axis=1))
        return np.asarray(can_win)

    def _inactive(self, members: Array) -> Array | None:
        """On which pieces each member is zero, because its neuron is inactive there; None where members are no neurons."""
        if self.rectified is None:
            return None
        layer, neurons = self.rectified
        states, n = self.walker.layers[layer].states, len(self.parent)
        columns = [states.neuron_states(int(i), n) == 0 if i >= 0 else np.ones(n, np.bool_) for i in neurons[members]]
        return np.stack(columns, axis=1) if columns else np.zeros((n, 0), np.bool_)

    def _values(self) -> tuple[Array, Array]:
        """The members at the breakpoints, and a bound of the error of each value there; true zeros are zeros, others are not."""
        values, error = self.walker.at_breakpoints(self.y, self.y_error)
        if self.off is None:
            return values, error
        zero = np.zeros(values.shape, np.bool_)
        zero[:-1] |= self.off
        zero[1:] |= self.off
        return np.where(zero, 0.0, np.maximum(values, NOT_ZERO)), error

    def _round(self, j: int, active: Array) -> None:
        """The candidates at position j of the active groups against the best before them."""
        w, op = self.walker, self.op
        values, error = self._values()
        candidate = values[:, self.place[active, j]]
        earlier = np.where(self.can_win[None, active, :j], values[:, self.place[active, :j]], -np.inf).max(axis=2)
        z = candidate - earlier
        if self.off is not None:
            z[(z == 0.0) & (candidate != 0.0)] = NOT_ZERO
        bound = 2 * error + 4 * EPS * np.abs(values).max(axis=1, initial=0.0)
        forms = SignForms(z, np.ones(len(active)), bound, np.full(len(active), UNDERFLOW), None, self.off is not None)
        w.check_end(z, bound, trust_zero=self.off is not None)
        groups, pieces = self.groups[active], np.arange(len(self.parent))[:, None]
        oracle = OpenOracle(
            w.exact, LineMesh(w.line), self.layer, groups, self.parent, winners=self.winners[:, active], candidate=j
        )
        cut = cut_line(w.line, forms, oracle, self.layer, np.arange(len(self.parent), dtype=np.int32))
        fresh = np.flatnonzero(cut.form >= 0)
        cell, form = cut.hyperplanes[fresh, 1].copy(), cut.form[fresh]
        cut.hyperplanes[fresh, 1] = self.parent[cell]
        cut.hyperplanes[fresh, 2] = op.code(groups[form], j, self.winners[cell, active[form]])
        best = self.place[active, self.winners[:, active].astype(np.intp)]
        ahead = self.y[:, self.place[active, j]] - self.y[pieces, best]
        w.place(cut, ahead, 2 * self.y_error + 2 * EPS * np.abs(self.y).max(axis=(1, 2), initial=0.0))
        self._take_over(cut)
        won = replay(cut.start, cut, len(cut.parent))
        self.winners[:, active] = np.where(won == 1, self.op.state_type(j), self.winners[:, active])

    def _take_over(self, cut: LineCut) -> None:
        w, parent = self.walker, cut.parent
        w.line = cut.hyperplanes
        w.outputs, w.error = w.outputs[parent], w.error[parent]
        self.y, self.y_error, self.winners = self.y[parent], self.y_error[parent], self.winners[parent]
        self.off = None if self.off is None else self.off[parent]
        self.parent = self.parent[parent]

    def _merge(self) -> None:
        """A breakpoint across which nothing changes was a comparison of losers."""
        w = self.walker
        same = (self.parent[1:] == self.parent[:-1]) & (self.winners[1:] == self.winners[:-1]).all(axis=1)
        if not same.any():
            return
        rows, pieces = np.flatnonzero(np.concatenate([[True], ~same, [True]])), np.flatnonzero(np.concatenate([[True], ~same]))
        w.line, w.u, w.u_error = w.line[rows], w.u[rows], w.u_error[rows]
        w.outputs, w.error = w.outputs[pieces], w.error[pieces]
        self.y, self.y_error, self.winners, self.parent = (x[pieces] for x in (self.y, self.y_error, self.winners, self.parent))

    def switching(self) -> tuple[Array, Array, Array]:
        """The groups whose winner changes, what they give beyond their first winner on each piece, and all first winners."""
        chosen = self.entries[np.arange(len(self.entries)), self.first].copy()
        every = np.arange(len(self.groups))
        first = self.place[every, self.winners[0].astype(np.intp)]
        chosen[self.groups] = self.entries[self.groups, self.winners[0].astype(np.intp)]
        which = np.flatnonzero((self.winners != self.winners[0]).any(axis=0))
        best = self.place[which, self.winners[:, which].astype(np.intp)]
        pieces = np.arange(len(self.parent))[:, None]
        return self.groups[which], self.y[pieces, best] - self.y[:, first[which]], chosen
