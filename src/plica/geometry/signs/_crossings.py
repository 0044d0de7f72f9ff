"""Signs of forms at vertices and their crossings on edges, every one decided.

Floating point decides what its error bounds allow, extended precision most of the rest, and integers what is left: true zeros
and true coincidences among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.exact import Vector
from plica.geometry._bits import n_words, unpack
from plica.geometry.signs import _kernels
from plica.geometry.values._dyadic_rows import DyadicRows

_FEW = 4  # so few undecided vertices are looked at one by one


@dataclass(eq=False)
class SignForms:
    """Values of the cutting forms at the vertices, each within ``scale[k] * error[v] + floor[k]`` of the truth.

    ``tensor_error`` is the error of the tensor that holds the forms, if they are a tensor: exact values repair it too. With
    ``trust_zero`` a computed zero is a true zero. The rows of the ``dyadic`` have no error at all.
    """

    z: Array
    scale: Array
    error: Array
    floor: Array
    tensor_error: Array | None = None
    trust_zero: bool = False
    dyadic: DyadicRows | None = None


class Oracle(Protocol):
    """Exact answers about the forms of the layer that is being cut."""

    def values(self, vertex: int) -> tuple[list[int], int]:
        """All forms at a vertex: numerators and one positive denominator (up to a positive factor common to the layer)."""

    def refresh(self, forms: SignForms, rows: Array, *, sharp: bool = False) -> Array:
        """Compute the forms at some vertices anew, without what they inherited; returns the rows that are better now."""

    def sharp(self, vertex: int) -> tuple[Array, Array] | None:
        """All forms at a vertex in extended precision and bounds of their errors, if available."""

    def sharp_at(self, line: Array, cell: int) -> tuple[Array, Array] | None:
        """The same at a vertex given by its lines and a cell that it belongs to."""

    def floats(self, vertex: int) -> Array:
        """All forms at a vertex, each rounded once."""

    def form(self, cell: int, k: int) -> Vector:
        """Form k on a cell, up to a positive factor."""

    def position(self, line: Array) -> Vector:
        """The homogeneous position of a vertex given by its two lines."""


@dataclass(eq=False)
class Signs:
    pos: Array
    neg: Array
    n_exact: int


def vertex_signs(forms: SignForms, oracle: Oracle) -> Signs:
    """The sign of every form at every vertex, decided."""
    n, m = forms.z.shape
    words = n_words(m)
    pos, neg, undecided = (np.empty((n, words), np.uint64) for _ in range(3))

    def work(start: int, stop: int) -> int:
        return int(
            _kernels.decide_signs(
                forms.z, forms.scale, forms.error, forms.floor, forms.trust_zero, start, stop, pos, neg, undecided
            )
        )

    n_exact = sum(parallel_ranges(work, n))
    if n_exact and forms.dyadic is not None:
        known = np.flatnonzero(forms.dyadic.rows & undecided.any(axis=1))
        some = [np.empty((len(known), words), np.uint64) for _ in range(3)]
        nothing = np.zeros(m)
        _kernels.decide_signs(forms.z[known], nothing, np.zeros(len(known)), nothing, True, 0, len(known), *some)
        pos[known], neg[known], undecided[known] = some
    for sharp in (False, True) if n_exact else ():
        rows = np.flatnonzero(undecided.any(axis=1))
        if len(rows) < _FEW:
            break
        if len(rows) > n // 20:  # then most others will soon be in doubt
            rows = np.flatnonzero(forms.error > 0.01 * np.median(forms.error[rows]))
        better = oracle.refresh(forms, rows, sharp=sharp)
        some = [np.empty((len(better), words), np.uint64) for _ in range(3)]
        _kernels.decide_signs(
            forms.z[better], forms.scale, forms.error[better], forms.floor, forms.trust_zero, 0, len(better), *some
        )
        pos[better], neg[better], undecided[better] = some
    if n_exact:
        n_exact = 0
        for v in np.flatnonzero(undecided.any(axis=1)):
            if look_again(int(v), forms, oracle, pos, neg, undecided):
                continue
            numbers, _ = oracle.values(int(v))
            for k in np.flatnonzero(unpack(undecided[v], m)):
                n_exact += 1
                flag = np.uint64(1) << np.uint64(k & 63)
                if numbers[k] > 0:
                    pos[v, k >> 6] |= flag
                elif numbers[k] < 0:
                    neg[v, k >> 6] |= flag
            forms.z[v] = oracle.floats(int(v))
            forms.error[v] = 0.0
            if forms.tensor_error is not None:
                forms.tensor_error[v] = 2.0**-52 * np.linalg.norm(forms.z[v]) + 1e-300
    return Signs(pos, neg, n_exact)


def look_again(v: int, forms: SignForms, oracle: Oracle, pos: Array, neg: Array, undecided: Array) -> bool:
    """Decide the open signs at a vertex in extended precision; returns whether that settled all."""
    found = oracle.sharp(v)
    if found is None:
        return False
    value, bound = found
    settled = True
    for k in np.flatnonzero(unpack(undecided[v], forms.z.shape[1])):
        flag = np.uint64(1) << np.uint64(k & 63)
        if abs(value[k]) > bound[k]:
            (pos if value[k] > 0 else neg)[v, k >> 6] |= flag
            undecided[v, k >> 6] &= ~flag
        else:
            settled = False
    if (2 * bound <= forms.floor).all():  # the row, rounded to doubles, is now better than the bounds of ordinary rows ask for
        forms.z[v], forms.error[v] = value, 0.0
        if forms.tensor_error is not None:
            forms.tensor_error[v] = 2.0**-52 * np.linalg.norm(forms.z[v]) + np.linalg.norm(bound) + 1e-300
    return settled


@dataclass(eq=False)
class Crossings:
    """Crossings of forms with edges: those of edge e are offsets[e]:offsets[e+1], equal ranks share one new vertex."""

    offsets: Array
    form: Array
    t: Array
    t_error: Array
    rank: Array
    n_groups: Array
    n_exact: int
    most: int  # on one edge

    @cached_property
    def leads(self) -> tuple[Array, Array]:
        """For each new vertex the first crossing that makes it, and its edge."""
        n = int(self.n_groups.sum())
        lead, edge = np.empty(n, np.int64), np.empty(n, np.int64)
        _kernels.lead_crossings(self.offsets, self.rank, lead, edge)
        return lead, edge


def offsets_from_counts(counts: Array) -> Array:
    """Where each of so many things begins, and the end of all."""
    out = np.empty(len(counts) + 1, np.int64)
    out[0] = 0
    np.cumsum(counts, out=out[1:])
    return out


def edge_crossings(edges: Array, forms: SignForms, signs: Signs, oracle: Oracle) -> Crossings:
    """Where forms cross edges, in order along each edge."""
    n = len(edges)
    counts = np.empty(n, np.int64)
    parallel_ranges(lambda a, b: _kernels.count_crossings(edges, signs.pos, signs.neg, a, b, counts), n, least=8192)
    offsets, most = offsets_from_counts(counts), int(counts.max(initial=0))
    total = int(offsets[-1])
    form, rank = np.empty(total, np.int32), np.empty(total, np.int32)
    t, t_error = np.empty(total), np.empty(total)
    undecided = np.zeros(n, np.bool_)

    def work(start: int, stop: int) -> int:
        return int(
            _kernels.fill_crossings(
                edges, signs.pos, signs.neg, forms.z, forms.scale, forms.error, forms.floor,
                start, stop, offsets, form, t, t_error, rank, undecided,
            )
        )  # fmt: skip

    n_exact = 0
    if sum(parallel_ranges(work, n)):
        for e in np.flatnonzero(undecided):
            part = slice(int(offsets[e]), int(offsets[e + 1]))
            if sort_sharply(oracle.sharp(int(edges[e, 0])), oracle.sharp(int(edges[e, 1])), part, form, t, t_error):
                continue
            n_exact += part.stop - part.start
            (zp, wp), (zq, wq) = (oracle.values(int(v)) for v in edges[e])
            exact = sorted((Fraction(zp[k] * wq, zp[k] * wq - zq[k] * wp), int(k)) for k in form[part])
            ranks: list[int] = []
            for i, (x, _) in enumerate(exact):
                ranks.append(ranks[-1] + (x != exact[i - 1][0]) if i else 0)
            form[part] = [k for _, k in exact]
            t[part] = [float(x) for x, _ in exact]
            rank[part] = ranks
            t_error[part] = 1e-15
            counts[e] = ranks[-1] + 1
    return Crossings(offsets, form, t, t_error, rank, counts, n_exact, most)


def sort_sharply(p: Any, q: Any, part: slice, form: Array, t: Array, t_error: Array) -> bool:
    """Order the crossings of one edge in extended precision, if that is enough; ranks stay 0, 1, 2, ..."""
    if p is None or q is None:
        return False
    ks = form[part]
    gap = p[0][ks] - q[0][ks]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = p[0][ks] / gap
        error = np.maximum(p[1][ks], q[1][ks]) / np.abs(gap) + 1e-18
    order = np.argsort(found, kind="stable")
    found, error = found[order], error[order]
    apart = np.isfinite(found).all() and (np.diff(found) > error[1:] + error[:-1]).all()
    if not (apart and (found > 0).all() and (found < 1).all()):
        return False
    form[part], t[part], t_error[part] = ks[order], found, error.astype(np.float64) + 2e-16
    return True
