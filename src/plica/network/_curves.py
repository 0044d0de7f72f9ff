"""Smooth activations without rounding that matters: values and second derivatives to forty digits, and facts on their shape.

Exponentials come from :mod:`decimal`, which rounds them correctly; the error function from its alternating series.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import log

_DIGITS = 90
SLACK = Fraction(1, 10**40)  # more than any number here is wrong by
_PI = Fraction("3.1415926535897932384626433832795028841971693993751058209749445923078164")


def _to_decimal(t: Fraction) -> Decimal:
    return Decimal(t.numerator) / Decimal(t.denominator)


def _exp(t: Fraction) -> Fraction:
    with localcontext(prec=_DIGITS):
        return Fraction(_to_decimal(t).exp())


def _sqrt(t: Fraction) -> Fraction:
    with localcontext(prec=_DIGITS):
        return Fraction(_to_decimal(t).sqrt())


def sigmoid(t: Fraction) -> Fraction:
    """1 / (1 + exp(-t))."""
    e = _exp(-abs(t))
    return 1 / (1 + e) if t >= 0 else e / (1 + e)


def _sigmoid_second(t: Fraction) -> Fraction:
    s = sigmoid(t)
    return s * (1 - s) * (1 - 2 * s)


def tanh(t: Fraction) -> Fraction:
    """The hyperbolic tangent."""
    return 2 * sigmoid(2 * t) - 1


def silu(t: Fraction) -> Fraction:
    """t / (1 + exp(-t))."""
    return t * sigmoid(t)


def _silu_second(t: Fraction) -> Fraction:
    s = sigmoid(t)
    return 2 * s * (1 - s) + t * _sigmoid_second(t)


def gelu(t: Fraction) -> Fraction:
    """t times the normal distribution function, for abs(t) up to 10."""
    return t * (1 + _sqrt(2 / _PI) * _odd_series(t)) / 2


def _odd_series(t: Fraction) -> Fraction:
    """The sum of (-1)^n t^(2 n + 1) / (2^n n! (2 n + 1)): alternating, and decreasing once 2 n exceeds t^2."""
    with localcontext(prec=_DIGITS):
        x = _to_decimal(t)
        half, power, total, n = x * x / 2, x, x, 0
        while 2 * n <= x * x or abs(power) > Decimal(10) ** -50:
            n += 1
            power = -power * half / n
            total += power / (2 * n + 1)
        return Fraction(total)


def _gelu_second(t: Fraction) -> Fraction:
    return _exp(-t * t / 2) / _sqrt(2 * _PI) * (2 - t * t)


@dataclass(frozen=True)
class Curve:
    """A smooth activation.

    Attributes
    ----------
    value, second
        The function and its second derivative, within ``SLACK`` of the truth.
    curvature
        A bound of the absolute second derivative, everywhere.
    left, slope, right
        It approaches ``left`` on the left and ``slope * t + right`` on the right, each monotonically from ``settled`` on.
    reach
        How far out knots are worth while, given the error that is aimed at.
    """

    value: Callable[[Fraction], Fraction]
    second: Callable[[Fraction], Fraction]
    curvature: Fraction
    left: int
    slope: int
    right: int
    settled: Fraction
    reach: Callable[[float], float]


CURVES = {
    # s (1 - s) (1 - 2 s) is at most 1 / (6 sqrt 3) = 0.0962...; for tanh, 8 times as much
    "sigmoid": Curve(sigmoid, _sigmoid_second, Fraction(963, 10000), 0, 0, 1, Fraction(0), lambda e: log(1 / e)),
    "tanh": Curve(tanh, lambda t: 8 * _sigmoid_second(2 * t), Fraction(77, 100), -1, 0, 1, Fraction(0), lambda e: log(2 / e) / 2),
    # 2 s' + t s'' with t s'' <= 0: at most 1/2, and not below -1/e; t s(-t) decreases from t = 1.28 on
    "silu": Curve(silu, _silu_second, Fraction(1, 2), 0, 1, 0, Fraction(3, 2), lambda e: log(8 / e)),
    # phi(t) (2 - t^2) is largest at 0, where it is 2 / sqrt(2 pi) = 0.797...; t Phi(-t) decreases from t = 0.76 on
    "gelu": Curve(gelu, _gelu_second, Fraction(4, 5), 0, 1, 0, Fraction(1), lambda e: (2 * log(1 / e)) ** 0.5),
}
