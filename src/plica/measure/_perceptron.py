"""Networks that are chains of dense layers with ReLUs between them: their weights and biases."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Linear, Network


def dense_layers(network: Network) -> list[tuple[Array, Array]]:
    """Weights and biases of a chain of dense layers with ReLUs between; other networks are refused."""
    layers: list[tuple[Array, Array]] = []
    expects_linear = True
    for i, node in enumerate(network.nodes[1:], start=1):
        op = node.op
        is_chain = node.inputs == (i - 1,)
        if expects_linear and is_chain and isinstance(op, Linear) and len(node.shape) == 1:
            layers.append((op.weight, np.zeros(len(op.weight)) if op.bias is None else op.bias))
        elif not expects_linear and is_chain and op.is_relu:
            pass
        else:
            raise InvalidInput(
                f"node {i} ({op.kind}) is no part of a chain of dense layers with ReLUs.",
                hint="parameters are counted for perceptrons: Linear, ReLU, Linear, ...",
            )
        expects_linear = not expects_linear
    if expects_linear:
        raise InvalidInput("the network ends with a fold.", hint="its last layer should be linear")
    return layers
