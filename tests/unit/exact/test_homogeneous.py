"""Points and lines in integers."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plica.exact import cross, dot, meet, point, point_from_fractions, reduced, root, sign

small = st.integers(-50, 50)
line = st.tuples(small, small, small)


@given(line, line)
def test_lines_meet_where_both_forms_vanish(f: tuple[int, int, int], g: tuple[int, int, int]) -> None:
    assume(f[0] * g[1] != f[1] * g[0])
    p = meet(f, g)
    assert p[2] > 0 and dot(f, p) == 0 == dot(g, p)


def test_parallel_lines_do_not_meet() -> None:
    with pytest.raises(ZeroDivisionError, match="parallel"):
        meet((1, 2, 0), (2, 4, 1))


@given(st.integers(1, 50) | st.integers(-50, -1), small)
def test_a_form_on_a_line_vanishes_at_its_root(a: int, c: int) -> None:
    t, w = root((a, c))
    assert w > 0 and a * t + c * w == 0


def test_points_have_coprime_entries_and_a_positive_weight() -> None:
    assert point((4, -6, -2)) == (-2, 3, 1)
    assert reduced((6, 9, 3)) == (2, 3, 1)
    assert reduced((5, 7)) == (5, 7)
    assert reduced((0, 0)) == (0, 0)


@given(line, line)
def test_the_cross_product_is_orthogonal_to_its_factors(f: tuple[int, int, int], g: tuple[int, int, int]) -> None:
    assert dot(cross(f, g), f) == 0 == dot(cross(f, g), g)


@given(st.lists(st.fractions(max_denominator=1000), min_size=1, max_size=3))
def test_a_rational_point_keeps_its_coordinates(coordinates: list[Fraction]) -> None:
    *numbers, w = point_from_fractions(coordinates)
    assert w > 0 and [Fraction(n, w) for n in numbers] == coordinates


def test_signs() -> None:
    assert [sign(x) for x in (-3, 0, Fraction(1, 9))] == [-1, 0, 1]
