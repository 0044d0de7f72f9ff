"""The next layer's values at new vertices, without a matrix product for each of them.

Along a segment that a layer of ReLUs cuts, the positive part of its input is affine but for one kink for each crossing, so the
layer after it, ``Z = A relu(z) + b``, is known from its values at the two ends and one column of A for each crossing:

    Z(t) = (1 - t) Z(p) + t Z(q) + sum_m ((t - t_m)^+ - t (1 - t_m)) |z_q - z_p|_m A[:, m]

Old edges are such segments, whose ends are old vertices; chords are such segments, whose ends lie on old edges.

The bound: ``error[v]`` bounds the 2-norm of relu(z) at a new vertex against the truth. It is the error of the ends, plus how far
the true vertex may be away, plus how far the crossing units are from zero at the parameters used (where integers have placed a
crossing that floating point could not). ``rounding[v]`` bounds, in units of the row norms of A, what the sums here lose:
(4 K + 16) 2^-52 (norm of relu(z) + length of the segment's image) for K crossings, and 5 instead of 20 for the single one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry._kernel import kernel, phase
from plica.geometry._lanes import rectified_square
from plica.geometry.plane._chords import lead_chords
from plica.geometry.plane._faces import node_at
from plica.geometry.signs._kernels import edge_norms, place_of, rows_of_ends
from plica.geometry.values import _wide

_HUGE = 1e300
_EPS = 2.0**-52
_UP = 1.0 + 1e-12  # covers the rounding of norms


class ChordRoom(NamedTuple):
    """Room to work in: the rows at the ends of a chord, slope and value along it; a chord of each group, nodes of pairs."""

    ends: Array
    rows: Array
    lead: Array
    node_of_pair: Array


class DeferredRows(NamedTuple):
    """The next layer's values at all vertices, and the two parts of their error."""

    values: Array
    error: Array
    rounding: Array


@phase
def _between(z: Any, p: Any, q: Any, t: Any, k: Any) -> Any:
    x = z[p, k]
    return x + t * (z[q, k] - x)


@kernel(wide=_wide.rectify)
def rectify(values: Any, out: Any) -> Any:
    """The positive parts of rows; returns the largest square of their norms."""
    largest = 0.0
    for v in range(len(values)):
        largest = max(largest, rectified_square(values, v, out))
    return largest


@phase
def _rounding(n_breakpoints: Any) -> Any:
    """How often sums over so many kinks round, in units of 2^-52 of what they add up."""
    return 5 if n_breakpoints == 1 else 4 * n_breakpoints + 16


@kernel(wide=_wide.one_breakpoint)
def _one_breakpoint(out: Any, p: Any, q: Any, columns: Any, j: Any, t: Any, weight: Any, row: Any) -> None:
    """A row between rows p and q, where the segment has its one kink, of slope ``weight`` times column j, at parameter t."""
    fall = (1.0 - t) * weight
    for k in range(out.shape[1]):
        out[row, k] = out[p, k] + t * (out[q, k] - out[p, k] - fall * columns[j, k])


@kernel(wide=_wide.first_slope)
def first_slope(out: Any, p: Any, q: Any, slope: Any, here: Any) -> None:
    for k in range(slope.shape[0]):
        slope[k] = out[q, k] - out[p, k]
        here[k] = out[p, k]


@kernel(wide=_wide.add)
def add(slope: Any, weight: Any, columns: Any, j: Any) -> None:
    for k in range(slope.shape[0]):
        slope[k] += weight * columns[j, k]


@kernel(wide=_wide.advance)
def advance(here: Any, step: Any, slope: Any) -> None:
    for k in range(here.shape[0]):
        here[k] += step * slope[k]


@kernel(wide=_wide.put)
def put(here: Any, out: Any, row: Any) -> None:
    for k in range(here.shape[0]):
        out[row, k] = here[k]


