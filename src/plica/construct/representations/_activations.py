r"""The same function with another activation: what a rectifier does, done by leaky rectifiers, moduli or hard-tanh."""

from __future__ import annotations

from math import log2

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.network import Clip, Linear, Network, Rectifier

ACTIVATIONS = ("leaky", "abs", "hard-tanh")


def with_activation(network: Network, activation: str, *, reach: float = 64.0, slope: float = 0.5) -> Network:
    r"""A network of linear layers and rectifiers with another activation in their place, the same function where
    :math:`|z| \le R` before every rectifier.

    ============  ========================================================  ==========
    leaky         :math:`(L(z) + s L(-z)) / (1 - s^2)`, for all z           two units
    abs           :math:`(|z| + |z + R| - R) / 2`                           two units
    hard-tanh     :math:`(H(2z/R - 1) + 1) R / 2`                           one unit
    ============  ========================================================  ==========

    With a reach that is a power of two, weights of few bits stay exact; leaky rectifiers divide by 1 - s^2, which rounds.

    Examples
    --------
    >>> from plica.construct import sawtooth
    >>> net = with_activation(sawtooth(3).network, "abs")
    >>> net.n_neurons, float(net([0.125])[0])
    (18, 1.0)
    """
    if activation not in ACTIVATIONS:
        raise InvalidInput(f"unknown activation {activation!r}.", hint=f"one of {', '.join(ACTIVATIONS)}")
    if not reach > 0 or log2(reach) % 1 or not 0 < slope < 1:
        raise InvalidInput(f"reach {reach} and slope {slope}.", hint="a power of two, and a slope between 0 and 1")
    ops: list[Linear | Rectifier | Clip] = []
    weight, bias = np.eye(network.n_inputs), np.zeros(network.n_inputs)
    for node in network.nodes[1:]:
        op = node.op
        if isinstance(op, Linear):
            offset = np.zeros(len(op.weight)) if op.bias is None else op.bias
            weight, bias = op.weight @ weight, op.weight @ bias + offset
        elif op.is_relu:
            inner, fold, weight, bias = _units(activation, weight, bias, reach, slope)
            ops += [inner, fold]
        else:
            raise InvalidInput(f"{type(op).__name__} is no linear layer and no ReLU.", hint="give a plain ReLU network")
    return Network.sequential(network.n_inputs, [*ops, Linear(weight, bias)], name=f"{network.name}, {activation}")


def _units(
    activation: str, weight: Array, bias: Array, reach: float, slope: float
) -> tuple[Linear, Rectifier | Clip, Array, Array]:
    """Units that see W x + b, and the affine map that makes rectified values of them."""
    n = len(weight)
    one, nothing = np.eye(n), np.zeros(n)
    if activation == "leaky":
        inner = Linear(np.vstack([weight, -weight]), np.concatenate([bias, -bias]))
        return inner, Rectifier(np.array(slope)), np.hstack([one, slope * one]) / (1 - slope**2), nothing
    if activation == "abs":
        inner = Linear(np.vstack([weight, weight]), np.concatenate([bias, bias + reach]))
        return inner, Rectifier(np.array(-1.0)), np.hstack([one, one]) / 2, nothing - reach / 2
    inner = Linear(2 * weight / reach, 2 * bias / reach - 1)
    return inner, Clip(-1.0, 1.0), one * reach / 2, nothing + reach / 2
