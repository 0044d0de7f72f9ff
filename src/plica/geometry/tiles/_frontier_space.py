"""Tiles of a face lattice: cut out of the frontier, finished alone, glued along their common faces.

Which faces a form cuts depends on the network's values at their vertices alone, so a face of the frontier is subdivided the
same way in every tile that has it. A new vertex is known by the two ends of the edge that it cut; a face is known by its
facets. Only numbers are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._compiled import compiled
from plica._types import Array
from plica.geometry._budget import Meter
from plica.geometry._states import States, TableStates
from plica.geometry.domains import Box, Polytope
from plica.geometry.signs._decisions import Decisions
from plica.geometry.signs._exact_maps import LayerStates
from plica.geometry.signs._oracle import CutOracle
from plica.geometry.signs._vertex_signs import SignForms
from plica.geometry.space._cut import Names
from plica.geometry.space._engine import PARAMETERS, SpaceMap, SpaceStart, SpaceWalk, SpaceWalker
from plica.geometry.space._lattice import Faces, Lattice, Vertices
from plica.geometry.space._sublattice import sublattice
from plica.geometry.tiles._frontier import (
    chosen_states,
    first_signs,
    joined_parents,
    joined_states,
    number_levels,
    renamed_hyperplanes,
)
from plica.geometry.values._tensors import Tensor
from plica.network import Network


class TileWalker(SpaceWalker):
    """A walker that remembers between which two vertices each new one was made."""

    def __init__(
        self, network: Network, floats: Network, exponents: list[int], domain: Box | Polytope, meter: Meter, *, start: SpaceStart
    ) -> None:
        super().__init__(network, floats, exponents, domain, meter, start=start)
        self.ends: list[Array] = []

    def _cut(self, forms: SignForms, oracle: CutOracle, names: Names) -> None:
        super()._cut(forms, oracle, names)
        start, stop = self.lattice.new_vertices
        self.ends.append(self.lattice.vertices.arrays.ends[start:stop].copy())


class SpaceFrontier:
    """The walk through a box, stopped after some layers."""

    def __init__(self, network: Network, floats: Network, exponents: list[int], domain: Box | Polytope, meter: Meter) -> None:
        self.walker = SpaceWalker(network, floats, exponents, domain, meter)
        self.domain = domain
        self.layer, self.index = 0, 1

    @property
    def n_cells(self) -> int:
        return self.walker.lattice.n_cells

    def next_layer(self) -> None:
        """Carry everything through one more layer."""
        self.index = _through_layer(self.walker, self.index, self.layer)
        self.layer += 1

    def labels(self) -> Array:
        """The cell of each part: parts of one cell belong in one tile, which counts them once."""
        return whole_cells(self.walker.states, [s.parent for s in self.walker.exact.layers], self.n_cells)

    def signs(self) -> Array:
        return first_signs(self.walker.states, [s.parent for s in self.walker.exact.layers], self.n_cells)


def _through_layer(w: SpaceWalker, index: int, layer: int) -> int:
    """The nodes up to the fold of a layer; returns the index of the node after it."""
    last = w.network.layers[layer]
    for i in range(index, last + 1):
        if i == last:
            w.fold(layer, i)
        else:
            w.affine(i)
        w.drop_unused(i)
    return last + 1


def whole_cells(states: list[States], parents: list[Array], n: int) -> Array:
    """Labels of the cells that parts belong to: parts with equal patterns are one cell (only a maximum leaves such)."""
    if not any(isinstance(s, TableStates) for s in states):
        return np.arange(n)
    cells, rows = np.arange(n), []
    for s, parent in zip(reversed(states), reversed(parents), strict=True):
        rows.append(np.ascontiguousarray(s.table[cells]).view(np.uint8).reshape(n, -1))
        cells = parent[cells]
    return np.unique(np.concatenate(rows, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


@dataclass(eq=False)
class SpaceTile:
    """A finished tile. Its first vertices are the frontier's ``vertices``, its first hyperplanes are the frontier's.

    ``hyperplane_table`` holds the others; ``faces`` are, for each dimension from 1 up, sizes, entries and hyperplanes.
    """

    cells: Array
    vertices: Array
    ends: Array
    vertex_hyperplanes: Array
    faces: list[tuple[Array, Array, Array]]
    hyperplane_table: Array
    parents: list[Array]
    states: list[States]
    parameters: Tensor
    outputs: Tensor
    decisions: Decisions

    @property
    def n_cells(self) -> int:
        return len(self.faces[-1][0])


def cut_out(frontier: SpaceFrontier, cells: Array, meter: Meter) -> tuple[TileWalker, Array]:
    """A walker for some frontier cells, and the frontier's numbers of their vertices."""
    f = frontier.walker
    lattice, kept = sublattice(f.lattice, cells)
    last = chosen_states(f.states[-1], cells)
    start = SpaceStart(
        lattice=lattice,
        tensors={k: t.taken(kept[0]) for k, t in f.tensors.items()},
        layers=[*f.exact.layers[:-1], LayerStates(f.exact.layers[-1].parent[cells], last)],
        states=[*f.states[:-1], last],
    )
    return TileWalker(f.network, f.floats, f.exponents, frontier.domain, meter, start=start), kept[0]


