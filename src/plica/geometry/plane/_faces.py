"""Faces of the arrangement of chords in each cut cell: new vertices, edges and cells with their incidences and signs.

Everything here follows from positions and ranks; no number is compared. Around an inner vertex the half-edges come in the
cyclic order of the boundary positions that they point to, because the cell is convex; so a half-edge is followed, on its left
face, by the one just before its twin in that order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from plica.geometry._bits import ONE


@njit(cache=True, nogil=True)
def split_edges(
    edges: Any,
    edge_hyperplane: Any,
    n_groups: Any,
    new_vertex: Any,
    new_edge: Any,
    start: Any,
    stop: Any,
    out: Any,
    out_hyperplane: Any,
) -> None:
    """Every old edge becomes a chain of edges through the vertices on it."""
    for e in range(start, stop):
        p = edges[e, 0]
        base = new_edge[e]
        for s in range(n_groups[e] + 1):
            q = new_vertex[e] + s if s < n_groups[e] else edges[e, 1]
            out[base + s, 0], out[base + s, 1] = p, q
            for i in range(3):
                out_hyperplane[base + s, i] = edge_hyperplane[e, i]
            p = q


@njit(cache=True, nogil=True)
def keep_cells(
    cells: Any,
    offsets: Any,
    half_edges: Any,
    new_edge: Any,
    active: Any,
    start: Any,
    stop: Any,
    cell_at: Any,
    half_at: Any,
    out_offsets: Any,
    out_half_edges: Any,
    out_words: Any,
    parent: Any,
) -> None:
    """Cells that nothing cuts, with their edges renumbered."""
    for r in range(start, stop):
        c = cells[r]
        to = half_at[r]
        out_offsets[cell_at[r]] = to
        parent[cell_at[r]] = c
        for w in range(active.shape[1]):
            out_words[cell_at[r], w] = active[c, w]
        for i in range(offsets[c], offsets[c + 1]):
            out_half_edges[to] = 2 * new_edge[half_edges[i] >> 1] + (half_edges[i] & 1)
            to += 1


@njit(cache=True, nogil=True)
def count_nodes(
    start: Any,
    stop: Any,
    chord_offsets: Any,
    n_chords: Any,
    pair_offsets: Any,
    entry_count: Any,
    pair: Any,
    rank: Any,
    n_nodes: Any,
    n_segments: Any,
) -> None:
    """Inner vertices and chord segments of each cell; several chords through one point give one vertex."""
    for r in range(start, stop):
        x = 2 * pair_offsets[r]
        seen = np.zeros(pair_offsets[r + 1] - pair_offsets[r], np.bool_)
        nodes, segments = 0, 0
        for g in range(n_chords[r]):
            stop_x = x + entry_count[chord_offsets[r] + g]
            segments += 1
            while x < stop_x:
                y, known = x, False
                while y < stop_x and rank[y] == rank[x]:
                    known = known or seen[pair[y] - pair_offsets[r]]
                    seen[pair[y] - pair_offsets[r]] = True
                    y += 1
                if not known:
                    nodes += 1
                segments += 1
                x = y
        n_nodes[r], n_segments[r] = nodes, segments


@njit(cache=True, nogil=True)
def build_faces(
    cells: Any,
    offsets: Any,
    half_edges: Any,
    edges: Any,
    pos: Any,
    neg: Any,
    cut: Any,
    active: Any,
    layer: Any,
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
    pair_offsets: Any,
    entry_count: Any,
    other: Any,
    pair: Any,
    at: Any,
    t_error: Any,
    rank: Any,
    node_offsets: Any,
    segment_offsets: Any,
    cell_at: Any,
    half_at: Any,
    vertex_base: Any,
    edge_base: Any,
    line_cell: Any,
    out_edges: Any,
    out_hyperplane: Any,
    v_p: Any,
    v_q: Any,
    v_at: Any,
    v_t_error: Any,
    v_hyperplanes: Any,
    out_offsets: Any,
    out_half_edges: Any,
    out_words: Any,
    parent: Any,
) -> None:
    """Write the vertices, edges and cells that the chords of each cut cell make, at the places reserved for them."""
    most_boundary, most_nodes, most_chords, most_segments, most_pairs, most_faces = 0, 0, 0, 0, 0, 0
    for r in range(start, stop):
        n_nodes = node_offsets[r + 1] - node_offsets[r]
        n_segments = segment_offsets[r + 1] - segment_offsets[r]
        most_boundary = max(most_boundary, boundary_offsets[r + 1] - boundary_offsets[r])
        most_nodes = max(most_nodes, n_nodes)
        most_chords = max(most_chords, n_chords[r])
        most_segments = max(most_segments, n_segments)
        most_pairs = max(most_pairs, pair_offsets[r + 1] - pair_offsets[r])
        most_faces = max(most_faces, 1 + n_segments - n_nodes)
    lead = np.empty(most_chords, np.int32)
    node_of_pair = np.empty(most_pairs, np.int32)
    origin = np.empty(2 * most_segments, np.int32)  # local vertex where each inner half-edge starts
    towards = np.empty(2 * most_segments, np.int32)  # boundary position it points to
    chord_of = np.empty(most_segments, np.int32)
    star_offsets = np.empty(most_boundary + most_nodes + 1, np.int32)
    star_size = np.empty(most_boundary + most_nodes, np.int32)
    star = np.empty(2 * most_segments, np.int32)  # inner half-edges leaving each local vertex, in cyclic order
    slot = np.empty(2 * most_segments, np.int32)
    face_of = np.empty(2 * most_segments, np.int32)
    face_of_boundary = np.empty(most_boundary, np.int32)
    stack = np.empty(most_faces, np.int32)
    reached = np.empty(most_faces, np.bool_)
    n_words = pos.shape[1]

    for r in range(start, stop):
        c = cells[r]
        base, place = chord_offsets[r], boundary_offsets[r]
        nb = boundary_offsets[r + 1] - place
        n_segments = segment_offsets[r + 1] - segment_offsets[r]
        n_nodes = node_offsets[r + 1] - node_offsets[r]
        n_faces = 1 + n_segments - n_nodes
        d = n_chords[r]
        for i in range(base, chord_offsets[r + 1]):
            if i == base or group[i] != group[i - 1]:
                lead[group[i]] = i
        for i in range(pair_offsets[r + 1] - pair_offsets[r]):
            node_of_pair[i] = -1

        # inner vertices and segments, chord by chord
        nodes, segments = 0, 0
        x = 2 * pair_offsets[r]
        for g in range(d):
            i = lead[g]
            a, b = low[i], high[i]
            stop_x = x + entry_count[base + g]
            here = a
            while True:
                if x < stop_x:
                    node, y = -1, x
                    while y < stop_x and rank[y] == rank[x]:
                        if node_of_pair[pair[y] - pair_offsets[r]] >= 0:
                            node = node_of_pair[pair[y] - pair_offsets[r]]
                        y += 1
                    if node < 0:
                        node = nodes
                        nodes += 1
                        out = node_offsets[r] + node
                        v_p[out], v_q[out] = b_vertex[place + a], b_vertex[place + b]
                        v_at[out], v_t_error[out] = at[x], t_error[x]
                        v_hyperplanes[out, 0], v_hyperplanes[out, 1], v_hyperplanes[out, 2] = layer, line_cell[c], form[i]
                        v_hyperplanes[out, 3], v_hyperplanes[out, 4], v_hyperplanes[out, 5] = (
                            layer,
                            line_cell[c],
                            form[lead[other[x]]],
                        )
                    while x < y:
                        node_of_pair[pair[x] - pair_offsets[r]] = node
                        x += 1
                    there = nb + node
                else:
                    there = b
                h = 2 * segments
                origin[h], origin[h + 1] = here, there
                towards[h], towards[h + 1] = b, a
                chord_of[segments] = g
                e = edge_base + segment_offsets[r] + segments
                out_edges[e, 0] = b_vertex[place + here] if here < nb else vertex_base + node_offsets[r] + here - nb
                out_edges[e, 1] = b_vertex[place + there] if there < nb else vertex_base + node_offsets[r] + there - nb
                out_hyperplane[e, 0], out_hyperplane[e, 1], out_hyperplane[e, 2] = layer, line_cell[c], form[i]
                segments += 1
                here = there
                if there < nb:
                    break

        # half-edges around each local vertex, counter-clockwise
        n_local = nb + n_nodes
        for v in range(n_local):
            star_size[v] = 0
        for h in range(2 * n_segments):
            star_size[origin[h]] += 1
        star_offsets[0] = 0
        for v in range(n_local):
            star_offsets[v + 1] = star_offsets[v] + star_size[v]
            star_size[v] = 0
        for h in range(2 * n_segments):
            v = origin[h]
            turn = nb - v if v < nb else 0  # at a boundary vertex count positions from itself
            key = (towards[h] + turn) % nb
            i = star_offsets[v] + star_size[v]
            while i > star_offsets[v] and (towards[star[i - 1]] + turn) % nb > key:
                star[i] = star[i - 1]
                slot[star[i]] = i
                i -= 1
            star[i] = h
            slot[h] = i
            star_size[v] += 1

        # walk around the faces; boundary half-edges are numbered -1 - position
        for h in range(2 * n_segments):
            face_of[h] = -1
        for i in range(nb):
            face_of_boundary[i] = -1
        face, to = 0, half_at[r]
        for begin in range(-nb, 2 * n_segments):
            if (face_of_boundary[-1 - begin] if begin < 0 else face_of[begin]) >= 0:
                continue
            out_offsets[cell_at[r] + face] = to
            parent[cell_at[r] + face] = c
            h = begin
            while True:
                if h < 0:
                    i = -1 - h
                    face_of_boundary[i] = face
                    out_half_edges[to] = b_half_edge[place + i]
                    v = i + 1 if i + 1 < nb else 0
                    h = star[star_offsets[v + 1] - 1] if star_size[v] > 0 else -1 - v
                else:
                    face_of[h] = face
                    out_half_edges[to] = 2 * (edge_base + segment_offsets[r] + (h >> 1)) + (h & 1)
                    twin = h ^ 1
                    v = origin[twin]
                    if slot[twin] > star_offsets[v]:
                        h = star[slot[twin] - 1]
                    elif v < nb:
                        h = -1 - v
                    else:
                        h = star[star_offsets[v + 1] - 1]
                to += 1
                if h == begin:
                    break
            face += 1

        # signs: from the face at boundary position 0, flipping across each chord
        for f in range(n_faces):
            reached[f] = False
        e0 = half_edges[offsets[c]] >> 1
        v0, v1 = edges[e0, half_edges[offsets[c]] & 1], edges[e0, 1 - (half_edges[offsets[c]] & 1)]
        root = face_of_boundary[0]
        for w in range(n_words):
            p, n = pos[v0, w], neg[v0, w]
            on = p | (~(p | n) & pos[v1, w])
            out_words[cell_at[r] + root, w] = (active[c, w] & ~cut[c, w]) | (on & cut[c, w])
        reached[root] = True
        stack[0] = root
        size = 1
        while size > 0:
            size -= 1
            f = stack[size]
            for i in range(out_offsets[cell_at[r] + f], to if f == n_faces - 1 else out_offsets[cell_at[r] + f + 1]):
                s = (out_half_edges[i] >> 1) - edge_base - segment_offsets[r]
                if s < 0:
                    continue
                next_face = face_of[2 * s + 1 - (out_half_edges[i] & 1)]
                if reached[next_face]:
                    continue
                reached[next_face] = True
                stack[size] = next_face
                size += 1
                for w in range(n_words):
                    out_words[cell_at[r] + next_face, w] = out_words[cell_at[r] + f, w]
                j = lead[chord_of[s]]
                g = group[j]
                while j < chord_offsets[r + 1] and group[j] == g:
                    out_words[cell_at[r] + next_face, form[j] >> 6] ^= ONE << np.uint64(form[j] & 63)
                    j += 1


@njit(cache=True, nogil=True)
def sides(offsets: Any, half_edges: Any, edge_cells: Any) -> None:
    """The cell on the left and on the right of every edge, -1 where there is none."""
    for e in range(edge_cells.shape[0]):
        edge_cells[e, 0] = -1
        edge_cells[e, 1] = -1
    for c in range(offsets.shape[0] - 1):
        for i in range(offsets[c], offsets[c + 1]):
            edge_cells[half_edges[i] >> 1, half_edges[i] & 1] = c


@njit(cache=True, nogil=True)
def name_vertices(edge: Any, edge_hyperplane: Any, edge_cells: Any, form: Any, layer: Any, out: Any) -> None:
    """The two lines of each new vertex on an old edge: the edge's own, and that of the form which crosses it."""
    for i in range(len(edge)):
        e = edge[i]
        for j in range(3):
            out[i, j] = edge_hyperplane[e, j]
        out[i, 3] = layer
        out[i, 4] = edge_cells[e, 0] if edge_cells[e, 0] >= 0 else edge_cells[e, 1]
        out[i, 5] = form[i]
