r"""Bernstein polynomials on [0, 1], evaluated by averages of neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

from plica.construct._arguments import error_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._bounded import BoundedWire, multiplied, power_of_two
from plica.construct.circuits._circuit import Circuit
from plica.construct.errors._certificate import Certificate
from plica.construct.polynomials._polynomial_network import teeth_needed
from plica.construct.polynomials._univariate import function_argument, missed, value_at
from plica.construct.targets._numbers import Number
from plica.construct.targets._polynomial import Polynomial, binomial_power
from plica.errors import BudgetExceeded
from plica.geometry import Segment

MAX_DEGREE = 48


def bernstein_polynomial(values: Sequence[Fraction]) -> Polynomial:
    r""":math:`\sum_k v_k \binom n k x^k (1-x)^{n-k}`, with exact coefficients.

    Examples
    --------
    >>> bernstein_polynomial([Fraction(0), Fraction(1, 4), Fraction(1)])
    Polynomial(1/2 x0^2 + 1/2 x0)
    """
    n = len(values) - 1
    total = Polynomial([0])
    for k, v in enumerate(values):
        if v:
            basis = Polynomial.monomial((k,), comb(n, k)) * binomial_power(Fraction(1), Fraction(-1), n - k)
            total = total + v * basis
    return total


def casteljau(c: Circuit, values: Sequence[Fraction], m: int) -> BoundedWire:
    """The Bernstein form by n rounds of b_i + x (b_{i+1} - b_i), all between the smallest and the largest value."""
    x = BoundedWire(c.inputs[0], Fraction(1))
    size = max(abs(v) for v in values) or Fraction(1)
    scale = power_of_two(max(max(values) - min(values), Fraction(1, 2**60)))
    row = [BoundedWire(c.constant(v), size) for v in values]
    while len(row) > 1:
        following = []
        for a, b in pairwise(row):
            step = BoundedWire((b.wire - a.wire) / scale, Fraction(1) + (a.error + b.error) / scale, (a.error + b.error) / scale)
            if not step.wire.terms:  # the first round multiplies x by numbers
                moved = BoundedWire(x.wire * step.wire.constant, abs(step.wire.constant))
            else:
                moved = multiplied(c, x, step, m)
            # a convex combination of a and b with weights that are exact: errors do not add, but for the gate's own
            own = scale * (moved.error - step.error) if step.wire.terms else Fraction(0)
            following.append(BoundedWire(a.wire + scale * moved.wire, size, max(a.error, b.error) + own))
        row = following
    return row[0]


def bernstein(f: Any, degree: int, error: Number) -> Construction:
    r"""The Bernstein polynomial of a function on [0, 1] as a network [lorentz1986]_, products by squares [yarotsky2017]_.

    :math:`B_n f(x) = \sum_k f(k/n) \binom n k x^k (1-x)^{n-k}` is evaluated by de Casteljau's averages, n(n-1)/2 products,
    to within ``error``. The certificate adds :math:`|B_n f - f|`, found in interval arithmetic.

    Examples
    --------
    >>> from plica.construct import variables
    >>> (x,) = variables(1)
    >>> b = bernstein(abs(x - 0.5), 4, 1e-3)
    >>> round(float(b.certificate.bound), 3)
    0.188
    """
    n = integer_argument("degree", degree)
    if n > MAX_DEGREE:
        raise BudgetExceeded(f"degree {n} is more than {MAX_DEGREE}: {n * (n - 1) // 2:,} products.")
    goal, allowed = function_argument(f), error_argument(error)
    values = [value_at(goal, Fraction(k, n)) for k in range(n + 1)]
    m = teeth_needed(lambda k: casteljau(Circuit(1), values, k).error, allowed)
    c = Circuit(1)
    value = casteljau(c, values, m)
    net = c.network(value.wire, name=f"Bernstein polynomial of degree {n}")
    gap = missed(goal, bernstein_polynomial(values), 0)
    lost = Fraction(0) if c.is_exact else Fraction((n + 2) ** 2, 2**50) * max(abs(v) for v in values)
    return Construction(
        name="bernstein",
        network=net,
        parameters={"f": repr(f), "degree": n, "error": error},
        theorem={"error": gap + allowed, "polynomial_error": gap, "teeth": m, "products": n * (n - 1) // 2},
        sources=("lorentz1986", "yarotsky2017"),
        certificate=Certificate(
            gap + value.error + lost, "sup", Segment([0.0], [1.0]), "Bernstein's error, and errors of squares", goal, net
        ),
    )
