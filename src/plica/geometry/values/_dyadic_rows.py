"""Rows that floating point has without error: networks that proofs build have few bits, and their vertices too.

Numbers that are multiples of one power of two, the *scale*, and below 2^52 times it are added, and multiplied by numbers of few
bits, without rounding. A tensor remembers which of its rows are known to be such numbers and exactly true; a zero among them is a
zero. A crossing of two such rows whose parameter is a fraction with a power of two below leaves such a row again. Weights with
full mantissas end this in the first operation, at no cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, frexp, log2
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._kernel import allocating_kernel
from plica.network import Affine
from plica.network.operations import largest_magnitude

MOST = 2.0**52  # times the scale: sums and differences of two such numbers are still exact
ANY = 2.0**900  # the scale of zeros
_LEAST = frexp(5e-324)[1]  # the exponent of the smallest power of two
_SAMPLE = 256
_AT_ONCE = 2**18
_GLIMPSE = 8


@dataclass(frozen=True, eq=False)
class DyadicRows:
    """``rows`` of a tensor are exact multiples of ``scale``, at most ``MOST`` times it."""

    scale: float
    rows: Array

    def taken(self, rows: Array) -> DyadicRows:
        return DyadicRows(self.scale, self.rows[rows])


def scale_of(array: Array) -> float:
    """The largest power of two that all entries are multiples of."""
    entries = array[array != 0.0]
    if not len(entries):
        return ANY
    mantissa, exponent = np.frexp(entries)
    bits = (mantissa * 2.0**53).astype(np.int64)
    return float(np.ldexp((bits & -bits).astype(float), exponent - 53).min())


def coarse_scale(array: Array | None) -> tuple[float, float]:
    """The scale and the largest magnitude of weights; the scale is 0 if they have too many bits to be of use."""
    if array is None or not array.size:
        return ANY, 0.0
    flat, largest, scale, start, n = array.reshape(-1), largest_magnitude(array), ANY, 0, _SAMPLE
    while start < len(flat):  # most weights have all bits, which a few show; few of them are looked at together
        scale = min(scale, scale_of(flat[start : start + n]))
        if largest > MOST * scale:
            return 0.0, largest
        start, n = start + n, _AT_ONCE
    return scale, largest


def _is_coarse(x: float) -> bool:
    """Whether a number leaves the last bits of its mantissa free: most have all of them, which a few numbers show."""
    return int(frexp(x)[0] * 2.0**53) % 4 == 0


def start_dyadic_rows(values: Array, error: Array) -> DyadicRows | None:
    """The dyadic rows of points that are stored as they are."""
    rows = error == 0.0
    if not rows.any():
        return None
    if not all(_is_coarse(x) for x in values[rows.argmax(), :_GLIMPSE].tolist()):
        return None
    return fitting(scale_of(values[rows]), values, rows)


def fitting(scale: float, values: Array, rows: Array) -> DyadicRows | None:
    return DyadicRows(scale, rows) if scale > 0.0 and float(np.abs(values[rows]).max(initial=0.0)) <= MOST * scale else None


def after_affine(op: Affine, dyadics: list[DyadicRows | None], xs: list[Array], weights: Any, offsets: Any) -> DyadicRows | None:
    """The dyadic rows of the result; ``weights`` and ``offsets`` are the scales and magnitudes of what the operation stores."""
    known = [g for g in dyadics if g is not None]
    if len(known) < len(dyadics) or not op.is_plain:
        return None
    rows = np.logical_and.reduce([g.rows for g in known])
    if not rows.any():
        return None
    scale_w, top_w = weights if op.coefficients is not None else (1.0, 1.0)
    scale = min(min(g.scale for g in known) * scale_w, offsets[0])
    terms = max(1, op.n_terms(), len(xs) if op.n_terms() else 1)
    largest = max(float(np.abs(x[rows]).max(initial=0.0)) for x in xs) * top_w * terms + offsets[1]
    return DyadicRows(scale, rows) if scale > 0.0 and largest <= MOST * scale else None


@allocating_kernel
def _dyadic_order(a: Any, b: Any) -> Any:
    """The s for which a / b is an odd multiple of 2^-s (or an integer, s = 0); -1 if there is none."""
    if b == 0 or a == 0:
        return -1
    if b < 0:
        a, b = -a, -b
    twos = 0
    while b & 1 == 0:
        b >>= 1
        twos += 1
    if a % b != 0:
        return -1
    a //= b
    while twos > 0 and a & 1 == 0:
        a >>= 1
        twos -= 1
    return twos


@allocating_kernel
def crossing_orders(z: Any, scale: Any, rows: Any, p: Any, q: Any, form: Any) -> Any:
    """For each crossing of form k between rows p and q: s if its parameter is exactly a multiple of 2^-s, otherwise -1."""
    out = np.full(len(p), -1, np.int16)
    for i in range(len(p)):
        if form[i] < 0:
            out[i] = 0
        elif rows[p[i]] and rows[q[i]]:
            x, y = z[p[i], form[i]], z[q[i], form[i]]
            out[i] = _dyadic_order(np.int64(x / scale), np.int64((x - y) / scale))
    return out


@allocating_kernel
def inner_orders(z: Any, scale: Any, known: Any, fine: Any, p: Any, q: Any, form: Any, p1: Any, q1: Any, at1: Any) -> Any:
    """The same between old vertices or vertices on old edges: those ``known`` are multiples of the scale times 2^-fine."""
    n_old = z.shape[0]
    out = np.full(len(p), -1, np.int16)
    for i in range(len(p)):
        a, b, k = p[i], q[i], form[i]
        if not (known[a] and known[b]):
            continue
        x = z[a, k] if a < n_old else z[p1[a - n_old], k] + at1[a - n_old] * (z[q1[a - n_old], k] - z[p1[a - n_old], k])
        y = z[b, k] if b < n_old else z[p1[b - n_old], k] + at1[b - n_old] * (z[q1[b - n_old], k] - z[p1[b - n_old], k])
        u = scale * 2.0 ** -max(fine[a], fine[b])
        out[i] = _dyadic_order(np.int64(x / u), np.int64((x - y) / u))
    return out


def _finest(dyadic: DyadicRows, values: Array) -> int:
    """By how many powers of two the scale may shrink: its multiples must have bits, and floating point must have the scale."""
    largest = float(np.abs(values[dyadic.rows]).max(initial=0.0))
    room = frexp(dyadic.scale)[1] - _LEAST
    return min(room, 900 if largest == 0.0 else floor(log2(MOST / 2 * dyadic.scale / largest)))


@dataclass(frozen=True, eq=False)
class DyadicOrders:
    """Of the vertices that a cut adds on edges and inside cells: s where the parameter is a multiple of 2^-s, or -1."""

    on_edges: Array
    inside: Array


def orders_of_cut(dyadic: DyadicRows, z: Array, on_edges: Any, edge_form: Array, inside: Any, inside_form: Array) -> DyadicOrders:
    """Which new vertices lie at parameters that floating point has without error."""
    outer = crossing_orders(z, dyadic.scale, dyadic.rows, on_edges.p, on_edges.q, edge_form)
    most = _finest(dyadic, z)
    known = np.concatenate([dyadic.rows, (outer >= 0) & (outer <= most)])
    fine = np.concatenate([np.zeros(len(z), np.int16), outer])
    edge = (on_edges.p, on_edges.q, on_edges.t)
    return DyadicOrders(outer, inner_orders(z, dyadic.scale, known, fine, inside.p, inside.q, inside_form, *edge))


def after_plane_cut(
    dyadic: DyadicRows | None, values: Array, on_edges: Any, inside: Any, orders: DyadicOrders | None
) -> DyadicRows | None:
    """The dyadic rows of a tensor carried to the vertices on edges and inside cells."""
    if dyadic is None or orders is None:
        return None
    most = _finest(dyadic, values)
    outer = dyadic.rows[on_edges.p] & dyadic.rows[on_edges.q] & (orders.on_edges >= 0) & (orders.on_edges <= most)
    known = np.concatenate([dyadic.rows, outer])
    fine = np.concatenate([np.zeros(len(values), np.int64), np.maximum(orders.on_edges, 0)])
    total = np.maximum(fine[inside.p], fine[inside.q]) + np.maximum(orders.inside, 0)
    inner = known[inside.p] & known[inside.q] & (orders.inside >= 0) & (total <= most)
    rows, fine = np.concatenate([known, inner]), np.concatenate([fine, total])
    return DyadicRows(dyadic.scale * 2.0 ** -int(fine[rows].max(initial=0)), rows) if rows.any() else None


def after_cut(dyadic: DyadicRows | None, values: Array, p: Array, q: Array, order: Array | None) -> DyadicRows | None:
    """The dyadic rows of a tensor carried to rows between its rows p and q, at multiples of 2^-order of the way."""
    if dyadic is None or order is None:
        return None
    rows = dyadic.rows[p] & dyadic.rows[q] & (order >= 0) & (order <= _finest(dyadic, values))
    if not rows.any():
        return None
    return DyadicRows(dyadic.scale * 2.0 ** -int(order[rows].max()), rows)
