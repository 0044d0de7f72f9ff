"""Ranks modulo primes: rows are reduced in blocks by exact products in doubles.

A product of two numbers below 2^25 has 50 bits, so few of them can be added in doubles. One factor is divided into two parts of
at most 13 bits, and 2^15 products of each can: multiplication runs at the speed of floating point, without rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled
from plica._types import Array

PRIMES = (33554393, 33554383, 33554371)  # below 2^25
MOST_TERMS = 8192  # of a sum of products that fits into 64 bits
_LOW = 13  # bits of the lower part of a factor


def multiplied(a: Array, b: Array, p: int) -> Array:
    """The product of two integer matrices with entries from 0 to p - 1, modulo a prime below 2^25, of at most 2^15 terms each.

    Examples
    --------
    >>> multiplied(np.array([[33554392, 5]]), np.array([[33554392], [7]]), 33554393).tolist()
    [[36]]
    """
    right = b.astype(np.float64)
    high = ((a >> _LOW).astype(np.float64) @ right).astype(np.int64) % p
    low = ((a & (2**_LOW - 1)).astype(np.float64) @ right).astype(np.int64)
    return ((high << _LOW) + low) % p


@compiled
def inverse_modulo(a: Any, p: Any) -> Any:
    """The inverse of a modulo a prime, by Fermat's theorem."""
    result, base, e = 1, a % p, p - 2
    while e:
        if e & 1:
            result = result * base % p
        base = base * base % p
        e >>= 1
    return result


@compiled
def reduce_rows(rows: Any, pivots: Any, p: Any) -> Any:
    """Bring rows into reduced echelon form in place; returns the rank. Row r has its leading 1 at ``pivots[r]``."""
    n, width = rows.shape
    rank = 0
    for i in range(n):
        lead = -1
        for j in range(width):
            if rows[i, j]:
                lead = j
                break
        if lead < 0:
            continue
        f = inverse_modulo(rows[i, lead], p)
        for j in range(lead, width):
            rows[i, j] = rows[i, j] * f % p
        for k in range(n):
            f = rows[k, lead]
            if k != i and f:
                for j in range(lead, width):
                    rows[k, j] = (rows[k, j] + (p - f) * rows[i, j]) % p
        if rank != i:
            for j in range(width):
                rows[rank, j], rows[i, j] = rows[i, j], rows[rank, j]
        pivots[rank] = lead
        rank += 1
    return rank


class Span:
    """The span of rows modulo a prime, kept in reduced echelon form.

    Examples
    --------
    >>> span = Span(3, 33554393)
    >>> span.add(np.array([[1, 2, 3], [2, 4, 6]])), span.add(np.array([[0, 1, 1]])), span.rank
    (1, 1, 2)
    """

    def __init__(self, width: int, p: int) -> None:
        self.p = p
        self.rows = np.zeros((0, width), np.int64)
        self.pivots = np.zeros(0, np.int64)

    @property
    def rank(self) -> int:
        return len(self.pivots)

    def rest(self, rows: Array) -> Array:
        """What is left of rows once they are reduced by the span: zero for those that lie in it."""
        if not self.rank:
            return rows % self.p
        return (rows - multiplied(rows[:, self.pivots] % self.p, self.rows, self.p)) % self.p

    def add(self, rows: Array) -> int:
        """Add rows; returns by how much the rank grew."""
        new = self.rest(rows)
        pivots = np.empty(len(new), np.int64)
        rank = int(reduce_rows(new, pivots, self.p))
        if rank:
            new, pivots = new[:rank], pivots[:rank]
            old = self.rows
            if len(old):
                old = (old - multiplied(old[:, pivots], new, self.p)) % self.p
            self.rows, self.pivots = np.concatenate([old, new]), np.concatenate([self.pivots, pivots])
        return rank
