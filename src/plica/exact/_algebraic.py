"""Roots of rational polynomials as numbers: isolated by Sturm's chains, compared without rounding.

A polynomial is a sequence of integers or fractions, constant first. A root is kept as a squarefree polynomial and an interval
that holds no other root of it; the interval shrinks when a comparison needs it to.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd, lcm

Polynomial = tuple[int, ...]  # coprime integers, constant first, the last one not zero; () is the zero polynomial


def primitive(coefficients: Sequence[int | Fraction]) -> Polynomial:
    """A positive multiple of the polynomial with coprime integers.

    Examples
    --------
    >>> primitive([Fraction(1, 2), Fraction(-3, 4), 0])
    (2, -3)
    """
    fractions = [Fraction(c) for c in coefficients]
    while fractions and not fractions[-1]:
        fractions.pop()
    scale = lcm(*(c.denominator for c in fractions))
    integers = [c.numerator * (scale // c.denominator) for c in fractions]
    common = gcd(*integers) or 1
    return tuple(c // common for c in integers)


def evaluate(p: Sequence[int | Fraction], x: Fraction) -> Fraction:
    """p(x)."""
    value = Fraction(0)
    for c in reversed(p):
        value = value * x + c
    return value


def derivative(p: Polynomial) -> Polynomial:
    """A positive multiple of p'."""
    return primitive([k * c for k, c in enumerate(p)][1:])


def common_divisor(p: Polynomial, q: Polynomial) -> Polynomial:
    """The greatest common divisor, up to a factor.

    Examples
    --------
    >>> common_divisor((-1, 0, 1), (1, 2, 1))
    (1, 1)
    """
    while q:
        p, q = q, _remainder(p, q)
    return p if not p or p[-1] > 0 else tuple(-c for c in p)


def squarefree(p: Polynomial) -> Polynomial:
    """A polynomial with the same roots, each once.

    Examples
    --------
    >>> squarefree((1, 2, 1))
    (1, 1)
    """
    d = common_divisor(p, derivative(p))
    return p if len(d) <= 1 else _quotient(p, d)


def count_roots(p: Polynomial, low: Fraction, high: Fraction) -> int:
    """The number of roots of a squarefree polynomial with low < x <= high.

    Examples
    --------
    >>> count_roots((-2, 0, 1), Fraction(0), Fraction(2))
    1
    """
    chain = _sturm(p)
    return _variations(chain, low) - _variations(chain, high)


class AlgebraicNumber:
    """A root of a polynomial, or a fraction.

    Examples
    --------
    >>> root, = roots((-2, 0, 1), Fraction(0), Fraction(2))
    >>> root.compare(AlgebraicNumber.rational(Fraction(3, 2))), root.compare(root)
    (-1, 0)
    >>> root.narrow(Fraction(1, 1000)); float(root.low) < 2**0.5 < float(root.high)
    True
    """

    def __init__(self, polynomial: Polynomial, low: Fraction, high: Fraction) -> None:
        self.polynomial, self.low, self.high = polynomial, low, high  # the root is in [low, high]; equal ends are the root itself

    @staticmethod
    def rational(x: Fraction) -> AlgebraicNumber:
        return AlgebraicNumber((-x.numerator, x.denominator), x, x)

    def halve(self) -> None:
        """Half the interval."""
        if self.low == self.high:
            return
        middle = (self.low + self.high) / 2
        at = evaluate(self.polynomial, middle)
        if at == 0:
            self.low = self.high = middle
        elif (at > 0) == (evaluate(self.polynomial, self.high) > 0):
            self.high = middle
        else:
            self.low = middle

    def narrow(self, width: Fraction) -> None:
        """Shrink the interval to at most this width."""
        while self.high - self.low > width:
            self.halve()

    def compare(self, other: AlgebraicNumber) -> int:
        """-1, 0 or 1 as the number is smaller than, equal to or larger than the other."""
        if self.low <= other.high and other.low <= self.high and self._is(other):
            return 0
        while self.low <= other.high and other.low <= self.high:
            if self.high - self.low >= other.high - other.low:
                self.halve()
            else:
                other.halve()
        return -1 if self.high < other.low else 1

    def _is(self, other: AlgebraicNumber) -> bool:
        if self.low == self.high:
            return other.low <= self.low <= other.high and evaluate(other.polynomial, self.low) == 0
        if other.low == other.high:
            return other._is(self)
        common = common_divisor(self.polynomial, other.polynomial)
        low, high = max(self.low, other.low), min(self.high, other.high)
        if len(common) <= 1 or low >= high:  # the ends of an interval that is not a point are no roots
            return False
        return count_roots(common, low, high) > 0


def roots(p: Sequence[int | Fraction], low: Fraction, high: Fraction) -> list[AlgebraicNumber]:
    """The distinct roots in the closed interval, in order; none for the zero polynomial.

    Examples
    --------
    >>> len(roots((0, 0, -1, 1), Fraction(0), Fraction(1)))
    2
    """
    q = squarefree(primitive(p))
    found: list[AlgebraicNumber] = []
    if len(q) <= 1:
        return found
    if evaluate(q, low) == 0:
        found.append(AlgebraicNumber.rational(low))
    _isolate(q, low, high, found)
    return found


def sign_at(p: Sequence[int | Fraction], x: Fraction) -> int:
    """The sign of p(x)."""
    value = evaluate(p, x)
    return (value > 0) - (value < 0)


def between(a: AlgebraicNumber, b: AlgebraicNumber) -> Fraction:
    """A fraction strictly between two numbers, the first of which is smaller."""
    while a.high >= b.low:
        if a.high - a.low >= b.high - b.low:
            a.halve()
        else:
            b.halve()
    return (a.high + b.low) / 2


def _isolate(q: Polynomial, low: Fraction, high: Fraction, found: list[AlgebraicNumber]) -> None:
    """The roots of a squarefree polynomial in (low, high]."""
    n = count_roots(q, low, high)
    if n == 0:
        return
    if n == 1:
        if evaluate(q, high) == 0:
            found.append(AlgebraicNumber.rational(high))
            return
        if evaluate(q, low) != 0:
            found.append(AlgebraicNumber(q, low, high))
            return
    middle = (low + high) / 2
    _isolate(q, low, middle, found)
    _isolate(q, middle, high, found)


@lru_cache(maxsize=256)
def _sturm(p: Polynomial) -> tuple[Polynomial, ...]:
    chain = [p, derivative(p)]
    while len(chain[-1]) > 1:
        rest = _remainder(chain[-2], chain[-1])
        chain.append(tuple(-c for c in rest))
    return tuple(q for q in chain if q)


def _variations(chain: tuple[Polynomial, ...], x: Fraction) -> int:
    signs = [s for s in (sign_at(q, x) for q in chain) if s]
    return sum(a != b for a, b in pairwise(signs))


def _remainder(p: Polynomial, q: Polynomial) -> Polynomial:
    """A positive multiple of the remainder of p by q."""
    rest = [Fraction(c) for c in p]
    while len(rest) >= len(q):
        factor, at = rest[-1] / q[-1], len(rest) - len(q)
        for k, c in enumerate(q):
            rest[at + k] -= factor * c
        rest.pop()
    return primitive(rest)


def _quotient(p: Polynomial, q: Polynomial) -> Polynomial:
    """A multiple of p / q, which is a polynomial."""
    rest, out = [Fraction(c) for c in p], []
    while len(rest) >= len(q):
        factor, at = rest[-1] / q[-1], len(rest) - len(q)
        for k, c in enumerate(q):
            rest[at + k] -= factor * c
        rest.pop()
        out.append(factor)
    return primitive(out[::-1])