def finish_space(frontier: SpaceFrontier, cells: Array, meter: Meter) -> SpaceTile:
    """Some frontier cells carried to the end of the network."""
    w, vertices = cut_out(frontier, cells, meter)
    n_known, index = w.lattice.n_hyperplanes, frontier.index
    for layer in range(frontier.layer, len(w.network.layers)):
        index = _through_layer(w, index, layer)
    for i in range(index, len(w.network.nodes)):
        w.affine(i)
    outputs, parameters = (Tensor(t.values, t.error) for t in (w.tensors[len(w.network.nodes) - 1], w.tensors[PARAMETERS]))
    lattice = w.lattice
    faces = []
    for f in lattice.faces.values():
        offsets, entries = f.packed()
        faces.append((np.diff(offsets).astype(np.int32), entries, f.hyperplanes.copy()))
    return SpaceTile(
        cells, vertices, np.concatenate(w.ends), lattice.vertices.hyperplanes.copy(), faces,
        lattice.hyperplane_table[n_known : lattice.n_hyperplanes].copy(), [s.parent for s in w.exact.layers[frontier.layer :]],
        w.states[frontier.layer :], parameters, outputs, w.exact.tally.decisions,
    )  # fmt: skip


def count_space_tile(frontier: SpaceFrontier, cells: Array, meter: Meter) -> tuple[int, Decisions]:
    """The number of cells in some frontier cells, and who decided what."""
    w, _ = cut_out(frontier, cells, meter)
    index = frontier.index
    for layer in range(frontier.layer, len(w.network.layers)):
        index = _through_layer(w, index, layer)
    n = w.lattice.n_cells
    if not w.network.has_contests:
        return n, w.exact.tally.decisions
    return int(whole_cells(w.states, [s.parent for s in w.exact.layers], n).max()) + 1, w.exact.tally.decisions


# -- gluing --------------------------------------------------------------------------------------------------------------------


@compiled
def spread_marks(ends: Any, marks: Any, n_old: Any) -> None:
    """A new vertex between two marked ones is marked."""
    for i in range(ends.shape[0]):
        marks[n_old + i] = marks[ends[i, 0]] and marks[ends[i, 1]]


def glue_vertices(tiles: list[SpaceTile], n_old: int) -> tuple[list[Array], list[Array], int]:
    """Numbers of the vertices of each tile, which of them may be in several tiles, and how many there are."""
    uses = np.zeros(n_old, np.int64)
    for tile in tiles:
        uses[tile.vertices] += 1
    known: dict[tuple[int, int], int] = {}
    numbers, shared, total = [], [], n_old
    for tile in tiles:
        start = len(tile.vertices)
        marks = np.zeros(start + len(tile.ends), np.bool_)
        marks[:start] = uses[tile.vertices] > 1
        spread_marks(tile.ends, marks, start)
        own = np.full(len(marks), -1, np.int64)
        own[:start] = tile.vertices
        for v in (start + np.flatnonzero(marks[start:])).tolist():
            p, q = int(own[tile.ends[v - start, 0]]), int(own[tile.ends[v - start, 1]])
            number = known.setdefault((p, q) if p < q else (q, p), total)
            total += number == total
            own[v] = number
        fresh = np.flatnonzero(own < 0)
        own[fresh] = total + np.arange(len(fresh))
        total += len(fresh)
        numbers.append(own)
        shared.append(marks)
    return numbers, shared, total


def glue_faces(tiles: list[SpaceTile], d: int, below: list[Array], marks: list[Array]) -> tuple[Array, list[Array], list[Array]]:
    """Owners of the faces of dimension d among all faces of all tiles, their new numbers, and which may be shared.

    Faces with the same facets are one face. They meet through sums of scrambled numbers of their facets; that equal sums mean
    equal facets is then checked facet by facet.
    """
    starts = np.concatenate([[0], np.cumsum([len(t.faces[d - 1][0]) for t in tiles])])
    owner = np.arange(int(starts[-1]))
    new_marks, ids, sums = [], [], []
    for t, tile in enumerate(tiles):
        size, entries, _ = tile.faces[d - 1]
        first = np.cumsum(size) - size
        mark = np.logical_and.reduceat(marks[t][entries], first)
        new_marks.append(mark)
        ids.append(starts[t] + np.flatnonzero(mark))
        sums.append(np.add.reduceat(scrambled(below[t])[entries], first)[mark])
    every, key = np.concatenate(ids), np.concatenate(sums)
    _, first_of, label = np.unique(key, return_index=True, return_inverse=True)  # the first is in the first tile
    owner[every] = every[first_of[label]]
    twice = every[owner[every] != every]
    if not _same_facets(tiles, d, below, starts, twice, owner[twice]):
        raise AssertionError("two different faces were taken for one")
    is_owner = owner == np.arange(len(owner))
    number = (np.cumsum(is_owner) - 1)[owner]
    return np.flatnonzero(is_owner), np.split(number, starts[1:-1]), new_marks


