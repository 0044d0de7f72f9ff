"""Signs at vertices, crossings on edges, values at new vertices: the kernels that lines and planes share.

A layer cuts with m affine forms, whose values ``z[v, k]`` at the vertices carry the error bound
``scale[k] * error[v] + floor[k]``. A sign that the bound does not decide is left to exact arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.geometry._bits import ALL, ONE, ZERO, lowest, popcount
from plica.geometry._kernel import dividing_kernel, kernel, phase
from plica.geometry._lanes import rectified_square, squared_norm, squared_sizes
from plica.geometry.signs import _wide

_HUGE = 1e300
_UP = 1.0 + 1e-12  # covers the rounding of norms
FEW = 24  # numbers that insertion sorts fastest


@kernel(wide=_wide.decide_signs)
def decide_signs(forms: Any, trust_zero: Any, start: Any, stop: Any, signs: Any, undecided: Any) -> Any:
    """Pack the decided signs of the vertices start..stop; returns how many signs stay undecided.

    With ``trust_zero`` a value that is zero is known to be zero.
    """
    z, scale, error, floor = forms.z, forms.scale, forms.error, forms.floor
    pos, neg = signs.pos, signs.neg
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


@kernel
def known_zero_words(offsets: Any, half_edges: Any, edges: Any, words: Any, out: Any) -> None:
    """For each vertex the units that are inactive on some cell around it: there their outputs are exactly zero."""
    for c in range(offsets.shape[0] - 1):
        for i in range(offsets[c], offsets[c + 1]):
            v = edges[half_edges[i] >> 1, half_edges[i] & 1]
            for w in range(words.shape[1]):
                out[v, w] |= ~words[c, w]


@kernel
def count_crossings(edges: Any, signs: Any, start: Any, stop: Any, counts: Any) -> None:
    """How many forms change sign strictly along each edge."""
    pos, neg = signs.pos, signs.neg
    for e in range(start, stop):
        p, q = edges[e, 0], edges[e, 1]
        n = 0
        for w in range(pos.shape[1]):
            x = (pos[p, w] & neg[q, w]) | (neg[p, w] & pos[q, w])
            if x != ZERO:
                n += popcount(x)
        counts[e] = n


@kernel
def first_gap(n: Any) -> Any:
    """Where Shell's sort of so many begins: by insertion alone where they are few."""
    gap = 1
    if n > FEW:
        while 3 * gap + 1 < n:
            gap = 3 * gap + 1
    return gap


@kernel
def sort_crossings(t: Any, t_error: Any, form: Any, low: Any, high: Any) -> None:
    """The crossings low..high of one edge in order, by Shell's sort: equal ones, in any order, are undecided anyway."""
    gap = first_gap(high - low)
    while gap > 0:
        for i in range(low + gap, high):
            here, s, k = t[i], t_error[i], form[i]
            j = i
            while j >= low + gap and t[j - gap] > here:
                t[j], t_error[j], form[j] = t[j - gap], t_error[j - gap], form[j - gap]
                j -= gap
            t[j], t_error[j], form[j] = here, s, k
        gap //= 3


@dividing_kernel  # a gap that rounds to zero gives an infinite t_error
def fill_crossings(edges: Any, signs: Any, forms: Any, start: Any, stop: Any, crossings: Any, undecided: Any) -> Any:
    """The crossings of each edge, sorted along it; an edge whose order the error bounds do not decide is marked undecided."""
    pos, neg = signs.pos, signs.neg
    z, scale, error, floor = forms.z, forms.scale, forms.error, forms.floor
    offsets, form, t, t_error, rank = crossings.offsets, crossings.form, crossings.t, crossings.t_error, crossings.rank
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
                t[n], form[n], t_error[n] = here, k, s
                n += 1
        if high > low + 1:
            sort_crossings(t, t_error, form, low, high)
        is_decided = True
        for i in range(low, high):
            rank[i] = i - low
            if i > low and not (t[i] - t[i - 1] > t_error[i] + t_error[i - 1]):
                is_decided = False
        if not is_decided:
            undecided[e] = True
            n_undecided += 1
    return n_undecided


@kernel
def lead_crossings(offsets: Any, rank: Any, lead: Any, edge: Any) -> None:
    """For each new vertex on an edge the first crossing that makes it, and its edge."""
    n = 0
    for e in range(len(offsets) - 1):
        for i in range(offsets[e], offsets[e + 1]):
            if i == offsets[e] or rank[i] != rank[i - 1]:
                lead[n], edge[n] = i, e
                n += 1


