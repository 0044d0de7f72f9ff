"""The gradient of one unit in one backward pass: the transposes of all operations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from plica._types import Array
from plica.exact import Dyadic, add, to_object
from plica.geometry.arithmetic import EPS, UNDERFLOW
from plica.network import Affine, Fold, Network


def pullback(network: Network, states: Sequence[Array], node: int, weights: Array) -> tuple[Array, float]:
    """The gradient of a weighted sum of a node's entries with respect to the input, and a bound of its error in the 2-norm.

    ``states`` choose the affine piece: one array for each layer before the node.

    Examples
    --------
    >>> from plica.network import Linear, Rectifier
    >>> net = Network.sequential(2, [Linear(np.array([[1.0, 2.0], [3.0, -1.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])
    >>> pullback(net, [np.array([1, 0])], 3, np.ones(1))[0]
    array([1., 2.])
    """
    start = np.asarray(weights, dtype=np.float64).reshape(network.nodes[node].shape)
    waiting = {node: (start, np.abs(start))}  # beside the gradient the sum of the absolute values of all that is added up in it
    n_roundings = 1
    for i in range(node, 0, -1):
        if i not in waiting:
            continue
        g, size = waiting.pop(i)
        op, inputs = network.nodes[i].op, network.nodes[i].inputs
        shapes = [network.nodes[j].shape for j in inputs]
        if isinstance(op, Fold):
            pieces = op.pieces(np.asarray(states[network.layer_numbers[i]]).reshape(-1), shapes[0])
            n = network.nodes[inputs[0]].size
            parts = [pieces.transpose(g.reshape(-1), n).reshape(shapes[0])]
            sizes = [pieces.absolute().transpose(size.reshape(-1), n).reshape(shapes[0])]
        else:
            assert isinstance(op, Affine)
            parts = op.transpose(g, shapes)
            sizes = op.transpose(size, shapes, None if op.coefficients is None else np.abs(op.coefficients))
        n_roundings += g.size + 4  # at most g.size products are added for one entry, and one for another way to it
        for j, part, all_of_it in zip(inputs, parts, sizes, strict=True):
            old, old_size = waiting.get(j, (0.0, 0.0))
            waiting[j] = (old + part, old_size + all_of_it + UNDERFLOW / EPS)
    g, size = waiting.get(0, (np.zeros(network.input_shape), np.zeros(network.input_shape)))
    return g.reshape(-1), n_roundings * EPS * float(np.linalg.norm(size))


def exact_pullback(network: Network, states: Sequence[Array], node: int, weights: Dyadic) -> Dyadic:
    """The same gradient in integers over a power of two.

    Examples
    --------
    >>> from plica.network import Linear, Rectifier
    >>> net = Network.sequential(2, [Linear(np.array([[0.1, 2.0], [3.0, -1.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])
    >>> exact_pullback(net, [np.array([1, 0])], 3, Dyadic.from_floats(np.ones(1))).fractions()[0] == 0.1
    True
    """
    shape = network.nodes[node].shape
    waiting = {node: Dyadic(to_object(weights.integers).reshape(shape), weights.exponent)}
    for i in range(node, 0, -1):
        if i not in waiting:
            continue
        g = waiting.pop(i)
        op, inputs = network.nodes[i].op, network.nodes[i].inputs
        shapes = [network.nodes[j].shape for j in inputs]
        exponent = g.exponent
        if isinstance(op, Fold):
            pieces = op.pieces(np.asarray(states[network.layer_numbers[i]]).reshape(-1), shapes[0])
            factor = None if pieces.factor is None else Dyadic.from_floats(np.asarray(pieces.factor, dtype=np.float64))
            exponent += 0 if factor is None else factor.exponent
            sent = pieces.transpose(
                g.integers.reshape(-1),
                prod(shapes[0]),
                lambda _, f=factor: to_object(f.integers),  # type: ignore[misc]
            )
            parts = [np.asarray(sent).reshape(shapes[0])]
        else:
            assert isinstance(op, Affine)
            numbers = None if op.coefficients is None else Dyadic.from_floats(op.coefficients)
            exponent += 0 if numbers is None else numbers.exponent
            parts = op.transpose(g.integers, shapes, None if numbers is None else to_object(numbers.integers))
        for j, part in zip(inputs, parts, strict=True):
            sum_ = Dyadic(to_object(part), exponent)
            waiting[j] = add(waiting[j], sum_) if j in waiting else sum_
    g = waiting.get(0, Dyadic(np.zeros(network.input_shape, np.int64), 0))
    return Dyadic(g.integers.reshape(-1), g.exponent)
