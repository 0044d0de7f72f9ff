"""Distances from the sawtooth: two ways of computing them, and the bound below them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica import Segment, random_network
from plica.claims.approximation._sawtooth_distance import absolute_area, copying_network, distance, sawtooth_value
from plica.construct import approximation_error, interpolant, sawtooth
from plica.errors import InvalidInput
from plica.theory.approximation import sawtooth_distance_lower_bound


@pytest.mark.parametrize("seed", range(3))
def test_two_ways_to_the_distance_agree_exactly(seed: int) -> None:
    net = random_network([1, 3, 2, 1], seed=seed, bias_std=0.5)
    other = approximation_error(net, sawtooth(4).network, Segment([0.0], [1.0]), norm="L1", exact=True)
    assert distance(net, 4) == other.low == other.high


def test_the_sawtooth_is_at_no_distance_from_itself() -> None:
    assert distance(sawtooth(5).network, 5) == 0
    assert sawtooth_value(3, Fraction(1, 8)) == 1 and sawtooth_value(3, Fraction(3, 16)) == Fraction(1, 2)


def test_areas_of_differences_that_change_their_sign_are_two_triangles() -> None:
    assert absolute_area(Fraction(1), Fraction(-1), Fraction(1)) == Fraction(1, 2)
    assert absolute_area(Fraction(3), Fraction(-1), Fraction(1)) == Fraction(5, 4)
    assert absolute_area(Fraction(2), Fraction(4), Fraction(1, 2)) == Fraction(3, 2)


@given(st.integers(2, 8), st.integers(1, 40))
def test_a_copy_follows_as_many_segments_as_it_has_units(depth: int, units: int) -> None:
    if units > 2**depth:
        return
    expected = Fraction(2 * (2**depth - units) + 1, 2 ** (depth + 3))
    assert distance(copying_network(depth, units), depth) == expected
    assert expected >= sawtooth_distance_lower_bound(depth, units + 1)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 64), st.integers(-8, 16)), min_size=1, max_size=6, unique_by=lambda p: p[0]))
def test_no_function_with_few_pieces_is_below_the_bound(points: list[tuple[int, int]]) -> None:
    x, y = np.array(sorted(points), dtype=float).T
    net = interpolant(x / 64, y / 8)
    assert distance(net.network, 5) >= sawtooth_distance_lower_bound(5, len(x) + 1)


def test_the_bound_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidInput):
        sawtooth_distance_lower_bound(0, 1)
