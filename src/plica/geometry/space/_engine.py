"""The space engine: cells of a network in a box of three and more dimensions, by cutting the face lattice unit by unit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plica._types import Array
from plica.exact import Vector, meet_all
from plica.geometry._bits import bit, unpack
from plica.geometry._budget import Meter
from plica.geometry._states import SignStates, States, TableStates
from plica.geometry.domains import Box, Polytope
from plica.geometry.signs._crossings import SignForms
from plica.geometry.signs._exact_maps import ExactMap, LayerStates, last_uses
from plica.geometry.signs._oracle import CutOracle, candidate_forms, simple_forms
from plica.geometry.space import _kernels as kernels
from plica.geometry.space._lattice import Lattice
from plica.geometry.space._polytope_lattice import start_polytope
from plica.geometry.values._tensors import NOT_ZERO, Tensor, apply_affine, apply_fold, feeds_maximum
from plica.network import Fold, Network

PARAMETERS = -1


class SpaceMap(ExactMap):
    """Exact maps and positions in n dimensions: a vertex is where n hyperplanes of the lattice's line table meet."""

    lattice: Lattice

    @cached_property
    def _sides(self) -> list[Vector]:
        """The sides of the box, or of the polytope and its bounding box, as affine forms."""
        assert isinstance(self.domain, (Box, Polytope))
        return self.domain.sides()

    def line(self, layer: int, cell: int, code: int) -> Vector:
        return self._sides[cell] if layer < 0 else super().line(layer, cell, code)

    def hyperplanes(self, vertices: Array) -> Array:
        return self.lattice.line_table[vertices]

    def is_corner(self, vertices: Array) -> Array:
        return np.zeros(len(vertices), np.bool_)

    def position(self, line: Array) -> Vector:
        return meet_all([self.line(*(int(i) for i in self.lattice.line_table[j])) for j in line])


@dataclass(eq=False)
class SpaceWalk:
    """What the walk leaves; ``label`` unites cells whose patterns are equal (only a maximum leaves such)."""

    lattice: Lattice
    parents: list[Array]
    states: list[States]
    exact: SpaceMap
    parameters: Tensor
    outputs: Tensor
    n_exact: int


def _start(domain: Box | Polytope) -> tuple[Lattice, Array, Array]:
    """The domain as a lattice with one cell, the coordinates of its corners and their errors."""
    if isinstance(domain, Polytope):
        return start_polytope(domain)
    lattice = Lattice(domain.dimension)
    low, high = domain.window
    return lattice, np.where(lattice.corners == 1, high, low), np.zeros(len(lattice.corners))


