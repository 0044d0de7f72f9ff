"""What the neurons that switch on a short part of a line do to everything after them.

On such a part most neurons keep their state. A tensor there is an affine function of the parameter, and a column for each
neuron that switches, times its output. Columns are kept by entries, (entries, columns), with a bit where a column may be
different from zero, and a bound of each column's error in the 2-norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._bits import n_words
from plica.geometry._budget import tick
from plica.geometry.line import _window_kernels
from plica.geometry.values._composed import error_gain
from plica.geometry.values._tensors import NORM_UNDERFLOW, UNDERFLOW, affine_constants, linear_part
from plica.network import Affine, Network, once_per_network

_UNIT = 2.0**-53 * (1 + 1e-9)  # of rounding, with the second order of sums of a million terms
_LEAST_WORK = 2_000_000  # products that are worth a thread


@dataclass(eq=False)
class Columns:
    """Columns (entries, columns), which of them reach an entry (bits), and bounds of their errors."""

    x: Array
    reached: Array
    error: Array

    @property
    def n_columns(self) -> int:
        return int(self.x.shape[1])

    @cached_property
    def norms(self) -> Array:
        """Bounds of the 2-norms of the columns."""
        squares = np.zeros(self.n_columns)
        _window_kernels.add_squares(self.x, self.reached, squares)
        return np.asarray(np.sqrt(squares) * (1 + 1e-9) + NORM_UNDERFLOW)

    def sums(self, sizes: Array) -> Array:
        """For each entry the sum of the absolute values of its columns times these sizes."""
        out = np.empty(len(self.x))
        _window_kernels.weighted_sums(self.x, self.reached, sizes[: self.n_columns], out)
        return out

    @classmethod
    def none(cls, size: int) -> Columns:
        return cls(np.zeros((size, 0)), np.zeros((size, 0), np.uint64), np.zeros(0))

    def widened(self, n: int) -> Columns:
        """With columns of zeros at the end, so that there are n."""
        return self if n == self.n_columns else self.copied(n)

    def copied(self, n: int) -> Columns:
        """In arrays of their own, with columns of zeros at the end, so that there are n."""
        return Columns(*self._taken(np.arange(len(self.x)), n), _padded(self.error, n))

    def taken(self, places: Array) -> Columns:
        """The entries at these places, zeros where a place is negative."""
        return Columns(*self._taken(places, self.n_columns), self.error)

    def _taken(self, places: Array, n: int) -> tuple[Array, Array]:
        tick(8 * len(places) * n)
        x, reached = np.zeros((len(places), n)), np.zeros((len(places), n_words(n)), np.uint64)
        _window_kernels.take_rows(self.x, self.reached, places, x, reached)
        return x, reached

    def after_contest(self, chosen: Array, switching: Array, gain: float) -> Columns:
        """Behind a layer of maxima: the chosen entries, and a column of its own for each group that switches."""
        first, n = self.n_columns, self.n_columns + len(switching)
        x, reached = self._taken(chosen, n)
        _mark(x, reached, switching, np.arange(first, n))
        return Columns(x, reached, np.concatenate([gain * self.error, np.zeros(n - first)]))

    def after_fold(self, active: Array, switching: Array) -> Columns:
        """Behind a layer of ReLUs: inactive entries are zero, and so are those that switch, but for a column of their own."""
        first, n = self.n_columns, self.n_columns + len(switching)
        x, reached = self._taken(np.where(active, np.arange(len(self.x)), -1), n)
        _mark(x, reached, switching, np.arange(first, n))
        return Columns(x, reached, np.concatenate([self.error, np.zeros(n - first)]))


def _mark(x: Array, reached: Array, entries: Array, columns: Array) -> None:
    """Ones for entries that have a column of their own."""
    x[entries, columns] = 1.0
    reached[entries, columns // 64] |= np.uint64(1) << (columns % 64).astype(np.uint64)


@once_per_network
def _gathered(network: Network, index: int) -> tuple[Array, Array] | None:
    node = network.nodes[index]
    op = node.op
    assert isinstance(op, Affine)
    return op.gathered(network.nodes[node.inputs[0]].shape) if len(node.inputs) == 1 else None


@once_per_network
def _places(network: Network, index: int) -> Array:
    """For each entry of the output of a node that only moves entries where it comes from, -1 for zeros."""
    node = network.nodes[index]
    source = network.nodes[node.inputs[0]]
    numbers = np.arange(1.0, source.size + 1).reshape(1, *source.shape)
    op: Any = node.op
    return np.asarray(op.linear([numbers], op.coefficients)).reshape(-1).astype(np.int64) - 1


def column_affine(
    network: Network, index: int, xs: list[Columns], needed: Array | None, is_last: list[bool] | None = None
) -> Columns:
    """The linear part of an affine node on columns; entries that are not ``needed`` may be left zero.

    ``is_last`` says which of the columns nobody reads after this: they may be written over.
    """
    node, c = network.nodes[index], affine_constants(network, index)
    op: Any = node.op
    n = max(x.n_columns for x in xs)
    if not n:
        return Columns.none(node.size)
    tick(8 * node.size * n)
    error = error_gain(network, index) * np.sum([_padded(x.error, n) for x in xs], axis=0)
    factors = op.entrywise(node.shape)
    if factors is not None or (len(xs) > 1 and not op.moves_entries):
        norms = np.sum([_padded(x.norms, n) for x in xs], axis=0)
        own = _own(xs, n, is_last or [False] * len(xs), factors)
        rounding = (max(op.n_terms(), len(xs)) + 3) * _UNIT * c.absolute_gain * norms + UNDERFLOW
        return Columns(own.x, own.reached, error + rounding)
    xs = [x.widened(n) for x in xs]
    if len(xs) == 1 and op.moves_entries and op.n_terms() == 0:
        moved = xs[0].taken(_places(network, index))
        return Columns(moved.x, moved.reached, error)
    norms = np.sum([x.norms for x in xs], axis=0)
    gathered = _gathered(network, index)
    if gathered is not None:
        y, reached, terms = _window_products(*gathered, xs[0], node.size, needed)
        return Columns(y, reached, error + (terms + 3) * _UNIT * c.absolute_gain * norms + UNDERFLOW)
    shapes = [network.nodes[i].shape for i in node.inputs]
    rows = linear_part(op, [np.ascontiguousarray(x.x.T).reshape(n, *s) for x, s in zip(xs, shapes, strict=True)], n, node.shape)
    y = np.ascontiguousarray(rows.reshape(n, -1).T)
    reached = np.full((node.size, n_words(n)), ~np.uint64(0))
    if n % 64:
        reached[:, -1] >>= np.uint64(64 - n % 64)
    terms = max(op.n_terms(), len(xs))
    return Columns(y, reached, error + (terms + 3) * _UNIT * c.absolute_gain * norms + UNDERFLOW)


def _padded(numbers: Array, n: int) -> Array:
    return np.concatenate([numbers, np.zeros(n - len(numbers))]) if len(numbers) < n else numbers


def _own(xs: list[Columns], n: int, is_last: list[bool], factors: Array | None) -> Columns:
    """The sum of columns, or columns times a factor for each entry; in the place of columns that nobody else reads."""
    free = [i for i, x in enumerate(xs) if is_last[i] and x.n_columns == n and sum(x is other for other in xs) == 1]
    into = free[0] if free else 0
    own = xs[into] if free else xs[0].copied(n)
    if factors is not None:
        _window_kernels.scale_rows(own.x, own.reached, np.ascontiguousarray(factors, np.float64))
    for i, x in enumerate(xs):
        if i != into:
            _window_kernels.add_rows(x.x, x.reached, own.x, own.reached)
    return own


def _window_products(weights: Array, reads: Array, x: Columns, size: int, needed: Array | None) -> tuple[Array, Array, int]:
    y, reached = np.zeros((size, x.n_columns)), np.zeros((size, x.reached.shape[1]), np.uint64)
    wanted = np.ones(size, np.bool_) if needed is None else needed

    def work(start: int, stop: int) -> int:
        return int(_window_kernels.window_products(weights, reads, x.x, x.reached, wanted, start, stop, y, reached))

    least = max(1, _LEAST_WORK // max(1, weights.size * x.n_columns))
    return y, reached, max(parallel_ranges(work, len(reads), least=least))