def scrambled(numbers: Array) -> Array:
    """Numbers mixed into 64 bits (the finalizer of splitmix64), so that sums of different sets differ."""
    x = numbers.astype(np.uint64)
    with np.errstate(over="ignore"):
        x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(x ^ (x >> np.uint64(31)))


def _same_facets(tiles: list[SpaceTile], d: int, below: list[Array], starts: Array, a: Array, b: Array) -> bool:
    """Whether the faces a[i] and b[i] have the same facets, in new numbers."""
    sizes = np.concatenate([t.faces[d - 1][0] for t in tiles]).astype(np.int64)
    entries = np.concatenate([n[t.faces[d - 1][1]] for t, n in zip(tiles, below, strict=True)])
    first = np.cumsum(sizes) - sizes
    if (sizes[a] != sizes[b]).any():
        return False
    for s in np.unique(sizes[a]):
        same = sizes[a] == s
        rows = [np.sort(entries[first[faces[same]][:, None] + np.arange(s)], axis=1) for faces in (a, b)]
        if not np.array_equal(rows[0], rows[1]):
            return False
    return True


def glue_space(frontier: SpaceFrontier, tiles: list[SpaceTile]) -> SpaceWalk:
    """The lattice that one process would have made, from its tiles; cells are numbered by their frontier cell."""
    f = frontier.walker
    levels = number_levels([t.cells for t in tiles], [t.parents for t in tiles])
    vertex_of, marks, n_vertices = glue_vertices(tiles, f.lattice.vertices.n)
    n_known = f.lattice.n_hyperplanes
    moves = np.concatenate([[0], np.cumsum([len(t.hyperplane_table) for t in tiles])])[:-1]
    table = [renamed_hyperplanes(t.hyperplane_table, i, levels, frontier.layer) for i, t in enumerate(tiles)]

    def moved(hyperplanes: Array, i: int) -> Array:
        """Numbers of a tile's hyperplanes in the common table."""
        return np.where(hyperplanes < n_known, hyperplanes, hyperplanes + moves[i])

    vertex_hyperplanes = np.empty((n_vertices, frontier.domain.dimension), np.int32)
    parameters, outputs = (
        Tensor(np.empty((n_vertices, getattr(tiles[0], name).values.shape[1])), np.empty(n_vertices))
        for name in ("parameters", "outputs")
    )
    for i, tile in enumerate(tiles):
        vertex_hyperplanes[vertex_of[i]] = moved(tile.vertex_hyperplanes, i)
        for whole, part in ((parameters, tile.parameters), (outputs, tile.outputs)):
            whole.values[vertex_of[i]], whole.error[vertex_of[i]] = part.values, part.error
    made: list[Faces] = []
    below = vertex_of
    top = frontier.domain.dimension
    for d in range(1, top + 1):
        if d < top:
            owners, numbers, marks = glue_faces(tiles, d, below, marks)
        else:
            owners, numbers = levels[-1].order, []
        size = np.concatenate([t.faces[d - 1][0] for t in tiles]).astype(np.int64)
        entries = np.concatenate([b[t.faces[d - 1][1]] for t, b in zip(tiles, below, strict=True)])
        hyperplanes = np.concatenate([moved(t.faces[d - 1][2], i) for i, t in enumerate(tiles)])
        start = np.cumsum(size) - size
        size, start = size[owners], start[owners]
        inside = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
        made.append(Faces(size, entries[np.repeat(start, size) + inside], hyperplanes[owners]))
        below = numbers
    lattice = Lattice(Vertices(vertex_hyperplanes), made, np.concatenate([f.lattice.hyperplane_table[:n_known], *table]))
    exact = SpaceMap(f.network, frontier.domain)
    exact.lattice = lattice
    states = [joined_states([t.states[i] for t in tiles], level.order) for i, level in enumerate(levels[1:])]
    parents = joined_parents(levels, [t.parents for t in tiles])
    exact.layers = [*f.exact.layers, *(LayerStates(p, s) for p, s in zip(parents, states, strict=True))]
    decisions = sum((t.decisions for t in tiles), f.exact.tally.decisions)
    return SpaceWalk(lattice, [s.parent for s in exact.layers], [*f.states, *states], exact, parameters, outputs, decisions)
