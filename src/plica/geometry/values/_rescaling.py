"""Networks of any magnitude in floating point: tensors stored in units of a power of two.

Weights near 1e150 overflow after two layers, weights near 1e-150 underflow. Where that could happen, every tensor gets a power of
two as its unit, so that stored numbers stay near one; this changes no bit of any mantissa. The exact arithmetic needs none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp
from typing import Any, ClassVar

import numpy as np

from plica._types import Array
from plica.geometry.domains import Domain
from plica.geometry.values._tensors import affine_constants
from plica.network import Affine, Fold, Network, Node, once_per_network
from plica.network.operations import largest_magnitude

_SAFE = 400  # binary exponents within which nothing overflows or underflows on the way


def _exponent(array: Array | None) -> int | None:
    """The exponent of the largest magnitude; None if there is none but zero."""
    top = 0.0 if array is None else largest_magnitude(array)
    return frexp(top)[1] if top > 0 else None


def _moved(array: Array, exponent: int) -> Array:
    """The numbers times a power of two. What is too small to be stored becomes the smallest number, never a zero:

    a zero would be taken for exact, together with whatever is a multiple of a power of two beside it.
    """
    y = np.ldexp(array, exponent)
    return np.where((y == 0.0) & (array != 0.0), np.copysign(5e-324, array), y)


@dataclass(frozen=True, eq=False)
class _Join(Affine):
    """A sum or concatenation of tensors in different units."""

    is_plain: ClassVar[bool] = False
    op: Affine
    powers: tuple[int, ...]

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        return self.op.output_shape(*shapes)

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return self.op.linear([np.ldexp(x, k) for x, k in zip(xs, self.powers, strict=True)], None)

    def gain(self) -> float:
        return 1.0

    def n_terms(self) -> int:
        return 2


def rescaled(network: Network, domain: Domain) -> tuple[Network, list[int]]:
    """The network for floating point, and for each node the exponent of its unit (all zero for ordinary networks)."""
    chart = domain.chart
    top_input = max(_exponent(domain.window) or 1, 1) + (_exponent(chart.points) or 0) + (2 * chart.dimension + 1).bit_length()
    if not _is_safe(network, top_input):  # a closer look: large parameters may go with small directions
        top_input = _exponent(domain.chart.at(domain.window)[0]) or 0
    if _is_safe(network, top_input) or _is_safe_by_norms(network, top_input):
        return network, [0] * len(network.nodes)
    exponents = [top_input]
    nodes: list[Node] = [network.nodes[0]]
    for node in network.nodes[1:]:
        op: Any = node.op
        units = [exponents[i] for i in node.inputs]
        unit = max(units)
        if op.n_inputs is None:
            op = _Join(op, tuple(u - unit for u in units))
        elif isinstance(op, Fold):
            op = op.rescaled(unit)
        elif op.coefficients is not None:
            grown = _exponent(op.coefficients)
            grown = unit + (0 if grown is None else grown + op.n_terms().bit_length())
            constant = _exponent(op.offset)
            new = grown if constant is None else max(grown, constant)
            offset = None if op.offset is None else _moved(op.offset, -new)
            op, unit = op.with_numbers(_moved(op.coefficients, unit - new), offset), new
        exponents.append(unit)
        nodes.append(Node(op, node.inputs, node.shape, node.name))
    return Network(tuple(nodes), name=network.name), exponents


@once_per_network
def _is_safe(network: Network, top_input: int) -> bool:
    low = high = top_input
    safe = abs(top_input) < _SAFE
    for node in network.nodes[1:]:
        if isinstance(node.op, Affine):
            c, b = _exponent(node.op.coefficients), _exponent(node.op.offset)
            if c is not None:
                high = max(high, high + c + node.op.n_terms().bit_length())
                low = min(low, low + c)
            if b is not None:
                high, low = max(high, b), min(low, b)
        safe = safe and abs(low) < _SAFE and abs(high) < _SAFE
    return safe


@once_per_network
def _is_safe_by_norms(network: Network, top_input: int) -> bool:
    """The same with norms of whole layers, which grow less than counting their terms says: deep networks need no units."""
    high = top_input + np.log2(network.nodes[0].size) / 2  # of the 2-norm of any tensor so far
    low = float(top_input)
    for index, node in enumerate(network.nodes):
        if isinstance(node.op, Fold):
            high = max(high, high + np.log2(node.op.lipschitz()), *np.log2(1 + np.abs(node.op.constants)))
        if not isinstance(node.op, Affine):
            continue
        if any(abs(_exponent(numbers) or 0) >= _SAFE for numbers in (node.op.coefficients, node.op.offset)):
            return False  # the norms themselves would overflow, or vanish
        if (size := _exponent(node.op.coefficients)) is not None:
            low = min(low, low + size)
        c = affine_constants(network, index)
        with np.errstate(divide="ignore"):
            grown = high + np.log2(c.absolute_gain * max(1, len(node.inputs)))
            high = max(high, np.logaddexp2(grown, np.log2(c.offset_norm)))
        if (size := _exponent(node.op.offset)) is not None:
            low = min(low, size)
    return bool(low > -_SAFE and high < _SAFE)
