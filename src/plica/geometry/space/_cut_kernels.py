"""A face lattice cut by one form: the kernels of the space engine.

Faces of every dimension are kept with the list of their facets. A form that is positive at one vertex of a face and negative at
another cuts it into a minus part (which keeps the number of the face), a plus part, and the zero face between them, one dimension
lower. The zero face is bounded by the zero faces of the cut facets and by the faces two dimensions lower that lie in the zero set
already; so degenerate positions need no special case. Which faces are cut is read off words of signs, see
:class:`plica.geometry.space._arrays.FaceArrays`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled
from plica.geometry._bits import ONE, ZERO, lowest

_HUGE = 1e300
_BLOCK = 128  # faces that go through all phases together: what they touch stays in the cache


@compiled
def gather_words(faces: Any, below: Any, start: Any, stop: Any) -> None:
    """Words of faces from the words ``below`` of their facets."""
    offsets, sizes, pool, words = faces.offsets, faces.sizes, faces.pool, faces.words
    for f in range(start, stop):
        _unite(words, f, pool, offsets[f], offsets[f] + sizes[f], below)


@compiled
def _unite(words: Any, f: Any, pool: Any, begin: Any, end: Any, below: Any) -> None:
    """The signs that occur on face f are those that occur on its facets."""
    for w in range(words.shape[2]):
        p, n = ZERO, ZERO
        for x in range(begin, end):
            p |= below[pool[x], 0, w]
            n |= below[pool[x], 1, w]
        words[f, 0, w], words[f, 1, w] = p, n


@compiled
def hand_down_cells(faces: Any, n: Any, below: Any) -> None:
    """Every facet gets the cell of a face that it bounds."""
    for f in range(n):
        for i in range(faces.offsets[f], faces.offsets[f] + faces.sizes[f]):
            below[faces.pool[i]] = faces.cell[f]


@compiled
def find_cut(faces: Any, n: Any, k: Any, cut: Any) -> Any:
    """Faces cut by form k; returns how many, and how many facets they have together."""
    w, flag = k >> 6, ONE << np.uint64(k & 63)
    count, total = 0, 0
    for f in range(n):
        if faces.words[f, 0, w] & faces.words[f, 1, w] & flag != ZERO:
            cut[count] = f
            total += faces.sizes[f]
            count += 1
    return count, total


@compiled
def has_zero(words: Any, n: Any, k: Any) -> Any:
    """Whether form k vanishes at one of the first n vertices."""
    w, flag = k >> 6, ONE << np.uint64(k & 63)
    for v in range(n):
        if (words[v, 0, w] | words[v, 1, w]) & flag == ZERO:
            return True
    return False


@compiled
def cut_edges(cut: Any, start: Any, stop: Any, k: Any, edges: Any, vertices: Any, forms: Any, new: Any) -> Any:
    """A new vertex on each of the cut edges start..stop, with all signs there; returns how many signs are undecided."""
    undecided = 0
    for a in range(start, stop, _BLOCK):
        b = min(a + _BLOCK, stop)
        _order_ends(cut, a, b, k, edges, vertices, new)
        _place_vertices(new.zero + a, new.zero + b, k, vertices, forms)
        undecided += _decide_signs(new.zero + a, new.zero + b, k, vertices, forms)
        _split_edges(cut, a, b, edges, vertices, new)
    return undecided


@compiled
def _order_ends(cut: Any, start: Any, stop: Any, k: Any, edges: Any, vertices: Any, new: Any) -> None:
    """The ends of each cut edge, first the one where form k is negative."""
    pool, words, ends = edges.pool, vertices.words, vertices.ends
    w, flag = k >> 6, ONE << np.uint64(k & 63)
    for i in range(start, stop):
        a, b = pool[2 * cut[i]], pool[2 * cut[i] + 1]
        if words[a, 1, w] & flag == ZERO:
            a, b = b, a
        ends[new.zero + i, 0], ends[new.zero + i, 1] = a, b


@compiled
def _place_vertices(start: Any, stop: Any, k: Any, vertices: Any, forms: Any) -> None:
    """Where form k vanishes between the ends of new vertices, and the values of all forms there."""
    z, errors, inverse_scale = forms.z, forms.error, forms.inverse_scale
    ends, ts, t_errors = vertices.ends, vertices.t, vertices.t_error
    scale, floor = forms.scale[k], forms.floor[k]
    for v in range(start, stop):
        a, b = ends[v, 0], ends[v, 1]
        error = max(errors[a], errors[b])
        gap = z[a, k] - z[b, k]
        if gap == 0.0:  # both ends underflow: exact arithmetic knows that their signs differ
            t, t_error = 0.5, _HUGE
        else:
            t = z[a, k] / gap
            t_error = (scale * error + floor) / abs(gap) + 1e-15
        if not (t_error < _HUGE):
            t_error = _HUGE
        if not (t > 0.0):
            t = 0.0
        elif t > 1.0:
            t = 1.0
        worst = 0.0
        for j in range(z.shape[1]):
            x = z[a, j]
            d = z[b, j] - x
            z[v, j] = x + t * d
            worst = max(worst, abs(d) * inverse_scale[j])
        z[v, k] = 0.0
        error = error + t_error * worst
        errors[v] = error if error < _HUGE else _HUGE
        ts[v], t_errors[v] = t, t_error


@compiled
def _decide_signs(start: Any, stop: Any, k: Any, vertices: Any, forms: Any) -> Any:
    """Only forms that change sign along the edge need a number; the other signs at a new vertex follow from its ends."""
    z, errors, scale, floor = forms.z, forms.error, forms.scale, forms.floor
    words, undecided, ends, t_error = vertices.words, vertices.undecided, vertices.ends, vertices.t_error
    count = 0
    for v in range(start, stop):
        a, b = ends[v, 0], ends[v, 1]
        error = max(errors[a], errors[b])
        for w in range(words.shape[2]):
            p, n = words[a, 0, w] | words[b, 0, w], words[a, 1, w] | words[b, 1, w]
            both = p & n
            p, n, u = p & ~both, n & ~both, ZERO
            if w == k >> 6:
                both &= ~(ONE << np.uint64(k & 63))
            while both != ZERO:
                j = 64 * w + lowest(both)
                flag = both & (ZERO - both)
                both &= both - ONE
                bound = scale[j] * error + t_error[v] * abs(z[b, j] - z[a, j]) + 4.0 * floor[j]
                if z[v, j] > bound:
                    p |= flag
                elif z[v, j] < -bound:
                    n |= flag
                else:
                    u |= flag
                    count += 1
            words[v, 0, w], words[v, 1, w], undecided[v, w] = p, n, u
    return count


@compiled
def _split_edges(cut: Any, start: Any, stop: Any, edges: Any, vertices: Any, new: Any) -> None:
    """A cut edge keeps its minus end, its plus part gets the other; the new vertex is between them."""
    pool, offsets, sizes, parts, ends = edges.pool, edges.offsets, edges.sizes, edges.parts, vertices.ends
    for i in range(start, stop):
        e, v, plus = cut[i], new.zero + i, new.plus + i
        pool[2 * e], pool[2 * e + 1] = ends[v, 0], v
        pool[2 * plus], pool[2 * plus + 1] = v, ends[v, 1]
        offsets[plus], sizes[plus] = 2 * plus, 2
        parts[e, 0], parts[e, 1] = plus, v
    _inherit(cut, start, stop, edges.cell, edges.hyperplanes, edges.cell, edges.hyperplanes, new.plus)
    _inherit(cut, start, stop, edges.cell, edges.hyperplanes, vertices.cell, vertices.hyperplanes, new.zero)
    for i in range(start, stop):
        vertices.hyperplanes[new.zero + i, edges.hyperplanes.shape[1]] = new.hyperplane + i


@compiled
def _inherit(cut: Any, start: Any, stop: Any, cell: Any, hyperplanes: Any, new_cell: Any, new_hyperplanes: Any, new: Any) -> None:
    """What is made of a cut face, numbered from ``new`` on, belongs to the same cell and lies on the same hyperplanes."""
    for i in range(start, stop):
        new_cell[new + i] = cell[cut[i]]
        for j in range(hyperplanes.shape[1]):
            new_hyperplanes[new + i, j] = hyperplanes[cut[i], j]


@compiled
def edge_words(edges: Any, vertex_words: Any, cut: Any, n_cut: Any, plus: Any) -> None:
    """Words of the cut edges and of their plus parts, which are numbered from ``plus`` on."""
    pool, words = edges.pool, edges.words
    for i in range(2 * n_cut):
        e = cut[i] if i < n_cut else plus + i - n_cut
        _unite(words, e, pool, 2 * e, 2 * e + 2, vertex_words)


@compiled
def cut_faces(
    cut: Any, start: Any, stop: Any, k: Any, faces: Any, facets: Any, ridge_words: Any, new: Any, ends: Any, any_zero: Any
) -> Any:
    """Cut the faces start..stop of dimension two and more; returns the ends of the two pools.

    ``ridge_words`` are those of the facets of the facets, ``ends`` is where the pools of faces and facets may be written from.
    Without ``any_zero`` the form vanishes at no vertex but the new ones. No cut face needs another of its dimension, so ranges of
    them may be cut at the same time, each with its own ends.
    """
    pool_end, facet_end = ends
    for a in range(start, stop, _BLOCK):
        b = min(a + _BLOCK, stop)
        facet_end = _make_zero_faces(cut, a, b, k, faces, facets, ridge_words, new, facet_end, any_zero)
        pool_end = _divide_facets(cut, a, b, k, faces, facets, new, pool_end)
        _inherit(cut, a, b, faces.cell, faces.hyperplanes, faces.cell, faces.hyperplanes, new.plus)
        _inherit(cut, a, b, faces.cell, faces.hyperplanes, facets.cell, facets.hyperplanes, new.zero)
        for i in range(a, b):
            facets.hyperplanes[new.zero + i, faces.hyperplanes.shape[1]] = new.hyperplane + i
    return pool_end, facet_end


@compiled
def _make_zero_faces(
    cut: Any, start: Any, stop: Any, k: Any, faces: Any, facets: Any, ridge_words: Any, new: Any, end: Any, any_zero: Any
) -> Any:
    """The facets of the zero faces, written from ``end`` on; returns the new end."""
    offsets, sizes, pool = faces.offsets, faces.sizes, faces.pool
    low_offsets, low_sizes, low_pool, low_words, parts = facets.offsets, facets.sizes, facets.pool, facets.words, facets.parts
    w, flag = k >> 6, ONE << np.uint64(k & 63)
    for i in range(start, stop):
        f, zero, begin = cut[i], new.zero + i, end
        for x in range(offsets[f], offsets[f] + sizes[f]):
            g = pool[x]
            if parts[g, 0] >= 0:
                low_pool[end] = parts[g, 1]
                end += 1
            elif any_zero:
                for y in range(low_offsets[g], low_offsets[g] + low_sizes[g]):
                    h = low_pool[y]
                    if (ridge_words[h, 0, w] | ridge_words[h, 1, w]) & flag == ZERO:
                        known = False
                        for j in range(begin, end):
                            known = known or low_pool[j] == h
                        if not known:
                            low_pool[end] = h
                            end += 1
        low_offsets[zero], low_sizes[zero] = begin, end - begin
        _unite(low_words, zero, low_pool, begin, end, ridge_words)
    return end


@compiled
def _divide_facets(cut: Any, start: Any, stop: Any, k: Any, faces: Any, facets: Any, new: Any, end: Any) -> Any:
    """The facets of a cut face go to its minus part, its plus part, or are cut and go to both; returns the end of the pool.

    The minus part keeps the place of the face if it fits there.
    """
    offsets, sizes, pool, words, own_parts = faces.offsets, faces.sizes, faces.pool, faces.words, faces.parts
    low_words, parts = facets.words, facets.parts
    w, flag = k >> 6, ONE << np.uint64(k & 63)
    for i in range(start, stop):
        f, plus, zero = cut[i], new.plus + i, new.zero + i
        begin, stay = offsets[f], offsets[f]
        past, plus_begin = begin + sizes[f], end
        for x in range(begin, past):
            g = pool[x]
            if parts[g, 0] >= 0:
                pool[end] = parts[g, 0]
                end += 1
                pool[stay] = g
                stay += 1
            elif low_words[g, 0, w] & flag != ZERO:
                pool[end] = g
                end += 1
            else:
                pool[stay] = g
                stay += 1
        pool[end] = zero
        end += 1
        offsets[plus], sizes[plus] = plus_begin, end - plus_begin
        _unite(words, plus, pool, plus_begin, end, low_words)
        if stay == past:  # no room for one more
            for x in range(begin, past):
                pool[end + x - begin] = pool[x]
            offsets[f], end = end, end + past - begin + 1
            stay = end - 1
        pool[stay] = zero
        sizes[f] = stay + 1 - offsets[f]
        _unite(words, f, pool, offsets[f], stay + 1, low_words)
        own_parts[f, 0], own_parts[f, 1] = plus, zero
    return end


@compiled
def forget_parts(parts: Any, cut: Any, n_cut: Any) -> None:
    """No face is cut any more."""
    for i in range(n_cut):
        parts[cut[i], 0] = -1
        parts[cut[i], 1] = -1


@compiled
def carry_values(values: Any, error: Any, vertices: Any, start: Any, stop: Any) -> None:
    """Rows of new vertices in the order they were made: each lies between two earlier ones."""
    for v in range(start, stop):
        a, b, t = vertices.ends[v, 0], vertices.ends[v, 1], vertices.t[v]
        length, size = 0.0, 0.0
        for k in range(values.shape[1]):
            x = values[a, k]
            d = values[b, k] - x
            values[v, k] = x + t * d
            length += d * d
            size += x * x
        length = np.sqrt(length)
        e = max(error[a], error[b]) + vertices.t_error[v] * length + 2e-15 * (np.sqrt(size) + length) + 1e-300
        error[v] = e if e < _HUGE else _HUGE


@compiled
def mark_rounded_zeros(values: Any, ends: Any, start: Any, stop: Any, mark: Any) -> None:
    """A zero between two vertices where not both are zero is a rounded one, and gets the mark."""
    for v in range(start, stop):
        a, b = ends[v, 0], ends[v, 1]
        for k in range(values.shape[1]):
            if values[v, k] == 0.0 and (values[a, k] != 0.0 or values[b, k] != 0.0):
                values[v, k] = mark
