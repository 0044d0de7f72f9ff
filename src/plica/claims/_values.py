"""Values of rows: as JSON has them, and for people."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, log10
from numbers import Integral, Real
from typing import Any


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers as numbers, fractions, infinities and huge integers as text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Integral):
        return int(value) if abs(int(value)) < 10**300 else show(value)
    if isinstance(value, Fraction) and value.denominator < 10**9:
        return str(value)
    if isinstance(value, Real):
        return float(value) if isfinite(float(value)) else str(float(value))
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(value)


def show(value: Any) -> str:
    """A value for people.

    Examples
    --------
    >>> show(65536), show(2**200), show(0.123456789), show((2, 4, 1))
    ('65,536', '1.60e60', '0.123457', '2-4-1')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        number = int(value)
        if abs(number) < 10**15:
            return f"{number:,}" if abs(number) >= 10**4 else str(number)
        exponent = int((abs(number).bit_length() - 1) * log10(2))
        exponent += abs(number) >= 10 ** (exponent + 1)
        return f"{number // 10 ** (exponent - 2) / 100:.2f}e{exponent}"
    if isinstance(value, Fraction) and value.denominator < 10**4:
        return str(value)
    if isinstance(value, Real):
        return f"{float(value):.6g}"
    if isinstance(value, (list, tuple)):
        return "-".join(show(v) for v in value)
    return str(value)
