"""Bounds of the distance to the nearest fold for networks whose gradients are too many to compute.

Lower: a unit cannot reach zero before |z| divided by a Lipschitz constant, a product of operator norms, which holds everywhere.
Upper: the distance to the border of a cell is the least over all units, so every unit gives an upper bound; the few with the
least quotients are asked for their gradients, by one backward pass each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry.values._tensors import affine_constants
from plica.measure._boundary_cell import Layer, _members, form_values
from plica.measure._pullback import pullback
from plica.network import Concat, Fold, Max, Network, once_per_network

CANDIDATES = 3  # units of each layer whose gradients are computed


@once_per_network
def lipschitz_constants(network: Network) -> list[float]:
    """For each node an upper bound of its Lipschitz constant with respect to the input."""
    out = [1.0]
    for i, node in enumerate(network.nodes[1:], start=1):
        before = [out[j] for j in node.inputs]
        if isinstance(node.op, Fold):
            out.append(before[0] * node.op.lipschitz())
        elif isinstance(node.op, Concat):
            out.append(float(np.sqrt(np.sum(np.square(before)))) * (1 + 1e-12))
        else:
            out.append(sum(before) * affine_constants(network, i).gain * (1 + 1e-12))
    return out


def form_constants(network: Network, layer: Layer) -> Array:
    """An upper bound of the Lipschitz constant of every form of a layer."""
    constants, node = lipschitz_constants(network), network.nodes[layer.source]
    size = np.full(node.size, constants[layer.source])
    if layer.source:
        rows = affine_constants(network, layer.source).row_norms if not isinstance(node.op, Fold) else None
        if rows is not None and len(node.inputs) == 1:
            size = np.minimum(size, rows * constants[node.inputs[0]] * (1 + 1e-12))
    if isinstance(layer.op, Max):
        members, _ = _members(layer.op)
        return np.broadcast_to(2 * size[members].max(axis=1)[:, None], members.shape)
    return size


def bounds_at(network: Network, layers: list[Layer], row: int) -> list[tuple[Array, Array, Array]]:
    """For each layer: a guess of the distance, lower and upper bound for each of its forms."""
    out = []
    states = [layer.states[row] for layer in layers]
    for layer in layers:
        gap, bound = form_values(layer, row)
        with np.errstate(divide="ignore", invalid="ignore"):
            lower = np.where(np.isinf(gap), np.inf, np.maximum(gap - bound, 0.0) / form_constants(network, layer) * (1 - 1e-12))
        lower = np.where(np.isnan(lower), np.inf, lower)
        upper = np.full(lower.shape, np.inf)
        for at in np.argsort(lower, axis=None)[:CANDIDATES]:
            place = np.unravel_index(int(at), lower.shape)
            if np.isfinite(lower[place]):
                gradient, error = pullback(network, states, layer.source, _weights(network, layer, row, place))
                size = float(np.linalg.norm(gradient)) * (1 - 1e-12) - error
                if size > 0:
                    upper[place] = float(gap[place] + bound[place]) / size * (1 + 1e-12)
        out.append((upper, lower, upper))
    return out


def _weights(network: Network, layer: Layer, row: int, place: tuple[Any, ...]) -> Array:
    """The form as a weighted sum of the entries of the layer's input."""
    weights = np.zeros(network.nodes[layer.source].size)
    if isinstance(layer.op, Max):
        group = layer.op.groups.reshape(-1, layer.op.groups.shape[-1])[place[0]]
        weights[group[layer.states[row][place[0]]]] += 1.0
        weights[group[place[1]]] -= 1.0
    else:
        weights[place[0]] = 1.0
    return weights
