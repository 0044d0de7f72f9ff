"""What the kernels of deferred layers do, in whole rows: Python runs these until the kernels are compiled (``_aside.py``).

Every number is computed by the same operations in the same order as in the kernel, so the results are the same bits
(``tests/unit/geometry/test_wide.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.geometry._lanes import squares_of_rows


def rectify(values: Any, out: Any) -> Any:
    rows = out[: len(values)]  # room for as many or more
    rows[:] = np.where(values < 0.0, 0.0, values)
    return float(squares_of_rows(rows).max(initial=0.0))


def one_breakpoint(out: Any, p: Any, q: Any, columns: Any, j: Any, t: Any, weight: Any, row: Any) -> None:
    fall = (1.0 - t) * weight
    out[row] = out[p] + t * (out[q] - out[p] - fall * columns[j])


def first_slope(out: Any, p: Any, q: Any, slope: Any, here: Any) -> None:
    slope[:], here[:] = out[q] - out[p], out[p]


def add(slope: Any, weight: Any, columns: Any, j: Any) -> None:
    slope += weight * columns[j]


def advance(here: Any, step: Any, slope: Any) -> None:
    here += step * slope


def put(here: Any, out: Any, row: Any) -> None:
    out[row] = here
