"""Exact linear programs: every verdict is checked against its own proof, and against HiGHS where that is right."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.exact import maximize

small = st.integers(-3, 3)


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[int], list[list[int]], list[int]]:
    n, m = draw(st.integers(1, 4)), draw(st.integers(0, 8))
    row = st.lists(small, min_size=n, max_size=n)
    return draw(row), draw(st.lists(row, min_size=m, max_size=m)), draw(st.lists(small, min_size=m, max_size=m))


def dot(a: object, b: object) -> Fraction:
    return sum((Fraction(x) * y for x, y in zip(a, b, strict=True)), Fraction(0))  # type: ignore[call-overload]


@given(programs())
def test_every_verdict_comes_with_a_proof(program: tuple[list[int], list[list[int]], list[int]]) -> None:
    c, A, b = program
    s = maximize(c, A, b)
    combined = [dot(s.multipliers, [row[j] for row in A]) for j in range(len(c))] if s.multipliers else []
    assert all(y >= 0 for y in s.multipliers)
    if s.status == "optimal":
        assert all(dot(row, s.x) <= bound for row, bound in zip(A, b, strict=True))
        assert dot(c, s.x) == s.value
        assert (combined or [0] * len(c)) == c and dot(s.multipliers, b) == s.value
    elif s.status == "infeasible":
        assert not any(combined) and dot(s.multipliers, b) < 0
    else:
        assert dot(c, s.x) > 0 and all(dot(row, s.x) <= 0 for row in A)
        assert maximize([0] * len(c), A, b).status == "optimal"


def test_a_program_that_highs_calls_infeasible_is_unbounded() -> None:
    """Presolve may say infeasible where it means infeasible or unbounded; the exact verdict is one of the two."""
    assert maximize([1, 0], [[0, 1], [0, -1]], [1, 1]).status == "unbounded"


def test_numbers_of_any_size_are_exact() -> None:
    big = 10**60
    s = maximize([1, 1], [[big, 1], [1, big], [-1, 0], [0, -1]], [big + 1, big + 1, 0, 0])
    assert s.status == "optimal" and s.value == 2 and s.x == (1, 1)


@pytest.mark.parametrize("n", [1, 3])
def test_a_program_without_constraints_is_unbounded_unless_it_asks_nothing(n: int) -> None:
    assert maximize([1] * n, [], []).status == "unbounded"
    assert maximize([0] * n, [], []).status == "optimal"
