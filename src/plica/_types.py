"""The types of arrays that signatures speak of."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]  # any kind of number
Integers = np.ndarray[Any, np.dtype[np.integer[Any]]]
