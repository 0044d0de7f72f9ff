"""Chords of cut cells: where each cutting form enters and leaves a cell, which chords cross, and in which order.

All of it is combinatorial but one question, the order of crossings along a chord, which is answered by error-bounded
parameters and otherwise left to exact arithmetic. The boundary of a cut cell is a cycle of positions: its old vertices and
the crossings on its edges, counter-clockwise. A chord is a pair of positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from plica.geometry._bits import ONE, ZERO, lowest, popcount

_HUGE = 1e300


@njit(cache=True, nogil=True)
def find_cuts(
    offsets: Any,
    half_edges: Any,
    edges: Any,
    n_groups: Any,
    pos: Any,
    neg: Any,
    start: Any,
    stop: Any,
    active: Any,
    cut: Any,
    n_cuts: Any,
    n_boundary: Any,
) -> None:
    """For each cell: forms positive somewhere, forms that cut it, how many, and the length of its refined boundary."""
    for c in range(start, stop):
        n = 0
        for w in range(pos.shape[1]):
            p, m = ZERO, ZERO
            for i in range(offsets[c], offsets[c + 1]):
                v = edges[half_edges[i] >> 1, half_edges[i] & 1]
                p |= pos[v, w]
                m |= neg[v, w]
            active[c, w] = p
            cut[c, w] = p & m
            n += popcount(p & m)
        n_cuts[c] = n
        length = 0
        if n:
            for i in range(offsets[c], offsets[c + 1]):
                length += 1 + n_groups[half_edges[i] >> 1]
        n_boundary[c] = length


@njit(cache=True, nogil=True)
def build_chords(
    cells: Any,
    offsets: Any,
    half_edges: Any,
    edges: Any,
    n_groups: Any,
    new_edge: Any,
    new_vertex: Any,
    crossing_offsets: Any,
    crossing_form: Any,
    crossing_rank: Any,
    pos: Any,
    neg: Any,
    cut: Any,
    start: Any,
    stop: Any,
    chord_offsets: Any,
    boundary_offsets: Any,
    b_vertex: Any,
    b_half_edge: Any,
    form: Any,
    low: Any,
    high: Any,
    group: Any,
    n_chords: Any,
    n_pairs: Any,
) -> None:
    """The refined boundary and the chords of each cut cell, sorted; equal chords (coinciding folds) form one group.

    ``form, low, high, group`` list the cutting forms of a cell ordered by (low, high, form); the number of distinct chords
    and of crossing pairs of chords is returned in ``n_chords`` and ``n_pairs``.
    """
    n_words = pos.shape[1]
    before = np.empty(n_words, np.int64)
    for r in range(start, stop):
        c = cells[r]
        base, place = chord_offsets[r], boundary_offsets[r]
        n = 0
        for w in range(n_words):
            before[w] = n
            n += popcount(cut[c, w])
        for i in range(base, base + n):
            low[i] = -1
        at = 0
        for i in range(offsets[c], offsets[c + 1]):
            h = half_edges[i]
            e, d = h >> 1, h & 1
            v = edges[e, d]
            b_vertex[place + at] = v
            for w in range(n_words):
                x = cut[c, w] & ~(pos[v, w] | neg[v, w])
                while x != ZERO:
                    b = lowest(x)
                    x &= x - ONE
                    j = base + before[w] + popcount(cut[c, w] & ((ONE << np.uint64(b)) - ONE))
                    form[j] = 64 * w + b
                    if low[j] < 0:
                        low[j] = at
                    else:
                        high[j] = at
            g = n_groups[e]
            for s in range(g + 1):
                sub = s if d == 0 else g - s
                b_half_edge[place + at + s] = 2 * (new_edge[e] + sub) + d
                if s < g:
                    b_vertex[place + at + 1 + s] = new_vertex[e] + (s if d == 0 else g - 1 - s)
            for x_index in range(crossing_offsets[e], crossing_offsets[e + 1]):
                k = crossing_form[x_index]
                w = k >> 6
                j = base + before[w] + popcount(cut[c, w] & ((ONE << np.uint64(k & 63)) - ONE))
                form[j] = k
                rank = crossing_rank[x_index]
                where = at + 1 + (rank if d == 0 else g - 1 - rank)
                if low[j] < 0:
                    low[j] = where
                else:
                    high[j] = where
            at += 1 + g
        for i in range(base, base + n):  # insertion sort by (low, high, form); forms come in increasing order
            if low[i] > high[i]:
                low[i], high[i] = high[i], low[i]
            a, b, k = low[i], high[i], form[i]
            j = i
            while j > base and (low[j - 1] > a or (low[j - 1] == a and high[j - 1] > b)):
                low[j], high[j], form[j] = low[j - 1], high[j - 1], form[j - 1]
                j -= 1
            low[j], high[j], form[j] = a, b, k
        distinct = 0
        for i in range(base, base + n):
            if i > base and not (low[i] == low[i - 1] and high[i] == high[i - 1]):
                distinct += 1
            group[i] = distinct
        n_chords[r] = distinct + 1
        pairs = 0
        for i in range(base, base + n):
            if i > base and group[i] == group[i - 1]:
                continue
            for j in range(i + 1, base + n):
                if low[j] >= high[i]:
                    break
                if group[j] != group[j - 1] and low[i] < low[j] and high[i] < high[j]:
                    pairs += 1
        n_pairs[r] = pairs


@njit(cache=True, nogil=True, inline="always")
def _form_at(z: Any, scale: Any, error: Any, floor: Any, v: Any, k: Any, p: Any, q: Any, at: Any, t_error: Any) -> Any:
    """Form k at an old vertex or a vertex on an old edge, and a bound of its error."""
    n_old = z.shape[0]
    if v < n_old:
        return z[v, k], scale[k] * error[v] + floor[k]
    i = v - n_old
    x = z[p[i], k]
    d = z[q[i], k] - x
    bound = scale[k] * max(error[p[i]], error[q[i]]) + floor[k] + t_error[i] * abs(d) + 1e-15 * (abs(x) + abs(d))
    return x + at[i] * d, bound


@njit(cache=True, nogil=True, error_model="numpy")  # a gap that rounds to zero gives an infinite t_error, not an error
def order_crossings(
    z: Any,
    scale: Any,
    error: Any,
    floor: Any,
    v_p: Any,
    v_q: Any,
    v_at: Any,
    v_t_error: Any,
    least_pairs: Any,
    start: Any,
    stop: Any,
    chord_offsets: Any,
    boundary_offsets: Any,
    b_vertex: Any,
    form: Any,
    low: Any,
    high: Any,
    group: Any,
    n_chords: Any,
    pair_offsets: Any,
    entry_count: Any,
    other: Any,
    pair: Any,
    at: Any,
    t_error: Any,
    rank: Any,
    undecided: Any,
) -> Any:
    """For each chord its crossings with the others, in order from its low to its high position.

    Entries of cell r start at 2 * pair_offsets[r]; chord by chord, ``entry_count`` (indexed like the distinct chords, at
    chord_offsets[r] + group) of them each. A cell with an undecided order is marked undecided; one with fewer than
    ``least_pairs`` crossings is left out.
    """
    n_undecided = 0
    most = 0
    for r in range(start, stop):
        most = max(most, n_chords[r])
    lead = np.empty(most, np.int64)
    cursor = np.empty(most + 1, np.int64)
    for r in range(start, stop):
        base, place = chord_offsets[r], boundary_offsets[r]
        stop_chord = chord_offsets[r + 1]
        d = n_chords[r]
        for i in range(base, stop_chord):
            if i == base or group[i] != group[i - 1]:
                lead[group[i]] = i
        for g in range(d):
            entry_count[base + g] = 0
        if pair_offsets[r + 1] - pair_offsets[r] < least_pairs:
            continue
        for g in range(d):
            i = lead[g]
            for h in range(g + 1, d):
                j = lead[h]
                if low[j] >= high[i]:
                    break
                if low[i] < low[j] and high[i] < high[j]:
                    entry_count[base + g] += 1
                    entry_count[base + h] += 1
        cursor[0] = 2 * pair_offsets[r]
        for g in range(d):
            cursor[g + 1] = cursor[g] + entry_count[base + g]
        number = pair_offsets[r]
        is_decided = True
        for g in range(d):
            entry_count[base + g] = 0
        for g in range(d):
            i = lead[g]
            for h in range(g + 1, d):
                j = lead[h]
                if low[j] >= high[i]:
                    break
                if not (low[i] < low[j] and high[i] < high[j]):
                    continue
                for side in range(2):
                    mine, yours = (g, h) if side == 0 else (h, g)
                    k = form[lead[yours]]
                    va = b_vertex[place + low[lead[mine]]]
                    vb = b_vertex[place + high[lead[mine]]]
                    za, ea = _form_at(z, scale, error, floor, va, k, v_p, v_q, v_at, v_t_error)
                    zb, eb = _form_at(z, scale, error, floor, vb, k, v_p, v_q, v_at, v_t_error)
                    gap = za - zb
                    s = max(ea, eb) / abs(gap) + 1e-15
                    t = za / gap
                    if not (s < _HUGE):
                        s = _HUGE
                    if not (t > 0.0):
                        t = 0.0
                    elif t > 1.0:
                        t = 1.0
                    begin = cursor[mine]
                    x = begin + entry_count[base + mine]
                    while x > begin and at[x - 1] > t:
                        at[x], t_error[x], other[x], pair[x] = at[x - 1], t_error[x - 1], other[x - 1], pair[x - 1]
                        x -= 1
                    at[x], t_error[x], other[x], pair[x] = t, s, yours, number
                    entry_count[base + mine] += 1
                number += 1
        for g in range(d):
            for x in range(cursor[g], cursor[g + 1]):
                rank[x] = x - cursor[g]
                if x > cursor[g] and not (at[x] - at[x - 1] > t_error[x] + t_error[x - 1]):
                    is_decided = False
        if not is_decided:
            undecided[r] = True
            n_undecided += 1
    return n_undecided
