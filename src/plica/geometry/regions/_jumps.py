"""Whether a fold changes the network's map: what one unit's change does to the output.

Two neighboring cells that differ in the state of one unit have the same map exactly when nothing that leaves this unit reaches
the output through the states of the later units. The unit vector of the unit is pushed through the rest of the network: in
floating point with an error bound, which proves a difference, or a zero where every path is cut; otherwise in integers.
"""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry.signs._cell_maps import PRECISIONS, CellMaps
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.values._tensors import affine_constants
from plica.network import Affine, Fold, Network

UNPROVED = -1


def same_maps(exact: ExactMap, pairs: Array) -> Array:
    """Whether the network is the same affine function on both neighboring cells of each pair. The answers are proved."""
    return np.concatenate([np.empty(0, np.bool_), *(_same_maps(exact, part) for part in CellMaps(exact).parts(pairs))])


def _same_maps(exact: ExactMap, pairs: Array) -> Array:
    states, others = exact.states(pairs[:, 0]), exact.states(pairs[:, 1])
    changes = [x != y for x, y in zip(states, others, strict=True)]
    alone = sum(c.sum(axis=1) for c in changes) == 1
    reached = np.full(len(pairs), UNPROVED, np.int8)
    for layer, change in enumerate(changes):
        rows = np.flatnonzero(alone & change.any(axis=1))
        units = change[rows].argmax(axis=1)
        bent = has_breakpoint(exact.network, layer, units)
        reached[rows[~bent]] = 0
        rows = rows[bent]
        if len(rows):
            reached[rows] = reaches_output(exact.network, layer, units[bent], [s[rows] for s in states])
    for sharp in PRECISIONS:
        rows = np.flatnonzero(reached == UNPROVED)
        if len(rows):
            reached[rows[_differ(CellMaps(exact, sharp=sharp), pairs[rows])]] = 1
    for i in np.flatnonzero(reached == UNPROVED):
        x, y = (exact.output(int(c)) for c in pairs[i])
        reached[i] = not (x.integers == y.integers).all()
    return reached == 0


def _differ(maps: CellMaps, pairs: Array) -> Array:
    """Whether floating point shows that the maps of two cells differ."""
    with np.errstate(all="ignore"):
        (x, error), which = maps.output(pairs)
        a, b = which.reshape(pairs.shape).T
        return np.asarray((np.abs(x[a] - x[b]) > (error[a] + error[b])[..., None] * (1 + 1e-6)).any(axis=(1, 2)))


def has_breakpoint(network: Network, layer: int, units: Array) -> Array:
    """Whether the units' own maps change with their states; a rectifier with slope one only changes its name."""
    node = network.nodes[network.layers[layer]]
    assert isinstance(node.op, Fold)
    return node.op.bends(units, node.shape)


def reaches_output(network: Network, layer: int, units: Array, states: list[Array]) -> Array:
    """Whether a change of a unit's output changes the network's output, given the states of later units: 1, 0 or UNPROVED.

    Row i is about ``units[i]`` and row i of the states of each layer. Beside the numbers goes a mask of the entries that any path
    of nonzero weights and open units reaches.
    """
    start, n = network.layers[layer], len(units)
    seed = np.zeros((n, network.nodes[start].size))
    seed[np.arange(n), units] = 1.0
    seed = seed.reshape(n, *network.nodes[start].shape)
    pushed: dict[int, tuple[Array, Array, Array]] = {start: (seed, seed, np.zeros(n))}
    number = {index: i for i, index in enumerate(network.layers)}
    for index in range(start + 1, len(network.nodes)):
        node = network.nodes[index]
        if not any(i in pushed for i in node.inputs):
            continue
        nothing = [np.zeros((n, *network.nodes[i].shape)) for i in node.inputs]
        xs = [pushed[i][0] if i in pushed else zero for i, zero in zip(node.inputs, nothing, strict=True)]
        masks = [pushed[i][1] if i in pushed else zero for i, zero in zip(node.inputs, nothing, strict=True)]
        error = np.sum([pushed[i][2] for i in node.inputs if i in pushed], axis=0)
        if isinstance(node.op, Fold):
            value, mask = (linear_select(node.op, x, states[number[index]], node.shape) for x in (xs[0], masks[0]))
            error = error * node.op.lipschitz()
        else:
            assert isinstance(node.op, Affine)
            coefficients = node.op.coefficients
            value = node.op.linear(xs, coefficients)
            mask = node.op.linear(masks, None if coefficients is None else (coefficients != 0).astype(np.float64))
            c = affine_constants(network, index)
            norms = sum(np.linalg.norm(x.reshape(n, -1), axis=1) for x in xs)
            error = c.gain * error + c.gamma * c.absolute_gain * norms
        if mask.any():
            pushed[index] = (value, (mask != 0).astype(np.float64), error)
    last = len(network.nodes) - 1
    if last not in pushed:
        return np.zeros(n, np.int8)
    value, mask, error = pushed[last]
    sure = np.abs(value.reshape(n, -1)).max(axis=1) > 2 * error + 1e-250
    return np.where(sure, 1, np.where(mask.reshape(n, -1).any(axis=1), UNPROVED, 0)).astype(np.int8)


def linear_select(op: Fold, x: Array, states: Array, shape: tuple[int, ...]) -> Array:
    """The linear part of the piece that the states choose."""
    n = len(x)
    return op.pieces(states.reshape(len(states), -1), x.shape[1:]).linear(x.reshape(n, -1)).reshape(n, *shape)
