"""Exact linear algebra, against identities that need no elimination."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica import exact

SMALL = st.integers(-4, 4)  # small enough that matrices are often singular
LARGE = st.one_of(SMALL, st.integers(-(2**70), 2**70), st.fractions(max_denominator=30), st.sampled_from([0.1, -0.75, 2.0**-60]))


@st.composite
def matrices(draw, n=None, m=None, entries=SMALL):
    n = draw(st.integers(1, 4)) if n is None else n
    m = draw(st.integers(1, 4)) if m is None else m
    return draw(st.lists(st.lists(entries, min_size=m, max_size=m), min_size=n, max_size=n))


def square(entries=SMALL):
    return st.integers(1, 4).flatmap(lambda n: matrices(n, n, entries))


def dot(a, b):
    return sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0))


def times(a, b):
    return [[dot(row, column) for column in zip(*b, strict=True)] for row in a]


def leibniz(a):
    """The determinant as a sum over permutations."""
    n, total = len(a), Fraction(0)
    for p in permutations(range(n)):
        inversions = sum(p[i] > p[j] for i, j in combinations(range(n), 2))
        total += (-1) ** inversions * prod((Fraction(a[i][p[i]]) for i in range(n)), start=Fraction(1))
    return total


def largest_minor(a):
    """The rank as the size of the largest minor that is not zero."""
    n, m = len(a), len(a[0])
    for k in range(min(n, m), 0, -1):
        for rows in combinations(range(n), k):
            for columns in combinations(range(m), k):
                if leibniz([[a[i][j] for j in columns] for i in rows]):
                    return k
    return 0


@given(square(LARGE))
def test_determinants_are_sums_over_permutations(a):
    assert exact.determinant(a) == leibniz(a)


@given(matrices(entries=st.one_of(SMALL, st.sampled_from([0.5, Fraction(1, 3)]))))
def test_the_rank_is_the_size_of_the_largest_minor_that_is_not_zero(a):
    assert exact.rank(a) == largest_minor(a)


@given(matrices())
def test_the_null_space_is_sent_to_zero_and_has_the_missing_dimensions(a):
    basis = exact.null_space(a)
    assert len(basis) == len(a[0]) - largest_minor(a)
    if basis:
        assert not np.any(times(a, list(zip(*basis, strict=True))))
        assert largest_minor(basis) == len(basis)


@given(square(LARGE))
def test_a_matrix_times_its_inverse_is_the_identity(a):
    found = exact.inverse(a)
    assert (found is None) == (leibniz(a) == 0)
    if found is not None:
        assert times(a, found) == times(found, a) == [[int(i == j) for j in range(len(a))] for i in range(len(a))]


@given(matrices(), st.data())
def test_solutions_solve_and_nothing_else_does(a, data):
    right = data.draw(st.lists(SMALL, min_size=len(a), max_size=len(a)))
    has_one = largest_minor([[*row, b] for row, b in zip(a, right, strict=True)]) == largest_minor(a)
    some, one = exact.particular_solution(a, right), exact.solve(a, right)
    assert (some is not None) == has_one
    assert (one is not None) == (has_one and largest_minor(a) == len(a[0]))
    for x in (some, one):
        if x is not None:
            assert [row[0] for row in times(a, [[v] for v in x])] == right
    if some is not None:
        assert sum(v != 0 for v in some) <= largest_minor(a)  # free unknowns stay at zero
        assert one is None or one == some


@given(matrices(entries=LARGE))
def test_the_echelon_form_spans_the_same_rows_in_lowest_terms(a):
    form = exact.eliminate(a)
    assert all(isinstance(v, int) for row in form.rows for v in row)
    assert list(form.pivots) == sorted(set(form.pivots))
    for k, row in enumerate(form.rows):
        if k >= form.rank:
            assert not any(row)
            continue
        assert not any(row[: form.pivots[k]])
        assert [r[form.pivots[k]] for r in form.rows] == [form.denominator * (i == k) for i in range(len(form.rows))]
    assert exact.rank([*a, *form.rows]) == form.rank


@given(st.integers(1, 4).flatmap(lambda n: matrices(n, n + 1)))
def test_hyperplanes_meet_in_the_point_that_lies_on_all_of_them(forms):
    if leibniz([f[:-1] for f in forms]) == 0:
        with pytest.raises(ZeroDivisionError, match="one point"):
            exact.meet_all(forms)
        return
    point = exact.meet_all(forms)
    assert point[-1] > 0
    assert exact.reduced(point) == point
    assert all(exact.dot(f, point) == 0 for f in forms)


@given(matrices(), st.lists(SMALL, min_size=4, max_size=4))
def test_the_affine_dimension_does_not_depend_on_where_the_points_are(points, by):
    first = points[0]
    spanned = [[a - b for a, b in zip(p, first, strict=True)] for p in points[1:]]
    expected = largest_minor(spanned) if spanned else 0
    assert exact.affine_dimension(points) == expected
    assert exact.affine_dimension([[a + b for a, b in zip(p, by, strict=False)] for p in points]) == expected


def test_no_points_span_nothing_and_the_empty_product_is_one():
    assert exact.affine_dimension([]) == -1
    assert exact.rank([]) == 0
    assert exact.determinant([]) == 1
    assert exact.inverse([]) == []


def test_integers_of_numpy_do_not_overflow():
    a = np.array([[2**62, 1], [3, 2**62]])
    assert exact.determinant(a) == 2**124 - 3
    assert exact.solve(np.array([[2**62]]), np.array([1])) == [Fraction(1, 2**62)]


def test_entries_stay_as_short_as_hadamard_allows():
    rng = np.random.default_rng(0)
    n, size = 12, 999
    form = exact.eliminate(rng.integers(-size, size + 1, (n, n + 1)).tolist(), n)
    assert max(abs(v) for row in form.rows for v in row) ** 2 <= (n + 1) ** (n + 1) * size ** (2 * (n + 1))


@pytest.mark.parametrize("call", [exact.determinant, exact.inverse])
def test_only_square_matrices_have_determinants_and_inverses(call):
    with pytest.raises(ValueError, match="square"):
        call([[1, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize("call", [exact.null_space, lambda a: exact.solve(a, []), lambda a: exact.particular_solution(a, [])])
def test_nothing_is_said_about_an_unknown_number_of_unknowns(call):
    with pytest.raises(ValueError, match="unknowns"):
        call([])
