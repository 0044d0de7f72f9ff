"""A matrix that is applied at many positions, to few columns: only what is not zero is kept, gathered and multiplied.

Entries are channels at positions, entry = channel * positions + position. Entries at one position are reached by the same columns
(bits); for each of them the position has a row of numbers, one for each of these columns, in order. Rows of entries that are not
live are zero, whatever stands there.
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
    """Rows of numbers position by position, the columns of each position, how many columns come before it, which rows count."""

    x: Array
    bits: Array
    offsets: Array
    live: Array


class Window(NamedTuple):
    """A matrix (outputs, terms), and for each position which channel and which position each term reads, -1 for none."""

    weights: Array
    channels: Array
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


@kernel
def window_columns(window: Any, given: Any, needed: Any, seen: Any, start: Any, stop: Any, bits: Any) -> None:
    """Which columns reach the positions from ``start`` to before ``stop``, where an output is needed; ``seen`` begins with -1."""
    n_positions, n_spots = len(window.spots), len(given.bits)
    n_out, n_terms = window.weights.shape
    for p in range(start, stop):
        is_needed = False
        for k in range(n_out):
            is_needed = is_needed or needed[k * n_positions + p]
        if not is_needed:
            continue
        for j in range(n_terms):
            q = window.spots[p, j]
            if q < 0 or seen[q] == p or not given.live[window.channels[p, j] * n_spots + q]:
                continue
            seen[q] = p
            for w in range(bits.shape[1]):
                bits[p, w] |= given.bits[q, w]


@phase
def places_of(bits: Any, p: Any, places: Any) -> None:
    """Where the columns of a position are in its rows."""
    n = np.uint32(0)
    for w in range(bits.shape[1]):
        left = bits[p, w]
        while left != ZERO:
            places[64 * w + lowest(left)] = n
            left &= left - ONE
            n += np.uint32(1)


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


@allocating_kernel
def window_products(window: Any, given: Any, needed: Any, start: Any, stop: Any, out: Any) -> Any:
    """The needed outputs at the positions from ``start`` to before ``stop``; returns the largest number of terms of a sum."""
    weights, channels, spots = window.weights, window.channels, window.spots
    n_out, n_terms = weights.shape
    n_positions, n_spots = len(spots), len(given.bits)
    n_channels, n_columns = len(given.live) // n_spots, 64 * out.bits.shape[1]
    begin, size, slots = np.empty(n_terms, np.uint64), np.empty(n_terms, np.int64), np.empty(n_terms, np.int64)
    taps, outputs = np.empty(n_terms, np.uint64), np.empty(n_out, np.uint64)
    places, seen, slot = np.empty(n_columns, np.uint32), np.full(n_spots, -1, np.int64), np.empty(n_spots, np.int64)
    maps = np.empty((min(n_spots, n_terms), n_columns), np.uint32)
    w_room, x_room, y_room = np.empty(n_terms * n_out), np.empty(n_terms * n_columns), np.empty(n_out * n_columns)
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
        n, n_slots = 0, 0
        for j in range(n_terms):
            q = spots[p, j]
            if q < 0 or not given.live[channels[p, j] * n_spots + q]:
                continue
            width = given.offsets[q + 1] - given.offsets[q]
            if width == 0:
                continue
            if width < s and seen[q] != p:
                if n_slots == 0:
                    places_of(out.bits, p, places)
                list_places(given.bits, q, places, maps, n_slots)
                seen[q], slot[q] = p, n_slots
                n_slots += 1
            begin[n], size[n], taps[n] = n_channels * given.offsets[q] + channels[p, j] * width, width, j
            slots[n] = slot[q]
            n += 1
        most = max(most, n)
        a, b, c = w_room[: m * n].reshape(m, n), x_room[: n * s].reshape(n, s), y_room[: m * s].reshape(m, s)
        for k in range(m):
            for j in range(n):
                a[k, j] = weights[outputs[k], taps[j]]
        for j in range(n):
            first = begin[j]
            if size[j] == s:
                for q in range(s):
                    b[j, q] = given.x[first + np.uint64(q)]
            else:
                t = slots[j]
                for q in range(s):
                    b[j, q] = 0.0
                for q in range(size[j]):
                    b[j, maps[t, q]] = given.x[first + np.uint64(q)]
        step = max(1, _SMALL // (n * s))
        for k in range(0, m, step):
            np.dot(a[k : k + step], b, c[k : k + step])
        for k in range(m):
            first = np.uint64(n_out * out.offsets[p] + np.int64(outputs[k]) * s)
            for q in range(s):
                out.x[first + np.uint64(q)] = c[k, q]
            out.live[outputs[k] * np.uint64(n_positions) + np.uint64(p)] = True
    return most


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
            a, b, c, d = 0.0, 0.0, 0.0, 0.0  # four lanes: the order of a sum is written down
            for q in range(n // 4):
                r = np.uint64(4 * q)
                a += abs(given.x[first + r]) * room[r]
                b += abs(given.x[first + r + np.uint64(1)]) * room[r + np.uint64(1)]
                c += abs(given.x[first + r + np.uint64(2)]) * room[r + np.uint64(2)]
                d += abs(given.x[first + r + np.uint64(3)]) * room[r + np.uint64(3)]
            for q in range(n // 4 * 4, n):
                a += abs(given.x[first + np.uint64(q)]) * room[q]
            out[i] = (a + b) + (c + d)


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
