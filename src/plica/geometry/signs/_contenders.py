"""Which members of large maxima may win somewhere, before their rounds are played.

On a cell all members are affine. One that is below another at all vertices of the cell, by more than rounding, wins nowhere
there: so among a thousand classes only the few have a round of their own that are close to the largest somewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.values._tensors import EPS, UNDERFLOW, Tensor
from plica.network import Fold

MANY = 16  # members; a few are compared faster than they are chosen
_ENTRIES = 1 << 20  # looked at together


def contested(op: Fold, x: Tensor, cells: Callable[[], tuple[Array, Array]]) -> Fold:
    """The contest without the rounds of members that win on no cell; ``cells`` gives offsets and vertices of all cells."""
    if len(op.rounds) < MANY:
        return op
    offsets, vertices = cells()
    entries = np.asarray(op.entries)  # type: ignore[attr-defined]
    n_members = entries.shape[1]
    loses = np.ones(entries.shape, np.bool_)
    bound = 2 * x.error + 2 * EPS * x.norm() + UNDERFLOW
    step = max(1, _ENTRIES // n_members)
    cuts = np.unique(np.append(np.searchsorted(offsets, np.arange(0, offsets[-1], step)), len(offsets) - 1))  # whole cells
    for a, b in pairwise(cuts):
        rows, starts = vertices[offsets[a] : offsets[b]], offsets[a:b] - offsets[a]
        owner = np.repeat(np.arange(b - a), np.diff(offsets[a : b + 1]))
        for members, loser in zip(entries, loses, strict=True):
            tick(3 * 8 * len(rows) * n_members)
            values = x.values[np.ix_(rows, members)]
            likely = np.add.reduceat(values, starts, axis=0).argmax(axis=1)
            ahead = values - values[np.arange(len(rows)), likely[owner]][:, None]
            loser &= (ahead < -bound[rows, None]).all(axis=0)
    return op.without_members(loses)
