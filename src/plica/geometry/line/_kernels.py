"""A whole layer on a line in one pass, for the common case that error bounds decide everything."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.geometry._bits import ALL, ONE, ZERO, lowest, popcount
from plica.geometry._kernel import allocating_kernel, kernel
from plica.geometry._lanes import squared_norm
from plica.geometry.signs._kernels import edge_norms, row_between, sort_crossings

_HUGE = 1e300


@allocating_kernel
def name_breakpoints(line: Any, p: Any, form: Any, layer: Any, names: Any) -> Any:
    """Where the breakpoints after a cut come from: old ones as before, new ones from a form of this layer on a piece."""
    out = np.empty((len(p), 3), np.int32)
    for i in range(len(p)):
        if form[i] < 0:
            out[i, 0], out[i, 1], out[i, 2] = line[p[i], 0], line[p[i], 1], line[p[i], 2]
        else:
            out[i, 0], out[i, 1], out[i, 2] = layer, names[p[i]], form[i]
    return out


@allocating_kernel
def scan_line(z: Any, scale: Any, error: Any, floor: Any, line: Any, layer: Any, names: Any) -> Any:
    """Signs, crossings in order, and state changes of one layer along a line.

    Returns whether all was decided; then for every breakpoint after the cut its neighbors p, q among the old ones, its parameter
    and t_error between them, and the form that made it (-1: it is the old breakpoint p); the state changes (piece, form, on), the
    states on the first piece, and where the breakpoints come from.
    """
    n, m = z.shape
    n_words = (m + 63) // 64
    pos, neg = np.zeros((n, n_words), np.uint64), np.zeros((n, n_words), np.uint64)
    decided = True
    for v in range(n):
        e = error[v]
        for w in range(n_words):
            base = 64 * w
            width = min(64, m - base)
            a, b = ZERO, ZERO
            for i in range(width):
                value = z[v, base + i]
                bound = scale[base + i] * e + floor[base + i]
                a |= np.uint64(value > bound) << np.uint64(i)
                b |= np.uint64(value < -bound) << np.uint64(i)
            pos[v, w], neg[v, w] = a, b
            mask = ALL if width == 64 else (ONE << np.uint64(width)) - ONE
            if (a | b) != mask:
                decided = False
    n_new = 0
    n_events = 0
    for i in range(n - 1):
        for w in range(n_words):
            n_new += popcount(pos[i, w] ^ pos[i + 1, w])
    size = n + n_new if decided else 0
    p, q, form = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    at, t_error = np.zeros(size), np.zeros(size)
    event_cell, event_form = np.empty(n_new, np.int64), np.empty(n_new, np.int64)
    event_on, start = np.empty(n_new, np.int8), np.empty(m, np.int8)
    if not decided:
        return False, p, q, at, t_error, form, event_cell, event_form, event_on, start, line
    for k in range(m):
        start[k] = (pos[0, k >> 6] >> np.uint64(k & 63)) & ONE
    row = 0
    for i in range(n - 1):
        p[row], q[row], form[row] = i, i, -1
        row += 1
        low = row
        worst = max(error[i], error[i + 1])
        for w in range(n_words):
            x = pos[i, w] ^ pos[i + 1, w]
            while x != ZERO:
                k = 64 * w + lowest(x)
                x &= x - ONE
                gap = z[i, k] - z[i + 1, k]
                t = z[i, k] / gap
                s = (scale[k] * worst + floor[k]) / abs(gap) + 1e-15
                at[row], t_error[row], form[row] = t, s, k
                p[row], q[row] = i, i + 1
                row += 1
        sort_crossings(at, t_error, form, low, row)
        for j in range(low, row):
            if j > low and not (at[j] - at[j - 1] > t_error[j] + t_error[j - 1]):
                decided = False
            k = form[j]
            event_cell[n_events], event_form[n_events] = j, k
            event_on[n_events] = (pos[i + 1, k >> 6] >> np.uint64(k & 63)) & ONE
            n_events += 1
    p[row], q[row], form[row] = n - 1, n - 1, -1
    named = name_breakpoints(line, p, form, layer, names)
    return decided, p, q, at, t_error, form, event_cell, event_form, event_on, start, named


@allocating_kernel
def carry_line(values: Any, error: Any, p: Any, q: Any, at: Any, t_error: Any, rectify: Any) -> Any:
    """Rows at the breakpoints after a cut, their error (as in ``carry_new``), and the largest norm squared."""
    n, m = len(p), values.shape[1]
    out, out_error = np.empty((n, m)), np.empty(n)
    largest = 0.0
    for i in range(n):
        a, b = p[i], q[i]
        row_between(values, a, b, at[i], rectify, out, i)
        e = error[a]
        if a == b:
            largest = max(largest, squared_norm(out, i))
        else:
            raw, length = edge_norms(values, a, b)
            worst = max(e, error[b])
            e = worst + t_error[i] * (length + 2.0 * worst) + 2e-15 * (raw + length) + 1e-300
        out_error[i] = e if e < _HUGE else _HUGE
    return out, out_error, largest


@kernel
def replay_states(
    cells: Any, order: Any, anchor_cell: Any, anchor_rows: Any, event_cell: Any, event_neuron: Any, event_state: Any, out: Any
) -> None:
    """The states on some pieces, taken in increasing ``order``: the last full row before each, and what changed since."""
    anchor, event, last = -1, 0, -1
    for i in range(len(order)):
        row, piece = order[i], cells[order[i]]
        before = anchor
        while anchor + 1 < len(anchor_cell) and anchor_cell[anchor + 1] <= piece:
            anchor += 1
        if anchor != before:
            while event < len(event_cell) and event_cell[event] <= anchor_cell[anchor]:
                event += 1
        for k in range(out.shape[1]):
            out[row, k] = anchor_rows[anchor, k] if anchor != before else out[last, k]
        while event < len(event_cell) and event_cell[event] <= piece:
            out[row, event_neuron[event]] = event_state[event]
            event += 1
        last = row
