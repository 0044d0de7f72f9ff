"""The plane engine: slices of large input spaces, pictures, counting without building."""

import itertools

import numpy as np
import pytest

from plica.geometry import Box, Plane, count_regions, decompose
from plica.network import Builder, Conv, Linear, Max, Network, Rectifier, Reshape
from plica.testing import Case, chain, check_areas, check_edges, check_euler, check_reference, draw_network

BOX = Box([-1, -1], [1, 1])


def he(widths: tuple[int, ...], seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(b, a)) * np.sqrt(2 / a) for a, b in itertools.pairwise(widths)]
    return chain(weights, [rng.normal(size=b) / 2 for b in widths[1:]])


def test_a_plane_through_three_pictures_of_784_pixels() -> None:
    network = he((784, 40, 40, 10))
    x = np.random.default_rng(1).uniform(size=(3, 784))
    cx = decompose(network, Plane.through(*x, margin=0.25))
    assert cx.n_cells > 200
    for i in (0, cx.n_cells // 2, cx.n_cells - 1):
        cell = cx.cells[i]
        point = cx.domain.to_input(cell.center)[0]
        A, c = cell.affine_map
        assert A.shape == (10, 784)
        np.testing.assert_allclose(A @ point + c, network(point), atol=1e-9)
        slope, start = cell.slice_map
        np.testing.assert_allclose(slope @ cell.center + start, network(point), atol=1e-9)
        assert all(np.array_equal(p, q) for p, q in zip(cell.pattern, network.pattern(point), strict=True))
        assert cx.cell_at(point) == i == cx.cell_at(cell.center)
    np.testing.assert_allclose(cx.outputs, network(cx.points), atol=1e-9)
    assert cx.sizes().sum() == pytest.approx(2.25, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_convolution_pooling_and_residual_edges_on_planes(seed: int) -> None:
    for family in ("max-pool", "average pool", "residual", "concat"):
        network = draw_network(family, seed=50 + seed, size="tiny")
        x = np.random.default_rng(seed).integers(-2, 3, (3, network.n_inputs)) + 4.0 * np.eye(3, network.n_inputs)
        domain = BOX if network.n_inputs == 2 else Plane.through(*x)
        check_reference(Case(network, domain))


def test_a_convolutional_network_on_a_plane_agrees_with_its_own_forward_pass() -> None:
    rng = np.random.default_rng(0)
    builder = Builder((1, 8, 8))
    builder.add(Conv(rng.normal(size=(3, 1, 3, 3)) / 3, rng.normal(size=3) / 4, (1, 1), ((1, 1), (1, 1)), (1, 1)))
    builder.add(Rectifier())
    builder.add(Max(np.arange(192).reshape(3, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4).reshape(3, 4, 4, 4)))
    builder.add(Reshape((48,)))
    builder.add(Linear(rng.normal(size=(6, 48)) / 7))
    builder.add(Rectifier())
    builder.add(Linear(rng.normal(size=(3, 6))))
    network = builder.build()
    cx = decompose(network, Plane.through(*rng.uniform(size=(3, 64)), margin=0.1))
    assert cx.n_cells > 200
    for cell in list(cx.cells)[:: cx.n_cells // 20]:
        if cell.size > 1e-9:  # at the center of a sliver floats may see another pattern
            x = cx.domain.to_input(cell.center)[0]
            assert all(np.array_equal(p, q) for p, q in zip(cell.pattern, network.pattern(x), strict=True))
    np.testing.assert_allclose(cx.outputs, network(cx.points.reshape(-1, 1, 8, 8)), atol=1e-9)
    case = Case(network, cx.domain)  # type: ignore[arg-type]
    check_euler(case)
    check_edges(case)


def test_a_complex_of_thousands_of_cells_is_a_subdivision() -> None:
    case = Case(he((2, 24, 24, 24, 1)), BOX)
    assert case.complex.n_cells > 700
    for check in (check_areas, check_euler, check_edges):
        check(case)


@pytest.mark.parametrize("widths", [(2, 1), (2, 9, 1), (2, 30, 30, 2)])
def test_counting_without_building_counts_the_same(widths: tuple[int, ...]) -> None:
    network = he(widths)
    cx = decompose(network, BOX)
    count = count_regions(network, BOX)
    assert (count.n_cells, count.n_regions) == (cx.n_cells, cx.n_regions)
    cells = count_regions(network, BOX, cells_only=True)
    assert (cells.n_cells, cells.n_regions) == (cx.n_cells, None)
    assert cells.to_dict()["n_cells"] == cx.n_cells


@pytest.mark.parametrize("family", ["max-pool", "maxout", "hard-tanh", "sawtooth", "residual"])
def test_counting_without_building_counts_the_same_for_other_folds(family: str) -> None:
    for seed in range(5):
        network = draw_network(family, seed=seed)
        domain = BOX if network.n_inputs == 2 else Plane.through(*np.eye(3, network.n_inputs) * 3)
        assert count_regions(network, domain, cells_only=True).n_cells == decompose(network, domain).n_cells


def test_zooming_finds_the_same_cells_in_the_part() -> None:
    network = he((2, 20, 20, 1))
    whole, part = decompose(network, BOX), decompose(network, Box([0.1, 0.2], [0.3, 0.35]))
    patterns = {tuple(tuple(p.tolist()) for p in c.pattern) for c in whole.cells}
    assert {tuple(tuple(p.tolist()) for p in c.pattern) for c in part.cells} <= patterns
    assert 1 < part.n_cells < whole.n_cells


def test_one_network_may_be_decomposed_again_and_elsewhere() -> None:
    network = he((2, 12, 12, 1))
    first = decompose(network, BOX)
    decompose(network, Box([5, 5], [6, 6]))
    again = decompose(network, BOX)
    assert np.array_equal(first.vertices, again.vertices)
    assert np.array_equal(first.regions, again.regions)
