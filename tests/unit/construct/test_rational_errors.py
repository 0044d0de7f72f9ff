"""Errors in fractions, where the largest is inside a cell, on an edge or at a corner, and where the sign changes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from plica.construct import Polynomial, approximation_error
from plica.geometry import Box
from plica.network import Linear, Network

SQUARE = Box([-1.0, -1.0], [1.0, 1.0])


def slope(*weights: float) -> Network:
    return Network.sequential(len(weights), [Linear(np.array([weights]))])


@pytest.mark.parametrize("sign", [1, -1])
def test_the_largest_error_may_lie_inside_a_cell(sign: int) -> None:
    """(x - 1/4)^2 + (x - 1/4) y + y^2 - 6 above the plane x - 2 y: least at (1/4, 0)."""
    bowl = {(2, 0): 1, (1, 1): 1, (0, 2): 1, (1, 0): Fraction(1, 2), (0, 1): Fraction(-9, 4), (0, 0): Fraction(1, 16) - 6}
    goal = Polynomial({power: sign * Fraction(c) for power, c in bowl.items()})
    found = approximation_error(slope(sign * 1.0, sign * -2.0), goal, SQUARE)
    assert found.is_exact and found.high == 6 and found.where == (0.25, 0.0)


def test_the_largest_error_of_a_saddle_lies_on_an_edge() -> None:
    """x^2 + 3 x y - y^2 - y: at x = 1 it is 1 + 2 y - y^2, at x = -1 it is 1 - 4 y - y^2."""
    goal = Polynomial({(2, 0): 1, (1, 1): 3, (0, 2): -1, (0, 1): -2})
    found = approximation_error(slope(0.0, -1.0), goal, SQUARE)
    assert found.is_exact and found.high == 4 and found.where == (-1.0, -1.0)
    edge = approximation_error(slope(0.0, 0.0), Polynomial({(1, 1): 1, (0, 2): -1}), SQUARE)
    assert edge.is_exact and edge.high == 2
    inner = approximation_error(slope(0.0, 0.0), Polynomial({(1, 1): 2, (0, 2): -2, (0, 0): 2}), SQUARE)
    assert inner.is_exact and inner.high == Fraction(5, 2) and abs(inner.where[0]) == 1.0 and abs(inner.where[1]) == 0.5


def test_the_mean_error_counts_both_sides_of_a_change_of_sign() -> None:
    line = approximation_error(slope(1.0), Polynomial([Fraction(-1, 4), 2]), Box([0.0], [1.0]), norm="L1")
    assert line.is_exact and line.high == Fraction(5, 16)
    plane = approximation_error(slope(1.0, 0.0), Polynomial({(1, 0): 2, (0, 1): Fraction(1, 2)}), SQUARE, norm="L1")
    assert plane.is_exact and plane.high == Fraction(13, 6)  # |x + y/2|: 1 + y^2 / 4 along x
