"""What a point of a domain must be: finite floats, and as many as the others have."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain


def checked_point(values: Any, what: str) -> Array:
    try:
        array = np.asarray(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise InvalidDomain(f"{what} is not an array of numbers.") from None
    if array.size == 0:
        raise InvalidDomain(f"{what} is empty.")
    if not np.isfinite(array).all():
        raise InvalidDomain(f"{what} holds NaN or infinity.", hint="every coordinate of a domain must be finite")
    return array


def check_same_size(*points: Array) -> None:
    sizes = {p.size for p in points}
    if len(sizes) != 1:
        raise InvalidDomain(f"the points of a domain have different sizes: {sorted(sizes)}.")
