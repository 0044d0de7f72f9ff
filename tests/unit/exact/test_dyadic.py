"""Arrays of integers times a power of two: nothing rounds, small integers stay small."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.exact import Dyadic, add, align, bits, fits, shrink, to_float, to_object

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(finite, min_size=1, max_size=6))
def test_floats_convert_exactly(values: list[float]) -> None:
    assert Dyadic.from_floats(np.array(values)).fractions() == [Fraction(v) for v in values]


@given(
    st.lists(finite | st.integers(-(2**60), 2**60).map(float) | st.sampled_from([0.0, -0.0, 0.5, 2.0**62, 2.0**-60]), max_size=6)
)
def test_few_numbers_and_many_become_the_same_integers(values: list[float]) -> None:
    few, many = Dyadic.from_floats(values), Dyadic.from_floats(values * 40)
    assert (few.exponent, few.integers.dtype) == (many.exponent, many.integers.dtype)
    assert few.integers.tolist() * 40 == many.integers.tolist()
    assert bits(few.integers) == bits(many.integers)


def test_zeros_need_no_exponent() -> None:
    zero = Dyadic.from_floats(np.zeros((2, 3)))
    assert zero.exponent == 0 and zero.integers.dtype == np.int64 and not zero.integers.any()


def test_small_integers_stay_in_int64_and_others_become_python_integers() -> None:
    assert Dyadic.from_floats(np.array([0.75, -2.0])).integers.dtype == np.int64
    wide = Dyadic.from_floats(np.array([1e300, 5e-324]))
    assert wide.integers.dtype == object
    assert wide.fractions() == [Fraction(1e300), Fraction(5e-324)]


def test_the_exponent_is_the_largest_possible() -> None:
    numbers = Dyadic.from_floats(np.array([12.0, 20.0]))
    assert (numbers.exponent, numbers.integers.tolist()) == (2, [3, 5])


def test_shapes_are_kept() -> None:
    assert Dyadic.from_floats(np.ones((2, 3))).shape == (2, 3)
    assert Dyadic.from_floats(np.array([[1e300], [1e-300]])).integers.shape == (2, 1)


def test_a_common_exponent_can_only_be_lowered() -> None:
    numbers = Dyadic.from_floats(np.array([4.0]))
    assert numbers.shifted_to(numbers.exponent) is numbers.integers
    assert numbers.shifted_to(0).tolist() == [4]
    far = numbers.shifted_to(-100)
    assert far.dtype == object and far[0] == 2**102
    with pytest.raises(ValueError, match="lowered"):
        numbers.shifted_to(3)


@given(st.lists(finite, min_size=1, max_size=4), finite)
def test_sums_are_exact(values: list[float], other: float) -> None:
    total = add(Dyadic.from_floats(np.array(values)), Dyadic.from_floats(np.array(other)))
    assert total.fractions() == [Fraction(v) + Fraction(other) for v in values]


def test_a_sum_at_the_limit_of_int64_does_not_wrap() -> None:
    big = Dyadic(np.array([2**62 - 1]), 0)
    assert add(big, big).fractions() == [Fraction(2**63 - 2)]
    assert add(Dyadic(np.array([2**70], dtype=object), 0), Dyadic(np.array([1]), 0)).fractions() == [Fraction(2**70 + 1)]


def test_a_small_sum_comes_back_to_int64() -> None:
    a, b = Dyadic(np.array([2**70], dtype=object), 0), Dyadic(np.array([3 - 2**70], dtype=object), 0)
    assert add(a, b).integers.dtype == np.int64


def test_align_finds_the_smallest_exponent() -> None:
    (a, b), exponent = align(Dyadic(np.array([3]), 2), Dyadic(np.array([5]), -1))
    assert (a.tolist(), b.tolist(), exponent) == ([24], [5], -1)


def test_bits_counts_the_largest_magnitude() -> None:
    assert bits(np.array([], dtype=np.int64)) == 0
    assert bits(np.array([3, -8])) == 4
    assert bits(np.array([-(2**80), 1], dtype=object)) == 81


def test_object_arrays_shrink_only_where_they_fit() -> None:
    small, large, plain = np.array([5], dtype=object), np.array([2**63], dtype=object), np.array([5])
    assert shrink(small).dtype == np.int64
    assert shrink(large) is large
    assert shrink(plain) is plain
    assert to_object(small) is small
    assert to_object(plain).dtype == object


def test_products_fit_within_sixty_two_bits() -> None:
    assert fits(30, 30, 2)
    assert not fits(30, 30, 3)


@given(st.integers(-(10**40), 10**40), st.integers(1, 10**40), st.integers(-200, 200))
def test_a_quotient_is_rounded_once(numerator: int, denominator: int, exponent: int) -> None:
    truth = Fraction(numerator, denominator) * Fraction(2) ** exponent
    assert to_float(numerator, denominator, exponent) == truth.numerator / truth.denominator


def test_beyond_the_largest_float_is_infinity() -> None:
    assert to_float(1, 1, 2000) == np.inf
    assert to_float(-1, 1, 2000) == -np.inf
    assert to_float(1, 1, -2000) == 0.0
