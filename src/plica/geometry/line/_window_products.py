"""A matrix at many positions times columns: position by position, tap by tap, six columns and up to 32 outputs at a time.

A column is read where it stands: nothing is gathered but weights, of outputs that are needed and channels that are live. Those of a
tap stay near the processor while all columns that reach it are multiplied (``_register_products.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.geometry._bits import ONE, ZERO, lowest
from plica.geometry._kernel import allocating_kernel, phase
from plica.geometry._lanes import squared_norm
from plica.geometry.line._register_products import COLUMNS, LANES, VECTORS, add_products
from plica.geometry.line._window_kernels import add_to_columns, places_of

_CHANNELS = 128  # at a time: their weights should stay near the processor


@phase
def list_live(given: Any, firsts: Any, channels: Any) -> None:
    """For each position the channels whose rows count, where it has columns; where they begin."""
    n_spots = len(given.bits)
    n = 0
    for q in range(n_spots):
        firsts[q] = n
        if given.offsets[q + 1] > given.offsets[q]:
            for k in range(len(given.live) // n_spots):
                channels[n] = k
                n += given.live[k * n_spots + q]
    firsts[n_spots] = n


@phase
def list_columns(given: Any, q: Any, places: Any, length: Any, starts: Any, rows: Any) -> Any:
    """Where the columns of position q begin, and their rows of this length, by their places; how many there are."""
    n_channels = len(given.live) // len(given.bits)
    begin, n = n_channels * given.offsets[q], 0
    for w in range(given.bits.shape[1]):
        left = given.bits[q, w]
        while left != ZERO:
            starts[n], rows[n] = begin, length * np.int64(places[64 * w + lowest(left)])
            begin += n_channels
            left &= left - ONE
            n += 1
    return n


@phase
def gather_weights(weights: Any, tap: Any, channels: Any, begin: Any, end: Any, outputs: Any, k0: Any, m: Any, w: Any) -> None:
    """Weights of channels of a tap for m outputs from k0 on, in rows of whole vectors; what is behind m is zero."""
    to, n_lanes = 0, (m + LANES - 1) // LANES * LANES
    for i in range(begin, end):
        row = tap + np.int64(channels[i])
        for k in range(m):
            w[to + k] = weights[row, outputs[k0 + k]]
        for k in range(m, n_lanes):
            w[to + k] = 0.0
        to += n_lanes


@phase
def add_extra(extra: Any, p: Any, places: Any, starts: Any, rows: Any, outputs: Any, m: Any, lanes: Any, y: Any) -> None:
    """Add to the m rows of lanes at a position what ``extra`` has there.

    ``starts`` and ``rows`` are room for where its columns begin, ``lanes`` for those of the outputs that it has.
    """
    n_spots = len(extra.bits)
    n = 0
    for k in range(m):
        lanes[n] = k
        n += extra.live[np.int64(outputs[k]) * n_spots + p]
        if n == m:
            break
    for r in range(list_columns(extra, p, places, 1, starts, rows)):
        for i in range(n):
            y[rows[r], lanes[i]] += extra.x[starts[r] + outputs[lanes[i]]]
    if len(extra.own) > 0:
        for o in range(extra.own_offsets[p], extra.own_offsets[p + 1]):
            for k in range(m):
                if np.int64(outputs[k]) == extra.own[o] // n_spots:
                    y[places[extra.own_columns[o]], k] += 1.0


@phase
def finish_columns(y: Any, m: Any, outputs: Any, room: Any, first: Any, n_out: Any, x: Any, sums: Any, squares: Any) -> None:
    """Store rows of lanes as columns, from ``first`` on; squares of columns, sums of absolute values of outputs times sizes."""
    for k in range(m):
        sums[k] = 0.0
    for r in range(len(y)):
        for k in range(m):
            sums[k] += abs(y[r, k]) * room[r]
        for k in range(m):
            x[first + outputs[k]] = y[r, k]
        squares[r] = squared_norm(y, r)
        first += n_out


@allocating_kernel
def window_products(
    window: Any, given: Any, extra: Any, needed: Any, sizes: Any, start: Any, stop: Any, out: Any, sums: Any
) -> Any:
    """The needed outputs at the positions from ``start`` to before ``stop``, and what ``extra`` adds to them, if it has rows.

    Fills the sums of the absolute values of outputs times these sizes; returns the largest number of terms of a sum, and the
    squares of the columns, added up.
    """
    weights, spots = window.weights, window.spots
    n_out, (n_positions, n_taps) = weights.shape[1], spots.shape
    n_spots, n_columns = len(given.bits), 64 * out.bits.shape[1]
    n_channels, n_lanes = len(given.live) // n_spots, (n_out + LANES - 1) // LANES * LANES
    outputs, some = np.empty(n_out, np.uint64), np.empty(n_out, np.uint64)
    places = np.empty(n_columns, np.uint32)
    firsts, live = np.empty(n_spots + 1, np.int64), np.empty(len(given.live) + 1, np.uint64)
    list_live(given, firsts, live)
    starts, rows = np.empty(n_columns + COLUMNS, np.uint64), np.empty(n_columns + COLUMNS, np.uint64)
    w, y_room = np.empty(_CHANNELS * VECTORS * LANES), np.empty((n_columns + 1) * n_lanes)
    room, row_squares, squares, row_sums = np.empty(n_columns), np.empty(n_columns), np.zeros(n_columns), np.empty(n_out)
    nothing = len(given.x) - n_channels  # the column of zeros at the end
    most = 0
    for p in range(start, stop):
        s = out.offsets[p + 1] - out.offsets[p]
        if s == 0:
            continue
        m = 0
        for k in range(n_out):
            outputs[m] = k
            m += needed[k * n_positions + p]
            if m == n_out:
                break
        places_of(out.bits, p, places, sizes, room)
        n_vectors, n_terms = (m + LANES - 1) // LANES, 0
        m_all, n_blocks = LANES * n_vectors, (n_vectors + VECTORS - 1) // VECTORS
        y = y_room[: s * m_all].reshape(s, m_all)
        y_room[: s * m_all] = 0.0
        for t in range(n_taps):
            q = spots[p, t]
            if q < 0 or firsts[q + 1] == firsts[q]:
                continue
            n = list_columns(given, q, places, m_all, starts, rows)
            for r in range(n, n + COLUMNS):
                starts[r], rows[r] = nothing, s * m_all  # a row that nobody reads
            for begin in range(firsts[q], firsts[q + 1], _CHANNELS):
                end = min(begin + _CHANNELS, firsts[q + 1])
                for block in range(n_blocks):
                    first, last = n_vectors * block // n_blocks, n_vectors * (block + 1) // n_blocks
                    k0 = LANES * first
                    gather_weights(
                        weights, n_channels * t, live, begin, end, outputs, k0, min(m, LANES * last) - k0, w
                    )
                    for r in range(0, n, COLUMNS):
                        add_products(given.x, starts, r, live, begin, end, w, y_room, rows, k0, last - first)
            n_terms += firsts[q + 1] - firsts[q]
        most = max(most, n_terms)
        if len(given.own) > 0:
            for t in range(n_taps):
                q = spots[p, t]
                if q >= 0:
                    for o in range(given.own_offsets[q], given.own_offsets[q + 1]):
                        r, row = places[given.own_columns[o]], n_channels * t + given.own[o] // n_spots
                        for k in range(m):
                            y[r, k] += weights[row, outputs[k]]
        if len(extra.bits) > 0:
            add_extra(extra, p, places, starts, rows, outputs, m, some, y)
        finish_columns(y, m, outputs, room, np.uint64(n_out * out.offsets[p]), np.uint64(n_out), out.x, row_sums, row_squares)
        for k in range(m):
            entry = np.int64(outputs[k]) * n_positions + p
            sums[entry] = row_sums[k]
            out.live[entry] = True
        add_to_columns(row_squares, out.bits, p, squares)
    return most, squares
