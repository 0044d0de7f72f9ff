"""Bounds of the distance to the nearest fold for networks whose gradients are too many to compute.

Lower: a unit cannot reach zero before |z| divided by a Lipschitz constant, a product of operator norms, which holds everywhere.
Upper: the distance to the border of a cell is the least over all units, so every unit gives an upper bound; the few with the
least quotients are asked for their gradients, by one backward pass each.
"""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry.arithmetic import affine_constants
from plica.measure._fold_distance_cell import Layer, form_values
from plica.measure._pullback import pullback
from plica.network import Network, once_per_network

CANDIDATES = 3  # units of each layer whose gradients are computed


@once_per_network
def lipschitz_upper_bounds(network: Network) -> list[float]:
    """For each node an upper bound of its Lipschitz constant with respect to the input."""
    out = [1.0]
    for node in network.nodes[1:]:
        out.append(node.op.joint_lipschitz([out[j] for j in node.inputs]))
    return out


def form_constants(network: Network, layer: Layer, row: int) -> Array:
    """An upper bound of the Lipschitz constant of every wall of a layer at a point."""
    constants, node = lipschitz_upper_bounds(network), network.nodes[layer.source]
    size = np.full(node.size, constants[layer.source])
    if layer.source:
        rows = affine_constants(network, layer.source).row_norms if layer.source not in network.layer_numbers else None
        if rows is not None and len(node.inputs) == 1:
            size = np.minimum(size, rows * constants[node.inputs[0]] * (1 + 1e-12))
    return layer.walls(row).sums(size)


def bounds_at(network: Network, layers: list[Layer], rows: slice) -> list[tuple[Array, Array, Array]]:
    """For each layer: a guess of the distance, lower and upper bound (points, forms) for each of its forms."""
    found = zip(*(_bounds_at(network, layers, row) for row in range(rows.start, rows.stop)), strict=True)
    return [(upper, lower, upper) for lower, upper in (map(np.stack, zip(*of_layer, strict=True)) for of_layer in found)]


def _bounds_at(network: Network, layers: list[Layer], row: int) -> list[tuple[Array, Array]]:
    out = []
    states = [layer.states[row] for layer in layers]
    for layer in layers:
        gap, bound = form_values(layer, row)
        with np.errstate(divide="ignore", invalid="ignore"):
            lower = np.maximum(gap - bound, 0.0) / form_constants(network, layer, row) * (1 - 1e-12)
        lower = np.where(np.isinf(gap), np.inf, lower)
        lower = np.where(np.isnan(lower), np.inf, lower)
        upper = np.full(lower.shape, np.inf)
        walls, n = layer.walls(row), network.nodes[layer.source].size
        for place in np.argsort(lower)[:CANDIDATES]:
            if np.isfinite(lower[place]):
                gradient, error = pullback(network, states, layer.source, walls.weights(n, place))
                size = float(np.linalg.norm(gradient)) * (1 - 1e-12) - error
                if size > 0:
                    upper[place] = float(gap[place] + bound[place]) / size * (1 + 1e-12)
        out.append((lower, upper))
    return out
