"""Chords of cut cells: where each cutting form enters and leaves a cell, which chords cross, and in which order.

All of it is combinatorial but one question, the order of crossings along a chord, which is answered by error-bounded
parameters and otherwise left to exact arithmetic. The boundary of a cut cell is a cycle of positions: its old vertices and
the crossings on its edges, counter-clockwise. A chord is a pair of positions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.geometry._bits import ONE, ZERO, lowest, popcount
from plica.geometry._kernel import dividing_kernel, kernel, phase
from plica.geometry.signs._kernels import first_gap

_HUGE = 1e300


@kernel
def find_cuts(mesh: Any, n_groups: Any, signs: Any, start: Any, stop: Any, cuts: Any) -> None:
    """For each cell: forms positive somewhere, forms that cut it, how many, and the length of its refined boundary."""
    edges, offsets, half_edges, pos, neg = mesh.edges, mesh.offsets, mesh.half_edges, signs.pos, signs.neg
    for c in range(start, stop):
        n = 0
        for w in range(pos.shape[1]):
            p, m = ZERO, ZERO
            for i in range(offsets[c], offsets[c + 1]):
                v = edges[half_edges[i] >> 1, half_edges[i] & 1]
                p |= pos[v, w]
                m |= neg[v, w]
            cuts.active[c, w] = p
            cuts.cut[c, w] = p & m
            n += popcount(p & m)
        cuts.n_cuts[c] = n
        length = 0
        if n:
            for i in range(offsets[c], offsets[c + 1]):
                length += 1 + n_groups[half_edges[i] >> 1]
        cuts.n_boundary[c] = length


@kernel
def build_chords(
    mesh: Any, split: Any, edge_crossings: Any, signs: Any, cut: Any, start: Any, stop: Any, cells: Any, before: Any,
    boundary: Any, chords: Any, n_pairs: Any,
) -> None:  # fmt: skip
    """The refined boundary and the chords of each cut cell, sorted; equal chords (coinciding folds) form one group.

    Written are the ``boundary`` and the ``chords``; the number of crossing pairs of distinct chords is returned in ``n_pairs``,
    which is 0 before, unless it is -1. ``before`` is room to work in, for each word of signs.
    """
    for r in range(start, stop):
        base = chords.offsets[r]
        n = _count_before(cut, cells[r], before)
        for i in range(base, base + n):
            chords.low[i] = -1
        _walk_boundary(r, cells[r], mesh, split, edge_crossings, signs, cut, before, boundary, chords)
        _sort_chords(base, base + n, chords)
        chords.n_chords[r] = _group_chords(base, base + n, chords)
        if n_pairs[r] >= 0 and n > 1:
            n_pairs[r] = count_pairs(r, 0, n, chords)


@phase
def _count_before(cut: Any, c: Any, before: Any) -> Any:
    """How many forms cut a cell, and how many of them come before each word."""
    n = 0
    for w in range(cut.shape[1]):
        before[w] = n
        n += popcount(cut[c, w])
    return n


@phase
def _meet(chords: Any, j: Any, k: Any, position: Any) -> None:
    """Form k, chord j, vanishes at a boundary position: the first such is its low end, the second its high end."""
    chords.form[j] = k
    if chords.low[j] < 0:
        chords.low[j] = position
    else:
        chords.high[j] = position


@phase
def _walk_boundary(
    r: Any, c: Any, mesh: Any, split: Any, edge_crossings: Any, signs: Any, cut: Any, before: Any, boundary: Any, chords: Any
) -> None:
    """Once around a cell: its vertices, the new ones on its edges, and where its chords end."""
    base, place = chords.offsets[r], boundary.offsets[r]
    at = 0
    for i in range(mesh.offsets[c], mesh.offsets[c + 1]):
        h = mesh.half_edges[i]
        e, d = h >> 1, h & 1
        v = mesh.edges[e, d]
        boundary.vertex[place + at] = v
        for w in range(cut.shape[1]):
            x = cut[c, w] & ~(signs.pos[v, w] | signs.neg[v, w])
            while x != ZERO:
                b = lowest(x)
                x &= x - ONE
                _meet(chords, base + before[w] + popcount(cut[c, w] & ((ONE << np.uint64(b)) - ONE)), 64 * w + b, at)
        g = split.n_groups[e]
        for s in range(g + 1):
            sub = s if d == 0 else g - s
            boundary.half_edge[place + at + s] = 2 * (split.new_edge[e] + sub) + d
            if s < g:
                boundary.vertex[place + at + 1 + s] = split.new_vertex[e] + (s if d == 0 else g - 1 - s)
        for x_index in range(edge_crossings.offsets[e], edge_crossings.offsets[e + 1]):
            k = edge_crossings.form[x_index]
            w, rank = k >> 6, edge_crossings.rank[x_index]
            j = base + before[w] + popcount(cut[c, w] & ((ONE << np.uint64(k & 63)) - ONE))
            _meet(chords, j, k, at + 1 + (rank if d == 0 else g - 1 - rank))
        at += 1 + g


@phase
def _sort_chords(base: Any, stop: Any, chords: Any) -> None:
    """By (low, high, form), which forms come in increasing order and so differ: Shell's sort, by insertion where they are few."""
    low, high, form = chords.low, chords.high, chords.form
    for i in range(base, stop):
        if low[i] > high[i]:
            low[i], high[i] = high[i], low[i]
    gap = first_gap(stop - base)
    while gap > 0:
        for i in range(base + gap, stop):
            a, b, k = low[i], high[i], form[i]
            j = i
            while j >= base + gap:
                x, y = low[j - gap], high[j - gap]
                if x < a or (x == a and (y < b or (y == b and form[j - gap] < k))):
                    break
                low[j], high[j], form[j] = x, y, form[j - gap]
                j -= gap
            low[j], high[j], form[j] = a, b, k
        gap //= 3


