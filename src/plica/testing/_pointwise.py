"""A network at one point at a time, exactly: integers over one denominator, so that nothing is reduced on the way.

A rational point is X / w with integers X and w > 0. Weights are dyadic, and folds commute with positive factors, so the value of
every node there is V / (w 2^k) with integers V, where k belongs to the node and not to the point. Only what is asked for becomes
fractions. Values are lists: the layers of the tests are so small that arrays would cost more than the numbers in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from operator import mul
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
        self._layers = network.layer_numbers
        self._stored: list[Any] = [None]
        self._exponents = [0]
        for node in network.nodes[1:]:
            self._prepare(node.op, node, max(self._exponents[i] for i in node.inputs))

    def _prepare(self, op: Any, node: Any, k: int) -> None:
        """The integers of an operation, and the exponent of its values when those of its inputs have exponent k."""
        if hasattr(op, "linear"):
            coefficients, more = (None, 0) if op.coefficients is None else dyadic(op.coefficients)
            offset, fine = (None, 0) if op.offset is None else dyadic(op.offset)
            following = max(k + more, fine)
            up, offset_up = following - k - more, following - fine
            if op.kind == "linear" and len(node.shape) == 1:
                rows: list[list[int]] = (np.asarray(coefficients) * (1 << up)).tolist()
                self._stored.append((rows, [0] * len(rows) if offset is None else (offset * (1 << offset_up)).tolist()))
            else:
                self._stored.append((coefficients, offset, k, up, offset_up))
        elif op.kind == "rectifier":
            slope, more = dyadic(op.slope)
            following = k + more
            self._stored.append((np.broadcast_to(slope, node.shape).reshape(-1).tolist(), more))
        elif op.kind == "clip":
            limits, more = dyadic([op.low, op.high])
            following = max(k, more)
            self._stored.append((limits.tolist(), following - k, following - more))
        else:
            following = k
            self._stored.append([[int(i) for i in group if i >= 0] for group in op.groups.reshape(-1, op.groups.shape[-1])])
        self._exponents.append(following)

    def at(self, x: Any) -> PointValues:
        """The values at an object array of fractions or integers."""
        point = x.reshape(-1).tolist()
        w = lcm(*(c.denominator for c in point))
        return self.at_integers([c.numerator * (w // c.denominator) for c in point], w)

    def at_integers(self, x: list[int], w: int) -> PointValues:
        """The values at x / w, integers both; w > 0."""
        return PointValues(self, w, [x])

    def piece(self, pattern: Sequence[Any]) -> list[tuple[Fraction, ...]]:
        """The affine piece with these states, continued to all inputs: for each output (slopes..., constant).

        Examples
        --------
        >>> from plica.network import Linear, Network, Rectifier
        >>> net = Network.sequential(1, [Linear(np.array([[0.5]]), np.array([-1.0])), Rectifier()])
        >>> Pointwise(net).piece([[1]]), Pointwise(net).piece([[0]])
        ([(Fraction(1, 2), Fraction(-1, 1))], [(Fraction(0, 1), Fraction(0, 1))])
        """
        states = [np.asarray(layer).reshape(-1).tolist() for layer in pattern]
        n = self._nodes[0].size
        zero, *units = (self._continued([int(i == j) for i in range(n)], states) for j in range(-1, n))
        one = 1 << self._exponents[-1]
        return [
            (*(Fraction(unit[k] - constant, one) for unit in units), Fraction(constant, one)) for k, constant in enumerate(zero)
        ]

    def _continued(self, x: list[int], states: list[list[int]]) -> list[int]:
        values = [x]
        while len(values) < len(self._nodes):
            layer = self._layers.get(len(values))
            values.append(self.following(values, 1, None if layer is None else states[layer]))
        return values[-1]

    def exponent(self, node: int) -> int:
        return self._exponents[node]

    def following(self, values: list[list[int]], w: int, states: list[int] | None = None) -> list[int]:
        """The integers of the next node from those of all nodes before it; folds take given states, or those of the values."""
        index = len(values)
        node, stored = self._nodes[index], self._stored[index]
        if not hasattr(node.op, "linear"):
            return _folded(node.op.kind, stored, values[node.inputs[0]], w, states)
        if len(stored) == 2:
            x = values[node.inputs[0]]
            return [sum(map(mul, row, x), c * w) for row, c in zip(*stored, strict=True)]
        coefficients, offset, k, up, offset_up = stored
        aligned = []
        for i in node.inputs:
            column = np.empty(len(values[i]), dtype=object)
            column[:] = values[i]
            aligned.append(column.reshape(1, *self._nodes[i].shape) * (1 << (k - self._exponents[i])))
        y = node.op.linear(aligned, coefficients) * (1 << up)
        y = y if offset is None else y + offset * (w << offset_up)
        flat: list[int] = y.reshape(-1).tolist()
        return flat


def _folded(kind: str, stored: Any, x: list[int], w: int, states: list[int] | None) -> list[int]:
    """The values after a fold with the given states, or with those of its input."""
    if kind == "rectifier":
        slopes, up = stored
        active = [v > 0 for v in x] if states is None else states
        return [v << up if is_active else slope * v for v, slope, is_active in zip(x, slopes, active, strict=True)]
    if kind == "clip":
        (low, high), up, limits_up = stored
        low, high = low * (w << limits_up), high * (w << limits_up)
        if states is None:
            return [min(max(v << up, low), high) for v in x]
        return [(low, v << up, high)[state] for v, state in zip(x, states, strict=True)]
    if states is None:
        return [max(x[i] for i in group) for group in stored]
    return [x[group[state]] for group, state in zip(stored, states, strict=True)]


@dataclass
class PointValues:
    """The values of all nodes at one point, as far as they were asked for."""

    network: Pointwise
    w: int
    integers: list[list[int]]
    fractions: dict[int, Any] = field(default_factory=dict)

    def __call__(self, node: int) -> Any:
        """The value of a node as an object array of fractions."""
        if node not in self.fractions:
            found, scale = self.scaled(node)
            self.fractions[node] = np.array([Fraction(v, scale) for v in found], dtype=object)
        return self.fractions[node]

    def scaled(self, node: int) -> tuple[list[int], int]:
        """The value of a node as a list of integers, and the integer that stands for 1: w times a power of two of the node."""
        while len(self.integers) <= node:
            self.integers.append(self.network.following(self.integers, self.w))
        return self.integers[node], self.w << self.network.exponent(node)
