"""All samples along one cell of a line of weights: tensors as polynomials of the parameter, cut where units switch.

On the line, weights are (1 - t) W0 + t W1. A tensor behind l layers that move is a polynomial of degree l in t for each *row*: a
sample and an interval of t on which no unit before it switches. Polynomials are Bernstein coefficients on the whole cell, with a
bound of their errors; the ends of rows are intervals that hold the root of some unit's polynomial.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from plica._types import Array, Integers
from plica.errors import InvalidInput
from plica.geometry import tick
from plica.landscape._bernstein import EPS, elevated
from plica.landscape._isolation import isolate
from plica.network import Affine, Fold, Linear, Network, walk

NORMS_FROM = 16  # terms of a sum from which errors are bounded by norms of rows instead of a second product
UNDERFLOW = 1e-290
BLOCK = 16  # terms of a long product that are summed at once: bounds of rounding grow with their number


Gains = tuple[float | None, ...]


class Rows(NamedTuple):
    """A sample each, and an interval of the cell's parameter; its true ends are in [a_low, a_high] and [b_low, b_high]."""

    sample: Integers
    a_low: Array
    a_high: Array
    b_low: Array
    b_high: Array

    def taken(self, chosen: Array) -> Rows:
        return Rows(*(column[chosen] for column in self))


@dataclass(frozen=True, eq=False)
class Carried:
    """Coefficients (degree + 1, rows, ...) on the cell, bounds of their errors (rows, ...), and the version of the rows.

    ``norm`` (rows,) bounds the 2-norm of a coefficient's errors, where that is known better than entry by entry: a product
    multiplies it by the matrix's norm, the sum of all entries' bounds by its much larger Frobenius norm.
    """

    c: Array
    error: Array
    version: int
    norm: Array | None = None

    def error_norm(self) -> Array:
        entries = _norms(self.error)
        return entries if self.norm is None else np.minimum(entries, self.norm)


class NothingDecidedError(Exception):
    """Doubles could not decide for any sample."""


class Cell(NamedTuple):
    """The interval [low, high] of t: multiples of 2^-24."""

    low: float
    high: float


