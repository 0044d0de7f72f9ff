"""The gradient of one unit in one backward pass: the transposes of all operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry.values._tensors import EPS, UNDERFLOW, affine_constants
from plica.network import (
    Add,
    Clip,
    Concat,
    Conv,
    Fold,
    Gather,
    Linear,
    Max,
    Network,
    Pad,
    Permute,
    Rectifier,
    Reshape,
    Scale,
    WindowSum,
)


def pullback(network: Network, states: Sequence[Array], node: int, weights: Array) -> tuple[Array, float]:
    """The gradient of a weighted sum of a node's entries with respect to the input, and a bound of its error in the 2-norm.

    ``states`` choose the affine piece: one array for each layer before the node.

    Examples
    --------
    >>> net = Network.sequential(2, [Linear(np.array([[1.0, 2.0], [3.0, -1.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])
    >>> pullback(net, [np.array([1, 0])], 3, np.ones(1))[0]
    array([1., 2.])
    """
    shape = network.nodes[node].shape
    waiting: dict[int, tuple[Array, float]] = {node: (np.asarray(weights, dtype=np.float64).reshape(shape), 0.0)}
    layer = {index: i for i, index in enumerate(network.layers)}
    for i in range(node, 0, -1):
        if i not in waiting:
            continue
        g, error = waiting.pop(i)
        op, inputs = network.nodes[i].op, network.nodes[i].inputs
        shapes = [network.nodes[j].shape for j in inputs]
        if isinstance(op, Fold):
            parts = [_fold(op, g, np.asarray(states[layer[i]]).reshape(g.shape), shapes[0])]
            gain = absolute = op.lipschitz()
        else:
            parts = _affine(op, g, shapes)
            c = affine_constants(network, i)
            gain, absolute = c.gain, c.absolute_gain
        # at most g.size products are added for one entry
        error = gain * error + (g.size + 3) * EPS * absolute * float(np.linalg.norm(g)) + UNDERFLOW
        for j, part in zip(inputs, parts, strict=True):
            if j in waiting:
                old, old_error = waiting[j]
                total = old + part
                waiting[j] = (total, old_error + error + EPS * float(np.linalg.norm(total)))
            else:
                waiting[j] = (part, error)
    g, error = waiting.get(0, (np.zeros(network.input_shape), 0.0))
    return g.reshape(-1), error


def _fold(op: Fold, g: Array, state: Array, shape: tuple[int, ...]) -> Array:
    if isinstance(op, Rectifier):
        return np.where(state == 1, g, op.slope * g)
    if isinstance(op, Clip):
        return np.where(state == 1, g, 0.0)
    assert isinstance(op, Max)
    winner = np.take_along_axis(op.groups, state[..., None].astype(np.intp), axis=-1)[..., 0]
    out = np.zeros(int(np.prod(shape)))
    np.add.at(out, winner.reshape(-1), g.reshape(-1))
    return out.reshape(shape)


def _affine(op: Any, g: Array, shapes: list[tuple[int, ...]]) -> list[Array]:
    """The transpose of an affine operation, one array for each of its inputs."""
    if isinstance(op, Linear):
        return [g @ op.weight]
    if isinstance(op, Scale):
        return [g * op.factor]
    if isinstance(op, Conv):
        return [_conv(op, g, shapes[0])]
    if isinstance(op, Reshape):
        return [g.reshape(shapes[0])]
    if isinstance(op, Permute):
        return [g.transpose(np.argsort(op.axes))]
    if isinstance(op, Pad):
        return [g[tuple(slice(a, a + n) for n, (a, _) in zip(shapes[0], op.padding, strict=True))]]
    if isinstance(op, Gather):
        out = np.zeros(int(np.prod(shapes[0])))
        np.add.at(out, op.indices.reshape(-1), g.reshape(-1))
        return [out.reshape(shapes[0])]
    if isinstance(op, Add):
        return [g] * len(shapes)
    if isinstance(op, Concat):
        ends = np.cumsum([s[op.axis] for s in shapes])[:-1]
        return np.split(g, ends, axis=op.axis)
    assert isinstance(op, WindowSum)
    out = np.zeros(shapes[0])
    along = np.moveaxis(out, op.axis, 0)
    for i, (a, b) in enumerate(zip(op.starts, op.stops, strict=True)):
        along[a:b] += np.moveaxis(g, op.axis, 0)[i]
    return [out]


def _conv(op: Conv, g: Array, shape: tuple[int, ...]) -> Array:
    """Each tap of the kernel sends its products back to where it read."""
    n, groups = op.n_spatial, op.groups
    room = [size + low + high for size, (low, high) in zip(shape[1:], op.padding, strict=True)]
    out = np.zeros((groups, shape[0] // groups, *room))
    grouped = g.reshape(groups, -1, *g.shape[1:])
    weight = op.weight.reshape(groups, -1, *op.weight.shape[1:])
    for tap in np.ndindex(*op.weight.shape[2:]):
        to = tuple(
            slice(d * t, d * t + s * (size - 1) + 1, s)
            for t, d, s, size in zip(tap, op.dilation, op.stride, g.shape[1:], strict=True)
        )
        kernel = weight[(slice(None), slice(None), slice(None), *tap)]
        out[(slice(None), slice(None), *to)] += np.einsum("goi,go...->gi...", kernel, grouped)
    inner = tuple(slice(low, low + size) for size, (low, _) in zip(shape[1:], op.padding, strict=True))
    assert len(inner) == n
    return out.reshape(shape[0], *room)[(slice(None), *inner)]
