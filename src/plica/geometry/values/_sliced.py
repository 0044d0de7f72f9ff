r"""Products in extended precision, made of products of doubles.

A processor multiplies matrices of doubles ten times as fast as matrices of long doubles. Cut the weights and the numbers into
slices, :math:`A = A_1 + A_2 + A_3` and :math:`x = x_1 + x_2 + x_3`, whose entries have so few bits that a sum of n products of
two of them fits into 53 bits: then :math:`A_1 x_1`, :math:`A_1 x_2` and :math:`A_2 x_1` have no rounding error at all, in any
order of summation, and what is left,

.. math:: A_1 x_3 + A_2 (x_2 + x_3) + A_3 x,

is so small that doubles have enough digits for it. The sum of the four, in long doubles, rounds three times, and two of these
roundings are of small numbers: so the error is one rounding of the result and hardly more, while a product of long doubles may
lose n roundings of the sum of all magnitudes.
(K. Ozaki, T. Ogita, S. Oishi, S. M. Rump, Error-free transformations of matrix multiplication, Numer. Algorithms 59, 2012.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.network import Affine, Network, once_per_network

MOST_TERMS = 2**16
_ROUNDING = 2.0**-63  # twice the unit round-off of long doubles
_BLOCK = 2**14  # numbers of one kind that are worked on at a time
_PART_FLOPS = 12_000_000  # products below this are not worth dividing


def bits_of_slices(n_terms: int) -> int:
    """How many bits two factors may have so that sums of n products of them are exact."""
    return (53 - max(1, n_terms).bit_length()) // 2


def sliced(numbers: Array, n_bits: int) -> Array:
    """Rows of doubles as a sum of three: two of at most so many bits (in units of the row's largest number), and the rest.

    Examples
    --------
    >>> a, b, c = sliced(np.array([[1.0, 1 / 3]]), 20)
    >>> bool((a + b + c == [[1.0, 1 / 3]]).all()), (a * 2.0**20).tolist(), bool((abs(c) < 2.0**-38).all())
    (True, [[1048576.0, 349524.0]], True)
    """
    slices = np.empty((3, *numbers.shape))
    first, second, rest = slices
    np.abs(numbers, out=first)
    top = first.reshape(len(numbers), -1).max(axis=1, initial=0.0).reshape(-1, *[1] * (numbers.ndim - 1))
    shift = np.ldexp(1.0, np.frexp(top)[1] + (53 - n_bits))  # adding it rounds to multiples of a part of the largest
    np.add(numbers, shift, out=first)
    first -= shift
    np.subtract(numbers, first, out=rest)
    shift = np.ldexp(shift, -n_bits)
    np.add(rest, shift, out=second)
    second -= shift
    rest -= second
    return slices


@dataclass(frozen=True, eq=False)
class SlicedOperation:
    """The linear part of an affine operation on long doubles."""

    op: Affine
    slices: Array
    n_bits: int

    @classmethod
    def of(cls, op: Affine) -> SlicedOperation | None:
        """None for operations that hardly multiply, or have too many terms."""
        if op.coefficients is None or not 2 < op.n_terms() <= MOST_TERMS:
            return None
        n_bits = bits_of_slices(op.n_terms())
        slices = sliced(op.coefficients.reshape(1, -1), n_bits)
        return cls(op, slices.reshape(3, *op.coefficients.shape), n_bits)

    def linear(self, x: Array, shape: tuple[int, ...]) -> Array:
        """A x for a batch of long doubles, a few rows at a time: what stays in the cache is not asked from the system again."""
        y = np.empty((len(x), *shape), np.longdouble)
        step = max(1, _BLOCK // max(x[:1].size, y[:1].size, 1))

        def work(start: int, stop: int) -> None:
            for a in range(start, stop, step):
                self._block(x[a : min(a + step, stop)], y[a : min(a + step, stop)])

        parallel_ranges(work, len(x), least=max(step, _PART_FLOPS // max(1, 12 * self.op.n_terms() * y[:1].size)))
        return y

    def _block(self, x: Array, out: Array) -> None:
        n = len(x)
        high = x.astype(np.float64)
        low = np.empty_like(high)
        np.subtract(x, high, out=low, casting="same_kind")
        slices = sliced(high, self.n_bits)
        _, x2, x3 = slices
        x3 += low
        p = self._product(slices.reshape(3 * n, *x.shape[1:]), 0)
        x2 += x3
        q = self._product(slices[:2].reshape(2 * n, *x.shape[1:]), 1)
        high += low
        small = p[2 * n :]
        small += q[n:]
        small += self._product(high, 2)
        out[...] = small
        for part in (p[n : 2 * n], q[:n], p[:n]):
            out += part

    def _product(self, x: Array, number: int) -> Array:
        return np.asarray(self.op.linear([x], self.slices[number]))

    def rounding(self, norms: Array, result_norms: Array, absolute_gain: float) -> Array:
        """A bound of the error of the products: of rows of these norms, with results of these norms.

        A slice has entries below 2^(1 - bits) of the largest ones; with K coefficients its matrix has a norm below K times that.
        """
        n, size, part = self.op.n_terms(), float(np.size(self.slices[0])), 2.0 ** (1 - self.n_bits)
        sums = 6 * size * part * _ROUNDING  # of the partial sums before the last one
        rest = (n + 3) * 2.0**-52 * (8 * size * part * part + 2.0**-50)
        bound: Array = 2 * _ROUNDING * result_norms + (sums + rest) * absolute_gain * norms
        return bound


@once_per_network
def sliced_operation(network: Network, index: int) -> SlicedOperation | None:
    """An affine node on long doubles, if that is worth slices."""
    op = network.nodes[index].op
    return SlicedOperation.of(op) if isinstance(op, Affine) and len(network.nodes[index].inputs) == 1 else None


def sliced_linear(network: Network, index: int, xs: list[Array]) -> Array:
    """The linear part of an affine node on rows of long doubles, at least as good as sums and products of long doubles."""
    node = network.nodes[index]
    assert isinstance(node.op, Affine)
    slices = sliced_operation(network, index)
    if slices is not None:
        return slices.linear(xs[0], node.shape)
    weights = node.op.coefficients
    return np.asarray(node.op.linear(xs, None if weights is None else weights.astype(np.longdouble)))
