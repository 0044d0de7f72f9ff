r"""Dense layers behind ReLUs on numbers of as many digits as are asked for: sums of several doubles.

The weights are cut into slices, :math:`A = A_1 + A_2 + \dots`, and so are the numbers, :math:`x = x_1 + x_2 + \dots`, each
of so few bits, about twenty-four, that a sum of products of two slices has no rounding error. With k slices the products
:math:`A_i x_j` with :math:`i + j \le k` are added up without error, all of one size together; what is left,

.. math:: \sum_{i < k} A_i \, (x_{k-i+1} + x_{k-i+2} + \dots) + (A_k + \dots) \, x,

is so small that doubles have enough digits for it: 53 bits after :math:`24 (k - 1)`.
(K. Ozaki, T. Ogita, S. Oishi, S. M. Rump, Error-free transformations of matrix multiplication, Numer. Algorithms 59, 2012.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.exact import Dyadic
from plica.geometry.values import _expansion_kernels
from plica.geometry.values._tensors import EPS, NORM_UNDERFLOW, UNDERFLOW, affine_constants
from plica.network import Affine, Network, once_per_network

_BLOCK = 256  # cells whose columns are multiplied while they are in the cache


def bits_of_slices(n_slices: int, width: int) -> int:
    """How many bits a slice has, sign included, so that sums of products of so many slices of rows of this width are exact."""
    return (54 - (n_slices * width).bit_length()) // 2


def n_parts(n_slices: int, width: int) -> int:
    """How many doubles hold the digits that so many slices keep.

    Examples
    --------
    >>> [n_parts(k, 48) for k in (2, 3, 4, 5, 6)]
    [2, 2, 3, 3, 4]
    """
    return 1 - (-bits_of_slices(n_slices, width) * (n_slices - 1) // 53)


def expanded(numbers: Dyadic, parts: int) -> tuple[Array, Array]:
    """Integers over a power of two as sums of so many doubles, of shape (parts, ...), and a bound of what is left of each.

    Examples
    --------
    >>> parts, left = expanded(Dyadic(np.array([2**60 + 1], dtype=object), -60), 2)
    >>> parts[:, 0].tolist() == [1.0, 2.0**-60], left.tolist()
    (True, [0.0])
    """
    flat = [int(i) for i in numbers.integers.reshape(-1)]
    out = np.zeros((parts + 1, len(flat)))
    for k, left in enumerate(flat):
        for part in out:
            shift = max(0, abs(left).bit_length() - 53)  # rounded towards minus infinity
            part[k] = np.ldexp(float(left >> shift), shift + numbers.exponent)
            left -= (left >> shift) << shift
    return out[:-1].reshape(parts, *numbers.shape), 2 * np.abs(out[-1]).reshape(numbers.shape)


@dataclass(frozen=True, eq=False)
class _CutWeights:
    """The weights of a dense layer in slices: what each exact product and the last one is multiplied by, and bounds of norms."""

    exact: list[Array]  # for s = 1, 2, ...: the slices s, ..., 1 that meet the slices 1, ..., s of the numbers, side by side
    last: Array  # what meets the last tails, or all of them
    gains: Array  # of what meets each of these
    offset: Array


@once_per_network
def _cut_weights(network: Network, index: int, n_slices: int) -> _CutWeights:
    op = network.nodes[index].op
    assert isinstance(op, Affine) and op.dense is not None
    n_bits = bits_of_slices(n_slices, op.dense.shape[1])
    unit = int(np.frexp(np.abs(op.dense).max(initial=0.0))[1]) + 53 - n_bits
    left: Array = op.dense
    slices: list[Array] = []
    while len(slices) < n_slices - 1 and (left.any() or not slices):
        shift = np.ldexp(1.5, unit - n_bits * len(slices))  # 1.0 would give negative numbers units of half the size
        slices.append((left + shift) - shift)
        left = left - slices[-1]
    meeting = ([left] if left.any() else []) + slices[::-1]
    gains = np.array([np.linalg.norm(w) for w in meeting])
    gains[-1] = min(gains[-1], affine_constants(network, index).absolute_gain + np.linalg.norm(op.dense - slices[0]))
    return _CutWeights(
        exact=[np.concatenate(slices[:s][::-1], axis=1).T.copy() for s in range(1, n_slices)],
        last=np.concatenate(meeting, axis=1).T.copy(),
        gains=gains * (1 + 1e-9) + NORM_UNDERFLOW,
        offset=np.zeros(len(left)) if op.offset is None else np.broadcast_to(op.offset, len(left)).astype(np.float64),
    )


class HasRows(Protocol):
    """The states of cells in a layer."""

    def rows(self, cells: Array) -> Array: ...


def rectified_through_dense(
    network: Network, index: int, columns: tuple[Array, Array], parent: Array, states: HasRows, n_slices: int
) -> tuple[Array, Array]:
    """ReLUs and the dense layer ``index`` behind them: the columns of cells from those of their parents, and bounds of errors.

    Columns are (cells, parts * (d + 1), entries), the parts of a number one after the other.
    """
    x, error = columns
    cut, c = _cut_weights(network, index, n_slices), affine_constants(network, index)
    d, width, size, n = error.shape[1], x.shape[2], len(cut.offset), len(parent)
    parts, n_bits = x.shape[1] // d, bits_of_slices(n_slices, width)
    out, norms, lost = np.empty((n, parts * d, size)), np.empty((n * d, 2 * n_slices)), np.empty(n * d)

    def work(start: int, stop: int) -> None:
        most = min(_BLOCK, stop - start) * d
        slices, tails = (np.empty((most, k * width)) for k in (n_slices - 1, n_slices))
        products, room, more_room = np.empty((n_slices, most, size)), np.empty((parts, width)), np.empty((n_slices + 1, size))
        for a in range(start, stop, _BLOCK):
            b = min(a + _BLOCK, stop)
            m, rows = d * (b - a), slice(d * a, d * b)
            of_cells = states.rows(np.arange(a, b))
            _expansion_kernels.cut_columns(x, parent[a:b], of_cells, n_bits, slices, tails, norms[rows], room)
            for s, weights in enumerate(cut.exact):
                end = (s + 1) * width
                np.matmul(slices[:m, end - len(weights) : end], weights, out=products[s, :m])
            np.matmul(tails[:m, n_slices * width - len(cut.last) :], cut.last, out=products[-1, :m])
            _expansion_kernels.join_columns(products[:, :m], cut.offset, a, d, out, lost[rows], more_room)

    parallel_ranges(work, n, least=_BLOCK)
    norms = norms * (1 + 1e-9) + NORM_UNDERFLOW
    met = slice(n_slices - len(cut.gains), n_slices)
    of_tails, of_roundings = norms[:, :n_slices][:, met], norms[:, n_slices:][:, met]
    local = ((len(cut.last) + 8) * EPS * of_tails + of_roundings) @ cut.gains + (lost + NORM_UNDERFLOW)
    return out, (c.gain * error[parent] + local.reshape(n, d) * (1 + 1e-9) + UNDERFLOW) * (1 + 1e-12)
