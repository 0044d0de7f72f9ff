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
from plica.geometry.line import _window_kernels, _window_products
from plica.geometry.line._window_kernels import Blocks, Window, with_all_channels
from plica.geometry.values._composed import composed, error_gain, followers, readers
from plica.geometry.values._register_products import LANES
from plica.geometry.values._tensors import NORM_UNDERFLOW, UNDERFLOW, affine_constants, linear_part
from plica.network import Add, Affine, Network, WindowSum, once_per_network

_UNIT = 2.0**-53 * (1 + 1e-9)  # of rounding, with the second order of sums of a million terms
_LEAST_WORK = 2_000_000  # products that are worth a thread


@dataclass(eq=False)
class Columns:
    """The columns of a tensor, position by position, and bounds of their errors in the 2-norm.

    Where known: bounds of their own 2-norms, and ``reach``, for each entry a bound of what all columns add to it on the part.
    """

    blocks: Blocks
    error: Array
    known_norms: Array | None = None
    reach: Array | None = None

    @property
    def n_columns(self) -> int:
        return len(self.error)

    @property
    def n_positions(self) -> int:
        return len(self.blocks.bits)

    @cached_property
    def merged(self) -> Blocks:
        """The same without entries beside the rows."""
        b = self.blocks
        if not len(b.own):
            return b
        shape, every = (len(b.live) // len(b.bits), len(b.bits)), np.arange(len(b.live))
        ones = b.own[np.argsort(b.own_columns)]
        rows = Columns(Blocks(*b[:7]), self.error)
        return _summed([(rows, every)], shape, self.n_columns, ones=ones, first=int(b.own_columns.min()))

    @cached_property
    def norms(self) -> Array:
        """Bounds of the 2-norms of the columns."""
        if self.known_norms is not None:
            return self.known_norms
        squares = np.zeros(64 * n_words(self.n_columns))
        _window_kernels.add_squares(self.merged, np.empty(len(squares), np.int64), squares)
        return _roots(squares[: self.n_columns])

    def sums(self, sizes: Array) -> Array:
        """For each entry the sum of the absolute values of its columns times these sizes."""
        out = np.empty(len(self.blocks.live))
        room = np.empty(self.n_columns, np.int64)
        _window_kernels.weighted_sums(self.merged, np.ascontiguousarray(sizes[: self.n_columns]), room, out)
        return out

    @classmethod
    def none(cls, shape: tuple[int, ...]) -> Columns:
        """Of a tensor of this shape that no neuron has reached."""
        size, n = prod(shape), prod(shape[1:])
        bits, offsets = np.zeros((n, 0), np.uint64), np.zeros(n + 1, np.int64)
        return cls(with_all_channels(np.zeros(shape[0]), bits, offsets, np.zeros(size, np.bool_)), np.zeros(0))

    @classmethod
    def full(cls, numbers: Array, shape: tuple[int, ...], error: Array) -> Columns:
        """All numbers, (columns, entries), of some columns."""
        n, n_positions = len(numbers), prod(shape[1:])
        bits = np.full((n_positions, n_words(n)), ALL)
        if n % 64:
            bits[:, -1] >>= np.uint64(64 - n % 64)
        x = np.append(
            numbers.reshape(n, prod(shape) // n_positions, n_positions).transpose(2, 0, 1),
            np.zeros(len(numbers.T) // n_positions),
        )
        return cls(with_all_channels(x, bits, n * np.arange(n_positions + 1), np.ones(prod(shape), np.bool_)), error)

    def widened(self, n: int) -> Columns:
        """With columns of zeros at the end, so that there are n."""
        if n == self.n_columns:
            return self
        norms = None if self.known_norms is None else _padded(self.known_norms, n)
        return Columns(self.blocks, _padded(self.error, n), norms, self.reach)

    def rows(self, entries: Array) -> Array:
        """All numbers of some entries, (entries, columns)."""
        out = np.zeros((len(entries), self.n_columns))
        _window_kernels.fill_rows(self.merged, entries, np.empty(self.n_columns, np.int64), out)
        return out

    def reaches(self, entries: Array) -> Array:
        """Whether any column may be different from zero at some entries."""
        b = self.merged
        return np.asarray(b.live[entries] & np.diff(b.offsets)[entries % self.n_positions].astype(np.bool_))

    def taken(self, places: Array, shape: tuple[int, ...], gain: float = 1.0) -> Columns:
        """The entries at these places, zeros where a place is negative; ``gain`` bounds the 2-norm of the choice."""
        return Columns(_summed([(self, places)], shape, self.n_columns), gain * self.error)

    def after_contest(self, chosen: Array, switching: Array, shape: tuple[int, ...], gain: float) -> Columns:
        """Behind a layer of maxima: the chosen entries, and a column of its own for each group that switches."""
        n = self.n_columns + len(switching)
        return Columns(_summed([(self, chosen)], shape, n, ones=switching), _padded(gain * self.error, n))

    def after_fold(self, active: Array, switching: Array, sizes: Array | None = None) -> Columns:
        """Behind a layer of ReLUs: inactive entries are zero, and so are those that switch, but for a column of their own.

        ``sizes`` bound what these are multiplied by.
        """
        n, b = self.n_columns + len(switching), self.merged
        places = switching % self.n_positions
        order = np.argsort(places, kind="stable")
        own_offsets = np.searchsorted(places[order], np.arange(self.n_positions + 1))
        norms = None if self.known_norms is None else np.append(self.known_norms, np.ones(len(switching)))
        reach = None
        if self.reach is not None and sizes is not None:
            reach = self.reach * active
            reach[switching] = sizes
        own = {"own_offsets": own_offsets, "own": switching[order], "own_columns": self.n_columns + order}
        blocks = b._replace(live=b.live & active, **own)
        return Columns(blocks, _padded(self.error, n), norms, reach)


def _summed(
    terms: list[tuple[Columns, Array]],
    shape: tuple[int, ...],
    n: int,
    factors: Array | None = None,
    ones: Array = np.empty(0, np.int64),  # noqa: B008  nobody writes into it
    first: int | None = None,
) -> Blocks:
    """A tensor of n columns whose entries are sums of entries of others, at these places, times a factor.

    The entries of ``ones`` have a column of their own, from ``first`` on (the last ones, if that is not given).
    """
    size, n_positions = prod(shape), prod(shape[1:])
    bits, live = np.zeros((n_positions, n_words(n)), np.uint64), np.zeros(size, np.bool_)
    for x, places in terms:
        _window_kernels.mark_rows(x.merged, places, bits, live)
    columns = (n - len(ones) if first is None else first) + np.arange(len(ones))
    np.bitwise_or.at(bits, (ones % n_positions, columns // 64), np.uint64(1) << (columns % 64).astype(np.uint64))
    live[ones] = True
    out = _room(bits, live, np.zeros)._replace(live=live)
    factors = np.ones(size) if factors is None else np.ascontiguousarray(factors, np.float64)
    taken, times = np.empty((size // n_positions, 2), np.uint64), np.empty(size // n_positions)
    for x, places in terms:
        _window_kernels.add_entries(x.merged, places, factors, np.empty(n, np.int64), taken, times, out)
    for i, j in zip(ones.tolist(), columns.tolist(), strict=True):
        p = i % n_positions
        end = int(out.offsets[p + 1])
        mine = columns[ones % n_positions == p]  # in order, behind all others of the position
        row = end - len(mine) + int(np.searchsorted(mine, j)) - int(out.offsets[p])
        out.x[out.starts[p] + out.widths[p] * row + out.ranks[i]] = 1.0
    return out


def _room(bits: Array, stored: Array, array: Callable[[int], Array], lanes: int = 1) -> Blocks:
    """Room for the columns of each position, of entries that are stored, none of which is live."""
    n_positions = len(bits)
    offsets, starts, widths = (
        np.empty(n_positions + 1, np.int64),
        np.empty(n_positions, np.int64),
        np.empty(n_positions, np.int64),
    )
    ranks = np.empty(len(stored), np.int32)
    end, longest = _window_kernels.lay_out(bits, stored, lanes, offsets, starts, widths, ranks)
    n = int(end) + int(longest)
    tick(8 * n)
    x = array(n)
    x[end:] = 0.0
    return Blocks(x, bits, offsets, np.zeros(len(stored), np.bool_), starts, widths, ranks)


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
    weights, seen = found  # channel by channel, each with all taps, which read the same positions of every channel
    weights = weights.reshape(len(weights), shape[0], -1)
    spots = np.ascontiguousarray(seen[:, : weights.shape[2]], np.int32)
    return Window(np.ascontiguousarray(weights.transpose(2, 1, 0)).reshape(-1, len(weights)), spots), op.absolute_gain()


def window_reach(network: Network, index: int, reach: Array) -> Array | None:
    """For each output of a matrix at many positions the 2-norm of bounds of the entries that it reads; None for other nodes."""
    found = _window(network, index) if column_source(network, index) == index else None
    if found is None:
        return None
    spots, n_out = found[0].spots, found[0].weights.shape[1]
    shape = network.nodes[network.nodes[index].inputs[0]].shape
    squares = (reach * reach).reshape(-1, prod(shape[1:])).sum(axis=0)
    return np.tile(np.sqrt(np.append(squares, 0.0)[spots].sum(axis=1)) + NORM_UNDERFLOW, n_out)


@once_per_network
def column_source(network: Network, index: int) -> int:
    """The node whose inputs the columns of a node are made from: itself, or that right before it, if it only multiplies that."""
    before = index - 1
    if followers(network).get(before) != index or composed(network, before) is None:
        return index
    op: Any = network.nodes[before].op
    return index if op.gathered(network.nodes[network.nodes[before].inputs[0]].shape) is None else before


@once_per_network
def absorbed(network: Network) -> dict[int, int]:
    """The nodes that have no columns of their own, because the only node that reads them makes them on the way; by that node."""
    out = {column_source(network, i): i for i in range(1, len(network.nodes)) if column_source(network, i) != i}
    folds = np.array([0, *network.layers])
    for i in range(1, len(network.nodes)):
        before = network.nodes[i].inputs[0]
        is_alone = readers(network)[before] == 1 and before > folds[folds < i].max()
        if is_alone and _moves(network, i) and _moves(network, before):
            out[before] = i
    for i, node in enumerate(network.nodes):
        if not isinstance(node.op, Add) or len(node.inputs) != 2:
            continue
        before = int(folds[folds < i].max())
        found = [j for j in node.inputs if j > before and readers(network)[j] == 1 and j not in out and _window(network, j)]
        if found:
            out[max(found)] = i
    return out


@once_per_network
def column_inputs(network: Network, index: int) -> tuple[int, ...]:
    """The nodes whose columns those of a node are made from; where it absorbs a product, what that reads, and what is added."""
    node = network.nodes[column_source(network, index)]
    while len(node.inputs) == 1 and _moves(network, index) and absorbed(network).get(node.inputs[0]) == index:
        index = node.inputs[0]
        node = network.nodes[index]
    products = [j for j in node.inputs if absorbed(network).get(j) == index]
    if not products:
        return node.inputs
    (other,) = (j for j in node.inputs if j != products[0])
    return network.nodes[column_source(network, products[0])].inputs[0], other


def _moves(network: Network, index: int) -> bool:
    """Whether a node only moves entries."""
    node = network.nodes[index]
    op: Any = node.op
    is_affine = isinstance(op, Affine) and len(node.inputs) == 1 and op.entrywise(node.shape) is None
    return is_affine and op.moves_entries and op.n_terms() == 0


@once_per_network
def _places(network: Network, index: int) -> tuple[Array, float]:
    """For each entry of the output of a node that only moves entries, and of those it absorbs, where it comes from, -1 for zeros;
    a bound of what is made of errors."""
    chain = [index]
    while absorbed(network).get(before := network.nodes[chain[-1]].inputs[0]) == chain[-1]:
        chain.append(before)
    source = network.nodes[network.nodes[chain[-1]].inputs[0]]
    numbers = np.arange(1.0, source.size + 1).reshape(1, *source.shape)
    for i in reversed(chain):
        op: Any = network.nodes[i].op
        numbers = op.linear([numbers], op.coefficients)
    return np.asarray(numbers).reshape(-1).astype(np.int64) - 1, float(np.prod([error_gain(network, i) for i in chain]))


@once_per_network
def _summands(network: Network, index: int) -> Array:
    """For each term of sums over windows, for each of these, the entry that it adds, or -1."""
    node = network.nodes[index]
    op: Any = node.op
    matrix = op.matrix(network.nodes[node.inputs[0]].shape).tocsr()
    out = np.full((op.n_terms(), node.size), -1)
    entry = np.repeat(np.arange(node.size), np.diff(matrix.indptr))
    out[np.arange(len(entry)) - matrix.indptr[entry], entry] = matrix.indices
    return out


def column_affine(network: Network, index: int, xs: list[Columns], needed: Array | None, sizes: Array | None = None) -> Columns:
    """The linear part of an affine node on columns; entries that are not ``needed`` may be left zero.

    ``xs`` are those of its :func:`column_inputs`; ``sizes`` bound what columns are multiplied by.
    """
    node, c = network.nodes[index], affine_constants(network, index)
    op: Any = node.op
    n = max(x.n_columns for x in xs)
    if not n:
        return Columns.none(node.shape)
    tick(8 * node.size * n)
    products = [j for j in node.inputs if absorbed(network).get(j) == index and isinstance(op, Add)]
    if products:
        return _product(network, products[0], xs[0], xs[1], needed, sizes)
    if _window(network, index) is not None:
        return _product(network, index, xs[0], None, needed, sizes)
    error = error_gain(network, index) * np.sum([_padded(x.error, n) for x in xs], axis=0)
    factors = op.entrywise(node.shape)
    if factors is not None or (len(xs) > 1 and not op.moves_entries):
        norms = np.sum([_padded(x.norms, n) for x in xs], axis=0)
        rounding = (max(op.n_terms(), len(xs)) + 3) * _UNIT * c.absolute_gain * norms + UNDERFLOW
        every = np.arange(node.size)
        return Columns(_summed([(x, every) for x in xs], node.shape, n, factors), error + rounding)
    if _moves(network, index):
        places, gain = _places(network, index)
        return xs[0].taken(places, node.shape, gain)
    norms = np.sum([_padded(x.norms, n) for x in xs], axis=0)
    if isinstance(op, WindowSum):
        rounding = (op.n_terms() + 3) * _UNIT * c.absolute_gain * norms + UNDERFLOW
        return Columns(_summed([(xs[0], some) for some in _summands(network, index)], node.shape, n), error + rounding)
    shapes = [network.nodes[i].shape for i in node.inputs]
    numbers = [np.pad(x.rows(np.arange(len(x.blocks.live))).T, ((0, n - x.n_columns), (0, 0))) for x in xs]
    y = linear_part(op, [x.reshape(n, *shape) for x, shape in zip(numbers, shapes, strict=True)], n, node.shape)
    terms = max(op.n_terms(), len(xs))
    return Columns.full(y, node.shape, error + (terms + 3) * _UNIT * c.absolute_gain * norms + UNDERFLOW)


def _product(
    network: Network, index: int, x: Columns, extra: Columns | None, needed: Array | None, sizes: Array | None
) -> Columns:
    """The columns behind one matrix at many positions, and with what is added to it."""
    found = _window(network, index)
    assert found is not None
    (window, absolute_gain), first = found, column_source(network, index)
    n = x.n_columns if extra is None else max(x.n_columns, extra.n_columns)
    out, sums, roundings, norms = _multiplied(window, x, extra, network.nodes[index].size, needed, sizes)
    # a weight times a factor is rounded once more than a weight
    gain = error_gain(network, index) * (error_gain(network, first) if first != index else 1.0)
    rounding = (roundings + 3 + (first != index) + (extra is not None)) * _UNIT * absolute_gain * x.norms
    error = _padded(gain * x.error + rounding, n) + UNDERFLOW
    if extra is not None:
        error = error + _padded(extra.error + 2 * _UNIT * extra.norms, n)
    return Columns(out, error, norms, None if sizes is None else sums)


def _multiplied(
    window: Window, x: Columns, extra: Columns | None, size: int, needed: Array | None, sizes: Array | None
) -> tuple[Blocks, Array, int, Array]:
    """A matrix at many positions times columns: the product, sums of its absolute values times sizes, how many roundings a term
    of a sum goes through, norms."""
    n_positions, given = len(window.spots), x.blocks
    n = x.n_columns if extra is None else max(x.n_columns, extra.n_columns)
    wanted = np.ones(size, np.bool_) if needed is None else needed
    room = np.zeros(64 * n_words(n))
    if sizes is not None:
        room[:n] = sizes[:n]
    other = _NOTHING if extra is None else extra.blocks
    bits = np.zeros((n_positions, n_words(n)), np.uint64)
    _window_kernels.window_columns(window, given, other, wanted, bits)
    out, sums = _room(bits, wanted, np.empty, LANES), np.zeros(size)

    def work(start: int, stop: int) -> tuple[int, Array]:
        most, squares = _window_products.window_products(window, given, other, wanted, room, start, stop, out, sums)
        return int(most), squares

    least = max(1, _LEAST_WORK // max(1, window.weights.size * n))
    roundings, squares = zip(*parallel_ranges(work, n_positions, least=least), strict=True)
    return out, sums, max(roundings), _roots(np.sum(squares, axis=0)[:n])


def product_with(rows: Array, x: Columns) -> tuple[Array, Array]:
    """Rows, (rows, entries), times columns: (columns, rows), and bounds of the errors of the columns in the 2-norm, without those
    of the rows."""
    n_positions, length = x.n_positions, float(np.linalg.norm(rows)) * (1 + 1e-9)
    weights = rows.reshape(len(rows), -1, n_positions).transpose(2, 1, 0).reshape(-1, len(rows))
    window = Window(np.ascontiguousarray(weights), np.arange(n_positions, dtype=np.int32)[None])
    out, _, roundings, _ = _multiplied(window, x, None, len(rows), None, None)
    error = length * (x.error + (roundings + 3) * _UNIT * x.norms) + UNDERFLOW
    return Columns(out, error).rows(np.arange(len(rows))).T, error


_NOTHING = with_all_channels(np.empty(0), np.empty((1, 0), np.uint64), np.zeros(2, np.int64), np.empty(0, np.bool_))._replace(
    bits=np.empty((0, 0), np.uint64)
)


def _roots(squares: Array) -> Array:
    return np.asarray(np.sqrt(squares) * (1 + 1e-9) + NORM_UNDERFLOW)


def _padded(numbers: Array, n: int) -> Array:
    return np.concatenate([numbers, np.zeros(n - len(numbers))]) if len(numbers) < n else numbers
