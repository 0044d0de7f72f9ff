"""The space engine: cells of a network in a box of three and more dimensions, by cutting the face lattice unit by unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.exact import Vector, meet_all
from plica.geometry._bits import bit, unpack
from plica.geometry._budget import Meter
from plica.geometry._states import SignStates, States, TableStates
from plica.geometry.domains import Box, Polytope
from plica.geometry.signs._contenders import contested
from plica.geometry.signs._decisions import Decisions
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._oracle import CutOracle, candidate_forms, simple_forms
from plica.geometry.signs._vertex_signs import SignForms
from plica.geometry.space import _cut_kernels as kernels
from plica.geometry.space._cut import LatticeCut, Names
from plica.geometry.space._lattice import Lattice, cube, cube_bytes
from plica.geometry.space._polytope_lattice import start_polytope
from plica.geometry.values._tensors import NOT_ZERO, Tensor, apply_affine, apply_fold, feeds_maximum
from plica.network import Fold, Network

PARAMETERS = -1
_STEP = 1 << 22  # entries carried between two looks at the clock


class SpaceMap(ExactMap):
    """Exact maps and positions in n dimensions: a vertex is where n hyperplanes of the lattice's table meet."""

    lattice: Lattice

    @cached_property
    def _sides(self) -> list[Vector]:
        """The sides of the box, or of the polytope and its bounding box, as affine forms."""
        assert isinstance(self.domain, (Box, Polytope))
        return self.domain.sides()

    def line(self, layer: int, cell: int, code: int) -> Vector:
        return self._sides[cell] if layer < 0 else super().line(layer, cell, code)

    def hyperplanes(self, vertices: Array) -> Array:
        return self.lattice.hyperplane_table[vertices]

    def is_corner(self, vertices: Array) -> Array:
        return np.zeros(len(vertices), np.bool_)

    def position(self, line: Array) -> Vector:
        return meet_all([self.line(*(int(i) for i in self.lattice.hyperplane_table[j])) for j in line])


@dataclass(eq=False)
class SpaceWalk:
    """What the walk leaves; ``label`` unites cells whose patterns are equal (only a maximum leaves such)."""

    lattice: Lattice
    parents: list[Array]
    states: list[States]
    exact: SpaceMap
    parameters: Tensor
    outputs: Tensor
    decisions: Decisions


@dataclass(eq=False)
class SpaceStart:
    """Where a walk goes on: a lattice, the tensors at its vertices, and the layers that made it."""

    lattice: Lattice
    tensors: dict[int, Tensor]
    layers: list[LayerStates]
    states: list[States]

    @staticmethod
    def whole(domain: Box | Polytope, exponent: int, meter: Meter) -> SpaceStart:
        """The domain as one cell, before all layers."""
        if isinstance(domain, Polytope):
            lattice, corners, error = start_polytope(domain)
        else:
            meter.check(n_bytes=cube_bytes(domain.dimension))
            lattice, signs = cube(domain.dimension, meter.check)
            low, high = domain.window
            corners, error = np.where(signs == 1, high, low), np.zeros(len(signs))
        inputs, rounding = domain.chart.at(corners)
        tensors = {
            0: Tensor(np.ldexp(inputs, -exponent), np.ldexp(error + rounding, -exponent)),
            PARAMETERS: Tensor(corners.copy(), error.copy()),
        }
        return SpaceStart(lattice, tensors, [], [])


