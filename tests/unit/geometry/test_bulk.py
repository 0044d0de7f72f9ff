"""Bulk arrays of complexes: the same for every dimension, and equal to what cells say one by one."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import plica
from plica.geometry import BoundedComplex, Box, Complex, Path, Plane, Segment, Space, decompose
from plica.network import Linear, Max, Network, Rectifier

NET3 = plica.random_network([3, 8, 8, 2], seed=3)


def maximum_network() -> Network:
    rng = np.random.default_rng(5)
    return Network.sequential(
        3, [Linear(rng.normal(size=(9, 3)), rng.normal(size=9)), Max(np.arange(9).reshape(3, 3)), Linear(rng.normal(size=(1, 3)))]
    )


CASES = {
    "segment": (NET3, Segment([-1, -1, -1], [1, 1.5, 1])),
    "path": (NET3, Path([[-1, 0, 0], [1, 0, 0.5], [0, 1, 1]])),
    "plane": (NET3, Plane.through([0, 0, 0], [1, 0, 0.25], [0, 1, -0.5])),
    "box": (plica.random_network([2, 12, 8, 2], seed=1), Box([-1, -1], [1, 1])),
    "space": (NET3, Box([-1, -1, -1], [1, 1, 1])),
    "maximum": (maximum_network(), Box([-1, -1, -1], [1, 1, 1])),
    "R^2": (plica.random_network([2, 6, 4, 1], seed=2), Space(2)),
}


@pytest.fixture(params=list(CASES), scope="module")
def cx(request: pytest.FixtureRequest) -> Complex:
    return decompose(*CASES[request.param])


def test_patterns_are_those_of_the_cells(cx: Complex) -> None:
    patterns = cx.patterns()
    for i in range(cx.n_cells):
        for bulk, own in zip(patterns, cx.pattern(i), strict=True):
            assert np.array_equal(bulk[i], own)
    sizes = [cx.network.nodes[i].size for i in cx.network.layers]
    for layer, size in enumerate(sizes):
        assert np.array_equal(cx.unit_states(layer, size - 1), cx.layer_states(layer)[:, -1])


def test_affine_maps_are_those_of_the_cells(cx: Complex) -> None:
    (matrices, offsets), slices = cx.affine_maps(), cx.slice_maps()
    for i, cell in enumerate(cx.cells):
        for (a, c), (b, d) in ((cell.affine_map, (matrices[i], offsets[i])), (cell.slice_map, (slices[0][i], slices[1][i]))):
            np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(d, c, rtol=1e-9, atol=1e-12)


def test_bounds_of_maps_vertices_and_outputs_hold(cx: Complex) -> None:
    maps, points, values = cx.bounded_maps(), cx.bounded_vertices(), cx.bounded_outputs()
    for i in range(0, cx.n_cells, 7):
        exact = cx.exact_map(i)
        columns = np.array(exact.fractions(), dtype=object).reshape(exact.shape)
        gap = columns - np.vectorize(Fraction)(maps.values[i])
        for row, bound in zip(gap, maps.error[i], strict=True):
            assert sum(g * g for g in row) <= Fraction(float(bound)) ** 2
        for v in cx.vertices_of(i).tolist():
            p = cx.exact_vertex(v)
            assert sum((a - Fraction(float(b))) ** 2 for a, b in zip(p, points.values[v], strict=True)) <= (
                Fraction(float(points.error[v])) ** 2
            )
            y = [sum(c * u for c, u in zip(column, (*p, 1), strict=True)) for column in columns.T]
            assert sum((a - Fraction(float(b))) ** 2 for a, b in zip(y, values.values[v], strict=True)) <= (
                Fraction(float(values.error[v])) ** 2
            )


def test_adjacency_is_symmetric_and_says_what_neighbors_say(cx: Complex) -> None:
    graph = cx.adjacency().toarray()
    assert (graph == graph.T).all() and not graph.diagonal().any()
    for i in range(cx.n_cells):
        assert np.flatnonzero(graph[i]).tolist() == cx.neighbors(i)
    inner = (cx.facet_cells >= 0).all(axis=1)
    assert {tuple(sorted(p)) for p in cx.facet_cells[inner].tolist() if p[0] != p[1]} == {
        (int(a), int(b)) for a, b in np.argwhere(graph) if a < b
    }


def test_facets_join_vertices_of_both_their_cells(cx: Complex) -> None:
    first, corners = cx.facet_offsets, cx.facet_vertices
    assert len(first) == len(cx.facet_cells) + 1 == len(cx.facet_layer) + 1
    shown = getattr(cx, "shown", cx)  # cells of R^n have fewer vertices than their parts in the box
    for f, sides in enumerate(cx.facet_cells.tolist()):
        own = set(corners[first[f] : first[f + 1]].tolist())
        assert len(own) == first[f + 1] - first[f] >= cx.dimension
        for cell in sides:
            assert cell < 0 or own <= set(shown.vertices_of(cell).tolist())


def test_folds_of_a_unit_are_where_its_state_changes(cx: Complex) -> None:
    states = cx.layer_states(0)[:, 0]
    inner = np.flatnonzero((cx.facet_cells >= 0).all(axis=1))
    a, b = cx.facet_cells[inner].T
    changes = inner[states[a] != states[b]]
    assert cx.fold_facets(0, 0).tolist() == changes.tolist()
    folds = cx.folds(0, 0)
    assert len(folds) == len(changes)
    for f, corners in zip(changes, folds, strict=True):
        own = cx.facet_vertices[cx.facet_offsets[f] : cx.facet_offsets[f + 1]]
        np.testing.assert_array_equal(np.asarray(corners).reshape(-1, cx.dimension), cx.vertices[own])


def test_boundary_maps_compose_to_zero_and_count_the_ball(cx: Complex) -> None:
    if not isinstance(cx, BoundedComplex):
        pytest.skip("faces of an unbounded complex are not a regular cell complex")
    maps = [cx.boundary_matrix(d).astype(np.int64) for d in range(1, cx.dimension + 1)]
    for below, above in itertools.pairwise(maps):
        assert not ((below @ above).toarray() % 2).any()
    assert sum((-1) ** d * n for d, n in enumerate(cx.n_faces)) == 1  # a convex domain
    assert np.array_equal(np.unique(cx.cell_of_part), np.arange(cx.n_cells))


def test_exact_sizes_add_up_to_the_domain(cx: Complex) -> None:
    if not isinstance(cx, BoundedComplex):
        pytest.skip("cells of R^n are infinite")
    exact = [cx.exact_size(i) for i in range(cx.n_cells)]
    total = len(cx.domain.segments) if isinstance(cx.domain, Path) else cx.domain.exact_size()
    assert sum(exact) == total
    np.testing.assert_allclose(cx.sizes(), [float(s) for s in exact], rtol=1e-6, atol=1e-12)


def test_interior_points_and_centers_lie_in_their_cells(cx: Complex) -> None:
    for i in range(0, cx.n_cells, 5):
        assert cx.cell_at([float(c) for c in cx.interior_point(i)]) == i
        assert cx.cell_at(cx.center(i)) == i


def test_polygons_of_space_are_walked_around() -> None:
    cx = decompose(*CASES["space"])
    first, corners = cx.facet_offsets, cx.facet_vertices
    edges = {frozenset(e) for e in cx.edges.tolist()}
    for a, b in itertools.pairwise(first):
        ring = corners[a:b].tolist()
        assert all(frozenset(e) in edges for e in zip(ring, [*ring[1:], ring[0]], strict=True))


def test_rows_of_line_states_are_the_same_many_at_once_and_one_by_one() -> None:
    cx = decompose(plica.random_network([1, 20, 20, 1], seed=0, bias_std=1.0), Segment([-3], [3]))
    for layer in range(2):
        rows = cx.layer_states(layer)
        assert all(np.array_equal(rows[i], cx.pattern(i)[layer].reshape(-1)) for i in range(cx.n_cells))


def test_old_names_warn() -> None:
    for name in ("segment", "space"):
        cx = decompose(*CASES[name])
        with pytest.warns(DeprecationWarning, match="facet_layer"):
            assert np.array_equal(cx.edge_layer, cx.facet_layer)


def test_a_complex_has_only_what_its_dimension_has() -> None:
    line, plane, space, whole = (decompose(*CASES[k]) for k in ("segment", "box", "space", "R^2"))
    assert not hasattr(line, "edges") and not hasattr(line, "cell_polygons") and not hasattr(line, "to_meshio")
    assert not hasattr(space, "cell_polygons") and not hasattr(space, "edge_cells")
    assert not hasattr(whole, "edges") and not hasattr(whole, "boundary_matrix")
    assert hasattr(plane, "edges") and hasattr(space, "edges")


def test_a_polytope_knows_its_volume_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    import plica.geometry._decompose as door

    monkeypatch.setattr(door, "decompose", None)
    cross = [[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)]
    assert plica.Polytope(cross, [1] * 8).exact_size() == Fraction(4, 3)  # the octahedron |x| + |y| + |z| <= 1


def test_networks_without_layers_have_one_cell_in_bulk() -> None:
    net = Network.sequential(2, [Linear(np.array([[1.0, 2.0]]), np.array([3.0]))])
    cx = decompose(net, Box([0, 0], [1, 1]))
    assert cx.patterns() == () and cx.affine_maps().matrices.tolist() == [[[1.0, 2.0]]]
    assert cx.affine_maps().offsets.tolist() == [[3.0]] and cx.adjacency().nnz == 0


def test_rectifiers_with_slopes_have_maps_in_bulk() -> None:
    net = Network.sequential(2, [Linear(np.array([[1.0, -1.0], [0.5, 2.0]])), Rectifier(0.25), Linear(np.array([[1.0, -1.0]]))])
    cx = decompose(net, Box([-1, -1], [1, 1]))
    for cell, a in zip(cx.cells, cx.affine_maps().matrices, strict=True):
        np.testing.assert_allclose(cell.affine_map[0], a)
