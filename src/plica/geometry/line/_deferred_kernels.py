"""Breakpoints along a line, where :mod:`plica.geometry.values._deferred_kernels` has edges and chords; columns may be sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from plica.geometry.values._deferred_kernels import add, advance, edge_norms, first_slope, put

_HUGE = 1e300
_EPS = 2.0**-52
_UP = 1.0 + 1e-12  # covers the rounding of norms


@njit(cache=True, nogil=True)
def _add_sparsely(slope: Any, weight: Any, first: Any, where: Any, values: Any, j: Any) -> None:
    for i in range(first[j], first[j + 1]):
        slope[where[i]] += weight * values[i]


@njit(cache=True, nogil=True)
def rectify_live(values: Any, columns: Any) -> Any:
    """The positive parts of rows, without the units that are positive nowhere; the columns of the others; as :func:`rectify`."""
    n, m = values.shape
    live = np.zeros(m, np.bool_)
    for v in range(n):
        for k in range(m):
            live[k] |= values[v, k] > 0.0
    units = np.flatnonzero(live)
    out, kept = np.empty((n, len(units))), np.empty((len(units), columns.shape[1]))
    largest = 0.0
    for v in range(n):
        size = 0.0
        for i in range(len(units)):
            y = max(values[v, units[i]], 0.0)
            out[v, i] = y
            size += y * y
        largest = max(largest, size)
    for i in range(len(units)):
        _copy(columns, units[i], kept, i)
    return out, kept, largest


@njit(cache=True, nogil=True)
def _copy(values: Any, v: Any, out: Any, row: Any) -> None:
    for k in range(out.shape[1]):
        out[row, k] = values[v, k]


@njit(cache=True, nogil=True)
def deferred_on_line(
    z: Any,
    error: Any,
    values: Any,
    columns: Any,
    column_offsets: Any,
    column_where: Any,
    column_values: Any,
    is_dense: Any,
    p: Any,
    at: Any,
    t_error: Any,
    form: Any,
    event_cell: Any,
    event_form: Any,
    event_column: Any,
    norm: Any,
    reach: Any,
    gamma: Any,
    first_gain: Any,
    slip: Any,
    last_gain: Any,
    absolute_gain: Any,
    constant: Any,
    offset: Any,
) -> Any:
    """A tensor at the breakpoints of a line, from its ``values`` at the old ones (form -1, old row p) and its kinks between them.

    The events of a new breakpoint are the units that change there; ``event_column`` says which column belongs to each.

    Also returned: a bound of the error before the last operation, in the 2-norm, with what the sums lose, in units of its row
    norms; one of the error after it; and the largest share that sums lose. An error e of relu(z) is ``first_gain * e + slip``
    before the last operation, whose input is at most ``norm`` and moves at most ``reach`` times as far as relu(z), known within a
    factor 1 +- ``gamma``; the operation itself adds ``constant``, and rounds an offset of this norm.
    """
    n, m = len(p), values.shape[1]
    out, out_error, lost = np.empty((n, m)), np.empty(n), np.zeros(n)
    share = 0.0
    slope, here = np.empty(m), np.empty(m)
    _copy(values, p[0], out, 0)
    out_error[0] = error[p[0]]
    stop = 0
    row = 0
    while row < n - 1:
        following = row + 1
        while form[following] >= 0:
            following += 1
        a, b = p[row], p[following]
        _copy(values, b, out, following)
        out_error[following] = error[b]
        while stop < len(event_cell) and event_cell[stop] <= row:  # changes at an old breakpoint bend nothing here
            stop += 1
        start = stop
        while stop < len(event_cell) and event_cell[stop] < following:
            stop += 1
        if start < stop:
            raw, length = edge_norms(z, a, b)
            residual = 0.0
            first_slope(out, row, following, slope, here)
            for i in range(start, stop):
                k, t = event_form[i], at[event_cell[i]]
                x = z[a, k]
                d = z[b, k] - x
                x += t * d
                residual += x * x
                if is_dense:
                    add(slope, (t - 1.0) * abs(d), columns, event_column[i])
                else:
                    _add_sparsely(slope, (t - 1.0) * abs(d), column_offsets, column_where, column_values, event_column[i])
            worst = max(error[a], error[b])
            shift = np.sqrt(residual) * _UP + 2e-15 * (raw + length) + 1e-300
            t = 0.0
            i = start
            for new in range(row + 1, following):
                advance(here, at[new] - t, slope)
                t = at[new]
                put(here, out, new)
                while i < stop and event_cell[i] == new:
                    d = abs(z[b, event_form[i]] - z[a, event_form[i]])
                    if is_dense:
                        add(slope, d, columns, event_column[i])
                    else:
                        _add_sparsely(slope, d, column_offsets, column_where, column_values, event_column[i])
                    i += 1
                bound = worst + t_error[new] * (length + 2.0 * worst) + shift
                out_error[new] = bound if bound < _HUGE else _HUGE
                rounding = (4 * (stop - start) + 16) * _EPS
                lost[new] = rounding * (norm + reach * length) + gamma * reach * length
                share = max(share, rounding)
        row = following
    constant += share * offset
    for v in range(n):
        e = first_gain * out_error[v] + slip
        out_error[v] = last_gain * e + absolute_gain * lost[v] + constant
        lost[v] += e
    return out, lost, out_error, share
