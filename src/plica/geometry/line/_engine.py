"""The line engine: the same walk with breakpoints, in chunks that fit in memory.

A network on a segment is cut into pieces at the zeros of its forms; a layer cuts each piece independently, so when a tensor at
all breakpoints would be too large, the pieces are divided into chunks and each is carried through the rest of the network
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from plica._types import Array
from plica.geometry._budget import Meter
from plica.geometry.domains import Domain
from plica.geometry.line._chunks import LineChunk, LineLayer, LineStates, join
from plica.geometry.line._cut import LineCut
from plica.geometry.line._cut_line import LineMesh, cut_line, replay
from plica.geometry.line._deferred import after_chain, chain_after
from plica.geometry.line._parts import goes_in_parts, walk_in_parts
from plica.geometry.plane._deferred import is_large
from plica.geometry.signs._contenders import contested
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._oracle import CutOracle, candidate_forms, candidate_names, simple_forms
from plica.geometry.values._dyadic_rows import start_dyadic_rows
from plica.geometry.values._tensors import Tensor, apply_affine, apply_fold, feeds_maximum
from plica.network import Fold, Network, once_per_network

PARAMETERS = -1
CHUNK_ENTRIES = 8_000_000  # entries of the largest tensor at the breakpoints of one chunk
CHUNK_SHARE = 256  # bytes of the budget for each entry of the largest tensor of a chunk: tensors come in several
Tensors = dict[int, Tensor]


def walk_line(
    network: Network, float_network: Network, exponents: list[int], domain: Domain, meter: Meter
) -> tuple[LineChunk, ExactMap]:
    """The exact pieces of a network along a segment."""
    if goes_in_parts(network) and not any(exponents) and np.array_equal(domain.window, [[0.0], [1.0]]):
        return walk_in_parts(network, domain, meter)
    values, error = domain.chart.at(domain.window)
    if exponents[0]:
        values, error = np.ldexp(values, -exponents[0]), np.ldexp(error, -exponents[0])
    window, exact, dyadic = np.array(domain.window), np.zeros(2), start_dyadic_rows(values, error)
    tensors = {
        0: Tensor(values, error, dyadic=dyadic),
        PARAMETERS: Tensor(window, exact, dyadic=None if dyadic is None else start_dyadic_rows(window, exact)),
    }
    walker = LineWalker(network, float_network, exponents, domain, meter)
    chunk = walker.run(1, 0, np.array([[-1, 0, -1], [-1, 1, -1]], np.int32), tensors, 0)
    walker.exact.forget(1)  # pieces have their final numbers now
    walker.exact.layers = [LayerStates(x.parent, x.states) for x in chunk.layers]
    return chunk, walker.exact


@once_per_network
def _widths(network: Network) -> list[int]:
    """For each node the size of the largest tensor that it reads or makes."""
    return [max(network.nodes[i].size for i in (index, *node.inputs)) for index, node in enumerate(network.nodes)]


class LineWalker:
    """Carries breakpoints and the tensors there through the network."""

    def __init__(
        self,
        network: Network,
        float_network: Network,
        exponents: list[int],
        domain: Domain,
        meter: Meter,
        *,
        layers: Sequence[LayerStates] = (),
    ) -> None:
        self.network, self.floats, self.exponents, self.meter = network, float_network, exponents, meter
        self.exact = ExactMap(network, domain, layers)
        self.uses = network.last_uses
        self.widths = _widths(network)
        self.chunk_entries = max(1, min(CHUNK_ENTRIES, meter.budget.max_bytes // CHUNK_SHARE))
        self.finished = 0
        self.kept = 0  # bytes of the states of finished layers

    def run(self, index: int, layer: int, line: Array, tensors: Tensors, offset: int) -> LineChunk:
        """Carry the pieces between the breakpoints ``line`` through the nodes from ``index`` on.

        ``offset`` is the number of the first of these pieces among those after the layers already done.
        """
        layers: list[LineLayer] = []
        nodes = self.floats.nodes
        while index < len(nodes):
            node = nodes[index]
            largest = self.widths[index]
            n_pieces = len(line) - 1
            if len(line) * largest > self.chunk_entries and n_pieces > 1:

                def rows(low: int, high: int, some: Tensors = tensors, hyperplanes: Array = line) -> tuple[Array, Tensors]:
                    between = np.arange(low, high + 1)
                    return hyperplanes[low : high + 1], {k: t.taken(between) for k, t in some.items()}

                return self._divided(index, layer, n_pieces, largest, rows, offset, layers)
            if isinstance(node.op, Fold):
                cut: LineCut | None = None
                if node.op.is_contest:
                    line, tensors, done, index = self.fold(layer, index, line, tensors, offset)
                else:
                    cut, done = self._cut(layer, index, line, tensors, offset)
                layers.append(done)
                self.exact.layers.append(LayerStates(done.parent, done.states))
                layer += 1
                self.kept += done.states.nbytes
                n_pieces = len(done.parent)
                self.meter.check(n_cells=self.finished + n_pieces, n_bytes=self.kept)
                if cut is not None:
                    if n_pieces * largest > 2 * self.chunk_entries and n_pieces > 1:

                        def carry(
                            low: int, high: int, some: Tensors = tensors, whole: LineCut = cut, at: int = index
                        ) -> tuple[Array, Tensors]:
                            part = whole.part(low, high)
                            return part.hyperplanes, self._carried(at, part, some, may_chain=False)[0]

                        return self._divided(index + 1, layer, n_pieces, largest, carry, 0, layers)
                    line, (tensors, index) = cut.hyperplanes, self._carried(index, cut, tensors)
                self.meter.check(n_bytes=self.kept + sum(t.nbytes for t in tensors.values()))
                offset = 0
            else:
                tensors[index] = apply_affine(self.floats, index, [tensors[i] for i in node.inputs])
            tensors = {k: t for k, t in tensors.items() if k == PARAMETERS or self.uses[k] > index}
            index += 1
        self.finished += len(line) - 1
        self.meter.chunk_finished(self.finished, float(tensors[PARAMETERS].values[-1, 0]))
        return LineChunk(line, tensors[PARAMETERS], tensors[len(nodes) - 1], layers)

    def _divided(
        self, index: int, layer: int, n_pieces: int, largest: int, rows: Callable[[int, int], tuple[Array, Tensors]], offset: int,
        layers: list[LineLayer],
    ) -> LineChunk:  # fmt: skip
        """Carry the pieces through the nodes from ``index`` on in chunks; ``rows`` gives breakpoints and tensors of some."""
        parts = min(n_pieces, -(-(n_pieces + 1) * largest * 2 // self.chunk_entries))
        chunks, depth = [], len(self.exact.layers)
        for low, high in pairwise([n_pieces * i // parts for i in range(parts + 1)]):
            chunks.append(self.run(index, layer, *rows(low, high), offset + low))
            del self.exact.layers[depth:]
            self.exact.forget(layer + 1)
        rest = join(chunks, layer)
        return LineChunk(rest.hyperplanes, rest.parameters, rest.outputs, layers + rest.layers)

    def _cut(self, layer: int, index: int, line: Array, tensors: Tensors, offset: int) -> tuple[LineCut, LineLayer]:
        """The breakpoints that a layer without contests adds, and the states on its pieces."""
        node = self.floats.nodes[index]
        op, source = node.op, node.inputs[0]
        assert isinstance(op, Fold)
        before = np.arange(offset, offset + len(line) - 1, dtype=np.int32)
        oracle = CutOracle(self.exact, LineMesh(line), layer, before=before, exponent=self.exponents[source])
        cut = cut_line(line, simple_forms(op, tensors[source]), oracle, layer, before)
        return cut, LineLayer(before[cut.parent], _states(op, cut, node.size))

    def _carried(self, index: int, cut: LineCut, tensors: Tensors, *, may_chain: bool = True) -> tuple[Tensors, int]:
        """The tensors at the breakpoints of a cut, and the node they belong to: a later one where that can be had directly."""
        node = self.floats.nodes[index]
        op, source = node.op, node.inputs[0]
        assert isinstance(op, Fold)
        carried = {k: cut.carry(t) for k, t in tensors.items() if k == PARAMETERS or self.uses[k] > index}
        chain = chain_after(self.network, index) if may_chain else ()
        kept = tensors[source].dyadic is not None and cut.order is not None
        fits = bool(chain) and len(cut.p) * max(self.floats.nodes[i].size for i in chain) <= self.chunk_entries
        if fits and not kept and is_large(self.network, chain[0]):
            carried[chain[-1]] = after_chain(self.floats, chain, tensors[source], cut)
            return carried, chain[-1]
        if op.is_relu:
            carried[index] = cut.carry(tensors[source], rectify=True)
            if index in feeds_maximum(self.network):
                known_zero = _known_zero(cut, node.size)
                carried[index] = carried[index].with_true_zeros(lambda a, b: known_zero[a:b])
        else:
            carried[index] = apply_fold(op, cut.carry(tensors[source]), node.shape)
        return carried, index

    def fold(self, layer: int, index: int, line: Array, tensors: Tensors, offset: int) -> tuple[Array, Tensors, LineLayer, int]:
        """Cut with one layer; where the tensors after it can be had directly, also the affine nodes up to the one returned."""
        node = self.floats.nodes[index]
        op, source = node.op, node.inputs[0]
        assert isinstance(op, Fold)
        if not op.is_contest:
            cut, done = self._cut(layer, index, line, tensors, offset)
            carried, last = self._carried(index, cut, tensors)
            return cut.hyperplanes, carried, done, last
        before, exponent = np.arange(offset, offset + len(line) - 1, dtype=np.int32), self.exponents[source]
        winners = np.zeros((len(before), node.size), op.state_type)
        parent = before
        played = contested(op, tensors[source], LineMesh(line).cell_vertices)
        for j in played.rounds:
            mesh = LineMesh(line)
            oracle = CutOracle(self.exact, mesh, layer, before=parent, winners=winners, candidate=j, exponent=exponent)
            cut = cut_line(
                line, candidate_forms(played, tensors[source], j), oracle, layer, np.arange(len(parent), dtype=np.int32)
            )
            fresh = cut.hyperplanes[cut.form >= 0]
            candidate_names(op, parent, winners, j)(fresh)
            cut.hyperplanes[cut.form >= 0] = fresh
            won = replay(cut.start, cut, len(cut.parent))
            winners = np.where(won == 1, op.state_type(j), winners[cut.parent])
            parent = parent[cut.parent]
            line, tensors = cut.hyperplanes, {k: cut.carry(t) for k, t in tensors.items()}
        # a breakpoint across which nothing changes was a comparison of losers
        same = (parent[1:] == parent[:-1]) & (winners[1:] == winners[:-1]).all(1)
        keep = np.concatenate([[True], ~same, [True]])
        kept_cells = np.concatenate([[True], ~same])
        winners, parent = winners[kept_cells], parent[kept_cells]
        changed = np.argwhere(winners[1:] != winners[:-1])
        states = LineStates(
            node.size, np.zeros(1, np.int64), winners[:1].copy(), changed[:, 0] + 1, changed[:, 1],
            winners[1:][changed[:, 0], changed[:, 1]],
        )  # fmt: skip
        rows = np.flatnonzero(keep)
        tensors = {k: t.taken(rows) for k, t in tensors.items()}
        tensors[index] = apply_fold(op, tensors[source], self.floats.nodes[source].shape)
        return line[rows], tensors, LineLayer(parent, states), index


def _known_zero(cut: LineCut, size: int) -> Array:
    """For each breakpoint the neurons that are inactive on a piece next to it."""
    off = replay(cut.start, cut, len(cut.parent)) == 0
    out = np.zeros((len(off) + 1, size), bool)
    out[:-1] |= off
    out[1:] |= off
    return out


def _states(op: Fold, cut: LineCut, size: int) -> LineStates:
    """The states on all pieces, from the signs of the forms."""
    where, form, on, none = cut.event_cell, cut.event_form, cut.event_on, np.empty(0)
    start = op.decided(0, none, cut.start)[None]
    if op.forms_per_neuron == 1:
        return LineStates(size, np.zeros(1, np.int64), start, where, form, op.decided(0, none, on))
    flags = np.empty((len(form), op.forms_per_neuron), on.dtype)  # of the neuron that changes, after the change
    now = cut.start.reshape(op.forms_per_neuron, size).copy()
    for i, (k, neuron) in enumerate(zip((form // size).tolist(), (form % size).tolist(), strict=True)):
        now[k, neuron] = on[i]
        flags[i] = now[:, neuron]
    return LineStates(size, np.zeros(1, np.int64), start, where, form % size, op.decided(0, none, flags)[:, 0])
