r"""Multipliers of a few affine rows on the unit box, by the simplex method: estimates, which rounded arithmetic then proves.

On :math:`\varepsilon\in[-1,1]^d` rows :math:`m_k+s_k\cdot\varepsilon\le 0` imply for all :math:`\lambda\ge 0` that
:math:`c\cdot\varepsilon\ge\sum_k\lambda_k m_k-\|c+\sum_k\lambda_k s_k\|_1`. The best :math:`\lambda` is a linear program with d
equations whose first basis is known; where it is unbounded, the rows exclude each other on the box.
"""

from __future__ import annotations

import numpy as np

from plica._compiled import compiled
from plica._types import Array

MOST_PIVOTS = 200
TOLERANCE = 1e-11


@compiled
def _best(c: Array, m: Array, s: Array, table: Array, cost: Array, right: Array, basis: Array, weights: Array) -> bool:
    """Weights for one box; true where they are those of a contradiction. The arrays after ``s`` are room to work in."""
    d, n_rows = len(c), len(m)
    n = n_rows + 2 * d
    for k in range(n_rows):
        cost[k] = m[k]
    for j in range(2 * d):
        cost[n_rows + j] = 0.0
    for j in range(d):
        sign = 1.0 if c[j] >= 0 else -1.0
        right[j] = sign * c[j]
        for k in range(n_rows):
            table[j, k] = -sign * s[k, j]
            cost[k] -= sign * s[k, j]
        for i in range(2 * d):
            table[j, n_rows + i] = 0.0
        table[j, n_rows + j], table[j, n_rows + d + j] = sign, -sign
        basis[j] = n_rows + j if sign > 0 else n_rows + d + j
        cost[n_rows + d + j if sign > 0 else n_rows + j] = -2.0
    excluded = False
    for _ in range(MOST_PIVOTS):
        enter, best = -1, TOLERANCE
        for k in range(n):
            if cost[k] > best:
                enter, best = k, cost[k]
        if enter < 0:
            break
        leave, least = -1, np.inf
        for j in range(d):
            if table[j, enter] > TOLERANCE:
                ratio = right[j] / table[j, enter]
                if ratio < least:
                    leave, least = j, ratio
        if leave < 0:
            excluded = True
            for k in range(n_rows):
                weights[k] = 0.0
            if enter < n_rows:
                weights[enter] = 1.0
            for j in range(d):
                if basis[j] < n_rows:
                    weights[basis[j]] = max(0.0, -table[j, enter])
            return excluded
        pivot = table[leave, enter]
        for k in range(n):
            table[leave, k] /= pivot
        right[leave] /= pivot
        for j in range(d):
            factor = table[j, enter]
            if j != leave and factor != 0.0:
                for k in range(n):
                    table[j, k] -= factor * table[leave, k]
                right[j] = max(0.0, right[j] - factor * right[leave])
        factor = cost[enter]
        for k in range(n):
            cost[k] -= factor * table[leave, k]
        basis[leave] = enter
    for k in range(n_rows):
        weights[k] = 0.0
    for j in range(d):
        if basis[j] < n_rows:
            weights[basis[j]] = right[j]
    return excluded


@compiled
def limiting_weights(middle: Array, slope: Array, sign: float, axis: int) -> Array:
    """Weights (boxes, rows) with which the rows bound ``sign`` times a coordinate best from below; zeros if they exclude all."""
    n_boxes, n_rows, d = slope.shape
    out = np.zeros((n_boxes, n_rows))
    table, cost = np.empty((d, n_rows + 2 * d)), np.empty(n_rows + 2 * d)
    right, basis, c = np.empty(d), np.empty(d, np.int64), np.zeros(d)
    c[axis] = sign
    for b in range(n_boxes):
        if _best(c, middle[b], slope[b], table, cost, right, basis, out[b]):
            for k in range(n_rows):
                out[b, k] = 0.0
    return out


@compiled
def excluding_weights(middle: Array, slope: Array) -> Array:
    """Weights (boxes, rows) with which the rows exclude each other, as far as they do; else zeros."""
    n_boxes, n_rows, d = slope.shape
    out = np.zeros((n_boxes, n_rows))
    table, cost = np.empty((d, n_rows + 2 * d)), np.empty(n_rows + 2 * d)
    right, basis, c = np.empty(d), np.empty(d, np.int64), np.empty(d)
    for j in range(d):
        c[j] = 1e-3 * (1.0 + 0.1 * j)  # no two ratios are equal
    for b in range(n_boxes):
        if not _best(c, middle[b], slope[b], table, cost, right, basis, out[b]):
            for k in range(n_rows):
                out[b, k] = 0.0
    return out
