"""Curves in a plane, as polylines."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica._whole import whole_file
from plica.errors import InvalidInput
from plica.geometry.domains import Domain
from plica.geometry.signs._decisions import Decisions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.network import Network


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves in a plane, as polylines in its parameters (u, v).

    Attributes
    ----------
    domain
        The plane they are in; ``domain.to_input(polyline)`` are inputs of the network.
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
        The corners of tiles that a budget, or samples, left unfinished: there may be more in them, and nothing anywhere else.
    """

    domain: Domain
    polylines: tuple[Array, ...]
    n_tiles: int
    n_skipped: int
    skipped: float
    decisions: Decisions
    seconds: float
    open_tiles: tuple[Array, ...] = ()

    @classmethod
    def of_segments(cls, domain: Domain, segments: Array, decisions: Decisions, seconds: float) -> Curves:
        """Curves from segments (k, 2, 2) of a whole complex."""
        points, pairs = np.unique(segments.reshape(-1, 2), axis=0, return_inverse=True)
        return cls(domain, polylines(points, pairs.reshape(-1, 2)), 1, 0, 0.0, decisions, seconds)

    @property
    def segments(self) -> Array:
        parts = [np.stack([p[:-1], p[1:]], axis=1) for p in self.polylines]
        return np.concatenate(parts) if parts else np.empty((0, 2, 2))

    @property
    def length(self) -> float:
        """In parameters."""
        return float(sum(np.linalg.norm(np.diff(p, axis=0), axis=1).sum() for p in self.polylines))

    @property
    def n_segments(self) -> int:
        return sum(len(p) - 1 for p in self.polylines)

    def to_dict(self) -> dict[str, Any]:
        """The numbers of the curves."""
        return {
            "n_polylines": len(self.polylines),
            "n_segments": self.n_segments,
            "length": self.length,
            "n_tiles": self.n_tiles,
            "n_skipped": self.n_skipped,
            "skipped": self.skipped,
            "n_open_tiles": len(self.open_tiles),
            "exact_fallbacks": self.decisions.integer,
            "seconds": self.seconds,
        }

    def save(self, path: Any) -> None:
        """Write the curves to an ``.npz`` file of plain arrays: ``points`` one polyline after the other, which begin at
        ``offsets``, ``inputs`` (the same points as inputs of the network), ``window`` and ``open_tiles``.
        """
        target = Path(path)
        if target.suffix != ".npz":
            raise InvalidInput(f"{target.name!r} does not end in .npz.")
        points = np.concatenate([np.empty((0, 2)), *self.polylines])
        offsets = np.cumsum([0, *map(len, self.polylines)])
        corners = np.concatenate([np.empty((0, 2)), *self.open_tiles])
        arrays = {"points": points, "offsets": offsets, "inputs": self.domain.to_input(points), "window": self.domain.window}
        arrays |= {"open_tiles": corners, "open_tile_offsets": np.cumsum([0, *map(len, self.open_tiles)])}
        with whole_file(target) as stream:
            np.savez_compressed(stream, allow_pickle=False, **arrays)

    def plot(self, *, network: Network | None = None, ax: Axes | None = None) -> Axes:
        """Draw the curves in their window: :func:`plica.plot.plot_curves`."""
        from plica.plot import plot_curves

        return plot_curves(self, network=network, ax=ax)

    def _repr_html_(self) -> str:
        from plica._show import facts_html
        from plica.geometry._thumbnail import thumbnail_of_curves

        return facts_html(self, self.to_dict(), picture=thumbnail_of_curves(self))

    def __repr__(self) -> str:
        is_open = f"{len(self.open_tiles)} tiles open, " if self.open_tiles else ""
        return (
            f"<Curves: {len(self.polylines)} polylines, {self.n_segments} segments, "
            f"{self.skipped:.1%} of the window proved free, {is_open}{self.seconds:.3g} s>"
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
