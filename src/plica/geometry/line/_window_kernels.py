"""A matrix that is applied at many positions, to few columns: only what is not zero is kept, gathered and multiplied.

Entries are channels at positions, entry = channel * positions + position. Entries at one position are reached by the same columns
(bits); for each of them the position has a row of numbers, one for each of these columns, in order. Rows of entries that are not
live are zero, whatever stands there. Entries that switch are a one in a column of their own, which are the last columns; they
stand beside the rows, and only their places are kept, until somebody needs them among the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plica._parallel import load_kernel_blas
from plica._types import Array
from plica.geometry._bits import ONE, ZERO, lowest, popcount
from plica.geometry._kernel import allocating_kernel, kernel, phase

load_kernel_blas()

_SMALL = 1_000_000  # multiplications of a product up to which BLAS has a faster way


class Blocks(NamedTuple):
    """Rows of numbers position by position, the columns of each position, how many columns come before it, which rows count.

    Then the entries that are a one in a column of their own, in the order of their positions: how many come before each position
    (one zero, if there are none), which entries, which columns.
    """

    x: Array
    bits: Array
    offsets: Array
    live: Array
    own_offsets: Array = np.zeros(1, np.int64)
    own: Array = np.zeros(0, np.int64)
    own_columns: Array = np.zeros(0, np.int64)


class Window(NamedTuple):
    """A matrix (outputs, terms), for each position which channel and which position each term reads, -1 for none, and which
    positions it reads at all."""

    weights: Array
    channels: Array
    spots: Array
    near: Array


@kernel
def count_columns(bits: Any, offsets: Any) -> None:
    """How many columns come before each position."""
    offsets[0] = 0
    for p in range(len(bits)):
        n = 0
        for w in range(bits.shape[1]):
            n += popcount(bits[p, w])
        offsets[p + 1] = offsets[p] + n


@phase
def mark_columns(given: Any, q: Any, bits: Any, p: Any) -> None:
    """Add the columns of position q to those of position p."""
    for w in range(given.bits.shape[1]):
        bits[p, w] |= given.bits[q, w]
    if len(given.own) > 0:
        for o in range(given.own_offsets[q], given.own_offsets[q + 1]):
            column = np.uint64(given.own_columns[o])
            bits[p, column >> np.uint64(6)] |= ONE << (column & np.uint64(63))


@kernel
def window_columns(window: Any, given: Any, extra: Any, needed: Any, bits: Any) -> None:
    """Which columns reach the positions where an output is needed; ``extra``, if it has rows, is added to the outputs."""
    n_positions, n_out = len(window.spots), len(window.weights)
    for p in range(n_positions):
        is_needed = False
        for k in range(n_out):
            is_needed = is_needed or needed[k * n_positions + p]
        if not is_needed:
            continue
        for j in range(window.near.shape[1]):
            if window.near[p, j] >= 0:
                mark_columns(given, window.near[p, j], bits, p)
        if len(extra.bits) > 0:
            mark_columns(extra, p, bits, p)


@phase
def places_of(bits: Any, p: Any, places: Any, sizes: Any, room: Any) -> None:
    """Where the columns of a position are in its rows, and how large what they are multiplied by is."""
    n = 0
    for w in range(bits.shape[1]):
        left = bits[p, w]
        while left != ZERO:
            column = 64 * w + lowest(left)
            places[column] = n
            room[n] = sizes[column]
            left &= left - ONE
            n += 1


@phase
def list_places(bits: Any, q: Any, places: Any, maps: Any, slot: Any) -> None:
    """Where the columns of position q are in the rows that are being made."""
    r = 0
    for w in range(bits.shape[1]):
        left = bits[q, w]
        while left != ZERO:
            maps[slot, r] = places[64 * w + lowest(left)]
            left &= left - ONE
            r += 1


@phase
def add_row(given: Any, i: Any, p: Any, channel: Any, places: Any, maps: Any, slot: Any, x: Any, to: Any, s: Any) -> None:
    """Add entry i, of a channel at position p, to the row of s numbers from ``to`` on; places in it are in a slot of maps."""
    size = given.offsets[p + 1] - given.offsets[p]
    if given.live[i]:
        first = np.uint64(len(given.live) // len(given.bits) * given.offsets[p] + channel * size)
        if size == s:
            for q in range(s):
                x[to + np.uint64(q)] += given.x[first + np.uint64(q)]
        else:
            for q in range(size):
                x[to + np.uint64(maps[slot, q])] += given.x[first + np.uint64(q)]
    if len(given.own) > 0:
        for o in range(given.own_offsets[p], given.own_offsets[p + 1]):
            if given.own[o] == i:
                x[to + np.uint64(places[given.own_columns[o]])] += 1.0


@phase
def weighted_sum(x: Any, first: Any, n: Any, room: Any) -> Any:
    """The absolute values of n numbers from ``first`` on, times sizes, added up in four lanes: the order of a sum is written down."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for q in range(n // 4):
        r = np.uint64(4 * q)
        a += abs(x[first + r]) * room[r]
        b += abs(x[first + r + np.uint64(1)]) * room[r + np.uint64(1)]
        c += abs(x[first + r + np.uint64(2)]) * room[r + np.uint64(2)]
        d += abs(x[first + r + np.uint64(3)]) * room[r + np.uint64(3)]
    for q in range(n // 4 * 4, n):
        a += abs(x[first + np.uint64(q)]) * room[q]
    return (a + b) + (c + d)


@allocating_kernel
def window_products(
    window: Any, given: Any, extra: Any, n_old: Any, needed: Any, sizes: Any, start: Any, stop: Any, out: Any, sums: Any
) -> Any:
    """The needed outputs at the positions from ``start`` to before ``stop``, and what ``extra`` adds to them, if it has rows.

    From ``n_old`` on the columns of ``given`` are those of single entries. Fills the sums of the absolute values of rows times
    these sizes; returns the largest number of terms of a sum, and the squares of the columns, added up.
    """
    weights, channels, spots = window.weights, window.channels, window.spots
    n_out, n_terms = weights.shape
    n_positions, n_spots = len(spots), len(given.bits)
    n_channels, n_columns = len(given.live) // n_spots, 64 * out.bits.shape[1]
    begin, size, slots = np.empty(n_terms, np.uint64), np.empty(n_terms, np.int64), np.empty(n_terms, np.int64)
    taps, outputs = np.empty(n_terms, np.uint64), np.empty(n_out, np.uint64)
    own_taps, own_places = np.empty(n_terms, np.uint64), np.empty(n_terms, np.uint64)
    places, seen, slot = np.empty(n_columns, np.uint32), np.full(n_spots, -1, np.int64), np.empty(n_spots, np.int64)
    last = window.near.shape[1]  # the slot of what is added
    maps = np.empty((last + 1, n_columns), np.uint32)
    w_room, x_room, y_room = np.empty(n_terms * n_out), np.empty(n_terms * n_columns), np.empty(n_out * n_columns)
    room, row_squares, squares = np.empty(n_columns), np.empty(n_columns), np.zeros(n_columns)
    most = 0
    for p in range(start, stop):
        s = out.offsets[p + 1] - out.offsets[p]
        if s == 0:
            continue
        m = 0
        for k in range(n_out):
            if needed[k * n_positions + p]:
                outputs[m] = k
                m += 1
        places_of(out.bits, p, places, sizes, room)
        s_old = 0
        for w in range(out.bits.shape[1]):
            if 64 * w + 64 <= n_old:
                s_old += popcount(out.bits[p, w])
            elif 64 * w < n_old:
                s_old += popcount(out.bits[p, w] & ((ONE << np.uint64(n_old - 64 * w)) - ONE))
        n, n_slots, n_own = 0, 0, 0
        for j in range(n_terms):
            q = spots[p, j]
            if q < 0:
                continue
            i = channels[p, j] * n_spots + q
            if len(given.own) > 0:
                for o in range(given.own_offsets[q], given.own_offsets[q + 1]):
                    if given.own[o] == i:
                        own_taps[n_own], own_places[n_own] = j, places[given.own_columns[o]]
                        n_own += 1
            width = given.offsets[q + 1] - given.offsets[q]
            if width == 0 or not given.live[i]:
                continue
            if width < s_old and seen[q] != p:
                list_places(given.bits, q, places, maps, n_slots)
                seen[q], slot[q] = p, n_slots
                n_slots += 1
            begin[n], size[n], taps[n] = n_channels * given.offsets[q] + channels[p, j] * width, width, j
            slots[n] = slot[q]
            n += 1
        most = max(most, n)
        a, b, c = w_room[: m * n].reshape(m, n), x_room[: n * s_old].reshape(n, s_old), y_room[: m * s_old].reshape(m, s_old)
        if n > 0:
            for k in range(m):
                for j in range(n):
                    a[k, j] = weights[outputs[k], taps[j]]
            for j in range(n):
                first = begin[j]
                if size[j] == s_old:
                    for q in range(s_old):
                        b[j, q] = given.x[first + np.uint64(q)]
                else:
                    t = slots[j]
                    for q in range(s_old):
                        b[j, q] = 0.0
                    for q in range(size[j]):
                        b[j, maps[t, q]] = given.x[first + np.uint64(q)]
            step = max(1, _SMALL // (n * s_old))
            for k in range(0, m, step):
                np.dot(a[k : k + step], b, c[k : k + step])
        if len(extra.bits) > 0 and extra.offsets[p + 1] - extra.offsets[p] < s:
            list_places(extra.bits, p, places, maps, last)
        for q in range(s):
            row_squares[q] = 0.0
        for k in range(m):
            channel = np.int64(outputs[k])
            first = np.uint64(n_out * out.offsets[p] + channel * s)
            known = s_old if n > 0 else 0
            for q in range(known):
                out.x[first + np.uint64(q)] = c[k, q]
            for q in range(known, s):
                out.x[first + np.uint64(q)] = 0.0
            for o in range(n_own):
                out.x[first + own_places[o]] += weights[outputs[k], own_taps[o]]
            i = channel * n_positions + p
            if len(extra.bits) > 0:
                add_row(extra, i, p, channel, places, maps, last, out.x, first, s)
            for q in range(s):
                v = out.x[first + np.uint64(q)]
                row_squares[q] += v * v
            sums[i] = weighted_sum(out.x, first, s, room)
            out.live[i] = True
        q = 0
        for w in range(out.bits.shape[1]):
            left = out.bits[p, w]
            while left != ZERO:
                squares[64 * w + lowest(left)] += row_squares[q]
                left &= left - ONE
                q += 1
    return most, squares


@phase
def spot_of(i: Any, k: Any, p: Any, n_positions: Any, n_spots: Any) -> Any:
    """The position of entry i, which is often entry k, at p, of a tensor of the same shape: divisions are slow."""
    return p if i == k and n_spots == n_positions else i % n_spots


@kernel
def mark_rows(given: Any, places: Any, bits: Any, live: Any) -> None:
    """Mark the columns and the rows of entries that are taken; ``places`` says which, and is negative for none."""
    n_positions, n_spots = len(bits), len(given.bits)
    for channel in range(len(live) // n_positions):
        for p in range(n_positions):
            k = channel * n_positions + p
            i = places[k]
            if i < 0 or not given.live[i]:
                continue
            live[k] = True
            q = spot_of(i, k, p, n_positions, n_spots)
            for w in range(given.bits.shape[1]):
                bits[p, w] |= given.bits[q, w]


@kernel
def add_rows(given: Any, places: Any, factors: Any, out: Any) -> None:
    """Add entries that are taken, times a factor each, to rows that have at least their columns."""
    n_positions, n_spots = len(out.bits), len(given.bits)
    n_out, n_channels = len(out.live) // n_positions, len(given.live) // n_spots
    for channel in range(n_out):
        for p in range(n_positions):
            k = channel * n_positions + p
            i, f = places[k], factors[k]
            if i < 0 or not given.live[i]:
                continue
            q = spot_of(i, k, p, n_positions, n_spots)
            size, s = given.offsets[q + 1] - given.offsets[q], out.offsets[p + 1] - out.offsets[p]
            source = channel if i == k and n_spots == n_positions else i // n_spots
            first = np.uint64(n_channels * given.offsets[q] + source * size)
            to = np.uint64(n_out * out.offsets[p] + channel * s)
            if size == s:
                for r in range(s):
                    out.x[to + np.uint64(r)] += f * given.x[first + np.uint64(r)]
                continue
            for w in range(given.bits.shape[1]):
                has, left = given.bits[q, w], out.bits[p, w]
                while left != ZERO:
                    if has & left & (ZERO - left) != ZERO:
                        out.x[to] += f * given.x[first]
                        first += ONE
                    to += ONE
                    left &= left - ONE


@kernel
def weighted_sums(given: Any, sizes: Any, room: Any, out: Any) -> None:
    """For each entry the sum of the absolute values of its columns times these sizes; ``room`` is for as many."""
    n_spots = len(given.bits)
    n_channels = len(given.live) // n_spots
    for p in range(n_spots):
        n = 0
        for w in range(given.bits.shape[1]):
            left = given.bits[p, w]
            while left != ZERO:
                room[n] = sizes[64 * w + lowest(left)]
                left &= left - ONE
                n += 1
        for k in range(n_channels):
            i = k * n_spots + p
            out[i] = 0.0
            if not given.live[i]:
                continue
            first = np.uint64(n_channels * given.offsets[p] + k * n)
            out[i] = weighted_sum(given.x, first, n, room)


@kernel
def add_squares(given: Any, room: Any, out: Any) -> None:
    """Add the squares of the entries of every column; ``room`` is for as many."""
    n_spots = len(given.bits)
    n_channels = len(given.live) // n_spots
    for p in range(n_spots):
        n = given.offsets[p + 1] - given.offsets[p]
        if n == 0:
            continue
        for q in range(n):
            room[q] = 0.0
        for k in range(n_channels):
            if not given.live[k * n_spots + p]:
                continue
            first = np.uint64(n_channels * given.offsets[p] + k * n)
            for q in range(n):
                v = given.x[first + np.uint64(q)]
                room[q] += v * v
        q = 0
        for w in range(given.bits.shape[1]):
            left = given.bits[p, w]
            while left != ZERO:
                out[64 * w + lowest(left)] += room[q]
                left &= left - ONE
                q += 1


@kernel
def fill_rows(given: Any, entries: Any, out: Any) -> None:
    """All columns of some entries into rows of zeros."""
    n_spots = len(given.bits)
    n_channels = len(given.live) // n_spots
    for k in range(len(entries)):
        i = entries[k]
        if not given.live[i]:
            continue
        p = i % n_spots
        n = given.offsets[p + 1] - given.offsets[p]
        first = np.uint64(n_channels * given.offsets[p] + i // n_spots * n)
        for w in range(given.bits.shape[1]):
            left = given.bits[p, w]
            while left != ZERO:
                out[k, 64 * w + lowest(left)] = given.x[first]
                left &= left - ONE
                first += ONE
