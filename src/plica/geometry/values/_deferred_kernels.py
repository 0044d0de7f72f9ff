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

from typing import Any

import numpy as np
from numba import njit

_HUGE = 1e300
_EPS = 2.0**-52
_UP = 1.0 + 1e-12  # covers the rounding of norms


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _norms(z: Any, pa: Any, qa: Any, ta: Any, pb: Any, qb: Any, tb: Any) -> Any:
    """The norm of the row at one end of a segment, and of its difference to the other end.

    An end is the point ``ta`` of the way from row ``pa`` to row ``qa``.
    """
    raw, length = 0.0, 0.0
    for k in range(z.shape[1]):
        x = z[pa, k]
        x += ta * (z[qa, k] - x)
        y = z[pb, k]
        y += tb * (z[qb, k] - y)
        raw += x * x
        length += (y - x) * (y - x)
    return np.sqrt(raw) * _UP + 1e-150, np.sqrt(length) * _UP + 1e-150


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def edge_norms(z: Any, p: Any, q: Any) -> Any:
    raw, length = 0.0, 0.0
    for k in range(z.shape[1]):
        x = z[p, k]
        d = z[q, k] - x
        raw += x * x
        length += d * d
    return np.sqrt(raw) * _UP + 1e-150, np.sqrt(length) * _UP + 1e-150


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _rectified_norm(values: Any, v: Any, out: Any) -> Any:
    size = 0.0
    for k in range(values.shape[1]):
        y = max(values[v, k], 0.0)
        out[v, k] = y
        size += y * y
    return size


@njit(cache=True, nogil=True)
def rectify(values: Any, out: Any) -> Any:
    """The positive parts of rows; returns the largest square of their norms."""
    largest = 0.0
    for v in range(len(values)):
        largest = max(largest, _rectified_norm(values, v, out))
    return largest


@njit(cache=True, nogil=True, inline="always")
def _rounding(n_breakpoints: Any) -> Any:
    """How often sums over so many kinks round, in units of 2^-52 of what they add up."""
    return 5 if n_breakpoints == 1 else 4 * n_breakpoints + 16


@njit(cache=True, nogil=True)
def _one_breakpoint(out: Any, p: Any, q: Any, columns: Any, j: Any, t: Any, weight: Any, row: Any) -> None:
    """A row between rows p and q, where the segment has its one kink, of slope ``weight`` times column j, at parameter t."""
    fall = (1.0 - t) * weight
    for k in range(out.shape[1]):
        out[row, k] = out[p, k] + t * (out[q, k] - out[p, k] - fall * columns[j, k])


@njit(cache=True, nogil=True)
def first_slope(out: Any, p: Any, q: Any, slope: Any, here: Any) -> None:
    for k in range(slope.shape[0]):
        slope[k] = out[q, k] - out[p, k]
        here[k] = out[p, k]


@njit(cache=True, nogil=True)
def add(slope: Any, weight: Any, columns: Any, j: Any) -> None:
    for k in range(slope.shape[0]):
        slope[k] += weight * columns[j, k]


@njit(cache=True, nogil=True)
def advance(here: Any, step: Any, slope: Any) -> None:
    for k in range(here.shape[0]):
        here[k] += step * slope[k]


@njit(cache=True, nogil=True)
def put(here: Any, out: Any, row: Any) -> None:
    for k in range(here.shape[0]):
        out[row, k] = here[k]


@njit(cache=True, nogil=True)
def deferred_on_edges(
    z: Any,
    columns: Any,
    norm: Any,
    edges: Any,
    crossing_offsets: Any,
    form: Any,
    at: Any,
    t_error: Any,
    rank: Any,
    new_vertex: Any,
    start: Any,
    stop: Any,
    out: Any,
    error: Any,
    rounding: Any,
) -> None:
    """Rows of ``out``, the next layer's values, at the vertices on old edges; its rows at old vertices are given."""
    m = out.shape[1]
    slope, here = np.empty(m), np.empty(m)
    for e in range(start, stop):
        low, high = crossing_offsets[e], crossing_offsets[e + 1]
        if low == high:
            continue
        p, q = edges[e, 0], edges[e, 1]
        raw, length = edge_norms(z, p, q)
        residual = 0.0
        for i in range(low, high):
            x = z[p, form[i]]
            x += at[i] * (z[q, form[i]] - x)
            residual += x * x
        worst = max(error[p], error[q])
        shift = np.sqrt(residual) * _UP + 2e-15 * (raw + length) + 1e-300
        lost = _rounding(high - low) * _EPS * (norm + length)
        if high - low == 1:
            k = form[low]
            _one_breakpoint(out, p, q, columns, k, at[low], abs(z[q, k] - z[p, k]), new_vertex[e])
        else:
            first_slope(out, p, q, slope, here)
            for i in range(low, high):
                k = form[i]
                add(slope, (at[i] - 1.0) * abs(z[q, k] - z[p, k]), columns, k)
            t = 0.0
            for i in range(low, high):
                k = form[i]
                if i == low or rank[i] != rank[i - 1]:
                    advance(here, at[i] - t, slope)
                    t = at[i]
                    put(here, out, new_vertex[e] + rank[i])
                add(slope, abs(z[q, k] - z[p, k]), columns, k)
        for i in range(low, high):
            v = new_vertex[e] + rank[i]
            bound = worst + t_error[i] * (length + 2.0 * worst) + shift
            error[v] = bound if bound < _HUGE else _HUGE
            rounding[v] = lost


