"""What is done to each number of an expansion, a sum of several doubles, before and after products (:mod:`._expansions`)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from plica.geometry._kernel import kernel, phase
from plica.geometry._lanes import squared_norm


@phase
def _settle(rows: Any, start: Any, stop: Any) -> None:
    """Sum rows from the last to the first without error: the first becomes the rounded sum, the others what that lost (Knuth)."""
    for q in range(stop - 2, start - 1, -1):
        for e in range(rows.shape[1]):
            a, b = rows[q, e], rows[q + 1, e]
            s = a + b
            t = s - a
            rows[q, e], rows[q + 1, e] = s, (a - (s - t)) + (b - t)


@phase
def _norm_of(rows: Any, start: Any, stop: Any) -> Any:
    """A bound of the norm of a sum of rows."""
    norm = 0.0
    for q in range(start, stop):
        norm += np.sqrt(squared_norm(rows, q))
    return norm


@kernel
def cut_columns(x: Any, parent: Any, states: Any, n_bits: Any, slices: Any, tails: Any, norms: Any, room: Any) -> None:
    """The active entries of the columns of each cell's parent, in slices, and what is left after each slice.

    ``x`` holds the parts of expansions one after the other, as (cells, parts * d, entries). The j-th slice keeps ``n_bits`` bits
    in units of the row's largest number and those before it; the j-th tail is what the slices before it leave, rounded to a
    double. ``norms``: for every tail its norm, then for every tail the norm of what its rounding lost.
    """
    n, n_parts, k = x.shape[2], room.shape[0], norms.shape[1] // 2
    d = x.shape[1] // n_parts
    for i in range(len(parent)):
        p = parent[i]
        for j in range(d):
            row, top = d * i + j, 0.0
            for q in range(n_parts):
                for e in range(n):
                    room[q, e] = x[p, q * d + j, e] if states[i, e] == 1 else 0.0
            for e in range(n):
                top = max(top, abs(room[0, e]))
            unit = math.frexp(top)[1] + 53 - n_bits
            for s in range(k):
                _settle(room, 0, n_parts)
                norms[row, s], norms[row, k + s] = _norm_of(room, 0, 1), _norm_of(room, 1, n_parts)
                shift = math.ldexp(1.5, unit - s * n_bits)  # adding it rounds either sign to multiples of a part of the largest
                for e in range(n):
                    value = room[0, e]
                    tails[row, s * n + e] = value
                    if s < k - 1:
                        part = (value + shift) - shift
                        slices[row, s * n + e] = part
                        room[0, e] = value - part


@kernel
def join_columns(products: Any, offset: Any, start: Any, d: Any, out: Any, lost: Any, room: Any) -> None:
    """The sums of the products as expansions, into the d columns of each cell from ``start`` on; the last one gets the offset.

    ``lost``: the norms of what the parts do not hold.
    """
    k, n, n_parts = len(products), products.shape[2], out.shape[1] // d
    for row in range(len(lost)):
        i, j = start + row // d, row % d
        first = 0 if j == d - 1 else 1
        for e in range(n):
            room[0, e] = offset[e]
        for s in range(k):
            for e in range(n):
                room[s + 1, e] = products[s, row, e]
        for q in range(n_parts):
            _settle(room, first + q, k + 1)
            for e in range(n):
                out[i, q * d + j, e] = room[first + q, e]
        lost[row] = _norm_of(room, first + n_parts, k + 1)
