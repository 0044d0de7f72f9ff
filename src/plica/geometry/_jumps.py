"""Whether a fold changes the network's map: what one unit's change does to the output.

Two neighboring cells that differ in the state of one unit have the same map exactly when nothing that leaves this unit reaches
the output through the states of the later units. The unit vector of the unit is pushed through the rest of the network: in
floating point with an error bound, which proves a difference, or a zero where every path is cut; otherwise in integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica.geometry._exactmap import ExactMap
from plica.geometry._tensors import affine_constants
from plica.network import Affine, Clip, Fold, Max, Network, Rectifier

Array = np.ndarray[Any, np.dtype[Any]]


def same_map(exact: ExactMap, a: int, b: int) -> bool:
    """Whether the network is the same affine function on two neighboring cells. The answer is proved."""
    rows_a, rows_b = exact.states(a), exact.states(b)
    different = [(layer, int(k)) for layer, (x, y) in enumerate(zip(rows_a, rows_b, strict=True)) for k in np.flatnonzero(x != y)]
    if len(different) == 1:
        layer, unit = different[0]
        if not bends(exact.network, layer, unit):
            return True
        verdict = reaches_output(exact.network, layer, unit, rows_a)
        if verdict is not None:
            return not verdict
    x, y = exact.output(a), exact.output(b)
    return bool((x.integers == y.integers).all())


def bends(network: Network, layer: int, unit: int) -> bool:
    """Whether a unit's own map changes with its state; a rectifier with slope one only changes its name."""
    node = network.nodes[network.layers[layer]]
    return not isinstance(node.op, Rectifier) or np.broadcast_to(node.op.slope, node.shape).reshape(-1)[unit] != 1.0


def reaches_output(network: Network, layer: int, unit: int, states: list[Array]) -> bool | None:
    """Whether a change of one unit's output changes the network's output, given the states of later units; None if unproved.

    Beside the numbers goes a mask of the entries that any path of nonzero weights and open units reaches.
    """
    start = network.layers[layer]
    seed = np.zeros((1, network.nodes[start].size))
    seed[0, unit] = 1.0
    seed = seed.reshape(1, *network.nodes[start].shape)
    pushed: dict[int, tuple[Array, Array, float]] = {start: (seed, seed, 0.0)}
    number = {index: i for i, index in enumerate(network.layers)}
    for index in range(start + 1, len(network.nodes)):
        node = network.nodes[index]
        if not any(i in pushed for i in node.inputs):
            continue
        nothing = [np.zeros((1, *network.nodes[i].shape)) for i in node.inputs]
        xs = [pushed[i][0] if i in pushed else zero for i, zero in zip(node.inputs, nothing, strict=True)]
        masks = [pushed[i][1] if i in pushed else zero for i, zero in zip(node.inputs, nothing, strict=True)]
        error = sum(pushed[i][2] for i in node.inputs if i in pushed)
        if isinstance(node.op, Fold):
            value, mask = (linear_select(node.op, x, states[number[index]], node.shape) for x in (xs[0], masks[0]))
            error *= lipschitz(node.op)
        else:
            assert isinstance(node.op, Affine)
            coefficients = node.op.coefficients
            value = node.op.linear(xs, coefficients)
            mask = node.op.linear(masks, None if coefficients is None else (coefficients != 0).astype(np.float64))
            c = affine_constants(network, index)
            error = c.gain * error + c.gamma * c.absolute_gain * sum(float(np.linalg.norm(x)) for x in xs)
        if mask.any():
            pushed[index] = (value, (mask != 0).astype(np.float64), error)
    last = len(network.nodes) - 1
    if last not in pushed:
        return False
    value, _, error = pushed[last]
    return True if float(np.abs(value).max()) > 2 * error + 1e-250 else None


def linear_select(op: Fold, x: Array, states: Array, shape: tuple[int, ...]) -> Array:
    """The linear part of the piece that the states choose."""
    state = states.reshape(-1, *shape)
    if isinstance(op, Max):
        return op.select(x, state)
    if isinstance(op, Clip):
        return np.where(state == 1, x, 0.0)
    return op.select(x, state)


def lipschitz(op: Fold) -> float:
    if isinstance(op, Rectifier):
        return max(1.0, float(np.abs(op.slope).max(initial=0.0)))
    if isinstance(op, Max):
        return float(np.sqrt(np.bincount(op.groups[op.groups >= 0]).max()))
    return 1.0
