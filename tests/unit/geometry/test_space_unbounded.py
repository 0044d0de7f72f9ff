"""All of R^n: against linear programs, Zaslavsky's formula, and itself in larger boxes."""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np
import pytest
from space_cases import WIDE, drawn, known, neighbor_patterns, patterns

from plica.errors import InvalidDomain
from plica.geometry import Box, Complex, Space, count_regions, decompose
from plica.geometry.space._patterns_lp import cells_by_programs
from plica.geometry.unbounded._complex import UnboundedComplex
from plica.geometry.unbounded._engine import reach
from plica.network import Linear, Network, Rectifier, random_network
from plica.testing import FAMILIES


def over_space(net: Network) -> UnboundedComplex:
    cx = decompose(net, Space(net.n_inputs))
    assert isinstance(cx, UnboundedComplex)
    return cx


def test_the_plane_of_the_published_network_has_561_cells() -> None:
    cx = over_space(known(2, "def", 16))
    assert (cx.n_cells, cx.n_vertices) == (561, 523)
    assert count_regions(cx.network, Space(2)).n_cells == 561


@pytest.mark.parametrize(("n", "d"), [(5, 1), (7, 2), (6, 3), (6, 4)])
def test_hyperplanes_in_general_position_give_the_formulas_of_zaslavsky(n: int, d: int) -> None:
    net = random_network([d, n, 1], seed=4, weights="he-normal", bias_std=1.0)
    cx = over_space(net)
    assert cx.n_cells == sum(comb(n, k) for k in range(d + 1))
    assert cx.n_bounded == comb(n - 1, d)
    assert cx.n_vertices == comb(n, d)


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - set(WIDE) - {"subnormal"}))
def test_a_family_has_the_cells_that_linear_programs_find(family: str) -> None:
    d = 2 + sorted(FAMILIES).index(family) % 2
    net = drawn(family, 1, d, (3, 2))
    cx, programs = over_space(net), cells_by_programs(net, Space(d))
    found = patterns(cx)
    assert set(found) == set(programs.cells)
    assert {key: c.neighbors for key, c in programs.cells.items()} == neighbor_patterns(cx)
    assert {key: c.is_bounded for key, c in programs.cells.items()} == {k: bool(cx.is_bounded[i]) for k, i in found.items()}


def test_a_larger_box_shows_no_more_and_a_much_smaller_one_less() -> None:
    net = random_network([3, 6, 5, 1], seed=1, weights="he-normal", bias_std=0.5)
    m = reach(net)
    sizes = {k: decompose(net, Box([-k * m] * 3, [k * m] * 3)).n_cells for k in (1 / 4096, 1, 1024)}
    assert sizes[1 / 4096] < sizes[1] == sizes[1024]


def test_parallel_folds_have_unbounded_strips_and_no_vertex() -> None:
    net = Network.sequential(2, [Linear(np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([0.0, -1.0])), Rectifier()])
    cx = over_space(net)
    assert (cx.n_cells, cx.n_bounded, cx.n_vertices) == (3, 0, 0)
    assert np.isinf(cx.sizes()).all()


def test_a_triangle_far_away_is_found_and_has_its_area() -> None:
    """Lines x = 1e6, y = 1e6 and x + y = 2e6 + 3: nothing of it is seen near the origin."""
    W, b = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([-1e6, -1e6, -2e6 - 3])
    cx = over_space(Network.sequential(2, [Linear(W, b), Rectifier()]))
    assert (cx.n_cells, cx.n_bounded) == (7, 1)
    (inner,) = np.flatnonzero(cx.is_bounded)
    assert len(cx.cells[int(inner)].vertices) == 3
    assert cx.cells[int(inner)].size == pytest.approx(4.5)
    assert cx.cell_at([1e6 + 1, 1e6 + 1]) == inner
    assert cx.cell_at([1e300, 1e300]) != inner


def test_a_network_without_folds_is_one_unbounded_cell() -> None:
    cx = over_space(Network.sequential(3, [Linear(np.eye(3))]))
    assert (cx.n_cells, cx.n_bounded, cx.n_regions) == (1, 0, 1)


def test_interior_points_are_inside_their_cells() -> None:
    cx = over_space(random_network([2, 5, 4, 1], seed=2, weights="he-normal", bias_std=0.5))
    for key, i in patterns(cx).items():
        x = np.array([float(c) for c in cx.interior_point(i)])
        assert tuple(np.concatenate(cx.network.pattern(x))) == key
        assert tuple(np.concatenate(cx.network.pattern(cx.cells[i].center))) == key
    assert [cell.index for cell in cx.cells] == [cell.index for cell in cx.cells[:]] == list(range(cx.n_cells))
    A, c = cx.cells[0].affine_map
    np.testing.assert_allclose(A @ cx.cells[0].center + c, cx.network(cx.cells[0].center), rtol=1e-9)


def test_a_complex_of_all_space_comes_back_from_a_file(tmp_path: Path) -> None:
    cx = over_space(random_network([2, 3, 1], seed=0))
    cx.save(tmp_path / "x.npz")
    again = Complex.load(tmp_path / "x.npz")
    assert again.summary() | {"seconds": 0} == cx.summary() | {"seconds": 0} and type(again) is type(cx)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidDomain):
        Space(0)
    with pytest.raises(InvalidDomain):
        decompose(random_network([2, 3, 1], seed=0), Space(3))
    far = Network.sequential(2, [Linear(np.array([[1.0, 0.0], [1.0, 1e-310]]), np.array([0.0, 1.0])), Rectifier()])
    with pytest.raises(InvalidDomain, match="1e301"):
        over_space(far)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_network_of_zeros_has_one_cell(n):
    net = Network.sequential(n, [Linear(np.zeros((4, n))), Rectifier(), Linear(np.zeros((2, 4)), np.array([3.0, 1.0]))])
    assert over_space(net).n_cells == 1