class SpaceWalker:
    """Carries a lattice and the tensors at its vertices through the network; from ``start``, or from the whole domain."""

    def __init__(
        self, network: Network, floats: Network, exponents: list[int], domain: Box | Polytope, meter: Meter, *,
        start: SpaceStart | None = None,
    ) -> None:  # fmt: skip
        start = start or SpaceStart.whole(domain, exponents[0], meter)
        self.network, self.floats, self.exponents, self.meter = network, floats, exponents, meter
        self.exact = SpaceMap(network, domain, start.layers)
        self.exact.lattice = self.lattice = start.lattice
        self.tensors, self.states = start.tensors, start.states
        self.uses = network.last_uses

    def watch(self, *, n_cells: int | None = None, n_bytes: int = 0) -> None:
        """Ask the budget; ``n_bytes`` is what the lattice and the forms will take."""
        if n_bytes:
            n_bytes += sum(t.nbytes for t in self.tensors.values())
        self.meter.check(n_cells=n_cells, n_bytes=n_bytes)

    def affine(self, index: int) -> None:
        """The tensor behind an affine node."""
        self.watch(n_bytes=self.lattice.nbytes + 8 * self.lattice.vertices.n * self.floats.nodes[index].size)
        self.tensors[index] = apply_affine(self.floats, index, [self.tensors[i] for i in self.network.nodes[index].inputs])

    def drop_unused(self, index: int) -> None:
        """Forget tensors that no node after ``index`` reads."""
        self.tensors = {k: t for k, t in self.tensors.items() if k == PARAMETERS or self.uses[k] > index}

    def _cut(self, forms: SignForms, oracle: CutOracle, names: Names) -> None:
        """Cut, and carry all tensors to the new vertices."""
        if forms.tensor_error is not None:  # the forms are a tensor
            self.meter.allow(forms.z.nbytes)
            forms.z = forms.z.copy()
        forms.error = forms.error.copy()
        LatticeCut(self.lattice, oracle, names, self.watch).run(forms)
        start, stop = self.lattice.new_vertices
        for key, tensor in self.tensors.items():
            is_repaired = forms.tensor_error is not None and tensor.error is forms.tensor_error
            self.tensors[key] = self._carried(tensor, forms.z if is_repaired else tensor.values, start, stop)

    def _carried(self, tensor: Tensor, known: Array, start: int, stop: int) -> Tensor:
        """A tensor at the old vertices, where it is ``known``, and at the new ones, ``start`` to ``stop``."""
        width, v = tensor.values.shape[1], self.lattice.vertices.arrays
        self.watch(n_bytes=self.lattice.nbytes + 8 * stop * (width + 1))
        self.meter.allow(8 * stop * (width + 1))
        values, error = np.empty((stop, width)), np.empty(stop)
        values[:start], error[:start] = known[:start], tensor.error
        step = max(1, _STEP // width)
        for a in range(start, stop, step):
            self.watch()
            kernels.carry_values(values, error, v, a, min(a + step, stop))
            if tensor.has_true_zeros:
                kernels.mark_rounded_zeros(values, v.ends, a, min(a + step, stop), NOT_ZERO)
        return Tensor(values, error, has_true_zeros=tensor.has_true_zeros)

    def fold(self, layer: int, index: int) -> None:
        node = self.floats.nodes[index]
        op, source = node.op, node.inputs[0]
        assert isinstance(op, Fold)
        lattice, exponent = self.lattice, self.exponents[source]
        lattice.begin_layer()
        before = lattice.n_cells
        if not op.is_contest:
            oracle = CutOracle(self.exact, lattice, layer, exponent=exponent)
            self._cut(simple_forms(op, self.tensors[source]), oracle, form_names(layer))
            parent, words = lattice.cells.cell.copy(), lattice.cells.positive.copy()
            self.states.append(SignStates(words, node.size, op))
        else:
            parent, winners = np.arange(before, dtype=np.int32), np.zeros((before, node.size), op.state_type)
            played = contested(op, self.tensors[source], lattice.cell_vertices)
            for j in played.rounds:
                lattice.begin_layer()
                oracle = CutOracle(
                    self.exact,
                    lattice,
                    layer,
                    before=parent,
                    winners=winners,
                    candidate=j,
                    exponent=exponent,
                )
                names = comparison_names(layer, op, parent, winners, j)
                self._cut(candidate_forms(played, self.tensors[source], j), oracle, names)
                earlier, positive = lattice.cells.cell, lattice.cells.positive
                won = np.stack([bit(positive, k) for k in range(node.size)], axis=1)
                winners = np.where(won, op.state_type(j), winners[earlier])
                parent = parent[earlier]
            self.states.append(TableStates(winners))
        self.exact.layers.append(LayerStates(parent, self.states[-1]))
        self.tensors[index] = apply_fold(op, self.tensors[source], self.floats.nodes[source].shape)
        if index in feeds_maximum(self.network):
            positive = lattice.vertices.positive
            self.tensors[index] = self.tensors[index].with_true_zeros(lambda a, b: unpack(positive[a:b], node.size) == 0)
        self.meter.layer_finished(lattice.n_cells)


def form_names(layer: int) -> Names:
    """The names of hyperplanes that a rectifier or a clip makes: form k on a cell from before the layer."""

    return lambda cells, k: (layer, cells, k)


def comparison_names(layer: int, op: Fold, before: Array, winners: Array, candidate: int) -> Names:
    """The names of hyperplanes where a candidate of group k meets the winner so far.

    Cells are those between two comparisons; ``before`` tells which cell from before the layer each is in.
    """

    def names(cells: Array, k: int) -> tuple[int, Array, Array]:
        return layer, before[cells], op.code(np.full(len(cells), k), candidate, winners[cells, k])

    return names


def walk_space(network: Network, floats: Network, exponents: list[int], domain: Box | Polytope, meter: Meter) -> SpaceWalk:
    """The exact complex of a network over a box of n dimensions."""
    w = SpaceWalker(network, floats, exponents, domain, meter)
    layer = 0
    for index, node in enumerate(network.nodes[1:], start=1):
        if isinstance(node.op, Fold):
            w.fold(layer, index)
            layer += 1
        else:
            w.affine(index)
        w.drop_unused(index)
    outputs = w.tensors[len(network.nodes) - 1]
    parents = [s.parent for s in w.exact.layers]
    return SpaceWalk(w.lattice, parents, w.states, w.exact, w.tensors[PARAMETERS], outputs, w.exact.tally.decisions)
