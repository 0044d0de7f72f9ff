"""Level sets and decision boundaries of a plane without its complex: tiles that bounds prove free are skipped.

The question is one more fold on top of the network. On a tile where that fold provably does not switch there is nothing to
find, and the tile is dropped before any cell is made; in the others the cells are cut as always, and what separates two states
of the last fold is kept. Skipped and followed tiles together are the window, so nothing in it is missed. Where a budget ends
before that, what was found is exact as far as it goes, and the tiles that are open are known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded
from plica.geometry._budget import Meter
from plica.geometry._curves import Curves, polylines
from plica.geometry.domains._domain import Domain
from plica.geometry.signs._decisions import Decisions
from plica.geometry.signs._positions import ACCURACY, settled_positions
from plica.geometry.tiles._ahead import Ahead
from plica.geometry.tiles._program import Program
from plica.geometry.tiles._stream import ATTEMPTS, Coincidence, Queue, check_divisions, finished_tiles, shared_neurons
from plica.geometry.tiles._tile_walk import TileCells
from plica.geometry.values._tensors import EPS
from plica.network import Network

MOST_OPEN = 100
_PARTS = (1.0, 1e-4, 1e-8, 0.0)  # of a tile's size, to ``ACCURACY`` of which points are computed until their order is known


class _Crossing(NamedTuple):
    """Where a curve crosses a division, as one of its two sides sees it: a coordinate within an error, and the point."""

    at: float
    error: float
    point: int
    is_up: bool  # seen from the side whose corners follow each other upward

    def may_be(self, other: _Crossing) -> bool:
        """Whether the other side of the division may mean the same point."""
        return self.is_up is not other.is_up and abs(self.at - other.at) <= self.error + other.error


@dataclass(eq=False)
class _Collected:
    """Points and the segments between them, tile by tile; points on divisions are joined at the end."""

    size: float  # of the window: points are known to a small part of it
    points: list[Array] = field(default_factory=list)
    pairs: list[Array] = field(default_factory=list)
    n_points: int = 0
    on_divisions: dict[int, list[_Crossing]] = field(default_factory=lambda: defaultdict(list))

    def add(self, done: TileCells) -> None:
        mesh = done.mesh
        states = done.exact.layers[-1].rows(np.arange(mesh.n_cells))
        sides = mesh.edge_cells()
        inner = np.flatnonzero((sides >= 0).all(axis=1))
        found = inner[(states[sides[inner, 0]] != states[sides[inner, 1]]).any(axis=1)]
        if not len(found):
            return
        vertices, pairs = np.unique(mesh.edges[found], return_inverse=True)
        names, known = mesh.vertex_hyperplanes[vertices], done.positions_anew(vertices)
        positions = settled_positions(known, names, done.exact, np.full(len(vertices), self.size)).copy()
        error = np.minimum(known.error, ACCURACY * self.size)
        self.pairs.append(pairs.reshape(-1, 2) + self.n_points)
        cuts, window = done.program.tile.cuts, done.program.tile.window
        is_outer = (names[:, 0] < 0) | (names[:, 3] < 0)
        side = np.where(is_outer, np.where(names[:, 0] < 0, names[:, 2], names[:, 5]), -1)
        for k in np.unique(side[is_outer]).tolist():
            if k < 0 or cuts[k] < 0:
                continue
            here = np.flatnonzero(side == k)
            along = window[(k + 1) % len(cuts)] - window[k]
            axis = int(np.argmax(np.abs(along)))
            for part in _PARTS:  # their order along the side must be right
                some = here[_mixed_up(positions[here, axis], error[here])]
                if not len(some):
                    break
                size = part * _least(window)
                positions[some] = settled_positions(known.taken(some), names[some], done.exact, np.full(len(some), size))
                rounding = EPS * np.abs(positions[some]).max(axis=1)
                error[some] = np.minimum(known.error[some], ACCURACY * size + rounding)
            low, high = sorted((float(window[k, axis]), float(window[(k + 1) % len(cuts), axis])))
            for i in here.tolist():
                at = min(max(float(positions[i, axis]), low), high)
                self.on_divisions[cuts[k]].append(_Crossing(at, float(error[i]), self.n_points + i, bool(along[axis] > 0)))
        self.points.append(positions)
        self.n_points += len(vertices)

    def so_far(self) -> tuple[Array, Array]:
        """Points and segments while tiles are missing: points of two tiles on a division are one where they are in one place."""
        points = np.concatenate([np.empty((0, 2)), *self.points])
        pairs = np.concatenate([np.empty((0, 2), np.int64), *self.pairs])
        name = np.arange(self.n_points)
        for seen in self.on_divisions.values():
            for one, two in pairwise(sorted(seen)):
                if one.may_be(two) and name[one.point] == one.point:
                    name[two.point] = one.point
        return points, name[pairs]

    def ends(self) -> Iterator[tuple[int, float, float]]:
        """Divisions, where on them a curve goes on in a tile that is missing, and within what error that is known."""
        for number, seen in self.on_divisions.items():
            ordered = sorted(seen)
            for k, one in enumerate(ordered):
                if not any(one.may_be(other) for other in ordered[max(0, k - 1) : k + 2]):
                    yield number, one.at, one.error

    def joined(self) -> tuple[Array, Array]:
        """All points and segments; the two sides of a division see the same points in the same order."""
        points = np.concatenate([np.empty((0, 2)), *self.points])
        pairs = np.concatenate([np.empty((0, 2), np.int64), *self.pairs])
        name = np.arange(self.n_points)
        for seen in self.on_divisions.values():
            low, high = ([x.point for x in sorted(seen) if x.is_up is side] for side in (True, False))
            if len(low) != len(high):
                raise Coincidence
            name[high] = low
        return points, name[pairs]


def _mixed_up(at: Array, error: Array) -> Array:
    """Which coordinates, within these errors, may be in another order."""
    order = np.argsort(at)
    low, high = (at - error)[order], (at + error)[order]
    below, above = np.maximum.accumulate(high), np.minimum.accumulate(low[::-1])[::-1]
    is_mixed = np.zeros(len(at), np.bool_)
    is_mixed[1:] |= low[1:] <= below[:-1]
    is_mixed[:-1] |= high[:-1] >= above[1:]
    return np.sort(order[is_mixed])


def _least(window: Array) -> float:
    return 2 * float(np.ptp(window / 2, axis=0).min())


def follow_curves(network: Network, domain: Domain, meter: Meter, samples: int | None = None) -> Curves:
    """Where the last fold of a network switches in a plane; with ``samples`` only curves that pass between them."""
    for attempt in range(ATTEMPTS):
        try:
            return _followed(network, domain, meter, attempt, samples)
        except Coincidence:
            continue
    raise Coincidence


def _checked(done: TileCells) -> TileCells:
    check_divisions(done)
    return done


def _queue(network: Network, domain: Domain, collected: _Collected, samples: int | None) -> Queue:
    if samples is not None:
        return Queue(Ahead(network, domain, collected, samples, most=None).first, and_no_others=True)
    return Queue(Ahead(network, domain, collected).first if shared_neurons(network) else None)


def _followed(network: Network, domain: Domain, meter: Meter, attempt: int, samples: int | None) -> Curves:
    collected, n_tiles, n_skipped, free, decisions, followed = (
        _Collected(_least(domain.window)),
        0,
        0,
        Fraction(0),
        Decisions(),
        Fraction(0),
    )
    whole = domain.exact_size()
    queue = _queue(network, domain, collected, samples)

    def wanted(program: Program) -> bool:
        nonlocal n_skipped, free
        if program.steps[-1].n_new:
            return True
        n_skipped, free = n_skipped + 1, free + program.tile.exact_size()
        return False

    def curves(points: Array, pairs: Array) -> Curves:
        open_tiles = tuple(x.tile.window for x in queue.waiting)
        found = polylines(points, pairs)
        return Curves(domain, found, n_tiles, n_skipped, float(free / whole), decisions, meter.seconds, open_tiles)

    try:
        for done in finished_tiles(
            network, domain, meter, look=_checked, wanted=wanted, most=MOST_OPEN, attempt=attempt, queue=queue
        ):
            collected.add(done)
            n_tiles, decisions = n_tiles + 1, decisions + done.exact.tally.decisions
            followed += done.program.tile.exact_size()
            meter.chunk_finished(meter.n_cells + done.n_cells, float((free + followed) / whole))
    except BudgetExceeded as stop:
        stop.partial["curves"] = curves(*collected.so_far())
        raise
    if queue.waiting:
        return curves(*collected.so_far())
    if free + followed != whole:
        raise AssertionError("the tiles do not cover the window")
    return curves(*collected.joined())
