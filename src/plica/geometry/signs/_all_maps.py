r"""The maps of all cells, layer by layer, in numbers of many digits: where bounds have grown too large, everything is known anew.

A bound of an error is multiplied by the norm of every layer it goes through, whatever the numbers do: by :math:`10^{10}` on the
way through 24 layers. When many signs are undecided for that reason, the maps of all cells are carried from the input, or from
where that was done last, in numbers of so many digits that this does not matter: pairs of doubles, or sums of more where dense
layers follow each other long enough. The lines that vertices lie on are read off on the way, and rounded once. From there on the
bounds of doubles begin anew.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from plica._types import Array
from plica.geometry._budget import share_of_budget, tick
from plica.geometry.signs._cell_maps import OnCells, cell_maps
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._kept_maps import Forms, Maps, keys_of
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import PRECISIONS, Precision
from plica.geometry.values._expansions import bits_of_slices, expanded, n_parts, rectified_through_dense
from plica.geometry.values._tensors import EPS, UNDERFLOW, affine_constants
from plica.network import Network, once_per_network, walk

_MOST_BYTES = 2**29  # of the maps of all cells
_SHARE = 8  # of the budget: one part in so many
_LEAST_LAYERS = 4  # between two times
_MOST_LARGER = 4  # a layer before may have so many times the cells of the last one
_RIGHT_BITS = 40  # that are left of the digits of a column
_MOST_SLICES = 20  # beyond, bounds would underflow


class AllMaps:
    """Maps of all cells before a layer: the parts of numbers, and a bound of the error of each column in the 2-norm."""

    def __init__(self, exact: ExactMap, n_slices: int = 2) -> None:
        self._exact, self._pairs, self.n_slices = exact, PairMaps(exact), n_slices
        self.layer = 0
        self.maps = self._pairs.maps_at_start() if n_slices == 2 else self._at_start()

    def _at_start(self) -> dict[int, Maps]:
        """The columns before the first layer, which are known in integers."""
        network = self._exact.network
        parts, left = expanded(self._exact.fold_input(0, 0), n_parts(self.n_slices, _least_width(network)))
        error = np.sqrt((left * left).sum(axis=1)) * (1 + 1e-9) + UNDERFLOW
        return {network.nodes[network.layers[0]].inputs[0]: (np.concatenate(parts)[None], error[None])}

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
        """Forms of the layer that comes next, by parts."""
        network = self._exact.network
        x, error = self.maps[network.nodes[network.layers[self.layer]].inputs[0]]
        d, cells = error.shape[1], keys >> 32
        forms = network.folds[self.layer].forms(keys & 0xFFFFFFFF, x.shape[2])
        linear = replace(forms, constant=None)
        parts = [(linear if k else forms).picked(x[:, k : k + d], cells) for k in range(0, x.shape[1], d)]
        bound = (1.0 if forms.other is None else 2.0) * error[cells]
        if forms.rounds:
            bound = bound + 2 * EPS * sum(np.abs(part) for part in parts) + UNDERFLOW
        return keys, np.stack(parts, axis=1), bound

    def _next(self) -> dict[int, Maps]:
        """The maps of all cells before the present layer, from those of their parents."""
        network, states = self._exact.network, self._exact.layers[self.layer - 1]
        n, start, stop = len(states.parent), network.layers[self.layer - 1], network.layers[self.layer]
        tick(
            8
            * n_parts(self.n_slices, _least_width(network))
            * n
            * network.nodes[stop - 1].size
            * (self._exact.domain.dimension + 1)
        )
        if stop == start + 2 and _is_dense(network, start) and len(self.maps) == 1:
            (columns,) = self.maps.values()
            return {start + 1: rectified_through_dense(network, start + 1, columns, states.parent, states, self.n_slices)}
        parts = []
        for cells in self._pairs.parts(np.arange(n)):
            values = {i: (x[states.parent[cells]], e[states.parent[cells]]) for i, (x, e) in self.maps.items()}
            parts.append(walk(network, OnCells(self._pairs, states.rows(cells)), values, start=start, stop=stop))
        return {i: (np.concatenate([p[i][0] for p in parts]), np.concatenate([p[i][1] for p in parts])) for i in parts[0]}


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


@once_per_network
def _least_width(network: Network) -> int:
    """The fewest numbers that a dense layer sums up: slices have the most bits there."""
    return min(network.nodes[i].size for i in network.layers)


@once_per_network
def _lost_bits(network: Network) -> Array | None:
    """How many bits the bounds of errors grow by on the way to each layer, in a network of dense layers; None in others."""
    layers = network.layers
    if any(b != a + 2 or not _is_dense(network, a) for a, b in pairwise(layers)):
        return None
    gains = [1.0, *(affine_constants(network, a + 1).gain for a in layers[:-1])]
    return np.cumsum(np.log2(np.maximum(1.0, gains)))


def _n_slices(network: Network, layer: int) -> int:
    """How many slices keep enough digits as far as a layer."""
    lost = _lost_bits(network)
    if lost is None:
        return 2
    widest = max(network.nodes[i].size for i in network.layers)
    for k in range(2, _MOST_SLICES):
        if 53 + (k - 1) * bits_of_slices(k, widest) - lost[layer] >= _RIGHT_BITS:
            return k
    return _MOST_SLICES


def renew(exact: ExactMap, layer: int, vertices: Array) -> bool:
    """Let the maps in floating point know all cells before a layer, and the lines of all vertices, as well as they can.

    Returns whether that was done: not so soon after the last time, and not where it would not fit into memory.
    """
    maps = cell_maps(exact, Precision.DOUBLE)
    everything, network = maps.everything, exact.network
    last = 0 if everything is None else everything.layer
    if layer < last + _LEAST_LAYERS:
        return False
    if everything is None or everything.n_slices < _n_slices(network, layer):
        n_slices = _n_slices(network, min(2 * layer, len(network.layers) - 1))  # so that it lasts a while
    else:
        n_slices = everything.n_slices
    if not _is_affordable(exact, layer, n_slices):
        return False
    if everything is None or everything.n_slices != n_slices:
        everything = maps.everything = AllMaps(exact, n_slices)
    forms = everything.advance(layer, exact.hyperplanes(vertices[~exact.is_corner(vertices)]).reshape(-1, 3))
    for precision in PRECISIONS:
        cell_maps(exact, precision).take_over(layer, forms, everything.maps)
    return True


def _is_affordable(exact: ExactMap, layer: int, n_slices: int) -> bool:
    """Whether the maps on the way to a layer fit into memory, and are not those of a larger complex that this is a part of."""
    network, n_cells = exact.network, [len(states.parent) for states in exact.layers[:layer]]
    n_bytes = _n_bytes(exact, max(n_cells) * max(node.size for node in network.nodes), n_slices)
    return max(n_cells) <= _MOST_LARGER * n_cells[-1] and n_bytes <= min(_MOST_BYTES, share_of_budget(_SHARE))


def _n_bytes(exact: ExactMap, n_numbers: int, n_slices: int) -> int:
    """Of all columns of so many numbers on all cells."""
    return 8 * n_parts(n_slices, _least_width(exact.network)) * n_numbers * (exact.domain.dimension + 1)
