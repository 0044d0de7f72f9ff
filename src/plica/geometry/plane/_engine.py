"""The plane engine: the network is walked once, node by node; each fold cuts the subdivision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from plica._types import Array
from plica.exact import Dyadic
from plica.geometry._bits import bit, unpack
from plica.geometry._budget import Meter, watched_anew
from plica.geometry._states import AnyStates, SignStates, States, TableStates
from plica.geometry.domains import Domain
from plica.geometry.plane._cut import CutResult, count_cut, cut_mesh
from plica.geometry.plane._deferred import DeferredLayer, is_deferrable, is_large, is_worth_deferring
from plica.geometry.plane._merge import merge_cells
from plica.geometry.plane._mesh import Mesh
from plica.geometry.signs import _kernels
from plica.geometry.signs._contenders import contested
from plica.geometry.signs._decisions import Decisions
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._oracle import CutOracle, candidate_forms, candidate_names, simple_forms
from plica.geometry.values._dyadic_rows import start_dyadic_rows
from plica.geometry.values._tensors import Tensor, apply_affine, apply_fold, feeds_maximum
from plica.network import Fold, Network, Node

PARAMETERS = -1  # the key of the vertices' own coordinates among the tensors
Tensors = dict[int, Tensor]


class OutputForms(Protocol):
    """The outputs on every cell by the numbers of their functions: equal numbers are equal functions."""

    @property
    def ids(self) -> Array: ...

    def columns(self) -> tuple[Array, Array]:
        """Columns (cells, 3, outputs) over the domain's parameters, and a bound of the error of each."""

    def exact(self, cell: int) -> Dyadic:
        """The exact columns of one cell."""


@dataclass(eq=False)
class PlaneWalk:
    """What the walk leaves: the subdivision, the cells' ancestry and states, and how to get tensors at the vertices."""

    mesh: Mesh
    parents: list[Array]
    states: Sequence[AnyStates]
    exact: ExactMap
    parameters: Tensor
    outputs: Callable[[], Tensor]
    decisions: Decisions
    output_forms: OutputForms | None = None  # if known: which functions the outputs are on each cell


def start_mesh(domain: Domain) -> Mesh:
    """The domain's window as a subdivision with one cell."""
    n = len(domain.window)
    ids = np.arange(n, dtype=np.int32)
    edges = np.stack([ids, (ids + 1) % n], axis=1).astype(np.int32)
    minus = np.full(n, -1, np.int32)
    return Mesh(
        edges=edges,
        edge_hyperplane=np.stack([minus, minus, ids], axis=1),
        offsets=np.array([0, n]),
        half_edges=2 * ids,
        vertex_hyperplanes=np.stack([minus, ids, minus] * 2, axis=1),
    )


def start_tensors(domain: Domain) -> Tensors:
    values, error = domain.chart.at(domain.window)
    position_error = domain.window_error()
    error = error + position_error
    window = np.array(domain.window)
    return {
        0: Tensor(values, error, dyadic=start_dyadic_rows(values, error)),
        PARAMETERS: Tensor(window, position_error, dyadic=start_dyadic_rows(window, position_error)),
    }


@dataclass(eq=False)
class PlaneStart:
    """Where a walk goes on: a subdivision, the tensors at its vertices, and the layers that made it.

    The first ``n_fixed`` vertices stay, whatever is united around them.
    """

    mesh: Mesh
    tensors: Tensors
    layers: list[LayerStates]
    states: list[States]
    n_fixed: int = 0

    @staticmethod
    def at_window(domain: Domain, exponent: int) -> PlaneStart:
        """The window of a domain as one cell, before all layers."""
        tensors = start_tensors(domain)
        if exponent:
            t = tensors[0]
            values, error = np.ldexp(t.values, -exponent), np.ldexp(t.error, -exponent)
            tensors[0] = Tensor(values, error, dyadic=start_dyadic_rows(values, error))
        return PlaneStart(start_mesh(domain), tensors, [], [])


