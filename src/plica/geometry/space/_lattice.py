"""The faces of a complex in n dimensions, by dimension, each with its facets."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry.space import _cut_kernels as cut_kernels
from plica.geometry.space import _kernels as kernels
from plica.geometry.space._arrays import FaceArrays, FaceLists, VertexArrays, capacity, grown, growth

NOTHING = np.zeros((0, 2, 1), np.uint64)


class Faces:
    """The faces of one dimension: arrays with room for more, of which ``n`` faces and ``pool_end`` entries are in use."""

    def __init__(self, sizes: Array, entries: Array, hyperplanes: Array) -> None:
        self.n, self.pool_end = len(sizes), len(entries)
        self.arrays = FaceArrays(
            offsets=np.cumsum(sizes, dtype=np.int64) - sizes,
            sizes=sizes.astype(np.int32, copy=False),
            pool=entries.astype(np.int32, copy=False),
            hyperplanes=hyperplanes.astype(np.int32, copy=False),
            cell=np.zeros(self.n, np.int32),
            words=NOTHING,
            parts=np.zeros((0, 2), np.int32),
        )
        self._row_bytes = 0

    @property
    def capacity(self) -> int:
        """How many faces there is room for; all arrays but the pool have as many rows."""
        return len(self.arrays.sizes)

    def growth(self, n_faces: int, n_entries: int) -> tuple[int, int]:
        """The bytes of all arrays after :meth:`make_room`, and the most that is copied at a time."""
        rows = capacity(self.capacity, self.n + n_faces)
        pool, copied = growth(self.arrays.pool, self.pool_end + n_entries)
        return rows * self._row_bytes + pool, max(copied, self.capacity * self._row_bytes // 2 if rows > self.capacity else 0)

    def make_room(self, n_faces: int, n_entries: int) -> None:
        """Room for more faces and more entries of facet lists."""
        pool = grown(self.arrays.pool, self.pool_end + n_entries, self.pool_end)
        if self.n + n_faces > self.capacity:
            arrays = {name: grown(a, self.n + n_faces, self.n) for name, a in self.arrays._asdict().items() if name != "pool"}
            arrays["parts"][self.n :] = -1
            self.arrays = FaceArrays(pool=pool, **arrays)
        elif pool is not self.arrays.pool:
            self.arrays = self.arrays._replace(pool=pool)

    def begin_cut(self, n_words: int) -> None:
        """No signs yet, and no face cut."""
        words, parts = np.empty((self.capacity, 2, n_words), np.uint64), np.full((self.capacity, 2), -1, np.int32)
        self.arrays = self.arrays._replace(words=words, parts=parts)
        self._row_bytes = sum(a.strides[0] for a in self.arrays) - self.arrays.pool.strides[0]

    @property
    def hyperplanes(self) -> Array:
        """The numbers of the hyperplanes that each face lies on."""
        return self.arrays.hyperplanes[: self.n]

    @property
    def cell(self) -> Array:
        """Some cell, from before the layer, that each face belongs to."""
        return self.arrays.cell[: self.n]

    @property
    def positive(self) -> Array:
        """Words of the forms that are positive somewhere on each face."""
        return self.arrays.words[: self.n, 0]

    @property
    def negative(self) -> Array:
        """Words of the forms that are negative somewhere on each face."""
        return self.arrays.words[: self.n, 1]

    def facets(self, face: int) -> Array:
        a = self.arrays
        return a.pool[a.offsets[face] : a.offsets[face] + a.sizes[face]]

    def packed(self) -> FaceLists:
        """Facet lists without the gaps that cutting leaves."""
        offsets = np.empty(self.n + 1, np.int64)
        entries = np.empty(int(self.arrays.sizes[: self.n].sum()), np.int32)
        kernels.pack(self.arrays, self.n, offsets, entries)
        return FaceLists(offsets, entries)

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in self.arrays)


class Vertices:
    """The vertices: arrays with room for more, of which ``n`` are in use."""

    def __init__(self, hyperplanes: Array) -> None:
        self.n = len(hyperplanes)
        self.arrays = VertexArrays(
            hyperplanes=hyperplanes.astype(np.int32, copy=False),
            cell=np.zeros(self.n, np.int32),
            words=NOTHING,
            undecided=np.zeros((0, 1), np.uint64),
            ends=np.zeros((self.n, 2), np.int32),
            t=np.zeros(self.n),
            t_error=np.zeros(self.n),
        )
        self._row_bytes = 0

    def growth(self, n_vertices: int) -> tuple[int, int]:
        """As :meth:`Faces.growth`."""
        rows = capacity(self.capacity, self.n + n_vertices)
        return rows * self._row_bytes, self.capacity * self._row_bytes // 2 if rows > self.capacity else 0

    @property
    def capacity(self) -> int:
        """How many vertices there is room for."""
        return len(self.arrays.t)

    def make_room(self, n_vertices: int) -> None:
        if self.n + n_vertices > self.capacity:
            self.arrays = VertexArrays(*(grown(a, self.n + n_vertices, self.n) for a in self.arrays))

    def begin_cut(self, positive: Array, negative: Array) -> None:
        """Signs at the vertices that are there, all decided."""
        words = np.empty((self.capacity, 2, positive.shape[1]), np.uint64)
        words[: self.n, 0], words[: self.n, 1] = positive, negative
        self.arrays = self.arrays._replace(words=words, undecided=np.zeros((self.capacity, positive.shape[1]), np.uint64))
        self._row_bytes = sum(a.strides[0] for a in self.arrays)

    @property
    def hyperplanes(self) -> Array:
        """The numbers of the hyperplanes that meet in each vertex."""
        return self.arrays.hyperplanes[: self.n]

    @property
    def cell(self) -> Array:
        """Some cell, from before the layer, that each vertex belongs to."""
        return self.arrays.cell[: self.n]

    @property
    def positive(self) -> Array:
        """Words of the forms that are positive at each vertex."""
        return self.arrays.words[: self.n, 0]

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in self.arrays)


class Lattice:
    """All faces of a subdivision of a polytope into convex cells.

    A row of ``hyperplane_table`` is (layer, cell before the layer, code of the form); sides of the domain are (-1, side, -1).
    """

    def __init__(self, vertices: Vertices, faces: list[Faces], hyperplane_table: Array) -> None:
        self.dimension = len(faces)
        self.vertices = vertices
        self.faces = dict(enumerate(faces, start=1))
        self.hyperplane_table = hyperplane_table.astype(np.int32)
        self.n_hyperplanes = len(hyperplane_table)
        self.new_vertices = (vertices.n, vertices.n)  # those that the last cut has made

    @property
    def cells(self) -> Faces:
        return self.faces[self.dimension]

    @property
    def n_cells(self) -> int:
        return self.cells.n

    @property
    def vertex_hyperplanes(self) -> Array:
        """The hyperplanes of each vertex: what the oracle asks for."""
        return self.vertices.hyperplanes

    def vertex_cell(self) -> Array:
        return self.vertices.cell

    @property
    def nbytes(self) -> int:
        return sum(f.nbytes for f in self.faces.values()) + self.vertices.nbytes + self.hyperplane_table.nbytes

    def cell_vertices(self) -> FaceLists:
        """For each cell its vertices."""
        return vertices_of_faces({d: faces.packed() for d, faces in self.faces.items()}, self.vertices.n)[self.dimension]

    def begin_layer(self) -> None:
        """Every face learns a cell that it belongs to."""
        cell = self.cells.arrays.cell
        cell[: self.n_cells] = np.arange(self.n_cells)
        for d in range(self.dimension, 0, -1):
            below = self.faces[d - 1] if d > 1 else self.vertices
            cut_kernels.hand_down_cells(self.faces[d].arrays, self.faces[d].n, below.arrays.cell)

    def new_hyperplanes(self, layer: int, cells: Array, codes: Any) -> int:
        """Add hyperplanes, given by the columns of the table; returns the number of the first."""
        first, total = self.n_hyperplanes, self.n_hyperplanes + len(cells)
        self.hyperplane_table = grown(self.hyperplane_table, total, first)
        rows = self.hyperplane_table[first:total]
        rows[:, 0], rows[:, 1], rows[:, 2] = layer, cells, codes
        self.n_hyperplanes = total
        return first


def vertices_of_faces(lists: dict[int, FaceLists], n_vertices: int) -> dict[int, FaceLists]:
    """For each dimension from 1 up the vertices of the faces, from the facets of faces."""
    found = {1: lists[1]}
    for d in range(2, len(lists) + 1):
        own, below = lists[d], found[d - 1]
        offsets, stamps = np.empty_like(own.offsets), np.full((2, n_vertices), -1, np.int32)
        kernels.count_vertices(own, below, stamps[0], offsets)
        entries = np.empty(int(offsets[-1]), np.int32)
        kernels.collect_vertices(own, below, stamps[1], offsets, entries)
        found[d] = FaceLists(offsets, entries)
    return found


def side_table(n_sides: int) -> Array:
    """Rows of the hyperplane table for the sides of a domain."""
    return np.stack([np.full(n_sides, -1), np.arange(n_sides), np.full(n_sides, -1)], axis=1)


def cube_bytes(dimension: int) -> int:
    """About what :func:`cube` takes while it is made.

    Examples
    --------
    >>> cube_bytes(3) < 10_000, cube_bytes(24) > 2**40
    (True, True)
    """
    # twice the sum over d of (n choose d) 2^(n - d) (24 + 8 d + 4 (n - d)): of the n letters of a face a third is free on average
    return 2 * (72 + 16 * dimension) * 3**dimension // 3


def cube(dimension: int, watch: Callable[[], None] = lambda: None) -> tuple[Lattice, Array]:
    """A cube as a lattice with one cell, and its corners as rows of 0 (low) and 1 (high).

    A face is a word over {0 = low, 1 = high, 2 = free}; faces come in the order of these words as numbers in base three. Its
    dimension is the number of free letters, and its facets have another letter for one of these. ``watch`` is called between
    dimensions.

    Examples
    --------
    >>> lattice, corners = cube(3)
    >>> lattice.vertices.n, [f.n for f in lattice.faces.values()], corners[1].tolist()
    (8, [12, 6, 1], [0, 0, 1])
    """
    n_free, number = np.empty(3**dimension, np.uint8), np.empty(3**dimension, np.int32)
    kernels.number_cube_faces(n_free, number, np.zeros(dimension + 1, np.int64))
    faces, vertices = [], None
    for d in range(dimension + 1):
        watch()
        n = comb(dimension, d) * 2 ** (dimension - d)
        facets, hyperplanes = np.empty((n, 2 * d), np.int32), np.empty((n, dimension - d), np.int32)
        kernels.list_cube_faces(np.flatnonzero(n_free == d), number, facets, hyperplanes)
        if d == 0:
            vertices, corners = Vertices(hyperplanes), hyperplanes % 2
        else:
            faces.append(Faces(np.full(n, 2 * d, np.int32), facets.reshape(-1), hyperplanes))
    assert vertices is not None
    return Lattice(vertices, faces, side_table(2 * dimension)), corners
