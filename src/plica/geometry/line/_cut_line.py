"""Cutting the pieces of a line at the zeros of forms, every sign and every order decided."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry._bits import unpack
from plica.geometry._budget import tick
from plica.geometry.line import _kernels as _line_kernels
from plica.geometry.line._cut import LineCut
from plica.geometry.signs import _kernels
from plica.geometry.signs._crossings import edge_crossings, lead_crossings, offsets_from_counts
from plica.geometry.signs._oracle import CutOracle
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import SignForms, vertex_signs
from plica.geometry.values._dyadic_rows import crossing_orders


class LineMesh:
    """What the oracle asks of a line: its breakpoints and the piece next to each."""

    def __init__(self, line: Array) -> None:
        self.vertex_hyperplanes = line

    def cell_vertices(self) -> tuple[Array, Array]:
        """Offsets of the pieces, and the ends of one after the other."""
        n = len(self.vertex_hyperplanes) - 1
        return 2 * np.arange(n + 1), (np.arange(n)[:, None] + [0, 1]).reshape(-1)

    def vertex_cell(self) -> Array:
        cells = np.arange(len(self.vertex_hyperplanes), dtype=np.int32)
        cells[-1] -= 1
        return cells


def cut_line(line: Array, forms: SignForms, oracle: CutOracle, layer: int, names: Array) -> LineCut:
    """Cut every piece at the zeros of the forms; ``names`` are the numbers of the pieces that new breakpoints remember."""
    decided, *found = _line_kernels.scan_line(forms.z, forms.scale, forms.error, forms.floor, line, layer, names)
    if decided:
        oracle.tally.add(forms.z.size + len(found[5]), Precision.DOUBLE)
    else:
        found = _scan_exactly(forms, oracle)
        found.append(_line_kernels.name_breakpoints(line, found[0], found[4], layer, names))
    p, q, t, t_error, form, event_cell, event_form, event_on, start, named = found
    order = None
    if forms.dyadic is not None:
        order = crossing_orders(forms.z, forms.dyadic.scale, forms.dyadic.rows, p, q, form)
        t_error[order >= 0] = 0.0
    return LineCut(named, p, q, t, t_error, form, start, event_cell, event_form, event_on, order)


def _scan_exactly(forms: SignForms, oracle: CutOracle) -> list[Array]:
    """What :func:`scan_line` returns, with every sign decided."""
    n = len(forms.z)
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    signs = vertex_signs(forms, oracle)
    crossings = edge_crossings(edges, forms, signs, oracle)
    group_offsets = offsets_from_counts(crossings.n_groups)
    n_new = int(group_offsets[-1])

    current, start_words = np.zeros((2, signs.pos.shape[1]), np.uint64)
    empty = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_))
    n_events = int(_kernels.line_events(signs, crossings, current, start_words, *empty, False))
    events = (np.empty(n_events, np.int64), np.empty(n_events, np.int64), np.empty(n_events, np.bool_))
    _kernels.line_events(signs, crossings, current, start_words, *events, True)

    lead, piece = lead_crossings(crossings)
    row = piece + 1 + np.arange(n_new)
    p, q, form = (np.empty(n + n_new, np.int32) for _ in range(3))
    t, t_error = np.zeros(n + n_new), np.zeros(n + n_new)
    old = np.arange(n) + group_offsets
    p[old] = q[old] = np.arange(n)
    form[old] = -1
    p[row], q[row], form[row] = piece, piece + 1, crossings.form[lead]
    t[row], t_error[row] = crossings.t[lead], crossings.t_error[lead]
    start = unpack(start_words, forms.z.shape[1])
    return [p, q, t, t_error, form, events[0], events[1], events[2].astype(np.int8), start]


def replay(start: Array, cut: LineCut, n_cells: int) -> Array:
    """The sign bits of every piece: every event flips one."""
    tick(2 * n_cells * len(start))
    flips = np.zeros((n_cells, len(start)), np.int8)
    flips[0] = start
    np.bitwise_xor.at(flips, (cut.event_cell, cut.event_form), np.int8(1))
    return np.bitwise_xor.accumulate(flips, axis=0, out=flips)
