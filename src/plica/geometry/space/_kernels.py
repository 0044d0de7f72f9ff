"""What is read off a face lattice: lists without gaps, vertices and sides of faces, volumes."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled


@compiled
def number_cube_faces(n_free: Any, number: Any, counts: Any) -> None:
    """For each word over {0, 1, 2} how many 2s it has, and its number among the words with as many."""
    for code in range(len(n_free)):
        n_free[code] = (n_free[code // 3] if code else 0) + (code % 3 == 2)
        number[code] = counts[n_free[code]]
        counts[n_free[code]] += 1


@compiled
def list_cube_faces(codes: Any, number: Any, facets: Any, hyperplanes: Any) -> None:
    """Facets and sides of the faces of a cube with the given words: letter x at place i is side 2 i + x."""
    n_free, n_fixed = facets.shape[1], hyperplanes.shape[1]
    for f in range(len(codes)):
        rest, power = codes[f], 1
        free, fixed = n_free, n_fixed
        for i in range(n_free // 2 + n_fixed - 1, -1, -1):
            letter = rest % 3
            rest //= 3
            if letter == 2:
                free -= 2
                facets[f, free], facets[f, free + 1] = number[codes[f] - 2 * power], number[codes[f] - power]
            else:
                fixed -= 1
                hyperplanes[f, fixed] = 2 * i + letter
            power *= 3


@compiled
def pack(faces: Any, n: Any, offsets: Any, entries: Any) -> None:
    """The facet lists one after the other, without the gaps that cutting leaves."""
    end = 0
    for f in range(n):
        offsets[f] = end
        for i in range(faces.offsets[f], faces.offsets[f] + faces.sizes[f]):
            entries[end] = faces.pool[i]
            end += 1
    offsets[n] = end


@compiled
def least_vertices(offsets: Any, entries: Any, below: Any, out: Any) -> None:
    """The lowest vertex number of each face, from that of its facets."""
    for f in range(offsets.shape[0] - 1):
        best = below[entries[offsets[f]]]
        for i in range(offsets[f] + 1, offsets[f + 1]):
            best = min(best, below[entries[i]])
        out[f] = best


@compiled
def count_vertices(lists: Any, below: Any, stamp: Any, offsets: Any) -> None:
    """Offsets of the vertex lists of faces: each is the union of the lists ``below`` of its facets."""
    count = 0
    for f in range(lists.offsets.shape[0] - 1):
        offsets[f] = count
        for i in range(lists.offsets[f], lists.offsets[f + 1]):
            g = lists.entries[i]
            for j in range(below.offsets[g], below.offsets[g + 1]):
                if stamp[below.entries[j]] != f:
                    stamp[below.entries[j]] = f
                    count += 1
    offsets[-1] = count


@compiled
def collect_vertices(lists: Any, below: Any, stamp: Any, offsets: Any, entries: Any) -> None:
    """The vertex lists that :func:`count_vertices` has counted."""
    for f in range(lists.offsets.shape[0] - 1):
        end = offsets[f]
        for i in range(lists.offsets[f], lists.offsets[f + 1]):
            g = lists.entries[i]
            for j in range(below.offsets[g], below.offsets[g + 1]):
                v = below.entries[j]
                if stamp[v] != f:
                    stamp[v] = f
                    entries[end] = v
                    end += 1


@compiled
def volumes(cones: Any, points: Any, start: Any, stop: Any, out: Any) -> None:
    """Volumes of the cells start..stop: each face is a cone from its lowest vertex over the facets that miss it.

    A stack of positions replaces recursion.
    """
    n = points.shape[1]
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
        face[d] = cones.base[d] + c
        place[d] = cones.offsets[face[d]]
        while d <= n:
            f = face[d]
            if place[d] == cones.offsets[f + 1]:
                d += 1
                continue
            g = cones.base[d - 1] + cones.entries[place[d]]
            place[d] += 1
            if cones.least[g] == cones.least[f]:
                continue
            corner[d] = cones.least[f]
            if d > 2:
                d -= 1
                face[d], place[d] = g, cones.offsets[g]
                continue
            corner[1], corner[0] = cones.entries[cones.offsets[g]], cones.entries[cones.offsets[g] + 1]
            for i in range(n):
                for j in range(n):
                    matrix[i, j] = points[corner[i], j] - points[corner[n], j]
            total += abs(_determinant(matrix, n))
        out[c] = total / factorial


@compiled
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


@compiled
def facet_sides(offsets: Any, entries: Any, out: Any) -> None:
    """The one or two cells of every facet."""
    out[:] = -1
    for c in range(offsets.shape[0] - 1):
        for i in range(offsets[c], offsets[c + 1]):
            g = entries[i]
            if out[g, 0] < 0:
                out[g, 0] = c
            else:
                out[g, 1] = c


@compiled
def walk_around(polygons: Any, edges: Any, follow: Any, out: Any) -> None:
    """The vertices of each polygon in order around it; ``follow`` is room for a number at each vertex.

    Every vertex of a polygon lies on two of its edges: the walk leaves a vertex by the edge it did not come along.
    """
    for f in range(polygons.offsets.shape[0] - 1):
        a, b = polygons.offsets[f], polygons.offsets[f + 1]
        n = b - a
        # an edge is known to its two ends by the sum of the places of both edges there
        for i in range(a, b):
            e = polygons.entries[i]
            follow[edges.entries[2 * e]] = 0
            follow[edges.entries[2 * e + 1]] = 0
        for i in range(a, b):
            e = polygons.entries[i]
            follow[edges.entries[2 * e]] += i - a
            follow[edges.entries[2 * e + 1]] += i - a
        place, vertex = 0, edges.entries[2 * polygons.entries[a]]
        for k in range(n):
            out[a + k] = vertex
            e = polygons.entries[a + place]
            vertex = edges.entries[2 * e] + edges.entries[2 * e + 1] - vertex
            place = follow[vertex] - place
