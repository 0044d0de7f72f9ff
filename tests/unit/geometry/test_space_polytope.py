"""Polytopes as domains."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from space_cases import drawn, patterns

from plica.errors import InvalidDomain, InvalidInput
from plica.geometry import Box, Complex, Plane, Polytope, decompose
from plica.geometry.space._patterns_lp import cells_by_programs
from plica.network import random_network

SIMPLEX = ([[-1, 0, 0], [0, -1, 0], [0, 0, -1], [1, 1, 1]], [0, 0, 0, 1])
NET = random_network([3, 8, 6, 1], seed=2, weights="he-normal", bias_std=0.3)


def box_rows(n: int) -> list[list[float]]:
    return [[s * float(i == j) for j in range(n)] for i in range(n) for s in (-1, 1)]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_box_written_as_a_polytope_has_the_same_cells(n: int) -> None:
    net = random_network([n, 7, 5, 1], seed=n, weights="he-normal", bias_std=0.4)
    cx, other = decompose(net, Polytope(box_rows(n), np.ones(2 * n))), decompose(net, Box([-1.0] * n, [1.0] * n))
    assert set(patterns(cx)) == set(patterns(other))
    assert cx.domain.exact_size() == 2**n
    np.testing.assert_allclose(np.sort(cx.sizes()), np.sort(other.sizes()), rtol=1e-9)


def test_a_simplex_has_the_cells_that_linear_programs_find_and_its_exact_volume() -> None:
    domain = Polytope(*SIMPLEX)
    cx: Any = decompose(NET, domain)
    programs = cells_by_programs(NET, domain)
    assert set(patterns(cx)) == set(programs.cells)
    assert sum(cx.exact_size(i) for i in range(cx.n_cells)) == domain.exact_size() == Fraction(1, 6)
    assert (cx.facet_cells[:, 0] >= 0).all()
    assert ((cx.facet_cells < 0).any(axis=1) == (cx.facet_layer < 0)).all()


def test_the_facet_of_a_simplex_is_the_network_on_a_plane() -> None:
    """Cells of the simplex with a facet on z = 0 are the cells of the triangle, by pattern."""
    cx: Any = decompose(NET, Polytope(*SIMPLEX))
    plane = decompose(NET, Plane.through([0, 0, 0], [1, 0, 0], [0, 1, 0]))
    lattice, name = cx._walk.lattice, {i: key for key, i in patterns(cx).items()}
    bottom = [side for side, form in enumerate(cx.domain.sides()) if form == (0, 0, 1, 0)]
    on_side = np.isin(lattice.hyperplane_table[lattice.faces[2].hyperplanes[:, 0], 1], bottom)
    border = on_side & (cx.facet_layer < 0)
    assert {name[int(c)] for c in cx.facet_cells[border, 0]} == set(patterns(plane))


def test_a_polygon_with_corners_that_are_no_floats_is_exact() -> None:
    domain = Polytope([[-1, 0], [0, -1], [1, 3]], [0, 0, 1])
    assert domain.exact_size() == Fraction(1, 6)
    net = drawn("integer", 3, 2)
    cx: Any = decompose(net, domain)
    corners = [[cx.exact_vertex(int(v)) for v in cell.vertices] for cell in cx.cells]
    areas = [sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(c, c[1:] + c[:1], strict=True)) / 2 for c in corners]
    assert min(areas) > 0 and sum(areas) == Fraction(1, 6)
    assert set(patterns(cx)) == set(cells_by_programs(net, domain).cells)
    assert (Fraction(0), Fraction(1, 3)) in {p for c in corners for p in c}


def test_redundant_and_repeated_constraints_change_nothing() -> None:
    A, b = SIMPLEX
    more = Polytope([*A, [1, 1, 1], [2, 2, 2], [1, 0, 0], [0, 0, 0]], [*b, 1, 5, 7, 0])
    assert set(patterns(decompose(NET, more))) == set(patterns(decompose(NET, Polytope(A, b))))
    assert more.exact_size() == Fraction(1, 6)


def test_points_outside_belong_to_no_cell() -> None:
    cx = decompose(NET, Polytope(*SIMPLEX))
    assert 0 <= cx.cell_at([0.2, 0.2, 0.2]) < cx.n_cells
    with pytest.raises(InvalidInput, match="outside"):
        cx.cell_at([0.4, 0.4, 0.4])


@pytest.mark.parametrize("n", [2, 3])
def test_a_complex_over_a_polytope_survives_a_file(n: int, tmp_path: Path) -> None:
    net = random_network([n, 5, 4, 1], seed=1, weights="he-normal", bias_std=0.3)
    cx = decompose(net, Polytope([*box_rows(n), [1.0] * n], [1.0] * (2 * n) + [0.3]))
    cx.save(tmp_path / "x.npz")
    again = Complex.load(tmp_path / "x.npz")
    assert patterns(again) == patterns(cx)
    np.testing.assert_array_equal(again.vertices, cx.vertices)


@pytest.mark.parametrize(
    ("A", "b", "words"),
    [
        ([[1, 0], [0, 1]], [1, 1], "unbounded"),
        ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0, -1, 1, 1], "no point"),
        ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0, 0, 1, 1], "no interior"),
        ([[1, 1], [-1, -1], [1, -1], [-1, 1]], [0, 0, 1, 1], "no interior"),
        ([[1, 1, 1], [-1, -1, -1], *box_rows(3)], [0, 0, *[1] * 6], "no interior"),
        ([[0, 0], [1, 0]], [-1, 1], "holds nowhere"),
        ([[1], [-1]], [1, 1], "two or more"),
        ([[1, 2]], [1, 2], "one row"),
        ([[1, np.nan]], [1], "NaN"),
        ([["a", "b"]], [1], "numbers"),
    ],
)
def test_a_set_that_is_no_polytope_is_refused_in_words(A: Any, b: Any, words: str) -> None:
    with pytest.raises(InvalidDomain, match=words):
        Polytope(A, b)
