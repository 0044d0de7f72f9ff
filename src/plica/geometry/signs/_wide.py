"""What the kernels of signs and rows do, in whole arrays: Python runs these until the kernels are compiled (``_aside.py``).

Every number is computed by the same operations in the same order as in the kernel, so the results are the same bits
(``tests/unit/geometry/test_wide.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._lanes import squares_of_rows

_HUGE = 1e300
_UP = 1.0 + 1e-12  # covers the rounding of norms
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


def carry_old(values: Any, rectify: Any, start: Any, stop: Any, out: Any) -> Any:
    rows = values[start:stop]
    out[start:stop] = np.where(rows < 0.0, 0.0, rows) if rectify else rows
    return float(squares_of_rows(out[start:stop]).max(initial=0.0))


def carry_new(
    values: Any, new: Any, on_edges: Any, rectify: Any, start: Any, stop: Any, base: Any, ends: Any, out: Any, out_error: Any
) -> None:
    a, b, t = new.p[start:stop], new.q[start:stop], new.t[start:stop]
    first, second = _rows_at(values, a, on_edges), _rows_at(values, b, on_edges)
    along = second - first
    y = first + t[:, None] * along
    out[base + start : base + stop] = np.where(0.0 > y, 0.0, y) if rectify else y
    raw, length = (np.sqrt(squares_of_rows(rows)) * _UP + 1e-150 for rows in (first, along))
    worst = np.maximum(out_error[a], out_error[b])
    e = worst + new.t_error[start:stop] * (length + 2.0 * worst) + 2e-15 * (raw + length) + 1e-300
    out_error[base + start : base + stop] = np.where(e < _HUGE, e, _HUGE)


def _rows_at(values: Any, vertices: Array, on_edges: Any) -> Array:
    """The rows at old vertices, and at those on old edges, whose rows are interpolated again."""
    n_old = len(values)
    rows = np.empty((len(vertices), values.shape[1]))
    is_old = vertices < n_old
    rows[is_old] = values[vertices[is_old]]
    i = vertices[~is_old] - n_old
    p = values[on_edges.p[i]]
    rows[~is_old] = p + on_edges.t[i][:, None] * (values[on_edges.q[i]] - p)
    return rows
