"""Polynomials in pieces: what they say of themselves."""

from __future__ import annotations

from plica.construct import PiecewisePolynomial, Polynomial


def test_the_degree_is_that_of_the_highest_piece() -> None:
    found = PiecewisePolynomial([0, 1, 2, 3], [Polynomial([0, 1]), Polynomial([0, 0, 1]), Polynomial([0, 2])])
    assert found.degree == 2 and "3 pieces of degree 2" in repr(found)