@dataclass(eq=False)
class Carrier:
    """A semantics and a calculus: the networks at both ends of the line, walked together."""

    end: Network
    cell: Cell
    rows: Rows
    gains: Gains
    undecided: set[int] = field(default_factory=set)
    parents: list[Integers] = field(default_factory=list)

    def current(self, x: Carried) -> Carried:
        """The tensor for the rows of now."""
        if x.version == len(self.parents):
            return x
        chosen = self.parents[x.version]
        for parents in self.parents[x.version + 1 :]:
            chosen = chosen[parents]
        return Carried(x.c[:, chosen], x.error[chosen], len(self.parents), None if x.norm is None else x.norm[chosen])

    # -- semantics -----------------------------------------------------------------------------------------------------

    def affine(self, index: int, op: Affine, xs: list[Carried]) -> Carried:
        other = self.end.nodes[index].op
        assert isinstance(other, Affine)
        xs = [self.current(x) for x in xs]
        offsets = [None if o is None else np.asarray(o) for o in (op.offset, other.offset)]
        moves = not _same(op.coefficients, other.coefficients)
        degree = max(len(x.c) - 1 for x in xs)
        if not moves and not _same(*offsets):
            degree = max(degree, 1)
        coefficients = [elevated(x.c, degree) for x in xs]
        charged = [x.error + 4 * EPS * (degree + 2 - len(x.c)) * np.abs(x.c).max(axis=0) for x in xs]
        sizes = [np.abs(c).max(axis=0) for c in coefficients]
        gain, norm = self.gains[index], None
        if gain is None:
            error = _product_error(op, other, charged, sizes)
        else:
            elevation = _norms(4 * EPS * (degree + 2 - len(xs[0].c)) * sizes[0])
            error, norm = _dense_error(op, other, xs[0].error_norm() + elevation, _norms(sizes[0]), gain)
            error = error.reshape(-1, *op.output_shape(sizes[0].shape[1:])) + _floor(op, other, sizes)
        exact = error
        start, end = (_product(op, c, coefficients) for c in (op.coefficients, other.coefficients)) if moves else (None, None)
        if start is None or end is None:
            y = _product(op, op.coefficients, coefficients)
        else:
            y = self._moved_product(start, end)
            error = error + 16 * EPS * (np.abs(start).max(axis=0) + np.abs(end).max(axis=0))
        if any(o is not None for o in offsets):
            o0, o1 = (np.zeros(()) if o is None else o for o in offsets)
            t = self.cell.low + (self.cell.high - self.cell.low) * np.arange(len(y)) / max(len(y) - 1, 1)
            b = (
                np.multiply.outer(1 - t, o0) + np.multiply.outer(t, o1)
                if not _same(o0, o1)
                else np.broadcast_to(o0, (1, *o0.shape))
            )
            b = b.reshape(len(b), *(1,) * (y.ndim - 1 - o0.ndim), *o0.shape)
            y = y + b
            error = error + 8 * EPS * (np.abs(b).max(axis=0) + np.abs(y).max(axis=0))
        if not np.isfinite(y).all():
            raise InvalidInput("values along the line overflow.", hint="the weights are too large for double precision")
        if norm is not None:
            norm = (norm + _norms(error - exact + _floor(op, other, sizes))) * (1 + 1e-6)
        return Carried(y, np.broadcast_to(error, y.shape[1:]), len(self.parents), norm)

    def _moved_product(self, start: Array, end: Array) -> Array:
        """((1 - t) W0 + t W1) x from W0 x and W1 x: one degree more."""
        (low, high), n = self.cell, len(start)
        left, right = (1 - low) * start + low * end, (1 - high) * start + high * end
        y = np.zeros((n + 1, *start.shape[1:]))
        for k in range(n):
            y[k] += (n - k) / n * left[k]
            y[k + 1] += (k + 1) / n * right[k]
        return y

    def fold(self, index: int, op: Fold, x: Carried, layer: int) -> Carried:
        tick()
        return op.by_rectifiers(x, self)

    # -- calculus ------------------------------------------------------------------------------------------------------

    def moved(self, x: Carried, offset: float) -> Carried:
        y = x.c + offset
        return Carried(y, x.error + 2 * EPS * np.abs(y).max(axis=0), x.version)

    def combined(self, a: Carried, b: Carried, factor: float) -> Carried:
        a, b = self.current(a), self.current(b)
        degree = max(len(a.c), len(b.c)) - 1
        p, q = elevated(a.c, degree), factor * elevated(b.c, degree)
        error = a.error + abs(factor) * b.error + 4 * EPS * (degree + 2) * (np.abs(p).max(axis=0) + np.abs(q).max(axis=0))
        return Carried(p + q, error, a.version)

    def taken(self, x: Carried, indices: Array) -> Carried:
        n, r = x.c.shape[:2]
        return Carried(x.c.reshape(n, r, -1)[:, :, indices], x.error.reshape(r, -1)[:, indices], x.version)

    def rectified(self, x: Carried, slope: Array) -> Carried:
        """Rows are cut where an entry changes its sign; then each is multiplied by one or its slope."""
        x = self.current(x)
        shape = x.c.shape[2:]
        c, error = x.c.reshape(*x.c.shape[:2], -1), x.error.reshape(len(x.error), -1)
        slope = np.broadcast_to(slope, shape).reshape(-1)
        signs, crossings = self._crossings(c, error)
        signs, parents = self._cut(signs, crossings)
        factor = np.where(signs > 0, 1.0, slope)
        y, error = c[:, parents] * factor, error[parents] * np.abs(factor)
        if not np.isin(slope, (-1.0, 0.0, 1.0)).all():
            error = error + 2 * EPS * np.abs(y).max(axis=0)
        norm = None
        if x.norm is not None and (np.abs(slope) <= 1).all():
            norm = x.norm[parents] + (0.0 if np.isin(slope, (-1.0, 0.0, 1.0)).all() else _norms(2 * EPS * np.abs(y).max(axis=0)))
        return Carried(y.reshape(*y.shape[:2], *shape), error.reshape(len(parents), *shape), len(self.parents), norm)

    def _crossings(self, c: Array, error: Array) -> tuple[Array, tuple[Integers, Integers, Array, Array]]:
        """The sign of every entry where its row begins, and rows, entries and places of all changes, in order."""
        low, high = c.min(axis=0), c.max(axis=0)
        signs = (low > error).astype(np.int8) - (high < -error).astype(np.int8)
        is_zero = (low == 0) & (high == 0) & (error == 0)
        row, entry = np.nonzero((signs == 0) & ~is_zero)
        found = isolate(c[:, row, entry], error[row, entry], self.rows.a_low[row], self.rows.b_high[row])
        signs[row, entry] = found.signs
        self._give_up(row[found.undecided])
        row, entry = row[found.which], entry[found.which]
        self._give_up(row[(found.low <= self.rows.a_high[row]) | (found.high >= self.rows.b_low[row])])
        order = np.lexsort((found.low, row))
        row, entry, low, high = row[order], entry[order], found.low[order], found.high[order]
        self._give_up(row[1:][(row[1:] == row[:-1]) & (low[1:] <= high[:-1])])
        return signs, (row, entry, low, high)

    def _give_up(self, rows: Integers) -> None:
        self.undecided.update(self.rows.sample[rows].tolist())

    def _cut(self, signs: Array, crossings: tuple[Integers, Integers, Array, Array]) -> tuple[Array, Integers]:
        """The signs on the new rows, and the old row of each; rows of undecided samples go."""
        row, entry, low, high = crossings
        n = len(signs)
        offsets = np.concatenate([[0], np.cumsum(1 + np.bincount(row, minlength=n))]).astype(np.int64)
        parents = np.repeat(np.arange(n), np.diff(offsets))
        after = row + 1 + np.arange(len(row))  # the row that begins at each crossing
        flips = np.zeros((offsets[-1], signs.shape[1]), np.int32)
        flips[after, entry] = 1
        flips = np.cumsum(flips, axis=0, dtype=np.int32)
        flips -= flips[offsets[parents]]
        rows = self.rows.taken(parents)
        for column, values in ((rows.a_low, low), (rows.a_high, high)):
            column[after] = values
        for column, values in ((rows.b_low, low), (rows.b_high, high)):
            column[after - 1] = values
        signs = signs[parents] * (1 - 2 * (flips & 1))
        kept = np.flatnonzero(~np.isin(rows.sample, list(self.undecided)))
        self.rows = rows.taken(kept)
        self.parents.append(parents[kept])
        if not len(kept):
            raise NothingDecidedError
        return signs[kept], parents[kept]


