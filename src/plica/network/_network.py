"""What a piecewise-linear network is: a small frozen graph of affine operations and folds, in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput, InvalidNetwork
from plica.network._linearize import linear_columns
from plica.network._walk import walk
from plica.network.operations import Affine, Fold, Input, Linear, Op, Shape


@dataclass(frozen=True, eq=False)
class Node:
    """One operation in its place: its name, where its inputs come from, the shape it makes."""

    op: Op
    inputs: tuple[int, ...]
    shape: Shape
    name: str

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True, eq=False)
class Network:
    """A piecewise-linear function as a directed acyclic graph of operations.

    Nodes are in topological order; node 0 is the input and the last node is the output. Weights are float64; integers, float32
    and float16 are converted exactly, and what float64 cannot hold is refused. Build one with :func:`plica.from_torch`,
    :func:`plica.from_onnx`, :func:`plica.load`, :func:`plica.random_network`, :meth:`Network.sequential` or a :class:`Builder`.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential((1,), [Linear(np.array([[2.0], [2.0]]), np.array([0.0, -1.0])), Rectifier()])
    >>> net(np.array([0.75]))
    array([1.5, 0.5])
    """

    nodes: tuple[Node, ...]
    name: str = ""
    _memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    @staticmethod
    def sequential(input_shape: Shape | int, ops: Sequence[Op], *, name: str = "") -> Network:
        """A chain of operations."""
        builder = Builder(input_shape, name=name)
        for op in ops:
            builder.add(op)
        return builder.build()

    @property
    def input_shape(self) -> Shape:
        return self.nodes[0].shape

    @property
    def output_shape(self) -> Shape:
        return self.nodes[-1].shape

    @property
    def n_inputs(self) -> int:
        return self.nodes[0].size

    @property
    def n_outputs(self) -> int:
        return self.nodes[-1].size

    @cached_property
    def layers(self) -> tuple[int, ...]:
        """The nodes that fold, in order: *layer i* of the network is node ``layers[i]``."""
        return tuple(i for i, node in enumerate(self.nodes) if isinstance(node.op, Fold))

    @cached_property
    def layer_numbers(self) -> dict[int, int]:
        """The number of the layer of each node that folds."""
        return {index: layer for layer, index in enumerate(self.layers)}

    @cached_property
    def last_uses(self) -> list[int]:
        """For each node the last node that reads it; the output is read after the end."""
        uses = [0] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for j in node.inputs:
                uses[j] = i
        uses[-1] = len(self.nodes)
        return uses

    @cached_property
    def folds(self) -> tuple[Fold, ...]:
        """The operations of the layers."""
        return tuple(node.op for node in self.nodes if isinstance(node.op, Fold))

    @property
    def dense_layers(self) -> tuple[Linear, ...]:
        """The dense layers, in order."""
        return tuple(node.op for node in self.nodes if isinstance(node.op, Linear))

    @property
    def has_contests(self) -> bool:
        """Whether a layer is a contest, as a maximum is: its cells are found round by round."""
        return any(fold.is_contest for fold in self.folds)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Input size, units of each folding layer, output size."""
        return (self.n_inputs, *(self.nodes[i].size for i in self.layers), self.n_outputs)

    @property
    def n_neurons(self) -> int:
        """Number of folding units."""
        return sum(self.widths[1:-1])

    @cached_property
    def n_parameters(self) -> int:
        """Number of stored weights, biases and slopes per channel (indices, and the one slope of a ReLU, are not weights)."""
        arrays = [a for node in self.nodes for a in node.op.arrays().values()]
        return sum(a.size for a in arrays if a.dtype.kind == "f" and a.ndim > 0)

    def __call__(self, x: Any) -> Array:
        """The network at one point or a batch of points, in float64."""
        x = np.asarray(x, dtype=np.float64)
        single = x.shape == self.input_shape or x.shape == (self.n_inputs,)
        batch = x.reshape(1, *self.input_shape) if single else x
        if batch.shape[1:] != self.input_shape and prod(batch.shape[1:]) != self.n_inputs:
            raise InvalidInput(
                f"the network takes inputs of shape {self.input_shape}, got {x.shape}.",
                hint="give one point or a batch of points with a leading batch axis",
            )
        (y,) = walk(self, _Values(), {0: batch.reshape(len(batch), *self.input_shape)}).values()
        return y[0] if single else y

    def tensors(
        self, x: Array, *, at_fold: Callable[[int, Array], None] | None = None, pattern: Sequence[Array] | None = None
    ) -> list[Array]:
        """The output of every node for a batch; ``at_fold(layer, state)`` sees the state of each layer.

        With a ``pattern``, as :meth:`piece` takes it, the values are those of the affine piece that it chooses.
        """
        semantics = _Values(at_fold) if pattern is None else _Piece(pattern)
        values = walk(self, semantics, {0: x}, keep=True)
        return [values[i] for i in range(len(self.nodes))]

    def pattern(self, x: Any) -> tuple[Array, ...]:
        """The activation pattern at one point in floating point: the state of every unit, one array for each layer."""
        states: list[Array] = []
        x = np.asarray(x, dtype=np.float64).reshape(1, *self.input_shape)
        self.tensors(x, at_fold=lambda _, s: states.append(s[0]))
        return tuple(states)

    def piece(self, pattern: Sequence[Array], points: Array) -> Array:
        """The affine piece with the given pattern, continued to any points (rows); rows of flattened outputs.

        The arrays of the pattern have one state for each neuron of a layer, or a row of them for each point.
        """
        x = np.asarray(points, dtype=np.float64).reshape(-1, *self.input_shape)
        (y,) = walk(self, _Piece(pattern), {0: x}).values()
        return y.reshape(len(x), -1)

    def linearize(
        self, pattern: Sequence[Array], *, directions: Array | None = None, origin: Array | None = None
    ) -> tuple[Array, Array]:
        """The affine map (A, c) of the piece with the given pattern: f(x) = A x + c, with x and f flattened.

        Slopes are computed without the constants, which may be larger by any factor; where sums cancel, small networks are
        computed in fractions.
        With ``directions`` (rows) and an ``origin`` it is the map on a slice: f(origin + u @ directions) = A u + c. These may be
        fractions: a difference of two floats is not always a float.

        Examples
        --------
        >>> import numpy as np
        >>> from plica.network import Linear, Network
        >>> net = Network.sequential(1, [Linear(np.array([[1.0]]), np.array([1e20]))])
        >>> net.linearize([])
        (array([[1.]]), array([1.e+20]))
        """
        n = self.n_inputs
        directions = np.eye(n) if directions is None else np.asarray(directions)
        origin = np.zeros(n) if origin is None else np.asarray(origin)
        columns = np.vstack([directions.reshape(-1, n), origin.reshape(1, n)]).reshape(-1, *self.input_shape)
        y = linear_columns(self, pattern, columns if columns.dtype == object else columns.astype(np.float64, copy=False))
        return y[:-1].T.copy(), y[-1].copy()

    def __repr__(self) -> str:
        widths = " -> ".join(map(str, self.widths))
        label = f" {self.name!r}" if self.name else ""
        return f"<Network{label} {widths}, {self.n_neurons} neurons, {self.n_parameters} parameters>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html
        from plica.network._graph import graph_svg

        facts = {
            "inputs": self.input_shape, "outputs": self.output_shape, "layers": len(self.layers), "neurons": self.n_neurons,
            "parameters": self.n_parameters,
        }  # fmt: skip
        return facts_html(self, facts, picture=graph_svg(self))


