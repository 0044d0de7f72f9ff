"""How much errors grow through a convolution or a dense layer and the normalization behind it, taken together.

A channel of large variance is divided by much, one of small variance by little, so the norm of both operations is less than the
product of their norms: in ResNet-20, trained a little, by a factor of 450 from the input to the output.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from plica.geometry.values._tensors import EPS, NORM_UNDERFLOW, affine_constants
from plica.network import Network, once_per_network
from plica.network.operations import Conv, Linear, Scale


@once_per_network
def readers(network: Network) -> Counter[int]:
    """How many nodes read each node."""
    return Counter(i for node in network.nodes for i in node.inputs)


@once_per_network
def followers(network: Network) -> dict[int, int]:
    """The node that multiplies entries by factors and is the only one to read a node, by that node."""
    scales = [(i, node.inputs[0]) for i, node in enumerate(network.nodes) if isinstance(node.op, Scale)]
    return {j: i for i, j in scales if readers(network)[j] == 1}


@once_per_network
def composed(network: Network, index: int) -> Any:
    """A convolution or dense layer with the factors of the node behind it in its weights, each rounded; None for others."""
    node, follower = network.nodes[index], followers(network).get(index)
    op: Any = node.op
    if follower is None or not isinstance(op, Conv | Linear) or (isinstance(op, Linear) and len(node.shape) != 1):
        return None
    scale: Any = network.nodes[follower].op
    factors = scale.entrywise(node.shape).reshape(node.shape[0], -1)
    if not factors.any() or (factors != factors[:, :1]).any():
        return None
    coefficients = np.asarray(op.coefficients, np.float64)
    return op.with_numbers(coefficients * factors[:, 0].reshape(-1, *[1] * (coefficients.ndim - 1)), None)


@once_per_network
def error_gain(network: Network, index: int) -> float:
    """A bound of what an affine node makes of an error, in the 2-norm.

    Where only a :class:`Scale` reads the node, the error is meant as that operation sees it: what it is multiplied by there
    gives a bound of the error behind both.
    """
    gain, both = affine_constants(network, index).gain, composed(network, index)
    if both is None:
        return gain
    bound = both.gain() + 2 * EPS * both.absolute_gain() + NORM_UNDERFLOW  # products of weights and factors are rounded
    return min(gain, bound / affine_constants(network, followers(network)[index]).gain * (1 + 1e-12))
