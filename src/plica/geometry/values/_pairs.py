r"""Affine operations on numbers of twice the digits, made of products of doubles.

Bounds of rounding errors grow with every layer, whatever the numbers do: twenty layers of gain three make :math:`10^{9}` of one
rounding. Numbers that are sums of two doubles lose so little that this does not matter. As in :mod:`._sliced` the weights
are cut, :math:`A = A_1 + A_2`, and so are the numbers, :math:`x = x_1 + x_2`, into parts of so few bits, about twenty, that
:math:`A_1 x_1` has no rounding error in any order of summation. The rest, :math:`A_2 x_1 + A x_2`, is a millionth of it,
and so is what doubles lose of it. Large convolutions of few rows are multiplied where they stand (:mod:`._window_rows`), others
by BLAS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.values import _pair_sums
from plica.geometry.values._composed import error_gain
from plica.geometry.values._tensors import EPS, NORM_UNDERFLOW, UNDERFLOW, affine_constants, linear_part
from plica.geometry.values._window_rows import add_windows, in_lanes, room_for
from plica.network import Affine, Conv, Network, once_per_network

_EXACT_BITS = 54  # of a sum of integers (the bits of a slice are counted with its sign)
LEAST_PRODUCTS = 250_000  # in a convolution that is worth a kernel of its own
FEW_ROWS = 16  # more of them are windows enough for BLAS


@dataclass(eq=False)
class Pairs:
    """Columns (cells, d + 1, size), each number the sum of two doubles, and a bound of the error of each column in the 2-norm."""

    high: Array
    low: Array
    error: Array


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum and what it lost, without error (Knuth).

    Examples
    --------
    >>> s, lost = two_sum(np.array([1.0]), np.array([2.0**-60]))
    >>> s.tolist(), lost.tolist() == [2.0**-60]
    ([1.0], True)
    """
    s = a + b
    c = s - a
    return s, (a - (s - c)) + (b - c)


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded product and what it lost, without error where nothing overflows or underflows (Dekker).

    Examples
    --------
    >>> from fractions import Fraction
    >>> p, lost = two_product(np.array([1 / 3]), np.array([0.1]))
    >>> Fraction(p[0]) + Fraction(lost[0]) == Fraction(1 / 3) * Fraction(0.1)
    True
    """
    p = a * b
    a1, a2 = _halves(a)
    b1, b2 = _halves(b)
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(a: Array) -> tuple[Array, Array]:
    c = 134217729.0 * a  # 2^27 + 1
    high = c - (c - a)
    return high, a - high


@once_per_network
def _cut_weights(network: Network, index: int) -> tuple[int, float, Sequence[Array | None]]:
    """How many bits the first part of the coefficients has, the gain of the second, and the parts: one, if nothing is left."""
    op = network.nodes[index].op
    assert isinstance(op, Affine)
    if op.coefficients is None:
        return 0, 0.0, [None]
    w = np.asarray(op.coefficients, np.float64)
    n_bits = (_EXACT_BITS - op.n_terms().bit_length()) // 2
    shift = np.ldexp(1.0, int(np.frexp(np.abs(w).max(initial=0.0))[1]) + (53 - n_bits))
    first = (w + shift) - shift
    rest = w - first
    if not rest.any():
        return n_bits, 0.0, [first]
    return n_bits, op.with_numbers(rest, op.offset).absolute_gain(), [first, rest]


def _with_each(network: Network, index: int, xs: list[Array], weights: Sequence[Array | None]) -> Array:
    """The linear part with each of these weights, side by side; a convolution unfolds its windows once for all of them."""
    node, n = network.nodes[index], len(xs[0])
    op = node.op
    assert isinstance(op, Affine)
    shape = node.shape
    if len(weights) > 1 and op.stacks(shape):
        weights, shape = [np.concatenate([w for w in weights if w is not None])], (len(weights) * shape[0], *shape[1:])
    products = [np.ascontiguousarray(linear_part(op, xs, n, shape, w)).reshape(n, -1) for w in weights]
    return products[0] if len(products) == 1 else np.concatenate(products, axis=1)


@once_per_network
def _windows(network: Network, index: int) -> tuple[Array, list[Array]] | None:
    """A large convolution without groups, for few rows: for each position what its taps read, and the weights: the parts beside
    each other, and all of them. None for other nodes."""
    node, op = network.nodes[index], network.nodes[index].op
    if not isinstance(op, Conv) or op.groups != 1 or node.size * op.n_terms() < LEAST_PRODUCTS:
        return None
    shape = network.nodes[node.inputs[0]].shape
    found = op.gathered(shape)
    assert found is not None
    _, _, parts = _cut_weights(network, index)
    lanes = [in_lanes(np.asarray(w).reshape(len(op.weight), shape[0], -1)) for w in (*parts, op.weight)]
    n_taps = len(lanes[0]) // shape[0]
    return np.ascontiguousarray(found[1][:, :n_taps]), [np.concatenate(lanes[:-1], axis=1), lanes[-1]]


def _norm(rows: Array) -> Array:
    flat = rows.reshape(len(rows), -1)
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", flat, flat)) * (1 + 1e-9) + NORM_UNDERFLOW)


def pair_affine(network: Network, index: int, xs: list[Pairs]) -> Pairs:
    """One affine node on columns; only the constant column, the last one, gets the offset."""
    node = network.nodes[index]
    op = node.op
    assert isinstance(op, Affine)
    m, d = xs[0].error.shape
    n = m * d
    tick(64 * n * node.size)
    shapes = [network.nodes[i].shape for i in node.inputs]
    error = error_gain(network, index) * np.sum([x.error for x in xs], axis=0).reshape(n)
    if op.n_terms() == 0:
        high, low = (
            np.asarray(op.linear([part.reshape(n, *shape) for part, shape in zip(parts, shapes, strict=True)], op.coefficients))
            for parts in ([x.high for x in xs], [x.low for x in xs])
        )
    else:
        parts = [[np.ascontiguousarray(part).reshape(n, -1) for part in (x.high, x.low)] for x in xs]
        high, low, local = _made(network, index, [h for h, _ in parts], [v for _, v in parts])
        error = error + local
    high, low = high.reshape(m, d, -1), low.reshape(m, d, -1)
    error = error.reshape(m, d)
    if op.offset is not None:
        high, low = (high.copy(), low.copy()) if op.n_terms() == 0 else (high, low)
        offset = np.ascontiguousarray(np.broadcast_to(op.offset, node.shape), np.float64).reshape(-1)
        squares = np.empty((m, 2))
        _pair_sums.add_offset(high, low, offset, squares)
        error[:, -1] += EPS * _roots(squares).sum(axis=1) + UNDERFLOW
    return Pairs(high, low, error * (1 + 1e-12))


def _made(network: Network, index: int, highs: list[Array], lows: list[Array]) -> tuple[Array, Array, Array]:
    """The linear part on rows of pairs, and a bound of what is lost."""
    node = network.nodes[index]
    op = node.op
    assert isinstance(op, Affine)
    factors = op.entrywise(node.shape)
    is_sum = op.coefficients is None and not op.moves_entries and all(len(h[0]) == node.size for h in highs)
    if factors is None and not (is_sum and len(highs) == 2):
        return _products(network, index, highs, lows)
    high, low, squares = np.empty_like(highs[0]), np.empty_like(highs[0]), np.empty((len(highs[0]), 2))
    if factors is not None:
        _pair_sums.scale_pairs(highs[0], lows[0], np.ascontiguousarray(factors, np.float64), high, low, squares)
    else:
        _pair_sums.add_pairs(highs[0], lows[0], highs[1], lows[1], high, low, squares)
    return high, low, 2 * EPS * _roots(squares).sum(axis=1) + UNDERFLOW


def _products(network: Network, index: int, highs: list[Array], lows: list[Array]) -> tuple[Array, Array, Array]:
    op, n, c = network.nodes[index].op, len(highs[0]), affine_constants(network, index)
    assert isinstance(op, Affine)
    terms = max(op.n_terms(), len(highs))
    weight_bits, rest_gain, _ = _cut_weights(network, index)
    joined, joined_low = (x[0] if len(x) == 1 else np.concatenate(x, axis=1) for x in (highs, lows))
    slices, squares = np.empty((2, *joined.shape)), np.empty((n, 2))
    _pair_sums.slice_rows(joined, joined_low, _EXACT_BITS - terms.bit_length() - weight_bits, slices, squares)
    first, rest = _roots(squares).T
    if n <= FEW_ROWS and _windows(network, index) is not None:
        high, low, roundings = _by_windows(network, index, slices)
    else:
        ends = np.cumsum([h.shape[1] for h in highs])[:-1]
        high, low, roundings = *_by_rows(network, index, [np.split(x, ends, axis=1) for x in slices]), terms
    # both products in doubles, one more rounding of their sum, and one of the low parts where slices took them in
    local = (roundings + 4) * EPS * (c.absolute_gain * rest + rest_gain * first)
    return high, low, local + UNDERFLOW


def _by_rows(network: Network, index: int, slices: list[list[Array]]) -> tuple[Array, Array]:
    """Large and small slices of the inputs, multiplied by BLAS."""
    node = network.nodes[index]
    op, n = node.op, len(slices[0][0])
    assert isinstance(op, Affine)
    shapes = [network.nodes[i].shape for i in node.inputs]
    large, small = (
        [np.ascontiguousarray(part).reshape(n, *shape) for part, shape in zip(x, shapes, strict=True)] for x in slices
    )
    products = _with_each(network, index, large, _cut_weights(network, index)[2])
    little = np.ascontiguousarray(linear_part(op, small, n, node.shape)).reshape(n, -1)
    high, low = np.empty((2, *little.shape))
    _pair_sums.sum_products(products, little, high, low)
    return high, low


def _by_windows(network: Network, index: int, slices: Array) -> tuple[Array, Array, float]:
    """The slices of few rows, multiplied where they stand; in units of EPS what a product loses on its way through sums."""
    found = _windows(network, index)
    assert found is not None
    spots, (parts, whole) = found
    (_, n, size), (n_positions, n_taps), n_lanes = slices.shape, spots.shape, whole.shape[1]
    tick(8 * n * (size + 2 * n_positions * n_lanes))
    sums = room_for(n, n_positions, 2 * n_lanes)
    add_windows(slices[0], spots, parts, sums, 0)
    add_windows(slices[1], spots, whole, sums, n_lanes)
    high, low = np.empty((2, n, network.nodes[index].size))
    _pair_sums.sum_windows(sums, n_positions, high, low)
    # half of one for each channel of a tap, and for each of the sums over channels that are added up, of both products
    return high, low, len(whole) // n_taps / 2 + n_taps


def _roots(squares: Array) -> Array:
    return np.asarray(np.sqrt(squares) * (1 + 1e-9) + NORM_UNDERFLOW)


def masked(x: Pairs, keep: Array) -> Pairs:
    """The entries that are kept, zero elsewhere; ``keep`` has a row for each cell."""
    return Pairs(x.high * keep[:, None], x.low * keep[:, None], x.error)


def scaled(x: Pairs, factor: Array, constant: Array) -> Pairs:
    """Entries times factors; the constant column, the last one, gets a constant too.

    Examples
    --------
    >>> one = Pairs(np.ones((1, 2, 3)), np.zeros((1, 2, 3)), np.zeros((1, 2)))
    >>> scaled(one, np.array([0.0, 1.0, 0.5]), np.array([0.0, 0.0, 2.0])).high[0].tolist()
    [[0.0, 1.0, 0.5], [0.0, 1.0, 2.5]]
    """
    largest = float(np.abs(factor).max(initial=0.0))
    if np.isin(factor, (0.0, 1.0, -1.0)).all():
        high, low, local = x.high * factor, x.low * factor, np.zeros_like(x.error)
    else:
        high, lost = two_product(x.high, np.broadcast_to(factor, x.high.shape))
        low = lost + x.low * factor
        local = 2 * EPS * (largest * _norms(x.low) + _norms(lost)) + UNDERFLOW
    if constant.any():
        high[:, -1], lost = two_sum(high[:, -1], constant)
        low[:, -1] += lost
        local[:, -1] += EPS * (_norm(low[:, -1]) + _norm(lost)) + UNDERFLOW
    high, low = two_sum(high, low)
    return Pairs(high, low, (largest * x.error + local) * (1 + 1e-12))


def taken(x: Pairs, entries: Array, gain: float) -> Pairs:
    """Chosen entries; ``gain`` bounds the 2-norm of the choice, which may take an entry several times."""
    return Pairs(x.high[..., entries], x.low[..., entries], gain * x.error)


def _norms(x: Array) -> Array:
    """Of the columns of all cells."""
    return _norm(x.reshape(-1, x.shape[-1])).reshape(x.shape[:-1])
