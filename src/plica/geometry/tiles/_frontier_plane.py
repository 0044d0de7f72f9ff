"""Tiles of a plane subdivision: cut out of the frontier, finished alone, glued along their common edges.

A later layer cuts an edge of the frontier where the network says so, the same way seen from either side: its pieces in the two
tiles that share it correspond one to one, in order. So gluing compares no coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.geometry._budget import Meter
from plica.geometry._states import States
from plica.geometry.domains import Domain
from plica.geometry.plane._cut import count_cut
from plica.geometry.plane._engine import PARAMETERS, PlaneStart, PlaneWalk, PlaneWalker
from plica.geometry.plane._mesh import Mesh
from plica.geometry.signs._decisions import Decisions
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._oracle import CutOracle, simple_forms
from plica.geometry.tiles._frontier import (
    chosen_states,
    first_signs,
    joined_parents,
    joined_states,
    number_levels,
    renamed_hyperplanes,
)
from plica.geometry.values._tensors import Tensor, apply_affine
from plica.network import Fold, Network


class PlaneFrontier:
    """The walk through a plane, stopped after some layers."""

    def __init__(self, network: Network, floats: Network, exponents: list[int], domain: Domain, meter: Meter) -> None:
        self.walker = PlaneWalker(network, floats, exponents, domain, meter)
        self.layer, self.index = 0, 1

    @property
    def n_cells(self) -> int:
        return self.walker.mesh.n_cells

    def next_layer(self) -> None:
        """Carry everything through one more layer."""
        self.index = _through_layer(self.walker, self.index, self.layer, whole=True)
        self.layer += 1

    def labels(self) -> Array:
        return np.arange(self.n_cells)

    def signs(self) -> Array:
        return first_signs(self.walker.states, [s.parent for s in self.walker.exact.layers], self.n_cells)


def _through_layer(w: PlaneWalker, index: int, layer: int, *, whole: bool = False) -> int:
    """The nodes up to the fold of a layer, ``whole`` if its tensors are wanted; returns the index of the node after it."""
    last = w.network.layers[layer]
    for i in range(index, last + 1):
        if i == last:
            w.fold(layer, i, whole=whole)
            w.meter.layer_finished(w.mesh.n_cells)
        else:
            w.affine(i)
        w.tensors = {k: t for k, t in w.tensors.items() if k == PARAMETERS or w.uses[k] > i}
    return last + 1


@dataclass(eq=False)
class PlaneTile:
    """A finished tile. The first vertices and the pieces of the first edges are those of the frontier, in its order."""

    cells: Array
    vertices: Array
    edges: Array
    mesh: Mesh
    parents: list[Array]
    states: list[States]
    parameters: Tensor
    outputs: Tensor
    decisions: Decisions

    @property
    def n_cells(self) -> int:
        return self.mesh.n_cells


def cut_out(frontier: PlaneFrontier, cells: Array, meter: Meter) -> tuple[PlaneWalker, Array, Array]:
    """A walker for some frontier cells, and the frontier's numbers of their vertices and edges."""
    f, mesh = frontier.walker, frontier.walker.mesh
    size = np.diff(mesh.offsets)[cells]
    inside = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    half_edges = mesh.half_edges[np.repeat(mesh.offsets[cells], size) + inside]
    edges, place = np.unique(half_edges >> 1, return_inverse=True)
    vertices, ends = np.unique(mesh.edges[edges], return_inverse=True)
    own = Mesh(
        edges=ends.reshape(-1, 2).astype(np.int32),
        edge_hyperplane=mesh.edge_hyperplane[edges],
        offsets=np.concatenate([[0], np.cumsum(size)]),
        half_edges=(2 * place.reshape(-1) + (half_edges & 1)).astype(np.int32),
        vertex_hyperplanes=mesh.vertex_hyperplanes[vertices],
    )
    last = chosen_states(f.states[-1], cells)
    start = PlaneStart(
        mesh=own,
        tensors={k: t.taken(vertices) for k, t in f.tensors.items()},
        layers=[*f.exact.layers[:-1], LayerStates(f.exact.layers[-1].parent[cells], last)],
        states=[*f.states[:-1], last],
        n_fixed=len(vertices),
    )
    return PlaneWalker(f.network, f.floats, f.exponents, f.exact.domain, meter, start=start), vertices, edges


def finish_plane(frontier: PlaneFrontier, cells: Array, meter: Meter) -> PlaneTile:
    """Some frontier cells carried to the end of the network."""
    w, vertices, edges = cut_out(frontier, cells, meter)
    index = frontier.index
    for layer in range(frontier.layer, len(w.network.layers)):
        index = _through_layer(w, index, layer, whole=layer == len(w.network.layers) - 1)
    tensors = dict(w.tensors)
    for i in range(index, len(w.network.nodes)):
        tensors[i] = apply_affine(w.floats, i, [tensors[j] for j in w.network.nodes[i].inputs])
    outputs = tensors[len(w.network.nodes) - 1]
    parents = [s.parent for s in w.exact.layers[frontier.layer :]]
    outputs, parameters = (Tensor(t.values, t.error) for t in (outputs, w.tensors[PARAMETERS]))
    return PlaneTile(
        cells, vertices, edges, w.mesh, parents, w.states[frontier.layer :], parameters, outputs, w.exact.tally.decisions
    )


