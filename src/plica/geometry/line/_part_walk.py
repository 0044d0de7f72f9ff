r"""A short part of a line through a deep network of ReLUs and maxima, with only those neurons carried that switch there.

Every tensor on the part is :math:`a + b u + \sum_j c_j e_j`: affine in the part's own coordinate u in [-1, 1], and a column
for each neuron that switches, times its output :math:`e_j = \max(z_j, 0)`. The affine parts are carried in pairs of doubles, so
that their errors stay below what matters; columns in doubles, because outputs of neurons that switch inside the part are small
there. A neuron whose range over the part has one sign never bends; the others are cut as everywhere else, and what floating
point leaves undecided is decided by the maps of cells, in pairs and in integers.

On a piece every :math:`e_j` is affine in u; these few numbers are all that a piece is known by, and breakpoints are the zeros
of forms on their pieces, so that no error is inherited from one breakpoint to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.domains import Domain
from plica.geometry.line._at_points import values_at_points
from plica.geometry.line._chunks import LineChunk, LineLayer, LineStates
from plica.geometry.line._columns import Columns, absorbed, column_affine, column_inputs, window_reach
from plica.geometry.line._cut import LineCut
from plica.geometry.line._cut_line import LineMesh, cut_line, replay
from plica.geometry.line._outputs import has_few_outputs, output_columns, read_between
from plica.geometry.line._part_contest import OpenOracle, PartContest
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import SignForms
from plica.geometry.values._composed import readers
from plica.geometry.values._pairs import Pairs, masked, pair_affine, taken, two_product, two_sum
from plica.geometry.values._tensors import EPS, NORM_UNDERFLOW, UNDERFLOW, Tensor, affine_constants
from plica.network import Add, Network
from plica.network.operations import spectral_norm_bound

_UP = 1 + 1e-9


class TooManyNeurons(Exception):
    """More neurons switch on the part than are wanted."""


class UndecidedEnd(Exception):
    """The end of the part is too close to a breakpoint."""


class PartWalker:
    """Carries the breakpoints of a part through the network."""

    def __init__(
        self, network: Network, part: Domain, *, most: int, may_touch: bool, watch: Callable[[int], None] = lambda n_pieces: None
    ) -> None:
        self.network, self.part, self.most, self.may_touch, self.watch = network, part, most, may_touch, watch
        self.exact = ExactMap(network, part)
        self.exact.float_maps[Precision.EXTENDED] = PairMaps(self.exact)
        low, high = part.window[:, 0]
        self.center = float(low / 2 + high / 2)
        self.scale = float(np.exp2(np.ceil(np.log2(max(high - self.center, self.center - low)))))
        self.u = ((part.window - self.center) / self.scale)[:, 0]  # windows are multiples of 2^-40: no rounding
        self.u_error = np.zeros(2)
        self.outputs = np.zeros((1, 0, 2))  # of the neurons that switch, on each piece: slope and constant
        self.error = np.zeros(1)  # of all of them on a piece, in the 2-norm
        self.line = np.array([[-1, 0, -1], [-1, 1, -1]], np.int32)
        self.pairs: dict[int, Pairs] = {0: self._start()}
        self.columns: dict[int, Columns] = {0: Columns.none(network.nodes[0].shape)}
        self.live: dict[int, Array] = {0: np.asarray(part.chart.points.any(axis=0))}
        self.layers: list[LineLayer] = []
        self.sizes = np.zeros(0)  # bounds of the absolute values of the outputs of the neurons that switch, on the part

    def _start(self) -> Pairs:
        """The chart of the part: h d u + (o + c d), with the direction d and the center c."""
        points = self.part.chart.points
        direction, lost = two_sum(points[0], -points[1])
        product, rest = two_product(direction, np.full_like(direction, self.center))
        high, low = two_sum(points[1], product)
        low = low + (rest + self.center * lost)
        error = 4 * EPS * float(np.linalg.norm(np.abs(low) + np.abs(rest) + np.abs(lost))) + UNDERFLOW
        return Pairs(
            np.stack([self.scale * direction, high])[None], np.stack([self.scale * lost, low])[None], np.array([[0.0, error]])
        )

    def _append(self, parent: Array, new: Array) -> Array:
        """Outputs on the pieces after a cut, with those of more neurons that switch; bounds of their absolute values there."""
        ends = [np.abs(new[..., 0] * u[:, None] + new[..., 1]) for u in (self.u[:-1], self.u[1:])]
        largest = np.maximum(*ends).max(axis=0) * _UP + 4 * float(self.error.max())
        sizes = np.asarray(largest + 8 * EPS * np.abs(new).sum(axis=2).max(axis=0))
        n, k = self.outputs.shape[1], new.shape[1]
        tick(32 * len(parent) * (n + k))
        outputs = np.empty((2, len(parent), n + k))  # all slopes, then all constants: products read them so
        for old, all_of_a_kind in zip(self.outputs.transpose(2, 0, 1), outputs, strict=True):
            all_of_a_kind[:, :n] = old[parent]
        outputs[:, :, n:] = new.transpose(2, 0, 1)
        self.outputs, self.sizes = outputs.transpose(1, 2, 0), np.concatenate([self.sizes, sizes])
        return sizes

    def run(self) -> LineChunk:
        """The pieces of the part."""
        network = self.network
        first, last = 1, len(network.nodes) - 1
        *others, last_fold = network.layers
        for layer, fold in enumerate(others if has_few_outputs(network) else network.layers):
            self._layer(first, layer, fold)
            first = fold + 1
        if has_few_outputs(network):
            self._last_layer(first, last_fold)
        else:
            self._affine_nodes(first, last + 1, None)
        values, error = self.at_breakpoints(*self.on_pieces(last, np.arange(network.nodes[last].size)))
        t = self.center + self.scale * self.u[:, None]
        parameters = Tensor(t, self.scale * self.u_error + 2 * EPS * np.abs(t[:, 0]) + UNDERFLOW)
        return LineChunk(self.line, parameters, Tensor(values, error * float(np.sqrt(values.shape[1]))), self.layers)

    def _layer(self, first: int, layer: int, fold: int) -> None:
        is_contest = self.network.folds[layer].is_contest
        self._affine_nodes(first, fold, None if is_contest else self.network.nodes[fold].inputs[0])
        if is_contest:
            self._contest(layer, fold)
        else:
            self._fold(layer, fold)
        self.watch(len(self.line) - 1)

    def _last_layer(self, first: int, fold: int) -> None:
        """The last layer, with columns of neurons that may switch, and what is behind it."""
        network, stop = self.network, len(self.network.nodes)
        known = {i: self.columns[i] for i in read_between(network)}
        self._affine_nodes(first, fold, network.nodes[fold].inputs[0], to_be_read=False)
        active, switching = self._fold(len(network.layers) - 1, fold)
        self.watch(len(self.line) - 1)
        self._affine_parts(fold + 1, stop)
        self.columns[stop - 1] = output_columns(network, known, self.outputs.shape[1] - len(switching), active, switching)

    def _affine_parts(self, first: int, stop: int) -> None:
        for i in range(first, stop):
            tick()
            self.pairs[i] = pair_affine(self.network, i, [self.pairs[j] for j in self.network.nodes[i].inputs])

    def _affine_nodes(self, first: int, stop: int, source: int | None, *, to_be_read: bool = True) -> None:
        """The nodes between two layers: their affine parts, and then the columns of what may be active behind ``source``; where
        these will not be read, of what may switch there."""
        uses = self.network.last_uses
        self._affine_parts(first, stop)
        needed: dict[int, Array | None] = {i: None for i in range(first, stop)}  # None: all entries
        if source is not None and first <= source and uses[source] == stop:
            needed = self._needed(first, stop, source, to_be_read=to_be_read)
        for i in range(first, stop):
            if i not in absorbed(self.network):
                inputs = [self.columns[j] for j in column_inputs(self.network, i)]
                self.columns[i] = column_affine(self.network, i, inputs, needed[i], self.sizes)
        self._forget(stop - 1)

    def _forget(self, index: int) -> None:
        """Drop what nobody needs behind this node."""
        kept: dict[int, Any]
        for kept in (self.pairs, self.columns):
            for i in [i for i in kept if self.network.last_uses[i] <= index and i != len(self.network.nodes) - 1]:
                del kept[i]

    def _needed(self, first: int, stop: int, source: int, *, to_be_read: bool = True) -> dict[int, Array | None]:
        """Which entries of the nodes matter: those behind which a neuron may be active, or may switch."""
        nodes = self.network.nodes
        reach: dict[int, Array] = {}  # bounds of what all columns together add to the entries of a node

        def known(i: int) -> Array:
            if i not in reach:
                reach[i] = self._reach(i) * _UP
            return reach[i]

        for i in range(first, stop):
            op: Any = nodes[i].op
            inputs, factors = nodes[i].inputs, op.entrywise(nodes[i].shape)
            row_norms = affine_constants(self.network, i).row_norms
            given = [known(j) for j in inputs]
            near = window_reach(self.network, i, given[0]) if len(inputs) == 1 and row_norms is not None else None
            if near is not None:
                reach[i] = row_norms * near * _UP
            elif factors is not None:
                reach[i] = np.abs(factors) * given[0] * _UP
            elif isinstance(op, Add):
                reach[i] = np.sum(given, axis=0) * _UP
            else:
                factor = 1.0 if op.coefficients is None else float(np.abs(op.coefficients).max(initial=0.0))
                terms = op.n_terms() if len(inputs) == 1 else 1
                largest = sum(float(x.max(initial=0.0)) for x in given)
                reach[i] = np.full(nodes[i].size, factor * max(1, terms) * largest * _UP)
        affine = self.pairs[source]
        slope, value = affine.high[0]
        slack = reach[source] + 4 * EPS * float(np.abs(value).max()) + float(affine.error.sum())
        spread = np.abs(slope) * _UP + slack
        wanted = value + spread > 0.0 if to_be_read else np.abs(value) <= spread
        needed: dict[int, Array | None] = {i: None for i in range(first, stop)}
        needed[source] = wanted
        for i in range(stop - 1, first - 1, -1):
            mask, op = needed[i], nodes[i].op
            is_entrywise = op.entrywise(nodes[i].shape) is not None or (len(nodes[i].inputs) > 1 and not op.moves_entries)
            if mask is not None and is_entrywise:
                for j in nodes[i].inputs:
                    if j >= first and readers(self.network)[j] == 1:
                        needed[j] = mask
        return needed

    def _reach(self, index: int) -> Array:
        """For each entry of a node a bound of what all columns together add to it on the part."""
        c = self.columns[index]
        known = c.sums(self.sizes) if c.reach is None else c.reach
        return np.asarray(known + float(c.error @ self.sizes[: c.n_columns]))

    def on_pieces(self, index: int, entries: Array) -> tuple[Array, Array]:
        """Entries of a node on every piece, (pieces, entries, 2), and a bound of the error of all of them in the 2-norm."""
        c, x, e = self.columns[index], self.pairs[index], self.outputs
        n = c.n_columns
        columns, affine = c.rows(entries).T, x.high[0][:, entries]
        slope, constant = np.ascontiguousarray(e[:, :n].transpose(2, 0, 1))
        y = np.stack([slope @ columns + affine[0], constant @ columns + affine[1]], axis=2)
        lengths = np.sqrt(slope * slope + constant * constant)
        # of what is added up, in the 2-norm: |slope| + |constant| is at most sqrt(2) times the length of both
        both = lengths @ np.stack([np.sqrt((columns * columns).sum(axis=1)), c.error], axis=1)
        magnitude = 1.5 * both[:, 0] + np.linalg.norm(np.abs(affine).sum(axis=0))
        rounding = (n + 8) * EPS * (magnitude + NORM_UNDERFLOW)
        gain = spectral_norm_bound(columns) if columns.size else 0.0
        error = gain * self.error + both[:, 1] + float(x.error.sum()) + rounding
        return y, np.asarray(error * _UP + UNDERFLOW)

    def at_breakpoints(self, y: Array, y_error: Array) -> tuple[Array, Array]:
        """Functions on pieces at the breakpoints, and a bound of the error of each value there."""
        piece = np.append(np.arange(len(y)), len(y) - 1)
        near = y[piece]
        values = near[..., 0] * self.u[:, None] + near[..., 1]
        slope = np.abs(near[..., 0]).max(axis=1, initial=0.0)
        size = slope + np.abs(near[..., 1]).max(axis=1, initial=0.0)
        return values, (slope * self.u_error + 2 * y_error[piece] + 4 * EPS * size) * _UP + UNDERFLOW

    def _at_points(self, vertices: Array, index: int, entries: Array, slopes: Array) -> tuple[Array, Array]:
        """Entries of a node at some breakpoints, from the network itself, and bounds of the errors; with bounds of the slopes."""
        pieces = np.minimum(vertices, len(slopes) - 1)
        x, error = values_at_points(self.exact, self._start(), self.u[vertices], pieces, index)
        moved = slopes[pieces] * self.u_error[vertices][:, None]
        return x[:, entries], (moved + error[:, None]) * _UP + UNDERFLOW

    def ranges(self, index: int) -> tuple[Array, Array]:
        """The entries of a node in the middle of the part, and bounds of how far from it they are anywhere there."""
        x, n = self.pairs[index], len(self.sizes)
        slope, value = x.high[0]
        spread = self._reach(index) + np.abs(slope)
        return value, (spread + float(x.error.sum()) + UNDERFLOW + (n + 8) * EPS * (spread + np.abs(value))) * _UP

    def check_end(self, z: Array, error: Array, *, trust_zero: bool = False) -> None:
        """Raise where a form may be zero at the end of the part, unless that is the end of the line."""
        last = np.abs(z[-1])
        if not self.may_touch and ((last <= error[-1] + UNDERFLOW) & ((last > 0.0) | (not trust_zero))).any():
            raise UndecidedEnd

    def _count(self, n_columns: int) -> None:
        if n_columns > self.most:
            raise TooManyNeurons

    def _fold(self, layer: int, fold: int) -> tuple[Array, Array]:
        """Cut the part where neurons switch; which are active on all of it, and which switch."""
        node = self.network.nodes[fold]
        source = node.inputs[0]
        c, x = self.columns[source], self.pairs[source]
        value, spread = self.ranges(source)
        positive = value > spread
        open_ = np.flatnonzero(~positive & ~(value < -spread))
        open_ = open_[~self._is_zero(source, open_)]
        before = np.arange(len(self.line) - 1, dtype=np.int32)
        y, y_error = self.on_pieces(source, open_)
        z, error = self.at_breakpoints(y, y_error)
        forms = SignForms(z, np.ones(len(open_)), error, np.full(len(open_), UNDERFLOW))
        self.check_end(z, error)

        def at_points(vertices: Array) -> tuple[Array, Array]:
            return self._at_points(vertices, source, open_, np.abs(y[..., 0]) + y_error[:, None])

        oracle = OpenOracle(self.exact, LineMesh(self.line), layer, open_, before, at_points=at_points)
        cut = cut_line(self.line, forms, oracle, layer, before)
        named = cut.form >= 0
        cut.hyperplanes[named, 2] = open_[cut.form[named]]
        positive[open_] = cut.start == 1
        states = LineStates(
            node.size, np.zeros(1, np.int64), positive[None].astype(np.int8), cut.event_cell, open_[cut.event_form], cut.event_on
        )
        self.layers.append(LineLayer(cut.parent.copy(), states))
        self.exact.layers.append(LayerStates(cut.parent.copy(), states))
        which = np.unique(cut.event_form)
        self._count(self.outputs.shape[1] + len(which))
        self.line = cut.hyperplanes
        self.place(cut, y, y_error)
        on = replay(cut.start, cut, len(cut.parent))[:, which]
        new = y[cut.parent[:, None], which] * on[..., None]
        c = c.widened(self.outputs.shape[1])  # the source may be older than the layers of another branch
        self.error = (self.error + y_error)[cut.parent] * _UP
        sizes = self._append(cut.parent, new)
        switching = open_[which]
        self.live[fold] = positive.copy()
        self.live[fold][switching] = True
        positive[switching] = False
        self.pairs[fold] = masked(x, positive[None])
        self.columns[fold] = c.after_fold(positive, switching, sizes)
        self._forget(fold)
        return positive, switching

    def _contest(self, layer: int, fold: int) -> None:
        source = self.network.nodes[fold].inputs[0]
        contest = PartContest(self, layer, fold)
        states = contest.run()
        self.layers.append(LineLayer(contest.parent, states))
        self.exact.layers.append(LayerStates(contest.parent, states))
        groups, new, chosen = contest.switching()
        self._count(self.outputs.shape[1] + len(groups))
        gain = contest.op.lipschitz()
        rounding = 2 * EPS * np.sqrt((new * new).sum(axis=(1, 2)))
        columns = self.columns[source].widened(self.outputs.shape[1])
        self.error = (self.error + 2 * gain * contest.y_error + rounding) * _UP
        self._append(np.arange(len(new)), new)
        self.live[fold] = self.is_live(source)[contest.entries].any(axis=1)
        self.pairs[fold] = taken(self.pairs[source], chosen, gain)
        self.columns[fold] = columns.after_contest(chosen, groups, self.network.nodes[fold].shape, gain)
        self._forget(fold)

    def place(self, cut: LineCut, y: Array, y_error: Array) -> None:
        """Where the breakpoints are after a cut: new ones at the zeros of their forms on the pieces that they divide."""
        u, u_error = self.u[cut.p], self.u_error[cut.p]
        new = np.flatnonzero(cut.form >= 0)
        piece = cut.p[new]
        slope, constant = y[piece, cut.form[new]].T
        with np.errstate(all="ignore"):
            root = -constant / slope
            bound = (y_error[piece] * (1 + np.abs(root)) + 4 * EPS * np.abs(constant)) / (np.abs(slope) - y_error[piece])
        known = (np.abs(slope) > 2 * y_error[piece]) & np.isfinite(root)
        low, high = self.u[piece] - self.u_error[piece], self.u[piece + 1] + self.u_error[piece + 1]
        # a zero is on its piece, whatever is known of it
        u[new] = np.where(known, np.clip(root, low, high), low / 2 + high / 2)
        u_error[new] = np.where(known, np.minimum(bound * _UP, high - low), high - low) + 4 * EPS
        self.u, self.u_error = u, u_error

    def _is_zero(self, source: int, entries: Array) -> Array:
        """Which of these entries are the function zero, because everything that they read is zero."""
        x, c = self.pairs[source], self.columns[source]
        zero = ~x.high[0][:, entries].any(axis=0) & ~c.reaches(entries)
        if zero.any():
            zero &= ~self.is_live(source)[entries]
        return np.asarray(zero)

    def is_live(self, index: int) -> Array:
        """Which entries of a node are not known to be zero on the part."""
        if index not in self.live:
            node = self.network.nodes[index]
            op: Any = node.op
            flags = [self.is_live(i).reshape(1, *self.network.nodes[i].shape).astype(np.float64) for i in node.inputs]
            live = op.linear(flags, None if op.coefficients is None else (op.coefficients != 0).astype(np.float64)) != 0
            if op.offset is not None:
                live = live | (op.offset != 0)
            self.live[index] = np.asarray(live).reshape(-1)
        return self.live[index]
