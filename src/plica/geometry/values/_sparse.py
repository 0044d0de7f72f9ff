"""Columns of the affine operations between two layers, as sparse matrices: what one unit does to the layer after it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from scipy import sparse

from plica._types import Array
from plica.network import Affine, Conv, Gather, Linear, Network, Pad, Permute, Reshape, Scale, WindowSum, once_per_network

MOST_ENTRIES = 3_000_000  # of a matrix that is worth keeping


@once_per_network
def matrix_of(network: Network, index: int) -> Any:
    """The linear part of an affine node with one input, or None if it would be too large."""
    node = network.nodes[index]
    op, shape = node.op, network.nodes[node.inputs[0]].shape
    size_in, size = prod(shape), node.size
    if not isinstance(op, Affine) or len(node.inputs) != 1 or size * max(1, op.n_terms()) > MOST_ENTRIES:
        return None
    source = np.arange(1, size_in + 1).reshape(1, *shape)
    if isinstance(op, Linear):
        blocks = size // len(op.weight)
        dense = sparse.csc_matrix(op.weight)
        return dense if blocks == 1 else sparse.block_diag([dense] * blocks, format="csc")
    if isinstance(op, Scale):
        return sparse.diags_array(np.broadcast_to(op.factor, shape).reshape(-1), format="csc")
    if isinstance(op, (Reshape, Permute, Pad, Gather)):
        rows, columns = np.arange(size), op.linear([source], None).reshape(-1)
        values = np.ones(size)
    elif isinstance(op, WindowSum):
        position = np.moveaxis(np.arange(size).reshape(node.shape), op.axis, 0)
        places = np.moveaxis(source[0], op.axis, 0)
        pairs = [(position[i], places[j]) for i, (a, b) in enumerate(zip(op.starts, op.stops, strict=True)) for j in range(a, b)]
        rows = np.concatenate([p.reshape(-1) for p, _ in pairs])
        columns = np.concatenate([q.reshape(-1) for _, q in pairs])
        values = np.ones(len(rows))
    elif isinstance(op, Conv):
        n_positions = prod(node.shape[1:])
        seen = op.windows(source).reshape(op.groups, 1, -1, n_positions)
        weight = op.weight.reshape(op.groups, -1, seen.shape[2], 1)
        out = np.arange(size).reshape(op.groups, -1, 1, n_positions)
        rows, columns, values = (a.reshape(-1) for a in np.broadcast_arrays(out, seen, weight))
    else:
        return None
    inside = columns > 0  # padding reads nothing
    return sparse.csc_matrix((values[inside], (rows[inside], columns[inside] - 1)), shape=(size, size_in))


def columns_after(network: Network, chain: tuple[int, ...], units: Array) -> Any:
    """What the units of a layer do at the end of a chain of affine nodes: a sparse matrix with one column for each unit."""
    matrix = matrix_of(network, chain[0])[:, units]
    for index in chain[1:]:
        matrix = matrix_of(network, index) @ matrix
    return sparse.csc_matrix(matrix)
