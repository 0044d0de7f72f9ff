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


def cut_in_two(network: Network, index: int) -> tuple[Network, Network]:
    """What comes before a node, with it, and what comes after, as a network of that node's value.

    Examples
    --------
    An encoder and its decoder:

    >>> from plica.network import Linear, Rectifier
    >>> net = Network.sequential(3, [Linear(np.ones((1, 3))), Linear(np.ones((3, 1))), Rectifier()])
    >>> encoder, decoder = cut_in_two(net, 1)
    >>> encoder.n_outputs, decoder(encoder(np.array([1.0, 2.0, 3.0])))
    (1, array([6., 6., 6.]))
    """
    if not 0 < index < len(network.nodes) - 1:
        raise InvalidInput(f"node {index} of {len(network.nodes)} has nothing on one side.")
    cut = network.nodes[index]
    across = [node.name for node in network.nodes[index + 1 :] if min(node.inputs) < index]
    if across:
        raise InvalidInput(f"layer {across[0]!r} reads what comes before {cut.name!r}: the network does not pass through it.")
    before, after = Builder(network.input_shape, name=network.name), Builder(cut.shape, name=network.name)
    for node in network.nodes[1 : index + 1]:
        before.add(node.op, *node.inputs, name=node.name)
    for node in network.nodes[index + 1 :]:
        after.add(node.op, *(i - index for i in node.inputs), name=node.name)
    return before.build(), after.build()


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
