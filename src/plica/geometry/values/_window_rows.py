"""Convolutions of a few rows of doubles, with their sums in registers.

BLAS wants the windows of rows next to each other, which takes longer than it multiplies two rows. Here rows are read where they
stand, position by position, six of them at a time (:mod:`._register_products`), and channels that are zero at all positions
that are read, as half of them are behind a layer of ReLUs, are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled
from plica._types import Array
from plica.geometry._bits import ONE, ZERO, lowest
from plica.geometry._kernel import phase
from plica.geometry.values._register_products import COLUMNS, LANES, VECTORS, add_products


def in_lanes(weights: Array) -> Array:
    """Weights (outputs, channels, taps) tap by tap, channel by channel: rows of outputs, with zeros up to whole vectors.

    Examples
    --------
    >>> in_lanes(np.arange(6.0).reshape(1, 3, 2))[:, 0].tolist()
    [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]
    """
    n_out, n_channels, n_taps = weights.shape
    out = np.zeros((n_taps * n_channels, -(-n_out // LANES) * LANES))
    out[:, :n_out] = weights.transpose(2, 1, 0).reshape(-1, n_out)
    return out


def room_for(n_rows: int, n_positions: int, n_lanes: int) -> Array:
    """Zeros for rows at positions, up to a multiple of how many are multiplied at a time."""
    return np.zeros((-(-n_rows * n_positions // COLUMNS) * COLUMNS, n_lanes))


@phase
def by_position(rows: Any, n_spots: Any, x: Any, bits: Any) -> None:
    """Rows (rows, channels * spots) as numbers (spots, rows, channels); which channels are not zero in all rows of a spot."""
    n_rows = len(rows)
    n_channels = rows.shape[1] // n_spots
    for r in range(n_rows):
        for c in range(n_channels):
            word, flag = c >> 6, ONE << np.uint64(c & 63)
            for q in range(n_spots):
                number = rows[r, c * n_spots + q]
                if number != 0.0:
                    x[(q * n_rows + r) * n_channels + c] = number
                    bits[q, word] |= flag


@compiled
def add_windows(rows: Any, spots: Any, weights: Any, y: Any, first: Any) -> None:
    """Add a convolution of rows to what there is :func:`room_for`, row i at position p in line p * rows + i, from a lane on.

    ``spots`` says what the taps of each position read, -1 for zeros; ``weights`` are :func:`in_lanes`.
    """
    n_rows, (n_positions, n_taps), n_lanes = len(rows), spots.shape, weights.shape[1]
    n_channels = len(weights) // n_taps
    n_spots, n_all = rows.shape[1] // n_channels, n_rows * n_positions
    x = np.zeros((n_spots + 1) * n_rows * n_channels)  # the last position is zero
    bits = np.zeros((n_spots + 1, (n_channels + 63) // 64), np.uint64)
    by_position(rows, n_spots, x, bits)
    starts, lines_of_y = np.empty(COLUMNS, np.uint64), np.empty(COLUMNS, np.uint64)
    channels, lines = np.empty(n_channels, np.uint64), np.empty(n_channels, np.uint64)
    some = np.empty(bits.shape[1], np.uint64)
    w, flat, n_vectors = weights.reshape(-1), y.reshape(-1), n_lanes // LANES
    n_blocks = (n_vectors + VECTORS - 1) // VECTORS
    for i in range(0, n_all, COLUMNS):
        for j in range(COLUMNS):
            lines_of_y[j] = (i + j) * y.shape[1] + first
        for t in range(n_taps):
            some[:] = ZERO
            for j in range(COLUMNS):
                q, r = n_spots, 0
                if i + j < n_all:
                    p = (i + j) // n_rows
                    if spots[p, t] >= 0:
                        q, r = spots[p, t], i + j - p * n_rows
                starts[j] = (q * n_rows + r) * n_channels
                some |= bits[q]
            n = 0
            for k in range(len(some)):
                left = some[k]
                while left != ZERO:
                    channel = 64 * k + lowest(left)
                    channels[n], lines[n] = channel, (t * n_channels + channel) * n_lanes
                    left &= left - ONE
                    n += 1
            for block in range(n_blocks if n > 0 else 0):
                a, b = n_vectors * block // n_blocks, n_vectors * (block + 1) // n_blocks
                k0 = LANES * a
                add_products(x, starts, 0, channels, lines, 0, n, w[k0:], flat, lines_of_y, k0, b - a)
