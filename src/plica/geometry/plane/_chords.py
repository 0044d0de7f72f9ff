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

    Written are the ``boundary`` and the ``chords``; the number of crossing pairs of distinct chords is returned in ``n_pairs``.
    ``before`` is room to work in, for each word of signs.
    """
    for r in range(start, stop):
        base = chords.offsets[r]
        n = _count_before(cut, cells[r], before)
        for i in range(base, base + n):
            chords.low[i] = -1
        _walk_boundary(r, cells[r], mesh, split, edge_crossings, signs, cut, before, boundary, chords)
        _sort_chords(base, base + n, chords)
        chords.n_chords[r] = _group_chords(base, base + n, chords)
        n_pairs[r] = _count_pairs(base, base + n, chords)


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
    """Insertion sort by (low, high, form); forms come in increasing order."""
    low, high, form = chords.low, chords.high, chords.form
    for i in range(base, stop):
        if low[i] > high[i]:
            low[i], high[i] = high[i], low[i]
        a, b, k = low[i], high[i], form[i]
        j = i
        while j > base and (low[j - 1] > a or (low[j - 1] == a and high[j - 1] > b)):
            low[j], high[j], form[j] = low[j - 1], high[j - 1], form[j - 1]
            j -= 1
        low[j], high[j], form[j] = a, b, k


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


@phase
def _count_pairs(base: Any, stop: Any, chords: Any) -> Any:
    """How many pairs of distinct chords cross: those whose ends alternate around the boundary."""
    low, high, group = chords.low, chords.high, chords.group
    pairs = 0
    for i in range(base, stop):
        if i > base and group[i] == group[i - 1]:
            continue
        for j in range(i + 1, stop):
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
    chords, crossings = arrangement.chords, arrangement.crossings
    n_undecided = 0
    for r in range(start, stop):
        lead_chords(r, chords, lead)
        for g in range(chords.n_chords[r]):
            crossings.n_entries[chords.offsets[r] + g] = 0
        if crossings.pair_offsets[r + 1] - crossings.pair_offsets[r] < least_pairs:
            continue
        _count_crossings(r, chords, crossings, lead)
        cursor[0] = 2 * crossings.pair_offsets[r]
        for g in range(chords.n_chords[r]):
            cursor[g + 1] = cursor[g] + crossings.n_entries[chords.offsets[r] + g]
            crossings.n_entries[chords.offsets[r] + g] = 0
        _insert_crossings(r, forms, on_edges, arrangement, lead, cursor)
        if not _rank_crossings(chords.n_chords[r], crossings, cursor):
            undecided[r] = True
            n_undecided += 1
    return n_undecided


@phase
def _count_crossings(r: Any, chords: Any, crossings: Any, lead: Any) -> None:
    """How many others each chord of a cell crosses."""
    low, high, base = chords.low, chords.high, chords.offsets[r]
    for g in range(chords.n_chords[r]):
        i = lead[g]
        for h in range(g + 1, chords.n_chords[r]):
            j = lead[h]
            if low[j] >= high[i]:
                break
            if low[i] < low[j] and high[i] < high[j]:
                crossings.n_entries[base + g] += 1
                crossings.n_entries[base + h] += 1


@phase
def _insert_crossings(r: Any, forms: Any, on_edges: Any, arrangement: Any, lead: Any, cursor: Any) -> None:
    """Every crossing pair of a cell on both of its chords, sorted by the parameter along the chord."""
    boundary, chords, crossings = arrangement.boundary, arrangement.chords, arrangement.crossings
    low, high, base, place = chords.low, chords.high, chords.offsets[r], boundary.offsets[r]
    t, t_error, other, pair, count = crossings.t, crossings.t_error, crossings.other, crossings.pair, crossings.n_entries
    number = crossings.pair_offsets[r]
    for g in range(chords.n_chords[r]):
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
                x = cursor[mine] + count[base + mine]
                while x > cursor[mine] and t[x - 1] > here:
                    t[x], t_error[x], other[x], pair[x] = t[x - 1], t_error[x - 1], other[x - 1], pair[x - 1]
                    x -= 1
                t[x], t_error[x], other[x], pair[x] = here, s, yours, number
                count[base + mine] += 1
            number += 1


@phase
def _rank_crossings(n_chords: Any, crossings: Any, cursor: Any) -> Any:
    """Ranks along each chord of a cell; returns whether the bounds decide all of them."""
    t, t_error = crossings.t, crossings.t_error
    is_decided = True
    for g in range(n_chords):
        for x in range(cursor[g], cursor[g + 1]):
            crossings.rank[x] = x - cursor[g]
            if x > cursor[g] and not (t[x] - t[x - 1] > t_error[x] + t_error[x - 1]):
                is_decided = False
    return is_decided
