"""The gradients of the network on many cells at once, in floating point with a bound of their error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plica._types import Array
from plica.geometry.regions._jumps import linear_select
from plica.geometry.values._tensors import UNDERFLOW, affine_constants
from plica.network import Affine, Fold, Network


def cell_gradients(network: Network, directions: Array, states: Sequence[Array]) -> tuple[Array, Array]:
    """Derivatives along the directions on each cell: values (cells, directions, outputs), errors (cells, directions).

    ``states[layer]`` has one row of states for each cell. The error bounds the 2-norm of each row of derivatives.
    """
    n_cells, n_directions = len(states[0]) if states else 1, len(directions)
    n = n_cells * n_directions
    start = np.tile(directions, (n_cells, 1)).reshape(n, *network.input_shape)
    values: dict[int, tuple[Array, Array]] = {0: (start, np.zeros(n))}
    layer = 0
    for index, node in enumerate(network.nodes[1:], start=1):
        xs = [values[i][0] for i in node.inputs]
        error = np.sum([values[i][1] for i in node.inputs], axis=0)
        if isinstance(node.op, Fold):
            rows = np.repeat(states[layer].reshape(n_cells, *node.shape), n_directions, axis=0)
            values[index] = (linear_select(node.op, xs[0], rows, node.shape), error * node.op.lipschitz())
            layer += 1
        else:
            assert isinstance(node.op, Affine)
            c = affine_constants(network, index)
            norm = np.sum([np.sqrt((x.reshape(n, -1) ** 2).sum(axis=1)) for x in xs], axis=0)
            y = node.op.linear(xs, node.op.coefficients)
            values[index] = (y, c.gain * error + c.gamma * c.absolute_gain * norm + UNDERFLOW)
    y, error = values[len(network.nodes) - 1]
    return y.reshape(n_cells, n_directions, -1), error.reshape(n_cells, n_directions)
