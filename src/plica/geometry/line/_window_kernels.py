"""A matrix that is applied at many positions, to few columns: only what is not zero is kept, gathered and multiplied.

Entries are channels at positions, entry = channel * positions + position. Entries at one position are reached by the same columns
(bits); for each of them, in order, the position has its numbers, one for each channel that is stored there. Entries that are not
live are zero, whatever stands there. Behind all stands a column of zeros. Entries that switch are a one in a column of their own,
which are the last columns; they stand beside the others, and only their places are kept, until somebody needs them among these.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry._bits import ONE, ZERO, lowest, popcount
from plica.geometry._kernel import kernel, phase


class Blocks(NamedTuple):
    """Columns of numbers position by position, those of each position, how many come before it, which entries count.

    Where the numbers of each position begin, how long a column is there, and the place of each entry in it.

    Then the entries that are a one in a column of their own, in the order of their positions: how many come before each position
    (one zero, if there are none), which entries, which columns.
    """

    x: Array
    bits: Array
    offsets: Array
    live: Array
    starts: Array
    widths: Array
    ranks: Array
    own_offsets: Array = np.zeros(1, np.int64)
    own: Array = np.zeros(0, np.int64)
    own_columns: Array = np.zeros(0, np.int64)


def with_all_channels(x: Array, bits: Array, offsets: Array, live: Array) -> Blocks:
    """Columns of which every channel is stored at every position."""
    n_positions = len(bits)
    n_channels = len(live) // n_positions
    ranks = np.repeat(np.arange(n_channels, dtype=np.int32), n_positions)
    return Blocks(x, bits, offsets, live, n_channels * offsets[:-1], np.full(n_positions, n_channels), ranks)


class Window(NamedTuple):
    """A matrix (terms, outputs), tap by tap each with all channels, and for each position what its taps read, -1 for none."""

    weights: Array
    spots: Array


@kernel
def lay_out(bits: Any, stored: Any, lanes: Any, offsets: Any, starts: Any, widths: Any, ranks: Any) -> Any:
    """Where the numbers of stored entries are, columns a multiple of ``lanes`` long; returns where they end, and the longest."""
    n_positions = len(bits)
    n_channels = len(stored) // n_positions
    offsets[0] = 0
    end, longest = 0, 0
    for p in range(n_positions):
        n, width = 0, 0
        for w in range(bits.shape[1]):
            n += popcount(bits[p, w])
        for k in range(n_channels):
            ranks[k * n_positions + p] = width
            width += stored[k * n_positions + p]
        width = (width + lanes - 1) // lanes * lanes
        offsets[p + 1], starts[p], widths[p] = offsets[p] + n, end, width
        end += n * width
        longest = max(longest, width)
    return end, longest


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
    n_positions, n_out = len(window.spots), window.weights.shape[1]
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
def add_to_columns(numbers: Any, bits: Any, p: Any, out: Any) -> None:
    """Add a number for each of the columns of a position, in order, to what each column has."""
    q = 0
    for w in range(bits.shape[1]):
        left = bits[p, w]
        while left != ZERO:
            out[64 * w + lowest(left)] += numbers[q]
            left &= left - ONE
            q += 1


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


@phase
def list_common(has: Any, every: Any, to: Any) -> None:
    """Where the columns of a position are among those of another that has at least these."""
    n, place = 0, 0
    for w in range(len(has)):
        left = every[w]
        while left != ZERO:
            if has[w] & left & (ZERO - left) != ZERO:
                to[n] = place
                n += 1
            place += 1
            left &= left - ONE


@kernel
def add_entries(given: Any, places: Any, factors: Any, room: Any, taken: Any, times: Any, out: Any) -> None:
    """Add entries that are taken, times a factor each, to others that have at least their columns.

    For as many columns there is ``room``, for each channel of the result what is ``taken`` (its place, that it is from) and
    ``times`` what.
    """
    n_positions, n_spots = len(out.bits), len(given.bits)
    n_out = len(out.live) // n_positions
    for p in range(n_positions):
        channel = 0
        while channel < n_out:
            n, q = 0, -1
            while channel < n_out:  # as many as are from one position
                k = channel * n_positions + p
                i = places[k]
                if i >= 0 and given.live[i]:
                    spot = spot_of(i, k, p, n_positions, n_spots)
                    if q >= 0 and spot != q:
                        break
                    q = spot
                    taken[n, 0], taken[n, 1], times[n] = out.ranks[k], given.ranks[i], factors[k]
                    n += 1
                channel += 1
            if n == 0:
                continue
            list_common(given.bits[q], out.bits[p], room)
            for r in range(given.offsets[q + 1] - given.offsets[q]):
                to, start = np.uint64(out.starts[p] + out.widths[p] * room[r]), np.uint64(given.starts[q] + given.widths[q] * r)
                for j in range(n):
                    out.x[to + taken[j, 0]] += times[j] * given.x[start + taken[j, 1]]


@phase
def list_numbers(bits: Any, p: Any, to: Any) -> None:
    """Which columns a position has."""
    n = 0
    for w in range(bits.shape[1]):
        left = bits[p, w]
        while left != ZERO:
            to[n] = 64 * w + lowest(left)
            left &= left - ONE
            n += 1


@kernel
def weighted_sums(given: Any, sizes: Any, room: Any, out: Any) -> None:
    """For each entry the sum of the absolute values of its columns times these sizes; ``room`` is for as many columns."""
    n_spots = len(given.bits)
    n_channels = len(given.live) // n_spots
    for p in range(n_spots):
        list_numbers(given.bits, p, room)
        for k in range(n_channels):
            total, first = 0.0, given.starts[p] + given.ranks[k * n_spots + p]
            if given.live[k * n_spots + p]:
                for r in range(given.offsets[p + 1] - given.offsets[p]):
                    total += abs(given.x[first + given.widths[p] * r]) * sizes[room[r]]
            out[k * n_spots + p] = total


@kernel
def add_squares(given: Any, room: Any, out: Any) -> None:
    """Add the squares of the entries of every column; ``room`` is for as many columns."""
    n_spots = len(given.bits)
    n_channels = len(given.live) // n_spots
    for p in range(n_spots):
        list_numbers(given.bits, p, room)
        for r in range(given.offsets[p + 1] - given.offsets[p]):
            for k in range(n_channels):
                if given.live[k * n_spots + p]:
                    v = given.x[given.starts[p] + given.widths[p] * r + given.ranks[k * n_spots + p]]
                    out[room[r]] += v * v


@kernel
def fill_rows(given: Any, entries: Any, room: Any, out: Any) -> None:
    """All columns of some entries into rows of zeros; ``room`` is for as many columns."""
    n_spots = len(given.bits)
    for k in range(len(entries)):
        i = entries[k]
        if not given.live[i]:
            continue
        p = i % n_spots
        list_numbers(given.bits, p, room)
        for r in range(given.offsets[p + 1] - given.offsets[p]):
            out[k, room[r]] = given.x[given.starts[p] + given.widths[p] * r + given.ranks[i]]
