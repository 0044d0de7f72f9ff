"""The chords of all cut cells, with their crossings in an order that is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from plica._lazy import cached_property
from plica._parallel import parallel_ranges
from plica._types import Array
from plica.exact import Vector, cross, dot
from plica.geometry._budget import tick
from plica.geometry.plane import _chords, _faces
from plica.geometry.plane._arrays import Arrangement, Boundary, CellCuts, ChordArrays, ChordCrossings, EdgeSplit
from plica.geometry.plane._mesh import Mesh
from plica.geometry.signs._arrays import BoundedForms, Crossings, NewVertices, Signs
from plica.geometry.signs._crossings import offsets_from_counts, ordered_crossings, settled_order
from plica.geometry.signs._ladder import Question, climb
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import Oracle, SignForms

LEAST_CELLS = 512  # cut cells that are worth a core of their own
MANY_CHORDS = 4096  # in a cell from which on their pairs are counted in parts
MANY_PAIRS = 1 << 20  # in a cell from which on they are ordered in parts
_PART_PAIRS = 1 << 22  # looked at between two looks at the clock
_ENTRY_BYTES = 28  # of a crossing on a chord


@dataclass(eq=False)
class EdgeCut:
    """How the edges of a subdivision are cut: signs at vertices, crossings, the new vertices, and the numbers of what comes."""

    signs: Signs
    crossings: Crossings
    lead: Array  # of each new vertex: the first crossing that makes it
    edge: Array  # of each new vertex: its edge
    on_edges: NewVertices
    split: EdgeSplit


@dataclass(eq=False)
class Chords:
    """The arrangement of chords in the cut cells, and how many inner vertices and segments it has in each."""

    arrangement: Arrangement
    n_nodes: Array
    n_segments: Array
    most: int  # forms that cut one cell
    most_pairs: int  # of chords that cross in one cell

    @cached_property
    def n_faces(self) -> Array:
        return 1 + self.n_segments - self.n_nodes


class VertexNames(Protocol):
    """Which lines the vertices lie on."""

    @property
    def vertex_hyperplanes(self) -> Array: ...


def cell_chords(
    mesh: Mesh, forms: SignForms, cut: EdgeCut, cuts: CellCuts, names: VertexNames, oracle: Oracle, *,
    least_pairs: int,
) -> Chords:  # fmt: skip
    """The chords of every cut cell and the order of their crossings, in cells with at least so many."""
    cells = np.flatnonzero(cuts.n_cuts)
    n_cuts, n, arrays, form_arrays = cuts.n_cuts[cells], len(cells), mesh.arrays, forms.arrays
    most = int(n_cuts.max(initial=0))
    offsets, boundary_offsets = offsets_from_counts(n_cuts), offsets_from_counts(cuts.n_boundary[cells])
    boundary = Boundary(boundary_offsets, *(np.empty(int(boundary_offsets[-1]), np.int32) for _ in range(2)))
    form, low, high, group, count = (np.empty(int(offsets[-1]), np.int32) for _ in range(5))
    chords = ChordArrays(offsets, form, low, high, group, np.empty(n, np.int64))
    n_pairs = np.zeros(n, np.int64)
    with_many = np.flatnonzero(n_cuts > MANY_CHORDS) if most > MANY_CHORDS else n_pairs[:0]
    n_pairs[with_many] = -1

    def build(a: int, b: int) -> None:
        before = np.empty(cuts.cut.shape[1], np.int64)
        _chords.build_chords(
            arrays, cut.split, cut.crossings, cut.signs, cuts.cut, a, b, cells, before, boundary, chords, n_pairs
        )

    parallel_ranges(build, n, least=LEAST_CELLS)
    for r in with_many.tolist():
        n_pairs[r] = _count_pairs(r, chords)
    pair_offsets, most_pairs = offsets_from_counts(n_pairs), int(n_pairs.max(initial=0))
    n_entries = 2 * int(pair_offsets[-1])
    tick(_ENTRY_BYTES * n_entries)
    other, pair, rank = (np.empty(n_entries, np.int32) for _ in range(3))
    crossings = ChordCrossings(pair_offsets, count, other, pair, np.empty(n_entries), np.empty(n_entries), rank)
    _touch(crossings)
    arrangement, undecided = Arrangement(cells, boundary, chords, crossings), np.zeros(n, np.bool_)

    def order(a: int, b: int) -> int:
        lead, cursor = np.empty((2, most + 1), np.int64)
        return int(_chords.order_crossings(form_arrays, cut.on_edges, least_pairs, a, b, arrangement, lead, cursor, undecided))

    large = cells_of_many_pairs(n_pairs, most_pairs)
    n_undecided = sum(ranges_between(large, n, order, least=4 * LEAST_CELLS))
    for r in large:
        undecided[r] = not _order_in_parts(r, form_arrays, cut.on_edges, arrangement)
        n_undecided += int(undecided[r])
    n_nodes, n_segments = n_pairs, chords.n_chords + 2 * n_pairs
    cells_left = np.flatnonzero(undecided) if n_undecided else n_pairs[:0]
    n_open = 2 * int(n_pairs[cells_left].sum()) if n_undecided else 0
    oracle.tally.add(n_entries - n_open, Precision.DOUBLE)
    if n_undecided:
        climb(ChordOrder(arrangement, names.vertex_hyperplanes, oracle), cells_left, oracle.tally)
        seen = np.empty(most_pairs, np.bool_)
        for r in cells_left.tolist():
            _faces.count_nodes(r, chords, crossings, seen, n_nodes, n_segments)
    return Chords(arrangement, n_nodes, n_segments, most, most_pairs)


def cells_of_many_pairs(n_pairs: Array, most_pairs: int) -> list[int]:
    """The cut cells that are ordered and divided in parts."""
    return np.flatnonzero(n_pairs >= MANY_PAIRS).tolist() if most_pairs >= MANY_PAIRS else []


def ranges_between(large: list[int], n: int, work: Callable[[int, int], Any], *, least: int) -> list[Any]:
    """Run ``work(start, stop)`` over 0..n on all cores, leaving out the large ones; the results in order."""
    if not large:
        return parallel_ranges(work, n, least=least)
    results = []
    for start, stop in pairwise([-1, *large, n]):

        def shifted(a: int, b: int, base: int = start + 1) -> Any:
            return work(base + a, base + b)

        if stop > start + 1:
            results += parallel_ranges(shifted, stop - start - 1, least=least)
    return results


def _touch(crossings: ChordCrossings) -> None:
    """Let the system map large arrays part by part: entries are filled in all over them, and would have all mapped at once."""
    if len(crossings.t) <= _PART_PAIRS:
        return
    for array in (crossings.other, crossings.pair, crossings.t, crossings.t_error, crossings.rank):
        for a in range(0, len(array), _PART_PAIRS):
            tick()
            array[a : a + _PART_PAIRS] = 0


def _parts_of_chords(n: int) -> list[tuple[int, int]]:
    """The chords of a large cell in ranges between which the clock is looked at; each meets all others."""
    return list(pairwise([*range(0, n, max(1, _PART_PAIRS // max(1, n))), n]))


def _count_pairs(r: int, chords: ChordArrays) -> int:
    """How many pairs of chords cross in a large cell."""
    n = 0
    for a, b in _parts_of_chords(int(chords.offsets[r + 1] - chords.offsets[r])):
        tick()
        n += _chords.count_pairs(r, a, b, chords)
    return n


def _order_in_parts(r: int, forms: BoundedForms, on_edges: NewVertices, arrangement: Arrangement) -> bool:
    """What ``order_crossings`` does, for a large cell; returns whether all is decided."""
    n, number = int(arrangement.chords.n_chords[r]), arrangement.crossings.pair_offsets[r]
    lead, cursor = np.empty((2, n + 1), np.int64)
    _chords.begin_entries(r, arrangement, lead)
    for a, b in _parts_of_chords(n):
        tick()
        _chords.count_entries(r, a, b, arrangement, lead)
    _chords.place_entries(r, arrangement, cursor)
    for a, b in _parts_of_chords(n):
        tick()
        number = _chords.fill_entries(r, a, b, number, forms, on_edges, arrangement, lead, cursor)
    step = max(1, _PART_PAIRS // (8 * max(1, n)))
    return all(parallel_ranges(lambda a, b: _chords.sort_entries(r, a, b, arrangement, cursor), n, least=step, most=step))


class ChordOrder(Question):
    """In which order do the chords of a cell cross each other? Items are cut cells (rows of the arrangement).

    Only chords on which the bounds of doubles leave the order open are looked at again.
    """

    def __init__(self, arrangement: Arrangement, vertex_hyperplanes: Array, oracle: Oracle) -> None:
        self.cells, self.boundary, self.chords, self.crossings = arrangement
        self.vertex_hyperplanes, self.oracle = vertex_hyperplanes, oracle
        self._open: dict[int, list[int]] = {}  # of each cell, its chords with an open order

    def _leads(self, r: int) -> tuple[list[int], list[slice]]:
        """For each distinct chord of a cell a chord that is it, and where its crossings are."""
        chords = self.chords
        base = int(chords.offsets[r])
        lead = [base + int(i) for i in np.unique(chords.group[base : chords.offsets[r + 1]], return_index=True)[1]]
        crossings = self.crossings
        bounds = 2 * int(crossings.pair_offsets[r]) + offsets_from_counts(crossings.n_entries[base : base + len(lead)])
        return lead, [slice(int(x), int(y)) for x, y in pairwise(bounds)]

    def _open_chords(self, r: int, parts: list[slice]) -> list[int]:
        """The chords of a cell whose order is not decided yet."""
        if r not in self._open:
            t, t_error = self.crossings.t, self.crossings.t_error
            several = [(g, part.start, part.stop) for g, part in enumerate(parts) if part.stop - part.start > 1]
            self._open[r] = [
                g for g, a, b in several if not (t[a + 1 : b] - t[a : b - 1] > t_error[a + 1 : b] + t_error[a : b - 1]).all()
            ]
        return self._open[r]

    def _ends(self, r: int, chord: int) -> Array:
        """The hyperplanes of the two ends of a chord."""
        chords, place = self.chords, int(self.boundary.offsets[r])
        ends = self.boundary.vertex[[place + int(chords.low[chord]), place + int(chords.high[chord])]]
        return self.vertex_hyperplanes[ends]

    def n_open(self, items: Array) -> int:
        pair_offsets = self.crossings.pair_offsets
        return 2 * int((pair_offsets[items + 1] - pair_offsets[items]).sum())

    def decide(self, precision: Precision, items: Array) -> Array:
        if precision is Precision.DOUBLE and not self.oracle.has_own_doubles:  # that is what left the cells undecided
            return np.zeros(len(items), np.bool_)
        return np.array([self._decide(precision, int(r)) for r in items], np.bool_)

    def _decide(self, precision: Precision, r: int) -> bool:
        chords, x, cell = self.chords, self.crossings, int(self.cells[r])
        lead, parts = self._leads(r)
        numbers, left = np.array(lead), []
        for some in self._in_parts(self._open_chords(r, parts)):
            ends = np.concatenate([self._ends(r, lead[g]) for g in some])
            values = self.oracle.values_at(precision, ends, np.full(len(ends), cell))
            if values is None:
                return False
            for i, g in enumerate(some):
                part = parts[g]
                forms = chords.form[numbers[x.other[part]]]
                ordered = ordered_crossings(*(v[2 * i : 2 * i + 2, forms] for v in values))
                if ordered is None:
                    left.append(g)
                    continue
                order, x.t[part], x.t_error[part] = ordered
                x.other[part], x.pair[part] = x.other[part][order], x.pair[part][order]
        self._open[r] = left
        return not left

    def _in_parts(self, chords: list[int]) -> Iterator[list[int]]:
        """Chords in parts whose ends, two each, fit in memory."""
        if not chords:
            return
        step = max(1, len(self.oracle.parts(np.arange(2 * len(chords)))[0]) // 2)
        for i in range(0, len(chords), step):
            yield chords[i : i + step]

    def decide_exactly(self, items: Array) -> None:
        for r in items.tolist():
            self._decide_exactly(r)

    def _decide_exactly(self, r: int) -> None:
        chords, x, cell = self.chords, self.crossings, int(self.cells[r])
        lead, parts = self._leads(r)
        lines = [self.oracle.form(cell, int(chords.form[i])) for i in lead]
        for g in self._open_chords(r, parts):
            part = parts[g]
            start, stop = (self.oracle.position(hyperplanes) for hyperplanes in self._ends(r, lead[g]))
            place = _places_along(lines[g], [lines[int(j)] for j in x.other[part]], start, stop)
            order, x.rank[part], x.t[part], x.t_error[part] = settled_order(x.t[part], x.t_error[part], place)
            x.other[part], x.pair[part] = x.other[part][order], x.pair[part][order]


def _places_along(line: Vector, others: list[Vector], start: Vector, stop: Vector) -> Callable[[int], Fraction]:
    """Where a line meets others, as parameters between two of its points."""
    along = [b * start[2] - a * stop[2] for a, b in zip(start[:2], stop[:2], strict=True)]
    origin = Fraction(dot(along, start[:2]), start[2])
    length = Fraction(dot(along, stop[:2]), stop[2]) - origin

    def place(i: int) -> Fraction:
        meeting = cross(line, others[i])
        return (Fraction(dot(along, meeting[:2]), meeting[2]) - origin) / length

    return place
