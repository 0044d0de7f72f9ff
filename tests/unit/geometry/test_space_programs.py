"""The path by linear programs: certificates, and its agreement with the engines in boxes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from space_cases import drawn, neighbor_patterns, patterns

from plica.errors import BudgetExceeded
from plica.geometry import Box, Budget, decompose
from plica.geometry.space._patterns_lp import cells_by_programs, is_bounded, pattern_beside
from plica.network import Linear, Network, Rectifier


@pytest.mark.parametrize(
    ("family", "dimension"), [("gaussian", 2), ("integer", 3), ("hard-tanh", 2), ("maxout", 3), ("duplicated", 4)]
)
def test_programs_and_engine_find_the_same_cells_and_neighbors_in_a_box(family: str, dimension: int) -> None:
    net, box = drawn(family, 4, dimension, (3, 3)), Box([-1.0] * dimension, [1.0] * dimension)
    cx, programs = decompose(net, box), cells_by_programs(net, box)
    assert set(patterns(cx)) == set(programs.cells)
    assert neighbor_patterns(cx) == {key: cell.neighbors for key, cell in programs.cells.items()}


def test_nearly_equal_folds_are_told_apart_by_exact_programs() -> None:
    """Two folds one bit apart: floating point sees one, the certificates see two."""
    b = 0.3
    net = Network.sequential(1, [Linear(np.ones((2, 1)), np.array([b, np.nextafter(b, 1)])), Rectifier()])
    found = cells_by_programs(net, Box([-1.0], [1.0]))
    assert found.n_cells == 3 and found.n_exact > 0


LINE = np.array([[Fraction(1)], [Fraction(0)]], dtype=object)  # the chart of R


def test_the_pattern_beside_a_point_on_a_fold_depends_on_the_side() -> None:
    net = Network.sequential(1, [Linear(np.array([[2.0], [-1.0]])), Rectifier()])
    zero = (Fraction(0),)
    assert pattern_beside(net, LINE, zero, (Fraction(1),)) == (1, 0)
    assert pattern_beside(net, LINE, zero, (Fraction(-1),)) == (0, 1)
    assert pattern_beside(net, LINE, zero, zero) == (0, 0)


def test_boundedness_of_cones_strips_and_triangles() -> None:
    assert not is_bounded([(1, 0, 0), (0, 1, 0)], 2)
    assert not is_bounded([(1, 0, 0), (-1, 0, 1)], 2)
    assert is_bounded([(1, 0, 0), (0, 1, 0), (-1, -1, 1)], 2)


def test_the_walk_keeps_to_its_budget() -> None:
    with pytest.raises(BudgetExceeded):
        cells_by_programs(drawn("gaussian", 0, 2), Box([-1.0] * 2, [1.0] * 2), budget=Budget(max_cells=3))
