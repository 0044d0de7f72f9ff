"""The dense end of a network: matrices, factors and offsets with ReLU between, behind whatever comes before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.errors import UnsupportedLayer
from plica.network import Affine, Builder, Gather, Linear, Network, Op, Rectifier, Reshape, Scale
from plica.sparse._rounded import RoundedLayer


@dataclass(frozen=True, eq=False)
class Chain:
    """``head`` is the number of the node whose flattened value enters the layers; the last layer has no ReLU behind it.

    A layer is a matrix and the factors and offsets behind it.
    """

    network: Network
    head: int
    layers: tuple[tuple[Affine, ...], ...]

    @property
    def tail(self) -> Network:
        """The layers alone, as they are, as a network of the flattened value of the head."""
        ops: list[Op] = []
        for layer in self.layers:
            ops += [*layer, Rectifier()]
        return Network.sequential(self.network.nodes[self.head].size, ops[:-1])

    def rounded(self) -> list[RoundedLayer]:
        """Each layer as one matrix and its biases."""
        found = []
        for first, *more in self.layers:
            assert isinstance(first, Linear)
            layer = RoundedLayer.of(first)
            for op in more:
                assert isinstance(op, Scale)
                layer.scale(op.factor, op.offset)
            found.append(layer)
        return found

    def before(self) -> Network:
        """What comes before the layers, as a network of its own."""
        nodes = self.network.nodes[: self.head + 1]
        return Network(nodes)

    def rebuilt(self, layers: tuple[Linear, ...], inputs: Array) -> Network:
        """The network with other layers, of which the first reads some entries of the head."""
        b = Builder(self.network.input_shape, name=self.network.name)
        for node in self.network.nodes[1 : self.head + 1]:
            b.add(node.op, *node.inputs, name=node.name)
        size = self.network.nodes[self.head].size
        if len(inputs) < size:
            b.add(Gather(np.asarray(inputs, dtype=np.int64)), self.head)
        elif len(b.shape(self.head)) != 1:
            b.add(Reshape((size,)), self.head)
        for k, layer in enumerate(layers):
            b.add(layer)
            if k < len(layers) - 1:
                b.add(Rectifier())
        if self.network.output_shape != b.shape(len(b) - 1):
            b.add(Reshape(self.network.output_shape))
        return b.build()


def chain_of(network: Network) -> Chain:
    """The longest chain of dense layers at the end of a network.

    Examples
    --------
    >>> import plica
    >>> found = chain_of(plica.random_network([3, 5, 4, 2], seed=0))
    >>> found.head, [layer.weight.shape for layer in found.rounded()]
    (0, [(5, 3), (4, 5), (2, 4)])
    """
    readers = [0] * len(network.nodes)
    for node in network.nodes:
        for i in node.inputs:
            readers[i] += 1
    layers: list[tuple[Affine, ...]] = []
    behind: list[Affine] = []
    at, wants_linear, start = len(network.nodes) - 1, True, None
    while at > 0:
        node = network.nodes[at]
        is_alone = readers[at] == (at < len(network.nodes) - 1)
        if not is_alone:
            break
        if isinstance(node.op, Reshape):
            at = node.inputs[0]
        elif wants_linear and isinstance(node.op, Scale) and len(node.shape) == 1:
            behind.insert(0, node.op)
            at = node.inputs[0]
        elif wants_linear and isinstance(node.op, Linear) and len(node.shape) == 1:
            layers.insert(0, (node.op, *behind))
            behind = []
            start, at, wants_linear = node.inputs[0], node.inputs[0], False
        elif not wants_linear and node.op.is_relu:
            at, wants_linear = node.inputs[0], True
        else:
            break
    if start is None or len(layers) < 2:
        raise UnsupportedLayer(
            "the network does not end in two or more dense layers with ReLU between them.",
            hint="compression merges and removes units between dense layers",
        )
    head = start
    while isinstance(network.nodes[head].op, Reshape) and readers[head] == 1:
        head = network.nodes[head].inputs[0]
    return Chain(network, head, tuple(layers))
