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

import numpy as np

from plica._types import Array
from plica.errors import BudgetExceeded
from plica.geometry._budget import Meter
from plica.geometry._curves import Curves, polylines
from plica.geometry.domains._domain import Domain
from plica.geometry.signs._decisions import Decisions
from plica.geometry.signs._positions import settled_positions
from plica.geometry.tiles._ahead import Ahead
from plica.geometry.tiles._program import Program
from plica.geometry.tiles._stream import ATTEMPTS, Coincidence, Queue, check_divisions, finished_tiles, shared_neurons
from plica.geometry.tiles._tile_walk import TileCells
from plica.network import Network

MOST_OPEN = 100
_SAME = 1e-9  # of a coordinate: two points of a division that are nearer are one while tiles are missing


@dataclass(eq=False)
class _Collected:
    """Points and the segments between them, tile by tile; points on divisions are joined at the end."""

    size: float  # of the window: points inside of tiles are known to a small part of it
    points: list[Array] = field(default_factory=list)
    pairs: list[Array] = field(default_factory=list)
    n_points: int = 0
    on_divisions: dict[int, list[tuple[float, int, bool]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, done: TileCells) -> None:
        mesh = done.mesh
        states = done.exact.layers[-1].rows(np.arange(mesh.n_cells))
        sides = mesh.edge_cells()
        inner = np.flatnonzero((sides >= 0).all(axis=1))
        found = inner[(states[sides[inner, 0]] != states[sides[inner, 1]]).any(axis=1)]
        if not len(found):
            return
        vertices, pairs = np.unique(mesh.edges[found], return_inverse=True)
        names = mesh.vertex_hyperplanes[vertices]
        is_seen_twice = (names[:, 0] < 0) | (names[:, 3] < 0)  # on a side: its order along the side must be right
        sizes = np.where(is_seen_twice, _least(done.program.tile.window), self.size)
        positions = settled_positions(done.positions_anew().taken(vertices), names, done.exact, sizes)
        self.pairs.append(pairs.reshape(-1, 2) + self.n_points)
        self.points.append(positions)
        cuts, n_sides = done.program.tile.cuts, len(done.program.tile.cuts)
        window = done.program.tile.window
        for i in np.flatnonzero(is_seen_twice).tolist():
            side = int(names[i, 2] if names[i, 0] < 0 else names[i, 5])
            if side >= 0 and cuts[side] >= 0:
                along = window[(side + 1) % n_sides] - window[side]
                axis = int(np.argmax(np.abs(along)))
                self.on_divisions[cuts[side]].append((float(positions[i, axis]), self.n_points + i, bool(along[axis] > 0)))
        self.n_points += len(vertices)

    def so_far(self) -> tuple[Array, Array]:
        """Points and segments while tiles are missing: points of two tiles on a division are one where they are in one place."""
        points = np.concatenate([np.empty((0, 2)), *self.points])
        pairs = np.concatenate([np.empty((0, 2), np.int64), *self.pairs])
        name = np.arange(self.n_points)
        for seen in self.on_divisions.values():
            for (_, i, side), (_, j, other) in pairwise(sorted(seen)):
                if side is not other and name[i] == i and np.abs(points[i] - points[j]).max() <= _SAME * np.abs(points[i]).max():
                    name[j] = i
        return points, name[pairs]

    def ends(self) -> Iterator[tuple[int, float]]:
        """Divisions, and where on them a curve goes on in a tile that is missing."""
        for number, seen in self.on_divisions.items():
            ordered = sorted(seen)
            for k, (at, _, side) in enumerate(ordered):
                near = [x for x in ordered[max(0, k - 1) : k + 2] if x[2] is not side]
                if not any(abs(at - x[0]) <= _SAME * abs(at) for x in near):
                    yield number, at

    def joined(self) -> tuple[Array, Array]:
        """All points and segments; the two sides of a division see the same points in the same order."""
        points = np.concatenate([np.empty((0, 2)), *self.points])
        pairs = np.concatenate([np.empty((0, 2), np.int64), *self.pairs])
        name = np.arange(self.n_points)
        for seen in self.on_divisions.values():
            low, high = ([(at, i) for at, i, up in sorted(seen) if up is side] for side in (True, False))
            if len(low) != len(high):
                raise Coincidence
            for (_, i), (_, j) in zip(low, high, strict=True):
                name[j] = i
        return points, name[pairs]


def _least(window: Array) -> float:
    return 2 * float(np.ptp(window / 2, axis=0).min())


def follow_curves(network: Network, domain: Domain, meter: Meter) -> Curves:
    """Where the last fold of a network switches in a plane."""
    for attempt in range(ATTEMPTS):
        try:
            return _followed(network, domain, meter, attempt)
        except Coincidence:
            continue
    raise Coincidence


def _checked(done: TileCells) -> TileCells:
    check_divisions(done)
    return done


def _followed(network: Network, domain: Domain, meter: Meter, attempt: int) -> Curves:
    collected, n_tiles, n_skipped, free, decisions, followed = (
        _Collected(_least(domain.window)),
        0,
        0,
        Fraction(0),
        Decisions(),
        Fraction(0),
    )
    whole = domain.exact_size()
    queue = Queue(Ahead(network, domain, collected).first if shared_neurons(network) else None)

    def wanted(program: Program) -> bool:
        nonlocal n_skipped, free
        if program.steps[-1].n_new:
            return True
        n_skipped, free = n_skipped + 1, free + program.tile.exact_size()
        return False

    def curves(points: Array, pairs: Array) -> Curves:
        open_tiles = tuple(x.tile.window for x in queue.waiting)
        return Curves(polylines(points, pairs), n_tiles, n_skipped, float(free / whole), decisions, meter.seconds, open_tiles)

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
    if free + followed != whole:
        raise AssertionError("the tiles do not cover the window")
    return curves(*collected.joined())
