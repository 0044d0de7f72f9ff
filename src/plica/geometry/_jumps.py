"""Whether a fold changes the network's map: what one unit's change does to the output.

Two neighboring cells that differ in the state of one unit have the same map exactly when nothing that leaves this unit reaches the
output through the states of the later units. The unit vector of the unit is pushed through the rest of the network: in floating
point with an error bound, which proves a difference, or a zero where every path is cut; otherwise in integers.
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
        verdict = reaches_output(exact.network, layer, unit, rows_a)
        if verdict is not None:
            return not verdict
    x, y = exact.output(a), exact.output(b)
    return bool((x.integers == y.integers).all())


def reaches_output(network: Network, layer: int, unit: int, states: list[Array]) -> bool | None:
    """Whether a change of one unit's output changes the network's output, given the states of later units; None if unproved."""
    start = network.layers[layer]
    seed = np.zeros((1, network.nodes[start].size))
    seed[0, unit] = 1.0
    pushed: dict[int, tuple[Array, float]] = {start: (seed.reshape(1, *network.nodes[start].shape), 0.0)}
    number = {index: i for i, index in enumerate(network.layers)}
    for index in range(start + 1, len(network.nodes)):
        node = network.nodes[index]
        if not any(i in pushed for i in node.inputs):
            continue
        xs = [pushed[i][0] if i in pushed else np.zeros((1, *network.nodes[i].shape)) for i in node.inputs]
        error = sum(pushed[i][1] for i in node.inputs if i in pushed)
        if isinstance(node.op, Fold):
            value = linear_select(node.op, xs[0], states[number[index]], node.shape)
            error *= _lipschitz(node.op)
            if isinstance(node.op, (Rectifier, Clip)) and _all_blocked(node.op, states[number[index]]):
                error = 0.0
        else:
            assert isinstance(node.op, Affine)
            value = node.op.linear(xs, node.op.coefficients)
            c = affine_constants(network, index)
            error = c.gain * error + c.gamma * c.absolute_gain * sum(float(np.linalg.norm(x)) for x in xs)
            if not any(x.any() for x in xs) and all(pushed[i][1] == 0.0 for i in node.inputs if i in pushed):
                error = 0.0
        if value.any() or error:
            pushed[index] = (value, error)
    last = len(network.nodes) - 1
    if last not in pushed:
        return False
    value, error = pushed[last]
    if not np.isfinite(value).all():
        return None
    return True if float(np.abs(value).max()) > 2 * error + 1e-280 else None


def linear_select(op: Fold, x: Array, states: Array, shape: tuple[int, ...]) -> Array:
    """The linear part of the piece that the states choose."""
    state = states.reshape(1, *shape)
    if isinstance(op, Max):
        return op.select(x, state)
    if isinstance(op, Clip):
        return np.where(state == 1, x, 0.0)
    return op.select(x, state)


def _all_blocked(op: Fold, states: Array) -> bool:
    if isinstance(op, Rectifier):
        return not op.slope.any() and not (states == 1).any()
    return not (states == 1).any()


def _lipschitz(op: Fold) -> float:
    if isinstance(op, Rectifier):
        return max(1.0, float(np.abs(op.slope).max(initial=0.0)))
    if isinstance(op, Max):
        return float(np.sqrt(np.bincount(op.groups[op.groups >= 0]).max()))
    return 1.0

