"""Where many polynomials change their sign, proved in floating point or left undecided.

Each polynomial has Bernstein coefficients that are known up to an error. Sequences of coefficients without a change of sign have
no root, those with one change have one; others are divided. What errors hide is undecided, and exact arithmetic is asked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plica._types import Array, Integers
from plica.landscape._bernstein import at, averages_rounding, restricted

ROUNDS = 60  # of halving; a double has 53 bits
CUT = 0.4873  # where intervals are divided: symmetric networks have roots at one half


class Isolated(NamedTuple):
    """Roots of polynomials.

    Attributes
    ----------
    signs
        The sign at the low end of each polynomial's interval.
    undecided
        Polynomials about which doubles cannot tell.
    which
        The polynomial of each root.
    low, high
        Between these it changes its sign, once and nowhere else nearby.
    """

    signs: Integers
    undecided: Array
    which: Integers
    low: Array
    high: Array


def isolate(c: Array, error: Array, low: Array, high: Array) -> Isolated:
    """The sign changes of polynomials (columns) on [low, high] within [0, 1].

    Examples
    --------
    >>> c = np.array([[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0]])  # 2 s - 1 and 1
    >>> found = isolate(c, np.full(2, 1e-15), np.zeros(2), np.ones(2))
    >>> found.signs.tolist(), found.which.tolist(), bool(found.low[0] <= 0.5 <= found.high[0])
    ([-1, 1], [0], True)
    """
    error = error + averages_rounding(c)
    start = at(c, low)
    signs = np.sign(start).astype(np.int8)
    undecided = np.abs(start) <= error
    which, found = np.flatnonzero(~undecided), []
    lo, hi = low[which], high[which]
    for _ in range(ROUNDS):
        if not len(which):
            break
        part, e = restricted(c[:, which], lo, hi), error[which]
        sign = (part > e).astype(np.int8) - (part < -e).astype(np.int8)
        n_unknown = (sign == 0).sum(axis=0)
        fewest, most = (_variations(np.where(sign == 0, fill, sign)) for fill in (1, -1))
        has_none = (n_unknown == 0) & (fewest == 0)
        is_lost = (sign[0] == 0) | (sign[-1] == 0)
        has_one = ~is_lost & (n_unknown <= 1) & (fewest == 1) & (most == 1)
        found.append((which[has_one], lo[has_one], hi[has_one]))
        undecided[which[is_lost]] = True
        rest = ~(has_none | is_lost | has_one)
        which, lo, hi = which[rest], lo[rest], hi[rest]
        middle = lo + CUT * (hi - lo)
        which, lo, hi = np.tile(which, 2), np.concatenate([lo, middle]), np.concatenate([middle, hi])
    undecided[which] = True
    owner, lo, hi = (np.concatenate([f[i] for f in found]) if found else np.empty(0) for i in range(3))
    owner = owner.astype(np.int64)
    kept = ~undecided[owner]
    owner, lo, hi = owner[kept], lo[kept], hi[kept]
    return Isolated(signs, undecided, owner, *_narrowed(c[:, owner], error[owner], lo, hi))


def _variations(signs: Array) -> Array:
    return np.asarray((signs[1:] != signs[:-1]).sum(axis=0))


def _narrowed(c: Array, error: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """The ends as near to the root as certain signs let them."""
    if not len(low):
        return low, high
    left = np.sign(at(c, low))
    a, b = low, high
    for _ in range(ROUNDS):
        m = a + (b - a) / 2
        certain = at(c, m) * left > error
        a, b = np.where(certain, m, a), np.where(certain, b, m)
    low, b = a, high
    for _ in range(ROUNDS):
        m = a + (b - a) / 2
        certain = at(c, m) * left < -error
        a, b = np.where(certain, a, m), np.where(certain, m, b)
    return low, b
