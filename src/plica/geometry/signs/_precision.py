"""The precisions of floating point, in the order in which they are tried before integers."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np


class Precision(Enum):
    """A floating-point rung of the ladder.

    ``eps`` is twice the unit round-off, which covers the second-order terms of the textbook bounds.

    Examples
    --------
    >>> Precision.DOUBLE.eps, Precision.DOUBLE.dtype.__name__
    (2.220446049250313e-16, 'float64')
    >>> float(Precision.EXTENDED.eps) < 1e-18
    True
    """

    DOUBLE = "double"
    EXTENDED = "extended"

    @property
    def dtype(self) -> Any:
        return np.float64 if self is Precision.DOUBLE else np.longdouble

    @property
    def eps(self) -> Any:
        return DOUBLE_EPS if self is Precision.DOUBLE else EXTENDED_EPS


DOUBLE_EPS = 2.0**-52
EXTENDED_EPS = np.longdouble(2.0) ** -62
HAS_EXTENDED = bool(np.finfo(np.longdouble).nmant >= 63)  # on some machines a long double is a double
PRECISIONS = (Precision.DOUBLE, Precision.EXTENDED) if HAS_EXTENDED else (Precision.DOUBLE,)
