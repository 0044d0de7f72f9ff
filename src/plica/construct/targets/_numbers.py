"""Numbers as the fractions that they are."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

import numpy as np

from plica.errors import InvalidInput

Number = int | float | Fraction


def rational(value: Number) -> Fraction:
    """A number as the fraction that it is."""
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, (int, float, np.integer, np.floating)) or not isfinite(value):
        raise InvalidInput(f"expected a finite number, got {value!r}.")
    return Fraction(value.item() if isinstance(value, np.generic) else value)