class _Walker:
    def __init__(self, network: Network, floats: Network, exponents: list[int], domain: Box | Polytope, meter: Meter) -> None:
        self.network, self.floats, self.exponents, self.meter = network, floats, exponents, meter
        self.lattice, corners, error = _start(domain)
        self.exact = SpaceMap(network, domain)
        self.exact.lattice = self.lattice
        inputs, rounding = domain.chart.at(corners)
        self.tensors = {
            0: Tensor(np.ldexp(inputs, -exponents[0]), np.ldexp(error + rounding, -exponents[0])),
            PARAMETERS: Tensor(corners.copy(), error.copy()),
        }
        self.states: list[States] = []
        self.uses = last_uses(network)
        self.n_exact = 0

    def watch(self, n_cells: int, n_bytes: int) -> None:
        self.meter.check(n_cells=n_cells, n_bytes=n_bytes + sum(t.nbytes for t in self.tensors.values()))

    def _cut(self, forms: SignForms, oracle: CutOracle, layer: int) -> None:
        """Cut, and carry all tensors to the new vertices."""
        forms.z, forms.error = forms.z.copy(), forms.error.copy()
        _, n_exact = self.lattice.cut(forms, oracle, layer, self.watch)
        self.n_exact += n_exact
        v = self.lattice.vertices
        start, stop = self.lattice.new_vertices
        for key, tensor in self.tensors.items():
            values, error = np.empty((stop, tensor.values.shape[1])), np.empty(stop)
            is_repaired = forms.tensor_error is not None and tensor.error is forms.tensor_error
            values[:start], error[:start] = forms.z[:start] if is_repaired else tensor.values, tensor.error
            kernels.carry_chain(values, error, v.p, v.q, v.t, v.t_error, start, stop)
            if tensor.has_true_zeros:
                keep_true_zeros_in_order(values, v.p, v.q, start, stop)
            self.tensors[key] = Tensor(values, error, has_true_zeros=tensor.has_true_zeros)

    def fold(self, layer: int, index: int) -> None:
        node = self.floats.nodes[index]
        op, source = node.op, node.inputs[0]
        assert isinstance(op, Fold)
        lattice, exponent = self.lattice, self.exponents[source]
        lattice.begin_layer()
        before = lattice.n_cells
        if not op.is_contest:
            oracle = CutOracle(self.exact, lattice, layer, exponent=exponent, tick=self.meter.check)
            self._cut(simple_forms(op, self.tensors[source]), oracle, layer)
            words = lattice.cells.pos[: lattice.n_cells].copy()
            parent = lattice.cells.home[: lattice.n_cells].copy()
            self.states.append(SignStates(words, node.size, op))
        else:
            parent, winners = np.arange(before, dtype=np.int32), np.zeros((before, node.size), np.int8)
            for j in op.rounds:
                lattice.begin_layer()
                rename = CandidateNames(lattice, op, parent, winners, j)
                oracle = CutOracle(
                    self.exact, lattice, layer, before=parent, winners=winners, candidate=j, exponent=exponent,
                    tick=self.meter.check,
                    settle=rename.settle,
                )  # fmt: skip
                self._cut(candidate_forms(op, self.tensors[source], j), oracle, layer)
                rename.settle()
                home = lattice.cells.home[: lattice.n_cells]
                won = np.stack([bit(lattice.cells.pos[: lattice.n_cells], k) for k in range(node.size)], axis=1)
                winners = np.where(won, np.int8(j), winners[home])
                parent = parent[home]
            self.states.append(TableStates(winners))
        self.exact.layers.append(LayerStates(parent, self.states[-1]))
        self.tensors[index] = apply_fold(op, self.tensors[source], self.floats.nodes[source].shape)
        if index in feeds_maximum(self.network):
            active = unpack(lattice.vertices.pos[: lattice.vertices.n], node.size) == 1
            self.tensors[index] = self.tensors[index].with_true_zeros(~active)
        self.meter.layer_finished(lattice.n_cells)


class CandidateNames:
    """Hyperplanes made while members of a maximum are compared name cells between two cuts; :meth:`settle` gives those made since
    the last time their lasting names."""

    def __init__(self, lattice: Lattice, op: Fold, before: Array, winners: Array, candidate: int) -> None:
        self.lattice, self.settled = lattice, lattice.n_lines
        self.op, self.before, self.winners, self.candidate = op, before, winners, candidate

    def settle(self) -> None:
        rows = self.lattice.line_table[self.settled : self.lattice.n_lines]
        cell, form = rows[:, 1].copy(), rows[:, 2].copy()
        rows[:, 1] = self.before[cell]
        rows[:, 2] = self.op.code(form, self.candidate, self.winners[cell, form])
        self.settled = self.lattice.n_lines


def keep_true_zeros_in_order(values: Array, p: Array, q: Array, start: int, stop: int) -> None:
    """As :func:`plica.geometry.values._tensors.keep_true_zeros`, for vertices that may lie between other new ones."""
    for v in range(start, stop):
        values[v, (values[v] == 0.0) & ((values[p[v]] != 0.0) | (values[q[v]] != 0.0))] = NOT_ZERO


def walk_space(network: Network, floats: Network, exponents: list[int], domain: Box | Polytope, meter: Meter) -> SpaceWalk:
    """The exact complex of a network over a box of n dimensions."""
    w = _Walker(network, floats, exponents, domain, meter)
    layer = 0
    for index, node in enumerate(network.nodes[1:], start=1):
        if isinstance(node.op, Fold):
            w.fold(layer, index)
            layer += 1
        else:
            w.tensors[index] = apply_affine(floats, index, [w.tensors[i] for i in node.inputs])
        w.tensors = {k: t for k, t in w.tensors.items() if k == PARAMETERS or w.uses[k] > index}
    outputs = w.tensors[len(network.nodes) - 1]
    parents = [s.parent for s in w.exact.layers]
    return SpaceWalk(w.lattice, parents, w.states, w.exact, w.tensors[PARAMETERS], outputs, w.n_exact)
