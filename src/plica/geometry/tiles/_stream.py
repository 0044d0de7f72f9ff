r"""A plane in tiles, one after the other: each is finished, looked at and dropped.

The window is divided until few neurons can switch in a tile. A division cuts cells in two; how many follows from the tiles alone:
a cell is convex and open, so if a division meets it, it meets it in one interval, and

.. math:: N = \sum_{\text{tiles}} n(T) - \sum_{\text{divisions}} (1 + b(\sigma)),

where b counts the points of the division at which folds cross it; both of its sides see the same ones. This fails only where a
fold runs along a division or through a corner of a tile. That is noticed, and the window is divided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple, TypeVar

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.exact import dot
from plica.geometry._budget import Meter, share_of_budget
from plica.geometry.domains._domain import Domain
from plica.geometry.domains._tile import Tile
from plica.geometry.signs._cell_maps import cell_maps, values_at
from plica.geometry.signs._decisions import Decisions
from plica.geometry.signs._precision import PRECISIONS, Precision
from plica.geometry.tiles._narrowing import narrowed
from plica.geometry.tiles._program import ContestStep, Program, Step
from plica.geometry.tiles._restriction import COPIES, TooManyNeurons, restricted
from plica.geometry.tiles._tile_walk import TileCells, TileWalker, floor_of
from plica.geometry.values._tensors import EPS, UNDERFLOW
from plica.network import Affine, Network, once_per_network

MOST_OPEN = 200  # neurons that may switch in a tile that is not divided further
_WANTED_FACTOR = 6  # with so many times as many, bounds may already show that a tile is not wanted
_MOST_SHARED = 1000
_LEAST_SHARED = 400
_SHARED_WORK = 0.1  # of the work of walking the network: what a program may cost on a part of its tile
_MOST_BITS = 40  # halvings after which a tile is taken as it is
_AT_ONCE = 8  # tiles that are taken from the waiting ones together, whatever the number of cores
_FIRST_AT_ONCE = 2  # of those that come first: a curve is followed rather than begun in many places
_HOPELESS = 2  # tiles of one size in which too many neurons switch, and none in which they do not: then others are not tried
ATTEMPTS = 5

Given = TypeVar("Given")
Seen = TypeVar("Seen")
Wanted = Callable[[Program], bool]


class Coincidence(Exception):
    """A fold runs along a division, or through a corner of a tile."""


def finished_tiles(
    network: Network,
    domain: Domain,
    meter: Meter,
    *,
    look: Callable[[TileCells], Seen],
    wanted: Wanted | None = None,
    most: int = MOST_OPEN,
    attempt: int = 0,
    n_divisions: int = 0,
    queue: Queue | None = None,
) -> Iterator[Seen]:
    """What ``look`` sees in the tiles of a plane; tiles are left out that are not wanted, by the bounds of their programs.

    The tiles come in an order that does not depend on the number of cores. The first division gets the number ``n_divisions``.
    A ``queue`` says which tiles come first, and knows at any time which are open.
    """
    queue = Queue() if queue is None else queue
    queue.waiting = [_Waiting(Tile.of(domain))]
    shared = shared_neurons(network)
    widest = max(node.size for node in network.nodes)

    def limit_of(x: _Waiting) -> int | None:
        return None if x.depth >= _MOST_BITS else most if wanted is None else _WANTED_FACTOR * most

    tried, good = Counter[int](), Counter[int]()  # by how often a tile was halved

    def program_of(x: _Waiting) -> Program | None:
        limit = limit_of(x)
        if shared and x.base is None and limit is not None and not good[x.depth] and tried[x.depth] >= _HOPELESS:
            return None
        with suppress(TooManyNeurons):
            if x.base is not None:
                return narrowed(network, x.base, x.tile, most=limit)
            return restricted(network, x.tile, most=None if limit is None else max(limit, shared))
        return None

    def seen(program: Program) -> Seen:
        return look(TileWalker(network, program.tile, program).run())

    while queue.waiting:
        meter.check()
        taken = queue.next()
        if not taken:
            return
        ready: list[tuple[_Waiting, Program]] = []
        divided = []
        needed = 8 * COPIES * widest * max(max(limit_of(x) or 0, shared) for x in taken)
        programs = _on_all_cores(program_of, taken) if needed <= share_of_budget(8) else [program_of(x) for x in taken]
        for x, program in zip(taken, programs, strict=True):
            if x.base is None:
                tried[x.depth] += 1
                good[x.depth] += program is not None
            if program is not None and wanted is not None and not wanted(program):
                queue.remove(x)
                continue
            if program is None or (limit_of(x) is not None and program.n_extra > most):
                base = program if x.base is None and shared else x.base
                divided += [_Waiting(part, x.depth + 1, base) for part in x.tile.divided(n_divisions, attempt)]
                n_divisions += 1
                queue.remove(x)
            else:
                ready.append((x, program))
        queue.waiting += divided[::-1]
        for (x, _), found in zip(ready, _on_all_cores(seen, [program for _, program in ready]), strict=True):
            queue.remove(x)
            yield found


class _Waiting(NamedTuple):
    """A tile to be looked at, how often it was halved, and the program of a larger one."""

    tile: Tile
    depth: int = 0
    base: Program | None = None


@dataclass(eq=False)
class Queue:
    """Tiles that are not finished yet; those that ``first`` chooses come before the others, and then the newest, or none."""

    first: Callable[[list[Tile]], list[bool]] | None = None
    and_no_others: bool = False
    waiting: list[_Waiting] = field(default_factory=list)

    def next(self) -> list[_Waiting]:
        """The tiles that come next, which stay until they are removed."""
        if self.first is None:
            return self.waiting[-_AT_ONCE:][::-1]
        flags = self.first([x.tile for x in self.waiting])
        chosen = [x for x, flag in zip(self.waiting, flags, strict=True) if flag]
        return chosen[-_FIRST_AT_ONCE:][::-1] or ([] if self.and_no_others else self.waiting[-_AT_ONCE:][::-1])

    def remove(self, done: _Waiting) -> None:
        self.waiting = [x for x in self.waiting if x is not done]


def _on_all_cores(work: Callable[[Given], Seen], items: list[Given]) -> list[Seen]:
    contexts = [copy_context() for _ in items]  # the budget, in whatever thread
    return parallel_ranges(lambda i, _: contexts[i].run(work, items[i]), len(items), least=1, most=1) if items else []


@once_per_network
def shared_neurons(network: Network) -> int:
    """How many neurons may switch in a tile whose program its parts share; 0 where walking the network costs less."""
    work = sum(2.0 * node.op.n_terms() * node.size for node in network.nodes if isinstance(node.op, Affine))
    affordable = int(sqrt(work * _SHARED_WORK))
    return min(_MOST_SHARED, affordable) if affordable > _LEAST_SHARED else 0


@dataclass(frozen=True)
class PlaneCount:
    """How many cells a plane has, and how that was found."""

    n_cells: int
    n_tiles: int
    decisions: Decisions


def count_in_tiles(network: Network, domain: Domain, meter: Meter) -> PlaneCount:
    """The number of cells of a plane, in memory that does not depend on it."""
    for attempt in range(ATTEMPTS):
        try:
            return _counted(network, domain, meter, attempt)
        except Coincidence:
            continue
    raise Coincidence


@dataclass
class TileSums:
    """What the tiles of a plane add up to: cells, and for each division the points at which folds cross it, on both sides."""

    n_cells: int = 0
    n_tiles: int = 0
    decisions: Decisions = field(default_factory=Decisions)
    crossings: Counter[int] = field(default_factory=Counter)

    def add(self, other: TileSums) -> None:
        self.n_cells += other.n_cells
        self.n_tiles += other.n_tiles
        self.decisions = self.decisions + other.decisions
        self.crossings.update(other.crossings)

    def count(self) -> PlaneCount:
        """The cells of the plane, each counted once."""
        if any(n % 2 for n in self.crossings.values()):
            raise Coincidence
        return PlaneCount(self.n_cells - sum(1 + n // 2 for n in self.crossings.values()), self.n_tiles, self.decisions)


def _counted(network: Network, domain: Domain, meter: Meter, attempt: int) -> PlaneCount:
    count = summed_tiles(network, Tile.of(domain).alone(), meter, attempt=attempt).count()
    meter.n_cells = count.n_cells
    return count


def summed_tiles(network: Network, domain: Domain, meter: Meter, *, attempt: int = 0, n_divisions: int = 0) -> TileSums:
    """The sums over the tiles of a plane or of a part of it."""
    sums, done, whole = TileSums(), 0.0, float(domain.exact_size())
    for tile, found in finished_tiles(network, domain, meter, look=_summed, attempt=attempt, n_divisions=n_divisions):
        sums.add(found)
        done += float(tile.exact_size())
        meter.chunk_finished(sums.n_cells, done / whole)
    return sums


def _summed(done: TileCells) -> tuple[Tile, TileSums]:
    """What one tile adds to the sums; its cells are dropped."""
    check_divisions(done)
    tile, crossings = done.program.tile, Counter[int]()
    for cut, n_edges in zip(tile.cuts, border_edges(done), strict=True):
        if cut >= 0:
            crossings[cut] += n_edges - 1
    return tile, TileSums(done.n_cells, 1, done.exact.tally.decisions, crossings)


def _on_side(done: TileCells) -> Array:
    """For each edge the side of the tile that it lies on, -1 inside."""
    names = done.mesh.edge_hyperplane
    return np.where(names[:, 0] < 0, names[:, 2], -1)


def border_edges(done: TileCells) -> list[int]:
    """How many edges lie on each side of the tile."""
    side = _on_side(done)
    return np.bincount(side[side >= 0], minlength=len(done.program.tile.cuts)).tolist()


def check_divisions(done: TileCells) -> None:
    """Raise Coincidence where a fold runs along a division or through a corner that a division made.

    Floating point finds the few forms that may vanish at both ends of an edge on the border; extended precision leaves almost
    none of them, and integers decide.
    """
    mesh, tile = done.mesh, done.program.tile
    cuts = np.array(tile.cuts)
    if (cuts < 0).all():
        return
    degree = np.bincount(mesh.edges.reshape(-1), minlength=len(mesh.vertex_hyperplanes))
    made = (cuts >= 0) | (np.roll(cuts, 1) >= 0)
    is_corner = (mesh.vertex_hyperplanes[:, 0] < 0) & (mesh.vertex_hyperplanes[:, 2] < 0)
    corners = np.flatnonzero(is_corner)
    if (degree[corners[made[mesh.vertex_hyperplanes[corners, 1]]]] > 2).any():
        raise Coincidence
    side = _on_side(done)
    edges = np.flatnonzero((side >= 0) & (cuts[side] >= 0))
    cells = mesh.edge_cells()[edges].max(axis=1)
    ends = mesh.edges[edges]
    other = _vertex_off(done, cells, side[edges])
    for forms in _border_forms(done, cells):
        for i, k in forms.near_zero_along(ends, other).tolist():
            if all(forms.may_be_zero(i, k, int(v)) for v in ends[i]) and all(forms.is_zero(i, k, int(v)) for v in ends[i]):
                raise Coincidence


def _vertex_off(done: TileCells, cells: Array, sides: Array) -> Array:
    """For each border cell one of its corners that is not on the side."""
    mesh, n_sides = done.mesh, len(done.program.tile.cuts)
    sizes = mesh.offsets[cells + 1] - mesh.offsets[cells]
    row = np.repeat(np.arange(len(cells)), sizes)
    before = np.cumsum(sizes) - sizes
    half = mesh.half_edges[np.arange(len(row)) - np.repeat(before - mesh.offsets[cells], sizes)]
    corners, side = mesh.edges[half >> 1, half & 1], sides[row]
    line = mesh.vertex_hyperplanes[corners]
    is_corner = (line[:, 0] < 0) & (line[:, 2] < 0)
    on = is_corner & ((line[:, 1] == side) | (line[:, 1] == (side + 1) % n_sides))
    on |= ((line[:, 0] < 0) & (line[:, 2] == side)) | ((line[:, 3] < 0) & (line[:, 5] == side) & ~is_corner)
    off = np.flatnonzero(~on)
    return np.asarray(corners[off[np.searchsorted(row[off], np.arange(len(cells)))]])


@dataclass(eq=False)
class _BorderForms:
    """Forms of one step on the cells along the border of a tile: how far ahead of another member a winner is, or open forms.

    ``member`` and ``other`` are columns for each cell and form; without them the forms are the columns themselves.
    """

    done: TileCells
    step: Step
    columns: Array
    before: Array  # of each border cell: its cell before the layer
    codes: Array  # (border cells, forms)
    member: Array | None = None
    other: Array | None = None

    def near_zero_along(self, ends: Array, other: Array) -> Array:
        """Border cells and forms that may be zero at both ends of the cell's edge, and not at another of its corners."""
        rows = np.arange(len(ends))
        near = self.near_zero(rows, ends[:, 0])
        for vertices, is_zero in ((ends[:, 1], True), (other, False)):
            some = near.any(axis=1)
            rows, near = rows[some], near[some]
            near &= self.near_zero(rows, vertices[rows]) == is_zero
        found = np.argwhere(near)
        return np.stack([rows[found[:, 0]], found[:, 1]], axis=1)

    def near_zero(self, rows: Array, vertices: Array) -> Array:
        """Which forms may be zero at a vertex of each of these border cells."""
        values, columns = self.done.variables.values, self.columns
        x = np.concatenate([values[vertices, : len(columns) - 3], values[vertices, -2:]], axis=1)
        value = x @ columns[:-1] + columns[-1]
        scale = np.linalg.norm(columns[:-1], axis=0)
        bound = scale * self.done.variables.error[vertices][:, None] + floor_of(self.done.program, columns, self.step.error)
        if self.member is None or self.other is None:
            return np.asarray(np.abs(value) <= bound)
        at, member, other = np.arange(len(rows))[:, None], self.member[rows], self.other[rows]
        ahead = value[at, member] - value[at, other]
        return np.asarray(np.abs(ahead) <= (bound[at, member] + bound[at, other]) * (1 + 8 * EPS))

    def may_be_zero(self, i: int, k: int, vertex: int) -> bool:
        """Whether neither the tile's own maps nor extended precision tell form k of border cell i from zero at a vertex."""
        if self._is_far(i, k, vertex):
            return False
        if Precision.EXTENDED not in PRECISIONS:
            return True
        exact, layer = self.done.exact, self.step.layer
        maps, op = cell_maps(exact, Precision.EXTENDED), exact.network.folds[layer]
        with np.errstate(all="ignore"):
            p, p_error, known = maps.positions(self.done.mesh.vertex_hyperplanes[vertex][None])
            (x, error), which = maps.fold_input(layer, self.before[i : i + 1])
            y = op.forms(self.codes[i, k : k + 1], x.shape[2]).columns(x[which])
            gain = op.form_gain() * error[which] + maps.eps * np.sqrt((y * y).sum(axis=2)) + UNDERFLOW
            value, bound = values_at(p, p_error, y, gain)
        return bool(not known[0] or not abs(value[0, 0]) > bound[0, 0])

    def _is_far(self, i: int, k: int, vertex: int) -> bool:
        column = self.columns[:, k if self.member is None else self.member[i, k]]
        if self.other is not None:
            column = column - self.columns[:, self.other[i, k]]
        name, n_members = self.done.mesh.vertex_hyperplanes[vertex], 1 if self.other is None else 2
        return self.done.maps.is_far_from_zero(name, self.step.layer, int(self.before[i]), column, n_members=n_members)

    def is_zero(self, i: int, k: int, vertex: int) -> bool:
        """Whether form k of border cell i is zero at a vertex, in integers."""
        exact, layer = self.done.exact, self.step.layer
        x = exact.fold_input(layer, int(self.before[i]))
        form = exact.network.folds[layer].forms(self.codes[i, k : k + 1], x.integers.shape[1]).dyadic_columns(x)
        position = exact.position(self.done.mesh.vertex_hyperplanes[vertex])
        return dot(list(position), [int(c) for c in form.integers[:, 0]]) == 0


def _border_forms(done: TileCells, cells: Array) -> Iterator[_BorderForms]:
    """The open forms on border cells, step by step; of a contest what the winner on each cell leads by."""
    ancestors = [cells]
    for layer in reversed(done.exact.layers[1:]):
        ancestors.append(layer.parent[ancestors[-1]])
    for step, at, layer in zip(done.program.steps, reversed(ancestors), done.exact.layers, strict=True):
        before = layer.parent[at]
        if not isinstance(step, ContestStep):
            if len(step.codes):
                yield _BorderForms(
                    done, step, step.form_columns, before, np.broadcast_to(step.codes, (len(cells), len(step.codes)))
                )
        elif len(step.groups):
            op, winners = done.exact.network.folds[step.layer], layer._states.table[at].astype(np.intp)
            for j in range(step.entries.shape[1]):
                some = np.flatnonzero(step.can_win[:, j])
                codes = op.code(step.groups[some][None], j, winners[:, some])
                member = np.broadcast_to(step.place[some, j], codes.shape)
                yield _BorderForms(done, step, step.columns, before, codes, member, step.place[some, winners[:, some]])
