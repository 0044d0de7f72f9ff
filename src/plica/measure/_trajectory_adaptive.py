"""Lengths along a path through any function, by refining chords until the error is small enough.

The chords of a curve are never longer than the curve. An interval is cut in two, off its middle; where that adds more than the
interval's share of the tolerance, the two parts are intervals of their own. When nothing is left to refine, every interval is cut
once more: only if that adds no more than the tolerance is the length accepted, and what it added is the stated error. For a
smooth curve all further cuts together would add about a third of that, at a kink as much again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded, InvalidInput

Stages = Callable[[Array], list[Array]]  # parameters (k,) -> for each observed tensor its values (k, size)
BATCH = 2048  # parameters evaluated at once
CUT = 2**0.5 - 1  # irrational, so that no oscillation is in step with the points


@dataclass(frozen=True, eq=False)
class Refined:
    """Lengths of the observed tensors, what the last cuts added to each, and how many points were used."""

    lengths: Array
    errors: Array
    n_points: int


def refined_lengths(stages: Stages, knots: Array, *, tolerance: float, max_points: int) -> Refined:
    """Lengths along all intervals between consecutive knots, within a relative tolerance for each tensor."""
    per_knot = max(8, -(-64 // (len(knots) - 1)))
    starts = np.concatenate([np.linspace(a, b, per_knot + 1)[:-1] for a, b in pairwise(knots)])
    work = _measured(stages, starts, np.append(starts[1:], knots[-1]))
    before = None  # the lengths at the last time that nothing was left to refine
    while True:
        gains = work.gains
        totals = work.parts.sum(0)
        allowed = tolerance * totals
        split = np.ones(len(work.starts), bool)
        if (gains.sum(0) <= allowed).all():
            errors = gains.sum(0) if before is None else np.maximum(gains.sum(0), totals - before)
            if before is not None and (errors <= allowed).all():
                return Refined(totals, errors, 2 * len(work.starts) + 1)
            before = totals
        else:
            shares = (gains / np.where(allowed > 0, allowed, 1.0)).max(1) * len(gains)
            split = shares > min(0.5, 0.5 * shares.max())
        n_points = 2 * (len(work.starts) + int(split.sum())) + 1
        if n_points > max_points:
            worst = float((gains.sum(0) / np.maximum(totals, 1e-300)).max())
            raise BudgetExceeded(
                f"{n_points:,} points exceed max_points={max_points:,}; the relative error is {worst:.1e}, not {tolerance:.1e}.",
                hint="allow more points or a larger tolerance",
                partial={"lengths": totals.tolist(), "errors": gains.sum(0).tolist(), "n_points": 2 * len(work.starts) + 1},
            )
        cuts = work.cuts[split]
        new = _measured(stages, np.concatenate([work.starts[split], cuts]), np.concatenate([cuts, work.ends[split]]))
        work = work.kept(~split).joined(new)


@dataclass(frozen=True, eq=False)
class _Intervals:
    """Intervals with the point that cuts each, its chord, and the sum of the chords of its two parts, for each tensor."""

    starts: Array
    ends: Array
    chords: Array
    parts: Array

    @property
    def cuts(self) -> Array:
        return self.starts + CUT * (self.ends - self.starts)

    @property
    def gains(self) -> Array:
        return np.maximum(self.parts - self.chords, 0.0)

    def kept(self, which: Array) -> _Intervals:
        return _Intervals(self.starts[which], self.ends[which], self.chords[which], self.parts[which])

    def joined(self, other: _Intervals) -> _Intervals:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return _Intervals(*(np.concatenate(pair) for pair in pairs))


def _measured(stages: Stages, starts: Array, ends: Array) -> _Intervals:
    chords, parts = [], []
    size = BATCH // 3
    for first in range(0, len(starts), size):
        a, b = starts[first : first + size], ends[first : first + size]
        k = len(a)
        rows = stages(np.concatenate([a, a + CUT * (b - a), b]))
        for values in rows:
            if not np.isfinite(values).all():
                raise InvalidInput("the function gives NaN or infinity on the path.")
        triples = [(v[:k], v[k : 2 * k], v[2 * k :]) for v in rows]
        chords.append(np.stack([_distance(x, z) for x, _, z in triples], axis=1))
        parts.append(np.stack([_distance(x, y) + _distance(y, z) for x, y, z in triples], axis=1))
    return _Intervals(starts, ends, np.concatenate(chords), np.concatenate(parts))


def _distance(x: Array, y: Array) -> Array:
    return np.asarray(np.linalg.norm(x - y, axis=1))