class PlaneWalker:
    """Carries a subdivision and the tensors at its vertices through the network; from ``start``, or from the domain's window."""

    def __init__(
        self,
        network: Network,
        float_network: Network,
        exponents: list[int],
        domain: Domain,
        meter: Meter,
        *,
        start: PlaneStart | None = None,
    ) -> None:
        start = start or PlaneStart.at_window(domain, exponents[0])
        self.network, self.floats, self.exponents, self.meter = network, float_network, exponents, meter
        self.exact = ExactMap(network, domain, start.layers)
        self.mesh, self.tensors, self.states, self.n_fixed = start.mesh, start.tensors, start.states, start.n_fixed
        self.uses = network.last_uses
        self.deferred: DeferredLayer | None = None  # the layer just cut, if its output is not worth making

    def watch(self, n_cells: int, n_vertices: int, n_bytes: int, *, lazily: bool = False) -> None:
        """Compare what is about to be made with the budget: tensors at all vertices too, unless they are made when asked for."""
        held = sum(t.nbytes for t in self.tensors.values())
        grown = 8 * n_vertices * sum(t.values.shape[1] for k, t in self.tensors.items() if k == PARAMETERS or not lazily)
        self.meter.check(n_cells=n_cells, n_bytes=n_bytes + held + grown)

    def affine(self, index: int) -> None:
        """One affine operation at all vertices."""
        node = self.floats.nodes[index]
        self.meter.check(n_bytes=sum(t.nbytes for t in self.tensors.values()) + 8 * len(self.mesh.vertex_hyperplanes) * node.size)
        if self.deferred is not None:
            self.tensors[index], self.deferred = self.deferred.through(self.floats, index), None
            return
        spent = self.uses[node.inputs[0]] == index and len(node.inputs) == 1
        self.tensors[index] = apply_affine(self.floats, index, [self.tensors[i] for i in node.inputs], consume=spent)

    def fold(self, layer: int, index: int, *, lazily: bool = False, whole: bool = False) -> Callable[[], Tensors] | None:
        """Cut with one layer.

        ``lazily``: the tensors at the newest vertices are made only when asked for. ``whole``: they are made now, even if the
        next node can do without.
        """
        node = self.floats.nodes[index]
        op = node.op
        assert isinstance(op, Fold)
        x = self.tensors[node.inputs[0]]
        if op.is_contest:
            self._contest(layer, index, op)
            self.tensors[index] = apply_fold(op, self.tensors[node.inputs[0]], self.floats.nodes[node.inputs[0]].shape)
            return None
        oracle = CutOracle(self.exact, self.mesh, layer, exponent=self.exponents[node.inputs[0]])
        result = cut_mesh(self.mesh, simple_forms(op, x), oracle, layer, watch=partial(self.watch, lazily=lazily))
        self.states.append(SignStates(result.words, node.size, op))
        self.exact.layers.append(LayerStates(result.parent, self.states[-1]))
        old = {k: t for k, t in self.tensors.items() if k != PARAMETERS}
        before = self.mesh
        self.mesh = result.mesh
        new = (result.on_edges, result.inside, result.orders)
        self.tensors = {k: t.extended(*new) for k, t in self.tensors.items() if k == PARAMETERS}
        left = len(self.network.layers) - 1 - layer
        can_defer = not (lazily or whole) and is_deferrable(self.network, index) and is_large(self.network, index + 1)
        if can_defer and is_worth_deferring(result, n_layers_left=left):
            self.deferred = DeferredLayer(x, before, result)
            self.tensors |= {
                k: t.extended(result.on_edges, result.inside, result.orders) for k, t in old.items() if self.uses[k] > index
            }
            return None

        def carry() -> Tensors:
            tensors = carry_through(old, op, node, index, result, self.uses, consume=not lazily)
            if index in feeds_maximum(self.network):
                known_zero = np.zeros((len(result.mesh.vertex_hyperplanes), result.words.shape[1]), np.uint64)
                _kernels.known_zero_words(
                    result.mesh.offsets, result.mesh.half_edges, result.mesh.edges, result.words, known_zero
                )
                tensors[index] = tensors[index].with_true_zeros(lambda a, b: unpack(known_zero[a:b], node.size) == 1)
            return tensors

        if lazily:
            return carry
        self.tensors |= carry()
        return None

    def _contest(self, layer: int, index: int, op: Fold) -> None:
        """Let the members of each group challenge the winner one after the other, then unite what has one winner."""
        source = self.floats.nodes[index].inputs[0]
        before = np.arange(self.mesh.n_cells, dtype=np.int32)
        winners = np.zeros((self.mesh.n_cells, self.floats.nodes[index].size), op.state_type)
        played = contested(op, self.tensors[source], self.mesh.cell_vertices)
        for j in played.rounds:
            mesh, exponent = self.mesh, self.exponents[source]
            oracle = CutOracle(self.exact, mesh, layer, before=before, winners=winners, candidate=j, exponent=exponent)
            rename = candidate_names(op, before, winners, j)
            result = cut_mesh(
                self.mesh, candidate_forms(played, self.tensors[source], j), oracle, layer, rename=rename, watch=self.watch
            )
            self.mesh = result.mesh
            self.tensors = {k: t.extended(result.on_edges, result.inside, result.orders) for k, t in self.tensors.items()}
            won = np.stack([bit(result.words, k) for k in range(winners.shape[1])], axis=1)
            winners = np.where(won, op.state_type(j), winners[result.parent])
            before = before[result.parent]
        merged = merge_cells(self.mesh, before, winners, n_fixed=self.n_fixed)
        self.mesh = merged.mesh
        self.tensors = {k: t.taken(merged.vertices) for k, t in self.tensors.items()}
        self.states.append(TableStates(winners[merged.cells]))
        self.exact.layers.append(LayerStates(before[merged.cells], self.states[-1]))


