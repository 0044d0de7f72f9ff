"""Signs at vertices, crossings on edges, values at new vertices: the kernels that lines and planes share.

A layer cuts with m affine forms, whose values ``z[v, k]`` at the vertices carry the error bound
``scale[k] * error[v] + floor[k]``. A sign that the bound does not decide is left to exact arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from plica.geometry._bits import ALL, ONE, ZERO, lowest, popcount

_HUGE = 1e300
_UP = 1.0 + 1e-12  # covers the rounding of norms


@njit(cache=True, nogil=True)
def decide_signs(
    z: Any, scale: Any, error: Any, floor: Any, trust_zero: Any, start: Any, stop: Any, pos: Any, neg: Any, undecided: Any
) -> Any:
    """Pack the decided signs of the vertices start..stop; returns how many signs stay undecided.

    With ``trust_zero`` a value that is zero is known to be zero.
    """
    m = z.shape[1]
    count = 0
    for v in range(start, stop):
        e = error[v]
        for w in range(pos.shape[1]):
            base = 64 * w
            width = min(64, m - base)
            p, n = ZERO, ZERO
            for b in range(width):
                k = base + b
                value = z[v, k]
                bound = scale[k] * e + floor[k]
                p |= np.uint64(value > bound) << np.uint64(b)
                n |= np.uint64(value < -bound) << np.uint64(b)
            mask = ALL if width == 64 else (ONE << np.uint64(width)) - ONE
            u = mask & ~(p | n)
            if trust_zero and u != ZERO:
                for b in range(width):
                    u &= ~(np.uint64(z[v, base + b] == 0.0) << np.uint64(b))
            pos[v, w] = p
            neg[v, w] = n
            undecided[v, w] = u
            if u != ZERO:
                count += popcount(u)
    return count


@njit(cache=True, nogil=True)
def known_zero_words(offsets: Any, half_edges: Any, edges: Any, words: Any, out: Any) -> None:
    """For each vertex the units that are inactive on some cell around it: there their outputs are exactly zero."""
    for c in range(offsets.shape[0] - 1):
        for i in range(offsets[c], offsets[c + 1]):
            v = edges[half_edges[i] >> 1, half_edges[i] & 1]
            for w in range(words.shape[1]):
                out[v, w] |= ~words[c, w]


@njit(cache=True, nogil=True)
def count_crossings(edges: Any, pos: Any, neg: Any, start: Any, stop: Any, counts: Any) -> None:
    """How many forms change sign strictly along each edge."""
    for e in range(start, stop):
        p, q = edges[e, 0], edges[e, 1]
        n = 0
        for w in range(pos.shape[1]):
            x = (pos[p, w] & neg[q, w]) | (neg[p, w] & pos[q, w])
            if x != ZERO:
                n += popcount(x)
        counts[e] = n


@njit(cache=True, nogil=True, error_model="numpy")  # a gap that rounds to zero gives an infinite t_error, not an error
def fill_crossings(
    edges: Any,
    pos: Any,
    neg: Any,
    z: Any,
    scale: Any,
    error: Any,
    floor: Any,
    start: Any,
    stop: Any,
    offsets: Any,
    form: Any,
    t: Any,
    t_error: Any,
    rank: Any,
    undecided: Any,
) -> Any:
    """The crossings of each edge, sorted along it; an edge whose order the error bounds do not decide is marked undecided."""
    n_undecided = 0
    for e in range(start, stop):
        low, high = offsets[e], offsets[e + 1]
        if low == high:
            continue
        p, q = edges[e, 0], edges[e, 1]
        worst = max(error[p], error[q])
        n = low
        for w in range(pos.shape[1]):
            x = (pos[p, w] & neg[q, w]) | (neg[p, w] & pos[q, w])
            while x != ZERO:
                k = 64 * w + lowest(x)
                x &= x - ONE
                zp, zq = z[p, k], z[q, k]
                d = zp - zq
                here = zp / d
                # at the true crossing the computed linear function is within the bound of zero
                s = (scale[k] * worst + floor[k]) / abs(d) + 1e-15
                if not (s < _HUGE):
                    s = _HUGE
                if not (here > 0.0):
                    here = 0.0
                elif here > 1.0:
                    here = 1.0
                i = n
                while i > low and t[i - 1] > here:
                    t[i], form[i], t_error[i] = t[i - 1], form[i - 1], t_error[i - 1]
                    i -= 1
                t[i], form[i], t_error[i] = here, k, s
                n += 1
        is_decided = True
        for i in range(low, high):
            rank[i] = i - low
            if i > low and not (t[i] - t[i - 1] > t_error[i] + t_error[i - 1]):
                is_decided = False
        if not is_decided:
            undecided[e] = True
            n_undecided += 1
    return n_undecided


@njit(cache=True, nogil=True)
def lead_crossings(offsets: Any, rank: Any, lead: Any, edge: Any) -> None:
    """For each new vertex on an edge the first crossing that makes it, and its edge."""
    n = 0
    for e in range(len(offsets) - 1):
        for i in range(offsets[e], offsets[e + 1]):
            if i == offsets[e] or rank[i] != rank[i - 1]:
                lead[n], edge[n] = i, e
                n += 1


@njit(cache=True, nogil=True, fastmath={"reassoc"})  # sums in any order: their bounds do not depend on it
def _copy_row(values: Any, v: Any, rectify: Any, out: Any) -> Any:
    size = 0.0
    for k in range(out.shape[1]):
        y = values[v, k]
        if rectify:
            y = max(y, 0.0)
        out[v, k] = y
        size += y * y
    return size


@njit(cache=True, nogil=True)
def carry_old(values: Any, rectify: Any, start: Any, stop: Any, out: Any) -> Any:
    """Copy rows (or their positive parts); returns the largest square of a row's norm."""
    largest = 0.0
    for v in range(start, stop):
        largest = max(largest, _copy_row(values, v, rectify, out))
    return largest


