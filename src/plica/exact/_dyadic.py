"""Floats as what they are: integers times a power of two.

An array of floats becomes an array of integers and one common exponent. Small integers stay in int64, where numpy is
fast; products that could overflow move to Python integers. Nothing here rounds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array

_SMALL_BITS = 62
_FEW = 32
"""Up to so many numbers a list is faster than an array."""


@dataclass(frozen=True, eq=False)
class Dyadic:
    """An array of numbers ``integers * 2**exponent``, exactly.

    Examples
    --------
    >>> Dyadic.from_floats(np.array([0.75, -2.0])).integers
    array([ 3, -8])
    """

    integers: Array
    exponent: int

    @staticmethod
    def from_floats(values: Any) -> Dyadic:
        """Exact conversion of finite floats."""
        floats = np.asarray(values, dtype=np.float64)
        if floats.size <= _FEW:
            return _from_few(floats)
        mantissa, exponent = np.frexp(floats)
        mantissas = (mantissa * 2.0**53).astype(np.int64)
        used = mantissas != 0
        if not used.any():
            return Dyadic(np.zeros(floats.shape, dtype=np.int64), 0)
        lowest_bit = np.frexp((mantissas & -mantissas)[used].astype(np.float64))[1] - 1
        common = int((exponent[used] - 53 + lowest_bit).min())
        shifts = np.where(used, exponent - 53 - common, 0)
        low = np.minimum(shifts, 0)
        mantissas = mantissas >> -low  # exact: at least -low trailing zeros by the choice of `common`
        shifts = shifts - low
        if int(exponent[used].max()) - common <= _SMALL_BITS:
            return Dyadic(mantissas << shifts, common)
        big = np.empty(floats.shape, dtype=object)
        big.reshape(-1)[:] = [m << s for m, s in zip(mantissas.reshape(-1).tolist(), shifts.reshape(-1).tolist(), strict=True)]
        return Dyadic(big, common)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.integers.shape

    def shifted_to(self, exponent: int) -> Array:
        """The integers over a smaller common exponent."""
        k = self.exponent - exponent
        if k == 0:
            return self.integers
        if k < 0:
            raise ValueError("the common exponent can only be lowered")
        if self.integers.dtype != object and bits(self.integers) + k <= _SMALL_BITS:
            return self.integers << k
        # numpy turns arrays without axes into numbers
        return np.asarray(to_object(self.integers) * (1 << k), dtype=object)

    def fractions(self) -> list[Fraction]:
        """The numbers, flattened, as fractions."""
        integers = self.integers.reshape(-1).tolist()
        if self.exponent >= 0:
            return [Fraction(i << self.exponent) for i in integers]
        return [Fraction(i, 1 << -self.exponent) for i in integers]


def _from_few(floats: Array) -> Dyadic:
    """The same by the ratios that Python gives."""
    ratios = [x.as_integer_ratio() for x in floats.reshape(-1).tolist()]
    k = max((d for _, d in ratios), default=1).bit_length() - 1
    numbers = [n << (k + 1 - d.bit_length()) for n, d in ratios]
    if k == 0:
        together = 0
        for n in numbers:
            together |= n
        k = min(0, 1 - (together & -together).bit_length())
        numbers = [n >> -k for n in numbers]
    is_small = max(map(int.bit_length, numbers), default=0) <= _SMALL_BITS
    out = np.empty(floats.shape, dtype=np.int64 if is_small else object)
    out.reshape(-1)[:] = numbers
    return Dyadic(out, -k)


def bits(integers: Array) -> int:
    """The number of bits of the largest magnitude."""
    if integers.size == 0:
        return 0
    if integers.dtype == object or integers.size <= _FEW:
        return max(map(int.bit_length, integers.reshape(-1).tolist()))  # of the magnitude: the sign takes no bit
    return max(abs(int(integers.max())), abs(int(integers.min()))).bit_length()


def to_object(integers: Array) -> Array:
    """The same integers as Python integers of any size."""
    return integers if integers.dtype == object else integers.astype(object)


def shrink(integers: Array) -> Array:
    """Back to int64 where all the integers fit."""
    if integers.dtype == object and bits(integers) <= _SMALL_BITS:
        return integers.astype(np.int64)
    return integers


def align(*numbers: Dyadic) -> tuple[list[Array], int]:
    """The integers of several arrays over one common exponent."""
    exponent = min(n.exponent for n in numbers)
    return [n.shifted_to(exponent) for n in numbers], exponent


def fits(*sizes: int) -> bool:
    """Whether a sum of products with factors of the given bit sizes stays within int64."""
    return sum(sizes) <= _SMALL_BITS


def add(a: Dyadic, b: Dyadic) -> Dyadic:
    """a + b, broadcast."""
    (x, y), exponent = align(a, b)
    if x.dtype == object or y.dtype == object or max(bits(x), bits(y)) >= _SMALL_BITS:
        x, y = to_object(x), to_object(y)
    return Dyadic(shrink(np.asarray(x + y)), exponent)


def to_floats(numerators: Iterable[int], denominator: int, exponent: int = 0) -> list[float]:
    """numerators / denominator * 2**exponent, each rounded once.

    Examples
    --------
    >>> to_floats([1, -3, 10**400], 2, -1)
    [0.25, -0.75, inf]
    """
    numbers = list(numerators)
    if exponent > 0:
        return [to_float(n, denominator, exponent) for n in numbers]
    below = denominator << -exponent
    try:
        return [n / below for n in numbers]
    except OverflowError:
        return [to_float(n, below) for n in numbers]


def to_float(numerator: int, denominator: int, exponent: int = 0) -> float:
    """numerator / denominator * 2**exponent, rounded once to the nearest float (infinite beyond the largest)."""
    if exponent >= 0:
        numerator <<= exponent
    else:
        denominator <<= -exponent
    try:
        return numerator / denominator
    except OverflowError:
        return float("inf") if (numerator > 0) == (denominator > 0) else float("-inf")
