"""A dense layer behind ReLUs on columns that are sums of two doubles: what is done to each number beside the products.

The weights are cut, :math:`A = A_1 + A_2`, and the numbers, :math:`x = x_1 + r` with their low parts in r, so that
:math:`A_1 x_1` has no rounding error; the rest, :math:`A_1 r + A_2 x`, is small, and so is what doubles lose of it.
"""

from __future__ import annotations

import math
from typing import Any

from plica.geometry._kernel import kernel


@kernel
def cut_columns(x: Any, parent: Any, states: Any, n_bits: Any, first: Any, rest: Any, squares: Any) -> None:
    """The active entries of the columns of each cell's parent, in two parts.

    ``x`` holds high parts, then low parts, as (cells, 2 d, entries). A row of ``first`` keeps ``n_bits`` bits in units of its
    largest number; ``rest`` gets what is left, and beside it the high parts. ``squares``: the squares of the norms of these two.
    """
    d, n = x.shape[1] // 2, x.shape[2]
    for i in range(len(parent)):
        p = parent[i]
        for j in range(d):
            row, top = d * i + j, 0.0
            for k in range(n):
                value = x[p, j, k] if states[i, k] == 1 else 0.0
                rest[row, n + k] = value
                top = max(top, abs(value))
            shift = math.ldexp(1.0, math.frexp(top)[1] + 53 - n_bits)  # adding it rounds to multiples of a part of the largest
            of_rest, of_all = 0.0, 0.0
            for k in range(n):
                value = rest[row, n + k]
                part = (value + shift) - shift
                left = (value - part) + (x[p, d + j, k] if states[i, k] == 1 else 0.0)
                first[row, k], rest[row, k] = part, left
                of_rest += left * left
                of_all += value * value
            squares[row, 0], squares[row, 1] = of_rest, of_all


@kernel
def join_columns(product: Any, small: Any, offset: Any, start: Any, out: Any) -> None:
    """The sums of two products as pairs, into the cells from ``start`` on; the constant column, the last one, gets the offset."""
    d, n = out.shape[1] // 2, out.shape[2]
    for row in range(len(product)):
        i, j = start + row // d, row % d
        is_constant = j == d - 1
        for k in range(n):
            a, b = product[row, k], small[row, k]
            if is_constant:
                c = a + offset[k]
                t = c - a
                b += (a - (c - t)) + (offset[k] - t)
                a = c
            s = a + b
            t = s - a
            out[i, j, k], out[i, d + j, k] = s, (a - (s - t)) + (b - t)
