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
    """A matrix (outputs, terms), tap by tap each with all channels, and for each position what its taps read, -1 for none."""

    weights: Array
    spots: Array


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
        for t in range(window.spots.shape[1]):
            if window.spots[p, t] >= 0:
                mark_columns(given, window.spots[p, t], bits, p)
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
def list_places(bits: Any, q: Any, places: Any, to: Any) -> None:
    """Where the columns of position q are in the rows that are being made."""
    r = 0
    for w in range(bits.shape[1]):
        left = bits[q, w]
        while left != ZERO:
            to[r] = places[64 * w + lowest(left)]
            left &= left - ONE
            r += 1


@phase
def list_live(given: Any, firsts: Any, channels: Any) -> None:
    """For each position the channels whose rows count, and how many come before it."""
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
def add_row(given: Any, i: Any, p: Any, places: Any, to_place: Any, x: Any, to: Any, s: Any) -> None:
    """Add entry i, at position p, to the row of s numbers from ``to`` on; ``to_place`` has its places, if it has fewer."""
    size = given.offsets[p + 1] - given.offsets[p]
    if given.live[i]:
        n_spots = len(given.bits)
        first = np.uint64(len(given.live) // n_spots * given.offsets[p] + i // n_spots * size)
        if size == s:
            for q in range(s):
                x[to + np.uint64(q)] += given.x[first + np.uint64(q)]
        else:
            for q in range(size):
                x[to + np.uint64(to_place[q])] += given.x[first + np.uint64(q)]
    if len(given.own) > 0:
        for o in range(given.own_offsets[p], given.own_offsets[p + 1]):
            if given.own[o] == i:
                x[to + np.uint64(places[given.own_columns[o]])] += 1.0


@phase
def weighted_sum(x: Any, first: Any, n: Any, room: Any) -> Any:
    """The absolute values of n numbers from ``first`` on, times sizes, added up in four lanes: the order is written down."""
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


@phase
def add_to_columns(numbers: Any, bits: Any, p: Any, out: Any) -> None:
    """Add a number for each of the columns of a position, in order, to what each column has."""
    q = 0
    for w in range(bits.shape[1]):
        left = bits[p, w]
        while left != ZERO:
            out[64 * w + lowest(left)] += numbers[q]
            left &= left - ONE
            q += 1


@allocating_kernel
def window_products(
    window: Any, given: Any, extra: Any, n_old: Any, needed: Any, sizes: Any, start: Any, stop: Any, out: Any, sums: Any
) -> Any:
    """The needed outputs at the positions from ``start`` to before ``stop``, and what ``extra`` adds to them, if it has rows.

    From ``n_old`` on the columns of ``given`` are those of single entries. Fills the sums of the absolute values of rows times
    these sizes; returns the largest number of terms of a sum, and the squares of the columns, added up.
    """
    weights, spots = window.weights, window.spots
    n_out, n_terms = weights.shape
    n_positions, n_spots, n_columns = len(spots), len(given.bits), 64 * out.bits.shape[1]
    n_taps, n_channels = spots.shape[1], len(given.live) // n_spots
    outputs, terms = np.empty(n_out, np.uint64), np.empty(n_terms, np.uint64)
    own_terms, own_places = np.empty(n_terms, np.uint64), np.empty(n_terms, np.uint64)
    places, to_place = np.empty(n_columns, np.uint32), np.empty(n_columns, np.uint32)
    firsts, live = np.empty(n_spots + 1, np.int64), np.empty(len(given.live) + 1, np.uint64)
    w_room, x_room, y_room = np.empty(n_terms * n_out), np.empty(n_terms * n_columns), np.empty(n_out * n_columns)
    room, row_squares, squares = np.empty(n_columns), np.empty(n_columns), np.zeros(n_columns)
    list_live(given, firsts, live)
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
        s_old = 0
        for w in range(out.bits.shape[1]):
            if 64 * w + 64 <= n_old:
                s_old += popcount(out.bits[p, w])
            elif 64 * w < n_old:
                s_old += popcount(out.bits[p, w] & ((ONE << np.uint64(n_old - 64 * w)) - ONE))
        n, n_own = 0, 0
        for t in range(n_taps):
            q = spots[p, t]
            if q < 0:
                continue
            n += firsts[q + 1] - firsts[q]
            if len(given.own) > 0:
                for o in range(given.own_offsets[q], given.own_offsets[q + 1]):
                    own_terms[n_own], own_places[n_own] = n_channels * t + given.own[o] // n_spots, places[given.own_columns[o]]
                    n_own += 1
        most = max(most, n)
        a, b, c = w_room[: m * n].reshape(m, n), x_room[: n * s_old].reshape(n, s_old), y_room[: m * s_old].reshape(m, s_old)
        if n > 0:
            j = 0
            for t in range(n_taps):
                q = spots[p, t]
                if q < 0 or firsts[q + 1] == firsts[q]:
                    continue
                first, n_live = firsts[q], firsts[q + 1] - firsts[q]
                width = given.offsets[q + 1] - given.offsets[q]
                if width < s_old:
                    list_places(given.bits, q, places, to_place)
                for i in range(n_live):
                    terms[j] = np.uint64(n_channels * t) + live[first + i]
                    begin = np.uint64(n_channels * given.offsets[q]) + live[first + i] * np.uint64(width)
                    if width == s_old:
                        for r in range(s_old):
                            b[j, r] = given.x[begin + np.uint64(r)]
                    else:
                        for r in range(s_old):
                            b[j, r] = 0.0
                        for r in range(width):
                            b[j, to_place[r]] = given.x[begin + np.uint64(r)]
                    j += 1
            for k in range(m):
                for j in range(n):
                    a[k, j] = weights[outputs[k], terms[j]]
            step = max(8, _SMALL // (n * s_old) // 8 * 8)
            for k in range(0, m, step):
                np.dot(a[k : k + step], b, c[k : k + step])
        if len(extra.bits) > 0 and extra.offsets[p + 1] - extra.offsets[p] < s:
            list_places(extra.bits, p, places, to_place)
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
                out.x[first + own_places[o]] += weights[outputs[k], own_terms[o]]
            entry = channel * n_positions + p
            if len(extra.bits) > 0:
                add_row(extra, entry, p, places, to_place, out.x, first, s)
            for q in range(s):
                v = out.x[first + np.uint64(q)]
                row_squares[q] += v * v
            sums[entry] = weighted_sum(out.x, first, s, room)
            out.live[entry] = True
        add_to_columns(row_squares, out.bits, p, squares)
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
        add_to_columns(room, given.bits, p, out)


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
