"""Properties of the engines, for whatever small network hypothesis thinks of."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.geometry import Box, Budget, Path, Plane, Segment, count_regions, decompose
from plica.network import Network
from plica.testing import (
    Case,
    check_areas,
    check_continuity,
    check_edges,
    check_euler,
    check_folds,
    check_maps,
    check_patterns,
    check_reference,
    check_regions,
    check_restriction,
    check_splitting,
    domains,
    networks,
    segments,
)
from plica.testing._against_reference import compare_line


@given(networks(), domains())
@settings(max_examples=60)
def test_the_plane_engine_is_the_reference(network: Network, domain: Box | Plane) -> None:
    check_reference(Case(network, domain))


@given(networks(), segments())
@settings(max_examples=80)
def test_the_line_engine_is_the_reference(network: Network, segment: Segment) -> None:
    compare_line(Case(network, Box([0, 0], [1, 1])), segment, decompose(network, segment))


@given(networks(max_width=4), domains())
@settings(max_examples=60)
def test_the_complex_is_a_subdivision(network: Network, domain: Box | Plane) -> None:
    case = Case(network, domain)
    for check in (check_areas, check_euler, check_edges, check_patterns, check_folds):
        check(case)


@given(networks(max_width=4), domains())
@settings(max_examples=60)
def test_the_maps_are_the_network(network: Network, domain: Box | Plane) -> None:
    case = Case(network, domain)
    for check in (check_maps, check_continuity, check_regions):
        check(case)


@given(networks(max_width=4), domains(), st.integers(0, 1000))
@settings(max_examples=40)
def test_parts_of_the_domain_fit_together(network: Network, domain: Box | Plane, seed: int) -> None:
    case = Case(network, domain, seed=seed)
    check_restriction(case)
    check_splitting(case)


@given(networks(max_width=4), domains())
@settings(max_examples=60)
def test_counting_is_decomposing(network: Network, domain: Box | Plane) -> None:
    cx = decompose(network, domain)
    count = count_regions(network, domain)
    assert (count.n_cells, count.n_regions) == (cx.n_cells, cx.n_regions)
    assert count_regions(network, domain, cells_only=True).n_cells == cx.n_cells


@given(networks(max_width=4), st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=5))
@settings(max_examples=60)
def test_a_path_is_its_segments(network: Network, points: list[tuple[int, int]]) -> None:
    points = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
    if len(points) < 2:
        return
    path = decompose(network, Path(points))
    parts = [decompose(network, Segment(a, b)) for a, b in itertools.pairwise(points)]
    assert path.n_cells == sum(p.n_cells for p in parts)
    expected = [t[0] + i for i, p in enumerate(parts) for t in map(p.exact_vertex, range(p.n_cells))]
    assert [path.exact_vertex(i)[0] for i in range(path.n_cells)] == expected
    for i, cell in enumerate(cell for part in parts for cell in part.cells):
        assert all(np.array_equal(a, b) for a, b in zip(path.pattern(i), cell.pattern, strict=True))


@given(networks(max_layers=3, max_width=4), domains(), st.integers(1, 30))
@settings(max_examples=60)
def test_a_budget_is_kept_or_the_answer_is_complete(network: Network, domain: Box | Plane, limit: int) -> None:
    from plica.errors import BudgetExceeded

    truth = decompose(network, domain).n_cells
    try:
        found = decompose(network, domain, budget=Budget(max_cells=limit)).n_cells
    except BudgetExceeded as error:
        assert truth > limit or error.partial["layers_done"] < len(network.layers)
    else:
        assert found == truth <= limit


@given(networks(max_layers=1), st.integers(-8, 8), st.integers(-8, 8))
@settings(max_examples=60)
def test_a_point_is_in_the_cell_that_is_named(network: Network, x: int, y: int) -> None:
    box = Box([-2, -2], [2, 2])
    case = Case(network, box)
    cell = case.complex.cell_at([x / 4, y / 4])
    A, c = case.complex.cells[cell].affine_map
    truth = case.output_at((Fraction(x, 4), Fraction(y, 4)))
    np.testing.assert_allclose(A @ [x / 4, y / 4] + c, truth.astype(float), atol=1e-12)
