"""Faces of the arrangement of chords in each cut cell: new vertices, edges and cells with their incidences and signs.

Everything here follows from positions and ranks; no number is compared. Around an inner vertex the half-edges come in the
cyclic order of the boundary positions that they point to, because the cell is convex; so a half-edge is followed, on its left
face, by the one just before its twin in that order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.geometry._bits import ONE
from plica.geometry._kernel import kernel, phase
from plica.geometry.plane._chords import lead_chords


@kernel
def split_edges(edges: Any, edge_hyperplane: Any, split: Any, start: Any, stop: Any, out: Any) -> None:
    """Every old edge becomes a chain of edges through the vertices on it."""
    n_groups, new_vertex = split.n_groups, split.new_vertex
    for e in range(start, stop):
        p = edges[e, 0]
        base = split.new_edge[e]
        for s in range(n_groups[e] + 1):
            q = new_vertex[e] + s if s < n_groups[e] else edges[e, 1]
            out.edges[base + s, 0], out.edges[base + s, 1] = p, q
            for i in range(3):
                out.hyperplane[base + s, i] = edge_hyperplane[e, i]
            p = q


@kernel
def keep_cells(
    cells: Any, mesh: Any, new_edge: Any, active: Any, start: Any, stop: Any, cell_at: Any, half_at: Any, out: Any
) -> None:
    """Cells that nothing cuts, with their edges renumbered."""
    for r in range(start, stop):
        c = cells[r]
        to = half_at[r]
        out.offsets[cell_at[r]] = to
        out.parent[cell_at[r]] = c
        for w in range(active.shape[1]):
            out.words[cell_at[r], w] = active[c, w]
        for i in range(mesh.offsets[c], mesh.offsets[c + 1]):
            out.half_edges[to] = 2 * new_edge[mesh.half_edges[i] >> 1] + (mesh.half_edges[i] & 1)
            to += 1


@kernel
def count_nodes(r: Any, chords: Any, crossings: Any, seen: Any, n_nodes: Any, n_segments: Any) -> None:
    """Inner vertices and chord segments of a cell; several chords through one point give one vertex."""
    first_pair, pair, rank = crossings.pair_offsets[r], crossings.pair, crossings.rank
    seen[: crossings.pair_offsets[r + 1] - first_pair] = False
    x, nodes, segments = 2 * first_pair, 0, 0
    for g in range(chords.n_chords[r]):
        stop_x = x + crossings.n_entries[chords.offsets[r] + g]
        segments += 1
        while x < stop_x:
            y, known = x, False
            while y < stop_x and rank[y] == rank[x]:
                known = known or seen[pair[y] - first_pair]
                seen[pair[y] - first_pair] = True
                y += 1
            if not known:
                nodes += 1
            segments += 1
            x = y
    n_nodes[r], n_segments[r] = nodes, segments


@kernel
def _name(hyperplanes: Any, row: Any, column: Any, layer: Any, cell: Any, form: Any) -> None:
    """Write down the name of a line."""
    hyperplanes[row, column] = layer
    hyperplanes[row, column + 1] = cell
    hyperplanes[row, column + 2] = form


@phase
def node_at(x: Any, stop_x: Any, crossings: Any, first_pair: Any, node_of_pair: Any) -> Any:
    """The inner vertex of the crossings at one rank from entry x on, -1 if it is new; and the first entry after them."""
    node, y = -1, x
    while y < stop_x and crossings.rank[y] == crossings.rank[x]:
        if node_of_pair[crossings.pair[y] - first_pair] >= 0:
            node = node_of_pair[crossings.pair[y] - first_pair]
        y += 1
    return node, y


@kernel
def build_faces(
    mesh: Any, signs: Any, cuts: Any, arrangement: Any, layer: Any, start: Any, stop: Any, places: Any, scratch: Any,
    vertices: Any, edges: Any, cells: Any,
) -> None:  # fmt: skip
    """Write the vertices, edges and cells that the chords of each cut cell make, at the places reserved for them."""
    for r in range(start, stop):
        lead_chords(r, arrangement.chords, scratch.lead)
        _make_segments(r, layer, arrangement, places, scratch, vertices, edges)
        _sort_stars(r, arrangement.boundary.offsets, places, scratch)
        end = _walk_faces(r, arrangement, places, scratch, cells)
        _spread_signs(r, end, mesh, signs, cuts, arrangement, places, scratch, cells)


@phase
def _make_segments(r: Any, layer: Any, arrangement: Any, places: Any, scratch: Any, vertices: Any, edges: Any) -> None:
    """Inner vertices and segments, chord by chord."""
    chords, crossings, b_vertex = arrangement.chords, arrangement.crossings, arrangement.boundary.vertex
    c, place = arrangement.cells[r], arrangement.boundary.offsets[r]
    nb, first_pair = arrangement.boundary.offsets[r + 1] - place, crossings.pair_offsets[r]
    origin, towards, node_of_pair, form = scratch.origin, scratch.towards, scratch.node_of_pair, chords.form
    for i in range(crossings.pair_offsets[r + 1] - first_pair):
        node_of_pair[i] = -1
    nodes, segments = 0, 0
    x = 2 * first_pair
    for g in range(chords.n_chords[r]):
        i = scratch.lead[g]
        a, b = chords.low[i], chords.high[i]
        stop_x = x + crossings.n_entries[chords.offsets[r] + g]
        here = a
        while True:
            if x < stop_x:
                node, y = node_at(x, stop_x, crossings, first_pair, node_of_pair)
                if node < 0:
                    node = nodes
                    nodes += 1
                    out = places.node[r] + node
                    vertices.p[out] = b_vertex[place + a]
                    vertices.q[out] = b_vertex[place + b]
                    vertices.t[out] = crossings.t[x]
                    vertices.t_error[out] = crossings.t_error[x]
                    _name(vertices.hyperplanes, out, 0, layer, c, form[i])
                    _name(vertices.hyperplanes, out, 3, layer, c, form[scratch.lead[crossings.other[x]]])
                while x < y:
                    node_of_pair[crossings.pair[x] - first_pair] = node
                    x += 1
                there = nb + node
            else:
                there = b
            h = 2 * segments
            origin[h] = here
            origin[h + 1] = there
            towards[h] = b
            towards[h + 1] = a
            scratch.chord_of[segments] = g
            e = places.edge_base + places.segment[r] + segments
            inner = places.vertex_base + places.node[r] - nb
            edges.edges[e, 0] = b_vertex[place + here] if here < nb else inner + here
            edges.edges[e, 1] = b_vertex[place + there] if there < nb else inner + there
            _name(edges.hyperplane, e, 0, layer, c, form[i])
            segments += 1
            here = there
            if there < nb:
                break


@phase
def _sort_stars(r: Any, boundary_offsets: Any, places: Any, scratch: Any) -> None:
    """Half-edges around each local vertex, counter-clockwise."""
    origin, towards, star, slot = scratch.origin, scratch.towards, scratch.star, scratch.slot
    star_offsets, star_size = scratch.star_offsets, scratch.star_size
    nb, n_halves = boundary_offsets[r + 1] - boundary_offsets[r], 2 * (places.segment[r + 1] - places.segment[r])
    n_local = nb + places.node[r + 1] - places.node[r]
    for v in range(n_local):
        star_size[v] = 0
    for h in range(n_halves):
        star_size[origin[h]] += 1
    star_offsets[0] = 0
    for v in range(n_local):
        star_offsets[v + 1] = star_offsets[v] + star_size[v]
        star_size[v] = 0
    for h in range(n_halves):
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


@phase
def _walk_faces(r: Any, arrangement: Any, places: Any, scratch: Any, cells: Any) -> Any:
    """Once around every face; boundary half-edges are numbered -1 - position. Returns where the half-edges end."""
    place = arrangement.boundary.offsets[r]
    nb, n_halves = arrangement.boundary.offsets[r + 1] - place, 2 * (places.segment[r + 1] - places.segment[r])
    star, slot, star_offsets, star_size = scratch.star, scratch.slot, scratch.star_offsets, scratch.star_size
    face_of, face_of_boundary = scratch.face_of, scratch.face_of_boundary
    for h in range(n_halves):
        face_of[h] = -1
    for i in range(nb):
        face_of_boundary[i] = -1
    face, to = 0, places.half_edge[r]
    for begin in range(-nb, n_halves):
        if (face_of_boundary[-1 - begin] if begin < 0 else face_of[begin]) >= 0:
            continue
        cells.offsets[places.cell[r] + face] = to
        cells.parent[places.cell[r] + face] = arrangement.cells[r]
        h = begin
        while True:
            if h < 0:
                i = -1 - h
                face_of_boundary[i] = face
                cells.half_edges[to] = arrangement.boundary.half_edge[place + i]
                v = i + 1 if i + 1 < nb else 0
                h = star[star_offsets[v + 1] - 1] if star_size[v] > 0 else -1 - v
            else:
                face_of[h] = face
                cells.half_edges[to] = 2 * (places.edge_base + places.segment[r] + (h >> 1)) + (h & 1)
                twin = h ^ 1
                v = scratch.origin[twin]
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
    return to


@phase
def _spread_signs(
    r: Any, end: Any, mesh: Any, signs: Any, cuts: Any, arrangement: Any, places: Any, scratch: Any, cells: Any
) -> None:
    """The signs of the face at boundary position 0, and from there of all, flipping across each chord."""
    c, at, chords = arrangement.cells[r], places.cell[r], arrangement.chords
    n_faces = 1 + places.segment[r + 1] - places.segment[r] - (places.node[r + 1] - places.node[r])
    words, reached, stack, n_words = cells.words, scratch.reached, scratch.stack, cuts.cut.shape[1]
    for f in range(n_faces):
        reached[f] = False
    half = mesh.half_edges[mesh.offsets[c]]
    v0, v1 = mesh.edges[half >> 1, half & 1], mesh.edges[half >> 1, 1 - (half & 1)]
    root = scratch.face_of_boundary[0]
    for w in range(n_words):
        p, n = signs.pos[v0, w], signs.neg[v0, w]
        on = p | (~(p | n) & signs.pos[v1, w])
        words[at + root, w] = (cuts.active[c, w] & ~cuts.cut[c, w]) | (on & cuts.cut[c, w])
    reached[root] = True
    stack[0] = root
    size = 1
    while size > 0:
        size -= 1
        f = stack[size]
        for i in range(cells.offsets[at + f], end if f == n_faces - 1 else cells.offsets[at + f + 1]):
            s = (cells.half_edges[i] >> 1) - places.edge_base - places.segment[r]
            if s < 0:
                continue
            next_face = scratch.face_of[2 * s + 1 - (cells.half_edges[i] & 1)]
            if reached[next_face]:
                continue
            reached[next_face] = True
            stack[size] = next_face
            size += 1
            for w in range(n_words):
                words[at + next_face, w] = words[at + f, w]
            j = scratch.lead[scratch.chord_of[s]]
            g = chords.group[j]
            while j < chords.offsets[r + 1] and chords.group[j] == g:
                words[at + next_face, chords.form[j] >> 6] ^= ONE << np.uint64(chords.form[j] & 63)
                j += 1


# the same one by one, for cells so large that the clock is looked at in between


@kernel
def make_segments(r: Any, layer: Any, arrangement: Any, places: Any, scratch: Any, vertices: Any, edges: Any) -> None:
    lead_chords(r, arrangement.chords, scratch.lead)
    _make_segments(r, layer, arrangement, places, scratch, vertices, edges)


@kernel
def sort_stars(r: Any, boundary_offsets: Any, places: Any, scratch: Any) -> None:
    _sort_stars(r, boundary_offsets, places, scratch)


@kernel
def walk_faces(r: Any, arrangement: Any, places: Any, scratch: Any, cells: Any) -> Any:
    return _walk_faces(r, arrangement, places, scratch, cells)


@kernel
def spread_signs(
    r: Any, end: Any, mesh: Any, signs: Any, cuts: Any, arrangement: Any, places: Any, scratch: Any, cells: Any
) -> None:
    _spread_signs(r, end, mesh, signs, cuts, arrangement, places, scratch, cells)


@kernel
def sides(offsets: Any, half_edges: Any, edge_cells: Any) -> None:
    """The cell on the left and on the right of every edge, -1 where there is none."""
    for e in range(edge_cells.shape[0]):
        edge_cells[e, 0] = -1
        edge_cells[e, 1] = -1
    for c in range(offsets.shape[0] - 1):
        for i in range(offsets[c], offsets[c + 1]):
            edge_cells[half_edges[i] >> 1, half_edges[i] & 1] = c


@kernel
def name_vertices(edge: Any, edge_hyperplane: Any, edge_cells: Any, form: Any, layer: Any, out: Any) -> None:
    """The two lines of each new vertex on an old edge: the edge's own, and that of the form which crosses it."""
    for i in range(len(edge)):
        e = edge[i]
        for j in range(3):
            out[i, j] = edge_hyperplane[e, j]
        out[i, 3] = layer
        out[i, 4] = edge_cells[e, 0] if edge_cells[e, 0] >= 0 else edge_cells[e, 1]
        out[i, 5] = form[i]
