"""The same function written with other neurons: permuted, rescaled, with dead or doubled ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from plica._types import Array
from plica.exact import exactly
from plica.geometry import Domain
from plica.network import Gather, Input, Linear, Network, Node, Op, Rectifier, Reshape
from plica.testing._domains import exact_chart

Change = Callable[[Array], Array]


def rewrite_layer(network: Network, layer: int, rows: Change, columns: Change, slopes: Change) -> Network | None:
    """A rectifying layer between linear ones with its rows, its slopes and the columns that read it changed.

    None if the layer is something else: the rows of a convolution or of a residual sum are not free.
    """
    nodes, index = network.nodes, network.layers[layer]
    node = nodes[index]
    source = node.inputs[0]
    readers = [i for i, n in enumerate(nodes) if index in n.inputs]
    own = nodes[source].op
    if not isinstance(node.op, Rectifier) or not isinstance(own, Linear) or len(nodes[source].shape) != 1 or own.bias is None:
        return None
    if sum(source in n.inputs for n in nodes) != 1 or not all(isinstance(nodes[i].op, Linear) for i in readers):
        return None
    ops: dict[int, Op] = {
        source: Linear(rows(own.weight), rows(own.bias)),
        index: Rectifier(slopes(node.op.slope) if node.op.slope.ndim else node.op.slope),
    }
    for i in readers:
        reader = nodes[i].op
        assert isinstance(reader, Linear)
        ops[i] = replace(reader, weight=columns(reader.weight))
    changed: list[Node] = []
    for i, n in enumerate(nodes):
        op = ops.get(i, n.op)
        changed.append(Node(op, n.inputs, op.output_shape(*(changed[j].shape for j in n.inputs)) if i else n.shape, n.name))
    return Network(tuple(changed), name=network.name)


def permuted(network: Network, layer: int, order: Array) -> Network | None:
    return rewrite_layer(network, layer, lambda a: a[order], lambda w: w[:, order], lambda s: s[order])


def rescaled(network: Network, layer: int, powers: Array) -> Network | None:
    """Neuron i times 2**powers[i], its readers divided by it; None where that would round."""
    other = rewrite_layer(network, layer, lambda a: np.ldexp(a.T, powers).T, lambda w: np.ldexp(w, -powers), lambda s: s)
    if other is None or any(
        not np.array_equal(np.ldexp(np.ldexp(a.T, k).T, -k), a) or not np.isfinite(np.ldexp(a.T, k)).all()
        for a, k in _scaled_arrays(network, layer, powers)
    ):
        return None
    return other


def _scaled_arrays(network: Network, layer: int, powers: Array) -> list[tuple[Array, Array]]:
    index = network.layers[layer]
    own = network.nodes[network.nodes[index].inputs[0]].op
    assert isinstance(own, Linear) and own.bias is not None
    readers = [n.op for n in network.nodes if index in n.inputs]
    matrices = [r.weight for r in readers if isinstance(r, Linear)]
    return [(own.bias, powers)] + [(column, powers) for column in own.weight.T] + [(row, -powers) for w in matrices for row in w]


def with_dead_neuron(network: Network, layer: int) -> Network | None:
    """One more neuron that is never active and that nobody reads."""

    def rows(a: Array) -> Array:
        return np.concatenate([a, np.full((1, *a.shape[1:]), -1.0 if a.ndim == 1 else 0.0)])

    return rewrite_layer(
        network, layer, rows, lambda w: np.concatenate([w, np.zeros((len(w), 1))], axis=1), lambda s: np.append(s, 0.0)
    )


def with_doubled_neuron(network: Network, layer: int, neuron: int) -> Network | None:
    """One neuron twice, each copy read with half the weight; None where halving would round."""

    def columns(w: Array) -> Array:
        half = w[:, neuron] / 2
        out = np.concatenate([w, half[:, None]], axis=1)
        out[:, neuron] = half
        return out

    readers = [n.op for n in network.nodes if network.layers[layer] in n.inputs]
    if any(isinstance(r, Linear) and not np.array_equal(r.weight[:, neuron] / 2 * 2, r.weight[:, neuron]) for r in readers):
        return None
    return rewrite_layer(
        network, layer, lambda a: np.concatenate([a, a[neuron : neuron + 1]]), columns, lambda s: np.append(s, s[neuron])
    )


def after(network: Network, *ops: Op, n_inputs: int) -> Network:
    """The network after some operations, which turn ``n_inputs`` numbers into the network's input."""
    nodes = [Node(Input((n_inputs,)), (), (n_inputs,), "input")]
    for op in ops:
        nodes.append(Node(op, (len(nodes) - 1,), op.output_shape(nodes[-1].shape), op.kind))
    shift = len(nodes) - 1
    for node in network.nodes[1:]:
        nodes.append(Node(node.op, tuple(i + shift for i in node.inputs), node.shape, node.name))
    return Network(tuple(nodes), name=network.name)


def pulled_back(network: Network, domain: Domain) -> Network:
    """The network as a function of the domain's parameters, exactly.

    A direction that is the difference of two stored points need not be a float, but it is a sum of a few floats.
    """
    columns = exact_chart(domain)
    if columns.shape == (3, 2) and np.array_equal(columns, np.eye(3, 2)):
        return network
    origin = columns[-1].astype(np.float64)
    assert np.array_equal(exactly(origin), columns[-1])
    parts, rest = [], columns[:-1]
    while any(rest.reshape(-1)):
        parts.append(rest.astype(np.float64))
        rest = rest - exactly(parts[-1])
    d = len(columns) - 1
    repeat = Gather(np.tile(np.arange(d), len(parts)))
    return after(network, repeat, Linear(np.concatenate(parts).T.copy(), origin), Reshape(network.input_shape), n_inputs=d)
