"""The space engine against plain fractions, on the families that break floating point."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest
from space_cases import PLANAR, WIDE, drawn, euler, patterns

from plica.geometry import Box, Polytope, decompose
from plica.network import Max, random_network
from plica.testing import FAMILIES
from plica.testing import _reference_space as reference

NAMES = sorted(set(FAMILIES) - set(WIDE))


def compare(cx: Any, corners: reference.Corners) -> None:
    """Patterns, exact volumes and exact vertices of all cells."""
    expected: dict[tuple[int, ...], list[reference.SpaceCell]] = defaultdict(list)
    for cell in reference.cells(cx.network, corners):
        expected[cell.pattern].append(cell)
    found = patterns(cx)
    assert len(found) == cx.n_cells
    assert set(found) == set(expected)
    has_maxima = any(isinstance(cx.network.nodes[i].op, Max) for i in cx.network.layers)
    for key, i in found.items():
        assert cx.exact_size(i) == sum((part.volume() for part in expected[key]), Fraction(0))
        if not has_maxima:
            assert {cx.exact_vertex(int(v)) for v in cx.cells[i].vertices} == set(expected[key][0].corners)
    assert euler(cx) == 1


@pytest.mark.parametrize("family", NAMES)
def test_a_family_in_three_dimensions_has_the_reference_s_cells(family: str) -> None:
    compare(decompose(drawn(family, 0, 3), Box([-1.0] * 3, [1.0] * 3)), reference.box_corners([-1.0] * 3, [1.0] * 3))


@pytest.mark.parametrize("family", ["integer", "duplicated", "zero biases", "minus three", "hard-tanh", "maxout"])
def test_a_family_in_four_dimensions_has_the_reference_s_cells(family: str) -> None:
    hidden = (3, 2)
    compare(decompose(drawn(family, 1, 4, hidden), Box([-1.0] * 4, [1.0] * 4)), reference.box_corners([-1.0] * 4, [1.0] * 4))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("family", [*NAMES, *WIDE])
def test_more_networks_of_a_family_have_the_reference_s_cells(family: str, seed: int) -> None:
    dimension = 3 if seed < 3 or family in WIDE else 4
    corners = reference.box_corners([-1.0] * dimension, [1.0] * dimension)
    compare(decompose(drawn(family, seed, dimension, (5, 3)), Box([-1.0] * dimension, [1.0] * dimension)), corners)


def test_a_polytope_has_the_reference_s_cells() -> None:
    """The box cut by two constraints with fractions that no float hits."""
    A, b = [[1.0, 3.0, 1.0], [0.1, -0.7, 0.3]], [1.0, 0.2]
    sides = [[s * float(i == j) for j in range(3)] for i in range(3) for s in (-1, 1)]
    corners = reference.box_corners([-1.0] * 3, [1.0] * 3)
    for name, (row, bound) in enumerate(zip(A, b, strict=True)):
        values = {p: sum((Fraction(a) * c for a, c in zip(row, p, strict=True)), -Fraction(bound)) for p in corners}
        corners = reference.split(corners, values, 100 + name)[0]
    cx = decompose(random_network([3, 5, 4, 1], seed=1, weights="he-normal", bias_std=0.3), Polytope(A + sides, b + [1.0] * 6))
    compare(cx, corners)
    assert cx.domain.exact_size() == reference.volume(corners)


def test_the_reference_knows_the_volume_of_a_cube_and_of_its_halves() -> None:
    cube = reference.box_corners([0.0] * 4, [1.0] * 4)
    assert reference.volume(cube) == 1
    below, above = reference.split(cube, {p: sum(p) - 2 for p in cube}, 99)
    assert reference.volume(below) == reference.volume(above) == Fraction(1, 2)
    simplex = reference.split(cube, {p: sum(p) - 1 for p in cube}, 98)[0]
    assert reference.volume(simplex) == Fraction(1, 24)


def test_every_planar_family_is_known() -> None:
    assert set(PLANAR) <= set(FAMILIES)
