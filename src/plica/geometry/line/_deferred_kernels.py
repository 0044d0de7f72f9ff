"""Breakpoints along a line, where :mod:`plica.geometry.values._deferred_kernels` has edges and chords; columns may be sparse."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry._kernel import allocating_kernel, kernel, phase
from plica.geometry._lanes import squared_norm
from plica.geometry.signs._kernels import edge_norms
from plica.geometry.values._deferred_kernels import add, advance, first_slope, put

_HUGE = 1e300
_EPS = 2.0**-52
_UP = 1.0 + 1e-12  # covers the rounding of norms


@kernel
def _add_sparsely(slope: Any, weight: Any, first: Any, where: Any, values: Any, j: Any) -> None:
    for i in range(first[j], first[j + 1]):
        slope[where[i]] += weight * values[i]


@allocating_kernel
def rectify_live(values: Any, columns: Any) -> Any:
    """The positive parts of rows, without the units that are positive nowhere; the columns of the others; as :func:`rectify`."""
    n, m = values.shape
    live = np.zeros(m, np.bool_)
    for v in range(n):
        for k in range(m):
            live[k] |= values[v, k] > 0.0
    units = np.empty(m, np.int64)
    n_live = 0
    for k in range(m):
        units[n_live] = k
        n_live += live[k]
    out, kept = np.empty((n, n_live)), np.empty((n_live, columns.shape[1]))
    largest = 0.0
    for v in range(n):
        for i in range(n_live):
            out[v, i] = max(values[v, units[i]], 0.0)
        largest = max(largest, squared_norm(out, v))
    for i in range(n_live):
        _copy(columns, units[i], kept, i)
    return out, kept, largest


@kernel
def _copy(values: Any, v: Any, out: Any, row: Any) -> None:
    for k in range(out.shape[1]):
        out[row, k] = values[v, k]


class Columns(NamedTuple):
    """What one unit does to the end of a chain of operations: row j of ``dense``, or the entries offsets[j]:offsets[j+1]."""

    dense: Array
    offsets: Array
    where: Array
    values: Array
    is_dense: bool


class Breakpoints(NamedTuple):
    """The breakpoints after a cut (as in :class:`plica.geometry.line._cut.LineCut`) and the units that change there.

    ``event_column`` says which column belongs to the unit ``event_form`` of each event.
    """

    p: Array
    t: Array
    t_error: Array
    form: Array
    event_cell: Array
    event_form: Array
    event_column: Array


class ChainBounds(NamedTuple):
    """How errors go through a chain of operations.

    An error e of relu(z) is ``first_gain * e + slip`` before the last operation, whose input is at most ``norm`` and moves at
    most ``reach`` times as far as relu(z), known within a factor 1 +- ``gamma``. The last operation multiplies errors by
    ``last_gain``, what sums lose by ``absolute_gain``; it adds ``constant`` itself, and rounds an offset of norm ``offset``.
    """

    norm: float
    reach: float
    gamma: float
    first_gain: float
    slip: float
    last_gain: float
    absolute_gain: float
    constant: float
    offset: float


@phase
def _bend(slope: Any, weight: Any, columns: Any, j: Any) -> None:
    if columns.is_dense:
        add(slope, weight, columns.dense, j)
    else:
        _add_sparsely(slope, weight, columns.offsets, columns.where, columns.values, j)


@allocating_kernel
def deferred_on_line(z: Any, error: Any, values: Any, columns: Any, breakpoints: Any, bounds: Any) -> Any:
    """A tensor at the breakpoints of a line, from its ``values`` at the old ones (form -1, old row p) and its kinks between them.

    Also returned: a bound of the error before the last operation, in the 2-norm, with what the sums lose, in units of its row
    norms; one of the error after it; and the largest share that sums lose.
    """
    p, at, t_error, form, event_cell, event_form, event_column = breakpoints
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
                _bend(slope, (t - 1.0) * abs(d), columns, event_column[i])
            worst = max(error[a], error[b])
            shift = np.sqrt(residual) * _UP + 2e-15 * (raw + length) + 1e-300
            rounding = (4 * (stop - start) + 16) * _EPS
            share = max(share, rounding)
            t = 0.0
            i = start
            for new in range(row + 1, following):
                advance(here, at[new] - t, slope)
                t = at[new]
                put(here, out, new)
                while i < stop and event_cell[i] == new:
                    _bend(slope, abs(z[b, event_form[i]] - z[a, event_form[i]]), columns, event_column[i])
                    i += 1
                bound = worst + t_error[new] * (length + 2.0 * worst) + shift
                out_error[new] = bound if bound < _HUGE else _HUGE
                lost[new] = rounding * (bounds.norm + bounds.reach * length) + bounds.gamma * bounds.reach * length
        row = following
    constant = bounds.constant + share * bounds.offset
    for v in range(n):
        e = bounds.first_gain * out_error[v] + bounds.slip
        out_error[v] = bounds.last_gain * e + bounds.absolute_gain * lost[v] + constant
        lost[v] += e
    return out, lost, out_error, share
