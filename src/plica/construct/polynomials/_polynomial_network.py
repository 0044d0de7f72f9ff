r"""Monomials and polynomials in several variables: powers by squaring, products by squares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, log2
from typing import Any

from plica.construct._arguments import MAX_DEPTH, error_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._bounded import BoundedWire, clipped, multiplied, power_of_two, squared
from plica.construct.circuits._circuit import Circuit
from plica.construct.errors._certificate import Certificate
from plica.construct.targets._numbers import Number, rational
from plica.construct.targets._polynomial import Exponents, Polynomial
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box


class Powers:
    """Powers of inputs in [-1, 1] and their products, each made once and cut off at 1."""

    def __init__(self, c: Circuit, inputs: Sequence[BoundedWire], m: int) -> None:
        self.circuit, self.inputs, self.m = c, inputs, m
        self._powers: dict[tuple[int, int], BoundedWire] = {}
        self._products: dict[Exponents, BoundedWire] = {}

    def power(self, i: int, k: int) -> BoundedWire:
        """x_i^k by repeated squaring."""
        if k == 1:
            return self.inputs[i]
        if (i, k) not in self._powers:
            half = self.power(i, k // 2)
            value = clipped(self.circuit, squared(self.circuit, half, self.m))
            if k % 2:
                value = clipped(self.circuit, multiplied(self.circuit, value, self.inputs[i], self.m))
            self._powers[i, k] = value
        return self._powers[i, k]

    def monomial(self, exponents: Exponents) -> BoundedWire:
        """The product of the powers, as a balanced tree."""
        if exponents not in self._products:
            used = [i for i, k in enumerate(exponents) if k]
            if len(used) == 1:
                return self.power(used[0], exponents[used[0]])
            left = set(used[: len(used) // 2])
            halves = [tuple(k if (i in left) == side else 0 for i, k in enumerate(exponents)) for side in (True, False)]
            a, b = (self.monomial(h) for h in halves)
            self._products[exponents] = clipped(self.circuit, multiplied(self.circuit, a, b, self.m))
        return self._products[exponents]


def teeth_needed(attempt: Callable[[int], Fraction], error: Fraction) -> int:
    """The least number of teeth with which ``attempt(m)``, an error that falls with m, is small enough."""
    for m in range(1, MAX_DEPTH):
        if attempt(m) <= error:
            return m
    raise BudgetExceeded(f"no square with fewer than {MAX_DEPTH} teeth reaches the error {float(error):.3g}.")


def evaluated(polynomial: Polynomial, size: Fraction, m: int) -> tuple[Circuit, BoundedWire]:
    """A circuit for a polynomial on [-size, size]^d whose squares have m teeth."""
    c = Circuit(polynomial.n_variables)
    powers = Powers(c, [BoundedWire(x / size, Fraction(1)) for x in c.inputs], m)
    parts, constant, error, bound = [], Fraction(0), Fraction(0), Fraction(0)
    for exponents, coefficient in sorted(polynomial.coefficients.items()):
        scaled = coefficient * size ** sum(exponents)
        if not any(exponents):
            constant += scaled
            continue
        term = powers.monomial(exponents) * scaled
        parts.append(term.wire)
        error, bound = error + term.error, bound + term.size
    return c, BoundedWire(c.total(parts) + constant, bound + abs(constant), error)


def polynomial(
    coefficients: Polynomial | Mapping[Exponents, Number] | Sequence[Number], error: Number, *, size: Number = 1
) -> Construction:
    r"""A polynomial on [-M, M]^d within a given error, in the manner of [yarotsky2017]_.

    Powers are made by repeated squaring and products by squares, all with the same number of teeth, which is the least that the
    bound allows. The depth is of the order of log(1/error) log(degree).

    Parameters
    ----------
    coefficients
        A :class:`Polynomial`, coefficients by exponents, or (in one variable) a list with the constant first.
    error
        The largest error allowed.
    size
        M, rounded up to a power of two.

    Examples
    --------
    >>> p = polynomial([0, -3, 0, 4], 1e-3)
    >>> float(p.certificate.bound) <= 1e-3, float(round(p([0.5])[0], 2))
    (True, -1.0)
    """
    p = coefficients if isinstance(coefficients, Polynomial) else Polynomial(coefficients)
    allowed = error_argument(error)
    if not rational(size) > 0:
        raise InvalidInput(f"size must be positive, got {size}.")
    s = power_of_two(rational(size))
    m = teeth_needed(lambda k: evaluated(p, s, k)[1].error, allowed)
    c, value = evaluated(p, s, m)
    return _built("polynomial", {"coefficients": p, "error": allowed, "size": s}, c, value, p, s, m)


def monomial(exponents: Sequence[int], error: Number) -> Construction:
    r"""The monomial :math:`\prod_i x_i^{r_i}` on [-1, 1]^d within a given error, in the manner of [yarotsky2017]_.

    Examples
    --------
    >>> p = monomial([2, 1], 0.01)
    >>> p.n_units, p.depth, float(p.certificate.bound)
    (44, 12, 0.0048828125)
    """
    r = tuple(integer_argument("an exponent", k, 0) for k in exponents)
    if not any(r):
        raise InvalidInput(f"a monomial needs a positive exponent, got {list(r)}.")
    p, allowed = Polynomial.monomial(r), error_argument(error)
    m = teeth_needed(lambda k: evaluated(p, Fraction(1), k)[1].error, allowed)
    c, value = evaluated(p, Fraction(1), m)
    return _built("monomial", {"exponents": r, "error": allowed}, c, value, p, Fraction(1), m)


def _built(
    name: str, parameters: dict[str, Any], c: Circuit, value: BoundedWire, p: Polynomial, size: Fraction, m: int
) -> Construction:
    net = c.network(value.wire, name=name)
    d = p.n_variables
    bound = value.error if c.is_exact else value.error + rounding(net.n_parameters, p, size)
    box = Box([-float(size)] * d, [float(size)] * d)
    return Construction(
        name=name,
        network=net,
        parameters=parameters,
        theorem={"error": parameters["error"], "depth": _depth_bound(p, m), "teeth": m},
        sources=("yarotsky2017",),
        certificate=Certificate(bound, "sup", box, "errors of squares, added through the circuit", p, net),
    )


def _depth_bound(p: Polynomial, m: int) -> int:
    """Layers of m + 2 for every squaring and every product that follow each other, of a square and of a product."""
    highest = max((max(e) for e in p.coefficients), default=1)
    widest = max((sum(k > 0 for k in e) for e in p.coefficients), default=1)
    return (m + 2) * (2 * max(0, ceil(log2(max(highest, 1)))) + max(0, ceil(log2(max(widest, 1)))))


def rounding(n_parameters: int, p: Polynomial, size: Fraction) -> Fraction:
    """What rounding coefficients that are not dyadic to floats may add: they meet values of size 1 in the last layer only."""
    scale = sum((abs(c) * size ** sum(e) for e, c in p.coefficients.items()), Fraction(0))
    return Fraction(1, 2**50) * scale * max(1, n_parameters.bit_length())
