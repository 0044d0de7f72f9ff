"""What the neurons that switch on a short part of a line do to everything after them.

On such a part most neurons keep their state. A tensor there is an affine function of the parameter, and a column for each
neuron that switches, times its output. A convolution mixes all channels, so what reaches one entry reaches all at its
position: there the columns that do are kept, and nothing of others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._bits import ALL, n_words
from plica.geometry._budget import tick
from plica.geometry.line import _window_kernels
from plica.geometry.line._window_kernels import Blocks, Window
from plica.geometry.values._composed import composed, error_gain, followers
from plica.geometry.values._tensors import NORM_UNDERFLOW, UNDERFLOW, affine_constants, linear_part
from plica.network import Network, once_per_network

_UNIT = 2.0**-53 * (1 + 1e-9)  # of rounding, with the second order of sums of a million terms
_LEAST_WORK = 2_000_000  # products that are worth a thread


@dataclass(eq=False)
class Columns:
    """The columns of a tensor, position by position, and bounds of their errors in the 2-norm."""

    blocks: Blocks
    error: Array

    @property
    def n_columns(self) -> int:
        return len(self.error)

    @property
    def n_positions(self) -> int:
        return len(self.blocks.bits)

    @cached_property
    def norms(self) -> Array:
        """Bounds of the 2-norms of the columns."""
        squares = np.zeros(64 * n_words(self.n_columns))
        _window_kernels.add_squares(self.blocks, np.empty_like(squares), squares)
        return np.asarray(np.sqrt(squares[: self.n_columns]) * (1 + 1e-9) + NORM_UNDERFLOW)

    def sums(self, sizes: Array) -> Array:
        """For each entry the sum of the absolute values of its columns times these sizes."""
        out = np.empty(len(self.blocks.live))
        _window_kernels.weighted_sums(self.blocks, np.ascontiguousarray(sizes[: self.n_columns]), np.empty(self.n_columns), out)
        return out

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Columns:
        """Of a tensor of this shape that no neuron has reached."""
        size, n = prod(shape), prod(shape[1:])
        bits, offsets = np.zeros((n, 0), np.uint64), np.zeros(n + 1, np.int64)
        return cls(Blocks(np.empty(0), bits, offsets, np.zeros(size, np.bool_)), np.zeros(0))

    @classmethod
    def full(cls, numbers: Array, shape: tuple[int, ...], error: Array) -> Columns:
        """All numbers, (columns, entries), of some columns."""
        n, n_positions = len(numbers), prod(shape[1:])
        bits = np.full((n_positions, n_words(n)), ALL)
        if n % 64:
            bits[:, -1] >>= np.uint64(64 - n % 64)
        x = np.ascontiguousarray(numbers.reshape(n, -1, n_positions).transpose(2, 1, 0)).reshape(-1)
        return cls(Blocks(x, bits, n * np.arange(n_positions + 1), np.ones(prod(shape), np.bool_)), error)

    def widened(self, n: int) -> Columns:
        """With columns of zeros at the end, so that there are n."""
        return self if n == self.n_columns else Columns(self.blocks, _padded(self.error, n))

    def rows(self, entries: Array) -> Array:
        """All numbers of some entries, (entries, columns)."""
        out = np.zeros((len(entries), self.n_columns))
        _window_kernels.fill_rows(self.blocks, entries, out)
        return out

    def reaches(self, entries: Array) -> Array:
        """Whether any column may be different from zero at some entries."""
        return np.asarray(self.blocks.live[entries] & np.diff(self.blocks.offsets)[entries % self.n_positions].astype(np.bool_))

    def taken(self, places: Array, shape: tuple[int, ...], gain: float = 1.0) -> Columns:
        """The entries at these places, zeros where a place is negative; ``gain`` bounds the 2-norm of the choice."""
        return Columns(_summed([(self, places)], shape, self.n_columns), gain * self.error)

    def after_contest(self, chosen: Array, switching: Array, shape: tuple[int, ...], gain: float) -> Columns:
        """Behind a layer of maxima: the chosen entries, and a column of its own for each group that switches."""
        n = self.n_columns + len(switching)
        return Columns(_summed([(self, chosen)], shape, n, ones=switching), _padded(gain * self.error, n))

    def after_fold(self, active: Array, switching: Array) -> Columns:
        """Behind a layer of ReLUs: inactive entries are zero, and so are those that switch, but for a column of their own."""
        n, b = self.n_columns + len(switching), self.blocks
        live = b.live & active
        if not len(switching):
            return Columns(Blocks(b.x, b.bits, b.offsets, live), self.error)
        shape = (len(active) // self.n_positions, self.n_positions)
        kept = Columns(Blocks(b.x, b.bits, b.offsets, live), self.error)
        return Columns(_summed([(kept, np.arange(len(active)))], shape, n, ones=switching), _padded(self.error, n))


def _summed(
    terms: list[tuple[Columns, Array]],
    shape: tuple[int, ...],
    n: int,
    factors: Array | None = None,
    ones: Array = np.empty(0, np.int64),  # noqa: B008  nobody writes into it
) -> Blocks:
    """A tensor of n columns whose entries are sums of entries of others, at these places, times a factor.

    The entries of ``ones`` have a column of their own, which are the last ones.
    """
    size, n_positions = prod(shape), prod(shape[1:])
    bits, live = np.zeros((n_positions, n_words(n)), np.uint64), np.zeros(size, np.bool_)
    for x, places in terms:
        _window_kernels.mark_rows(x.blocks, places, bits, live)
    columns = np.arange(n - len(ones), n)
    np.bitwise_or.at(bits, (ones % n_positions, columns // 64), np.uint64(1) << (columns % 64).astype(np.uint64))
    live[ones] = True
    out = _room(bits, live, np.zeros)
    factors = np.ones(size) if factors is None else np.ascontiguousarray(factors, np.float64)
    for x, places in terms:
        _window_kernels.add_rows(x.blocks, places, factors, out)
    for i, j in zip(ones.tolist(), columns.tolist(), strict=True):
        p, k = i % n_positions, i // n_positions
        first, last = int(out.offsets[p]), int(out.offsets[p + 1])
        mine = columns[ones % n_positions == p]  # in order, behind all others of the position
        out.x[size // n_positions * first + (k + 1) * (last - first) - len(mine) + int(np.searchsorted(mine, j))] = 1.0
    return out


def _room(bits: Array, live: Array, array: Callable[[int], Array]) -> Blocks:
    """Rows for the columns of each position."""
    offsets = np.empty(len(bits) + 1, np.int64)
    _window_kernels.count_columns(bits, offsets)
    n = len(live) // len(bits) * int(offsets[-1])
    tick(8 * n)
    return Blocks(array(n), bits, offsets, live)


@once_per_network
def _window(network: Network, index: int) -> tuple[Window, float] | None:
    """A node, or a node and the factors behind it, as one matrix at many positions, with a bound of the norm of its absolute
    values; None for others."""
    first = column_source(network, index)
    node = network.nodes[first]
    op: Any = node.op
    if len(node.inputs) != 1:
        return None
    op, shape = op if first == index else composed(network, first), network.nodes[node.inputs[0]].shape
    found = op.gathered(shape)
    if found is None:
        return None
    channels, spots = np.divmod(found[1], prod(shape[1:]))
    window = Window(np.ascontiguousarray(found[0]), channels.astype(np.int32), np.where(found[1] < 0, -1, spots).astype(np.int32))
    return window, op.absolute_gain()


@once_per_network
def column_source(network: Network, index: int) -> int:
    """The node whose inputs the columns of a node are made from: itself, or that right before it, if it only multiplies that."""
    before = index - 1
    if followers(network).get(before) != index or composed(network, before) is None:
        return index
    op: Any = network.nodes[before].op
    return index if op.gathered(network.nodes[network.nodes[before].inputs[0]].shape) is None else before


@once_per_network
def _places(network: Network, index: int) -> Array:
    """For each entry of the output of a node that only moves entries where it comes from, -1 for zeros."""
    node = network.nodes[index]
    source = network.nodes[node.inputs[0]]
    numbers = np.arange(1.0, source.size + 1).reshape(1, *source.shape)
    op: Any = node.op
    return np.asarray(op.linear([numbers], op.coefficients)).reshape(-1).astype(np.int64) - 1


def column_affine(network: Network, index: int, xs: list[Columns], needed: Array | None) -> Columns:
    """The linear part of an affine node on columns; entries that are not ``needed`` may be left zero.

    ``xs`` are those of the inputs of its :func:`column_source`.
    """
    node, c, first = network.nodes[index], affine_constants(network, index), column_source(network, index)
    op: Any = node.op
    n = max(x.n_columns for x in xs)
    if not n:
        return Columns.none(node.shape)
    tick(8 * node.size * n)
    error = error_gain(network, index) * np.sum([_padded(x.error, n) for x in xs], axis=0)
    window = _window(network, index)
    if window is not None:
        # a weight times a factor is rounded once more than a weight: a term more in the bound of a sum of products
        gain = error_gain(network, first) if first != index else 1.0
        blocks, terms = _window_products(window[0], xs[0], node.size, needed)
        rounding = (terms + 3 + (first != index)) * _UNIT * window[1] * xs[0].norms
        return Columns(blocks, gain * error + rounding + UNDERFLOW)
    factors = op.entrywise(node.shape)
    if factors is not None or (len(xs) > 1 and not op.moves_entries):
        norms = np.sum([_padded(x.norms, n) for x in xs], axis=0)
        rounding = (max(op.n_terms(), len(xs)) + 3) * _UNIT * c.absolute_gain * norms + UNDERFLOW
        every = np.arange(node.size)
        return Columns(_summed([(x, every) for x in xs], node.shape, n, factors), error + rounding)
    if len(xs) == 1 and op.moves_entries and op.n_terms() == 0:
        return Columns(xs[0].taken(_places(network, index), node.shape).blocks, error)
    norms = np.sum([_padded(x.norms, n) for x in xs], axis=0)
    shapes = [network.nodes[i].shape for i in node.inputs]
    numbers = [np.pad(x.rows(np.arange(len(x.blocks.live))).T, ((0, n - x.n_columns), (0, 0))) for x in xs]
    y = linear_part(op, [x.reshape(n, *shape) for x, shape in zip(numbers, shapes, strict=True)], n, node.shape)
    terms = max(op.n_terms(), len(xs))
    return Columns.full(y, node.shape, error + (terms + 3) * _UNIT * c.absolute_gain * norms + UNDERFLOW)


def _padded(numbers: Array, n: int) -> Array:
    return np.concatenate([numbers, np.zeros(n - len(numbers))]) if len(numbers) < n else numbers


def _window_products(window: Window, x: Columns, size: int, needed: Array | None) -> tuple[Blocks, int]:
    """The columns behind one matrix at many positions, and the largest number of terms of a sum."""
    given, n_positions = x.blocks, len(window.spots)
    wanted = np.ones(size, np.bool_) if needed is None else needed
    bits = np.zeros((n_positions, given.bits.shape[1]), np.uint64)
    _window_kernels.window_columns(window, given, wanted, np.full(x.n_positions, -1, np.int64), 0, n_positions, bits)
    out = _room(bits, np.zeros(size, np.bool_), np.empty)

    def work(start: int, stop: int) -> int:
        return int(_window_kernels.window_products(window, given, wanted, start, stop, out))

    least = max(1, _LEAST_WORK // max(1, window.weights.size * x.n_columns))
    return out, max(parallel_ranges(work, n_positions, least=least))
