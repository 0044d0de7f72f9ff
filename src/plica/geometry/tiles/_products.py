"""Products of the columns of a tile's variables with a convolution, multiplied only where something is.

A variable reaches the positions around its neuron and no others, and half of the entries that it could come from are switched
off on the whole tile. So position by position: the rows that reach the window, the entries that are not zero, one product.
Sums are made in short parts, which keeps the bound of their rounding errors small.
"""

from __future__ import annotations

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.values._tensors import linear_part
from plica.network import Affine, Conv

_LEAST_PRODUCTS = 1_000_000  # at a position: less is not worth being looked at on its own
_TERMS = 256  # that are added up at a time


def linear_rows(op: Affine, arrays: list[Array], shape: tuple[int, ...]) -> tuple[Array, int]:
    """The linear part of an operation on rows, and how many terms in a row are added up at most."""
    rows = len(arrays[0])
    if not isinstance(op, Conv) or op.groups > 1 or rows * op.n_terms() * shape[0] < _LEAST_PRODUCTS:
        return linear_part(op, arrays, rows, shape), op.n_terms()
    return _by_position(op, arrays[0], shape), min(op.n_terms(), _TERMS + -(-op.n_terms() // _TERMS))


def _by_position(op: Conv, x: Array, shape: tuple[int, ...]) -> Array:
    rows, n_channels, n_positions = len(x), shape[0], int(np.prod(shape[1:]))
    size = int(np.prod(x.shape[1:]))
    seen = op.windows(np.arange(1, size + 1).reshape(1, *x.shape[1:])).reshape(-1, n_positions)  # 0 is padding
    weights = np.ascontiguousarray(op.weight.reshape(n_channels, -1).T)
    entries = x.reshape(rows, size)
    is_live = np.concatenate([[False], (entries != 0.0).any(axis=0)])
    reaches = (x != 0.0).any(axis=1).reshape(rows, -1)
    place = np.concatenate([[0], np.broadcast_to(np.arange(reaches.shape[1]), (x.shape[1], reaches.shape[1])).reshape(-1)])
    tick(16 * rows * n_channels * n_positions)
    y = np.zeros((n_positions, rows, n_channels))

    def work(start: int, stop: int) -> None:
        for p in range(start, stop):
            terms = np.flatnonzero(is_live[seen[:, p]])
            if not len(terms):
                continue
            inside = seen[terms, p]
            some = np.flatnonzero(reaches[:, np.unique(place[inside])].any(axis=1))
            part = entries[np.ix_(some, inside - 1)]
            total = np.zeros((len(some), n_channels))
            for a in range(0, len(terms), _TERMS):
                total += part[:, a : a + _TERMS] @ weights[terms[a : a + _TERMS]]
            y[p, some] = total

    parallel_ranges(work, n_positions, least=1)
    return np.ascontiguousarray(y.transpose(1, 2, 0)).reshape(rows, *shape)
