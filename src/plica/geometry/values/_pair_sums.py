"""Passes over numbers that are sums of two doubles: each makes its result, and the squares of the norms that its bound needs.

Whole arrays of numpy take 2 to 20 times as long, the more the larger they are.
"""

from __future__ import annotations

from math import frexp, ldexp
from typing import Any

from plica.geometry._kernel import kernel

_SPLIT = 134217729.0  # 2^27 + 1


@kernel
def slice_rows(high: Any, low: Any, n_bits: Any, slices: Any, squares: Any) -> None:
    """Rows as sums of two: one of so many bits, in units of the row's largest number, and the rest with the low parts.

    Squares of the norms of both.
    """
    for r in range(len(high)):
        top = 0.0
        for i in range(high.shape[1]):
            top = max(top, abs(high[r, i]))
        shift = ldexp(1.0, frexp(top)[1] + (53 - n_bits))  # adding it rounds to multiples of a part of the largest
        firsts, rests = 0.0, 0.0
        for i in range(high.shape[1]):
            x = high[r, i]
            first = (x + shift) - shift
            rest = (x - first) + low[r, i]
            slices[0, r, i], slices[1, r, i] = first, rest
            firsts += first * first
            rests += rest * rest
        squares[r, 0], squares[r, 1] = firsts, rests


@kernel
def sum_products(products: Any, small: Any, high: Any, low: Any) -> None:
    """Products that do not round, beside them what the rest of the weights adds (or nothing), and small ones, as pairs."""
    n = small.shape[1]
    has_more = products.shape[1] > n
    for r in range(len(small)):
        for i in range(n):
            a, b = products[r, i], small[r, i]
            b += products[r, n + i] if has_more else 0.0
            s = a + b
            c = s - a
            high[r, i], low[r, i] = s, (a - (s - c)) + (b - c)


@kernel
def sum_windows(sums: Any, n_positions: Any, high: Any, low: Any) -> None:
    """The same from what stands position by position: products that do not round, and behind these, in each line, the others."""
    n_rows, n_lanes = len(high), sums.shape[1] // 2
    for r in range(n_rows):
        for k in range(high.shape[1] // n_positions):
            for p in range(n_positions):
                a, b = sums[p * n_rows + r, k], sums[p * n_rows + r, n_lanes + k]
                s = a + b
                c = s - a
                high[r, k * n_positions + p], low[r, k * n_positions + p] = s, (a - (s - c)) + (b - c)


@kernel
def add_offset(high: Any, low: Any, offset: Any, squares: Any) -> None:
    """Add numbers to the last column of each cell; squares of the norms of what the sums lost and of the low parts with that."""
    last = high.shape[1] - 1
    for r in range(len(high)):
        losses, lows = 0.0, 0.0
        for i in range(high.shape[2]):
            a, b = high[r, last, i], offset[i]
            s = a + b
            c = s - a
            lost = (a - (s - c)) + (b - c)
            small = low[r, last, i] + lost
            losses += lost * lost
            lows += small * small
            high[r, last, i] = s + small
            c = high[r, last, i] - s
            low[r, last, i] = (s - (high[r, last, i] - c)) + (small - c)
        squares[r, 0], squares[r, 1] = losses, lows


@kernel
def scale_pairs(high: Any, low: Any, factors: Any, out_high: Any, out_low: Any, squares: Any) -> None:
    """Every entry times its factor (Dekker); squares of the norms of what the products lost and of the scaled low parts."""
    for r in range(len(high)):
        losses, lows = 0.0, 0.0
        for i in range(high.shape[1]):
            x, f = high[r, i], factors[i]
            p = x * f
            t = _SPLIT * x
            x1 = t - (t - x)
            t = _SPLIT * f
            f1 = t - (t - f)
            x2, f2 = x - x1, f - f1
            lost = ((x1 * f1 - p) + x1 * f2 + x2 * f1) + x2 * f2
            small = low[r, i] * f
            losses += lost * lost
            lows += small * small
            b = lost + small
            out_high[r, i] = p + b
            c = out_high[r, i] - p
            out_low[r, i] = (p - (out_high[r, i] - c)) + (b - c)
        squares[r, 0], squares[r, 1] = losses, lows


@kernel
def add_pairs(high: Any, low: Any, other_high: Any, other_low: Any, out_high: Any, out_low: Any, squares: Any) -> None:
    """Sums of pairs; squares of the norms of what the sums lost and of the sums of the low parts."""
    for r in range(len(high)):
        losses, lows = 0.0, 0.0
        for i in range(high.shape[1]):
            a, b = high[r, i], other_high[r, i]
            s = a + b
            c = s - a
            lost = (a - (s - c)) + (b - c)
            small = low[r, i] + other_low[r, i]
            losses += lost * lost
            lows += small * small
            b = lost + small
            out_high[r, i] = s + b
            c = out_high[r, i] - s
            out_low[r, i] = (s - (out_high[r, i] - c)) + (b - c)
        squares[r, 0], squares[r, 1] = losses, lows
