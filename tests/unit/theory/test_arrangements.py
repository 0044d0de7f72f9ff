"""Zaslavsky's counts and the characteristic polynomial, against Whitney's theorem and sign vectors around vertices."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plica.errors import InvalidInput
from plica.exact import rank
from plica.theory.regions import characteristic_polynomial, zaslavsky, zaslavsky_bounded, zaslavsky_central


def whitney(normals: list[list[int]], offsets: list[int]) -> int:
    """Regions by Whitney's theorem: sum over subsets with a common point of (-1)^(size - rank)."""
    total = 0
    for size in range(len(normals) + 1):
        for subset in combinations(range(len(normals)), size):
            linear = [normals[i] for i in subset]
            affine = [[*normals[i], offsets[i]] for i in subset]
            r = rank(linear)
            if r == rank(affine):
                total += (-1) ** (size - r)
    return total


def moment_arrangement(n: int, d: int) -> tuple[list[list[int]], list[int]]:
    """Hyperplanes s^d + x_1 s^(d-1) + ... + x_d = 0: any d meet in one point, no d + 1 do."""
    return [[s**k for k in range(d)] for s in range(1, n + 1)], [s**d for s in range(1, n + 1)]


@pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 1), (3, 2), (7, 2), (2, 3), (6, 3), (6, 4)])
def test_general_position_has_as_many_regions_as_zaslavsky_says(n: int, d: int) -> None:
    chi = characteristic_polynomial(*moment_arrangement(n, d))
    assert chi.n_regions == zaslavsky(n, d) == whitney(*moment_arrangement(n, d))
    if n >= d:
        assert chi.n_bounded == zaslavsky_bounded(n, d)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 2), (6, 2), (5, 3), (6, 3)])
def test_central_arrangements_have_as_many_regions_as_zaslavsky_says(n: int, d: int) -> None:
    normals, _ = moment_arrangement(n, d)
    if d == 1:
        normals = [[1]]
    chi = characteristic_polynomial(normals, [0] * len(normals))
    assert chi.n_regions == zaslavsky_central(n, d)
    assert chi.n_bounded == 0 or n == 0


def test_the_braid_arrangement_has_factorially_many_regions() -> None:
    pairs = list(combinations(range(4), 2))
    normals = [[(k == i) - (k == j) for k in range(4)] for i, j in pairs]
    chi = characteristic_polynomial(normals, [0] * len(pairs))
    assert str(chi) == "t^4 - 6t^3 + 11t^2 - 6t"
    assert chi.n_regions == 24
    assert chi.rank == 3


def test_a_grid_of_lines_has_the_product_of_strips() -> None:
    normals = [[1, 0]] * 3 + [[0, 1]] * 4
    offsets = [0, 1, 2, 0, 1, 2, 3]
    chi = characteristic_polynomial(normals, offsets)
    assert (chi.n_regions, chi.n_bounded) == (4 * 5, 2 * 3)


def test_a_repeated_hyperplane_counts_once() -> None:
    assert characteristic_polynomial([[1, 2], [2, 4], [-0.5, -1.0]], [3, 6, -1.5]).n_regions == 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=6))
def test_any_plane_arrangement_agrees_with_whitney(rows: list[tuple[int, int, int]]) -> None:
    rows = [row for row in rows if row[0] or row[1]]
    if not rows:
        return
    distinct: list[list[int]] = []
    for row in rows:  # Whitney's sum wants distinct lines
        if all(rank([list(row), other]) == 2 for other in distinct):
            distinct.append(list(row))
    chi = characteristic_polynomial([r[:2] for r in rows], [r[2] for r in rows])
    assert chi.n_regions == whitney([r[:2] for r in distinct], [r[2] for r in distinct])


def test_floats_are_taken_as_they_are_stored() -> None:
    # 0.1 + 0.2 is not 0.3 in binary: the three lines do not meet in one point
    normals = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    assert characteristic_polynomial(normals, [-0.1, -0.2, -0.3]).n_regions == 7
    assert characteristic_polynomial(normals, [-0.25, -0.5, -0.75]).n_regions == 6


@pytest.mark.parametrize(
    ("normals", "offsets"), [([], []), ([[0, 0]], [1]), ([[1, 0]], [1, 2]), ([[1, 0], [1]], [0, 0]), ([[]], [0])]
)
def test_what_is_no_arrangement_is_refused(normals: list[list[int]], offsets: list[int]) -> None:
    with pytest.raises(InvalidInput):
        characteristic_polynomial(normals, offsets)


def test_negative_numbers_are_refused() -> None:
    for function, (n, d) in product((zaslavsky, zaslavsky_central, zaslavsky_bounded), ((-1, 2), (2, -1))):
        with pytest.raises(InvalidInput):
            function(n, d)


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("d", [2, 3])
def test_slabs_between_parallel_hyperplanes_are_relatively_bounded(n: int, d: int) -> None:
    chi = characteristic_polynomial([[1] * d] * n, list(range(n)))  # of rank 1: along the normals n points on a line
    assert (chi.rank, chi.n_regions, chi.n_bounded) == (1, n + 1, n - 1)


def test_numbers_in_single_precision_are_taken_as_they_are_stored() -> None:
    """A tenth in single precision is no tenth: lines that would be parallel meet."""
    tenth = np.float32(0.1)
    stored = Fraction(13421773, 2**27)
    normals = [[np.float32(1.0), tenth], [np.float32(1.0), Fraction(1, 10)], [np.int64(0), np.int64(1)]]
    as_fractions = [[1, stored], [1, Fraction(1, 10)], [0, 1]]
    found = characteristic_polynomial(normals, [np.float32(0.5), 0.0, np.int64(2)])
    assert found == characteristic_polynomial(as_fractions, [Fraction(1, 2), 0, 2]) and found.n_regions == 7


def test_small_arrangements_have_no_bounded_region_and_the_dimension_of_their_space() -> None:
    assert [zaslavsky_bounded(n, 2) for n in range(5)] == [0, 0, 0, 1, 3]
    assert characteristic_polynomial([[1, 0], [0, 1]], [0, 0]).dimension == 2
    assert characteristic_polynomial([[1, 0, 0]], [0]).dimension == 3


def test_halves_in_single_precision_are_halves() -> None:
    """(1/2, 1) and (1, 2) are parallel: three strips; taken for whole numbers they would cross."""
    half = np.array([[0.5, 1.0], [1.0, 2.0]], dtype=np.float32)
    assert characteristic_polynomial([[*half[0]], [*half[1]]], [np.float32(0.25), np.float32(3.5)]).n_regions == 3
    assert characteristic_polynomial([[*half[0]], [*half[1]]], [np.float32(0.25), np.float32(0.5)]).n_regions == 2
