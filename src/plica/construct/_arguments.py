"""Arguments of constructions: checked once, with the numbers in the message."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput

MAX_DEPTH = 500  # 4^-s is a float down to s = 537


def integer_argument(name: str, value: Any, least: int = 1) -> int:
    """An integer that is not below ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidInput(f"{name} must be an integer >= {least}, got {value!r}.")
    return int(value)


def depth_argument(name: str, value: Any, most: int = MAX_DEPTH) -> int:
    """A positive integer whose power of two is still a float."""
    n = integer_argument(name, value)
    if n > most:
        raise BudgetExceeded(f"{name} = {n:,} is more than {most}.", hint="the error halves with every layer; fewer are enough")
    return n


def error_argument(value: Any, *, name: str = "error") -> Fraction:
    """A positive error as a fraction."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction, np.integer, np.floating)) or not isfinite(value):
        raise InvalidInput(f"{name} must be a positive number, got {value!r}.")
    if not value > 0:
        raise InvalidInput(f"{name} must be positive, got {value}.", hint="a network of finite size has an error above zero")
    return value if isinstance(value, Fraction) else Fraction(value.item() if isinstance(value, np.generic) else value)


def array_argument(name: str, value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Finite numbers as an array of floats."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers, got {value!r}.") from None
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name} must be finite.")
    return array


def interval_argument(interval: tuple[float, float]) -> tuple[float, float]:
    """The ends of an interval, finite and in order."""
    ends = array_argument("interval", interval)
    if ends.shape != (2,) or not ends[0] < ends[1]:
        raise InvalidDomain(f"an interval needs two finite ends in order, got {interval}.")
    return float(ends[0]), float(ends[1])
