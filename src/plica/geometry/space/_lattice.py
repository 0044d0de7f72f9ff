"""The faces of a complex in n dimensions, by dimension, each with its facets; and cutting them with the forms of a layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._bits import n_words, unpack
from plica.geometry.signs._crossings import Oracle, SignForms, look_again, vertex_signs
from plica.geometry.space import _kernels as kernels

RANGE = 2048  # faces cut by one core at a time, at least


def _grown(array: Array, n: int) -> Array:
    """The array with room for n rows."""
    if len(array) >= n:
        return array
    out = np.empty((max(n, 3 * len(array) // 2 + 16), *array.shape[1:]), array.dtype)
    out[: len(array)] = array
    return out


class Faces:
    """The faces of one dimension. For edges the facet lists are pairs of vertices at fixed places of the pool.

    ``lines`` are the hyperplanes whose intersection is the affine hull of the face: numbers of rows in the lattice's line table.
    """

    def __init__(self, facets: list[list[int]], lines: Array) -> None:
        self.n = len(facets)
        self.size = np.array([len(f) for f in facets], np.int32)
        self.first = np.concatenate([[0], np.cumsum(self.size)[:-1]]).astype(np.int64)
        self.pool = np.array([g for f in facets for g in f], np.int32)
        self.pool_end = len(self.pool)
        self.lines = lines.astype(np.int32)
        self.home = np.zeros(self.n, np.int32)
        self.pos = self.neg = np.zeros((0, 1), np.uint64)
        self.plus = self.zero = np.zeros(0, np.int32)

    def make_room(self, n_faces: int, n_entries: int) -> None:
        """Room for more faces and more entries of facet lists."""
        total = self.n + n_faces
        for name in ("size", "first", "lines", "home", "pos", "neg"):
            setattr(self, name, _grown(getattr(self, name), total))
        have = len(self.plus)
        self.plus, self.zero = _grown(self.plus, total), _grown(self.zero, total)
        self.plus[have:], self.zero[have:] = -1, -1
        self.pool = _grown(self.pool, self.pool_end + n_entries)

    def facets(self, face: int) -> Array:
        return self.pool[self.first[face] : self.first[face] + self.size[face]]

    def packed(self) -> tuple[Array, Array]:
        """Facet lists without gaps: starts (one more than faces) and entries."""
        first = np.empty(self.n + 1, np.int64)
        entries = np.empty(int(self.size[: self.n].sum()), np.int32)
        kernels.pack(self.first, self.size, self.pool, self.n, first, entries)
        first[-1] = len(entries)
        return first, entries

    @property
    def nbytes(self) -> int:
        arrays = (self.size, self.first, self.pool, self.lines, self.home, self.pos, self.neg, self.plus, self.zero)
        return sum(a.nbytes for a in arrays)


def _cut_faces(
    f: Faces, g: Faces, cut: Array, n_cut: int, k: int, h_pos: Array, h_neg: Array, base: int, *, is_edge: bool
) -> None:
    """Cut faces, whose facets are g: the cores share the work, each range of faces with its own stretch of the pools.

    A face with s facets becomes two with at most s + 1 facets each. The zero face between them has at most s: one in each facet,
    where the form cuts it or, on a facet that it does not cut, in the one face of it that lies in the zero set.
    """
    n_parts = max(1, min(16, n_cut // RANGE))
    bounds = [n_cut * i // n_parts for i in range(n_parts + 1)]
    sizes = np.concatenate([[0], np.cumsum(f.size[cut[:n_cut]], dtype=np.int64)])[bounds]
    own, facets = f.pool_end + 2 * sizes + 2 * np.array(bounds), g.pool_end + sizes

    def work(a: int, b: int) -> list[tuple[int, int]]:
        return [
            kernels.cut_faces(
                cut, bounds[i], bounds[i + 1], k, f.first, f.size, f.pool, own[i], f.pos, f.neg, f.home, f.lines, f.n, f.plus,
                f.zero, g.first, g.size, g.pool, -1 if is_edge else facets[i], g.pos, g.neg, g.home, g.lines, g.n, g.plus, g.zero,
                h_pos, h_neg, base,
            )
            for i in range(a, b)
        ]  # fmt: skip

    ends = [end for part in parallel_ranges(work, n_parts, least=1) for end in part]
    if not is_edge and any(end[1] > facets[i + 1] for i, end in enumerate(ends)):
        raise AssertionError("a zero face has more facets than the face it cuts")
    f.pool_end = int(ends[-1][0])
    if not is_edge:
        g.pool_end = int(ends[-1][1])


class Vertices:
    """Signs, homes and lines of the vertices, and how each new one was made."""

    def __init__(self, lines: Array) -> None:
        self.n = len(lines)
        self.lines = lines.astype(np.int32)
        self.home = np.zeros(self.n, np.int32)
        self.pos = self.neg = self.undecided = np.zeros((0, 1), np.uint64)
        self.p = self.q = np.zeros(0, np.int32)
        self.t = self.t_error = np.zeros(0)

    def make_room(self, n: int) -> None:
        for name in ("lines", "home", "pos", "neg", "undecided", "p", "q", "t", "t_error"):
            setattr(self, name, _grown(getattr(self, name), self.n + n))


class Lattice:
    """All faces of a subdivision of a box into convex cells.

    Lines are rows (layer, cell before the layer, code of the form); the sides of the box are (-1, side, -1).
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        # a face of a cube is a word over {low, high, free}; its dimension is the number of free letters
        words = [w for w in product((0, 1, 2), repeat=dimension)]
        by_dimension = [[w for w in words if w.count(2) == d] for d in range(dimension + 1)]
        number = [{w: i for i, w in enumerate(level)} for level in by_dimension]

        def sides(w: tuple[int, ...]) -> list[int]:
            return [2 * i + letter for i, letter in enumerate(w) if letter != 2]

        def facets(w: tuple[int, ...], d: int) -> list[int]:
            return [number[d - 1][(*w[:i], s, *w[i + 1 :])] for i, letter in enumerate(w) if letter == 2 for s in (0, 1)]

        lines = [np.array([sides(w) for w in level], np.int32).reshape(len(level), -1) for level in by_dimension]
        self.corners = np.array(by_dimension[0])
        self.vertices = Vertices(lines[0])
        levels = [Faces([facets(w, d) for w in by_dimension[d]], lines[d]) for d in range(1, dimension + 1)]
        self.faces: dict[int, Faces] = dict(enumerate(levels, start=1))
        side_numbers = np.arange(2 * dimension)
        self.line_table = np.stack([np.full(2 * dimension, -1), side_numbers, np.full(2 * dimension, -1)], axis=1).astype(
            np.int32
        )
        self.n_lines = len(self.line_table)

    @property
    def cells(self) -> Faces:
        return self.faces[self.dimension]

    @property
    def n_cells(self) -> int:
        return self.cells.n

    @property
    def vertex_hyperplanes(self) -> Array:
        """The line numbers of each vertex: what the oracle asks for."""
        return self.vertices.lines

    def vertex_cell(self) -> Array:
        return self.vertices.home

    @property
    def nbytes(self) -> int:
        return sum(f.nbytes for f in self.faces.values())

    def begin_layer(self) -> None:
        """Every face learns a cell that it belongs to."""
        self.cells.home = np.arange(self.cells.n, dtype=np.int32)
        for d in range(self.dimension, 0, -1):
            upper = self.faces[d]
            below = self.faces[d - 1] if d > 1 else self.vertices
            below.home = np.empty(below.n, np.int32)
            kernels.hand_down(upper.first, upper.size, upper.pool, upper.home, upper.n, below.home)

    def cut(self, forms: SignForms, oracle: Oracle, layer: int, watch: Callable[[int, int], None]) -> tuple[SignForms, int]:
        """Cut with every form of a layer in turn; returns the forms at all vertices and the number of exact decisions."""
        v, m = self.vertices, forms.z.shape[1]
        signs = vertex_signs(forms, oracle)
        n_exact = signs.n_exact
        v.pos, v.neg, v.undecided = signs.pos, signs.neg, np.zeros_like(signs.pos)
        start = v.n
        v.p, v.q = np.zeros(v.n, np.int32), np.zeros(v.n, np.int32)
        v.t, v.t_error = np.zeros(v.n), np.zeros(v.n)
        lower_pos, lower_neg = v.pos, v.neg
        for faces in self.faces.values():
            faces.pos, faces.neg = (np.empty((faces.n, n_words(m)), np.uint64) for _ in range(2))
            kernels.gather_words(faces.first, faces.size, faces.pool, lower_pos, lower_neg, faces.pos, faces.neg, 0, faces.n)
            faces.plus, faces.zero = np.full(faces.n, -1, np.int32), np.full(faces.n, -1, np.int32)
            lower_pos, lower_neg = faces.pos, faces.neg
        with np.errstate(divide="ignore"):
            inverse = np.where(forms.scale > 0, 1.0 / forms.scale, 0.0)
        for k in range(m):
            n_exact += self._cut_with(k, forms, inverse, oracle, layer, watch)
        forms.z, forms.error = forms.z[: v.n], forms.error[: v.n]
        self.new_vertices = (start, v.n)
        return forms, n_exact

    def _cut_with(
        self, k: int, forms: SignForms, inverse: Array, oracle: Oracle, layer: int, watch: Callable[[int, int], None]
    ) -> int:
        v, top = self.vertices, self.dimension
        cells = self.cells
        out = np.empty(cells.n, np.int32)
        n_cut, entries = kernels.find_cut(cells.pos, cells.neg, cells.n, k, cells.size, out)
        if n_cut == 0:
            return 0
        cut, counts, totals = {top: out}, {top: int(n_cut)}, {top: int(entries)}
        for d in range(1, top):
            faces = self.faces[d]
            cut[d] = np.empty(faces.n, np.int32)
            number, total = kernels.find_cut(faces.pos, faces.neg, faces.n, k, faces.size, cut[d])
            counts[d], totals[d] = int(number), int(total)
        watch(cells.n + int(n_cut), self.nbytes + forms.z.nbytes)
        for d in range(1, top + 1):
            # parts of the cut faces: at most twice their facets and two zero faces; zero faces of the dimension above
            above = counts.get(d + 1, 0)
            room = 2 * (counts[d] + above) if d == 1 else 3 * totals[d] + 2 * counts[d] + 2 * totals.get(d + 1, 0) * (d + 2)
            self.faces[d].make_room(counts[d] + above, room + 16)
        v.make_room(counts[1])
        forms.z, forms.error = _grown(forms.z, v.n + counts[1]), _grown(forms.error, v.n + counts[1])

        edges = self.faces[1]
        base = self._new_lines(layer, edges.home[cut[1][: counts[1]]], k)
        undecided = kernels.cut_edges(
            cut[1], counts[1], k, edges.pool, edges.pos, edges.neg, edges.home, edges.lines, edges.n, edges.plus, edges.zero,
            v.pos, v.neg, v.undecided, v.home, v.lines, v.n, base,
            forms.z, forms.scale, inverse, forms.error, forms.floor, v.p, v.q, v.t, v.t_error,
        )  # fmt: skip
        first_new, v.n = v.n, v.n + counts[1]
        if undecided:
            self._resolve(first_new, forms, oracle)
        kernels.edge_words(edges.pool, edges.n, v.pos, v.neg, edges.pos, edges.neg, cut[1], counts[1], edges.n)
        edges.size[edges.n : edges.n + counts[1]] = 2
        edges.first[edges.n : edges.n + counts[1]] = 2 * np.arange(edges.n, edges.n + counts[1])
        edges.n += counts[1]
        edges.pool_end = 2 * edges.n
        for d in range(2, top + 1):
            f, g = self.faces[d], self.faces[d - 1]
            h_pos, h_neg = (v.pos, v.neg) if d == 2 else (self.faces[d - 2].pos, self.faces[d - 2].neg)
            base = self._new_lines(layer, f.home[cut[d][: counts[d]]], k)
            _cut_faces(f, g, cut[d], counts[d], k, h_pos, h_neg, base, is_edge=d == 2)
            f.n, g.n = f.n + counts[d], g.n + counts[d]
            if d == 2:
                g.pool_end = 2 * g.n
        for d in range(1, top + 1):
            kernels.forget(cut[d], counts[d], self.faces[d].plus, self.faces[d].zero)
        return int(undecided)

    def _new_lines(self, layer: int, homes: Array, k: int) -> int:
        """A line for each cut face; returns the number of the first."""
        base, n = self.n_lines, len(homes)
        self.line_table = _grown(self.line_table, base + n)
        rows = self.line_table[base : base + n]
        rows[:, 0], rows[:, 1], rows[:, 2] = layer, homes, k
        self.n_lines += n
        return base

    def _resolve(self, start: int, forms: SignForms, oracle: Oracle) -> None:
        """Decide in integers the signs at new vertices that error bounds left open."""
        v, m = self.vertices, forms.z.shape[1]
        forms = replace(forms, tensor_error=None)  # that knows nothing of new vertices
        for vertex in start + np.flatnonzero(v.undecided[start : v.n].any(axis=1)):
            if look_again(int(vertex), forms, oracle, v.pos, v.neg, v.undecided):
                continue
            numbers, _ = oracle.values(int(vertex))
            for k in np.flatnonzero(unpack(v.undecided[vertex], m)):
                flag = np.uint64(1) << np.uint64(k & 63)
                if numbers[k] > 0:
                    v.pos[vertex, k >> 6] |= flag
                elif numbers[k] < 0:
                    v.neg[vertex, k >> 6] |= flag
            forms.z[vertex] = oracle.floats(int(vertex))
            forms.error[vertex] = 0.0
