"""Boundary matrices over GF(2), reduced: columns are added to later ones with the same last 1, until every last 1 is alone.

The column at work is a set of bits under a tree of words, sixty-four to one, so that its last 1 is found in a few steps and a
column of k ones is added in O(k), however long the sums become.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plica._compiled import compiled
from plica._types import Array
from plica.geometry import BoundedComplex, FaceLists


@compiled
def toggle(words: Any, levels: Any, i: Any) -> None:
    """Put a number into the set, or take it out."""
    for level in range(len(levels)):
        at = levels[level] + (i >> 6)
        bit = np.uint64(1) << np.uint64(i & 63)
        old = words[at]
        new = old ^ bit if level == 0 else old | bit
        if level > 0 and words[levels[level - 1] + i] == 0:
            new = old & ~bit
        words[at] = new
        if (old == 0) == (new == 0):
            return
        i >>= 6


@compiled
def last(words: Any, levels: Any) -> Any:
    """The largest number in the set, -1 if it is empty."""
    top = len(levels) - 1
    if words[levels[top]] == 0:
        return -1
    i = 0
    for level in range(top, -1, -1):
        word, high = words[levels[level] + i], 0
        for step in (32, 16, 8, 4, 2, 1):
            if word >> np.uint64(step):
                word >>= np.uint64(step)
                high += step
        i = (i << 6) + high
    return i


@compiled
def reduce_columns(offsets: Any, entries: Any, skip: Any, words: Any, levels: Any, owner: Any, pivots: Any) -> None:
    """For each column the row of its last 1 once it is reduced, -1 if nothing is left of it; columns to skip are not looked at.

    ``owner`` has a -1 for each row, ``words`` are zero: both are room to work in.
    """
    kept_offsets = np.zeros(len(pivots) + 1, np.int64)
    kept, n_kept, n_entries = np.empty(max(16, len(entries)), np.int32), 0, 0
    for c in range(len(pivots)):
        pivots[c] = -1
        if skip[c]:
            continue
        for k in range(offsets[c], offsets[c + 1]):
            toggle(words, levels, entries[k])
        while True:
            row = last(words, levels)
            if row < 0:
                break
            if owner[row] < 0:
                pivots[c] = row
                owner[row] = n_kept
                while row >= 0:
                    if n_entries == len(kept):
                        more = np.empty(2 * len(kept), np.int32)
                        more[:n_entries] = kept
                        kept = more
                    kept[n_entries] = row
                    n_entries += 1
                    toggle(words, levels, row)
                    row = last(words, levels)
                n_kept += 1
                kept_offsets[n_kept] = n_entries
                break
            for k in range(kept_offsets[owner[row]], kept_offsets[owner[row] + 1]):
                toggle(words, levels, kept[k])


def reduced(lists: FaceLists, n_rows: int, skip: Array) -> Array:
    """The rows of the last 1 of the reduced columns, each found at most once; -1 where a column vanishes or is skipped.

    Examples
    --------
    >>> lists = FaceLists(np.array([0, 2, 4, 6]), np.array([0, 1, 1, 2, 0, 2]))  # three edges around a triangle
    >>> reduced(lists, 3, np.zeros(3, bool)).tolist()
    [1, 2, -1]
    """
    sizes = [-(-max(n_rows, 1) // 64)]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // 64))
    levels = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    pivots = np.empty(len(lists.offsets) - 1, np.int64)
    words, owner = np.zeros(sum(sizes), np.uint64), np.full(n_rows, -1, np.int64)
    reduce_columns(lists.offsets.astype(np.int64), lists.entries.astype(np.int64), skip, words, levels, owner, pivots)
    return pivots


def chosen_lists(lists: FaceLists, columns: Array, row_place: Array) -> FaceLists:
    """The lists of some faces in the given order, their entries renumbered by ``row_place``; -1 leaves an entry out."""
    counts = np.diff(lists.offsets)[columns]
    starts = np.repeat(lists.offsets[columns] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    entries = row_place[lists.entries[starts + np.arange(len(starts))]]
    kept = entries >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    return FaceLists(before[np.concatenate([[0], np.cumsum(counts)])], entries[kept])


def all_pivots(cx: BoundedComplex, orders: Sequence[Array], label: Sequence[Array] | None = None) -> list[Array]:
    """Reduce the boundary maps of the faces in ``orders`` (for each dimension the chosen faces, first ones first).

    The k-th array belongs to dimension k: for each chosen face the place of its partner among those one dimension lower, -1 if
    there is none. With ``label``, faces with other labels count as nothing: the boundary is taken relative to them.
    """
    out = [np.full(len(orders[0]), -1)]
    cleared = np.zeros(len(orders[-1]), bool)
    found: list[Array] = []
    for k in range(len(orders) - 1, 0, -1):
        place = np.full(cx.n_faces[k - 1], -1)
        place[orders[k - 1]] = np.arange(len(orders[k - 1]))
        lists = cx.facets_of_faces(k)
        if label is not None:
            own = np.repeat(label[k], np.diff(lists.offsets))
            lists = _relative(lists, own == label[k - 1][lists.entries])
        pivots = reduced(chosen_lists(lists, orders[k], place), len(orders[k - 1]), cleared)
        found.insert(0, pivots)
        cleared = np.zeros(len(orders[k - 1]), bool)  # the partner of a face is the end of a cycle: its own column is zero
        cleared[pivots[pivots >= 0]] = True
    return out + found


def _relative(lists: FaceLists, kept: Array) -> FaceLists:
    before = np.concatenate([[0], np.cumsum(kept)])
    return FaceLists(before[lists.offsets], lists.entries[kept])
