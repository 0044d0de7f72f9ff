"""Roots of rational polynomials: isolated, counted and compared without rounding."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest

from plica.exact import AlgebraicNumber, between, roots, sign_at


def product(factors: list[list[Fraction]]) -> list[Fraction]:
    out = [Fraction(1)]
    for f in factors:
        out = [
            sum((out[i] * f[k - i] for i in range(len(out)) if 0 <= k - i < len(f)), Fraction(0))
            for k in range(len(out) + len(f) - 1)
        ]
    return out


@pytest.mark.parametrize("seed", range(20))
def test_the_roots_of_a_product_are_those_of_its_factors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chosen = sorted({Fraction(int(n), int(d)) for n, d in zip(rng.integers(-6, 7, 4), rng.integers(1, 5, 4), strict=True)})
    orders = rng.integers(1, 3, len(chosen))
    factors = [[-r, Fraction(1)] for r, k in zip(chosen, orders, strict=True) for _ in range(k)]
    no_roots = [Fraction(1), Fraction(0), Fraction(1)]  # x^2 + 1
    found = roots(product([*factors, no_roots]), Fraction(-7), Fraction(7))
    assert [r.compare(AlgebraicNumber.rational(c)) for r, c in zip(found, chosen, strict=True)] == [0] * len(chosen)


def test_square_roots_are_told_apart_at_any_distance() -> None:
    near = Fraction(665857, 470832)  # a convergent of the root of 2, wrong by 1.6e-12
    (root,) = roots([-2, 0, 1], Fraction(0), Fraction(2))
    assert root.compare(AlgebraicNumber.rational(near)) == -1
    (same,) = roots([-4, 0, 0, 0, 1], Fraction(0), Fraction(3))  # x^4 = 4 has the same positive root
    assert root.compare(same) == 0 == same.compare(root)
    (other,) = roots([-2 - Fraction(1, 10**30), 0, 1], Fraction(0), Fraction(2))
    assert root.compare(other) == -1 and other.compare(root) == 1
    x = between(root, other)
    assert sign_at([-2, 0, 1], x) == 1 and sign_at([-2 - Fraction(1, 10**30), 0, 1], x) == -1


def test_ends_of_the_interval_belong_to_it() -> None:
    assert len(roots([0, -1, 1], Fraction(0), Fraction(1))) == 2
    assert roots([], Fraction(0), Fraction(1)) == [] == roots([3], Fraction(0), Fraction(1))
    assert prod(r.low == r.high for r in roots([0, -1, 1], Fraction(0), Fraction(1))) == 1
