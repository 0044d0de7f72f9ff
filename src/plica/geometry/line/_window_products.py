"""A matrix at many positions times columns: position by position, six columns and four channels at a time.

A column is read where it stands: nothing is gathered but weights, of outputs that are needed and channels that are live.
Products are added up four at a time; the compiler makes eight outputs at once of it, and reorders nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.geometry._bits import ONE, ZERO, lowest, popcount
from plica.geometry._kernel import allocating_kernel, phase
from plica.geometry._lanes import squared_norm
from plica.geometry.line._window_kernels import add_to_columns, places_of

_LANES = 64  # outputs at a time
_1, _2, _3, _4, _5 = (np.uint64(i * _LANES) for i in range(1, 6))
_TERMS = 768  # of a sum at a time, or all channels of a tap: their weights should stay near the processor
_EIGHT, _FOUR, _SIX = 8, 4, 6
_NONE = np.uint64(2**64 - 1)


@phase
def list_live(given: Any, firsts: Any, channels: Any) -> None:
    """For each position the channels whose rows count, the last one repeated until four divide their number; where they begin."""
    n_spots = len(given.bits)
    n = 0
    for q in range(n_spots):
        firsts[q] = n
        if given.offsets[q + 1] > given.offsets[q]:
            for k in range(len(given.live) // n_spots):
                channels[n] = k
                n += given.live[k * n_spots + q]
            while n % _FOUR != 0:
                channels[n] = channels[n - 1]
                n += 1
    firsts[n_spots] = n


@phase
def list_columns(given: Any, q: Any, places: Any, first: Any, starts: Any) -> None:
    """Where the columns of position q begin, each at its place behind ``first``."""
    n_channels = len(given.live) // len(given.bits)
    begin = n_channels * given.offsets[q]
    for w in range(given.bits.shape[1]):
        left = given.bits[q, w]
        while left != ZERO:
            starts[first + places[64 * w + lowest(left)]] = begin
            begin += n_channels
            left &= left - ONE


@phase
def gather_weights(
    weights: Any, tap: Any, channels: Any, begin: Any, end: Any, outputs: Any, k0: Any, m: Any, to: Any, w: Any
) -> Any:
    """Rows of lanes of weights for the live channels of a tap, zeros for those that are repeated; how many are not."""
    n, n_lanes = 0, (m + 7) // 8 * 8
    for i in range(begin, end):
        row = tap + np.int64(channels[i])
        if i == begin or channels[i] != channels[i - 1]:
            for k in range(m):
                w[to + k] = weights[row, outputs[k0 + k]]
            for k in range(m, n_lanes):
                w[to + k] = 0.0
            n += 1
        else:
            for k in range(n_lanes):
                w[to + k] = 0.0
        to += _LANES
    return n


@phase
def add_six(x: Any, starts: Any, first: Any, channels: Any, begin: Any, end: Any, w: Any, n: Any, m: Any, c: Any) -> None:
    """Add the channels of a tap in six columns, times rows of weights from n on, to six rows of m lanes."""
    b0, b1, b2 = starts[first], starts[first + 1], starts[first + 2]
    b3, b4, b5 = starts[first + 3], starts[first + 4], starts[first + 5]
    for i in range(begin, end, _FOUR):
        i0, i1, i2, i3 = channels[i], channels[i + 1], channels[i + 2], channels[i + 3]
        p0, p1, p2, p3 = x[b0 + i0], x[b0 + i1], x[b0 + i2], x[b0 + i3]
        q0, q1, q2, q3 = x[b1 + i0], x[b1 + i1], x[b1 + i2], x[b1 + i3]
        r0, r1, r2, r3 = x[b2 + i0], x[b2 + i1], x[b2 + i2], x[b2 + i3]
        s0, s1, s2, s3 = x[b3 + i0], x[b3 + i1], x[b3 + i2], x[b3 + i3]
        t0, t1, t2, t3 = x[b4 + i0], x[b4 + i1], x[b4 + i2], x[b4 + i3]
        u0, u1, u2, u3 = x[b5 + i0], x[b5 + i1], x[b5 + i2], x[b5 + i3]
        for k in range(m):
            y0, y1, y2, y3 = w[n + k], w[n + _1 + k], w[n + _2 + k], w[n + _3 + k]
            c[k] += (p0 * y0 + p1 * y1) + (p2 * y2 + p3 * y3)
            c[_1 + k] += (q0 * y0 + q1 * y1) + (q2 * y2 + q3 * y3)
            c[_2 + k] += (r0 * y0 + r1 * y1) + (r2 * y2 + r3 * y3)
            c[_3 + k] += (s0 * y0 + s1 * y1) + (s2 * y2 + s3 * y3)
            c[_4 + k] += (t0 * y0 + t1 * y1) + (t2 * y2 + t3 * y3)
            c[_5 + k] += (u0 * y0 + u1 * y1) + (u2 * y2 + u3 * y3)
        n += _4


@phase
def n_before(bits: Any, p: Any, n: Any) -> Any:
    """How many of the columns of a position are among the first n."""
    found = 0
    for w in range(bits.shape[1]):
        if 64 * w + 64 <= n:
            found += popcount(bits[p, w])
        elif 64 * w < n:
            found += popcount(bits[p, w] & ((ONE << np.uint64(n - 64 * w)) - ONE))
    return found


@phase
def add_extra(extra: Any, p: Any, places: Any, starts: Any, outputs: Any, m: Any, lanes: Any, y: Any) -> None:
    """Add to the m rows of lanes at a position what ``extra`` has there.

    ``starts`` is room for where its columns begin, ``lanes`` for those of the outputs that it has.
    """
    n_spots = len(extra.bits)
    n = 0
    for k in range(m):
        lanes[n] = k
        n += extra.live[np.int64(outputs[k]) * n_spots + p]
        if n == m:
            break
    for r in range(len(y)):
        starts[r] = _NONE
    list_columns(extra, p, places, 0, starts)
    for r in range(len(y)):
        if starts[r] != _NONE:
            for i in range(n):
                y[r, lanes[i]] += extra.x[starts[r] + outputs[lanes[i]]]
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
    window: Any, given: Any, extra: Any, n_old: Any, needed: Any, sizes: Any, start: Any, stop: Any, out: Any, sums: Any
) -> Any:
    """The needed outputs at the positions from ``start`` to before ``stop``, and what ``extra`` adds to them, if it has rows.

    From ``n_old`` on the columns of ``given`` are those of single entries. Fills the sums of the absolute values of outputs times
    these sizes; returns the largest number of terms of a sum, and the squares of the columns, added up.
    """
    weights, spots = window.weights, window.spots
    n_out, (n_positions, n_taps) = weights.shape[1], spots.shape
    n_spots, n_columns = len(given.bits), 64 * out.bits.shape[1]
    n_channels, width = len(given.live) // n_spots, n_columns + _SIX
    outputs, some, lanes = np.empty(n_out, np.uint64), np.empty(n_out, np.uint64), (n_out + 7) // 8 * 8
    places = np.empty(n_columns, np.uint32)
    firsts, live = np.empty(n_spots + 1, np.int64), np.empty(len(given.live) + 4 * n_spots, np.uint64)
    list_live(given, firsts, live)
    most_live = 0
    for q in range(n_spots):
        most_live = max(most_live, firsts[q + 1] - firsts[q])
    starts, taps = np.empty(max(n_taps, 1) * width, np.uint64), np.empty(n_taps, np.int64)
    w_room = np.empty(_LANES * min(n_taps * most_live, max(_TERMS, most_live)))
    c, y_room = np.empty(_SIX * _LANES), np.empty(n_columns * lanes)
    room, row_squares, squares, row_sums = np.empty(n_columns), np.empty(n_columns), np.zeros(n_columns), np.empty(n_out)
    nothing = np.uint64(len(given.x) - n_channels)  # the column of zeros at the end
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
        s_old, m_all, n_taken, n = n_before(out.bits, p, n_old), (m + 7) // 8 * 8, 0, 0
        y = y_room[: s * m_all].reshape(s, m_all)
        for t in range(n_taps):
            q = spots[p, t]
            if q >= 0 and firsts[q + 1] > firsts[q] and s_old > 0:
                for r in range(s_old + _SIX):
                    starts[n_taken * width + r] = nothing
                list_columns(given, q, places, n_taken * width, starts)
                taps[n_taken] = t
                n_taken += 1
        for r in range(s_old if n_taken > 0 else 0, s):
            y[r] = 0.0
        for k0 in range(0, m, _LANES):
            m_here, before, n = min(_LANES, m - k0), 0, 0
            while before < n_taken:
                after, n_rows = before, 0
                while after < n_taken:
                    q = spots[p, taps[after]]
                    begin, end = firsts[q], firsts[q + 1]
                    if n_rows > 0 and n_rows + end - begin > _TERMS:
                        break
                    n += gather_weights(
                        weights, n_channels * taps[after], live, begin, end, outputs, k0, m_here, n_rows * _LANES, w_room
                    )
                    n_rows += end - begin
                    after += 1
                m_lanes = np.uint64((m_here + 7) // 8 * 8)
                for r in range(0, s_old, _SIX):
                    here = min(_SIX, s_old - r)
                    for i in range(_SIX):
                        to, at = np.uint64(i * _LANES), np.uint64((r + i) * m_all + k0)
                        if before > 0 and i < here:
                            for k in range(m_lanes):
                                c[to + k] = y_room[at + k]
                        else:
                            for k in range(m_lanes):
                                c[to + k] = 0.0
                    row = np.uint64(0)
                    for a in range(before, after):
                        q = spots[p, taps[a]]
                        first = a * width + r
                        is_there = False
                        for i in range(_SIX):
                            is_there = is_there or starts[first + i] != nothing
                        if is_there:
                            add_six(given.x, starts, first, live, firsts[q], firsts[q + 1], w_room, row, m_lanes, c)
                        row += np.uint64((firsts[q + 1] - firsts[q]) * _LANES)
                    for i in range(here):
                        at, to = np.uint64(i * _LANES), np.uint64((r + i) * m_all + k0)
                        for k in range(m_lanes):
                            y_room[to + k] = c[at + k]
                before = after
        most = max(most, n)
        if len(given.own) > 0:
            for t in range(n_taps):
                q = spots[p, t]
                if q >= 0:
                    for o in range(given.own_offsets[q], given.own_offsets[q + 1]):
                        r, row = places[given.own_columns[o]], n_channels * t + given.own[o] // n_spots
                        for k in range(m):
                            y[r, k] += weights[row, outputs[k]]
        if len(extra.bits) > 0:
            add_extra(extra, p, places, starts, outputs, m, some, y)
        finish_columns(y, m, outputs, room, np.uint64(n_out * out.offsets[p]), np.uint64(n_out), out.x, row_sums, row_squares)
        for k in range(m):
            entry = np.int64(outputs[k]) * n_positions + p
            sums[entry] = row_sums[k]
            out.live[entry] = True
        add_to_columns(row_squares, out.bits, p, squares)
    return most, squares
