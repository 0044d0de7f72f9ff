"""Floats as fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array


def exactly(values: Any) -> Array:
    """An array of floats as an object array of fractions, without rounding.

    Examples
    --------
    >>> exactly([0.5, -3.0]).tolist()
    [Fraction(1, 2), Fraction(-3, 1)]
    """
    array = np.asarray(values, dtype=np.float64)
    out = np.empty(array.shape, dtype=object)
    out.reshape(-1)[:] = [Fraction(float(x)) for x in array.reshape(-1)]
    return out
