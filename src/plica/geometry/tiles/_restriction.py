r"""A network on a small tile, with only those neurons kept that can switch inside it.

On a tile every tensor is written as :math:`C^T (e, u, v, 1)`: affine in the tile's own coordinates (u, v) in [-1, 1]^2 and in
one extra variable for each neuron that may switch. A neuron whose pre-activation z has one sign on the whole tile is affine,
and disappears into the columns. One that may switch has the output :math:`\lambda z + e`, where the extra variable
:math:`e = f(z) - \lambda z` is all that bends; :math:`\lambda` is the slope of the chord over the range of z, so that the
range of e is small. Ranges follow from the columns: z is affine in (u, v), whose extremes are at the corners, and in the extra
variables, each in its interval (a zonotope, as in Singh et al., NeurIPS 2018). Columns carry a bound of their rounding errors,
so ranges are proved.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.domains._tile import Tile
from plica.geometry.tiles._candidates import Members, leads, possible_winners
from plica.geometry.tiles._products import linear_rows
from plica.geometry.tiles._program import N_AFFINE, ContestStep, CutStep, Program, Step
from plica.geometry.values._pairs import Pairs, pair_affine, scaled, taken, two_product, two_sum
from plica.geometry.values._tensors import EPS, UNDERFLOW, affine_constants, error_growth, feeds_maximum
from plica.network import Affine, Fold, Network, once_per_network, walk

COPIES = 3  # of the columns of a layer that are made on the way to the next one
_MOST_GROWTH = 20.0  # of error bounds on the way through a network, in bits


@dataclass(eq=False)
class Reduced:
    """Columns (variables, size) with a bound of the error of each in the 2-norm.

    ``live`` says which entries are not known to be exactly zero; ``origin`` which switching rectified neuron (counted from 1 on)
    an entry is, unchanged, 0 for none.
    """

    columns: Array
    error: Array
    live: Array
    origin: Array
    fine: Pairs | None = None  # the last rows with twice the digits, where that is wanted


class TooManyNeurons(Exception):
    """More neurons may switch in the tile than are wanted."""


def restricted(network: Network, tile: Tile, *, most: int | None = None, is_fine: bool | None = None) -> Program:
    """The network on a tile; raises TooManyNeurons where more than ``most`` neurons may switch.

    With ``is_fine`` the affine parts are carried in pairs of doubles: what deep networks need, whose error bounds multiply.
    """
    semantics = _Restrict(network, tile, most, needs_digits(network) if is_fine is None else is_fine)
    last = walk(network, semantics, {0: semantics.start()})[len(network.nodes) - 1]
    semantics.program.outputs, semantics.program.outputs_error = semantics.aligned(last)
    low, high, error = semantics.program.ranges(last.columns, last.error)
    semantics.program.output_low, semantics.program.output_high = low - error, high + error
    return semantics.program


@once_per_network
def needs_digits(network: Network) -> bool:
    """Whether the bounds of rounding errors grow too much on the way through the network for doubles.

    Maxima inside a network need good bounds: their comparisons make many vertices, whose digits would have to be found again.
    """
    return any(op.is_contest for op in network.folds[:-1]) or error_growth(network) > _MOST_GROWTH


@dataclass(eq=False)
class _Restrict:
    """A semantics whose values are Reduced."""

    network: Network
    tile: Tile
    most: int | None
    is_fine: bool
    program: Program = field(init=False)

    def __post_init__(self) -> None:
        self.program = Program.on(self.tile)
        self.feeds = feeds_maximum(self.network)

    def start(self) -> Reduced:
        """The tile's chart in its own coordinates."""
        p, chart = self.program, self.tile.chart
        (origin,), (error,) = chart.at(p.center[None])
        directions = chart.floats()[:-1] * p.scale[:, None]
        columns = np.concatenate([directions, origin[None]])
        errors = EPS * np.linalg.norm(columns, axis=1) + UNDERFLOW
        errors[-1] = error
        if chart.places is not None:
            errors[:-1] = 0.0
        live, origins = (columns != 0).any(axis=0), np.zeros(columns.shape[1], np.int64)
        if not self.is_fine:
            return Reduced(columns, errors, live, origins)
        return self._rounded(Reduced(columns, errors, live, origins, self._start()))

    def _start(self) -> Pairs:
        """The chart in the tile's own coordinates: (scale d) u + (scale d') v + (o + c d + c' d')."""
        p, chart = self.program, self.tile.chart
        points = chart.points
        directions, lost = two_sum(points[:-1], -points[-1:]) if chart.is_through else (points[:-1], np.zeros_like(points[:-1]))
        high, low, size = points[-1], np.zeros(points.shape[1]), np.zeros(points.shape[1])
        for direction, rest, center in zip(directions, lost, p.center.tolist(), strict=True):
            product, more = two_product(direction, np.full_like(direction, center))
            high, left = two_sum(high, product)
            for term in (left, more, center * rest):
                low = low + term
                size += np.abs(low) + np.abs(term)
        error = np.zeros(N_AFFINE)
        error[-1] = 4 * EPS * float(np.linalg.norm(size)) + UNDERFLOW
        scale = p.scale[:, None]
        highs, lows = np.concatenate([scale * directions, high[None]]), np.concatenate([scale * lost, low[None]])
        return Pairs(highs[None], lows[None], error[None])

    def _rounded(self, x: Reduced) -> Reduced:
        """Columns whose last rows are those of twice the digits, rounded once."""
        assert x.fine is not None
        x.columns[-N_AFFINE:] = x.fine.high[0] + x.fine.low[0]
        x.error[-N_AFFINE:] = x.fine.error[0] + EPS * np.linalg.norm(x.columns[-N_AFFINE:], axis=1)
        return x

    def aligned(self, x: Reduced) -> tuple[Array, Array]:
        """Columns and errors with rows for all variables so far."""
        missing = self.program.n_extra + N_AFFINE - len(x.columns)
        if not missing:
            return x.columns, x.error
        at = len(x.columns) - N_AFFINE
        zeros = np.zeros((missing, x.columns.shape[1]))
        columns = np.concatenate([x.columns[:at], zeros, x.columns[at:]])
        return columns, np.concatenate([x.error[:at], np.zeros(missing), x.error[at:]])

    def affine(self, index: int, op: Affine, xs: list[Reduced]) -> Reduced:
        node, c = self.network.nodes[index], affine_constants(self.network, index)
        parts = [self.aligned(x) if len(xs) > 1 else (x.columns, x.error) for x in xs]
        k = len(parts[0][0])
        tick(8 * COPIES * k * node.size)
        shapes = [self.network.nodes[i].shape for i in node.inputs]
        y, n_terms = self._products(op, [a.reshape(k, *shape) for (a, _), shape in zip(parts, shapes, strict=True)], node.shape)
        errors = np.sum([e for _, e in parts], axis=0)
        norms = np.sum([np.linalg.norm(a, axis=1) for a, _ in parts], axis=0)
        gamma = 0.0 if op.n_terms() == 0 else (max(n_terms, len(xs)) + 4) * EPS
        error = c.gain * errors + gamma * c.absolute_gain * norms * (1 + 1e-9)
        error = np.where(errors + norms > 0.0, error + UNDERFLOW, 0.0) if gamma or c.gain != 1.0 else error
        flags = [x.live.reshape(1, *shape).astype(np.float64) for x, shape in zip(xs, shapes, strict=True)]
        live = op.linear(flags, None if op.coefficients is None else (op.coefficients != 0).astype(np.float64)).reshape(-1) != 0
        if op.offset is not None:
            offset = np.broadcast_to(op.offset, node.shape).reshape(-1)
            y[-1] += offset
            error[-1] += EPS * (c.offset_norm + float(np.linalg.norm(y[-1]))) + UNDERFLOW
            live = live | (offset != 0)
        fine = pair_affine(self.network, index, [x.fine for x in xs if x.fine is not None]) if self.is_fine else None
        origin = np.zeros(node.size, np.int64)
        if op.moves_entries and any(x.origin.any() for x in xs):
            numbers = [x.origin.reshape(1, *shape).astype(np.float64) for x, shape in zip(xs, shapes, strict=True)]
            origin = op.linear(numbers, op.coefficients).reshape(-1).astype(np.int64)
        made = Reduced(y, error, live, origin, fine)
        return self._rounded(made) if self.is_fine else made

    def _products(self, op: Affine, arrays: list[Array], shape: tuple[int, ...]) -> tuple[Array, int]:
        """The linear part on all rows, without the last ones where they are known with twice the digits; terms of each sum."""
        k = len(arrays[0])
        n = k - N_AFFINE if self.is_fine else k
        y = np.zeros((k, int(np.prod(shape))))
        if not n:
            return y, op.n_terms()
        found, n_terms = linear_rows(op, [a[:n] for a in arrays], shape)
        y[:n] = found.reshape(n, -1)
        return y, n_terms

    def fold(self, index: int, op: Fold, x: Reduced, layer: int) -> Reduced:
        tick(8 * COPIES * (self.program.n_extra + N_AFFINE) * x.columns.shape[1])
        columns, error = self.aligned(x)
        x = Reduced(columns, error, x.live, x.origin, x.fine)
        return self._contest(index, op, x, layer) if op.is_contest else self._cut(index, op, x, layer)

    def _cut(self, index: int, op: Fold, x: Reduced, layer: int) -> Reduced:
        shape, size = self.network.nodes[index].shape, x.columns.shape[1]
        codes = op.codes(0, np.empty(0), size)
        forms = op.forms(codes, size)
        columns = forms.columns(x.columns)
        low, high, slack = self.program.ranges(columns, x.error)
        slack += EPS * float(np.abs(columns[-1]).max(initial=0.0)) if forms.rounds else 0.0
        live = x.live[forms.neuron]
        positive = np.where(live, low - slack > 0.0, columns[-1] > 0.0)
        open_ = np.flatnonzero(live & (low - slack <= 0.0) & (high + slack >= 0.0))
        neurons = np.unique(forms.neuron[open_])
        self._count(len(neurons))
        states = op.decided(0, np.empty(0), positive)
        pieces = op.pieces(states, shape)
        y, norms = pieces.columns(x.columns), np.linalg.norm(x.columns, axis=1)
        y = y.copy() if y is x.columns else y
        step = CutStep(layer, positive, codes[open_], columns[:, open_], neurons, x.columns[:, neurons], x.error)
        step.keeps_outputs = index in self.feeds
        step.set_pieces(op, shape)
        step.set_chords(*self._bounds_of(x, neurons))
        y[:, neurons] = step.slope * x.columns[:, neurons]
        live = x.live & (self._nonzero(pieces, size))
        live[neurons] = True
        origin = np.zeros(size, np.int64)
        if op.is_relu and step.keeps_outputs:
            origin[neurons] = self.program.n_extra + 1 + np.arange(len(neurons))
        error = op.lipschitz() * x.error
        error = np.where(norms > 0.0, error + 2 * EPS * op.lipschitz() * norms + UNDERFLOW, error)
        made = self._extended(step, y, error, neurons, live, origin)
        if x.fine is not None:
            factor, constant = (getattr(pieces, name, None) for name in ("factor", "constant"))
            factors = np.ones(size) if factor is None else np.broadcast_to(factor, (size,)).astype(np.float64)
            factors[neurons] = step.slope
            constants = np.zeros(size) if constant is None else np.broadcast_to(constant, (size,)).astype(np.float64)
            constants[neurons] = 0.0
            made.fine = scaled(x.fine, factors, constants)
            return self._rounded(made)
        return made

    @staticmethod
    def _nonzero(pieces: object, size: int) -> Array:
        """Which pieces are not the function zero on every input."""
        factor, constant = getattr(pieces, "factor", None), getattr(pieces, "constant", None)
        out = np.ones(size, np.bool_) if factor is None else np.broadcast_to(factor != 0, (size,)).copy()
        return out if constant is None else out | (np.broadcast_to(constant, (size,)) != 0)

    def _bounds_of(self, x: Reduced, entries: Array) -> tuple[Array, Array]:
        low, high, slack = self.program.ranges(x.columns[:, entries], x.error)
        return low - slack, high + slack

    def _count(self, n_new: int) -> None:
        if self.most is not None and self.program.n_extra + n_new > self.most:
            raise TooManyNeurons

    def _extended(self, step: Step, y: Array, error: Array, neurons: Array, live: Array, origin: Array) -> Reduced:
        """Columns with a new variable for each of the neurons."""
        n, m = self.program.n_extra, len(neurons)
        tick(8 * (len(y) + m) * y.shape[1])
        columns = np.zeros((len(y) + m, y.shape[1]))
        columns[:n], columns[n + m :] = y[:n], y[n:]
        columns[n + np.arange(m), neurons] = 1.0
        self.program.append(step)
        return Reduced(columns, np.concatenate([error[:n], np.zeros(m), error[n:]]), live, origin)

    def _contest(self, index: int, op: Fold, x: Reduced, layer: int) -> Reduced:
        entries = np.asarray(op.entries)  # type: ignore[attr-defined]
        allowed = ~np.asarray(op.cannot_win)  # type: ignore[attr-defined]
        can_win = possible_winners(self.program, Members(x.columns, x.error, x.live, x.origin), entries, allowed)
        groups = np.flatnonzero(can_win.sum(axis=1) > 1)
        self._count(len(groups))
        winner = can_win.argmax(axis=1)
        members = np.unique(entries[groups])
        step = ContestStep(
            layer, winner.astype(op.state_type), groups, entries[groups], can_win[groups], members, x.columns[:, members],
            x.error, x.origin[members], x.live[members],
        )  # fmt: skip
        step.low, step.high = np.zeros(len(groups)), leads(self.program, step.columns, x.error, step.place, step.can_win)
        y = x.columns[:, entries[np.arange(len(entries)), winner]]
        live = np.asarray((can_win & x.live[entries]).any(axis=1))
        made = self._extended(step, y, op.lipschitz() * x.error, groups, live, np.zeros(len(entries), np.int64))
        if x.fine is not None:
            made.fine = taken(x.fine, entries[np.arange(len(entries)), winner], op.lipschitz())
            return self._rounded(made)
        return made
