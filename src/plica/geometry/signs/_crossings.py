"""Crossings of forms with edges, in order along each edge."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Protocol

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry.signs import _kernels
from plica.geometry.signs._arrays import Crossings, Signs
from plica.geometry.signs._ladder import Question, climb
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import Oracle, SignForms


class EdgeOracle(Oracle, Protocol):
    """What may know more about the lines that cross an edge."""

    def order_by_lines(self, edges: Array, crossings: Crossings, items: Array) -> Array:
        """Order the crossings on some edges, where lines that are known to be one explain all that is open; returns where."""

    def order_by_meetings(self, crossings: Crossings, items: Array) -> Array:
        """The same, after that, where lines that are proved to meet in one point explain what is left open; returns where."""


def lead_crossings(crossings: Crossings) -> tuple[Array, Array]:
    """For each new vertex the first crossing that makes it, and its edge."""
    n = int(crossings.n_groups.sum())
    lead, edge = np.empty(n, np.int64), np.empty(n, np.int64)
    _kernels.lead_crossings(crossings.offsets, crossings.rank, lead, edge)
    return lead, edge


def offsets_from_counts(counts: Array) -> Array:
    """Where each of so many things begins, and the end of all."""
    out = np.empty(len(counts) + 1, np.int64)
    out[0] = 0
    np.cumsum(counts, out=out[1:])
    return out


def edge_crossings(edges: Array, forms: SignForms, signs: Signs, oracle: EdgeOracle) -> Crossings:
    """Where forms cross edges, in order along each edge."""
    n = len(edges)
    counts = np.empty(n, np.int64)
    parallel_ranges(lambda a, b: _kernels.count_crossings(edges, signs, a, b, counts), n, least=8192)
    offsets = offsets_from_counts(counts)
    total = int(offsets[-1])
    form, rank = np.empty(total, np.int32), np.empty(total, np.int32)
    crossings = Crossings(offsets, form, np.empty(total), np.empty(total), rank, counts)
    undecided, arrays = np.zeros(n, np.bool_), forms.arrays

    def work(start: int, stop: int) -> int:
        return int(_kernels.fill_crossings(edges, signs, arrays, start, stop, crossings, undecided))

    n_open = 0
    if sum(parallel_ranges(work, n)):
        edge_numbers = np.flatnonzero(undecided)
        n_open = int(counts[edge_numbers].sum())
    oracle.tally.add(total - n_open, Precision.DOUBLE)
    if n_open:
        climb(EdgeOrder(edges, crossings, oracle), edge_numbers, oracle.tally)
    return crossings


class EdgeOrder(Question):
    """In which order do forms cross an edge, and which of them at one point? Items are edges."""

    def __init__(self, edges: Array, crossings: Crossings, oracle: EdgeOracle) -> None:
        self.edges, self.crossings, self.oracle = edges, crossings, oracle

    def _part(self, edge: int) -> slice:
        offsets = self.crossings.offsets
        return slice(int(offsets[edge]), int(offsets[edge + 1]))

    def n_open(self, items: Array) -> int:
        offsets = self.crossings.offsets
        return int((offsets[items + 1] - offsets[items]).sum())

    def decide(self, precision: Precision, items: Array) -> Array:
        if precision is Precision.DOUBLE and not self.oracle.has_own_doubles:  # that is what left the edges undecided
            return self.oracle.order_by_lines(self.edges, self.crossings, items)
        is_decided = [np.zeros(0, np.bool_)]
        for some in self.oracle.parts(items):
            ends, place = np.unique(self.edges[some], return_inverse=True)
            found = self.oracle.values(precision, ends)
            if found is None:
                return np.zeros(len(items), np.bool_)
            rows = zip(some.tolist(), place.reshape(-1, 2), strict=True)
            is_decided.append(np.array([self._order(e, found[0][pq], found[1][pq]) for e, pq in rows], np.bool_))
        return np.concatenate(is_decided)

    def _order(self, edge: int, values: Array, errors: Array) -> bool:
        """Order the crossings of one edge, from the forms at its ends, if that is enough; ranks stay 0, 1, 2, ..."""
        x, part = self.crossings, self._part(edge)
        forms = x.form[part]
        ordered = ordered_crossings(values[:, forms], errors[:, forms])
        if ordered is not None:
            order, x.t[part], x.t_error[part] = ordered
            x.form[part] = forms[order]
        return ordered is not None

    def decide_exactly(self, items: Array) -> None:
        x = self.crossings
        for e in items[~self.oracle.order_by_meetings(x, items)].tolist():
            part = self._part(e)
            place = self._places(e, x.form[part].tolist())
            order, x.rank[part], x.t[part], x.t_error[part] = settled_order(x.t[part], x.t_error[part], place)
            x.form[part], x.n_groups[e] = x.form[part][order], x.rank[part][-1] + 1

    def _places(self, edge: int, forms: list[int]) -> Callable[[int], Fraction]:
        """Where forms cross an edge, exactly."""
        (zp, wp), (zq, wq) = (self.oracle.integers(int(v)) for v in self.edges[edge])
        return lambda i: Fraction(zp[forms[i]] * wq, zp[forms[i]] * wq - zq[forms[i]] * wp)


def settled_order(t: Array, t_error: Array, place: Callable[[int], Fraction]) -> tuple[Array, Array, Array, Array]:
    """The order of points along a line, where bounds decide some of it; the exact places of the others are asked for.

    Returns the order, the ranks, the parameters and the bounds of their errors in that order.

    Examples
    --------
    >>> places = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 2)]
    >>> order, rank, t, t_error = settled_order(np.array([0.5, 0.25, 0.5]), np.full(3, 1e-9), places.__getitem__)
    >>> order, rank, t
    (array([1, 0, 2]), array([0, 1, 1]), array([0.25, 0.5 , 0.5 ]))
    """
    order = np.argsort(t, kind="stable")
    t, t_error, rank = t[order], t_error[order], np.zeros(len(t), np.int64)
    # a point is after all those before it if no later one may reach them
    is_new = np.minimum.accumulate((t - t_error)[::-1])[::-1][1:] > np.maximum.accumulate(t + t_error)[:-1]
    bounds = [0, *(np.flatnonzero(is_new) + 1).tolist(), len(t)]
    n = 0
    for a, b in pairwise(bounds):
        rank[a] = n
        if b - a > 1:
            places = [place(int(i)) for i in order[a:b]]
            inner, ranks = integer_order(places)
            order[a:b], rank[a:b] = order[a:b][inner], n + np.array(ranks)
            t[a:b], t_error[a:b] = [float(places[i]) for i in inner], 1e-15
        n = int(rank[b - 1]) + 1
    return order, rank, t, t_error


def integer_order(places: list[Fraction]) -> tuple[list[int], list[int]]:
    """The order of points along a line, and the rank of each in that order: equal points have equal ranks.

    Examples
    --------
    >>> integer_order([Fraction(1, 2), Fraction(1, 3), Fraction(2, 4)])
    ([1, 0, 2], [0, 1, 1])
    """
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    rank = [0]
    for a, b in pairwise(order):
        rank.append(rank[-1] + (places[a] != places[b]))
    return order, rank


def ordered_crossings(values: Array, errors: Array) -> tuple[Array, Array, Array] | None:
    """The order of the zeros of affine functions between two ends where they have opposite signs, if it is proved.

    ``values`` has a row for each of the two ends and a column for each function, ``errors`` bounds their errors. Returns the
    order, the parameters in that order and bounds of their errors.

    Examples
    --------
    >>> order, t, t_error = ordered_crossings(np.array([[1.0, -1.0], [-1.0, 3.0]]), np.full((2, 2), 1e-9))
    >>> order, t, bool((t_error < 1e-8).all())
    (array([1, 0]), array([0.25, 0.5 ]), True)
    >>> ordered_crossings(np.array([[1.0, -1.0], [-1.0, 3.0]]), np.full((2, 2), 0.5)) is None
    True
    """
    gap = values[0] - values[1]
    t = values[0] / gap
    # at the true zero the computed function is within the bound of zero
    t_error = errors.max(axis=0) / np.abs(gap) + 8 * np.finfo(values.dtype).eps
    order = np.argsort(t, kind="stable")
    t, t_error = t[order], t_error[order]
    if not (np.isfinite(t).all() and (np.diff(t) > t_error[1:] + t_error[:-1]).all() and (t > 0).all() and (t < 1).all()):
        return None
    return order, t.astype(np.float64), t_error.astype(np.float64) + 2e-16
