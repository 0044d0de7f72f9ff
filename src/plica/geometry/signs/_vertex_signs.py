"""The signs of forms at vertices, every one decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.exact import Vector
from plica.geometry._bits import n_words, pack, unpack
from plica.geometry.signs import _kernels
from plica.geometry.signs._arrays import BoundedForms, Signs
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._ladder import Question, climb
from plica.geometry.signs._precision import DOUBLE_EPS, Precision
from plica.geometry.values._dyadic_rows import DyadicRows

_MANY = 32  # one vertex in so many undecided: then it is worth knowing all of them anew
_FAR_FROM_ZERO = 1 / 64  # of the bound
_FEW = 4  # for so few vertices it is not worth asking doubles again
NORM_UNDERFLOW = 1e-150  # covers what the squares inside a norm lose by underflow
NOT_ZERO = 1e-300  # stands for a number that rounded to zero but is not zero


@dataclass(eq=False)
class SignForms:
    """Values of the cutting forms at the vertices, each within ``scale[k] * error[v] + floor[k]`` of the truth.

    ``tensor_error`` is the error of the tensor that holds the forms, if they are a tensor: better values repair it too. With
    ``trust_zero`` a computed zero is a true zero. The rows of the ``dyadic`` have no error at all.
    """

    z: Array
    scale: Array
    error: Array
    floor: Array
    tensor_error: Array | None = None
    trust_zero: bool = False
    dyadic: DyadicRows | None = None

    @property
    def arrays(self) -> BoundedForms:
        return BoundedForms(self.z, self.scale, self.error, self.floor)

    def repair(self, rows: Array, value: Array, bound: Array) -> None:
        """Take over values with bounds of their errors, where they are better than what is known."""
        if self.trust_zero:
            return
        has_error = self.scale > 0.0  # what is never a member has none
        excess = np.maximum(bound - self.floor, 0.0)[:, has_error] / self.scale[has_error]
        error = excess.max(axis=1, initial=0.0)
        good = np.flatnonzero((error < self.error[rows]) & np.isfinite(bound).all(axis=1))
        rows, value, bound = rows[good], value[good], bound[good]
        self.z[rows], self.error[rows] = value, error[good]
        if self.tensor_error is not None:
            self.tensor_error[rows] = np.sqrt((bound * bound).sum(axis=1)) * (1 + 1e-12) + NORM_UNDERFLOW


class Oracle(Protocol):
    """Better answers about the forms of the layer that is being cut."""

    @property
    def tally(self) -> Tally:
        """Counts who decided what."""

    @property
    def has_own_doubles(self) -> bool:
        """Whether doubles that inherit nothing cost little: then they are asked before more digits, however few the questions."""

    def parts(self, rows: Array) -> list[Array]:
        """Rows in parts that fit in memory."""

    def renew(self) -> bool:
        """Forget what doubles have lost so far, so that they know all vertices well; whether that was done."""

    def values(self, precision: Precision, vertices: Array) -> tuple[Array, Array] | None:
        """All forms at vertices and bounds of their errors, inherited from no other vertex; None where that is not to be had."""

    def values_at(self, precision: Precision, hyperplanes: Array, cells: Array) -> tuple[Array, Array] | None:
        """The same at vertices given by their hyperplanes and a cell that each belongs to."""

    def integers(self, vertex: int) -> tuple[list[int], int]:
        """All forms at a vertex: numerators and one positive denominator (up to a positive factor common to the layer)."""

    def rounded(self, vertex: int) -> Array:
        """All forms at a vertex, each rounded once."""

    def form(self, cell: int, k: int) -> Vector:
        """Form k on a cell, up to a positive factor."""

    def position(self, hyperplanes: Array) -> Vector:
        """The homogeneous position of a vertex given by its hyperplanes."""


class VertexSigns(Question):
    """Which signs do the forms have at the vertices? Items are vertices; open are the bits of ``undecided``.

    With ``recompute_others`` vertices that are decided, but known badly, are computed anew where many are undecided.
    """

    def __init__(
        self, forms: SignForms, oracle: Oracle, pos: Array, neg: Array, undecided: Array, *, recompute_others: bool = False
    ) -> None:
        self.forms, self.oracle = forms, oracle
        self.pos, self.neg, self.undecided = pos, neg, undecided
        self.recompute_others = recompute_others

    def n_open(self, items: Array) -> int:
        return int(np.unpackbits(self.undecided[items].view(np.uint8)).sum())

    def decide(self, precision: Precision, items: Array) -> Array:
        if precision is Precision.EXTENDED or len(items) >= _FEW or self.oracle.has_own_doubles:
            for some in self.oracle.parts(self._worth_asking(items) if precision is Precision.DOUBLE else items):
                found = self.oracle.values(precision, some)
                if found is not None:
                    self._take(precision, some, *found)
        return np.asarray(~self.undecided[items].any(axis=1))

    def _worth_asking(self, items: Array) -> Array:
        """Where many vertices are undecided, most others will soon be: then all vertices, or all that are known as badly."""
        error = self.forms.error
        if not self.recompute_others or len(items) <= len(error) // _MANY:
            return items
        if self._n_by_bounds(items) > len(error) // _MANY and self.oracle.renew():
            return np.arange(len(error))
        if len(items) <= len(error) // 8:
            return items
        return np.union1d(items, np.flatnonzero(error > 0.01 * np.median(error[items])))

    def _n_by_bounds(self, items: Array) -> int:
        """How many of the vertices have forms that only a wide bound leaves undecided; a true zero is far below it."""
        forms = self.forms
        bound = np.outer(forms.error[items], forms.scale) + forms.floor
        is_open = unpack(self.undecided[items], forms.z.shape[1]) == 1
        return int((is_open & (np.abs(forms.z[items]) > _FAR_FROM_ZERO * bound)).any(axis=1).sum())

    def _take(self, precision: Precision, rows: Array, value: Array, bound: Array) -> None:
        undecided = self.undecided[rows]
        plus, minus = (pack(flags) & undecided for flags in (value > bound, value < -bound))
        self.pos[rows] |= plus
        self.neg[rows] |= minus
        self.undecided[rows] = undecided & ~(plus | minus)
        if precision is Precision.EXTENDED:  # they will be kept as doubles
            bound = bound + DOUBLE_EPS * np.abs(value)
        self.forms.repair(rows, value.astype(np.float64), bound.astype(np.float64) * (1 + 1e-12))

    def decide_exactly(self, items: Array) -> None:
        forms = self.forms
        for v in items.tolist():
            numbers, _ = self.oracle.integers(v)
            open_forms = np.flatnonzero(unpack(self.undecided[v], forms.z.shape[1]))
            for k, sign in zip(open_forms.tolist(), integer_signs(numbers, open_forms), strict=True):
                flag = np.uint64(1) << np.uint64(k & 63)
                if sign > 0:
                    self.pos[v, k >> 6] |= flag
                elif sign < 0:
                    self.neg[v, k >> 6] |= flag
            self.undecided[v] = 0
            z = self.oracle.rounded(v)
            z[(z == 0.0) & np.array([n != 0 for n in numbers])] = NOT_ZERO
            forms.z[v], forms.error[v] = z, 0.0
            if forms.tensor_error is not None:
                forms.tensor_error[v] = DOUBLE_EPS * np.linalg.norm(z) + NOT_ZERO


def integer_signs(numbers: list[int], chosen: Array) -> list[int]:
    """The signs of the chosen integers: the last rung, where zero is zero."""
    return [(numbers[k] > 0) - (numbers[k] < 0) for k in chosen.tolist()]


def vertex_signs(forms: SignForms, oracle: Oracle) -> Signs:
    """The sign of every form at every vertex, decided."""
    n, m = forms.z.shape
    pos, neg, undecided = (np.empty((n, n_words(m)), np.uint64) for _ in range(3))

    signs, arrays = Signs(pos, neg), forms.arrays

    def work(start: int, stop: int) -> int:
        return int(_kernels.decide_signs(arrays, forms.trust_zero, start, stop, signs, undecided))

    n_open = sum(parallel_ranges(work, n))
    question = VertexSigns(forms, oracle, pos, neg, undecided, recompute_others=True)
    if n_open and forms.dyadic is not None:
        known = np.flatnonzero(forms.dyadic.rows & undecided.any(axis=1))
        some = [np.empty((len(known), pos.shape[1]), np.uint64) for _ in range(3)]
        without_error = BoundedForms(forms.z[known], np.zeros(m), np.zeros(len(known)), np.zeros(m))
        _kernels.decide_signs(without_error, True, 0, len(known), Signs(*some[:2]), some[2])
        pos[known], neg[known], undecided[known] = some
        n_open = question.n_open(np.arange(n))
    oracle.tally.add(n * m - n_open, Precision.DOUBLE)
    if n_open:
        climb(question, np.flatnonzero(undecided.any(axis=1)), oracle.tally)
    return signs
