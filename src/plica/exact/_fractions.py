"""Floats as fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica._parallel import look
from plica._types import Array

_AT_ONCE = 2**16  # numbers between two looks


def exactly(values: Any) -> Array:
    """An array of floats as an object array of fractions, without rounding.

    Examples
    --------
    >>> exactly([0.5, -3.0]).tolist()
    [Fraction(1, 2), Fraction(-3, 1)]
    """
    array = np.asarray(values, dtype=np.float64)
    out = np.empty(array.shape, dtype=object)
    flat, numbers = out.reshape(-1), array.reshape(-1)
    for start in range(0, flat.size, _AT_ONCE):
        look()
        flat[start : start + _AT_ONCE] = [Fraction(x) for x in numbers[start : start + _AT_ONCE].tolist()]
    return out