def count_plane_tile(frontier: PlaneFrontier, cells: Array, meter: Meter) -> tuple[int, Decisions]:
    """The number of cells in some frontier cells, and who decided what; the last layer is counted, not built."""
    w, _, _ = cut_out(frontier, cells, meter)
    index, last = frontier.index, len(w.network.layers) - 1
    for layer in range(frontier.layer, last):
        index = _through_layer(w, index, layer)
    node = w.floats.nodes[w.network.layers[last]]
    assert isinstance(node.op, Fold)
    if node.op.is_contest:
        _through_layer(w, index, last)
        return w.mesh.n_cells, w.exact.tally.decisions
    for i in range(index, w.network.layers[last]):
        w.affine(i)
    oracle = CutOracle(w.exact, w.mesh, last, exponent=w.exponents[node.inputs[0]])
    count = count_cut(w.mesh, simple_forms(node.op, w.tensors[node.inputs[0]]), oracle, last)
    return count, w.exact.tally.decisions


def glue_plane(frontier: PlaneFrontier, tiles: list[PlaneTile]) -> PlaneWalk:
    """The subdivision that one process would have made, from its tiles."""
    f = frontier.walker
    n_old, n_edges = len(f.mesh.vertex_hyperplanes), len(f.mesh.edges)
    pieces = np.zeros(n_edges, np.int64)  # of each frontier edge
    blocks = []
    for tile in tiles:
        ends = np.flatnonzero(tile.mesh.edges[:, 1] < len(tile.vertices))[: len(tile.edges)] + 1
        count = np.diff(ends, prepend=0)
        known = pieces[tile.edges]
        if ((known > 0) & (known != count)).any():
            raise AssertionError("two tiles cut a common edge differently")
        pieces[tile.edges] = count
        blocks.append(count)
    edge_first = np.cumsum(pieces) - pieces
    vertex_first = n_old + np.cumsum(pieces - 1) - (pieces - 1)
    next_edge, next_vertex = int(pieces.sum()), n_old + int((pieces - 1).sum())

    levels = number_levels([t.cells for t in tiles], [t.parents for t in tiles])
    edge_of, vertex_of = [], []
    for tile, count in zip(tiles, blocks, strict=True):
        step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        on_frontier = np.repeat(edge_first[tile.edges], count) + step
        rest = len(tile.mesh.edges) - len(on_frontier)
        edge_of.append(np.concatenate([on_frontier, next_edge + np.arange(rest)]))
        next_edge += rest
        numbers = np.full(len(tile.mesh.vertex_hyperplanes), -1, np.int64)
        numbers[: len(tile.vertices)] = tile.vertices
        inner = step < np.repeat(count, count) - 1  # pieces that end inside their frontier edge
        numbers[tile.mesh.edges[: len(inner)][inner, 1]] = (np.repeat(vertex_first[tile.edges], count) + step)[inner]
        fresh = np.flatnonzero(numbers < 0)
        numbers[fresh] = next_vertex + np.arange(len(fresh))
        next_vertex += len(fresh)
        vertex_of.append(numbers)

    edges, edge_hyperplane = np.empty((next_edge, 2), np.int32), np.empty((next_edge, 3), np.int32)
    vertex_hyperplanes = np.empty((next_vertex, 6), np.int32)
    parameters, outputs = (_room(next_vertex, [getattr(t, name) for t in tiles]) for name in ("parameters", "outputs"))
    for i, tile in enumerate(tiles):
        edges[edge_of[i]] = vertex_of[i][tile.mesh.edges]
        edge_hyperplane[edge_of[i]] = renamed_hyperplanes(tile.mesh.edge_hyperplane, i, levels, frontier.layer)
        two = renamed_hyperplanes(tile.mesh.vertex_hyperplanes.reshape(-1, 3), i, levels, frontier.layer)
        vertex_hyperplanes[vertex_of[i]] = two.reshape(-1, 6)
        for whole, part in ((parameters, tile.parameters), (outputs, tile.outputs)):
            whole.values[vertex_of[i]], whole.error[vertex_of[i]] = part.values, part.error
    first, half_edges = _joined_cells(tiles, edge_of, levels[-1].order)
    mesh = Mesh(edges, edge_hyperplane, first, half_edges, vertex_hyperplanes)
    exact = ExactMap(f.network, f.exact.domain)
    states = [joined_states([t.states[i] for t in tiles], level.order) for i, level in enumerate(levels[1:])]
    parents = joined_parents(levels, [t.parents for t in tiles])
    exact.layers = [*f.exact.layers, *(LayerStates(p, s) for p, s in zip(parents, states, strict=True))]
    every = [s.parent for s in exact.layers]
    decisions = sum((t.decisions for t in tiles), f.exact.tally.decisions)
    return PlaneWalk(mesh, every, [*f.states, *states], exact, parameters, lambda: outputs, decisions)


def _room(n: int, parts: list[Tensor]) -> Tensor:
    return Tensor(np.empty((n, parts[0].values.shape[1])), np.empty(n))


def _joined_cells(tiles: list[PlaneTile], edge_of: list[Array], order: Array) -> tuple[Array, Array]:
    """The cycles of all cells in the order of their new numbers."""
    half_edges = np.concatenate(
        [2 * e[t.mesh.half_edges >> 1] + (t.mesh.half_edges & 1) for t, e in zip(tiles, edge_of, strict=True)]
    )
    size = np.concatenate([np.diff(t.mesh.offsets) for t in tiles])
    start = np.cumsum(size) - size
    size, start = size[order], start[order]
    first = np.concatenate([[0], np.cumsum(size)])
    inside = np.arange(int(first[-1])) - np.repeat(first[:-1], size)
    return first, half_edges[np.repeat(start, size) + inside].astype(np.int32)