@kernel
def edge_norms(z: Any, p: Any, q: Any) -> Any:
    """The norm of row p and its distance from row q, rounded up."""
    raw, length = squared_sizes(z, p, q)
    return np.sqrt(raw) * _UP + 1e-150, np.sqrt(length) * _UP + 1e-150


@kernel
def _copied_square(rows: Any, row: Any, out: Any) -> Any:
    for k in range(out.shape[1]):
        out[row, k] = rows[row, k]
    return squared_norm(out, row)


@kernel(wide=_wide.carry_old)
def carry_old(values: Any, rectify: Any, start: Any, stop: Any, out: Any) -> Any:
    """Copy rows (or their positive parts); returns the largest square of a row's norm."""
    largest = 0.0
    for v in range(start, stop):
        square = rectified_square(values, v, out) if rectify else _copied_square(values, v, out)
        largest = max(largest, square)
    return largest


@phase
def place_of(v: Any, n_old: Any, on_edges: Any) -> Any:
    """Between which old vertices a vertex lies, and where: it is one of them, or lies on an old edge."""
    if v < n_old:
        return v, v, 0.0
    i = v - n_old
    return on_edges.p[i], on_edges.q[i], on_edges.t[i]


@kernel(wide=_wide.rows_of_ends)
def rows_of_ends(values: Any, a: Any, b: Any, ends: Any) -> None:
    """The rows at two places."""
    pa, qa, ta = a
    pb, qb, tb = b
    for k in range(values.shape[1]):
        ends[0, k] = values[pa, k] + ta * (values[qa, k] - values[pa, k])
        ends[1, k] = values[pb, k] + tb * (values[qb, k] - values[pb, k])


@kernel(wide=_wide.row_between)
def row_between(rows: Any, p: Any, q: Any, t: Any, rectify: Any, out: Any, row: Any) -> None:
    """Write the row (or its positive part) that lies t of the way from row p to row q."""
    for k in range(out.shape[1]):
        y = rows[p, k] + t * (rows[q, k] - rows[p, k])
        out[row, k] = max(y, 0.0) if rectify else y


@kernel(wide=_wide.carry_new)
def carry_new(
    values: Any, new: Any, on_edges: Any, rectify: Any, start: Any, stop: Any, base: Any, ends: Any, out: Any, out_error: Any
) -> None:
    """Rows ``base + i`` at the new vertices, with a bound of their error in the 2-norm.

    The true vertex lies within ``t_error`` of the computed parameter and the tensor is affine on the segment: its value there is
    off by at most t_error times the length of the segment's true image, beyond the errors of the ends. The ends are old vertices
    or vertices ``on_edges``, whose rows before rectification are interpolated again, into ``ends``. New rows lie between old
    ones, so none is longer than the longest of those; their positive parts neither.
    """
    n_old = values.shape[0]
    for i in range(start, stop):
        a, b = new.p[i], new.q[i]
        if a < n_old and b < n_old:
            row_between(values, a, b, new.t[i], rectify, out, base + i)
            raw, length = edge_norms(values, a, b)
        else:
            rows_of_ends(values, place_of(a, n_old, on_edges), place_of(b, n_old, on_edges), ends)
            row_between(ends, 0, 1, new.t[i], rectify, out, base + i)
            raw, length = edge_norms(ends, 0, 1)
        worst = max(out_error[a], out_error[b])
        e = worst + new.t_error[i] * (length + 2.0 * worst) + 2e-15 * (raw + length) + 1e-300
        out_error[base + i] = e if e < _HUGE else _HUGE


@kernel
def line_events(
    signs: Any, crossings: Any, current: Any, start_words: Any, event_cell: Any, event_form: Any, event_on: Any, fill: Any
) -> Any:
    """Sign changes from piece to piece along a line; counts them, and writes them down if ``fill``."""
    pos, neg = signs.pos, signs.neg
    n_words = pos.shape[1]
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
        for j in range(crossings.offsets[i], crossings.offsets[i + 1]):
            k = crossings.form[j]
            current[k >> 6] ^= ONE << np.uint64(k & 63)
            if fill:
                event_cell[count], event_form[count] = cell + 1 + crossings.rank[j], k
                event_on[count] = (current[k >> 6] >> np.uint64(k & 63)) & ONE == ONE
            count += 1
        cell += 1 + crossings.n_groups[i]
    return count