class _Values:
    """A semantics: values at a batch of points."""

    def __init__(self, at_fold: Callable[[int, Array], None] | None = None) -> None:
        self._at_fold = at_fold

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        return op.apply(xs)

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        if self._at_fold is None:
            return op.apply([x])
        state = op.state(x)
        self._at_fold(layer, state)
        return op.select(x, state)


class _Piece:
    """A semantics: values at a batch of points of the affine pieces that states choose."""

    def __init__(self, pattern: Sequence[Array]) -> None:
        self._pattern = pattern

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        return op.apply(xs)

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        return op.select(x, np.asarray(self._pattern[layer]).reshape(-1, *op.output_shape(x.shape[1:])))


class Builder:
    """Collects operations into a Network, checking shapes and numbers as they come.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.network import Add, Linear, Rectifier
    >>> b = Builder((2,))
    >>> x = b.add(Linear(np.eye(2)))
    >>> y = b.add(Rectifier(), x)
    >>> b.add(Add(), y, 0, name="skip")
    3
    >>> b.build()(np.array([1.0, -1.0]))
    array([ 2., -1.])
    """

    def __init__(self, input_shape: Shape | int, *, name: str = "") -> None:
        shape = (input_shape,) if isinstance(input_shape, int) else tuple(int(n) for n in input_shape)
        if any(n < 1 for n in shape):
            raise InvalidNetwork(f"an input of shape {shape} is empty.")
        self._nodes = [Node(Input(shape), (), shape, "input")]
        self._name = name

    def __len__(self) -> int:
        return len(self._nodes)

    def shape(self, index: int) -> Shape:
        return self._nodes[index].shape

    def add(self, op: Op, *inputs: int, name: str = "") -> int:
        """Append an operation (on the last node by default) and return its index."""
        inputs = inputs or (len(self._nodes) - 1,)
        name = name or f"{op.kind}{len(self._nodes)}"
        if any(not 0 <= i < len(self._nodes) for i in inputs):
            raise InvalidNetwork(f"layer {name!r} refers to a layer that does not exist.")
        if op.n_inputs is not None and len(inputs) != op.n_inputs:
            raise InvalidNetwork(f"layer {name!r} ({op.kind}) takes {op.n_inputs} input, got {len(inputs)}.")
        for label, array in op.arrays().items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
                raise InvalidNetwork(
                    f"{label} of layer {name!r} is {array[where]} at index {where}.",
                    hint="a network with NaN or infinite weights has no geometry; look at its training",
                )
        try:
            shape = op.output_shape(*(self._nodes[i].shape for i in inputs))
        except InvalidNetwork as error:
            raise InvalidNetwork(f"layer {name!r}: {error.message}", hint=error.hint) from None
        self._nodes.append(Node(op, tuple(inputs), shape, name))
        return len(self._nodes) - 1

    def build(self, output: int | None = None) -> Network:
        """The network whose output is the given node (the last one by default); unused nodes are dropped."""
        output = len(self._nodes) - 1 if output is None else output
        used = {0, output}
        for i in range(output, 0, -1):
            if i in used:
                used.update(self._nodes[i].inputs)
        order = sorted(used)
        place = {old: new for new, old in enumerate(order)}
        nodes = [self._nodes[i] for i in order]
        return Network(tuple(Node(n.op, tuple(place[i] for i in n.inputs), n.shape, n.name) for n in nodes), name=self._name)
