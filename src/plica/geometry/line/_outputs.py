"""The outputs behind the last layer of ReLUs, without its columns.

Of the neurons of the last layer only those that may switch need their columns. What the others add to the outputs is known from
few rows: the linear map from the layer to the outputs, pulled back to the layer before.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.line._columns import Columns, product_with
from plica.geometry.values._tensors import EPS, UNDERFLOW, affine_constants
from plica.network import Add, Conv, Network, once_per_network

Rows = tuple[Array, float]  # a row for each output, and a bound of the error of all in the 2-norm
_UP = 1 + 1e-9


@once_per_network
def has_few_outputs(network: Network) -> bool:
    """Whether few outputs read nothing but the last layer, one of ReLUs, through one node after the other."""
    fold, last = network.layers[-1], len(network.nodes) - 1
    is_chain = all(network.nodes[i].inputs == (i - 1,) for i in range(fold + 1, last + 1))
    return is_chain and network.folds[-1].is_relu and 16 * network.nodes[last].size <= network.nodes[fold].size


@once_per_network
def _to_outputs(network: Network) -> Rows:
    """The linear map from the last layer to the outputs."""
    last = len(network.nodes) - 1
    rows: Rows = np.eye(network.nodes[last].size), 0.0
    for i in range(last, network.layers[-1], -1):
        ((_, rows),) = _pulled_back(network, i, rows)
    return rows


def _pulled_back(network: Network, index: int, rows: Rows) -> list[tuple[int, Rows]]:
    """Rows over the output of an affine node as rows over each of its inputs."""
    node, c, (y, error) = network.nodes[index], affine_constants(network, index), rows
    op: Any = node.op
    shapes = [network.nodes[j].shape for j in node.inputs]
    tick(8 * len(y) * sum(prod(shape) for shape in shapes))
    parts = [op.transpose(row.reshape(node.shape), shapes, op.coefficients) for row in y]
    terms = op.weight.size // op.weight.shape[1] if isinstance(op, Conv) else node.size  # that one input is read by, at most
    if isinstance(op, Add) or op.entrywise(node.shape) is not None:
        terms = 1
    error = (c.gain * error + (terms + 3) * EPS * c.absolute_gain * (_norm(y) + error)) * _UP + UNDERFLOW
    return [(j, (np.stack([p[k].reshape(-1) for p in parts]), error)) for k, j in enumerate(node.inputs)]


def _norm(x: Array) -> float:
    return float(np.linalg.norm(x)) * _UP


def read_between(network: Network) -> list[int]:
    """The nodes from before that the nodes between the last two layers read."""
    first = network.layers[-2] + 1 if len(network.layers) > 1 else 1
    nodes = network.nodes[first : network.layers[-1] + 1]
    return sorted({i for node in nodes for i in node.inputs if i < first})


def output_columns(network: Network, known: dict[int, Columns], n_old: int, active: Array, switching: Array) -> Columns:
    """The columns of the outputs, from those of all nodes that are :func:`read_between` the last two layers.

    ``active`` are the neurons of the last layer that are active on the whole part, ``switching`` those that switch: they have
    columns behind ``n_old`` others.
    """
    fold = network.layers[-1]
    rows, error = _to_outputs(network)
    found: dict[int, Rows] = {network.nodes[fold].inputs[0]: (rows * active, error)}
    numbers, errors = np.zeros((n_old, len(rows))), np.zeros(n_old)
    while found:
        index = max(found)
        here = found.pop(index)
        if index in known:
            x = known[index]
            more, bound = product_with(here[0], x)
            numbers[: x.n_columns] += more
            errors[: x.n_columns] += bound + here[1] * (x.norms + x.error)
            errors += 2 * EPS * np.linalg.norm(numbers, axis=1)
            continue
        for j, (part, off) in _pulled_back(network, index, here):
            before, off_before = found.get(j, (np.zeros_like(part), 0.0))
            total = before + part
            found[j] = total, (off_before + off + EPS * _norm(total)) * _UP
    numbers = np.concatenate([numbers, rows[:, switching].T])
    errors = np.concatenate([errors * _UP, np.full(len(switching), error)])
    return Columns.full(numbers, network.nodes[-1].shape, errors + UNDERFLOW)
