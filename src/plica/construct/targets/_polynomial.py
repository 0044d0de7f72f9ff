"""Polynomials with rational coefficients, in one variable or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb, prod
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.construct.targets._intervals import Interval
from plica.construct.targets._numbers import Number, rational
from plica.errors import InvalidInput

Exponents = tuple[int, ...]


class Polynomial:
    """A polynomial: coefficients by exponents, or a list of coefficients (constant first) in one variable.

    Examples
    --------
    >>> p = Polynomial([0, 0, 1])
    >>> p, p.exact([Fraction(1, 3)])
    (Polynomial(x0^2), Fraction(1, 9))
    >>> Polynomial({(1, 1): 1, (0, 2): -3}).derivative(1)
    Polynomial(x0 - 6 x1)
    """

    def __init__(self, coefficients: Mapping[Exponents, Number] | Sequence[Number], *, n_variables: int | None = None) -> None:
        given = coefficients if isinstance(coefficients, Mapping) else {(k,): c for k, c in enumerate(coefficients)}
        sizes = {len(exponents) for exponents in given}
        if len(sizes) > 1 or (n_variables is not None and sizes - {n_variables}):
            raise InvalidInput(f"exponents of different lengths {sorted(sizes)}.", hint="one exponent for each variable")
        if any(k < 0 or not isinstance(k, (int, np.integer)) for exponents in given for k in exponents):
            raise InvalidInput("the exponents of a polynomial are integers >= 0.")
        self.n_variables = n_variables or (sizes.pop() if sizes else 1)
        self.coefficients = {tuple(map(int, e)): rational(c) for e, c in given.items() if c}

    @staticmethod
    def constant(value: Number, n_variables: int) -> Polynomial:
        return Polynomial({(0,) * n_variables: value}, n_variables=n_variables)

    @staticmethod
    def monomial(exponents: Sequence[int], coefficient: Number = 1) -> Polynomial:
        return Polynomial({tuple(exponents): coefficient}, n_variables=len(exponents))

    @cached_property
    def degree(self) -> int:
        """The total degree; 0 for constants, also for zero."""
        return max((sum(e) for e in self.coefficients), default=0)

    def __add__(self, other: Polynomial | Number) -> Polynomial:
        b = other if isinstance(other, Polynomial) else Polynomial.constant(other, self.n_variables)
        if b.n_variables != self.n_variables:
            raise InvalidInput(f"polynomials in {self.n_variables} and {b.n_variables} variables cannot be combined.")
        out = dict(self.coefficients)
        for e, c in b.coefficients.items():
            out[e] = out.get(e, Fraction(0)) + c
        return Polynomial(out, n_variables=self.n_variables)

    def __mul__(self, other: Polynomial | Number) -> Polynomial:
        b = other if isinstance(other, Polynomial) else Polynomial.constant(other, self.n_variables)
        if b.n_variables != self.n_variables:
            raise InvalidInput(f"polynomials in {self.n_variables} and {b.n_variables} variables cannot be combined.")
        out: dict[Exponents, Fraction] = {}
        for e, c in self.coefficients.items():
            for g, a in b.coefficients.items():
                key = tuple(i + j for i, j in zip(e, g, strict=True))
                out[key] = out.get(key, Fraction(0)) + a * c
        return Polynomial(out, n_variables=self.n_variables)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Polynomial:
        return self * -1

    def __sub__(self, other: Polynomial | Number) -> Polynomial:
        return self + (-other if isinstance(other, Polynomial) else -rational(other))

    def __pow__(self, n: int) -> Polynomial:
        out = Polynomial.constant(1, self.n_variables)
        for _ in range(n):
            out = out * self
        return out

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and (self.n_variables, self.coefficients) == (other.n_variables, other.coefficients)

    def __hash__(self) -> int:
        return hash((self.n_variables, frozenset(self.coefficients.items())))

    def exact(self, x: Sequence[Fraction]) -> Fraction:
        """The value at a rational point."""
        if self.n_variables == 1:
            value = Fraction(0)
            for k in range(self.degree, -1, -1):
                value = value * x[0] + self.coefficients.get((k,), 0)
            return value
        terms = (c * prod((v**k for v, k in zip(x, e, strict=True)), start=Fraction(1)) for e, c in self.coefficients.items())
        return sum(terms, Fraction(0))

    def enclose(self, x: Sequence[Interval]) -> Interval:
        """An interval that holds all values for variables in the given intervals."""
        shape = np.shape(x[0].low)
        out = Interval.of(np.zeros(shape))
        if self.n_variables == 1:  # Horner's scheme
            for k in range(self.degree, -1, -1):
                out = out * x[0]
                if c := self.coefficients.get((k,)):
                    out = out + c
            return out
        powers: dict[tuple[int, int], Interval] = {}
        for e, c in self.coefficients.items():
            term = Interval.of(c)
            for i, k in enumerate(e):
                if k:
                    if (i, k) not in powers:
                        powers[i, k] = x[i] ** k
                    term = term * powers[i, k]
            out = out + term
        return out

    def derivative(self, i: int) -> Polynomial:
        """The partial derivative by variable i."""
        out = {(*e[:i], e[i] - 1, *e[i + 1 :]): c * e[i] for e, c in self.coefficients.items() if e[i]}
        return Polynomial(out, n_variables=self.n_variables)

    def along(self, directions: Sequence[Sequence[Fraction]], origin: Sequence[Fraction]) -> Polynomial:
        """The polynomial of u with x = origin + sum of u_j directions_j."""
        d = len(directions)
        lines = []
        for i, o in enumerate(origin):
            line = {tuple(int(k == j) for k in range(d)): directions[j][i] for j in range(d)}
            lines.append(Polynomial({**line, (0,) * d: o}, n_variables=d))
        out = Polynomial.constant(0, d)
        for e, c in self.coefficients.items():
            term = Polynomial.constant(c, d)
            for line_i, k in zip(lines, e, strict=True):
                term = term * line_i**k
            out = out + term
        return out

    def __call__(self, x: Any) -> Array:
        """Values at rows of points, in floating point."""
        rows = np.atleast_2d(np.asarray(x, dtype=np.float64))
        total = np.zeros(len(rows))
        for e, c in self.coefficients.items():
            total += float(c) * np.prod(rows ** np.array(e), axis=1)
        return total

    def __repr__(self) -> str:
        names = {e: " ".join(f"x{i}^{k}" if k > 1 else f"x{i}" for i, k in enumerate(e) if k) for e in self.coefficients}
        terms = []
        for e, c in sorted(self.coefficients.items(), key=lambda item: (-sum(item[0]), [-k for k in item[0]]))[:12]:
            size = "" if abs(c) == 1 and names[e] else f"{abs(c)}"
            terms.append(("- " if c < 0 else "+ ") + " ".join(filter(None, [size, names[e]])))
        text = " ".join(terms).removeprefix("+ ") or "0"
        return f"Polynomial({text}{' + ...' if len(self.coefficients) > 12 else ''})"


def binomial_power(a: Fraction, b: Fraction, n: int) -> Polynomial:
    """(a + b x)^n in one variable."""
    return Polynomial([comb(n, k) * a ** (n - k) * b**k for k in range(n + 1)])
