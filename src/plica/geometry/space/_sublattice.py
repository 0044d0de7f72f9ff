"""Some cells of a face lattice with all their faces, as a lattice of their own."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry.space._lattice import Faces, Lattice, Vertices


def make_faces(size: Array, entries: Array, lines: Array) -> Faces:
    """Faces from their packed facet lists."""
    faces = Faces([], np.zeros((0, lines.shape[1]), np.int32))
    faces.n, faces.size = len(size), size.astype(np.int32)
    faces.first = (np.cumsum(size) - size).astype(np.int64)
    faces.pool, faces.pool_end = entries.astype(np.int32), len(entries)
    faces.lines = lines.astype(np.int32)
    faces.home = np.zeros(faces.n, np.int32)
    return faces


def make_lattice(vertex_lines: Array, faces: list[Faces], line_table: Array) -> Lattice:
    """A lattice from its faces (of dimension 1, 2, ...)."""
    lattice = Lattice.__new__(Lattice)
    lattice.dimension = len(faces)
    lattice.corners = np.zeros((0, len(faces)), np.int64)
    lattice.vertices = Vertices(vertex_lines)
    lattice.faces = dict(enumerate(faces, start=1))
    lattice.line_table, lattice.n_lines = line_table, len(line_table)
    return lattice


def entries_of(faces: Faces, chosen: Array) -> tuple[Array, Array]:
    """Sizes and concatenated facet lists of the chosen faces."""
    size = faces.size[chosen].astype(np.int64)
    inside = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    return size, faces.pool[np.repeat(faces.first[chosen], size) + inside]


def sublattice(lattice: Lattice, cells: Array) -> tuple[Lattice, dict[int, Array]]:
    """The lattice of the given cells, which keep their order, and for each dimension the old numbers of the faces kept.

    Lower faces keep their order too. Lines keep their numbers.
    """
    kept: dict[int, Array] = {lattice.dimension: np.asarray(cells, np.int64)}
    made: list[Faces] = []
    for d in range(lattice.dimension, 0, -1):
        size, entries = entries_of(lattice.faces[d], kept[d])
        kept[d - 1], renamed = np.unique(entries, return_inverse=True)
        made.append(make_faces(size, renamed.reshape(-1), lattice.faces[d].lines[kept[d]]))
    table = lattice.line_table[: lattice.n_lines].copy()
    return make_lattice(lattice.vertices.lines[kept[0]], made[::-1], table), kept
