"""Ranks of boundary matrices over GF(2): a column is added to a later one with the same lowest 1, until none is left."""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.typed import List

from plica._types import Array
from plica.geometry import BoundedComplex


@njit(cache=True, nogil=True)
def reduced_rank(offsets: Array, entries: Array, n_rows: int) -> int:
    """The rank of a matrix over GF(2) whose column c has its ones in the sorted rows ``entries[offsets[c]:offsets[c + 1]]``."""
    n = len(offsets) - 1
    owner = np.full(n_rows, -1, np.int64)
    kept = List()
    empty = np.empty(0, np.int64)
    rank = 0
    for c in range(n):
        column = entries[offsets[c] : offsets[c + 1]].copy()
        while len(column) and owner[column[-1]] >= 0:
            other = kept[owner[column[-1]]]
            merged = np.empty(len(column) + len(other), np.int64)
            i, j, k = 0, 0, 0
            while i < len(column) and j < len(other):
                if column[i] == other[j]:
                    i += 1
                    j += 1
                elif column[i] < other[j]:
                    merged[k] = column[i]
                    i += 1
                    k += 1
                else:
                    merged[k] = other[j]
                    j += 1
                    k += 1
            while i < len(column):
                merged[k] = column[i]
                i += 1
                k += 1
            while j < len(other):
                merged[k] = other[j]
                j += 1
                k += 1
            column = merged[:k]
        if len(column):
            owner[column[-1]] = len(kept)
            kept.append(column)
            rank += 1
        elif len(kept) == 0:
            kept.append(empty)
    return rank


def ranks(cx: BoundedComplex, inside: list[Array]) -> list[int]:
    """The ranks of the boundary maps of dimensions 1 up, of the subcomplex that holds the marked faces."""
    out = []
    for k in range(1, cx.dimension + 1):
        lists = cx.facets_of_faces(k)
        sizes = np.diff(lists.offsets)
        chosen = np.flatnonzero(inside[k])
        rows = lists.entries[np.repeat(inside[k], sizes)].astype(np.int64)
        owner = np.repeat(np.arange(len(chosen)), sizes[chosen])
        order = np.lexsort((rows, owner))
        offsets = np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.int64)
        out.append(int(reduced_rank(offsets, rows[order], cx.n_faces[k - 1])))
    return out
