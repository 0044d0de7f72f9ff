"""From the input of a layer of ReLUs straight to the dense layer after it, at all vertices of the finer subdivision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry.plane._chord_order import LEAST_CELLS
from plica.geometry.plane._cut import CutResult
from plica.geometry.plane._mesh import Mesh
from plica.geometry.values import _deferred_kernels
from plica.geometry.values._deferred_kernels import ChordRoom, DeferredRows
from plica.geometry.values._tensors import EPS, NORM_UNDERFLOW, UNDERFLOW, Rows, Tensor, affine_constants, feeds_maximum
from plica.network import Affine, Network, once_per_network

MOST_BREAKPOINTS = 24  # chords in one cell
LEAST_WEIGHTS = 1024  # the product of a smaller layer costs nothing
_TILE_ROWS = 512  # rows that are rectified and multiplied while they are in the cache
_PART_FLOPS = 12_000_000  # a product below this is not worth dividing


@once_per_network
def is_deferrable(network: Network, index: int) -> bool:
    """Whether node ``index`` is a layer of ReLUs that feeds one dense layer, the next node, and nothing else."""
    node = network.nodes[index]
    follower = network.nodes[index + 1] if index + 1 < len(network.nodes) else None
    uses = network.last_uses
    return bool(
        node.op.is_relu
        and follower is not None
        and follower.op.dense is not None
        and follower.inputs == (index,)
        and len(node.shape) == 1
        and uses[index] == index + 1
        and uses[node.inputs[0]] == index
        and index not in feeds_maximum(network)
    )


def is_large(network: Network, index: int) -> bool:
    """Whether an affine node is worth sparing; only a small dense layer is not."""
    weight = network.nodes[index].op.dense
    return weight is None or weight.size >= LEAST_WEIGHTS


def is_worth_deferring(cut: CutResult, *, n_layers_left: int) -> bool:
    """Whether rows are not known without error, and have few kinks: each makes the bound larger, which later layers multiply."""
    n_chords = cut.chords.arrangement.chords.n_chords
    return cut.orders is None and (n_layers_left < 2 or int(n_chords.max(initial=0)) <= MOST_BREAKPOINTS)


@once_per_network
def columns_of(network: Network, index: int) -> Array:
    """The columns of a dense layer, each contiguous."""
    weight = network.nodes[index].op.dense
    assert weight is not None
    return np.ascontiguousarray(weight.T)


def rectified_product(z: Array, weight: Array, bias: Array | None, out: Array) -> float:
    """``relu(z) A^T + b`` into ``out``, a few rows at a time; returns a bound of the norms of the rows of relu(z)."""

    def work(start: int, stop: int) -> float:
        positive = np.empty((min(_TILE_ROWS, stop - start), z.shape[1]))
        largest = 0.0
        for a in range(start, stop, _TILE_ROWS):
            b = min(a + _TILE_ROWS, stop)
            largest = max(largest, _deferred_kernels.rectify(z[a:b], positive))
            product = np.matmul(positive[: b - a], weight.T, out=out[a:b])
            if bias is not None:
                product += bias
        return largest

    least = min(_TILE_ROWS, max(16, _PART_FLOPS // (2 * weight.size)))
    return float(np.sqrt(max(parallel_ranges(work, len(z), least=least), default=0.0))) * (1 + 1e-12) + NORM_UNDERFLOW


@dataclass(eq=False)
class DeferredLayer:
    """The output of a layer of ReLUs, not yet made: its input at the old vertices, and how it was cut."""

    source: Tensor
    mesh: Mesh
    cut: CutResult

    @property
    def nbytes(self) -> int:
        return self.source.nbytes

    def through(self, network: Network, index: int) -> Tensor:
        """The dense layer ``index`` at all vertices."""
        op = network.nodes[index].op
        assert isinstance(op, Affine) and op.dense is not None
        z, cut = self.source.values, self.cut
        n_old, n_all, first_inner = len(z), len(cut.mesh.vertex_hyperplanes), len(z) + cut.on_edges.n_vertices
        out = DeferredRows(np.empty((n_all, len(op.dense))), np.empty(n_all), np.zeros(n_all))
        norm = rectified_product(z, op.dense, op.offset, out.values[:n_old])
        out.error[:n_old] = self.source.error
        columns, arrangement = columns_of(network, index), cut.chords.arrangement
        most_pairs = cut.chords.most_pairs

        def along_edges(a: int, b: int) -> None:
            edges, new_vertex = self.mesh.edges, cut.split.new_vertex
            rows = np.empty((2, len(columns[0])))
            _deferred_kernels.deferred_on_edges(z, columns, norm, edges, cut.crossings, new_vertex, a, b, rows, out)

        def along_chords(a: int, b: int) -> None:
            rows, ends = np.empty((2, len(columns[0]))), np.empty((2, len(columns)))
            room = ChordRoom(ends, rows, np.empty(cut.chords.most, np.int32), np.empty(most_pairs, np.int32))
            _deferred_kernels.deferred_on_chords(
                z, columns, norm, cut.on_edges, arrangement, cut.node_offsets, first_inner, a, b, room, out
            )

        parallel_ranges(along_edges, len(self.mesh.edges), least=2 * LEAST_CELLS)
        parallel_ranges(along_chords, len(arrangement.cells), least=2 * LEAST_CELLS)
        k = affine_constants(network, index)
        most = int(np.diff(cut.crossings.offsets).max(initial=0)) + cut.chords.most
        bias = (4 * most + 32) * EPS  # at most: an edge, then a chord
        assert k.row_norms is not None
        floor = k.gamma * (k.row_norms * norm + k.offset_rows) + bias * k.offset_rows + UNDERFLOW
        own = k.gamma * (k.absolute_gain * norm + k.offset_norm) + bias * k.offset_norm + UNDERFLOW
        total = k.gain * out.error + k.absolute_gain * out.rounding + own
        return Tensor(out.values, total, Rows(k.row_norms, out.error + out.rounding, floor))
