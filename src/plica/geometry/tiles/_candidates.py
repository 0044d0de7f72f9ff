"""Which members of the groups of a maximum may win somewhere on a tile, by proved bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry.tiles._program import Program


class Members(NamedTuple):
    """Columns of entries with a bound of the error of each row; which are not zero; which switching rectified neuron each is."""

    columns: Array
    error: Array
    live: Array
    origin: Array


def possible_winners(program: Program, x: Members, entries: Array, allowed: Array) -> Array:
    """Which members (groups, K) of groups of entries may win, among those that are allowed to."""
    return _without_losers(program, x, entries, allowed & _may_win(program, x, entries))


def leads(program: Program, columns: Array, error: Array, place: Array, can_win: Array) -> Array:
    """Upper bounds of how far the maximum of each group is above its first member that may win."""
    reference = place[np.arange(len(place)), can_win.argmax(axis=1)]
    high = np.zeros(len(place))
    for j in range(place.shape[1]):
        ahead = columns[:, place[:, j]] - columns[:, reference]
        _, above, slack = program.ranges(ahead, 2 * error)
        high = np.maximum(high, np.where(can_win[:, j], above + slack, 0.0))
    return high


def _may_win(program: Program, x: Members, entries: Array) -> Array:
    """Members that are not below another one everywhere."""
    low, high, slack = program.ranges(x.columns, x.error)
    low, high = np.where(x.live, low - slack, 0.0), np.where(x.live, high + slack, 0.0)
    low = np.where(x.origin > 0, np.maximum(low, 0.0), low)  # rectified
    return np.asarray(high[entries] >= low[entries].max(axis=1, keepdims=True))


def _without_losers(program: Program, x: Members, entries: Array, can_win: Array) -> Array:
    """Compare the members with the likeliest winner, and zeros with what is never negative."""
    can_win = can_win.copy()
    zero = ~x.live[entries]
    for j in range(1, entries.shape[1]):  # a zero does not win against an earlier zero, or an earlier rectified entry
        earlier = can_win[:, :j] & (zero[:, :j] | (x.origin[entries[:, :j]] > 0))
        can_win[:, j] &= ~(zero[:, j] & earlier.any(axis=1))
    rows = np.flatnonzero(can_win.sum(axis=1) > 1)
    if not len(rows):
        return can_win
    some = entries[rows]
    low, high, _ = program.ranges(x.columns[:, some.reshape(-1)], x.error)
    middle = np.where(can_win[rows], (low + high).reshape(some.shape), -np.inf)
    best = middle.argmax(axis=1)
    reference = some[np.arange(len(rows)), best]
    for j in range(entries.shape[1]):
        ahead = x.columns[:, some[:, j]] - x.columns[:, reference]
        _, high, slack = program.ranges(ahead, 2 * x.error)
        can_win[rows, j] &= (high + slack >= 0.0) | (best == j)
    return can_win
