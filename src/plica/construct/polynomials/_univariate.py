"""Functions of one variable through polynomials: what the polynomial misses, certified, and what the network adds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from plica.construct.circuits._circuit import Circuit
from plica.construct.errors._enclosure import approximation_error
from plica.construct.targets._intervals import Interval
from plica.construct.targets._polynomial import Polynomial
from plica.construct.targets._targets import Smooth, SmoothPolynomial, as_target
from plica.errors import InvalidInput
from plica.geometry import Segment


class Difference(Smooth):
    """f - p for a smooth function and a polynomial."""

    def __init__(self, f: Smooth, p: Polynomial) -> None:
        self.f, self.p = f, SmoothPolynomial(p)
        self.n_variables = 1

    def enclose(self, x: Sequence[Interval]) -> Interval:
        return self.f.enclose(x) - self.p.enclose(x)

    def first(self, x: Sequence[Interval], i: int) -> Interval:
        return self.f.first(x, i) - self.p.first(x, i)

    def second(self, x: Sequence[Interval], i: int, j: int) -> Interval:
        return self.f.second(x, i, j) - self.p.second(x, i, j)

    def along(self, directions: Sequence[Sequence[Fraction]], origin: Sequence[Fraction]) -> Smooth:
        return Difference(self.f.along(directions, origin), self.p.polynomial.along(directions, origin))

    def __call__(self, x: Any) -> Any:
        return self.f(x) - self.p(x)


def function_argument(f: Any) -> Smooth:
    """A function of one variable as a formula."""
    target = as_target(f, 1)
    if isinstance(target, Polynomial):
        return SmoothPolynomial(target)
    if not isinstance(target, Smooth):
        raise InvalidInput("give a formula in one variable or a polynomial.", hint="(x,) = variables(1); sin(3 * x)")
    return target


def value_at(f: Smooth, x: Fraction) -> Fraction:
    """The value at a rational point: exact where the formula is rational there, else the nearest float."""
    exact = f.exact([x])
    if exact is not None:
        return exact
    value = f.enclose([Interval.of(x)])
    middle = float(np.asarray(value.middle()).reshape(-1)[0])
    if not np.isfinite(middle):
        raise InvalidInput(f"the function has no finite value at {float(x):.6g}.")
    return Fraction(middle)


def missed(f: Smooth, p: Polynomial, low: int) -> Fraction:
    """A certified bound of |f - p| on [low, 1]."""
    c = Circuit(1)
    zero = c.network(0 * c.inputs[0])
    goal: Any = p * -1 + f.polynomial if isinstance(f, SmoothPolynomial) else Difference(f, p)
    if isinstance(f, SmoothPolynomial) and f.polynomial == p:
        return Fraction(0)
    return Fraction(approximation_error(zero, goal, Segment([float(low)], [1.0]), tolerance=1e-3, exact=False).high)