@kernel
def deferred_on_edges(
    z: Any, columns: Any, norm: Any, edges: Any, crossings: Any, new_vertex: Any, start: Any, stop: Any, rows: Any, out: Any
) -> None:
    """The next layer at the vertices on old edges; its rows at old vertices are given. ``rows`` is room for two."""
    offsets, form, ts, t_error, rank = crossings.offsets, crossings.form, crossings.t, crossings.t_error, crossings.rank
    values, error, slope, here = out.values, out.error, rows[0], rows[1]
    for e in range(start, stop):
        low, high = offsets[e], offsets[e + 1]
        if low == high:
            continue
        p, q = edges[e, 0], edges[e, 1]
        raw, length = edge_norms(z, p, q)
        residual = 0.0
        for i in range(low, high):
            x = z[p, form[i]]
            x += ts[i] * (z[q, form[i]] - x)
            residual += x * x
        worst = max(error[p], error[q])
        shift = np.sqrt(residual) * _UP + 2e-15 * (raw + length) + 1e-300
        lost = _rounding(high - low) * _EPS * (norm + length)
        if high - low == 1:
            k = form[low]
            _one_breakpoint(values, p, q, columns, k, ts[low], abs(z[q, k] - z[p, k]), new_vertex[e])
        else:
            first_slope(values, p, q, slope, here)
            for i in range(low, high):
                k = form[i]
                add(slope, (ts[i] - 1.0) * abs(z[q, k] - z[p, k]), columns, k)
            t = 0.0
            for i in range(low, high):
                k = form[i]
                if i == low or rank[i] != rank[i - 1]:
                    advance(here, ts[i] - t, slope)
                    t = ts[i]
                    put(here, values, new_vertex[e] + rank[i])
                add(slope, abs(z[q, k] - z[p, k]), columns, k)
        for i in range(low, high):
            v = new_vertex[e] + rank[i]
            bound = worst + t_error[i] * (length + 2.0 * worst) + shift
            error[v] = bound if bound < _HUGE else _HUGE
            out.rounding[v] = lost


class _Chord(NamedTuple):
    """One chord of a cell: its two ends, as vertices and as places between old vertices, and the entries of its crossings."""

    a: int
    b: int
    place_a: tuple[int, int, float]
    place_b: tuple[int, int, float]
    start: int
    stop: int


