"""The arrays of a plane subdivision and of the chords that cut it, as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plica._types import Array


class MeshArrays(NamedTuple):
    """Half-edge 2 e + d runs along edge e from ``edges[e, d]``; cell c has ``half_edges[offsets[c] : offsets[c + 1]]``."""

    edges: Array
    offsets: Array
    half_edges: Array


class EdgeSplit(NamedTuple):
    """For each old edge how many new vertices it gets, and the numbers of its first new edge and vertex."""

    n_groups: Array
    new_edge: Array
    new_vertex: Array


class CellCuts(NamedTuple):
    """For each cell: forms positive somewhere on it, forms that cut it, how many, and the length of its refined boundary."""

    active: Array
    cut: Array
    n_cuts: Array
    n_boundary: Array


class Boundary(NamedTuple):
    """The refined boundaries of the cut cells: at each position a vertex, and the half-edge that leaves it."""

    offsets: Array
    vertex: Array
    half_edge: Array


class ChordArrays(NamedTuple):
    """The forms that cut each cut cell, ordered by (low, high, form): the boundary positions that their chords join.

    Equal chords (coinciding folds) are one ``group``; a cell has ``n_chords`` of them.
    """

    offsets: Array
    form: Array
    low: Array
    high: Array
    group: Array
    n_chords: Array


class ChordCrossings(NamedTuple):
    """The crossings of distinct chords, once on each of the two chords.

    Cell r has the crossing pairs from ``pair_offsets[r]`` on and the entries from twice that on: chord by chord, ``n_entries``
    (indexed like the distinct chords, at the cell's first chord plus group) of them each, in order from low to high. An entry
    knows the ``other`` chord, the number of its ``pair``, its parameter and its rank: crossings of equal rank are one vertex.
    """

    pair_offsets: Array
    n_entries: Array
    other: Array
    pair: Array
    t: Array
    t_error: Array
    rank: Array


class Arrangement(NamedTuple):
    """The chords of the cut cells and how they cross."""

    cells: Array
    boundary: Boundary
    chords: ChordArrays
    crossings: ChordCrossings


class Places(NamedTuple):
    """Where the new things of each cut cell begin: cells, half-edges, inner vertices, segments of chords.

    ``vertex_base`` and ``edge_base`` are the numbers of the first inner vertex and segment of all.
    """

    cell: Array
    half_edge: Array
    node: Array
    segment: Array
    vertex_base: int
    edge_base: int


class InnerVertices(NamedTuple):
    """The vertices inside cut cells: as :class:`NewVertices`, with the two lines that meet there."""

    p: Array
    q: Array
    t: Array
    t_error: Array
    hyperplanes: Array


class NewCells(NamedTuple):
    """The cells of the finer subdivision: cycles of half-edges, signs, and the old cell that each is part of."""

    offsets: Array
    half_edges: Array
    words: Array
    parent: Array


class NewEdges(NamedTuple):
    """The edges of the finer subdivision, and the lines that they lie on."""

    edges: Array
    hyperplane: Array


class FaceScratch(NamedTuple):
    """What the faces of one cell need on the way; local vertices are boundary positions, then inner vertices.

    Attributes
    ----------
    lead, node_of_pair
        A chord of each group; the inner vertex of each crossing pair.
    origin, towards
        The local vertex where each inner half-edge starts, and the boundary position it points to.
    chord_of
        The chord of each segment.
    star_offsets, star_size, star, slot
        The inner half-edges that leave each local vertex, in cyclic order, and the place of each in that order.
    face_of, face_of_boundary
        The face on the left of each inner and each boundary half-edge.
    stack, reached
        Of the walk over the faces.
    """

    lead: Array
    node_of_pair: Array
    origin: Array
    towards: Array
    chord_of: Array
    star_offsets: Array
    star_size: Array
    star: Array
    slot: Array
    face_of: Array
    face_of_boundary: Array
    stack: Array
    reached: Array


def face_scratch(n_chords: int, n_pairs: int, n_segments: int, n_nodes: int, n_boundary: int) -> FaceScratch:
    """Room for a cell with at most so many of each."""
    n_half, n_local, n_faces = 2 * n_segments, n_boundary + n_nodes, n_segments + 1
    sizes = (n_chords, n_pairs, n_half, n_half, n_segments, n_local + 1, n_local, n_half, n_half, n_half, n_boundary, n_faces)
    return FaceScratch._make([*(np.empty(n, np.int32) for n in sizes), np.empty(n_faces, np.bool_)])
