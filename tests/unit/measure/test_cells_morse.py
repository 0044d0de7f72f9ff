"""Persistence and critical points: against plain definitions in fractions, each other, known shapes, and gudhi."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import BoundedComplex, Box, FaceLists, Segment, Space, decompose
from plica.measure import critical_points, discrete_gradient, level_topology, persistence
from plica.measure.cells._homology import reduced
from plica.network import Linear, Network, Rectifier, random_network

ABS = Rectifier(np.array(-1.0))


def ternary(d: int, seed: int) -> Network:
    """Weights -1, 0, 1: folds in common, flat parts, equal values."""
    rng = np.random.default_rng(seed)
    first = Linear(rng.integers(-1, 2, (5, d)).astype(float), rng.integers(-1, 2, 5) / 2)
    second, last = (Linear(rng.integers(-1, 2, shape).astype(float)) for shape in ((4, 5), (1, 4)))
    return Network.sequential(d, [first, Rectifier(), second, Rectifier(), last])


def generic(d: int, seed: int) -> Network:
    return random_network([d, 7, 5, 1], seed=seed, weights="he-normal", bias_std=0.5)


def box(d: int) -> Box:
    return Box([-1] * d, [1] * d)


def highest(cx: BoundedComplex) -> list[list[Fraction]]:
    """For each dimension the largest value of each face, in fractions, vertex by vertex."""
    out = [[cx.exact_output(v)[0] for v in range(len(cx.vertices))]]
    for k in range(1, cx.dimension + 1):
        lists = cx.facets_of_faces(k)
        ends = lists.offsets.tolist()
        out.append([max(out[-1][j] for j in lists.entries[a:b]) for a, b in pairwise(ends)])
    return out


def ranks_of(cx: BoundedComplex, kept: list[np.ndarray]) -> list[int]:
    """Ranks over GF(2) of the boundary maps of chosen faces, by elimination of dense rows."""
    out = [0]
    for k in range(1, cx.dimension + 1):
        rows = cx.boundary_matrix(k).toarray()[np.ix_(kept[k - 1], kept[k])].T.astype(bool)
        rank = 0
        for column in range(rows.shape[1]):
            found = np.flatnonzero(rows[rank:, column])
            if len(found):
                rows[[rank, rank + found[0]]] = rows[[rank + found[0], rank]]
                others = np.flatnonzero(rows[:, column])
                rows[others[others != rank]] ^= rows[rank]
                rank += 1
        out.append(rank)
    return [*out, 0]


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("make", [ternary, generic])
def test_betti_numbers_at_every_level_are_those_of_the_faces_below(d: int, make: object) -> None:
    for seed in range(3):
        cx = decompose(make(d, seed), box(d))  # type: ignore[operator]
        if d == 3 and cx.n_cells > 60:
            continue
        tops, found = highest(cx), persistence(cx)
        distinct = sorted(set(tops[0]))
        for level in distinct[:: max(1, len(distinct) // 12)]:
            kept = [np.flatnonzero([v <= level for v in part]) for part in tops]
            ranks = ranks_of(cx, kept)
            expected = tuple(len(kept[k]) - ranks[k] - ranks[k + 1] for k in range(d + 1))
            assert found.betti(level) == expected
        assert found.betti(distinct[0] - 1) == (0,) * (d + 1)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("make", [ternary, generic])
@pytest.mark.parametrize("seed", range(3))
def test_critical_points_are_births_and_deaths(d: int, make: object, seed: int) -> None:
    cx = decompose(make(d, seed), box(d))  # type: ignore[operator]
    diagram, found = persistence(cx), critical_points(cx)
    assert found.euler == 1
    made: dict[Fraction, list[int]] = {}
    for i, k in enumerate(diagram.dimensions.tolist()):
        birth, death = diagram.exact(i)
        made.setdefault(birth, [0] * (d + 1))[k] += 1
        if death is not None:
            assert birth < death
            made.setdefault(death, [0] * (d + 1))[k + 1] += 1
    measured: dict[Fraction, list[int]] = {}
    for p in found.points:
        total = measured.setdefault(p.value, [0] * (d + 1))
        measured[p.value] = [a + b for a, b in zip(total, p.multiplicities, strict=True)]
    assert measured == made  # the long exact sequence of the pair, level by level


def test_betti_numbers_between_levels_are_those_of_the_cut_complex() -> None:
    net = generic(2, 5)
    cx = decompose(net, box(2))
    found = persistence(cx)
    for t in np.quantile(cx.outputs[:, 0], [0.1, 0.35, 0.6, 0.85]):
        assert found.betti(float(t)) == level_topology(net, box(2), float(t)).betti


def star(depth: int) -> Network:
    """A function of two variables, linear along every ray from 0, with 2^depth valleys around it (depth > 1)."""
    saw = [Linear(np.array([[1.0, 0.0], [-1.0, 2.0]])), ABS]
    ops = [ABS, Linear(np.array([[1.0, 1.0], [1.0, -1.0]])), ABS, *saw * (depth - 2), Linear(np.array([[1.0, -2.0]]))]
    return Network.sequential(2, ops)


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
def test_a_star_of_many_valleys_is_one_saddle_of_high_multiplicity(depth: int) -> None:
    found = critical_points(decompose(star(depth), box(2)))
    assert [p.multiplicities for p in found.interior] == [(0, 2**depth - 1, 0)] and not found.is_morse
    assert found.interior[0].index is None and found.euler == 1


def test_a_flat_part_is_one_critical_set() -> None:
    net = Network.sequential(1, [Linear(np.array([[1.0], [-1.0]]), np.array([-0.5, -0.5])), Rectifier(), Linear(np.ones((1, 2)))])
    found = critical_points(decompose(net, Box([-1], [1])))  # zero on [-1/2, 1/2], then up on both sides
    assert [p.multiplicities for p in found.interior] == [(1, 0)] and found.interior[0].is_flat and not found.is_morse
    flat = Network.sequential(2, [Linear(np.zeros((1, 2)), np.array([0.25]))])
    found = critical_points(decompose(flat, box(2)))
    assert [p.multiplicities for p in found.points] == [(1, 0, 0)] and found.points[0].value == Fraction(1, 4)


def test_maxima_minima_and_saddles_have_their_index() -> None:
    for signs, index in (((1, 1, 1), 0), ((1, 1, -1), 1), ((1, -1, -1), 2), ((-1, -1, -1), 3)):
        net = Network.sequential(3, [ABS, Linear(np.array([signs], dtype=float))])
        found = critical_points(decompose(net, box(3)))
        assert [p.index for p in found.interior] == [index] and found.is_morse and found.euler == 1


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InvalidInput, match="bounded"):
        persistence(decompose(generic(2, 0), Space(2)))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="bounded"):
        critical_points(decompose(generic(2, 0), Space(2)))  # type: ignore[arg-type]
    cx = decompose(generic(1, 0), Segment([-1], [1]))
    with pytest.raises(InvalidInput, match="no output"):
        persistence(cx, output=1)
    with pytest.raises(InvalidInput, match="no class"):
        persistence(cx).exact(99)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("make", [ternary, generic])
def test_outputs_computed_anew_are_within_their_bounds(d: int, make: object) -> None:
    cx = decompose(make(d, 1), box(d))  # type: ignore[operator]
    vertices = np.random.default_rng(d).permutation(len(cx.vertices))[:40]
    found = cx.recomputed_outputs(vertices)
    for v, y, error in zip(vertices.tolist(), found.values[:, 0].tolist(), found.error.tolist(), strict=True):
        assert abs(Fraction(y) - cx.exact_output(v)[0]) <= error < 1e-9
    at = cx.recomputed_vertices(vertices)
    for v, x, error in zip(vertices.tolist(), at.values.tolist(), at.error.tolist(), strict=True):
        assert sum((Fraction(a) - b) ** 2 for a, b in zip(x, cx.exact_vertex(v), strict=True)) <= Fraction(error) ** 2 < 1e-18


@pytest.mark.parametrize("seed", range(4))
def test_the_kernel_reduces_as_the_definition_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_rows, n_columns = 200 * 64 ** (seed // 2), 60
    columns = [np.sort(rng.choice(n_rows if seed % 2 else 30, rng.integers(0, 9), replace=False)) for _ in range(n_columns)]
    offsets = np.concatenate([[0], np.cumsum([len(c) for c in columns])])
    found = reduced(FaceLists(offsets, np.concatenate(columns).astype(np.int64)), n_rows, np.zeros(n_columns, bool))
    kept: dict[int, set[int]] = {}
    for c, column in enumerate(columns):
        rest = set(column.tolist())
        while rest and max(rest) in kept:
            rest ^= kept[max(rest)]
        assert found[c] == (max(rest) if rest else -1)
        if rest:
            kept[max(rest)] = rest


@pytest.mark.peer
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("make", [ternary, generic])
def test_gudhi_has_the_same_diagram(d: int, make: object) -> None:
    pytest.importorskip("gudhi")
    for seed in range(4):
        cx = decompose(make(d, seed), box(d))  # type: ignore[operator]
        tree, found = cx.to_gudhi(), persistence(cx)
        tree.compute_persistence(homology_coeff_field=2, min_persistence=1e-9, persistence_dim_max=True)
        for k in range(d + 1):
            theirs = np.array(tree.persistence_intervals_in_dimension(k)).reshape(-1, 2)
            own = found.dimensions == k
            ours = np.stack([found.births[own], found.deaths[own]], axis=1)
            theirs, ours = (x[np.lexsort(x.T)] for x in (theirs, ours))
            assert ours.shape == theirs.shape and np.allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("make", [generic, ternary])
def test_a_discrete_gradient_pairs_faces_with_their_facets_within_one_value(make, d):
    cx = decompose(make(d, 7), box(d))
    found, values = discrete_gradient(cx), highest(cx)
    for k in range(d + 1):
        for face, (partner, low) in enumerate(zip(found.partners[k].tolist(), found.is_lower[k].tolist(), strict=True)):
            if partner < 0:
                assert not low
                continue
            other = k + 1 if low else k - 1
            assert found.partners[other][partner] == face
            assert values[k][face] == values[other][partner]
            lists, (upper, lower) = cx.facets_of_faces(max(k, other)), (partner, face) if low else (face, partner)
            assert lower in lists.entries[lists.offsets[upper] : lists.offsets[upper + 1]]
    ranks = critical_points(cx).multiplicities
    assert all(n >= m for n, m in zip(found.n_critical, ranks, strict=True))  # Morse's inequalities
    assert sum((-1) ** k * n for k, n in enumerate(found.n_critical)) == 1
    assert sum(found.critical_by_vertex()).sum() == sum(found.n_critical)


def test_a_discrete_gradient_asks_for_a_bounded_domain_and_a_vertex_that_exists():
    net = generic(2, 1)
    with pytest.raises(InvalidInput, match="bounded domain"):
        discrete_gradient(decompose(net, Space(2)))
    found = discrete_gradient(decompose(net, box(2)))
    with pytest.raises(InvalidInput, match="there is no vertex"):
        found.critical_at(10**6)


def test_an_edge_of_equal_values_is_flat_at_its_two_ends_only() -> None:
    net = Network.sequential(1, [Linear(np.array([[1.0], [-1.0]]), np.array([-0.5, -0.5])), Rectifier(), Linear(np.ones((1, 2)))])
    cx = decompose(net, Box([-1], [1]))  # zero on [-1/2, 1/2], then up on both sides
    flat = discrete_gradient(cx).is_flat
    assert sorted(cx.vertices[flat, 0].tolist()) == [-0.5, 0.5]
