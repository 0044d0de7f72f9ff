"""One layer of folds cut into a plane subdivision.

(1) signs of all forms at all vertices; (2) crossings on each edge, once per edge; (3) chords of each cut cell and their order;
(4) faces. Where an error bound does not decide, the oracle does, in integers. The result knows, for every new vertex, between
which two vertices it lies, so that any tensor that is affine on the old cells can be carried over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.exact import cross, dot
from plica.geometry.plane import _chords, _faces
from plica.geometry.signs._crossings import Crossings, edge_crossings, integer_order, offsets_from_counts, ordered_crossings
from plica.geometry.signs._ladder import Question, climb
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import Oracle, SignForms, Signs, vertex_signs
from plica.geometry.values._dyadic_rows import DyadicOrders, orders_of_cut


@dataclass(eq=False)
class Mesh:
    """A convex subdivision: half-edge 2 e + d runs along edge e from ``edges[e, d]``; cells are counter-clockwise cycles.

    ``edge_hyperplane`` (layer, cell, form) names the line that an edge lies on: the zero set of that form on that cell of the
    complex before that layer; layer -1 is a side of the domain. ``vertex_hyperplanes`` holds two such triples for each vertex
    (for a corner of the domain: -1, its number, -1, then the same).
    """

    edges: Array
    edge_hyperplane: Array
    offsets: Array
    half_edges: Array
    vertex_hyperplanes: Array
    _vertex_cell: Array | None = None

    @property
    def n_cells(self) -> int:
        return len(self.offsets) - 1

    def edge_cells(self) -> Array:
        out = np.empty((len(self.edges), 2), np.int32)
        _faces.sides(self.offsets, self.half_edges, out)
        return out

    def vertex_cell(self) -> Array:
        """Some cell of each vertex."""
        if self._vertex_cell is None:
            self._vertex_cell = np.empty(len(self.vertex_hyperplanes), np.int32)
            corners = self.edges[self.half_edges >> 1, self.half_edges & 1]
            self._vertex_cell[corners] = np.repeat(np.arange(self.n_cells), np.diff(self.offsets))
        return self._vertex_cell


@dataclass(eq=False)
class NewVertices:
    """Vertices added by a cut: each on the segment from p to q, at parameter ``t``, known within ``t_error``."""

    p: Array
    q: Array
    t: Array
    t_error: Array

    def __len__(self) -> int:
        return len(self.p)


@dataclass(eq=False)
class Chords:
    """Chords of the cut cells (see :mod:`plica.geometry.plane._chords`), with their crossings in order."""

    cells: Array
    offsets: Array
    boundary_offsets: Array
    b_vertex: Array
    b_half_edge: Array
    form: Array
    low: Array
    high: Array
    group: Array
    n_chords: Array
    pair_offsets: Array
    entry_count: Array
    other: Array
    pair: Array
    t: Array
    t_error: Array
    rank: Array
    n_nodes: Array
    n_segments: Array
    most: int  # forms that cut one cell


@dataclass(eq=False)
class CutResult:
    """The finer subdivision; ``parent`` and sign ``words`` (bit k: form k positive) for each of its cells."""

    mesh: Mesh
    parent: Array
    words: Array
    on_edges: NewVertices
    inside: NewVertices
    crossings: Crossings
    new_vertex: Array  # of each old edge: its first new vertex
    chords: Chords
    node_offsets: Array  # of each cut cell: its first inner vertex
    orders: DyadicOrders | None  # which new vertices floating point may have without error


class ChordOrder(Question):
    """In which order do the chords of a cell cross each other? Items are cut cells (rows of ``chords``)."""

    def __init__(self, chords: Chords, vertex_hyperplanes: Array, oracle: Oracle) -> None:
        self.chords, self.vertex_hyperplanes, self.oracle = chords, vertex_hyperplanes, oracle

    def _leads(self, r: int) -> tuple[list[int], list[slice]]:
        """For each distinct chord of a cell a chord that is it, and where its crossings are."""
        chords = self.chords
        base = int(chords.offsets[r])
        lead = [base + int(i) for i in np.unique(chords.group[base : chords.offsets[r + 1]], return_index=True)[1]]
        bounds = 2 * int(chords.pair_offsets[r]) + offsets_from_counts(chords.entry_count[base : base + len(lead)])
        return lead, [slice(int(x), int(y)) for x, y in pairwise(bounds)]

    def _ends(self, r: int, chord: int) -> Array:
        """The hyperplanes of the two ends of a chord."""
        chords, place = self.chords, int(self.chords.boundary_offsets[r])
        ends = chords.b_vertex[[place + int(chords.low[chord]), place + int(chords.high[chord])]]
        return self.vertex_hyperplanes[ends]

    def n_open(self, items: Array) -> int:
        pair_offsets = self.chords.pair_offsets
        return 2 * int((pair_offsets[items + 1] - pair_offsets[items]).sum())

    def decide(self, precision: Precision, items: Array) -> Array:
        if precision is Precision.DOUBLE:  # that is what left the cells undecided
            return np.zeros(len(items), np.bool_)
        return np.array([self._decide(precision, int(r)) for r in items], np.bool_)

    def _decide(self, precision: Precision, r: int) -> bool:
        chords, cell = self.chords, int(self.chords.cells[r])
        lead, parts = self._leads(r)
        ends = np.concatenate([self._ends(r, i) for i in lead])
        values = self.oracle.values_at(precision, ends, np.full(len(ends), cell))
        if values is None:
            return False
        found = []
        for g, part in enumerate(parts):
            if part.stop - part.start < 2:
                continue
            forms = chords.form[[lead[int(j)] for j in chords.other[part]]]
            ordered = ordered_crossings(*(x[2 * g : 2 * g + 2, forms] for x in values))
            if ordered is None:
                return False
            found.append((part, *ordered))
        for part, order, t, t_error in found:
            chords.other[part], chords.pair[part] = chords.other[part][order], chords.pair[part][order]
            chords.t[part], chords.t_error[part] = t, t_error
        return True

    def decide_exactly(self, items: Array) -> None:
        for r in items.tolist():
            self._decide_exactly(r)

    def _decide_exactly(self, r: int) -> None:
        chords, cell = self.chords, int(self.chords.cells[r])
        lead, parts = self._leads(r)
        lines = [self.oracle.form(cell, int(chords.form[i])) for i in lead]
        for g, (i, part) in enumerate(zip(lead, parts, strict=True)):
            start, stop = (self.oracle.position(hyperplanes) for hyperplanes in self._ends(r, i))
            along = [b * start[2] - a * stop[2] for a, b in zip(start[:2], stop[:2], strict=True)]
            origin, length = Fraction(dot(along, start[:2]), start[2]), Fraction(dot(along, stop[:2]), stop[2])
            length -= origin
            meetings = [cross(lines[g], lines[int(j)]) for j in chords.other[part]]
            places = [(Fraction(dot(along, m[:2]), m[2]) - origin) / length for m in meetings]
            order, rank = integer_order(places)
            chords.other[part], chords.pair[part] = chords.other[part][order], chords.pair[part][order]
            chords.t[part], chords.t_error[part], chords.rank[part] = [float(places[k]) for k in order], 1e-15, rank


def cell_chords(
    mesh: Mesh, forms: SignForms, signs: Signs, crossings: Crossings, new: NewVertices, cut: Array, cells: Array, n_cuts: Array,
    n_boundary: Array, new_edge: Array, new_vertex: Array, vertex_hyperplanes: Callable[[], Array], oracle: Oracle,
    least_pairs: int,
) -> Chords:  # fmt: skip
    """The chords of every cut cell and the order of their crossings, in cells with at least so many."""
    n = len(cells)
    offsets, boundary_offsets = offsets_from_counts(n_cuts[cells]), offsets_from_counts(n_boundary[cells])
    b_vertex, b_half_edge = (np.empty(int(boundary_offsets[-1]), np.int32) for _ in range(2))
    form, low, high, group, entry_count = (np.empty(int(offsets[-1]), np.int32) for _ in range(5))
    n_chords, n_pairs = np.empty(n, np.int64), np.empty(n, np.int64)

    def build(a: int, b: int) -> None:
        _chords.build_chords(
            cells, mesh.offsets, mesh.half_edges, mesh.edges, crossings.n_groups, new_edge, new_vertex, crossings.offsets,
            crossings.form, crossings.rank, signs.pos, signs.neg, cut, a, b, offsets, boundary_offsets, b_vertex, b_half_edge,
            form, low, high, group, n_chords, n_pairs,
        )  # fmt: skip

    parallel_ranges(build, n, least=2048)
    pair_offsets = offsets_from_counts(n_pairs)
    n_entries = 2 * int(pair_offsets[-1])
    other, pair, rank = (np.empty(n_entries, np.int32) for _ in range(3))
    t, t_error = np.empty(n_entries), np.empty(n_entries)
    undecided = np.zeros(n, np.bool_)

    def order(a: int, b: int) -> int:
        return int(
            _chords.order_crossings(
                forms.z, forms.scale, forms.error, forms.floor, new.p, new.q, new.t, new.t_error, least_pairs, a, b, offsets,
                boundary_offsets, b_vertex, form, low, high, group, n_chords, pair_offsets, entry_count, other, pair, t, t_error,
                rank, undecided,
            )
        )  # fmt: skip

    n_undecided = sum(parallel_ranges(order, n, least=2048))
    chords = Chords(
        cells, offsets, boundary_offsets, b_vertex, b_half_edge, form, low, high, group, n_chords, pair_offsets, entry_count,
        other, pair, t, t_error, rank, n_pairs, n_chords + 2 * n_pairs, int(n_cuts.max(initial=0)),
    )  # fmt: skip
    cells_left = np.flatnonzero(undecided) if n_undecided else np.empty(0, np.int64)
    n_open = 2 * int((pair_offsets[cells_left + 1] - pair_offsets[cells_left]).sum())
    oracle.tally.add(n_entries - n_open, Precision.DOUBLE)
    if n_undecided:
        climb(ChordOrder(chords, vertex_hyperplanes(), oracle), cells_left, oracle.tally)
        for r in cells_left:
            _faces.count_nodes(
                r, r + 1, offsets, n_chords, pair_offsets, entry_count, pair, rank, chords.n_nodes, chords.n_segments
            )
    return chords


def cut_mesh(
    mesh: Mesh,
    forms: SignForms,
    oracle: Oracle,
    layer: int,
    *,
    rename: Callable[[Array], None] | None = None,
    count_only: bool = False,
    watch: Callable[[int, int], None] | None = None,
) -> CutResult | int:
    """Cut a subdivision with all forms of a layer; with ``count_only`` just the number of cells.

    New lines are named (layer, cell, form); ``rename`` gives them other lasting names, in place. ``watch`` is told the number of
    cells and bytes to come before they are made, and may object.
    """
    n_old, n_edges, n_cells = len(mesh.vertex_hyperplanes), len(mesh.edges), mesh.n_cells
    signs = vertex_signs(forms, oracle)
    crossings = edge_crossings(mesh.edges, forms, signs, oracle)
    group_offsets = offsets_from_counts(crossings.n_groups)
    n_on_edges = int(group_offsets[-1])
    new_vertex, new_edge = n_old + group_offsets[:-1], np.arange(n_edges) + group_offsets[:-1]

    words = signs.pos.shape[1]
    active, cut = (np.empty((n_cells, words), np.uint64) for _ in range(2))
    n_cuts, n_boundary = np.empty(n_cells, np.int64), np.empty(n_cells, np.int64)

    def find(a: int, b: int) -> None:
        _chords.find_cuts(
            mesh.offsets,
            mesh.half_edges,
            mesh.edges,
            crossings.n_groups,
            signs.pos,
            signs.neg,
            a,
            b,
            active,
            cut,
            n_cuts,
            n_boundary,
        )

    parallel_ranges(find, n_cells)
    is_cut = n_cuts > 0
    cells = np.flatnonzero(is_cut)

    lead, edge = crossings.leads
    on_edges = NewVertices(mesh.edges[edge, 0], mesh.edges[edge, 1], crossings.t[lead], crossings.t_error[lead])

    @cache
    def vertex_hyperplanes() -> Array:
        line = np.empty((n_on_edges, 6), np.int32)
        if n_on_edges:
            _faces.name_vertices(edge, mesh.edge_hyperplane, mesh.edge_cells(), crossings.form[lead], layer, line)
        if rename is not None:
            rename(line[:, 3:])
        return np.concatenate([mesh.vertex_hyperplanes, line])

    # three chords through one point make three pairs: with fewer, how they follow each other does not matter for the count
    chords = cell_chords(
        mesh, forms, signs, crossings, on_edges, cut, cells, n_cuts, n_boundary, new_edge, new_vertex, vertex_hyperplanes, oracle,
        3 if count_only else 1,
    )  # fmt: skip
    n_faces = 1 + chords.n_segments - chords.n_nodes
    if count_only:
        return int(n_cells - len(cells) + n_faces.sum())

    if watch is not None:
        n_new = int(chords.n_nodes.sum() + chords.n_segments.sum() + n_faces.sum())
        watch(int(n_cells - len(cells) + n_faces.sum()), 64 * (n_new + n_old + n_edges + n_on_edges))

    # places of what comes: vertices on edges, then inside; pieces of old edges, then segments of chords
    node_offsets, segment_offsets = offsets_from_counts(chords.n_nodes), offsets_from_counts(chords.n_segments)
    vertex_base, edge_base = n_old + n_on_edges, n_edges + n_on_edges
    n_inside, n_segments = int(node_offsets[-1]), int(segment_offsets[-1])
    faces_of = np.ones(n_cells, np.int64)
    faces_of[cells] = n_faces
    halves_of = np.diff(mesh.offsets)
    halves_of[cells] = n_boundary[cells] + 2 * chords.n_segments
    cell_at, half_at = offsets_from_counts(faces_of), offsets_from_counts(halves_of)

    out_edges = np.empty((edge_base + n_segments, 2), np.int32)
    out_hyperplane = np.empty((edge_base + n_segments, 3), np.int32)
    parallel_ranges(
        lambda a, b: _faces.split_edges(
            mesh.edges, mesh.edge_hyperplane, crossings.n_groups, new_vertex, new_edge, a, b, out_edges, out_hyperplane
        ),
        n_edges,
        least=8192,
    )
    out_offsets = np.empty(int(cell_at[-1]) + 1, np.int64)
    out_offsets[-1] = half_at[-1]
    out_half_edges = np.empty(int(half_at[-1]), np.int32)
    out_words = np.empty((int(cell_at[-1]), words), np.uint64)
    parent = np.empty(int(cell_at[-1]), np.int32)
    kept = np.flatnonzero(~is_cut)
    parallel_ranges(
        lambda a, b: _faces.keep_cells(
            kept, mesh.offsets, mesh.half_edges, new_edge, active, a, b, cell_at[kept], half_at[kept],
            out_offsets, out_half_edges, out_words, parent,
        ),
        len(kept),
        least=4096,
    )  # fmt: skip
    inside = NewVertices(np.empty(n_inside, np.int32), np.empty(n_inside, np.int32), np.empty(n_inside), np.empty(n_inside))
    inside_hyperplanes = np.empty((n_inside, 6), np.int32)
    line_cell = np.arange(n_cells, dtype=np.int32)
    at_cells, at_halves = cell_at[cells], half_at[cells]

    def build(a: int, b: int) -> None:
        _faces.build_faces(
            cells, mesh.offsets, mesh.half_edges, mesh.edges, signs.pos, signs.neg, cut, active, layer, a, b,
            chords.offsets, chords.boundary_offsets, chords.b_vertex, chords.b_half_edge, chords.form, chords.low, chords.high,
            chords.group, chords.n_chords, chords.pair_offsets, chords.entry_count, chords.other, chords.pair, chords.t,
            chords.t_error, chords.rank, node_offsets, segment_offsets, at_cells, at_halves, vertex_base, edge_base, line_cell,
            out_edges, out_hyperplane, inside.p, inside.q, inside.t, inside.t_error, inside_hyperplanes,
            out_offsets, out_half_edges, out_words, parent,
        )  # fmt: skip

    parallel_ranges(build, len(cells), least=2048)
    orders = None
    if forms.dyadic is not None:
        orders = orders_of_cut(forms.dyadic, forms.z, on_edges, crossings.form[lead], inside, inside_hyperplanes[:, 5])
        on_edges.t_error[orders.on_edges >= 0] = 0.0
        inside.t_error[orders.inside >= 0] = 0.0
    if rename is not None:
        for line in (out_hyperplane[edge_base:], inside_hyperplanes[:, :3], inside_hyperplanes[:, 3:]):
            rename(line)
    finer = Mesh(
        out_edges, out_hyperplane, out_offsets, out_half_edges, np.concatenate([vertex_hyperplanes(), inside_hyperplanes])
    )
    return CutResult(finer, parent, out_words, on_edges, inside, crossings, new_vertex, chords, node_offsets, orders)
