"""Polynomials in pieces, and fractions in documents: what they say of themselves."""

from __future__ import annotations

from fractions import Fraction

from plica.construct import PiecewisePolynomial, Polynomial
from plica.construct._construction import plain


def test_the_degree_is_that_of_the_highest_piece() -> None:
    found = PiecewisePolynomial([0, 1, 2, 3], [Polynomial([0, 1]), Polynomial([0, 0, 1]), Polynomial([0, 2])])
    assert found.degree == 2 and "3 pieces of degree 2" in repr(found)


def test_short_fractions_are_written_out_and_long_ones_are_rounded() -> None:
    assert plain([Fraction(1, 3), Fraction(1, 2**60)]) == ["1/3", 2.0**-60]
