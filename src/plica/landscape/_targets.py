"""Networks, samples and targets as the landscape takes them, checked once."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput, InvalidNetwork
from plica.network import Affine, Linear, Network, Scale, from_torch

Loss = Literal["squared", "absolute", "cross-entropy"]
LOSSES: tuple[Loss, ...] = ("squared", "absolute", "cross-entropy")


class Samples(NamedTuple):
    """Inputs, one in each row, and what the loss compares outputs with: values (n, outputs) or labels (n,)."""

    x: Array
    targets: Array
    loss: Loss


def as_network(model: Any, x: Any = None) -> Network:
    """A network, or a torch module converted for inputs of the shape of ``x``."""
    if isinstance(model, Network):
        return _with_biases(model)
    if x is None:
        return from_torch(model)
    import torch

    return from_torch(model, example_input=torch.zeros((1, *np.asarray(x).shape[1:])))


def _with_biases(network: Network) -> Network:
    """A chain whose products and sums of ONNX (MatMul, then Add) are one layer each; other networks as they are."""
    ops: list[Any] = []
    for i, node in enumerate(network.nodes[1:], start=1):
        if node.inputs != (i - 1,):
            return network
        op, last = node.op, ops[-1] if ops else None
        if isinstance(op, Scale) and (op.factor == 1).all() and isinstance(last, Linear) and last.bias is None:
            ops[-1] = Linear(last.weight, np.zeros(node.shape) if op.offset is None else np.broadcast_to(op.offset, node.shape))
        else:
            ops.append(op)
    is_same = len(ops) == len(network.nodes) - 1
    return network if is_same else Network.sequential(network.input_shape, ops, name=network.name)


def as_samples(network: Network, x: Any, y: Any, loss: str) -> Samples:
    """The data for a loss, in float64 and integers."""
    if loss not in LOSSES:
        raise InvalidInput(f"unknown loss {loss!r}.", hint=f"one of {', '.join(LOSSES)}")
    x = np.asarray(x, dtype=np.float64)
    if x.ndim < 2 or not len(x) or x[0].size != network.n_inputs:
        raise InvalidInput(
            f"samples of shape {x.shape} for a network with {network.n_inputs} inputs.", hint="one sample in each row"
        )
    if not np.isfinite(x).all():
        raise InvalidInput("the samples hold NaN or infinite numbers.")
    y = np.asarray(y)
    if loss == "cross-entropy":
        if y.shape != (len(x),) or y.dtype.kind not in "iu":
            raise InvalidInput(f"labels of shape {y.shape} and type {y.dtype}.", hint=f"{len(x)} integers")
        if network.n_outputs < 2 or y.min() < 0 or y.max() >= network.n_outputs:
            raise InvalidInput(
                f"{network.n_outputs} outputs for labels from {y.min()} to {y.max()}.",
                hint="one output for each class, two or more",
            )
        return Samples(x, y.astype(np.int64), "cross-entropy")
    if y.shape == (len(x),) and y.dtype.kind in "iu" and network.n_outputs > 1:
        if y.min() < 0 or y.max() >= network.n_outputs:
            raise InvalidInput(
                f"{network.n_outputs} outputs for labels from {y.min()} to {y.max()}.", hint="one output for each class"
            )
        y = np.eye(network.n_outputs)[y]  # labels are unit vectors
    y = np.asarray(y, dtype=np.float64).reshape(len(y), -1) if y.ndim else y
    if y.shape != (len(x), network.n_outputs) or not np.isfinite(y).all():
        raise InvalidInput(
            f"targets of shape {y.shape} for {len(x)} samples and {network.n_outputs} outputs.", hint="finite numbers"
        )
    return Samples(x, y, "squared" if loss == "squared" else "absolute")


def check_alike(start: Network, end: Network) -> None:
    """Refuse networks that differ in more than the numbers of their affine operations."""
    if len(start.nodes) != len(end.nodes):
        raise InvalidNetwork(f"networks of {len(start.nodes)} and {len(end.nodes)} operations have no line between them.")
    for p, q in zip(start.nodes, end.nodes, strict=True):
        same = type(p.op) is type(q.op) and p.inputs == q.inputs and p.shape == q.shape and p.op.settings() == q.op.settings()
        if same and not isinstance(p.op, Affine):
            a, b = p.op.arrays(), q.op.arrays()
            same = a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)
        elif same and isinstance(p.op, Affine) and isinstance(q.op, Affine):
            shapes = [None if o.coefficients is None else o.coefficients.shape for o in (p.op, q.op)]
            same = shapes[0] == shapes[1]
        if not same:
            raise InvalidNetwork(
                f"layer {p.name!r} differs in more than its weights ({p.op.kind} and {q.op.kind}).",
                hint="a line of weights joins networks of one architecture, with the same slopes and thresholds",
            )