@njit(cache=True, nogil=True, inline="always")
def _interpolated(z: Any, p: Any, q: Any, t: Any, k: Any) -> Any:
    x = z[p, k]
    return x + t * (z[q, k] - x)


@njit(cache=True, nogil=True)
def deferred_on_chords(
    z: Any,
    columns: Any,
    norm: Any,
    edge_p: Any,
    edge_q: Any,
    edge_at: Any,
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
    node_offsets: Any,
    vertex_base: Any,
    start: Any,
    stop: Any,
    out: Any,
    error: Any,
    rounding: Any,
) -> None:
    """Rows of ``out`` at the vertices inside cells, numbered as :func:`plica.geometry.plane._faces.build_faces` numbers them."""
    n_old, m = z.shape[0], out.shape[1]
    slope, here = np.empty(m), np.empty(m)
    most_chords, most_pairs = 0, 0
    for r in range(start, stop):
        most_chords = max(most_chords, n_chords[r])
        most_pairs = max(most_pairs, pair_offsets[r + 1] - pair_offsets[r])
    lead = np.empty(most_chords, np.int64)
    node_of_pair = np.empty(most_pairs, np.int64)
    for r in range(start, stop):
        if pair_offsets[r + 1] == pair_offsets[r]:
            continue
        base, place, last = chord_offsets[r], boundary_offsets[r], chord_offsets[r + 1]
        for i in range(base, last):
            if i == base or group[i] != group[i - 1]:
                lead[group[i]] = i
        for i in range(pair_offsets[r + 1] - pair_offsets[r]):
            node_of_pair[i] = -1
        nodes = 0
        stop_x = 2 * pair_offsets[r]
        for g in range(n_chords[r]):
            first_x, stop_x = stop_x, stop_x + entry_count[base + g]
            known = nodes
            x = first_x
            while x < stop_x:  # which vertices of this chord are new
                node, y = -1, x
                while y < stop_x and rank[y] == rank[x]:
                    if node_of_pair[pair[y] - pair_offsets[r]] >= 0:
                        node = node_of_pair[pair[y] - pair_offsets[r]]
                    y += 1
                if node < 0:
                    node = nodes
                    nodes += 1
                while x < y:
                    node_of_pair[pair[x] - pair_offsets[r]] = node
                    x += 1
            if nodes == known:
                continue
            a, b = b_vertex[place + low[lead[g]]], b_vertex[place + high[lead[g]]]
            pa, qa, ta = (a, a, 0.0) if a < n_old else (edge_p[a - n_old], edge_q[a - n_old], edge_at[a - n_old])
            pb, qb, tb = (b, b, 0.0) if b < n_old else (edge_p[b - n_old], edge_q[b - n_old], edge_at[b - n_old])
            raw, length = _norms(z, pa, qa, ta, pb, qb, tb)
            residual, n_breakpoints = 0.0, 0
            for x in range(first_x, stop_x):
                j = lead[other[x]]
                while j < last and group[j] == other[x]:
                    u, v = _interpolated(z, pa, qa, ta, form[j]), _interpolated(z, pb, qb, tb, form[j])
                    u += at[x] * (v - u)
                    residual += u * u
                    n_breakpoints += 1
                    j += 1
            worst = max(error[a], error[b])
            shift = np.sqrt(residual) * _UP + 4e-15 * (raw + length) + 1e-300
            lost = max(rounding[a], rounding[b]) + _rounding(n_breakpoints) * _EPS * (norm + length)
            base_node = vertex_base + node_offsets[r]
            if n_breakpoints == 1:
                k = form[lead[other[first_x]]]
                weight = abs(_interpolated(z, pb, qb, tb, k) - _interpolated(z, pa, qa, ta, k))
                row = base_node + node_of_pair[pair[first_x] - pair_offsets[r]]
                _one_breakpoint(out, a, b, columns, k, at[first_x], weight, row)
            else:
                first_slope(out, a, b, slope, here)
                for x in range(first_x, stop_x):
                    j = lead[other[x]]
                    while j < last and group[j] == other[x]:
                        k = form[j]
                        weight = abs(_interpolated(z, pb, qb, tb, k) - _interpolated(z, pa, qa, ta, k))
                        add(slope, (at[x] - 1.0) * weight, columns, k)
                        j += 1
                t = 0.0
                for x in range(first_x, stop_x):
                    if x == first_x or rank[x] != rank[x - 1]:
                        advance(here, at[x] - t, slope)
                        t = at[x]
                        node = node_of_pair[pair[x] - pair_offsets[r]]
                        if node >= known:
                            put(here, out, base_node + node)
                    j = lead[other[x]]
                    while j < last and group[j] == other[x]:
                        k = form[j]
                        weight = abs(_interpolated(z, pb, qb, tb, k) - _interpolated(z, pa, qa, ta, k))
                        add(slope, weight, columns, k)
                        j += 1
            for x in range(first_x, stop_x):
                node = node_of_pair[pair[x] - pair_offsets[r]]
                if node >= known:
                    bound = worst + t_error[x] * (length + 2.0 * worst) + shift
                    error[base_node + node] = bound if bound < _HUGE else _HUGE
                    rounding[base_node + node] = lost
