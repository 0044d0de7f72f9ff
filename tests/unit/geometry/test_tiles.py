"""Tiles glued together are the complex that one process makes, cell for cell."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from space_cases import WIDE, drawn, neighbor_patterns, patterns

from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput
from plica.geometry import Box, Budget, Plane, Polytope, Segment, Space, decompose
from plica.geometry.tiles import _tiles
from plica.geometry.tiles._frontier import grouped
from plica.geometry.tiles._frontier_space import spread_marks
from plica.network import random_network
from plica.testing import FAMILIES, Case, check_areas, check_edges, check_euler, check_folds, check_patterns, draw_case


def in_tiles(network: Any, domain: Any) -> Any:
    """Decomposed in tiles, one after the other in this process."""
    return _tiles.decompose_on(None, network, domain) if len(network.layers) > 1 else decompose(network, domain)


def same_plane(cx: Any, other: Any) -> None:
    """Equal numbers of cells, patterns, regions and neighbors; the same corners and edges, by exact position."""
    assert all(np.array_equal(a, b) for a, b in zip(cx._walk.parents, other._walk.parents, strict=True))
    assert patterns(cx) == patterns(other)
    assert cx.regions.tolist() == other.regions.tolist()
    assert [cx.neighbors(i) for i in range(cx.n_cells)] == [other.neighbors(i) for i in range(other.n_cells)]
    assert edges(cx) == edges(other)
    for i in range(cx.n_cells):
        a, b = ([c.exact_vertex(int(v)) for v in c.cells[i].vertices] for c in (cx, other))
        turn = b.index(a[0])
        assert a == b[turn:] + b[:turn]


def edges(cx: Any) -> dict[Any, Any]:
    """The cells and the layer of each edge, by the exact positions of its ends."""
    place = [cx.exact_vertex(v) for v in range(cx.n_vertices)]
    return {
        frozenset((place[p], place[q])): (frozenset(cells.tolist()), int(layer))
        for (p, q), cells, layer in zip(cx.edges, cx.edge_cells, cx.edge_layer, strict=True)
    }


def same_space(cx: Any, other: Any) -> None:
    """The same faces in every dimension, by the exact positions of their vertices, with the same cells beside the facets."""
    assert cx.n_faces == other.n_faces
    assert set(patterns(cx)) == set(patterns(other))
    assert neighbor_patterns(cx) == neighbor_patterns(other)
    assert faces(cx) == faces(other)


def faces(cx: Any) -> dict[int, Any]:
    name = {i: key for key, i in patterns(cx).items()} | {-1: None}
    known: list[Any] = [cx.exact_vertex(v) for v in range(len(cx.vertices))]
    assert len(set(known)) == len(known)
    out: dict[int, Any] = {0: set(known)}
    for d in range(1, cx.dimension + 1):
        first, entries = cx._lists[d]
        known = [frozenset(known[g] for g in entries[a:b]) for a, b in pairwise(first.tolist())]
        assert len(set(known)) == len(known)
        if d == cx.dimension - 1:
            beside = [frozenset(name[int(c)] for c in cells) for cells in cx.facet_cells]
            out[d] = set(zip(known, beside, cx.facet_layer.tolist(), strict=True))
        else:
            out[d] = set(known)
    return out


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_tiles_of_a_family_in_the_plane_are_the_whole(family: str) -> None:
    for seed in (0, 1):
        case = draw_case(family, seed=seed)
        same_plane(case.complex, in_tiles(case.network, case.domain))


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - set(WIDE)))
def test_tiles_of_a_family_in_space_are_the_whole(family: str) -> None:
    net, box = drawn(family, 5, 3), Box([-1.0] * 3, [1.0] * 3)
    same_space(decompose(net, box), in_tiles(net, box))
    if len(net.layers) > 1:
        assert _tiles.count_on(None, net, box).n_cells == decompose(net, box).n_cells


def test_tiles_in_four_dimensions_are_the_whole() -> None:
    net, box = random_network([4, 6, 4, 3, 1], seed=1, weights="he-normal", bias_std=0.5), Box([-1.0] * 4, [1.0] * 4)
    cx = in_tiles(net, box)
    same_space(decompose(net, box), cx)
    assert cx.sizes().sum() == pytest.approx(16.0)


@pytest.mark.parametrize("dimension", [2, 3])
def test_tiles_of_a_polytope_and_of_a_plane_are_the_whole(dimension: int) -> None:
    rows = [[s * float(i == j) for j in range(dimension)] for i in range(dimension) for s in (-1, 1)]
    net = random_network([dimension, 8, 6, 1], seed=3, weights="he-normal", bias_std=0.5)
    domain = Polytope([*rows, [1.0, 3.0, 0.7][:dimension]], [1.0] * len(rows) + [0.9])
    (same_plane if dimension == 2 else same_space)(decompose(net, domain), in_tiles(net, domain))
    if dimension == 3:
        plane = Plane.through([0.0, 0.1, 0.2], [1.0, 0.3, -0.2], [-0.4, 1.0, 0.5], margin=0.3)
        same_plane(decompose(net, plane), in_tiles(net, plane))


@pytest.mark.parametrize("check", [check_areas, check_edges, check_euler, check_folds, check_patterns])
@pytest.mark.parametrize("family", ["integer", "maxout", "residual"])
def test_glued_tiles_satisfy_the_invariants_of_engines(family: str, check: Any) -> None:
    case = draw_case(family, seed=3, size="medium")
    check(Case(case.network, case.domain, in_tiles, label=f"{family} in tiles"))


def test_a_deep_network_is_split_after_the_first_layer_with_enough_cells() -> None:
    net, box = random_network([2, 3, 12, 12, 12, 1], seed=0, weights="he-normal", bias_std=0.5), Box([-1.0] * 2, [1.0] * 2)
    tiling = _tiles.Tiling(net, box, None, Budget(), None)
    assert tiling.frontier.layer == 2 and tiling.n_tiles == _tiles.TILES_PER_WORKER
    same_plane(decompose(net, box), in_tiles(net, box))


def test_counting_reports_every_tile_and_keeps_to_its_budget() -> None:
    net, box = random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5), Box([-1.0] * 2, [1.0] * 2)
    told: list[dict[str, Any]] = []
    count = _tiles.count_on(None, net, box, progress=told.append)
    assert count.n_cells == decompose(net, box).n_cells == told[-1]["n_cells"]
    assert [r["tiles_done"] for r in told] == list(range(1, told[-1]["n_tiles"] + 1))
    with pytest.raises(BudgetExceeded):
        _tiles.count_on(None, net, box, budget=Budget(max_cells=count.n_cells - 1))


def test_groups_hold_every_cell_once_and_are_of_similar_size() -> None:
    signs = np.random.default_rng(0).integers(0, 2**40, 101).astype(np.uint64)
    groups = grouped(signs, np.arange(101), 7)
    assert sorted(np.concatenate(groups).tolist()) == list(range(101))
    assert {len(g) for g in groups} <= {14, 15}
    assert all(signs[a].max() < signs[b].min() for a, b in pairwise(groups))
    assert [len(g) for g in grouped(np.zeros(1, np.uint64), np.zeros(1, np.int64), 3)] == [1, 0, 0]


def test_parts_of_one_cell_stay_in_one_group() -> None:
    labels = np.array([0, 1, 0, 2, 1, 3])
    groups = grouped(np.array([5, 1, 0, 2, 9, 3], np.uint64), labels, 2)
    assert [set(labels[g]) for g in groups] == [{1, 2}, {0, 3}]


def test_marks_spread_as_in_plain_python() -> None:
    ends = np.array([[0, 1], [3, 2], [3, 1], [5, 0]])
    compiled, plain = np.array([True, True, False, *[False] * 4]), np.array([True, True, False, *[False] * 4])
    spread_marks(ends, compiled, 3)
    spread_marks.py_func(ends, plain, 3)
    assert compiled.tolist() == plain.tolist() == [True, True, False, True, False, True, True]


def test_what_has_no_tiles_is_refused_or_done_at_once() -> None:
    net = random_network([2, 8, 8, 1], seed=0)
    with pytest.raises(InvalidDomain, match="segment"):
        decompose(net, Segment([0, 0], [1, 1]), cluster="local")
    with pytest.raises(InvalidDomain, match="space"):
        decompose(net, Space(2), cluster="local")
    pytest.importorskip("distributed")
    with pytest.raises(InvalidInput, match="no such file"):
        decompose(net, Box([-1, -1], [1, 1]), cluster="somewhere")
    shallow, box = random_network([2, 8, 1], seed=0), Box([-1, -1], [1, 1])
    assert decompose(shallow, box, cluster="local").n_cells == decompose(shallow, box).n_cells
