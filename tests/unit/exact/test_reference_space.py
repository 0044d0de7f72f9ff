"""The linear algebra of the oracle in n dimensions."""

from fractions import Fraction

from plica.exact._reference_space import determinant, rank


def test_no_points_span_nothing() -> None:
    assert rank([]) == -1
    assert rank([(Fraction(2), Fraction(3))]) == 0
    assert rank([(Fraction(0),) * 2, (Fraction(1),) * 2, (Fraction(2),) * 2]) == 1


def test_a_singular_matrix_has_determinant_zero() -> None:
    assert determinant([[Fraction(0), Fraction(1)], [Fraction(0), Fraction(2)]]) == 0
    assert determinant([[Fraction(0), Fraction(2)], [Fraction(3), Fraction(5)]]) == -6
