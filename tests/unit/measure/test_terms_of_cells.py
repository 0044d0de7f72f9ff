"""One term at a time of what is computed on cells: errors that must be added, ties, reflex corners, holes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plica.geometry import Box, decompose
from plica.measure import distribution, extremes, generated_manifold, lipschitz
from plica.measure._density import _draw
from plica.measure.cells._convex_regions import convex_regions
from plica.measure.cells._extremes import least
from plica.measure.cells._geodesics import _points_on_edges
from plica.measure.cells._integrals import Enclosed, Moments
from plica.measure.cells._sharp import bounded_values, summed
from plica.network import Linear, Network, Rectifier, random_network

SQUARE = Box([-1.0, -1.0], [1.0, 1.0])


def test_positions_that_are_hardly_known_widen_a_distribution_on_both_sides() -> None:
    cx = decompose(random_network([2, 5, 1], seed=0), SQUARE)
    known = distribution(cx)
    vague = replace(known, _sharp=replace(known._sharp, position_error=known._sharp.position_error + 1e-3))
    _, slip = vague._masses
    top, middle = float(known.knots[-1]), float(np.median(known.knots))
    assert slip.sum() > 1e-3
    assert vague.cdf_bounds(top)[0][0] <= 1 - slip.sum() and known.cdf_bounds(top)[0][0] > 1 - 1e-9
    low, high = (float(b[0]) for b in vague.cdf_bounds(middle))
    at = float(known.cdf(middle)[0])
    assert at - low == pytest.approx(high - at, rel=0.02) and high - low > 1e-4


def test_the_variance_of_a_large_mean_is_as_vague_as_its_square() -> None:
    first, second = Enclosed(100 - 1e-3, 100 + 1e-3), Enclosed(10_001.0, 10_001.0)
    found = Moments(Fraction(1), (first, second)).variance
    assert found.low <= 10_001 - 100.001**2 and found.high >= 10_001 - 99.999**2


def test_rounding_of_a_sum_is_measured_by_what_was_added() -> None:
    total, error = summed(np.array([1e16, 1.0, -1e16]), np.zeros(3))
    assert abs(total - 1) <= error < 20


def test_points_divide_edges_into_equal_parts() -> None:
    manifold = generated_manifold(decompose(random_network([2, 4, 3], seed=1), SQUARE))
    cx = manifold.complex
    points, _ = _points_on_edges(manifold, 3)
    inner = points[len(cx.vertices) :].reshape(len(cx.edges), 3, 2)
    p, q = cx.vertices[cx.edges].transpose(1, 0, 2)
    for k, part in enumerate((0.25, 0.5, 0.75)):
        assert inner[:, k] == pytest.approx(p + part * (q - p))


def test_a_square_over_a_number_that_is_none_has_no_exact_root() -> None:
    cx = decompose(Network.sequential(2, [Linear(np.array([[0.5, 0.5]]))]), SQUARE)
    found = lipschitz(cx).value  # the root of 1/2
    assert found.exact is None and found.low <= np.sqrt(0.5) <= found.high <= found.low * (1 + 1e-12)


def test_the_least_value_is_found_among_all_that_may_be_least_and_the_first_of_equals() -> None:
    cx = decompose(random_network([2, 6, 1], seed=3), SQUARE)
    weights = np.ones(1)
    values, _ = bounded_values(cx, weights)
    order = np.argsort(values)
    first, second = int(order[0]), int(order[1])
    gap = values[second] - values[first]
    error = np.full(len(values), 2 * gap)
    moved = values.copy()
    moved[first] += 1.5 * gap  # no longer the least of the floats, and within what they are known to
    assert least(cx, weights, moved, error)[0].vertex == first == extremes(cx).minimum.vertex
    flat = decompose(Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(np.zeros((1, 2)))]), SQUARE)
    near, slip = np.zeros(len(flat.vertices)), np.zeros(len(flat.vertices))
    near[-1], slip[-1] = -1e-9, 1e-9  # it is asked first, and all others reach what it has
    assert least(flat, weights, near, slip)[0].vertex == 0


def bumps(*triangles: list[tuple[float, float, float]]) -> Network:
    """The sum of relu(min(l1, l2, l3)) over triangles given by three lines a x + b y + c > 0 each."""
    lines = [line for triangle in triangles for line in triangle]
    n = len(triangles)
    first = np.zeros((4 * n, 2)), np.zeros(4 * n)  # l2 - l1, and l1, -l1, l3 + 9: all are needed in the next layer
    second = np.zeros((3 * n, 4 * n)), np.zeros(3 * n)
    third = np.zeros((n, 3 * n))
    for k in range(n):
        l1, l2, l3 = (np.array(line) for line in lines[3 * k : 3 * k + 3])
        for i, row in enumerate((l1 - l2, l1, -l1, l3)):
            first[0][4 * k + i], first[1][4 * k + i] = row[:2], row[2] + (9 if i == 3 else 0)
        least_of_two = np.array([-1.0, 1.0, -1.0, 0.0])  # l1 - relu(l1 - l2)
        other = np.array([0.0, 0.0, 0.0, 1.0])  # l3 + 9, which is positive in the window
        for i, row in enumerate((least_of_two - other, least_of_two, -least_of_two)):
            second[0][3 * k + i, 4 * k : 4 * k + 4] = row
        second[1][3 * k] = 9.0
        third[k, 3 * k : 3 * k + 3] = [-1.0, 1.0, -1.0]
    return Network.sequential(
        2,
        [
            Linear(*first), Rectifier(), Linear(*second), Rectifier(), Linear(third), Rectifier(), Linear(np.ones((1, n))),
        ],
    )  # fmt: skip


UP = [(0.0, 1.0, 0.0), (2.0, -1.0, 1.0), (-2.0, -1.0, 1.0)]  # y > 0 below an apex at (0, 1): corners (-1/2, 0) and (1/2, 0)


def placed(triangle: list[tuple[float, float, float]], x: float, y: float, size: float) -> list[tuple[float, float, float]]:
    return [(a / size, b / size, c - (a * x + b * y) / size) for a, b, c in triangle]


def turned(triangle: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    return [(-a, -b, c) for a, b, c in triangle]


def test_a_bump_is_the_least_of_its_lines() -> None:
    points = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    lines = np.array(placed(UP, 0.1, -0.2, 0.7))
    expected = np.maximum((points @ lines[:, :2].T + lines[:, 2]).min(1), 0)
    assert bumps(placed(UP, 0.1, -0.2, 0.7))(points)[:, 0] == pytest.approx(expected, abs=1e-12)


def test_each_hole_may_save_a_part() -> None:
    """Two triangles with parallel bases: two cuts from base to base and one from each apex leave three parts, not four."""
    net = bumps(placed(UP, 0.0, 0.25, 0.5), placed(turned(UP), 0.0, -0.25, 0.5))
    low, high = convex_regions(decompose(net, SQUARE))
    assert low == 2 + 6 and 3 + 6 <= high  # the six pieces of the two triangles are convex


def test_three_notches_need_three_parts() -> None:
    """Apexes in the window, bases outside: the region around has three reflex corners and no hole."""
    notches = [placed(UP, x, -1.5, 1.0) for x in (-0.6, 0.6)] + [placed(turned(UP), 0.0, 1.5, 1.0)]
    cx = decompose(bumps(*notches), SQUARE)
    outside = [r for r in range(cx.n_regions) if r == int(cx.regions[cx.cell_at(np.array([0.0, 0.0]))])]
    low, _ = convex_regions(cx)
    assert len(outside) == 1 and low == 3 + cx.n_regions - 1


def test_a_region_of_several_cells_may_be_convex_in_space() -> None:
    idle = Network.sequential(3, [Linear(np.eye(3)), Rectifier(), Linear(np.zeros((1, 3)))])
    cx = decompose(idle, Box([-1.0] * 3, [1.0] * 3))
    assert cx.n_cells == 8 and convex_regions(cx)[0] == 1


def test_lines_toward_data_go_from_point_to_point() -> None:
    points = np.stack([np.linspace(-1, 1, 7), np.full(7, 5.0)], axis=1)
    for seed in range(4):
        start, (direction,) = _draw(points, np.random.default_rng(seed), 1, "data")
        assert start[1] == 5.0 and np.abs(direction) == pytest.approx([1.0, 0.0])
