"""A face lattice cut by one form: the kernels of the space engine.

Faces of every dimension are kept with the list of their facets. A form that is positive at one vertex of a face and negative at
another cuts it into a minus part (which keeps the number of the face), a plus part, and the zero face between them, one dimension
lower. The zero face is bounded by the zero faces of the cut facets and by the faces two dimensions lower that lie in the zero set
already; so degenerate positions need no special case. Which faces are cut is read off words of signs: bit k of ``pos`` (``neg``)
is set where form k is positive (negative) at some vertex of the face.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from plica.geometry._bits import ONE, ZERO, lowest

_HUGE = 1e300


@njit(cache=True, nogil=True)
def gather_words(first: Any, size: Any, pool: Any, pos: Any, neg: Any, out_pos: Any, out_neg: Any, start: Any, stop: Any) -> None:
    """Words of faces from the words of their facets."""
    for f in range(start, stop):
        for w in range(pos.shape[1]):
            p, n = ZERO, ZERO
            for i in range(first[f], first[f] + size[f]):
                p |= pos[pool[i], w]
                n |= neg[pool[i], w]
            out_pos[f, w], out_neg[f, w] = p, n


@njit(cache=True, nogil=True)
def hand_down(first: Any, size: Any, pool: Any, home: Any, n: Any, out: Any) -> None:
    """Every facet gets the home of a face it bounds."""
    for f in range(n):
        for i in range(first[f], first[f] + size[f]):
            out[pool[i]] = home[f]


@njit(cache=True, nogil=True)
def find_cut(pos: Any, neg: Any, n: Any, k: Any, size: Any, out: Any) -> Any:
    """Faces cut by form k; returns how many, and how many facets they have together."""
    w, flag = k >> 6, ONE << np.uint64(k & 63)
    count, total = 0, 0
    for f in range(n):
        if pos[f, w] & neg[f, w] & flag != ZERO:
            out[count] = f
            total += size[f]
            count += 1
    return count, total


@njit(cache=True, nogil=True)
def cut_edges(
    cut: Any, n_cut: Any, k: Any, pool: Any, pos: Any, neg: Any, home: Any, lines: Any, n_edges: Any, plus: Any, zero: Any,
    v_pos: Any, v_neg: Any, v_undecided: Any, v_home: Any, v_lines: Any, n_vertices: Any, line_base: Any,
    z: Any, scale: Any, inverse_scale: Any, error: Any, floor: Any, v_p: Any, v_q: Any, v_at: Any, v_t_error: Any,
) -> Any:  # fmt: skip
    """A new vertex on every cut edge, with the signs of all forms there; returns how many signs are undecided.

    Edge e has its two vertices at ``pool[2 e], pool[2 e + 1]``. Only forms that change sign along the same edge need a number;
    the sign of every other form at the new vertex follows from the ends.
    """
    w_k, flag_k = k >> 6, ONE << np.uint64(k & 63)
    m = z.shape[1]
    undecided = 0
    for i in range(n_cut):
        e = cut[i]
        a, b = pool[2 * e], pool[2 * e + 1]
        minus, positive = (a, b) if v_neg[a, w_k] & flag_k != ZERO else (b, a)
        v = n_vertices + i
        zp, zq = z[minus, k], z[positive, k]
        gap = zp - zq
        if gap == 0.0:  # both ends underflow: exact arithmetic knows that their signs differ
            t, s = 0.5, _HUGE
        else:
            t = zp / gap
            s = (scale[k] * max(error[minus], error[positive]) + floor[k]) / abs(gap) + 1e-15
        if not (s < _HUGE):
            s = _HUGE
        if not (t > 0.0):
            t = 0.0
        elif t > 1.0:
            t = 1.0
        worst = 0.0
        for j in range(m):
            x = z[minus, j]
            d = z[positive, j] - x
            z[v, j] = x + t * d
            worst = max(worst, abs(d) * inverse_scale[j])
        z[v, k] = 0.0
        ends = max(error[minus], error[positive])
        err = ends + s * worst
        error[v] = err if err < _HUGE else _HUGE
        v_p[v], v_q[v], v_at[v], v_t_error[v] = minus, positive, t, s
        for w in range(v_pos.shape[1]):
            p = v_pos[minus, w] | v_pos[positive, w]
            n = v_neg[minus, w] | v_neg[positive, w]
            both = p & n
            p, n = p & ~both, n & ~both
            u = ZERO
            if w == w_k:
                both &= ~flag_k
            while both != ZERO:
                j = 64 * w + lowest(both)
                flag = both & (ZERO - both)
                both &= both - ONE
                bound = scale[j] * ends + s * abs(z[positive, j] - z[minus, j]) + 4.0 * floor[j]
                if z[v, j] > bound:
                    p |= flag
                elif z[v, j] < -bound:
                    n |= flag
                else:
                    u |= flag
                    undecided += 1
            v_pos[v, w], v_neg[v, w], v_undecided[v, w] = p, n, u
        v_home[v] = home[e]
        for j in range(lines.shape[1]):
            v_lines[v, j] = lines[e, j]
        v_lines[v, lines.shape[1]] = line_base + i
        g = n_edges + i
        pool[2 * e], pool[2 * e + 1] = minus, v
        pool[2 * g], pool[2 * g + 1] = v, positive
        home[g] = home[e]
        for j in range(lines.shape[1]):
            lines[g, j] = lines[e, j]
        plus[e], zero[e] = g, v
    return undecided


@njit(cache=True, nogil=True)
def cut_faces(
    cut: Any, from_cut: Any, to_cut: Any, k: Any, first: Any, size: Any, pool: Any, pool_end: Any, pos: Any, neg: Any, home: Any,
    lines: Any, n_faces: Any, plus: Any, zero: Any,
    g_first: Any, g_size: Any, g_pool: Any, g_pool_end: Any, g_pos: Any, g_neg: Any, g_home: Any, g_lines: Any, n_facets: Any,
    g_plus: Any, g_zero: Any, h_pos: Any, h_neg: Any, line_base: Any,
) -> Any:  # fmt: skip
    """Cut faces of dimension two and more; ``g`` are their facets, ``h`` the facets of those. Returns the ends of the pools.

    No cut face needs another of its dimension, so ranges of them may be cut at the same time, each with its own stretch of the
    pools.
    """
    w_k, flag_k = k >> 6, ONE << np.uint64(k & 63)
    n_words = pos.shape[1]
    is_edge = g_pool_end < 0  # the facets are edges: two vertices each, at fixed places
    for i in range(from_cut, to_cut):
        f = cut[i]
        f_plus, f_zero = n_faces + i, n_facets + i
        low, high = first[f], first[f] + size[f]
        # facets of the zero face
        zero_start = 2 * f_zero if is_edge else g_pool_end
        zero_end = zero_start
        for x in range(low, high):
            g = pool[x]
            if g_plus[g] >= 0:
                g_pool[zero_end] = g_zero[g]
                zero_end += 1
            else:
                begin = 2 * g if is_edge else g_first[g]
                end = begin + (2 if is_edge else g_size[g])
                for y in range(begin, end):
                    h = g_pool[y]
                    if (h_pos[h, w_k] | h_neg[h, w_k]) & flag_k == ZERO:
                        known = False
                        for j in range(zero_start, zero_end):
                            known = known or g_pool[j] == h
                        if not known:
                            g_pool[zero_end] = h
                            zero_end += 1
        g_first[f_zero], g_size[f_zero] = zero_start, zero_end - zero_start
        if not is_edge:
            g_pool_end = zero_end
        for w in range(n_words):
            p, n = ZERO, ZERO
            for j in range(zero_start, zero_end):
                p |= h_pos[g_pool[j], w]
                n |= h_neg[g_pool[j], w]
            g_pos[f_zero, w], g_neg[f_zero, w] = p, n
        g_home[f_zero] = home[f]
        for j in range(lines.shape[1]):
            g_lines[f_zero, j] = lines[f, j]
        g_lines[f_zero, lines.shape[1]] = line_base + i
        # the two parts
        for side in range(2):
            start = pool_end
            for x in range(low, high):
                g = pool[x]
                if g_plus[g] >= 0:
                    pool[pool_end] = g if side == 0 else g_plus[g]
                    pool_end += 1
                elif (g_pos[g, w_k] & flag_k != ZERO) == (side == 1):
                    pool[pool_end] = g
                    pool_end += 1
            pool[pool_end] = f_zero
            pool_end += 1
            part = f if side == 0 else f_plus
            for w in range(n_words):
                p, n = ZERO, ZERO
                for x in range(start, pool_end):
                    p |= g_pos[pool[x], w]
                    n |= g_neg[pool[x], w]
                pos[part, w], neg[part, w] = p, n
            first[part], size[part] = start, pool_end - start
        home[f_plus] = home[f]
        for j in range(lines.shape[1]):
            lines[f_plus, j] = lines[f, j]
        plus[f], zero[f] = f_plus, f_zero
    return pool_end, g_pool_end


@njit(cache=True, nogil=True)
def edge_words(pool: Any, n: Any, v_pos: Any, v_neg: Any, pos: Any, neg: Any, only: Any, n_only: Any, base: Any) -> None:
    """Words of the given edges and of the ``n_only`` edges from ``base`` on."""
    for i in range(2 * n_only):
        e = only[i] if i < n_only else base + i - n_only
        for w in range(pos.shape[1]):
            pos[e, w] = v_pos[pool[2 * e], w] | v_pos[pool[2 * e + 1], w]
            neg[e, w] = v_neg[pool[2 * e], w] | v_neg[pool[2 * e + 1], w]


@njit(cache=True, nogil=True)
def forget(cut: Any, n_cut: Any, plus: Any, zero: Any) -> None:
    for i in range(n_cut):
        plus[cut[i]] = -1
        zero[cut[i]] = -1


@njit(cache=True, nogil=True)
def carry_chain(values: Any, error: Any, p: Any, q: Any, at: Any, t_error: Any, start: Any, stop: Any) -> None:
    """Rows of new vertices in the order they were made: each lies between two earlier ones."""
    for v in range(start, stop):
        a, b, t = p[v], q[v], at[v]
        length, size = 0.0, 0.0
        for k in range(values.shape[1]):
            x = values[a, k]
            d = values[b, k] - x
            values[v, k] = x + t * d
            length += d * d
            size += x * x
        length = np.sqrt(length)
        e = max(error[a], error[b]) + t_error[v] * length + 2e-15 * (np.sqrt(size) + length) + 1e-300
        error[v] = e if e < _HUGE else _HUGE


@njit(cache=True, nogil=True)
def pack(first: Any, size: Any, pool: Any, n: Any, out_first: Any, out: Any) -> None:
    """The facet lists one after the other, without the gaps that cutting leaves."""
    end = 0
    for f in range(n):
        out_first[f] = end
        for i in range(first[f], first[f] + size[f]):
            out[end] = pool[i]
            end += 1


@njit(cache=True, nogil=True)
def least_vertices(first: Any, entries: Any, below: Any, out: Any) -> None:
    """The lowest vertex number of each face, from that of its facets."""
    for f in range(first.shape[0] - 1):
        best = below[entries[first[f]]]
        for i in range(first[f] + 1, first[f + 1]):
            best = min(best, below[entries[i]])
        out[f] = best


@njit(cache=True, nogil=True)
def collect_vertices(first: Any, entries: Any, low_first: Any, low: Any, stamp: Any, out_first: Any, out: Any, fill: Any) -> Any:
    """The vertices of each face as the union of those of its facets; counts them, and writes them down if ``fill``."""
    count = 0
    for f in range(first.shape[0] - 1):
        out_first[f] = count
        for i in range(first[f], first[f + 1]):
            g = entries[i]
            for j in range(low_first[g], low_first[g + 1]):
                v = low[j]
                if stamp[v] != f:
                    stamp[v] = f
                    if fill:
                        out[count] = v
                    count += 1
    out_first[first.shape[0] - 1] = count
    return count


@njit(cache=True, nogil=True)
def volumes(n: Any, base: Any, first: Any, size: Any, pool: Any, least: Any, xyz: Any, start: Any, stop: Any, out: Any) -> None:
    """Volumes of the cells start..stop: each face is a cone from its lowest vertex over the facets that miss it.

    Faces of all dimensions are in common arrays; those of dimension d start at base[d]. A stack of positions replaces recursion.
    """
    face = np.empty(n + 1, np.int64)
    place = np.empty(n + 1, np.int64)
    corner = np.empty(n + 1, np.int64)
    matrix = np.empty((n, n))
    factorial = 1.0
    for i in range(2, n + 1):
        factorial *= i
    for c in range(start, stop):
        total = 0.0
        d = n
        face[d], place[d] = c, 0
        while d <= n:
            f = base[d] + face[d]
            if place[d] == size[f]:
                d += 1
                continue
            g = pool[first[f] + place[d]]
            place[d] += 1
            if least[base[d - 1] + g] == least[f]:
                continue
            corner[d] = least[f]
            if d > 2:
                d -= 1
                face[d], place[d] = g, 0
                continue
            e = base[1] + g
            corner[1], corner[0] = pool[first[e]], pool[first[e] + 1]
            for i in range(n):
                for j in range(n):
                    matrix[i, j] = xyz[corner[i], j] - xyz[corner[n], j]
            total += abs(_determinant(matrix, n))
        out[c] = total / factorial


@njit(cache=True, nogil=True)
def _determinant(a: Any, n: Any) -> Any:
    """Gaussian elimination with pivoting, in place."""
    det = 1.0
    for i in range(n):
        p = i
        for r in range(i + 1, n):
            if abs(a[r, i]) > abs(a[p, i]):
                p = r
        if a[p, i] == 0.0:
            return 0.0
        if p != i:
            det = -det
            for j in range(n):
                a[i, j], a[p, j] = a[p, j], a[i, j]
        det *= a[i, i]
        for r in range(i + 1, n):
            f = a[r, i] / a[i, i]
            for j in range(i, n):
                a[r, j] -= f * a[i, j]
    return det


@njit(cache=True, nogil=True)
def facet_sides(first: Any, entries: Any, out: Any) -> None:
    """The one or two cells of every facet."""
    out[:] = -1
    for c in range(first.shape[0] - 1):
        for i in range(first[c], first[c + 1]):
            g = entries[i]
            if out[g, 0] < 0:
                out[g, 0] = c
            else:
                out[g, 1] = c
