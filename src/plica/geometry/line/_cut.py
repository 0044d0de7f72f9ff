"""What one layer does to the pieces of a line."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.line import _kernels as _line_kernels
from plica.geometry.values._dyadic_rows import after_cut
from plica.geometry.values._tensors import NOT_ZERO, Tensor


@dataclass(eq=False)
class LineCut:
    """The breakpoints after a cut: row i lies between old ones p[i] and q[i] (equal for an old one, whose form is -1)."""

    hyperplanes: Array
    p: Array
    q: Array
    t: Array
    t_error: Array
    form: Array
    start: Array  # the states on the first piece
    event_cell: Array
    event_form: Array
    event_on: Array
    order: Array | None  # which of these parameters floating point has without error (see crossing_orders)

    @property
    def parent(self) -> Array:
        return self.p[:-1]

    def part(self, low: int, high: int) -> LineCut:
        """The pieces from ``low`` to before ``high``."""
        first, last = np.searchsorted(self.event_cell, [low, high - 1], side="right")
        start = self.start.copy()
        start[self.event_form[:first]] = self.event_on[:first]  # in order: the last change of a form stays
        rows, events = slice(low, high + 1), slice(first, last)
        return LineCut(
            self.hyperplanes[rows], self.p[rows], self.q[rows], self.t[rows], self.t_error[rows], self.form[rows], start,
            self.event_cell[events] - low, self.event_form[events], self.event_on[events],
            None if self.order is None else self.order[rows],
        )  # fmt: skip

    def carry(self, tensor: Tensor, *, rectify: bool = False) -> Tensor:
        """A tensor (or its positive part) at all breakpoints."""
        if not rectify and len(self.p) == len(tensor.values) and (self.form < 0).all():
            return replace(tensor, rows=None)
        tick(8 * len(self.p) * tensor.values.shape[1])
        rows = (self.p, self.q, self.t, self.t_error)
        values, error, square = _line_kernels.carry_line(tensor.values, tensor.error, *rows, rectify)
        dyadic = after_cut(tensor.dyadic, tensor.values, self.p, self.q, self.order)
        zeros = tensor.has_true_zeros and not rectify
        if zeros:
            values[(values == 0.0) & ((tensor.values[self.p] != 0.0) | (tensor.values[self.q] != 0.0))] = NOT_ZERO
        return Tensor(values, error, largest_norm=float(np.sqrt(square)) * (1 + 1e-12), dyadic=dyadic, has_true_zeros=zeros)
