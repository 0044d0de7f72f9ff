"""A matrix at many positions times columns: position by position, tap by tap, six columns and up to 32 outputs at a time.

A column is read where it stands: nothing is gathered but weights, of outputs that are needed and channels that are live. Those of
a tap stay near the processor while all columns that reach it are multiplied (``_register_products.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled
from plica.geometry._bits import ONE, ZERO, lowest
from plica.geometry._kernel import phase
from plica.geometry._lanes import squared_norm
from plica.geometry.line._window_kernels import add_to_columns, places_of
from plica.geometry.values._register_products import COLUMNS, LANES, VECTORS, add_products

_CHANNELS = 128  # at a time: their weights should stay near the processor


@phase
def list_live(given: Any, firsts: Any, channels: Any, ranks: Any) -> None:
    """For each position the channels that count, and where they stand, if it has columns; where they begin."""
    n_spots = len(given.bits)
    n = 0
    for q in range(n_spots):
        firsts[q] = n
        if given.offsets[q + 1] > given.offsets[q]:
            for k in range(len(given.live) // n_spots):
                channels[n], ranks[n] = k, given.ranks[k * n_spots + q]
                n += given.live[k * n_spots + q]
    firsts[n_spots] = n


@phase
def list_columns(given: Any, q: Any, places: Any, start: Any, length: Any, starts: Any, rows: Any, n: Any) -> Any:
    """Where the columns of position q begin, and by their places where rows of this length begin; as the n-th and following."""
    begin, width = given.starts[q], given.widths[q]
    for w in range(given.bits.shape[1]):
        left = given.bits[q, w]
        while left != ZERO:
            starts[n], rows[n] = begin, start + length * np.int64(places[64 * w + lowest(left)])
            begin += width
            left &= left - ONE
            n += 1
    return n


@phase
def gather_weights(
    weights: Any, tap: Any, channels: Any, begin: Any, end: Any, outputs: Any, k0: Any, m: Any, w: Any, lines: Any
) -> None:
    """Weights of channels of a tap for m outputs from k0 on, in rows of whole vectors; what is behind m is zero."""
    to, n_lanes = 0, (m + LANES - 1) // LANES * LANES
    for i in range(begin, end):
        row, lines[i] = tap + np.int64(channels[i]), to
        line, some, room = weights[row], outputs[k0 : k0 + m], w[to : to + n_lanes]  # so that no index is looked at twice
        for k in range(m):
            room[k] = line[some[k]]
        for k in range(m, n_lanes):
            room[k] = 0.0
        to += n_lanes


@phase
def add_extra(
    extra: Any, p: Any, places: Any, starts: Any, rows: Any, outputs: Any, m: Any, lanes: Any, ranks: Any, y: Any
) -> None:
    """Add to the m rows of lanes at a position what ``extra`` has there.

    ``starts`` and ``rows`` are room for where its columns begin, ``lanes`` and ``ranks`` for the places of what it has.
    """
    n_spots = len(extra.bits)
    n = 0
    for k in range(m):
        entry = np.int64(outputs[k]) * n_spots + p
        lanes[n], ranks[n] = k, extra.ranks[entry]
        n += extra.live[entry]
        if n == m:
            break
    for r in range(list_columns(extra, p, places, 0, 1, starts, rows, 0)):
        for i in range(n):
            y[rows[r], lanes[i]] += extra.x[starts[r] + ranks[i]]
    if len(extra.own) > 0:
        for o in range(extra.own_offsets[p], extra.own_offsets[p + 1]):
            for k in range(m):
                if np.int64(outputs[k]) == extra.own[o] // n_spots:
                    y[places[extra.own_columns[o]], k] += 1.0


@phase
def measure_columns(y: Any, m: Any, room: Any, sums: Any, squares: Any) -> None:
    """The squares of rows of lanes; of m outputs the sums of absolute values times sizes."""
    for k in range(m):
        sums[k] = 0.0
    for r in range(len(y)):
        for k in range(m):
            sums[k] += abs(y[r, k]) * room[r]
        squares[r] = squared_norm(y, r)


@compiled
def window_products(
    window: Any, given: Any, extra: Any, needed: Any, sizes: Any, start: Any, stop: Any, out: Any, sums: Any
) -> Any:
    """The needed outputs at the positions from ``start`` to before ``stop``, and what ``extra`` adds to them, if it has rows.

    Those are what ``out`` has room for. Fills the sums of the absolute values of outputs times these sizes; returns how many
    roundings a product and the sums that it is in go through, at most, and the squares of the columns, added up.
    """
    weights, spots = window.weights, window.spots
    n_out, (n_positions, n_taps) = weights.shape[1], spots.shape
    n_spots, n_columns = len(given.bits), 64 * out.bits.shape[1]
    n_channels = len(given.live) // n_spots
    outputs, some, ranks = np.empty(n_out, np.uint64), np.empty(n_out, np.uint64), np.empty(n_out, np.uint64)
    places = np.empty(n_columns, np.uint32)
    firsts, channels, live, lines = (
        np.empty(n_spots + 1, np.int64),
        np.empty(len(given.live) + 1, np.int64),
        np.empty(len(given.live) + 1, np.uint64),
        np.empty(len(given.live) + 1, np.uint64),
    )
    list_live(given, firsts, channels, live)
    starts, rows = np.empty(n_columns + COLUMNS, np.uint64), np.empty(n_columns + COLUMNS, np.uint64)
    w = np.empty(_CHANNELS * VECTORS * LANES)
    room, row_squares, squares, row_sums = np.empty(n_columns), np.empty(n_columns), np.zeros(n_columns), np.empty(n_out)
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
        n_vectors, n_parts, longest = out.widths[p] // LANES, 0, 0
        m_all, n_blocks = out.widths[p], (n_vectors + VECTORS - 1) // VECTORS
        y = out.x[out.starts[p] : out.starts[p] + s * m_all].reshape(s, m_all)
        y[:] = 0.0
        for t in range(n_taps):
            q = spots[p, t]
            if q < 0 or firsts[q + 1] == firsts[q]:
                continue
            # six at a time: those that are missing come first, and what is written for them is written over
            n = (given.offsets[q] - given.offsets[q + 1]) % COLUMNS
            for r in range(n):
                starts[r] = len(given.x) - given.widths[q]  # zeros
            n = list_columns(given, q, places, out.starts[p], m_all, starts, rows, n)
            for r in range((given.offsets[q] - given.offsets[q + 1]) % COLUMNS):
                rows[r] = rows[COLUMNS - 1]
            for begin in range(firsts[q], firsts[q + 1], _CHANNELS):
                end = min(begin + _CHANNELS, firsts[q + 1])
                n_parts, longest = n_parts + 1, max(longest, end - begin)
                for block in range(n_blocks):
                    first, last = n_vectors * block // n_blocks, n_vectors * (block + 1) // n_blocks
                    k0 = LANES * first
                    gather_weights(
                        weights, n_channels * t, channels, begin, end, outputs, k0, min(m, LANES * last) - k0, w, lines
                    )
                    for r in range(0, n, COLUMNS):
                        add_products(given.x, starts, r, live, lines, begin, end, w, out.x, rows, k0, last - first)
        most = max(most, n_parts + longest)
        if len(given.own) > 0:
            for t in range(n_taps):
                q = spots[p, t]
                if q >= 0:
                    for o in range(given.own_offsets[q], given.own_offsets[q + 1]):
                        r, row = places[given.own_columns[o]], n_channels * t + given.own[o] // n_spots
                        for k in range(m):
                            y[r, k] += weights[row, outputs[k]]
        if len(extra.bits) > 0:
            add_extra(extra, p, places, starts, rows, outputs, m, some, ranks, y)
        measure_columns(y, m, room, row_sums, row_squares)
        for k in range(m):
            entry = np.int64(outputs[k]) * n_positions + p
            sums[entry] = row_sums[k]
            out.live[entry] = True
        add_to_columns(row_squares, out.bits, p, squares)
    return most, squares
