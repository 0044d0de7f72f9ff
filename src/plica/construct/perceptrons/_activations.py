r"""Taylor coefficients and derivative bounds of smooth activations."""

from __future__ import annotations

from math import exp, factorial, log1p, pi

import numpy as np

from plica.errors import InvalidInput

#: Where each smooth activation is expanded: none of its first derivatives vanishes there.
CENTERS = {"exp": 0.0, "softplus": 0.5, "sigmoid": 0.5}


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
    polynomial = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(order):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([0.0, 1.0, -1.0])
    return float(polynomial(s))


def derivative_bound(activation: str, order: int, radius: float, at: float) -> float:
    """A bound of the absolute derivative of the given order on [at - radius, at + radius].

    The sigmoid is analytic and at most 1 in absolute value within distance pi/2 of the real line, so that by Cauchy its
    derivative of order k is at most k! / (pi/2)^k; the third one is at most 1/8, at zero.
    """
    if activation == "exp":
        return exp(at + radius)
    if activation == "softplus":
        order -= 1
    return 0.125 if order == 3 else factorial(order) / (pi / 2) ** order