def carry_through(
    tensors: Tensors,
    op: Fold,
    node: Node,
    index: int,
    cut: CutResult,
    uses: list[int],
    *,
    consume: bool,
) -> Tensors:
    """The tensors still needed after a fold, at all vertices of the cut subdivision, with the fold's own output."""
    source = node.inputs[0]
    new = (cut.on_edges, cut.inside, cut.orders)
    out = {k: t.extended(*new) for k, t in tensors.items() if uses[k] > index}
    if op.is_relu:
        spent = consume and uses[source] == index
        out[index] = tensors[source].extended(*new, rectify=True, consume=spent)
    else:
        x = out[source] if source in out else tensors[source].extended(*new)
        out[index] = apply_fold(op, x, node.shape)
    return out


def walk_plane(network: Network, float_network: Network, exponents: list[int], domain: Domain, meter: Meter) -> PlaneWalk:
    """The exact complex of a network over a two-dimensional domain."""
    w = PlaneWalker(network, float_network, exponents, domain, meter)
    layer, last = 0, len(network.layers) - 1
    finish: Callable[[], Tensors] | None = None
    tail = network.layers[-1] + 1 if network.layers else 1
    for index in range(1, tail):
        node = network.nodes[index]
        if isinstance(node.op, Fold):
            finish = w.fold(layer, index, lazily=layer == last)
            meter.layer_finished(w.mesh.n_cells)
            layer += 1
        else:
            w.affine(index)
        w.tensors = {k: t for k, t in w.tensors.items() if k == PARAMETERS or w.uses[k] > index}

    def outputs() -> Tensor:
        with watched_anew(meter.budget, meter.n_layers):
            tensors = finish() if finish is not None else dict(w.tensors)
            for index in range(tail, len(network.nodes)):
                tensors[index] = apply_affine(float_network, index, [tensors[i] for i in network.nodes[index].inputs])
        return tensors[len(network.nodes) - 1]

    parents = [s.parent for s in w.exact.layers]
    return PlaneWalk(w.mesh, parents, w.states, w.exact, w.tensors[PARAMETERS], outputs, w.exact.tally.decisions)


def count_plane(
    network: Network, float_network: Network, exponents: list[int], domain: Domain, meter: Meter
) -> tuple[int, Decisions]:
    """Only the number of cells: the last layer is counted, not built."""
    w = PlaneWalker(network, float_network, exponents, domain, meter)
    del w.tensors[PARAMETERS]  # nobody asks where the cells are
    layer, last = 0, len(network.layers) - 1
    for index in range(1, network.layers[-1] + 1 if network.layers else 1):
        node = float_network.nodes[index]
        if isinstance(node.op, Fold):
            if layer == last and not node.op.is_contest:
                oracle = CutOracle(w.exact, w.mesh, layer, exponent=exponents[node.inputs[0]])
                forms = simple_forms(node.op, w.tensors[node.inputs[0]])
                count = count_cut(w.mesh, forms, oracle, layer)
                meter.layer_finished(count)
                return count, w.exact.tally.decisions
            w.fold(layer, index)
            meter.layer_finished(w.mesh.n_cells)
            layer += 1
        else:
            w.affine(index)
        w.tensors = {k: t for k, t in w.tensors.items() if k == PARAMETERS or w.uses[k] > index}
    return w.mesh.n_cells, w.exact.tally.decisions
