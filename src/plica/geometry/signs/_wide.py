"""What a few kernels do, in whole arrays: Python runs these, not their loops, until the kernels are compiled (``_aside.py``).

Every number is computed by the same operations in the same order as in the kernel, so the results are the same bits
(``tests/unit/geometry/test_kernels.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

_PLACES = np.arange(64, dtype=np.uint64)


def decide_signs(forms: Any, trust_zero: Any, start: Any, stop: Any, signs: Any, undecided: Any) -> Any:
    m, n_undecided = forms.z.shape[1], 0
    rows = slice(start, stop)
    for w in range(signs.pos.shape[1]):
        part = slice(64 * w, min(64 * w + 64, m))
        z = forms.z[rows, part]
        bound = forms.scale[part] * forms.error[rows, None] + forms.floor[part]
        positive, negative = z > bound, z < -bound
        left = ~(positive | negative)
        if trust_zero:
            left &= z != 0.0
        signs.pos[rows, w], signs.neg[rows, w], undecided[rows, w] = _packed(positive), _packed(negative), _packed(left)
        n_undecided += int(left.sum())
    return n_undecided


def _packed(bits: Any) -> Any:
    """Up to 64 columns of truth values as words, the first in the lowest place."""
    return np.bitwise_or.reduce(bits.astype(np.uint64) << _PLACES[: bits.shape[1]], axis=1)


def rows_of_ends(values: Any, a: Any, b: Any, ends: Any) -> None:
    for row, (p, q, t) in enumerate((a, b)):
        ends[row] = values[p] + t * (values[q] - values[p])


def row_between(rows: Any, p: Any, q: Any, t: Any, rectify: Any, out: Any, row: Any) -> None:
    y = rows[p] + t * (rows[q] - rows[p])
    out[row] = np.where(0.0 > y, 0.0, y) if rectify else y
