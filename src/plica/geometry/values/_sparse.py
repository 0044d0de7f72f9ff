"""Columns of the affine operations between two layers, as sparse matrices: what one unit does to the layer after it."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from plica._types import Array
from plica.network import Affine, Network, once_per_network

MOST_ENTRIES = 3_000_000  # of a matrix that is worth keeping


@once_per_network
def matrix_of(network: Network, index: int) -> Any:
    """The linear part of an affine node with one input, or None if it would be too large."""
    node = network.nodes[index]
    op = node.op
    if not isinstance(op, Affine) or len(node.inputs) != 1 or node.size * max(1, op.n_terms()) > MOST_ENTRIES:
        return None
    return op.matrix(network.nodes[node.inputs[0]].shape)


def columns_after(network: Network, chain: tuple[int, ...], units: Array) -> Any:
    """What the units of a layer do at the end of a chain of affine nodes: a sparse matrix with one column for each unit."""
    matrix = matrix_of(network, chain[0])[:, units]
    for index in chain[1:]:
        matrix = matrix_of(network, index) @ matrix
    return sparse.csc_matrix(matrix)
