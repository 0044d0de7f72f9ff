"""A network at one point at a time, exactly: integers over one denominator, so that nothing is reduced on the way.

A rational point is X / w with integers X and w > 0. Weights are dyadic, and folds commute with positive factors, so the value of
every node there is V / (w 2^k) with integers V, where k belongs to the node and not to the point. Only what is asked for becomes
fractions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np


def dyadic(numbers: Any) -> tuple[Any, int]:
    """Floats as an object array of integers times 2^-k, and k >= 0.

    Examples
    --------
    >>> dyadic([0.75, -3.0])
    (array([3, -12], dtype=object), 2)
    """
    array = np.asarray(numbers, dtype=np.float64)
    ratios = [x.as_integer_ratio() for x in array.reshape(-1).tolist()]
    k = max((d for _, d in ratios), default=1).bit_length() - 1
    out = np.empty(array.shape, dtype=object)
    out.reshape(-1)[:] = [(n << k) // d for n, d in ratios]
    return out, k


class Pointwise:
    """A network to be evaluated at many points.

    Examples
    --------
    >>> import plica
    >>> net = plica.Network.sequential(1, [plica.network.Linear(np.array([[0.5]]), np.array([-1.0])), plica.network.Rectifier()])
    >>> Pointwise(net).at(np.array([Fraction(7, 3)], dtype=object))(2).tolist()
    [Fraction(1, 6)]
    """

    def __init__(self, network: Any) -> None:
        self._nodes = network.nodes
        self._shape = (1, *network.input_shape)
        self._stored: list[Any] = [None]
        self._exponents = [0]
        for node in network.nodes[1:]:
            self._prepare(node.op, node.shape, max(self._exponents[i] for i in node.inputs))

    def _prepare(self, op: Any, shape: tuple[int, ...], k: int) -> None:
        """The integers of an operation, and the exponent of its values when those of its inputs have exponent k."""
        if hasattr(op, "linear"):
            coefficients, more = (None, 0) if op.coefficients is None else dyadic(op.coefficients)
            offset, fine = (None, 0) if op.offset is None else dyadic(op.offset)
            following = max(k + more, fine)
            self._stored.append((coefficients, offset, k, following - k - more, following - fine))
        elif op.kind == "rectifier":
            slope, more = dyadic(op.slope)
            following = k + more
            self._stored.append((np.broadcast_to(slope, shape), more))
        elif op.kind == "clip":
            limits, more = dyadic([op.low, op.high])
            following = max(k, more)
            self._stored.append((limits, following - k, following - more))
        else:
            following = k
            self._stored.append([[int(i) for i in group if i >= 0] for group in op.groups.reshape(-1, op.groups.shape[-1])])
        self._exponents.append(following)

    def at(self, x: Any) -> PointValues:
        """The values at an object array of fractions or integers."""
        point = x.reshape(-1).tolist()
        w = lcm(*(c.denominator for c in point))
        start = np.array([c.numerator * (w // c.denominator) for c in point], dtype=object)
        return self.at_integers(start, w)

    def at_integers(self, x: Any, w: int) -> PointValues:
        """The values at x / w, integers both; w > 0."""
        return PointValues(self, w, [x.reshape(self._shape)])

    def exponent(self, node: int) -> int:
        return self._exponents[node]

    def following(self, values: list[Any], w: int) -> Any:
        """The integers of the next node from those of all nodes before it."""
        index = len(values)
        node, stored = self._nodes[index], self._stored[index]
        xs, op = [values[i] for i in node.inputs], node.op
        if hasattr(op, "linear"):
            coefficients, offset, k, up, offset_up = stored
            aligned = [x * (1 << (k - self._exponents[i])) for x, i in zip(xs, node.inputs, strict=True)]
            y = op.linear(aligned, coefficients) * (1 << up)
            return y if offset is None else y + offset * (w << offset_up)
        (x,) = xs
        if op.kind == "rectifier":
            slope, up = stored
            return np.where(x > 0, x * (1 << up), slope * x)
        if op.kind == "clip":
            (low, high), up, limits_up = stored
            x, low, high = x * (1 << up), low * (w << limits_up), high * (w << limits_up)
            return np.where(x < low, low, np.where(x > high, high, x))
        flat = x.reshape(-1)
        best = [max(flat[i] for i in group) for group in stored]
        return np.array(best, dtype=object).reshape(1, *node.shape)


@dataclass
class PointValues:
    """The values of all nodes at one point, as far as they were asked for."""

    network: Pointwise
    w: int
    integers: list[Any]
    fractions: dict[int, Any] = field(default_factory=dict)
    lists: dict[int, tuple[list[int], int]] = field(default_factory=dict)

    def __call__(self, node: int) -> Any:
        """The value of a node as an object array of fractions."""
        if node not in self.fractions:
            found, scale = self.scaled(node)
            self.fractions[node] = np.array([Fraction(v, scale) for v in found], dtype=object)
        return self.fractions[node]

    def scaled(self, node: int) -> tuple[list[int], int]:
        """The value of a node as a list of integers, and the integer that stands for 1: w times a power of two of the node."""
        if node not in self.lists:
            while len(self.integers) <= node:
                self.integers.append(self.network.following(self.integers, self.w))
            self.lists[node] = self.integers[node].reshape(-1).tolist(), self.w << self.network.exponent(node)
        return self.lists[node]
