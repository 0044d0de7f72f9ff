r"""Cross-entropy over all samples on a cell: values and slopes enclosed.

With logits f(s) that are polynomials between breakpoints, the loss of a sample is g = log sum exp f_k - f_y and

.. math:: g' = \sum_k p_k f_k' - f_y', \qquad |g''| \le (\max_k f_k' - \min_k f_k')^2 / 4 + 2 \max_k |f_k''|,

so that a slope at the middle of an interval bounds all slopes on it. Logarithms and exponentials are charged with eight times the
error that numerical libraries state for theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from plica._types import Array, Integers
from plica.landscape._bernstein import EPS, at, averages_rounding, derivative, restricted
from plica.landscape._carry import Cell, Rows
from plica.landscape._rows import Outputs

FUNCTIONS = 64 * EPS  # relative error of exp and log, and sums of a few
SLIP = 4 * EPS  # by how much an argument may be rounded


@dataclass(frozen=True, eq=False)
class EntropyCell:
    """The logits of all samples on a cell, and their labels."""

    cell: Cell
    rows: Rows
    c: Array
    errors: Array  # of the logits, one for each row
    labels: Integers  # of each row
    curvature: Array  # bounds of |g''| on each row
    n_samples: int
    n_exact: int

    @property
    def n_breakpoints(self) -> int:
        return len(self.labels) - self.n_samples

    def value(self, s: float) -> tuple[float, float]:
        """The mean loss and a bound of its error."""
        chosen = self._rows_at(s)
        c, label = self.c[:, chosen], self.labels[chosen]
        f = at(c, s)
        losses = log_sum_exp(f) - f[np.arange(len(f)), label]
        size = np.abs(f).max(axis=1)
        logits = self.errors[chosen] + averages_rounding(c).max(axis=1) + self._doubtful(s)
        error = 2 * logits + (FUNCTIONS + f.shape[1] * EPS) * (1 + size)
        mean = float(losses.sum()) / self.n_samples
        return mean, float((error.sum() + 4 * EPS * np.log2(self.n_samples + 2) * np.abs(losses).sum()) / self.n_samples)

    def slopes(self, s: float) -> tuple[float, float]:
        """The derivatives by t from the left and from the right."""
        width = (self.cell.high - self.cell.low) * self.n_samples
        found = []
        for side in (-1, 1):
            slope, _ = self._slope(self._rows_at(s, side), np.full(self.n_samples, s))
            found.append(float(slope.sum()) / width)
        return found[0], found[1]

    def slope_range(self, low: float, high: float) -> tuple[float, float]:
        """Bounds of the derivative by s on [low, high], over all samples and pieces."""
        chosen = np.flatnonzero((self.rows.a_low < high) & (self.rows.b_high > low))
        a, b = np.maximum(self.rows.a_low[chosen], low), np.minimum(self.rows.b_high[chosen], high)
        slope, error = self._slope(chosen, (a + b) / 2)
        reach = self.curvature[chosen] * (b - a) / 2 * (1 + 1e-9) + error
        begins = np.flatnonzero(np.concatenate([[True], np.diff(self.rows.sample[chosen]) != 0]))
        down, up = np.minimum.reduceat(slope - reach, begins), np.maximum.reduceat(slope + reach, begins)
        rounding = 1e-12 * (np.abs(down).sum() + np.abs(up).sum())
        return float(down.sum() - rounding) / self.n_samples, float(up.sum() + rounding) / self.n_samples

    def _rows_at(self, s: float, side: int = 1) -> Integers:
        """The row of each sample at s; at a breakpoint the one on the given side."""
        begin, end = self.rows.a_low + (self.rows.a_high - self.rows.a_low) / 2, (self.rows.b_low + self.rows.b_high) / 2
        if side > 0:
            inside = ((begin <= s) & (s < end)) | ((end == 1.0) & (s >= 1.0))
        else:
            inside = ((begin < s) & (s <= end)) | ((begin == 0.0) & (s <= 0.0))
        return np.flatnonzero(inside)

    def _doubtful(self, s: float) -> Array:
        """For each sample, how far the polynomials before and after a breakpoint may differ where s cannot be told from it."""
        found = np.zeros(self.n_samples)
        near = np.flatnonzero((self.rows.a_low - SLIP <= s) & (s <= self.rows.a_high + SLIP) & (self.rows.a_high > 0))
        if len(near):
            before, after = self.c[:, near - 1], self.c[:, near]
            apart = np.abs(at(after, s) - at(before, s)) + averages_rounding(before) + averages_rounding(after)
            np.add.at(found, self.rows.sample[near], apart.max(axis=1) + self.errors[near - 1] + self.errors[near])
        return found

    def _slope(self, chosen: Integers, s: Array) -> tuple[Array, Array]:
        """g' of some rows, each at its own s, and bounds of the errors."""
        c, label = self.c[:, chosen], self.labels[chosen]
        f, d = at(c, s[:, None]), at(derivative(c), s[:, None])
        d = d - d[np.arange(len(d)), label][:, None]
        e = self.errors[chosen] + averages_rounding(c).max(axis=1)
        p = np.exp(f - log_sum_exp(f)[:, None])
        size = np.abs(d).max(axis=1)
        error = 4 * len(c) * e + size * (4 * e + (FUNCTIONS + f.shape[1] * EPS) * (2 + np.abs(f).max(axis=1)))
        return np.asarray((p * d).sum(axis=1)), np.asarray(error)

    OWN: ClassVar[tuple[str, ...]] = ("c", "errors", "labels", "curvature")
    STORED: ClassVar[tuple[str, ...]] = (*OWN, *Rows._fields, "scalars")

    def arrays(self) -> dict[str, Array]:
        return {
            **{name: getattr(self, name) for name in self.OWN},
            **self.rows._asdict(),
            "scalars": np.array([*self.cell, self.n_samples, self.n_exact]),
        }

    @staticmethod
    def from_arrays(a: dict[str, Array]) -> EntropyCell:
        low, high, n_samples, n_exact = (float(v) for v in a["scalars"])
        rows = Rows(a["sample"], a["a_low"], a["a_high"], a["b_low"], a["b_high"])
        cell = Cell(low, high)
        return EntropyCell(cell, rows, a["c"], a["errors"], a["labels"], a["curvature"], int(n_samples), int(n_exact))


def entropy_cell(cell: Cell, out: Outputs, labels: Array, n_samples: int) -> EntropyCell:
    """The cell of some outputs, whose samples are numbered as the labels are."""
    order = np.argsort(out.rows.sample, kind="stable")
    rows, c, error = out.rows.taken(order), out.c[:, order], out.error[order].max(axis=1)
    on_rows = restricted(derivative(c), rows.a_low[:, None], rows.b_high[:, None])
    spread = on_rows.max(axis=(0, 2)) - on_rows.min(axis=(0, 2))
    second = np.abs(derivative(derivative(c))).max(axis=(0, 2))
    slack = 64 * len(c) ** 2 * (error + EPS * np.abs(c).max(axis=(0, 2)))
    curvature = (spread + slack) ** 2 / 4 + 2 * (second + slack)
    return EntropyCell(cell, rows, c, error, labels[rows.sample], curvature, n_samples, out.n_exact)


def log_sum_exp(f: Array) -> Array:
    """log sum exp over the last axis."""
    top = f.max(axis=-1)
    return np.asarray(top + np.log(np.exp(f - top[..., None]).sum(axis=-1)))