@kernel
def deferred_on_chords(
    z: Any, columns: Any, norm: Any, on_edges: Any, arrangement: Any, node_offsets: Any, vertex_base: Any, start: Any, stop: Any,
    room: Any, out: Any,
) -> None:  # fmt: skip
    """The next layer at the vertices inside cells, numbered as :func:`plica.geometry.plane._faces.build_faces` numbers them."""
    chords, crossings, boundary = arrangement.chords, arrangement.crossings, arrangement.boundary
    n_old, slope, here = z.shape[0], room.rows[0], room.rows[1]
    ends, lead, node_of_pair = room.ends, room.lead, room.node_of_pair
    for r in range(start, stop):
        first_pair = crossings.pair_offsets[r]
        if crossings.pair_offsets[r + 1] == first_pair:
            continue
        lead_chords(r, chords, lead)
        for i in range(crossings.pair_offsets[r + 1] - first_pair):
            node_of_pair[i] = -1
        nodes, stop_x = 0, 2 * first_pair
        for g in range(chords.n_chords[r]):
            first_x, stop_x = stop_x, stop_x + crossings.n_entries[chords.offsets[r] + g]
            known = nodes
            nodes = _number_nodes(first_x, stop_x, crossings, first_pair, node_of_pair, nodes)
            if nodes == known:
                continue
            a = boundary.vertex[boundary.offsets[r] + chords.low[lead[g]]]
            b = boundary.vertex[boundary.offsets[r] + chords.high[lead[g]]]
            chord = _Chord(a, b, place_of(a, n_old, on_edges), place_of(b, n_old, on_edges), first_x, stop_x)
            rows_of_ends(z, chord.place_a, chord.place_b, ends)
            raw, length = edge_norms(ends, 0, 1)
            residual, n_breakpoints = _residual(z, chord, chords, crossings, lead, chords.offsets[r + 1])
            worst = max(out.error[a], out.error[b])
            shift = np.sqrt(residual) * _UP + 4e-15 * (raw + length) + 1e-300
            lost = max(out.rounding[a], out.rounding[b]) + _rounding(n_breakpoints) * _EPS * (norm + length)
            row = vertex_base + node_offsets[r]
            if n_breakpoints == 1:
                k = chords.form[lead[crossings.other[first_x]]]
                node = row + node_of_pair[crossings.pair[first_x] - first_pair]
                _one_breakpoint(out.values, a, b, columns, k, crossings.t[first_x], _kink(z, chord, k), node)
            else:
                first_slope(out.values, a, b, slope, here)
                for x in range(first_x, stop_x):
                    _bend(z, columns, chord, chords, lead[crossings.other[x]], chords.offsets[r + 1], crossings.t[x] - 1.0, slope)
                t = 0.0
                for x in range(first_x, stop_x):
                    if x == first_x or crossings.rank[x] != crossings.rank[x - 1]:
                        advance(here, crossings.t[x] - t, slope)
                        t = crossings.t[x]
                        node = node_of_pair[crossings.pair[x] - first_pair]
                        if node >= known:
                            put(here, out.values, row + node)
                    _bend(z, columns, chord, chords, lead[crossings.other[x]], chords.offsets[r + 1], 1.0, slope)
            for x in range(first_x, stop_x):
                node = node_of_pair[crossings.pair[x] - first_pair]
                if node >= known:
                    bound = worst + crossings.t_error[x] * (length + 2.0 * worst) + shift
                    out.error[row + node] = bound if bound < _HUGE else _HUGE
                    out.rounding[row + node] = lost


@phase
def _number_nodes(x: Any, stop_x: Any, crossings: Any, first_pair: Any, node_of_pair: Any, nodes: Any) -> Any:
    """The inner vertices of one chord: those not met before get the next numbers; returns how many have one."""
    while x < stop_x:
        node, y = node_at(x, stop_x, crossings, first_pair, node_of_pair)
        if node < 0:
            node = nodes
            nodes += 1
        while x < y:
            node_of_pair[crossings.pair[x] - first_pair] = node
            x += 1
    return nodes


@phase
def _residual(z: Any, chord: Any, chords: Any, crossings: Any, lead: Any, last: Any) -> Any:
    """How far the units that cross a chord are from zero at the parameters used (a sum of squares), and how many they are."""
    residual, n_breakpoints = 0.0, 0
    pa, qa, ta = chord.place_a
    pb, qb, tb = chord.place_b
    for x in range(chord.start, chord.stop):
        j = lead[crossings.other[x]]
        while j < last and chords.group[j] == crossings.other[x]:
            u, v = _between(z, pa, qa, ta, chords.form[j]), _between(z, pb, qb, tb, chords.form[j])
            u += crossings.t[x] * (v - u)
            residual += u * u
            n_breakpoints += 1
            j += 1
    return residual, n_breakpoints


@kernel
def _kink(z: Any, chord: Any, k: Any) -> Any:
    """By how much unit k changes along a chord: the slope of its kink there."""
    pa, qa, ta = chord.place_a
    pb, qb, tb = chord.place_b
    return abs(_between(z, pb, qb, tb, k) - _between(z, pa, qa, ta, k))


@phase
def _bend(z: Any, columns: Any, chord: Any, chords: Any, lead: Any, last: Any, factor: Any, slope: Any) -> None:
    """Add the kinks of all units of a group, times a factor, to the slope."""
    j = lead
    while j < last and chords.group[j] == chords.group[lead]:
        add(slope, factor * _kink(z, chord, chords.form[j]), columns, chords.form[j])
        j += 1
