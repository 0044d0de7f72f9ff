r"""Products in extended precision from products of doubles that do not round.

The method is that of Ozaki, Ogita, Oishi and Rump (Numerical Algorithms, 2012).
Numbers are cut into slices of few bits, counted from the largest number of a row or of the weights. A sum of n products of two
slices of b bits each is an integer below :math:`n 2^{2b}` times a power of two, exact in doubles if :math:`2b + \log_2 n \le 53`,
whatever the order of summation: fast matrix products may be used. The exact parts are added in extended precision.
"""

from __future__ import annotations

from math import ceil, log2

import numpy as np

from plica._types import Array
from plica.geometry.values._tensors import linear_part
from plica.network import Affine, Network, once_per_network

N_SLICES = 4


def slices(x: Array, bits: int) -> list[Array]:
    """Doubles that add up to the rows of x, up to 2**(-N_SLICES * bits) of the largest number of each row.

    Examples
    --------
    >>> x = np.array([[1.0, 1 / 3]])
    >>> parts = slices(x, 20)
    >>> bool(abs(sum(parts) - x).max() < 2.0**-53), parts[0] * 2**19
    (True, array([[524288., 174763.]]))
    """
    rest = np.array(x, dtype=np.longdouble)
    axes = tuple(range(1, rest.ndim))
    _, exponent = np.frexp(np.abs(rest).max(axis=axes, keepdims=True, initial=0.0))
    out = []
    for i in range(N_SLICES):
        scale = np.ldexp(np.longdouble(1.0), exponent - bits * (i + 1))
        part = np.rint(rest / scale) * scale
        out.append(part.astype(np.float64))
        rest -= part
    return out


@once_per_network
def _weights(network: Network, index: int) -> tuple[int, list[Affine]]:
    """How many bits slices have for an affine node, and the node with each slice of its weights."""
    op = network.nodes[index].op
    assert isinstance(op, Affine) and op.coefficients is not None
    bits = (52 - ceil(log2(max(2, op.n_terms())))) // 2
    return bits, [op.with_numbers(part[0], None) for part in slices(op.coefficients[None], bits)]


def sliced_linear(network: Network, index: int, xs: list[Array]) -> tuple[Array, float]:
    """The linear part of a node on rows in extended precision; what was cut off, in the 2-norm, of rows of norm one.

    The sums are rounded as any sums in extended precision are.
    """
    n, op, shape = len(xs[0]), network.nodes[index].op, network.nodes[index].shape
    assert isinstance(op, Affine)
    if op.coefficients is None or op.n_terms() < 2:
        return np.asarray(op.linear(xs, None if op.coefficients is None else op.coefficients.astype(np.longdouble))), 0.0
    bits, parts = _weights(network, index)
    rows = [slices(x, bits) for x in xs]
    y = np.zeros((n, *shape), np.longdouble)
    for i in reversed(range(N_SLICES)):  # the smallest first
        for j in reversed(range(N_SLICES - i)):
            y += linear_part(parts[i], [r[j] for r in rows], n, shape)
    largest = float(np.abs(op.coefficients).max())
    cut = 2 * N_SLICES * op.n_terms() * largest * 2.0 ** (-N_SLICES * bits) * float(np.sqrt(np.prod(shape)))
    return y, cut