@njit(cache=True, nogil=True)
def _row_between(
    values: Any, pa: Any, qa: Any, ta: Any, pb: Any, qb: Any, tb: Any, t: Any, rectify: Any, out: Any, row: Any
) -> None:
    for k in range(out.shape[1]):
        x = values[pa, k] + ta * (values[qa, k] - values[pa, k])
        y = x + t * (values[pb, k] + tb * (values[qb, k] - values[pb, k]) - x)
        out[row, k] = max(y, 0.0) if rectify else y


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _squares(values: Any, pa: Any, qa: Any, ta: Any, pb: Any, qb: Any, tb: Any, out: Any, row: Any) -> Any:
    length, size, raw = 0.0, 0.0, 0.0
    for k in range(out.shape[1]):
        x = values[pa, k] + ta * (values[qa, k] - values[pa, k])
        d = values[pb, k] + tb * (values[qb, k] - values[pb, k]) - x
        raw += x * x
        length += d * d
        size += out[row, k] * out[row, k]
    return length, size, raw


@njit(cache=True, nogil=True)
def carry_new(
    values: Any, p: Any, q: Any, t: Any, t_error: Any, p1: Any, q1: Any, t1: Any, rectify: Any, start: Any, stop: Any, base: Any,
    out: Any, out_error: Any,
) -> Any:  # fmt: skip
    """Rows ``base + i`` between vertices p[i] and q[i], with a bound of their error in the 2-norm; returns as carry_old.

    The true vertex lies within ``t_error`` of the computed parameter and the tensor is affine on the segment: its value there is
    off by at most t_error times the length of the segment's true image, beyond the errors of the ends. The ends are old vertices
    or vertices on old edges (p1, q1, t1), whose rows before rectification are interpolated again.
    """
    n_old = values.shape[0]
    largest = 0.0
    for i in range(start, stop):
        a, b = p[i], q[i]
        pa, qa, ta = (a, a, 0.0) if a < n_old else (p1[a - n_old], q1[a - n_old], t1[a - n_old])
        pb, qb, tb = (b, b, 0.0) if b < n_old else (p1[b - n_old], q1[b - n_old], t1[b - n_old])
        _row_between(values, pa, qa, ta, pb, qb, tb, t[i], rectify, out, base + i)
        length, size, raw = _squares(values, pa, qa, ta, pb, qb, tb, out, base + i)
        length = np.sqrt(length) * _UP
        worst = max(out_error[a], out_error[b])
        e = worst + t_error[i] * (length + 2.0 * worst) + 2e-15 * (np.sqrt(raw) * _UP + length) + 1e-300
        out_error[base + i] = e if e < _HUGE else _HUGE
        largest = max(largest, size)
    return largest


@njit(cache=True, nogil=True)
def line_events(
    pos: Any, neg: Any, crossing_offsets: Any, crossing_form: Any, crossing_rank: Any, n_groups: Any, start_words: Any,
    event_cell: Any, event_form: Any, event_on: Any, fill: Any,
) -> Any:  # fmt: skip
    """Sign changes from piece to piece along a line; counts them, and writes them down if ``fill``."""
    n_words = pos.shape[1]
    current = np.empty(n_words, np.uint64)
    count, cell = 0, 0
    for i in range(pos.shape[0] - 1):
        for w in range(n_words):
            here = pos[i, w] | (pos[i + 1, w] & ~neg[i, w])
            if i == 0:
                start_words[w] = here
            else:
                x = here ^ current[w]
                while x != ZERO:
                    b = lowest(x)
                    x &= x - ONE
                    if fill:
                        event_cell[count], event_form[count] = cell, 64 * w + b
                        event_on[count] = (here >> np.uint64(b)) & ONE == ONE
                    count += 1
            current[w] = here
        for j in range(crossing_offsets[i], crossing_offsets[i + 1]):
            k = crossing_form[j]
            current[k >> 6] ^= ONE << np.uint64(k & 63)
            if fill:
                event_cell[count], event_form[count] = cell + 1 + crossing_rank[j], k
                event_on[count] = (current[k >> 6] >> np.uint64(k & 63)) & ONE == ONE
            count += 1
        cell += 1 + n_groups[i]
    return count
