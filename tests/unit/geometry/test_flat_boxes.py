"""Boxes with fixed coordinates: the same complex as that of the network with these numbers put in."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest
from space_cases import drawn, neighbor_patterns, patterns, precomposed

from plica.construct import approximation_error
from plica.errors import InvalidDomain, InvalidInput
from plica.geometry import Box, Complex, count_regions, decompose
from plica.geometry.space._patterns_lp import cells_by_programs
from plica.network import Add, Builder, Linear, Network, Rectifier, Reshape, random_network

VALUE = 0.375


def flat_box(n: int, fixed: list[int]) -> Box:
    low, high = -np.ones(n), np.linspace(0.5, 1.5, n)
    low[fixed] = high[fixed] = VALUE
    return Box(low, high)


def with_numbers_put_in(net: Network, box: Box) -> Network:
    """The network as a function of the free coordinates alone."""
    n, free = box.n_inputs, box.free
    place, constant = np.zeros((n, len(free))), np.where(box.low == box.high, box.low, 0.0)
    place[free, np.arange(len(free))] = 1.0
    b = Builder(len(free))
    start = b.add(Linear(place, constant))
    new = {0: start if len(net.input_shape) == 1 else b.add(Reshape(net.input_shape), start)}
    for i, node in enumerate(net.nodes[1:], start=1):
        new[i] = b.add(node.op, *(new[j] for j in node.inputs))
    return b.build()


def pair(family: str, n: int, fixed: list[int]) -> tuple[Any, Any, Box]:
    net, box = drawn(family, 5, n, (6, 4)), flat_box(n, fixed)
    full = Box(box.low[box.free], box.high[box.free])
    return decompose(net, box), decompose(with_numbers_put_in(net, box), full), box


@pytest.mark.parametrize("family", ["gaussian", "zero biases", "duplicated", "maxout", "integer"])
@pytest.mark.parametrize(("n", "fixed"), [(3, [0, 2]), (3, [1]), (4, [0, 2]), (4, [3]), (5, [1, 2])])
def test_a_fixed_coordinate_is_a_number_put_in(family: str, n: int, fixed: list[int]) -> None:
    flat, full, box = pair(family, n, fixed)
    assert flat.dimension == box.dimension == n - len(fixed)
    assert flat.domain.n_inputs == n
    assert (flat.n_cells, flat.n_regions, flat.n_vertices) == (full.n_cells, full.n_regions, full.n_vertices)
    assert patterns(flat).keys() == patterns(full).keys()
    assert neighbor_patterns(flat) == neighbor_patterns(full)
    np.testing.assert_allclose(flat.vertices, full.vertices, atol=1e-12)
    np.testing.assert_allclose(flat.sizes(), full.sizes(), atol=1e-12)
    assert flat.sizes().sum() == pytest.approx(float(box.exact_size()))
    np.testing.assert_allclose(flat.outputs, flat.network(flat.points), atol=1e-9)


@pytest.mark.parametrize(("n", "fixed"), [(3, [2]), (4, [1]), (4, [0, 3])])
def test_linear_programs_find_the_same_cells_in_a_flat_box(n: int, fixed: list[int]) -> None:
    net, box = drawn("gaussian", 8, n, (5, 4)), flat_box(n, fixed)
    cx = decompose(net, box)
    found = cells_by_programs(net, box)
    assert patterns(cx).keys() == found.cells.keys()
    assert neighbor_patterns(cx) == {key: cell.neighbors for key, cell in found.cells.items()}


def test_points_of_a_flat_box_have_fixed_coordinates_exactly() -> None:
    cx = decompose(drawn("gaussian", 1, 4), flat_box(4, [2]))
    assert (cx.points[:, 2] == VALUE).all()
    assert (cx.points[:, [0, 1, 3]] == cx.vertices).all()


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_point_is_found_by_its_free_coordinates_or_all_of_them(n: int) -> None:
    box = flat_box(n, [1])
    cx = decompose(drawn("gaussian", 4, n), box)
    for i in range(0, cx.n_cells, 3):
        center = cx.cells[i].center
        assert cx.cell_at(center) == cx.cell_at(box.to_input(center)) == i


def test_a_point_off_the_flat_box_is_refused() -> None:
    cx = decompose(drawn("gaussian", 4, 3), flat_box(3, [1]))
    with pytest.raises(InvalidInput, match="fixed coordinate"):
        cx.cell_at([0.0, VALUE + 2.0**-40, 0.0])
    with pytest.raises(InvalidInput, match="outside the domain"):
        cx.cell_at([-3.0, VALUE, 0.0])


@pytest.mark.parametrize(("n", "fixed"), [(3, [0, 2]), (3, [1]), (4, [3])])
def test_a_complex_over_a_flat_box_comes_back_from_its_file(n: int, fixed: list[int], tmp_path: FilePath) -> None:
    cx = decompose(drawn("gaussian", 2, n), flat_box(n, fixed))
    cx.save(tmp_path / "flat.npz")
    again = Complex.load(tmp_path / "flat.npz")
    assert isinstance(again.domain, Box)
    np.testing.assert_array_equal(again.domain.low, cx.domain.low)  # type: ignore[union-attr]
    np.testing.assert_array_equal(again.domain.high, cx.domain.high)  # type: ignore[union-attr]
    np.testing.assert_array_equal(again.vertices, cx.vertices)


def test_regions_over_a_flat_box_are_those_of_the_restriction() -> None:
    """x - x on the slice: a fold of a function that depends on the fixed coordinate alone is no border."""
    b = Builder(3)
    hidden = b.add(Linear(np.array([[1.0, 0.0, 0.0]])))
    up = b.add(Rectifier(), hidden)
    down = b.add(Rectifier(), b.add(Linear(np.array([[-1.0, 0.0, 0.0]])), 0))
    minus = b.add(Linear(np.array([[-1.0]])), down)
    net = b.build(b.add(Add(), up, minus))  # relu(x) - relu(-x) = x
    cx = decompose(net, Box([-1, 0.25, -1], [1, 0.25, 1]))
    assert (cx.n_cells, cx.n_regions) == (2, 1)
    assert count_regions(net, Box([0.5, -1, -1], [0.5, 1, 1])).n_cells == 1


def test_a_slice_of_a_large_input_needs_no_large_chart() -> None:
    """A box in R^5000 with three free coordinates."""
    n = 5000
    low = np.zeros(n)
    high = low.copy()
    high[[7, 700, 4999]] = 1.0
    net = random_network([3, 8, 1], seed=3)
    place = np.zeros((3, n))
    place[[0, 1, 2], [7, 700, 4999]] = 1.0
    wide = precomposed(net, place)
    assert decompose(wide, Box(low, high)).n_cells == decompose(net, Box([0.0] * 3, [1.0] * 3)).n_cells


def test_the_mean_error_over_a_flat_box_is_refused_where_its_volume_would_be_zero() -> None:
    net, box = random_network([4, 6, 1], seed=0), Box([0, 0, 0, 0.5], [1, 1, 1, 0.5])
    with pytest.raises(InvalidDomain, match="fixed coordinates"):
        approximation_error(net, 0, box, norm="L1", tolerance=0.5)
    error = approximation_error(net, 0, box, norm="sup", tolerance=0.2)
    largest = np.abs(decompose(net, box).outputs).max()
    assert error.low <= largest <= error.high
