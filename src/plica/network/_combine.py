"""Networks made of networks: one on top of another, two side by side, their difference."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from plica.errors import InvalidInput
from plica.network._network import Builder, Network, Node
from plica.network.operations import Add, Concat, Op, Reshape, Scale


def extended(network: Network, ops: Sequence[Op]) -> Network:
    """The network with further operations on its output; its own nodes keep their numbers.

    Examples
    --------
    >>> from plica.network import Linear, Rectifier
    >>> net = Network.sequential(1, [Linear(np.array([[2.0]]))])
    >>> extended(net, [Rectifier()])(np.array([3.0]))
    array([6.])
    """
    nodes = list(network.nodes)
    for op in ops:
        shape = op.output_shape(nodes[-1].shape)
        nodes.append(Node(op, (len(nodes) - 1,), shape, op.kind))
    return Network(tuple(nodes))


def side_by_side(f: Network, g: Network) -> Network:
    """Both networks on one input, the outputs of f before those of g.

    Examples
    --------
    >>> from plica.network import Linear
    >>> f = Network.sequential(1, [Linear(np.array([[2.0]]))])
    >>> g = Network.sequential(1, [Linear(np.array([[3.0], [4.0]]))])
    >>> side_by_side(f, g)(np.array([1.0]))
    array([2., 3., 4.])
    """
    b, ends = _both(f, g)
    flat = [b.add(Reshape((prod(b.shape(end)),)), end) if len(b.shape(end)) != 1 else end for end in ends]
    return b.build(b.add(Concat(0), *flat))


def difference(f: Network, g: Network) -> Network:
    """The network f - g.

    Examples
    --------
    >>> from plica.network import Linear
    >>> f = Network.sequential(1, [Linear(np.array([[2.0]]))])
    >>> difference(f, f)(np.array([5.0]))
    array([0.])
    """
    if f.output_shape != g.output_shape:
        raise InvalidInput(f"networks with outputs of shapes {f.output_shape} and {g.output_shape} have no difference.")
    b, ends = _both(f, g)
    return b.build(b.add(Add(), ends[0], b.add(Scale(np.array(-1.0)), ends[1])))


def _both(f: Network, g: Network) -> tuple[Builder, list[int]]:
    """Both networks in one builder, and their last nodes."""
    if f.input_shape != g.input_shape:
        raise InvalidInput(f"networks with inputs of shapes {f.input_shape} and {g.input_shape} have no common input.")
    b, ends = Builder(f.input_shape), []
    for net in (f, g):
        place = {0: 0}
        for i, node in enumerate(net.nodes[1:], start=1):
            place[i] = b.add(node.op, *(place[j] for j in node.inputs))
        ends.append(place[len(net.nodes) - 1])
    return b, ends
