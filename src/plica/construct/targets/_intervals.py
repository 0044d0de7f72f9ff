"""Intervals that hold the true value whatever rounding does: arrays of lower and upper ends, rounded outward.

Sums, products, quotients and square roots of floats are within half a unit in the last place, so one step outward suffices. The
exponential, logarithm, sine and cosine of the C library and of numpy are within 4 units; they are widened by 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from plica._types import Array

_FUNCTION_UNITS = 8


def _down(x: Any, steps: int = 1) -> Array:
    y = np.asarray(x, dtype=np.float64)
    for _ in range(steps):
        y = np.nextafter(y, -np.inf)
    return np.where(np.isnan(y), -np.inf, y)


def _up(x: Any, steps: int = 1) -> Array:
    y = np.asarray(x, dtype=np.float64)
    for _ in range(steps):
        y = np.nextafter(y, np.inf)
    return np.where(np.isnan(y), np.inf, y)


def floor_float(value: Fraction | int | float) -> float:
    """The largest float that is not above a number."""
    if not isinstance(value, Fraction) and not isfinite(value):
        return float(value)
    try:
        number = float(value)
    except OverflowError:
        return float(np.finfo(np.float64).max) if value > 0 else float("-inf")
    return number if Fraction(number) <= value else float(np.nextafter(number, -np.inf))


def ceil_float(value: Fraction | int | float) -> float:
    """The smallest float that is not below a number."""
    return -floor_float(-value)


@dataclass(frozen=True, eq=False)
class Interval:
    """An array of intervals [low, high].

    Examples
    --------
    >>> x = Interval.of(Fraction(1, 3))
    >>> bool(x.low < x.high), bool((x * 3).holds(1))
    (True, True)
    """

    low: Array
    high: Array

    @staticmethod
    def of(value: Any) -> Interval:
        """The narrowest interval around exact numbers; floats are exact."""
        if isinstance(value, Interval):
            return value
        if isinstance(value, Fraction):
            return Interval(np.float64(floor_float(value)), np.float64(ceil_float(value)))  # type: ignore[arg-type]
        array = np.asarray(value, dtype=np.float64)
        return Interval(array, array)

    @staticmethod
    def around(center: Any, radius: Any) -> Interval:
        """[center - radius, center + radius], rounded outward."""
        return Interval(_down(np.subtract(center, radius)), _up(np.add(center, radius)))

    @staticmethod
    def stack(parts: list[Interval], axis: int = 0) -> Interval:
        return Interval(np.stack([p.low for p in parts], axis), np.stack([p.high for p in parts], axis))

    def __getitem__(self, key: Any) -> Interval:
        return Interval(self.low[key], self.high[key])

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __add__(self, other: Any) -> Interval:
        b = Interval.of(other)
        with np.errstate(invalid="ignore", over="ignore"):
            return Interval(_down(self.low + b.low), _up(self.high + b.high))

    def __sub__(self, other: Any) -> Interval:
        return self + -Interval.of(other)

    def __mul__(self, other: Any) -> Interval:
        b = Interval.of(other)
        with np.errstate(invalid="ignore", over="ignore"):
            ends = [self.low * b.low, self.low * b.high, self.high * b.low, self.high * b.high]
        ends = [np.where(np.isnan(e), 0.0, e) for e in ends]  # 0 times infinity
        return Interval(_down(np.minimum.reduce(ends)), _up(np.maximum.reduce(ends)))

    def __truediv__(self, other: Any) -> Interval:
        b = Interval.of(other)
        with np.errstate(divide="ignore", over="ignore"):
            inverse = Interval(_down(1.0 / b.high), _up(1.0 / b.low))
        through = (b.low <= 0) & (b.high >= 0)
        return self * Interval(np.where(through, -np.inf, inverse.low), np.where(through, np.inf, inverse.high))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Interval:
        return Interval.of(other) - self

    def __rtruediv__(self, other: Any) -> Interval:
        return Interval.of(other) / self

    def __pow__(self, n: int) -> Interval:
        if n == 0:
            return Interval.of(np.ones(np.shape(self.low)))
        if n < 0:
            return Interval.of(1.0) / self**-n
        size, least = _power_up(self.magnitude(), n), _power_down(self.mignitude(), n)
        if n % 2 == 0:
            return Interval(least, size)
        negative, positive = self.high < 0, self.low > 0  # odd powers are increasing
        low = np.where(positive, least, -_power_up(np.abs(self.low), n))
        return Interval(low, np.where(negative, -least, _power_up(np.abs(self.high), n)))

    def magnitude(self) -> Array:
        """The largest absolute value."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def mignitude(self) -> Array:
        """The smallest absolute value."""
        return np.where((self.low <= 0) & (self.high >= 0), 0.0, np.minimum(np.abs(self.low), np.abs(self.high)))

    def absolute(self) -> Interval:
        return Interval(self.mignitude(), self.magnitude())

    def width(self) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):
            return _up(self.high - self.low)

    def holds(self, value: Fraction | float) -> Array:
        number = Interval.of(value)
        return (self.low <= number.high) & (number.low <= self.high)

    def exp(self) -> Interval:
        with np.errstate(over="ignore", under="ignore"):
            return Interval(np.maximum(_down(np.exp(self.low), _FUNCTION_UNITS), 0.0), _up(np.exp(self.high), _FUNCTION_UNITS))

    def log(self) -> Interval:
        """The natural logarithm of the part that is positive; everything where there is none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = (np.log(np.maximum(end, 0.0)) for end in (self.low, self.high))
        return Interval(_down(low, _FUNCTION_UNITS), np.where(self.high > 0, _up(high, _FUNCTION_UNITS), np.inf))

    def sqrt(self) -> Interval:
        """The root of the part that is not negative."""
        return Interval(np.maximum(_down(np.sqrt(np.maximum(self.low, 0.0))), 0.0), _up(np.sqrt(np.maximum(self.high, 0.0))))

    def sin(self) -> Interval:
        return (self - _HALF_PI).cos()

    def cos(self) -> Interval:
        """Extremes at multiples of pi are found with margins; beyond 2^20 they are not looked for: [-1, 1]."""
        with np.errstate(invalid="ignore"):
            a, b = np.cos(self.low), np.cos(self.high)
            low = _down(np.minimum(a, b), _FUNCTION_UNITS)
            high = _up(np.maximum(a, b), _FUNCTION_UNITS)
            first, last = self.low / np.pi, self.high / np.pi
            slack = 1e-14 * (1 + np.abs(first) + np.abs(last))
            top = np.floor((last + slack) / 2) * 2 >= first - slack  # an even multiple of pi inside
            bottom = np.floor((last + slack - 1) / 2) * 2 + 1 >= first - slack
        far = ~(self.magnitude() < 2.0**20)
        low = np.where(bottom | far, -1.0, np.maximum(low, -1.0))
        return Interval(low, np.where(top | far, 1.0, np.minimum(high, 1.0)))

    def hull(self, axis: int) -> Interval:
        """The smallest intervals that hold all along an axis."""
        return Interval(self.low.min(axis), self.high.max(axis))

    def middle(self) -> Array:
        with np.errstate(invalid="ignore"):
            return self.low / 2 + self.high / 2


def _power_up(x: Array, n: int) -> Array:
    y = np.ones(np.shape(x))
    with np.errstate(over="ignore"):
        for _ in range(n):
            y = _up(y * x)
    return y


def _power_down(x: Array, n: int) -> Array:
    y = np.ones(np.shape(x))
    with np.errstate(over="ignore"):
        for _ in range(n):
            y = np.maximum(_down(y * x), 0.0)
    return y


_HALF_PI = Interval(np.float64(1.5707963267948966), np.float64(np.nextafter(1.5707963267948966, 2)))  # type: ignore[arg-type]
