r"""Taylor coefficients and derivative bounds of smooth activations."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, exp, log1p

from plica.construct.targets._intervals import ceil_float
from plica.errors import InvalidInput

#: Where each smooth activation is expanded: none of its first derivatives vanishes there.
CENTERS = {"exp": 0.0, "softplus": 0.5, "sigmoid": 0.5}


PARTS = 64  # of [0, 1], on each of which a polynomial is bounded


def derivative(activation: str, order: int, at: float) -> float:
    """The derivative of the given order of an activation at a point.

    Derivatives of the sigmoid s are polynomials in s, because s' = s (1 - s); softplus has the sigmoid as its first.

    Examples
    --------
    >>> derivative("softplus", 2, 0.0), derivative("exp", 7, 0.0)
    (0.25, 1.0)
    """
    if activation == "exp":
        return exp(at)
    if activation not in CENTERS:
        raise InvalidInput(f"{activation!r} is not smooth with known derivatives.", hint=f"one of {', '.join(CENTERS)}")
    if activation == "softplus":
        if order == 0:
            return log1p(exp(at))
        order -= 1
    s = 1 / (1 + exp(-at))
    return float(sum(c * s**i for i, c in enumerate(_sigmoid_derivative(order))))


def derivative_bound(activation: str, order: int, radius: float, at: float) -> float:
    """A bound of the absolute derivative of the given order on [at - radius, at + radius], for the sigmoid on the whole line.

    Examples
    --------
    >>> derivative_bound("softplus", 4, 1.0, 0.0)  # the third derivative of the sigmoid is -1/8 at zero
    0.125
    """
    if activation == "exp":
        return exp(at + radius) * (1 + 2.0**-50)
    if activation == "softplus":
        order -= 1
    return _sigmoid_bound(order)


@cache
def _sigmoid_bound(order: int) -> float:
    """The largest absolute value of a derivative of the sigmoid, a polynomial on [0, 1]: within its Bernstein coefficients."""
    p = _sigmoid_derivative(order)
    n = len(p) - 1
    largest = Fraction(0)
    for k in range(PARTS):
        start, width = Fraction(k, PARTS), Fraction(1, PARTS)
        local = [width**i * sum(comb(j, i) * p[j] * start ** (j - i) for j in range(i, n + 1)) for i in range(n + 1)]
        for j in range(n + 1):
            largest = max(largest, abs(sum((Fraction(comb(j, i), comb(n, i)) * local[i] for i in range(j + 1)), Fraction(0))))
    return ceil_float(largest)


@cache
def _sigmoid_derivative(order: int) -> list[int]:
    """The derivative of the given order as a polynomial in the sigmoid s itself, the constant first: s' = s - s^2."""
    p = [0, 1]
    for _ in range(order):
        slope = [i * c for i, c in enumerate(p)][1:]
        p = [a - b for a, b in zip([0, *slope, 0], [0, 0, *slope], strict=True)]
    return p