@phase
def _group_chords(base: Any, stop: Any, chords: Any) -> Any:
    """Number the distinct chords; returns how many there are."""
    low, high, group = chords.low, chords.high, chords.group
    distinct = 0
    for i in range(base, stop):
        if i > base and not (low[i] == low[i - 1] and high[i] == high[i - 1]):
            distinct += 1
        group[i] = distinct
    return distinct + 1


@kernel
def count_pairs(r: Any, start: Any, stop: Any, chords: Any) -> Any:
    """How many later chords of a cell the chords start..stop cross: distinct ones whose ends alternate around the boundary."""
    low, high, group, base, end = chords.low, chords.high, chords.group, chords.offsets[r], chords.offsets[r + 1]
    pairs = 0
    for i in range(base + start, base + stop):
        if i > base and group[i] == group[i - 1]:
            continue
        for j in range(i + 1, end):
            if low[j] >= high[i]:
                break
            if group[j] != group[j - 1] and low[i] < low[j] and high[i] < high[j]:
                pairs += 1
    return pairs


@phase
def lead_chords(r: Any, chords: Any, lead: Any) -> None:
    """A chord of each group of a cell."""
    for i in range(chords.offsets[r], chords.offsets[r + 1]):
        if i == chords.offsets[r] or chords.group[i] != chords.group[i - 1]:
            lead[chords.group[i]] = i


@phase
def _form_at(forms: Any, v: Any, k: Any, on_edges: Any) -> Any:
    """Form k at an old vertex or a vertex on an old edge, and a bound of its error."""
    z, scale, error, floor = forms.z, forms.scale, forms.error, forms.floor
    n_old = z.shape[0]
    if v < n_old:
        return z[v, k], scale[k] * error[v] + floor[k]
    i = v - n_old
    p, q = on_edges.p[i], on_edges.q[i]
    x = z[p, k]
    d = z[q, k] - x
    bound = scale[k] * max(error[p], error[q]) + floor[k] + on_edges.t_error[i] * abs(d) + 1e-15 * (abs(x) + abs(d))
    return x + on_edges.t[i] * d, bound


@dividing_kernel  # a gap that rounds to zero gives an infinite t_error
def order_crossings(
    forms: Any, on_edges: Any, least_pairs: Any, start: Any, stop: Any, arrangement: Any, lead: Any, cursor: Any, undecided: Any
) -> Any:
    """For each chord its crossings with the others, in order from its low to its high position.

    A cell with an undecided order is marked undecided; one with fewer than ``least_pairs`` crossings is left out. Returns how
    many cells are undecided. ``lead`` and ``cursor`` are room to work in, for each chord of a cell and one more.
    """
    n_undecided = 0
    for r in range(start, stop):
        n = arrangement.chords.n_chords[r]
        is_asked = _n_pairs_of(r, arrangement.crossings) >= least_pairs
        _begin_entries(r, arrangement, lead)
        if not is_asked:
            continue
        _count_entries(r, 0, n, arrangement, lead)
        _place_entries(r, arrangement, cursor)
        _fill_entries(r, 0, n, arrangement.crossings.pair_offsets[r], forms, on_edges, arrangement, lead, cursor)
        if not _sort_entries(r, 0, n, arrangement, cursor):
            undecided[r] = True
            n_undecided += 1
    return n_undecided


@phase
def _n_pairs_of(r: Any, crossings: Any) -> Any:
    """How many pairs of chords cross in a cell."""
    return crossings.pair_offsets[r + 1] - crossings.pair_offsets[r]


@phase
def _begin_entries(r: Any, arrangement: Any, lead: Any) -> None:
    """A chord of each group of a cell, and no crossings yet."""
    chords, n_entries = arrangement.chords, arrangement.crossings.n_entries
    lead_chords(r, chords, lead)
    for g in range(chords.n_chords[r]):
        n_entries[chords.offsets[r] + g] = 0