def gains_of(start: Network, end: Network) -> Gains:
    """For long dense products, a bound of the norms of the two matrices; None for other nodes."""
    found: list[float | None] = []
    for p, q in zip(start.nodes, end.nodes, strict=True):
        if isinstance(p.op, Linear) and isinstance(q.op, Linear) and p.op.n_terms() >= NORMS_FROM and len(p.shape) == 1:
            found.append(max(p.op.gain(), q.op.gain()))
        else:
            found.append(None)
    return tuple(found)


def carry(start: Network, end: Network, x: Array, cell: Cell, gains: Gains) -> tuple[Carrier, Carried]:
    """All samples through the network on one cell of the line from ``start`` to ``end``."""
    n = len(x)
    zero, one = np.zeros(n), np.ones(n)
    carrier = Carrier(end, cell, Rows(np.arange(n), zero, zero.copy(), one, one.copy()), gains)
    inputs = Carried(x.reshape(1, n, *start.input_shape), np.zeros((n, *start.input_shape)), 0)
    (output,) = walk(start, carrier, {0: inputs}).values()
    return carrier, carrier.current(output)


def _same(a: Array | None, b: Array | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _product(op: Affine, numbers: Array | None, xs: list[Array]) -> Array:
    n, r = xs[0].shape[:2]
    flat = [x.reshape(n * r, *x.shape[2:]) for x in xs]
    y = op.linear(flat, numbers) if not _is_long(op) or numbers is None else _in_blocks(flat[0], numbers)
    return np.asarray(y.reshape(n, r, *y.shape[1:]))


def _is_long(op: Affine) -> bool:
    return op.dense is not None and op.n_terms() > 2 * BLOCK


def _in_blocks(x: Array, W: Array) -> Array:
    """x W^T as sums of blocks, added in pairs: no entry passes through more than BLOCK + log2(blocks) additions."""
    waiting: list[tuple[int, Array]] = []  # sums of 2^k blocks, k falling
    for first in range(0, W.shape[1], BLOCK):
        k, part = 0, x[..., first : first + BLOCK] @ W[:, first : first + BLOCK].T
        while waiting and waiting[-1][0] == k:
            part += waiting.pop()[1]
            k += 1
        waiting.append((k, part))
    while len(waiting) > 1:
        last = waiting.pop()[1]
        waiting[-1][1].__iadd__(last)
    return waiting[0][1]


def _n_roundings(op: Affine) -> int:
    """How many additions an entry of a product passes through."""
    n = op.n_terms()
    return n if not _is_long(op) else BLOCK + 2 * int(np.ceil(np.log2(n / BLOCK))) + 2


def _product_error(op: Affine, other: Affine, errors: list[Array], sizes: list[Array]) -> Array:
    """What the errors of the inputs become, and the rounding of the products."""
    if op.moves_entries:
        return op.linear(errors, None)
    gamma, floor = _gamma(op), _floor(op, other, sizes)
    tensors = [a for a in (op.coefficients, other.coefficients) if a is not None]
    inflow = [e + gamma * s for e, s in zip(errors, sizes, strict=True)]
    if op.n_terms() >= NORMS_FROM and len(errors) == 1:
        norm = _norms(inflow[0])
        shape = op.output_shape(errors[0].shape[1:])
        rows = [o.row_norms(shape) for o in (op, other)]
        if rows[0] is not None and rows[1] is not None:
            return np.asarray(np.multiply.outer(norm, np.maximum(rows[0], rows[1])).reshape(len(norm), *shape) + floor)
    largest = None if not tensors else np.abs(tensors[0]) if len(tensors) == 1 else np.maximum(*map(np.abs, tensors))
    return np.asarray(op.linear(inflow, largest) * (1 + 1e-6) + floor)


def _dense_error(op: Affine, other: Affine, norm: Array, size: Array, gain: float) -> tuple[Array, Array]:
    """Bounds of the errors of a dense product, entry by entry and of their norm: from norms of the inputs and their errors."""
    rows = np.maximum(*(np.asarray(o.row_norms(o.output_shape((o.n_terms(),)))) for o in (op, other)))
    rounding = _gamma(op) * size * (1 + 1e-6)
    return np.multiply.outer(norm + rounding, rows), (gain * norm + float(np.linalg.norm(rows)) * rounding) * (1 + 1e-6)


def _gamma(op: Affine) -> float:
    return (_n_roundings(op) + 4) * EPS * (1 + 1e-6)


def _floor(op: Affine, other: Affine, sizes: list[Array]) -> float:
    """What underflow may take from an entry."""
    tensors = [a for a in (op.coefficients, other.coefficients) if a is not None]
    return (op.n_terms() + 1) * 1e-300 if _smallest(tensors) * _smallest(sizes) < UNDERFLOW else 0.0


def _norms(a: Array) -> Array:
    """2-norms of rows, rounded up."""
    return np.asarray(np.sqrt(np.square(a.reshape(len(a), -1)).sum(axis=1)) * (1 + 1e-6))


def _smallest(arrays: list[Array]) -> float:
    """The smallest magnitude other than zero."""
    return min((float(np.abs(a[a != 0]).min()) for a in arrays if a.any()), default=1.0)
