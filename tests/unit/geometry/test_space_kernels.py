"""The compiled kernels of the space engine against plain Python that knows nothing of their arrays."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from space_cases import drawn

from plica.geometry import Box, decompose
from plica.geometry.space import _cut, _cut_kernels, _kernels
from plica.geometry.space._arrays import FaceLists, NewNumbers
from plica.geometry.space._complex import SpaceComplex
from plica.geometry.space._lattice import Faces, Vertices, cube, cube_bytes
from plica.network import Linear, Network, Rectifier

Point = tuple[Fraction, ...]
Face = frozenset[int]


# -- cutting: faces as sets of vertices --------------------------------------------------------------------------------------


class PlainLattice:
    """Faces as sets of vertices, vertices as rational points: a form cuts each face by the signs of its vertices."""

    def __init__(self, dimension: int) -> None:
        self.points: list[Point] = list(product((Fraction(-1), Fraction(1)), repeat=dimension))
        self.faces: list[set[Face]] = [set() for _ in range(dimension + 1)]
        for word in product((-1, 0, 1), repeat=dimension):
            inside = (i for i, p in enumerate(self.points) if all(w in (0, x) for w, x in zip(word, p, strict=True)))
            self.faces[word.count(0)].add(frozenset(inside))

    def cut(self, row: list[Fraction], offset: Fraction) -> None:
        values = [sum((a * x for a, x in zip(row, p, strict=True)), offset) for p in self.points]
        on_edge: dict[Face, int] = {}
        for edge in self.faces[1]:
            a, b = sorted(edge)
            if values[a] * values[b] < 0:
                t = values[a] / (values[a] - values[b])
                on_edge[edge] = len(self.points)
                self.points.append(tuple(p + t * (q - p) for p, q in zip(self.points[a], self.points[b], strict=True)))
        made: list[set[Face]] = [set() for _ in self.faces]
        for d, faces in enumerate(self.faces):
            for face in faces:
                signs = {(values[v] > 0) - (values[v] < 0) for v in face}
                if not {-1, 1} <= signs:
                    made[d].add(face)
                    continue
                zero = {v for v in face if values[v] == 0} | {v for e, v in on_edge.items() if e <= face}
                made[d].add(frozenset(zero | {v for v in face if values[v] < 0}))
                made[d].add(frozenset(zero | {v for v in face if values[v] > 0}))
                made[d - 1].add(frozenset(zero))
        made[0] = {frozenset({v}) for v in range(len(self.points))}
        self.faces = made

    def named(self) -> list[set[frozenset[Point]]]:
        return [{frozenset(self.points[v] for v in face) for face in faces} for faces in self.faces]


def faces_as_points(cx: SpaceComplex) -> list[set[frozenset[Point]]]:
    """The faces of each dimension as sets of exact points, from facet lists alone."""
    points = [cx.exact_vertex(v) for v in range(cx.n_faces[0])]
    levels = [[frozenset({p}) for p in points]]
    for d in range(1, cx.dimension + 1):
        faces = cx._walk.lattice.faces[d]
        levels.append([frozenset().union(*(levels[-1][g] for g in faces.facets(f))) for f in range(faces.n)])
    for level in levels:
        assert len(set(level)) == len(level)
    return [set(level) for level in levels]


def arrangement(dimension: int, kind: str, seed: int, n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    if kind == "general":
        return rng.normal(size=(n, dimension)), rng.normal(size=n) / 2
    if kind == "central":  # every hyperplane goes through the origin and many through corners
        return rng.integers(-1, 2, size=(n, dimension)).astype(float), np.zeros(n)
    return rng.integers(-2, 3, size=(n, dimension)).astype(float), rng.integers(-2, 3, size=n) / 2.0


@pytest.mark.parametrize("kind", ["general", "central", "integer"])
@pytest.mark.parametrize(("dimension", "n"), [(3, 7), (4, 5)])
@pytest.mark.parametrize("n_ranges", [1, 40])
def test_cut_edges_and_cut_faces_make_the_faces_that_sets_of_vertices_make(
    kind: str, dimension: int, n: int, n_ranges: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cut, "RANGE", 2048 if n_ranges == 1 else 1)
    weight, bias = arrangement(dimension, kind, 3, n)
    cx = decompose(Network.sequential(dimension, [Linear(weight, bias), Rectifier()]), Box([-1] * dimension, [1] * dimension))
    assert isinstance(cx, SpaceComplex)
    plain = PlainLattice(dimension)
    for row, offset in zip(weight, bias, strict=True):
        plain.cut([Fraction(float(a)) for a in row], Fraction(float(offset)))
    assert cx.n_faces == tuple(len(faces) for faces in plain.faces)
    assert faces_as_points(cx) == plain.named()


@pytest.mark.parametrize("dimension", [3, 4, 5])
def test_the_cube_has_the_faces_of_a_cube(dimension: int) -> None:
    lattice, corners = cube(dimension)
    plain = PlainLattice(dimension)
    points = [tuple(Fraction(2 * int(c) - 1) for c in corner) for corner in corners]
    levels = [[frozenset({p}) for p in points]]
    for faces in lattice.faces.values():
        levels.append([frozenset().union(*(levels[-1][g] for g in faces.facets(f))) for f in range(faces.n)])
        for face, sides in zip(levels[-1], faces.hyperplanes, strict=True):
            assert all(p[s // 2] == 2 * (s % 2) - 1 for p in face for s in sides)
    assert [set(level) for level in levels] == plain.named()
    assert cube_bytes(dimension) >= lattice.nbytes


# -- signs -----------------------------------------------------------------------------------------------------------------


def random_faces(rng: np.random.Generator, n_faces: int, n_facets: int, n_words: int = 2) -> Faces:
    """Facet lists at random places, and random signs."""
    lists = [rng.choice(n_facets, size=int(rng.integers(2, 6)), replace=False) for _ in range(n_faces)]
    faces = Faces(np.array([len(x) for x in lists]), np.concatenate(lists), np.zeros((n_faces, 1)))
    faces.begin_cut(n_words)
    faces.arrays.words[:] = rng.integers(0, 2**63, size=faces.arrays.words.shape, dtype=np.uint64)
    faces.arrays.cell[:] = rng.integers(0, 100, n_faces)
    return faces


def bits(words: Any) -> set[int]:
    return {64 * w + b for w, word in enumerate(words) for b in range(64) if int(word) >> b & 1}


def test_gathered_words_are_unions() -> None:
    rng = np.random.default_rng(0)
    faces = random_faces(rng, 20, 12)
    below = rng.integers(0, 2**63, size=(12, 2, 2), dtype=np.uint64)
    untouched = faces.arrays.words[15:].copy()
    _cut_kernels.gather_words(faces.arrays, below, 0, 15)
    for f in range(15):
        for sign in (0, 1):
            assert bits(faces.arrays.words[f, sign]) == set().union(*(bits(below[g, sign]) for g in faces.facets(f)))
    np.testing.assert_array_equal(faces.arrays.words[15:], untouched)


def test_words_of_edges_are_unions_over_their_ends() -> None:
    rng = np.random.default_rng(1)
    pool = rng.integers(0, 9, size=20)
    edges = Faces(np.full(10, 2), pool, np.zeros((10, 1)))
    edges.begin_cut(2)
    edges.arrays.words[:] = 0
    words = rng.integers(0, 2**63, size=(9, 2, 2), dtype=np.uint64)
    cut = np.array([1, 4, 5], np.int32)
    _cut_kernels.edge_words(edges.arrays, words, cut, 3, 7)
    for e in range(10):
        for sign in (0, 1):
            ends = bits(words[pool[2 * e], sign]) | bits(words[pool[2 * e + 1], sign])
            assert bits(edges.arrays.words[e, sign]) == (ends if e in {1, 4, 5, 7, 8, 9} else set())


@pytest.mark.parametrize("k", [0, 63, 64, 100])
def test_cut_faces_are_those_with_both_signs(k: int) -> None:
    faces = random_faces(np.random.default_rng(k), 60, 12)
    out = np.empty(60, np.int32)
    count, total = _cut_kernels.find_cut(faces.arrays, 50, k, out)
    expected = [f for f in range(50) if all(k in bits(faces.arrays.words[f, sign]) for sign in (0, 1))]
    assert out[:count].tolist() == expected
    assert total == sum(len(faces.facets(f)) for f in expected)


@pytest.mark.parametrize("k", [0, 5, 63, 64, 90])
def test_a_form_vanishes_where_it_has_neither_sign(k: int) -> None:
    words = np.zeros((4, 2, 2), np.uint64)
    words[:, 0] = np.uint64(2**64 - 1)
    assert not _cut_kernels.has_zero(words, 4, k)
    words[2, 0, k >> 6] ^= np.uint64(1) << np.uint64(k & 63)
    assert _cut_kernels.has_zero(words, 4, k)
    assert not _cut_kernels.has_zero(words, 2, k)
    words[2, 1, k >> 6] |= np.uint64(1) << np.uint64(k & 63)
    assert not _cut_kernels.has_zero(words, 4, k)


def test_parts_are_forgotten_for_cut_faces_alone() -> None:
    parts = np.arange(12, dtype=np.int32).reshape(6, 2)
    _cut_kernels.forget_parts(parts, np.array([1, 4, 5], np.int32), 2)
    assert parts.tolist() == [[0, 1], [-1, -1], [4, 5], [6, 7], [-1, -1], [10, 11]]


def test_facets_get_the_cell_of_a_face_they_bound() -> None:
    faces = random_faces(np.random.default_rng(5), 20, 12)
    below = np.full(12, -1, np.int32)
    _cut_kernels.hand_down_cells(faces.arrays, 15, below)
    for g in range(12):
        around = {int(faces.arrays.cell[f]) for f in range(15) if g in faces.facets(f)}
        assert int(below[g]) in (around or {-1})


# -- numbers ---------------------------------------------------------------------------------------------------------------


def chain_of_vertices(rng: np.random.Generator, n_old: int, n: int) -> Any:
    """Vertices between earlier ones."""
    vertices = Vertices(np.zeros((n, 2)))
    for v in range(n_old, n):
        vertices.arrays.ends[v] = rng.choice(v, size=2, replace=False)
    vertices.arrays.t[n_old:] = rng.random(n - n_old)
    vertices.arrays.t_error[n_old:] = 1e-12 * rng.random(n - n_old)
    return vertices.arrays


def test_values_are_carried_between_the_ends_and_stay_within_their_error() -> None:
    rng = np.random.default_rng(2)
    v = chain_of_vertices(rng, 5, 30)
    truth = np.array([[Fraction(float(x)) for x in row] for row in rng.normal(size=(30, 4))], dtype=object)
    values, error = truth.astype(float), np.zeros(30)
    values[:5] += 1e-9 * rng.normal(size=(5, 4))
    error[:5] = 1e-8
    values[5:], error[5:] = np.nan, np.nan
    _cut_kernels.carry_values(values, error, v, 5, 30)
    for i in range(5, 30):
        a, b = v.ends[i]
        # the true place may be anywhere within t_error of t
        for end in (-1, 1):
            t = Fraction(float(v.t[i])) + end * Fraction(float(v.t_error[i]))
            truth[i] = truth[a] + t * (truth[b] - truth[a])
            assert np.linalg.norm((values[i] - truth[i]).astype(float)) <= error[i]
        length = np.linalg.norm(values[b] - values[a])
        assert error[i] <= max(error[a], error[b]) + 1.01 * v.t_error[i] * length + 1e-14 * (1 + np.abs(values[[a, b]]).sum())


def test_new_vertices_lie_where_their_form_vanishes_and_know_their_signs() -> None:
    """Four random affine forms on the edges of a cube, in floats and in fractions."""
    rng = np.random.default_rng(7)
    lattice, corners = cube(3)
    corners = 2.0 * corners - 1
    weight, bias = rng.normal(size=(4, 3)), rng.normal(size=4) / 3
    exact = [[sum((Fraction(float(a)) * int(x) for a, x in zip(row, c, strict=True)), Fraction(float(b)))
              for row, b in zip(weight, bias, strict=True)] for c in corners]  # fmt: skip
    z = np.array([[float(x) for x in row] for row in exact])
    pos = np.array([[sum(1 << k for k in range(4) if row[k] > 0)] for row in exact], np.uint64)
    neg = np.array([[sum(1 << k for k in range(4) if row[k] < 0)] for row in exact], np.uint64)
    edges, v = lattice.faces[1], lattice.vertices
    v.begin_cut(pos, neg)
    edges.begin_cut(1)
    _cut_kernels.gather_words(edges.arrays, v.arrays.words, 0, edges.n)
    out = np.empty(12, np.int32)
    n_cut, _ = _cut_kernels.find_cut(edges.arrays, 12, 2, out)
    assert n_cut >= 3
    before = edges.packed().entries.reshape(-1, 2)
    edges.make_room(int(n_cut), 2 * int(n_cut))
    v.make_room(int(n_cut))
    z = np.concatenate([z, np.full((int(n_cut), 4), np.nan)])
    scale, floor = np.ones(4), np.full(4, 1e-15)
    forms = _cut.FormArrays(z, scale, 1 / scale, np.full(len(z), 1e-15), floor)
    undecided = _cut_kernels.cut_edges(out, 0, n_cut, 2, edges.arrays, v.arrays, forms, NewNumbers(12, 8, 50))
    assert undecided == 0
    for i, e in enumerate(out[:n_cut]):
        a, b = sorted(before[e], key=lambda x: exact[x][2])
        t = exact[a][2] / (exact[a][2] - exact[b][2])
        assert v.arrays.ends[8 + i].tolist() == [a, b]
        assert v.arrays.t[8 + i] == pytest.approx(float(t), abs=1e-14)
        assert abs(Fraction(float(v.arrays.t[8 + i])) - t) <= Fraction(float(v.arrays.t_error[8 + i]))
        truth = [x + t * (y - x) for x, y in zip(exact[a], exact[b], strict=True)]
        assert truth[2] == z[8 + i, 2] == 0
        assert bits(v.arrays.words[8 + i, 0]) == {k for k in range(4) if truth[k] > 0}
        assert bits(v.arrays.words[8 + i, 1]) == {k for k in range(4) if truth[k] < 0}
        np.testing.assert_allclose(z[8 + i], [float(x) for x in truth], atol=1e-14)
        assert v.arrays.hyperplanes[8 + i].tolist() == [*edges.hyperplanes[e], 50 + i]
        assert edges.arrays.pool[2 * e : 2 * e + 2].tolist() == [a, 8 + i]
        assert edges.arrays.pool[24 + 2 * i : 26 + 2 * i].tolist() == [8 + i, b]
        assert edges.arrays.parts[e].tolist() == [12 + i, 8 + i]


@pytest.mark.parametrize(("error", "expected"), [(1e-16, 0), (1.0, 1)])
def test_a_sign_smaller_than_its_error_is_undecided(error: float, expected: int) -> None:
    """An edge from -1 to 1 cut by form 0 at its middle, where form 1 is 0.2."""
    vertices, edges = Vertices(np.zeros((2, 2))), Faces(np.array([2]), np.array([0, 1]), np.zeros((1, 1)))
    vertices.begin_cut(np.array([[0b10], [0b01]], np.uint64), np.array([[0b01], [0b10]], np.uint64))
    edges.begin_cut(1)
    vertices.make_room(1)
    edges.make_room(1, 2)
    z = np.array([[-1.0, 1.0], [1.0, -0.6], [np.nan, np.nan]])
    forms = _cut.FormArrays(z, np.ones(2), np.ones(2), np.full(3, error), np.full(2, 1e-300))
    args = (np.zeros(1, np.int32), 0, 1, 0, edges.arrays, vertices.arrays, forms, NewNumbers(1, 2, 0))
    assert _cut_kernels.cut_edges(*args) == expected
    assert bits(vertices.arrays.undecided[2]) == ({1} if expected else set())
    assert bits(vertices.arrays.words[2, 0]) == (set() if expected else {1})


def test_zeros_between_values_that_are_not_zero_are_marked() -> None:
    rng = np.random.default_rng(3)
    v = chain_of_vertices(rng, 4, 25)
    values = rng.integers(0, 2, size=(25, 6)).astype(float)
    expected = values.copy()
    for i in range(4, 25):
        for k in range(6):
            if expected[i, k] == 0 and any(expected[e, k] != 0 for e in v.ends[i]):
                expected[i, k] = 7.0
    _cut_kernels.mark_rounded_zeros(values, v.ends, 4, 25, 7.0)
    np.testing.assert_array_equal(values, expected)


# -- reading ---------------------------------------------------------------------------------------------------------------


def complex_of(family: str, dimension: int) -> SpaceComplex:
    cx = decompose(drawn(family, 2, dimension), Box([-1.0] * dimension, [1.0] * dimension))
    assert isinstance(cx, SpaceComplex)
    return cx


CASES = [("gaussian", 3), ("zero biases", 4), ("integer", 3), ("maxout", 3)]


@pytest.mark.parametrize(("family", "dimension"), CASES)
def test_packed_lists_are_the_facet_lists(family: str, dimension: int) -> None:
    cx = complex_of(family, dimension)
    for faces in cx._walk.lattice.faces.values():
        offsets, entries = faces.packed()
        assert offsets[-1] == len(entries)
        for f in range(faces.n):
            assert entries[offsets[f] : offsets[f + 1]].tolist() == faces.facets(f).tolist()


def vertex_sets(cx: SpaceComplex) -> list[list[set[int]]]:
    levels = [[{v} for v in range(cx.n_faces[0])]]
    for faces in cx._walk.lattice.faces.values():
        levels.append([set().union(*(levels[-1][g] for g in faces.facets(f))) for f in range(faces.n)])
    return levels


@pytest.mark.parametrize(("family", "dimension"), CASES)
def test_vertices_of_faces_are_collected_once_each(family: str, dimension: int) -> None:
    cx = complex_of(family, dimension)
    levels = vertex_sets(cx)
    below = cx._walk.lattice.faces[1].packed()
    for d in range(2, dimension + 1):
        lists = cx._walk.lattice.faces[d].packed()
        offsets, stamps = np.empty_like(lists.offsets), np.full((2, cx.n_faces[0]), -1, np.int32)
        _kernels.count_vertices(lists, below, stamps[0], offsets)
        entries = np.empty(int(offsets[-1]), np.int32)
        _kernels.collect_vertices(lists, below, stamps[1], offsets, entries)
        found = [entries[a:b].tolist() for a, b in pairwise(offsets)]
        assert [set(x) for x in found] == levels[d]
        assert all(len(x) == len(set(x)) for x in found)
        below = FaceLists(offsets, entries)


@pytest.mark.parametrize(("family", "dimension"), CASES)
def test_least_vertices_are_minima(family: str, dimension: int) -> None:
    cx = complex_of(family, dimension)
    least = np.arange(cx.n_faces[0])
    for d, level in enumerate(vertex_sets(cx)[1:], start=1):
        out = np.empty(len(level), np.int64)
        _kernels.least_vertices(*cx._walk.lattice.faces[d].packed(), least, out)
        assert out.tolist() == [min(s) for s in level]
        least = out


@pytest.mark.parametrize(("family", "dimension"), CASES)
def test_volumes_are_those_of_convex_hulls(family: str, dimension: int) -> None:
    cx = complex_of(family, dimension)
    hulls = [ConvexHull(cx.vertices[sorted(s)], qhull_options="QJ").volume for s in vertex_sets(cx)[-1]]
    volumes = np.bincount(cx.cell_of_part, weights=hulls)
    np.testing.assert_allclose(cx.sizes(), volumes, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("family", "dimension"), CASES)
def test_sides_of_facets_are_the_cells_that_list_them(family: str, dimension: int) -> None:
    cx = complex_of(family, dimension)
    cells = cx._walk.lattice.cells
    sides = np.empty((cx.n_faces[-2], 2), np.int32)
    _kernels.facet_sides(*cells.packed(), sides)
    for g in range(cx.n_faces[-2]):
        around = [c for c in range(cells.n) if g in cells.facets(c)]
        assert sorted(x for x in sides[g].tolist() if x >= 0) == around
        assert len(around) in (1, 2)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_determinant_is_the_sum_over_permutations(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        a = rng.integers(-3, 4, size=(n, n)).astype(float)
        total = 0
        for p in permutations(range(n)):
            sign = (-1) ** sum(p[i] > p[j] for i, j in combinations(range(n), 2))
            total += sign * int(np.prod([a[i, p[i]] for i in range(n)]))
        assert _kernels._determinant(a.copy(), n) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize(("family", "dimension"), [("gaussian", 4), ("zero biases", 3), ("duplicated", 3)])
def test_faces_cut_in_many_ranges_are_the_same(family: str, dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    net, box = drawn(family, 3, dimension, (6, 4)), Box([-1.0] * dimension, [1.0] * dimension)
    whole = decompose(net, box)
    monkeypatch.setattr(_cut, "RANGE", 1)
    parts = decompose(net, box)
    assert isinstance(whole, SpaceComplex) and isinstance(parts, SpaceComplex)
    assert parts.n_faces == whole.n_faces
    for d in range(1, dimension + 1):
        for a, b in zip(whole._lists[d], parts._lists[d], strict=True):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(whole.vertices, parts.vertices)
