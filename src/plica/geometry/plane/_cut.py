"""One layer of folds cut into a plane subdivision.

(1) signs of all forms at all vertices; (2) crossings on each edge, once per edge; (3) chords of each cut cell and their order;
(4) faces. Where an error bound does not decide, the oracle does, in integers. The result knows, for every new vertex, between
which two vertices it lies, so that any tensor that is affine on the old cells can be carried over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plica._lazy import cached_property
from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.plane import _chords, _faces
from plica.geometry.plane._arrays import (
    CellCuts,
    EdgeSplit,
    FaceScratch,
    InnerVertices,
    NewCells,
    NewEdges,
    Places,
    face_scratch,
)
from plica.geometry.plane._chord_order import LEAST_CELLS, Chords, EdgeCut, cell_chords, cells_of_many_pairs, ranges_between
from plica.geometry.plane._mesh import Mesh
from plica.geometry.signs._arrays import Crossings, NewVertices
from plica.geometry.signs._crossings import EdgeOracle, edge_crossings, lead_crossings, offsets_from_counts
from plica.geometry.signs._vertex_signs import SignForms, vertex_signs
from plica.geometry.values._dyadic_rows import DyadicOrders, orders_of_cut

_SCRATCH_BYTES = 128  # on the way to the faces of a cell, for each pair of chords that cross in it


@dataclass(eq=False)
class CutResult:
    """The finer subdivision; ``parent`` and sign ``words`` (bit k: form k positive) for each of its cells."""

    mesh: Mesh
    parent: Array
    words: Array
    on_edges: NewVertices
    inside: NewVertices
    crossings: Crossings
    split: EdgeSplit
    chords: Chords
    node_offsets: Array  # of each cut cell: its first inner vertex
    orders: DyadicOrders | None  # which new vertices floating point may have without error


@dataclass(eq=False)
class _Names:
    """The lines that vertices lie on, written down when somebody asks."""

    mesh: Mesh
    edge_cut: EdgeCut
    layer: int
    rename: Callable[[Array], None] | None

    @cached_property
    def vertex_hyperplanes(self) -> Array:
        """At old vertices and at those on old edges."""
        mesh, cut = self.mesh, self.edge_cut
        line = np.empty((cut.on_edges.n_vertices, 6), np.int32)
        if len(line):
            form = cut.crossings.form[cut.lead]
            _faces.name_vertices(cut.edge, mesh.edge_hyperplane, mesh.edge_cells(), form, self.layer, line)
        if self.rename is not None:
            self.rename(line[:, 3:])
        return np.concatenate([mesh.vertex_hyperplanes, line])


@dataclass(eq=False)
class _Chorded:
    """A subdivision with all that is decided about how a layer cuts it; what is left is to write it down."""

    edge_cut: EdgeCut
    cuts: CellCuts
    chords: Chords
    names: _Names

    @property
    def n_cells(self) -> int:
        n_faces = self.chords.n_faces
        return int(len(self.cuts.n_cuts) - len(n_faces) + n_faces.sum())


def _decide_cut(
    mesh: Mesh, forms: SignForms, oracle: EdgeOracle, layer: int, rename: Callable[[Array], None] | None, *, least_pairs: int
) -> _Chorded:
    """Every decision of a cut: signs, crossings on edges, chords and their order."""
    edge_cut = _cut_edges(mesh, forms, oracle)
    n, words = mesh.n_cells, edge_cut.signs.pos.shape[1]
    cuts = CellCuts(*(np.empty((n, words), np.uint64) for _ in range(2)), *(np.empty(n, np.int64) for _ in range(2)))
    arrays, n_groups, signs = mesh.arrays, edge_cut.crossings.n_groups, edge_cut.signs
    parallel_ranges(lambda a, b: _chords.find_cuts(arrays, n_groups, signs, a, b, cuts), n)

    names = _Names(mesh, edge_cut, layer, rename)
    chords = cell_chords(mesh, forms, edge_cut, cuts, names, oracle, least_pairs=least_pairs)
    return _Chorded(edge_cut, cuts, chords, names)


def _cut_edges(mesh: Mesh, forms: SignForms, oracle: EdgeOracle) -> EdgeCut:
    signs = vertex_signs(forms, oracle)
    crossings = edge_crossings(mesh.edges, forms, signs, oracle)
    group_offsets = offsets_from_counts(crossings.n_groups)
    new_vertex, new_edge = len(mesh.vertex_hyperplanes) + group_offsets[:-1], np.arange(len(mesh.edges)) + group_offsets[:-1]
    lead, edge = lead_crossings(crossings)
    on_edges = NewVertices(mesh.edges[edge, 0], mesh.edges[edge, 1], crossings.t[lead], crossings.t_error[lead])
    return EdgeCut(signs, crossings, lead, edge, on_edges, EdgeSplit(crossings.n_groups, new_edge, new_vertex))


def count_cut(mesh: Mesh, forms: SignForms, oracle: EdgeOracle, layer: int) -> int:
    """How many cells a subdivision would have after a cut with all forms of a layer."""
    # three chords through one point make three pairs: with fewer, how they follow each other does not matter for the count
    return _decide_cut(mesh, forms, oracle, layer, None, least_pairs=3).n_cells


def cut_mesh(
    mesh: Mesh,
    forms: SignForms,
    oracle: EdgeOracle,
    layer: int,
    *,
    rename: Callable[[Array], None] | None = None,
    watch: Callable[[int, int, int], None] | None = None,
) -> CutResult:
    """Cut a subdivision with all forms of a layer.

    New lines are named (layer, cell, form); ``rename`` gives them other lasting names, in place. ``watch`` is told the numbers of
    cells, vertices and bytes to come before they are made, and may object.
    """
    decided = _decide_cut(mesh, forms, oracle, layer, rename, least_pairs=1)
    edge_cut, cuts, chords = decided.edge_cut, decided.cuts, decided.chords
    n_old, n_edges, on_edges = len(mesh.vertex_hyperplanes), len(mesh.edges), edge_cut.on_edges
    n_new = int(chords.n_nodes.sum() + chords.n_segments.sum() + chords.n_faces.sum())
    n_bytes = 64 * (n_new + n_old + n_edges + on_edges.n_vertices) + 8 * decided.n_cells * cuts.cut.shape[1]
    tick(n_bytes + _SCRATCH_BYTES * chords.most_pairs)
    if watch is not None:
        watch(decided.n_cells, n_old + on_edges.n_vertices + int(chords.n_nodes.sum()), n_bytes)

    # places of what comes: vertices on edges, then inside; parts of old edges, then segments of chords
    cells = chords.arrangement.cells
    faces_of, halves_of = np.ones(mesh.n_cells, np.int64), np.diff(mesh.offsets)
    faces_of[cells], halves_of[cells] = chords.n_faces, cuts.n_boundary[cells] + 2 * chords.n_segments
    cell_at, half_at = offsets_from_counts(faces_of), offsets_from_counts(halves_of)
    places = Places(
        cell_at[cells],
        half_at[cells],
        offsets_from_counts(chords.n_nodes),
        offsets_from_counts(chords.n_segments),
        n_old + on_edges.n_vertices,
        n_edges + on_edges.n_vertices,
    )
    n_inside, n_out, n_faces = int(places.node[-1]), places.edge_base + int(places.segment[-1]), int(cell_at[-1])
    edges = NewEdges(np.empty((n_out, 2), np.int32), np.empty((n_out, 3), np.int32))
    out = NewCells(
        np.empty(n_faces + 1, np.int64),
        np.empty(int(half_at[-1]), np.int32),
        np.empty((n_faces, cuts.cut.shape[1]), np.uint64),
        np.empty(n_faces, np.int32),
    )
    out.offsets[-1] = half_at[-1]
    inside = NewVertices(np.empty(n_inside, np.int32), np.empty(n_inside, np.int32), np.empty(n_inside), np.empty(n_inside))
    vertices = InnerVertices(*inside, np.empty((n_inside, 6), np.int32))
    _write_cut(mesh, decided, layer, cell_at, half_at, places, vertices, edges, out)

    orders = None
    if forms.dyadic is not None:
        form = edge_cut.crossings.form[edge_cut.lead]
        orders = orders_of_cut(forms.dyadic, forms.z, on_edges, form, inside, vertices.hyperplanes[:, 5])
        on_edges.t_error[orders.on_edges >= 0] = 0.0
        inside.t_error[orders.inside >= 0] = 0.0
    if rename is not None:
        for line in (edges.hyperplane[places.edge_base :], vertices.hyperplanes[:, :3], vertices.hyperplanes[:, 3:]):
            rename(line)
    hyperplanes = np.concatenate([decided.names.vertex_hyperplanes, vertices.hyperplanes])
    finer = Mesh(edges.edges, edges.hyperplane, out.offsets, out.half_edges, hyperplanes)
    return CutResult(
        finer, out.parent, out.words, on_edges, inside, edge_cut.crossings, edge_cut.split, chords, places.node, orders
    )


def _write_cut(
    mesh: Mesh,
    decided: _Chorded,
    layer: int,
    cell_at: Array,
    half_at: Array,
    places: Places,
    vertices: InnerVertices,
    edges: NewEdges,
    out: NewCells,
) -> None:
    """Old edges in parts, cells that nothing cuts, and the faces of the others, at their places."""
    arrays, edge_cut, cuts, chords = mesh.arrays, decided.edge_cut, decided.cuts, decided.chords

    def split(a: int, b: int) -> None:
        _faces.split_edges(mesh.edges, mesh.edge_hyperplane, edge_cut.split, a, b, edges)

    kept = np.flatnonzero(cuts.n_cuts == 0)
    kept_cell, kept_half = cell_at[kept], half_at[kept]

    def keep(a: int, b: int) -> None:
        _faces.keep_cells(kept, arrays, edge_cut.split.new_edge, cuts.active, a, b, kept_cell, kept_half, out)

    arrangement = chords.arrangement
    n_pairs, n_boundary = np.diff(arrangement.crossings.pair_offsets), np.diff(arrangement.boundary.offsets)
    counts = (arrangement.chords.n_chords, n_pairs, chords.n_segments, chords.n_nodes, n_boundary)

    def room(a: int, b: int) -> FaceScratch:
        return face_scratch(*[int(n[a:b].max(initial=0)) for n in counts])

    def build(a: int, b: int) -> None:
        scratch = room(a, b)
        _faces.build_faces(arrays, edge_cut.signs, cuts, arrangement, layer, a, b, places, scratch, vertices, edges, out)

    def build_in_parts(r: int) -> None:
        scratch = room(r, r + 1)
        _faces.make_segments(r, layer, arrangement, places, scratch, vertices, edges)
        tick()
        _faces.sort_stars(r, arrangement.boundary.offsets, places, scratch)
        tick()
        end = _faces.walk_faces(r, arrangement, places, scratch, out)
        tick()
        _faces.spread_signs(r, end, arrays, edge_cut.signs, cuts, arrangement, places, scratch, out)

    parallel_ranges(split, len(mesh.edges), least=8192)
    parallel_ranges(keep, len(kept), least=4096)
    large = cells_of_many_pairs(n_pairs, chords.most_pairs)
    ranges_between(large, len(arrangement.cells), build, least=2 * LEAST_CELLS)
    for r in large:
        tick()
        build_in_parts(r)
