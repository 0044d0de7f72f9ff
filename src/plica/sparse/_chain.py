"""The end of a network that is a chain: matrices or convolutions, factors and offsets, ReLU and max-pooling between them.

Units are what such a layer makes: neurons of dense layers, channels of convolutions. A layer's columns are those of its matrix;
each unit of the layer before it has a block of them: one, the taps of a kernel, or the positions of a map that was flattened.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import UnsupportedLayer
from plica.network import Builder, Conv, Fold, Gather, Linear, Network, Node, Op, Rectifier, Reshape, Scale
from plica.sparse._rounded import RoundedLayer


@dataclass(frozen=True, eq=False)
class ChainLayer:
    """A matrix or convolution, the factors and offsets behind it, and the folds that follow; none follow the last one.

    ``shape`` is that of what it reads, ``block`` how many columns a unit before it has.
    """

    op: Linear | Conv
    scales: tuple[Scale, ...]
    folds: tuple[Fold, ...]
    shape: tuple[int, ...]
    block: int

    @property
    def is_dense(self) -> bool:
        return not isinstance(self.op, Conv)

    @property
    def pads(self) -> bool:
        """Whether it reads zeros beyond the border of what enters it."""
        return isinstance(self.op, Conv) and any(any(pair) for pair in self.op.padding)

    def rounded(self) -> RoundedLayer:
        """The layer as one matrix (units, columns) and its biases."""
        n = len(self.op.weight)
        bias = np.zeros(n) if self.op.bias is None else self.op.bias
        layer = RoundedLayer.of(Linear(self.op.weight.reshape(n, -1), bias))
        for scale in self.scales:
            layer.scale(scale.factor.reshape(-1), None if scale.offset is None else scale.offset.reshape(-1))
        return layer

    def stored(self, layer: RoundedLayer) -> Linear | Conv:
        """An operation of this kind with other numbers."""
        if isinstance(self.op, Conv):
            return replace(
                self.op, weight=layer.weight.reshape(len(layer.weight), -1, *self.op.weight.shape[2:]), bias=layer.bias
            )
        return layer.stored()


@dataclass(frozen=True, eq=False)
class Chain:
    """``head`` is the number of the node whose value enters the layers, flattened if the first one is dense."""

    network: Network
    head: int
    layers: tuple[ChainLayer, ...]

    @property
    def tail(self) -> Network:
        """The layers alone, as they are, as a network of the value of the head."""
        entering = self.network.nodes[self.head]
        b = Builder(entering.size if self.layers[0].is_dense else entering.shape)
        for layer in self.layers:
            self._flattened(b, layer)
            for op in (layer.op, *layer.scales, *layer.folds):
                b.add(op)
        return b.build()

    def rectifiers(self) -> list[int]:
        """Which of the rectifiers that bounds see are those of the layers; maxima are made of others."""
        found, n = [], 0
        for layer in self.layers[:-1]:
            for fold in layer.folds:
                if fold.is_relu:
                    found.append(n)
                n += 1 if fold.is_relu else len(fold.rounds)
        return found

    def before(self) -> Network:
        """What comes before the layers, as a network of its own."""
        return Network(self.network.nodes[: self.head + 1])

    def rebuilt(self, layers: list[RoundedLayer], inputs: Array) -> Network:
        """The network with other numbers in its layers, of which the first, if it is dense, reads some entries of the head."""
        b = Builder(self.network.input_shape, name=self.network.name)
        for node in self.network.nodes[1 : self.head + 1]:
            b.add(node.op, *node.inputs, name=node.name)
        if self.layers[0].is_dense and len(inputs) < self.network.nodes[self.head].size:
            b.add(Gather(np.asarray(inputs, dtype=np.int64)), self.head)
        for own, layer in zip(self.layers, layers, strict=True):
            self._flattened(b, own)
            b.add(own.stored(layer))
            for fold in own.folds:
                b.add(Rectifier() if fold.is_relu else _for_channels(fold, len(layer.weight)))
        if self.network.output_shape != b.shape(len(b) - 1):
            b.add(Reshape(self.network.output_shape))
        return b.build()

    def _flattened(self, b: Builder, layer: ChainLayer) -> None:
        shape = b.shape(len(b) - 1)
        if layer.is_dense and len(shape) != 1:
            b.add(Reshape((prod(shape),)))


@dataclass(eq=False)
class _Walker:
    """Backwards from the output; what was seen between the matrix before and the one that is looked for."""

    network: Network
    layers: list[ChainLayer] = field(default_factory=list)
    scales: list[Scale] = field(default_factory=list)
    shapes: list[tuple[int, ...]] = field(default_factory=list)  # of values that are scaled by unit
    folds: list[Fold] = field(default_factory=list)
    head: int = 0

    def chain(self) -> tuple[int, tuple[ChainLayer, ...]]:
        """The node that enters the layers, and these."""
        nodes, readers = self.network.nodes, _readers(self.network)
        at = len(nodes) - 1
        while at > 0 and readers[at] == (at < len(nodes) - 1) and self._takes(nodes[at]):
            at = nodes[at].inputs[0]
        head = self.head
        while self.layers and self.layers[0].is_dense and isinstance(nodes[head].op, Reshape) and readers[head] == 1:
            head = nodes[head].inputs[0]
        return head, tuple(self.layers)

    def _takes(self, node: Node) -> bool:
        """Whether a node continues the chain; it is noted then."""
        op: Any = node.op
        needs_fold = bool(self.layers) and not any(f.is_relu for f in self.folds)
        if isinstance(op, Reshape):
            return not self.layers or self.layers[0].is_dense
        if isinstance(op, Fold):
            return self._takes_fold(op, node)
        if needs_fold:
            return False
        if isinstance(op, Scale):
            if not _is_by_unit(op, node.shape):
                return False
            self.scales.insert(0, op)
            if any(a is not None and a.ndim for a in (op.factor, op.offset)):
                self.shapes.append(node.shape)
            return True
        return self._takes_matrix(op, node)

    def _takes_fold(self, op: Any, node: Node) -> bool:
        if not self.layers or self.scales:
            return False
        is_new = not any(f.is_relu == op.is_relu for f in self.folds)
        if not is_new or not (op.is_relu or (op.is_contest and _channel_groups(op, self._entering(node)) is not None)):
            return False
        self.folds.insert(0, op)
        return True

    def _entering(self, node: Node) -> tuple[int, ...]:
        return self.network.nodes[node.inputs[0]].shape

    def _takes_matrix(self, op: Any, node: Node) -> bool:
        after = self.layers[0] if self.layers else None
        if isinstance(op, Linear) and len(node.shape) == 1:
            fits = (after is None or after.is_dense) and all(f.is_relu for f in self.folds)
        else:
            fits = isinstance(op, Conv) and op.groups == 1 and after is not None
        if not fits or any(shape != node.shape for shape in self.shapes):  # units are others behind a reshape
            return False
        n_units = len(op.weight)
        if after is not None:
            self.layers[0] = replace(after, block=after.op.weight[0].size // n_units)
        shape = self._entering(node)
        block = op.weight[0].size // shape[0] if isinstance(op, Conv) else 1
        self.layers.insert(0, ChainLayer(op, tuple(self.scales), tuple(self.folds), shape, block))
        self.scales, self.shapes, self.folds, self.head = [], [], [], node.inputs[0]
        return True


def chain_of(network: Network) -> Chain:
    """The longest chain of layers at the end of a network.

    Examples
    --------
    >>> import plica
    >>> found = chain_of(plica.random_network([3, 5, 4, 2], seed=0))
    >>> found.head, [layer.op.weight.shape for layer in found.layers]
    (0, [(5, 3), (4, 5), (2, 4)])
    """
    head, layers = _Walker(network).chain()
    if len(layers) < 2:
        raise UnsupportedLayer(
            "the network does not end in two or more layers, dense or convolutions, with ReLU between them.",
            hint="compression merges and removes units between such layers",
        )
    return Chain(network, head, layers)


def _readers(network: Network) -> list[int]:
    found = [0] * len(network.nodes)
    for node in network.nodes:
        for i in node.inputs:
            found[i] += 1
    return found


def _is_by_unit(op: Scale, shape: tuple[int, ...]) -> bool:
    """Whether factors and offsets are the same on whole channels."""
    by_unit = (shape[0], *[1] * (len(shape) - 1))
    return all(
        np.broadcast_shapes(a.shape, by_unit) == by_unit and (a.ndim == len(shape) or a.size == 1)
        for a in (op.factor, op.offset)
        if a is not None
    )


def _channel_groups(op: Any, shape: tuple[int, ...]) -> Array | None:
    """The groups of a maximum in its first channel, if they are the same in every channel of a tensor of this shape."""
    groups, size = op.groups, prod(shape[1:])
    if len(shape) < 2 or groups.ndim < 2 or len(groups) != shape[0]:
        return None
    moved = np.where(groups < 0, -1, groups - size * np.arange(len(groups)).reshape(-1, *[1] * (groups.ndim - 1)))
    is_same = (moved == moved[0]).all() and moved.max() < size and (moved[groups >= 0] >= 0).all()
    return np.asarray(moved[0]) if is_same else None


def _for_channels(op: Any, n: int) -> Op:
    """A maximum over windows of n channels instead."""
    groups = op.groups
    size = int(groups[1].reshape(-1)[0] - groups[0].reshape(-1)[0]) if len(groups) > 1 else 0
    first = groups[0][None]
    found: Op = replace(op, groups=np.where(first < 0, -1, first + size * np.arange(n).reshape(-1, *[1] * (groups.ndim - 1))))
    return found
