"""Gates: products and squares from the second derivative of a smooth activation, wired into perceptrons."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from plica.construct.circuits._circuit import Wire
from plica.construct.perceptrons._activations import CENTERS, derivative, derivative_bound
from plica.construct.perceptrons._perceptron import Perceptron
from plica.errors import InvalidInput

ROUNDING = 2.0**-52


class UnitCircuit:
    """A perceptron under construction: wires are affine combinations of inputs and units."""

    def __init__(self, n_inputs: int, activation: str) -> None:
        self.n_inputs, self.activation = n_inputs, activation
        self.inputs = tuple(Wire({i: Fraction(1)}) for i in range(n_inputs))
        self._level = [0] * n_inputs
        self._units: list[Wire] = []

    def unit(self, wire: Wire) -> Wire:
        """The activation of a wire."""
        self._units.append(wire)
        self._level.append(1 + max((self._level[source] for source in wire.terms), default=0))
        return Wire({len(self._level) - 1: Fraction(1)})

    def perceptron(self, *outputs: Wire, name: str = "") -> Perceptron:
        order = sorted(range(self.n_inputs, len(self._level)), key=lambda source: self._level[source])
        column = {i: i for i in range(self.n_inputs)} | {source: self.n_inputs + k for k, source in enumerate(order)}
        hidden, seen = [], self.n_inputs
        for level in range(1, max(self._level) + 1):
            sources = [source for source in order if self._level[source] == level]
            hidden.append(_matrix([self._units[source - self.n_inputs] for source in sources], column, seen))
            seen += len(sources)
        return Perceptron(self.n_inputs, tuple(hidden), _matrix(list(outputs), column, seen), self.activation, name)


def _matrix(wires: list[Wire], column: dict[int, int], n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    weight, bias = np.zeros((len(wires), n_columns)), np.zeros(len(wires))
    for i, wire in enumerate(wires):
        bias[i] = float(wire.constant)
        for source, factor in wire.terms.items():
            weight[i, column[source]] = float(factor)
    return weight, bias


@dataclass(frozen=True)
class Gate:
    r"""uv and u^2 from an even combination of units whose arguments are scaled by :math:`\lambda`.

    :math:`\sigma(c + t) + \sigma(c - t) = 2\sigma(c) + \sigma''(c) t^2 + R` with :math:`|R| \le t^4 \sup|\sigma''''| / 12`.
    """

    activation: str
    scale: float

    @property
    def center(self) -> float:
        return 0.0 if self.activation == "softplus" else CENTERS[self.activation]

    @property
    def curvature(self) -> float:
        return derivative(self.activation, 2, self.center)

    def error(self, size: float) -> float:
        """A bound of the error of a product of two numbers of at most the given size, rounding of the units included."""
        fourth = derivative_bound(self.activation, 4, 2 * self.scale * size, self.center)
        return fourth * self.scale**2 * size**4 / (3 * abs(self.curvature)) + self._rounding(2 * size)

    def square_error(self, size: float) -> float:
        """A bound of the error of the square of a number of at most the given size, rounding of the units included."""
        fourth = derivative_bound(self.activation, 4, self.scale * size, self.center)
        return fourth * self.scale**2 * size**4 / (12 * abs(self.curvature)) + self._rounding(size)

    def _rounding(self, size: float) -> float:
        """What rounding four units with arguments of at most the given size times the scale may cost."""
        largest = abs(derivative(self.activation, 0, self.center)) + self.scale * size
        return 16 * ROUNDING * largest / (abs(self.curvature) * self.scale**2)

    def product(self, circuit: UnitCircuit, u: Wire, v: Wire) -> Wire:
        """uv with four units."""
        plus, minus = u + v, u - v
        even = [circuit.unit(self.center + wire * sign * self.scale) for wire in (plus, minus) for sign in (1, -1)]
        return (even[0] + even[1] - even[2] - even[3]) / (4 * Fraction(self.curvature) * Fraction(self.scale) ** 2)

    def square(self, circuit: UnitCircuit, u: Wire) -> Wire:
        """u^2 with two units and a constant."""
        even = circuit.unit(self.center + u * self.scale) + circuit.unit(self.center - u * self.scale)
        constant = 2 * Fraction(derivative(self.activation, 0, self.center))
        return (even - constant) / (Fraction(self.curvature) * Fraction(self.scale) ** 2)


def gate(activation: str, error: float, size: float) -> Gate:
    """The gate with the largest scale whose error for numbers of at most the given size is within the given one."""
    if activation not in CENTERS:
        raise InvalidInput(f"a gate needs a smooth activation, got {activation!r}.", hint=f"one of {', '.join(CENTERS)}")
    if not error > 0 or not size > 0:
        raise InvalidInput(f"the error and the size of a gate are positive, got {error} and {size}.")
    scale = min(1.0 / size, sqrt(error) / size**2 * 4)
    best = Gate(activation, scale)
    while best.error(size) > error and best.scale > 1e-7:
        best = Gate(activation, best.scale * 0.9)
    if best.error(size) > error:
        raise InvalidInput(
            f"a {activation} gate for numbers up to {size:g} cannot reach the error {error:g} in float64: "
            "rounding divides by the square of the scale.",
            hint="ask for a larger error",
        )
    return best
