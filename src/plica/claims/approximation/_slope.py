"""Slopes in logarithms, with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def slope(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """The least-squares slope of y against x and its standard error."""
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    a = a - a.mean()
    value = float(a @ b / (a @ a))
    rest = b - b.mean() - value * a
    return value, float(np.sqrt(rest @ rest / max(len(a) - 2, 1) / (a @ a)))
