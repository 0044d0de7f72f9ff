r"""The maps of all cells, layer by layer, in pairs of doubles: where bounds have grown too large, everything is known anew.

A bound of an error is multiplied by the norm of every layer it goes through, whatever the numbers do: by :math:`10^{10}` on the
way through 24 layers. When many signs are undecided for that reason, the maps of all cells are carried from the input, or from
where that was done last, in numbers of so many digits that this does not matter. The lines that vertices lie on are read off on
the way, and rounded once. From there on the bounds of doubles begin anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._budget import share_of_budget, tick
from plica.geometry.signs._cell_maps import OnCells, cell_maps
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._kept_maps import Maps, keys_of
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import Precision
from plica.geometry.values import _pair_kernels
from plica.geometry.values._tensors import EPS, NORM_UNDERFLOW, UNDERFLOW, affine_constants
from plica.network import Affine, Network, once_per_network, walk

Forms = tuple[Array, Array, Array]  # keys in order, coefficients, bounds of their errors
_MOST_BYTES = 2**29  # of the maps of all cells
_SHARE = 8  # of the budget: one part in so many
_BLOCK = 256  # cells whose columns are multiplied while they are in the cache
_LEAST_LAYERS = 4  # between two times
_MOST_LARGER = 4  # a layer before may have so many times the cells of the last one


class AllMaps:
    """Maps of all cells before a layer: high parts, then low parts, and a bound of the error of each column in the 2-norm."""

    def __init__(self, exact: ExactMap) -> None:
        self._exact, self._pairs = exact, PairMaps(exact)
        self.layer = 0
        self.maps = self._pairs.maps_at_start()

    def advance(self, layer: int, names: Array) -> dict[int, Forms]:
        """Go on to a layer; the forms with these names (layer, cell, code) that are met on the way, by layer."""
        found: dict[int, Forms] = {}
        while True:
            rows = names[names[:, 0] == self.layer]
            if len(rows):
                found[self.layer] = self._forms(np.unique(keys_of(rows[:, 1], rows[:, 2])))
            if self.layer == layer:
                return found
            self.layer += 1
            self.maps = self._next()

    def _forms(self, keys: Array) -> Forms:
        """Forms of the layer that comes next, each coefficient rounded to a double."""
        network = self._exact.network
        x, error = self.maps[network.nodes[network.layers[self.layer]].inputs[0]]
        d, cells = error.shape[1], keys >> 32
        forms = network.folds[self.layer].forms(keys & 0xFFFFFFFF, x.shape[2])
        high, low = forms.picked(x[:, :d], cells), replace(forms, constant=None).picked(x[:, d:], cells)
        form = high + low
        bound = (1.0 if forms.other is None else 2.0) * error[cells] + 4 * EPS * (np.abs(form) + np.abs(low)) + UNDERFLOW
        return keys, form, bound

    def _next(self) -> dict[int, Maps]:
        """The maps of all cells before the present layer, from those of their parents."""
        network, states = self._exact.network, self._exact.layers[self.layer - 1]
        n, start, stop = len(states.parent), network.layers[self.layer - 1], network.layers[self.layer]
        tick(16 * n * network.nodes[stop - 1].size * (self._exact.domain.dimension + 1))
        if stop == start + 2 and _is_dense(network, start) and len(self.maps) == 1:
            return {start + 1: self._through_dense(start)}
        parts = []
        for cells in self._pairs.parts(np.arange(n)):
            values = {i: (x[states.parent[cells]], e[states.parent[cells]]) for i, (x, e) in self.maps.items()}
            parts.append(walk(network, OnCells(self._pairs, states.rows(cells)), values, start=start, stop=stop))
        return {i: (np.concatenate([p[i][0] for p in parts]), np.concatenate([p[i][1] for p in parts])) for i in parts[0]}

    def _through_dense(self, index: int) -> Maps:
        """ReLUs and the dense layer behind them."""
        network, states = self._exact.network, self._exact.layers[self.layer - 1]
        (x, error), parent = self.maps[network.nodes[index].inputs[0]], states.parent
        cut, c = _cut_weights(network, index + 1), affine_constants(network, index + 1)
        d, width, size = error.shape[1], x.shape[2], len(cut.first)
        out, squares = np.empty((len(parent), 2 * d, size)), np.empty((len(parent) * d, 2))

        def work(start: int, stop: int) -> None:
            n = min(_BLOCK, stop - start) * d
            first, rest, product, small = (np.empty((n, k)) for k in (width, 2 * width, size, size))
            for a in range(start, stop, _BLOCK):
                b = min(a + _BLOCK, stop)
                m = d * (b - a)
                _pair_kernels.cut_columns(
                    x, parent[a:b], states.rows(np.arange(a, b)), cut.n_bits, first, rest, squares[d * a : d * b]
                )
                np.matmul(first[:m], cut.first.T, out=product[:m])
                np.matmul(rest[:m], cut.both.T, out=small[:m])
                _pair_kernels.join_columns(product[:m], small[:m], cut.offset, a, out)

        parallel_ranges(work, len(parent), least=_BLOCK)
        rest_norm, norm = (np.sqrt(squares.T) * (1 + 1e-9) + NORM_UNDERFLOW).reshape(2, len(parent), d)
        # sums over both parts; the low parts times the rest of the weights are left out, and the offset's own rounding
        lost = c.absolute_gain * rest_norm + cut.gain * norm
        local = (2 * width + 8) * EPS * lost + EPS * cut.gain * norm + EPS * EPS * (c.absolute_gain * norm + c.offset_norm)
        return out, (c.gain * error[parent] + local * (1 + 1e-9) + UNDERFLOW) * (1 + 1e-12)


@dataclass(frozen=True, eq=False)
class _CutWeights:
    """The weights of a dense layer: their first bits, and beside these what is left of them, of norm at most ``gain``."""

    first: Array
    both: Array
    gain: float
    offset: Array
    n_bits: int  # that the numbers may have


@once_per_network
def _cut_weights(network: Network, index: int) -> _CutWeights:
    op = network.nodes[index].op
    assert isinstance(op, Affine) and op.dense is not None
    weight = op.dense
    n_bits = 53 - weight.shape[1].bit_length()  # of two factors together, so that no sum of their products rounds
    shift = np.ldexp(1.0, int(np.frexp(np.abs(weight).max(initial=0.0))[1]) + (53 - n_bits // 2))
    first = (weight + shift) - shift
    rest = weight - first
    offset = np.zeros(len(weight)) if op.offset is None else np.broadcast_to(op.offset, len(weight)).astype(np.float64)
    gain = float(np.linalg.norm(rest)) * (1 + 1e-9) + NORM_UNDERFLOW
    return _CutWeights(first, np.concatenate([first, rest], axis=1), gain, offset, n_bits - n_bits // 2)


@once_per_network
def _is_dense(network: Network, index: int) -> bool:
    """Whether a node is a layer of ReLUs, and the next one a dense layer, and nobody else reads what goes in between."""
    node, follower, uses = network.nodes[index], network.nodes[index + 1], network.last_uses
    return bool(
        node.op.is_relu
        and len(node.shape) == 1
        and follower.op.dense is not None
        and follower.inputs == (index,)
        and uses[index] == index + 1
        and uses[node.inputs[0]] == index
    )


def renew(exact: ExactMap, layer: int, vertices: Array) -> bool:
    """Let the maps in doubles know all cells before a layer, and the lines of all vertices, as well as doubles can.

    Returns whether that was done: not so soon after the last time, and not where it would not fit into memory.
    """
    maps = cell_maps(exact, Precision.DOUBLE)
    last = 0 if maps.everything is None else maps.everything.layer
    if layer < last + _LEAST_LAYERS or not _is_affordable(exact, layer):
        return False
    everything = maps.everything = maps.everything or AllMaps(exact)
    lines = exact.hyperplanes(vertices[~exact.is_corner(vertices)]).reshape(-1, 3)
    forms = everything.advance(layer, lines)
    d = exact.domain.dimension + 1
    maps.take_over(layer, forms, {i: _rounded(x[:, :d], e) for i, (x, e) in everything.maps.items()})
    return True


def _is_affordable(exact: ExactMap, layer: int) -> bool:
    """Whether the maps on the way to a layer fit into memory, and are not those of a larger complex that this is a part of."""
    n_cells = [len(states.parent) for states in exact.layers[:layer]]
    n_bytes = 16 * max(n_cells) * max(node.size for node in exact.network.nodes) * (exact.domain.dimension + 1)
    return max(n_cells) <= _MOST_LARGER * n_cells[-1] and n_bytes <= min(_MOST_BYTES, share_of_budget(_SHARE))


def _rounded(high: Array, error: Array) -> Maps:
    norm = np.sqrt(np.einsum("ijk,ijk->ij", high, high)) * (1 + 1e-9) + NORM_UNDERFLOW
    return high, error + EPS * norm