@phase
def _count_entries(r: Any, start: Any, stop: Any, arrangement: Any, lead: Any) -> None:
    """How many later ones the chords start..stop of a cell cross, counted on both."""
    chords, n_entries = arrangement.chords, arrangement.crossings.n_entries
    low, high, base = chords.low, chords.high, chords.offsets[r]
    for g in range(start, stop):
        i = lead[g]
        for h in range(g + 1, chords.n_chords[r]):
            j = lead[h]
            if low[j] >= high[i]:
                break
            if low[i] < low[j] and high[i] < high[j]:
                n_entries[base + g] += 1
                n_entries[base + h] += 1


@phase
def _place_entries(r: Any, arrangement: Any, cursor: Any) -> None:
    """Where the crossings of each chord of a cell begin; their numbers are set back, to be counted again when they are filled."""
    chords, crossings = arrangement.chords, arrangement.crossings
    cursor[0] = 2 * crossings.pair_offsets[r]
    for g in range(chords.n_chords[r]):
        cursor[g + 1] = cursor[g] + crossings.n_entries[chords.offsets[r] + g]
        crossings.n_entries[chords.offsets[r] + g] = 0


@phase
def _fill_entries(
    r: Any, start: Any, stop: Any, number: Any, forms: Any, on_edges: Any, arrangement: Any, lead: Any, cursor: Any
) -> Any:
    """The crossings of the chords start..stop of a cell with later ones, on both chords, with the parameters along them.

    ``number`` is that of the first such pair; returns the number of the pair after the last.
    """
    boundary, chords, crossings = arrangement.boundary, arrangement.chords, arrangement.crossings
    low, high, base, place = chords.low, chords.high, chords.offsets[r], boundary.offsets[r]
    for g in range(start, stop):
        i = lead[g]
        for h in range(g + 1, chords.n_chords[r]):
            j = lead[h]
            if low[j] >= high[i]:
                break
            if not (low[i] < low[j] and high[i] < high[j]):
                continue
            for side in range(2):
                mine, yours = (g, h) if side == 0 else (h, g)
                k = chords.form[lead[yours]]
                za, ea = _form_at(forms, boundary.vertex[place + low[lead[mine]]], k, on_edges)
                zb, eb = _form_at(forms, boundary.vertex[place + high[lead[mine]]], k, on_edges)
                gap = za - zb
                s = max(ea, eb) / abs(gap) + 1e-15
                here = za / gap
                if not (s < _HUGE):
                    s = _HUGE
                if not (here > 0.0):
                    here = 0.0
                elif here > 1.0:
                    here = 1.0
                x = cursor[mine] + crossings.n_entries[base + mine]
                crossings.t[x], crossings.t_error[x], crossings.other[x], crossings.pair[x] = here, s, yours, number
                crossings.n_entries[base + mine] += 1
            number += 1
    return number


@phase
def _sort_entries(r: Any, start: Any, stop: Any, arrangement: Any, cursor: Any) -> Any:
    """The crossings on the chords start..stop of a cell in order, with their ranks; returns whether the bounds decide all.

    By Shell's sort: equal ones, in any order, are undecided anyway.
    """
    crossings = arrangement.crossings
    t, t_error, other, pair = crossings.t, crossings.t_error, crossings.other, crossings.pair
    is_decided = True
    for g in range(start, stop):
        low, high = cursor[g], cursor[g + 1]
        gap = first_gap(high - low)
        while gap > 0:
            for i in range(low + gap, high):
                here, s, yours, number = t[i], t_error[i], other[i], pair[i]
                j = i
                while j >= low + gap and t[j - gap] > here:
                    t[j], t_error[j], other[j], pair[j] = t[j - gap], t_error[j - gap], other[j - gap], pair[j - gap]
                    j -= gap
                t[j], t_error[j], other[j], pair[j] = here, s, yours, number
            gap //= 3
        for x in range(low, high):
            crossings.rank[x] = x - low
            if x > low and not (t[x] - t[x - 1] > t_error[x] + t_error[x - 1]):
                is_decided = False
    return is_decided


# the same one by one, for cells so large that the clock is looked at in between


@kernel
def begin_entries(r: Any, arrangement: Any, lead: Any) -> None:
    _begin_entries(r, arrangement, lead)


@kernel
def count_entries(r: Any, start: Any, stop: Any, arrangement: Any, lead: Any) -> None:
    _count_entries(r, start, stop, arrangement, lead)


@kernel
def place_entries(r: Any, arrangement: Any, cursor: Any) -> None:
    _place_entries(r, arrangement, cursor)


@dividing_kernel
def fill_entries(
    r: Any, start: Any, stop: Any, number: Any, forms: Any, on_edges: Any, arrangement: Any, lead: Any, cursor: Any
) -> Any:
    return _fill_entries(r, start, stop, number, forms, on_edges, arrangement, lead, cursor)


@kernel
def sort_entries(r: Any, start: Any, stop: Any, arrangement: Any, cursor: Any) -> Any:
    return _sort_entries(r, start, stop, arrangement, cursor)
