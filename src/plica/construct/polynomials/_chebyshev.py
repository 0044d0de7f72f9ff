r"""Chebyshev expansions: a function on [-1, 1] through :math:`T_k`, and :math:`T_k` through squares."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from plica.construct._arguments import error_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._bounded import BoundedWire, clipped, multiplied, squared
from plica.construct.circuits._circuit import Circuit, Wire
from plica.construct.errors._certificate import Certificate
from plica.construct.polynomials._polynomial_network import teeth_needed
from plica.construct.polynomials._univariate import function_argument, missed, value_at
from plica.construct.targets._numbers import Number
from plica.construct.targets._polynomial import Polynomial
from plica.errors import BudgetExceeded
from plica.geometry import Segment

MAX_DEGREE = 64


def chebyshev_polynomials(n: int) -> list[Polynomial]:
    """T_0, ..., T_n with integer coefficients."""
    found = [Polynomial([1]), Polynomial([0, 1])]
    while len(found) <= n:
        found.append(Polynomial([0, 2]) * found[-1] - found[-2])
    return found[: n + 1]


def interpolation_coefficients(f: Any, n: int) -> list[Fraction]:
    """Coefficients of the interpolant of degree n at the n + 1 zeros of T_{n+1}, rounded to floats."""
    goal = function_argument(f)
    angles = (np.arange(n + 1) + 0.5) * np.pi / (n + 1)
    values = np.array([float(value_at(goal, Fraction(float(x)))) for x in np.cos(angles)])
    weights = np.cos(np.outer(np.arange(n + 1), angles)) @ values * (2 / (n + 1))
    weights[0] /= 2
    return [Fraction(float(w)) for w in weights]


class Chebyshev:
    """T_k of a wire in [-1, 1]: T_{2k} = 2 T_k^2 - 1 and T_{2k+1} = 2 T_k T_{k+1} - x."""

    def __init__(self, c: Circuit, x: Wire, m: int) -> None:
        self.circuit, self.m = c, m
        self._known: dict[int, BoundedWire] = {0: BoundedWire(c.constant(1), Fraction(1)), 1: BoundedWire(x, Fraction(1))}

    def __getitem__(self, k: int) -> BoundedWire:
        if k not in self._known:
            low = self[k // 2]
            if k % 2 == 0:
                value = (2 * squared(self.circuit, low, self.m)).shifted(-1)
            else:
                value = 2 * multiplied(self.circuit, low, self[k // 2 + 1], self.m) - self._known[1]
            self._known[k] = clipped(self.circuit, value)
        return self._known[k]


def expansion(c: Circuit, x: Wire, coefficients: Sequence[Fraction], m: int) -> BoundedWire:
    """sum_k a_k T_k(x) for a wire in [-1, 1]."""
    t = Chebyshev(c, x, m)
    terms = [t[k] * a for k, a in enumerate(coefficients) if a]
    total = c.total([term.wire for term in terms])
    size = sum((term.size for term in terms), Fraction(0))
    return BoundedWire(total, size, sum((term.error for term in terms), Fraction(0)))


def chebyshev(f: Any, degree: int, error: Number) -> Construction:
    r"""A function on [-1, 1] through its interpolant at Chebyshev's points [trefethen2013]_.

    The interpolant :math:`\sum_k a_k T_k` is evaluated by a network to within ``error``; the certificate adds what the
    interpolant itself misses, found in interval arithmetic. Every :math:`T_k` is made from :math:`T_{\lfloor k/2 \rfloor}` and
    its neighbor by squares [yarotsky2017]_, so that the depth grows like log(degree).

    Parameters
    ----------
    f
        A formula in one variable, a number or a :class:`Polynomial`.
    degree
        Of the interpolant, at most 64.
    error
        What the network may add to the interpolant's error.

    Examples
    --------
    >>> from plica.construct import exp, variables
    >>> (x,) = variables(1)
    >>> e = chebyshev(exp(x), 6, 1e-3)
    >>> float(e.certificate.bound) < 1.01e-3
    True
    """
    n = integer_argument("degree", degree)
    if n > MAX_DEGREE:
        raise BudgetExceeded(f"degree {n} is more than {MAX_DEGREE}.")
    goal, allowed = function_argument(f), error_argument(error)
    a = interpolation_coefficients(f, n)
    p = Polynomial([0])
    for coefficient, t in zip(a, chebyshev_polynomials(n), strict=True):
        p = p + coefficient * t

    def attempt(m: int) -> Fraction:
        c = Circuit(1)
        return expansion(c, c.inputs[0], a, m).error

    m = teeth_needed(attempt, allowed)
    c = Circuit(1)
    value = expansion(c, c.inputs[0], a, m)
    net = c.network(value.wire, name=f"Chebyshev expansion of degree {n}")
    gap = missed(goal, p, -1)
    lost = Fraction(0) if c.is_exact else Fraction(n + 2, 2**50) * (1 + value.size)  # coefficients meet |T_k| <= 1
    return Construction(
        name="chebyshev",
        network=net,
        parameters={"f": repr(f), "degree": n, "error": error},
        theorem={"error": gap + allowed, "interpolation_error": gap, "teeth": m},
        sources=("trefethen2013", "yarotsky2017"),
        certificate=Certificate(
            gap + value.error + lost, "sup", Segment([-1.0], [1.0]), "interpolation, and errors of squares", goal, net
        ),
    )
