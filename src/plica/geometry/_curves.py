"""Curves in a plane, as polylines."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.geometry.signs._decisions import Decisions


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves in a plane, as polylines in its parameters (u, v).

    Attributes
    ----------
    polylines
        Arrays (n, 2) of points in order; the first and the last are equal where a curve is closed.
    segments
        The same as segments (k, 2, 2), each on one cell of the network.
    n_tiles, n_skipped
        How many tiles were followed cell by cell, and how many have been proved to hold nothing.
    skipped
        The share of the window's area that was proved to hold nothing.
    decisions
        What doubles, extended precision and integers decided.
    seconds
        Wall time.
    open_tiles
        The corners of tiles that a budget left unfinished: there may be more in them, and nothing anywhere else.
    """

    polylines: tuple[Array, ...]
    n_tiles: int
    n_skipped: int
    skipped: float
    decisions: Decisions
    seconds: float
    open_tiles: tuple[Array, ...] = ()

    @classmethod
    def of_segments(cls, segments: Array, decisions: Decisions, seconds: float) -> Curves:
        """Curves from segments (k, 2, 2) of a whole complex."""
        points, pairs = np.unique(segments.reshape(-1, 2), axis=0, return_inverse=True)
        return cls(polylines(points, pairs.reshape(-1, 2)), 1, 0, 0.0, decisions, seconds)

    @property
    def segments(self) -> Array:
        parts = [np.stack([p[:-1], p[1:]], axis=1) for p in self.polylines]
        return np.concatenate(parts) if parts else np.empty((0, 2, 2))

    @property
    def length(self) -> float:
        """In parameters."""
        return float(sum(np.linalg.norm(np.diff(p, axis=0), axis=1).sum() for p in self.polylines))

    def __repr__(self) -> str:
        n = sum(len(p) - 1 for p in self.polylines)
        return (
            f"<Curves: {len(self.polylines)} polylines, {n} segments, {self.skipped:.1%} of the window proved free, "
            f"{f'{len(self.open_tiles)} tiles open, ' if self.open_tiles else ''}{self.seconds:.3g} s>"
        )


def polylines(points: Array, pairs: Array) -> tuple[Array, ...]:
    """Segments between numbered points as few long polylines; they end where not exactly two segments meet.

    Examples
    --------
    >>> [len(p) for p in polylines(np.zeros((5, 2)), np.array([[0, 1], [2, 1], [2, 3], [3, 4], [4, 2]]))]
    [3, 4]
    """
    at: dict[int, list[int]] = defaultdict(list)
    for e, (p, q) in enumerate(pairs.tolist()):
        at[p].append(e)
        at[q].append(e)
    ends = pairs.tolist()
    used = np.zeros(len(pairs), np.bool_)
    out = []

    def follow(start: int, e: int) -> None:
        chain, v = [start], start
        while True:
            used[e] = True
            v = ends[e][1] if ends[e][0] == v else ends[e][0]
            chain.append(v)
            onward = [f for f in at[v] if not used[f]]
            if len(at[v]) != 2 or not onward:
                break
            e = onward[0]
        out.append(points[chain])

    for v, edges in at.items():
        if len(edges) != 2:
            for e in edges:
                if not used[e]:
                    follow(v, e)
    for e in range(len(ends)):  # what is left is closed
        if not used[e]:
            follow(ends[e][0], e)
    return tuple(out)
