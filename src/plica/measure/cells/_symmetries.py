r"""Symmetries of a given network: directions in which its parameters can move while its function stays, found and named.

At a ReLU network of dense layers the kernel of the derivatives by all parameters (:mod:`plica.measure.cells._functional`) holds

- *rescalings*: a hidden unit's inputs times c, its outputs divided by c;
- *idle* parameters, which no point of the domain feels: those of dead units, of units that nothing reads;
- *repeated* units, equal up to a positive factor: output can move from one to the other;
- *linear* units, never off: two of them can be mixed, and a bias can move on.

Each is a vector of integers or fractions, checked against the derivatives modulo primes. What the kernel holds beyond their
span is *hidden* (Grigsby, Lindsey and Rolnick, 2023): it belongs to no single unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import Complex, reading
from plica.measure._perceptron import dense_layers
from plica.measure.cells._functional import FunctionalDimension, active_parameters, functional_dimension
from plica.measure.cells._modular import PRIMES, Span
from plica.measure.cells._sharp import checked_complex

Layer = tuple[Array, Array]
Direction = dict[int, Fraction]  # of parameters by number: how much each moves


@dataclass(frozen=True, eq=False)
class Symmetries:
    """What leaves the function of a network as it is, to first order.

    Attributes
    ----------
    dead, linear
        Hidden units (layer, unit) that are off, or on, on all cells.
    repeated
        Groups of units of one layer that are equal up to positive factors.
    idle
        Which parameters no cell feels, in the order of :func:`functional_dimension`: by layers, weights row by row before biases.
    dimensions
        How many independent directions each kind adds to those before it.
    functional
        The functional dimension.
    """

    dead: tuple[tuple[int, int], ...]
    linear: tuple[tuple[int, int], ...]
    repeated: tuple[tuple[tuple[int, int], ...], ...]
    idle: Array
    dimensions: dict[str, int]
    functional: FunctionalDimension

    @property
    def n_known(self) -> int:
        """Dimensions of the directions that were found and named."""
        return sum(self.dimensions.values())

    @property
    def n_hidden(self) -> int:
        """Directions of the kernel beyond them."""
        return self.functional.n_parameters - self.functional.value - self.n_known

    @property
    def kind(self) -> str:
        """``"exact"`` where nothing is hidden, else as the functional dimension."""
        return "exact" if self.n_hidden == 0 else self.functional.kind

    def to_dict(self) -> dict[str, Any]:
        found = {f"n_{name}": n for name, n in self.dimensions.items()}
        return {"functional_dimension": self.functional.value, **found, "n_hidden": self.n_hidden, "kind": self.kind}

    def __repr__(self) -> str:
        named = ", ".join(f"{n} by {name}" for name, n in self.dimensions.items() if n)
        return f"<Symmetries: {self.n_known} dimensions ({named or 'none'}), {self.n_hidden} hidden, {self.kind}>"


@reading
def symmetries(cx: Complex) -> Symmetries:
    """The symmetries of a ReLU network of dense layers over the domain of a complex; over ``plica.Space`` those of the network.

    Examples
    --------
    >>> import plica
    >>> symmetries(plica.decompose(plica.random_network([2, 3, 1], seed=0), plica.Space(2)))
    <Symmetries: 3 dimensions (3 by rescalings), 0 hidden, exact>
    """
    checked_complex(cx)
    layers = dense_layers(cx.network)
    functional = functional_dimension(cx)
    states = [x.reshape(cx.n_cells, -1) != 0 for x in cx.patterns()]
    dead = _units([~s.any(axis=0) for s in states])
    linear = _units([s.all(axis=0) for s in states])
    repeated = _repeated(layers)
    idle = ~active_parameters(cx)
    place = _Places(layers)
    kinds: dict[str, list[Direction]] = {
        "rescalings": [place.rescaled(layer, unit) for layer in range(len(layers) - 1) for unit in range(len(layers[layer][1]))],
        "idle": [{int(i): Fraction(1)} for i in np.flatnonzero(idle)],
        "repeated": [d for group in repeated for other in group[1:] for d in place.exchanged(group[0], other)],
        "linear": [
            d for a in linear for d in (place.shifted(*a), *(place.mixed(a, b) for b in linear if b[0] == a[0] and b != a))
        ],
    }
    span = Span(functional.n_parameters, PRIMES[0])
    dimensions = {name: span.add(_modular(found, functional.n_parameters)) if found else 0 for name, found in kinds.items()}
    return Symmetries(dead, linear, repeated, idle, dimensions, functional)


def _units(masks: list[Array]) -> tuple[tuple[int, int], ...]:
    return tuple((layer, int(unit)) for layer, mask in enumerate(masks) for unit in np.flatnonzero(mask))


def _repeated(layers: list[Layer]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Units whose rows of weights and bias are positive multiples of each other, exactly."""
    groups: dict[tuple[int, tuple[Fraction, ...]], list[tuple[int, int]]] = {}
    for layer, (weight, bias) in enumerate(layers[:-1]):
        for unit in range(len(bias)):
            row = [Fraction(float(c)) for c in (*weight[unit], bias[unit])]
            size = sum(map(abs, row))
            if size:
                groups.setdefault((layer, tuple(c / size for c in row)), []).append((layer, unit))
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


class _Places:
    """Directions in the space of parameters, by the numbers of the parameters that move."""

    def __init__(self, layers: list[Layer]) -> None:
        self._layers = layers
        sizes = [w.size + len(b) for w, b in layers]
        self._first = np.concatenate([[0], np.cumsum(sizes)])

    def _row(self, layer: int, unit: int) -> list[tuple[int, Fraction]]:
        """Numbers and values of a unit's weights and bias."""
        weight, bias = self._layers[layer]
        n, start = weight.shape[1], int(self._first[layer])
        found = [(start + unit * n + i, Fraction(float(c))) for i, c in enumerate(weight[unit])]
        return [*found, (start + weight.size + unit, Fraction(float(bias[unit])))]

    def _column(self, layer: int, unit: int) -> list[tuple[int, Fraction]]:
        """Numbers and values of the weights by which the next layer reads a unit."""
        weight, _ = self._layers[layer + 1]
        n, start = weight.shape[1], int(self._first[layer + 1])
        return [(start + i * n + unit, Fraction(float(c))) for i, c in enumerate(weight[:, unit])]

    def rescaled(self, layer: int, unit: int) -> Direction:
        return {**dict(self._row(layer, unit)), **{i: -c for i, c in self._column(layer, unit)}}

    def exchanged(self, a: tuple[int, int], b: tuple[int, int]) -> list[Direction]:
        """Of two units with b = factor * a: what reads b less reads a more."""
        sizes = [sum((abs(c) for _, c in self._row(*unit)), Fraction(0)) for unit in (a, b)]
        factor = sizes[1] / sizes[0]
        pairs = zip(self._column(*a), self._column(*b), strict=True)
        return [{i: factor, j: Fraction(-1)} for (i, _), (j, _) in pairs]

    def mixed(self, a: tuple[int, int], b: tuple[int, int]) -> Direction:
        """The linear unit b added to the linear unit a, and taken off by what reads them."""
        onto = {i: c for (i, _), (_, c) in zip(self._row(*a), self._row(*b), strict=True)}
        return {**onto, **{i: -c for (i, _), (_, c) in zip(self._column(*b), self._column(*a), strict=True)}}

    def shifted(self, layer: int, unit: int) -> Direction:
        """The bias of a linear unit moved on into the next layer."""
        weight, _ = self._layers[layer + 1]
        start = int(self._first[layer + 1]) + weight.size
        moved = {start + i: -c for i, (_, c) in enumerate(self._column(layer, unit))}
        return {self._row(layer, unit)[-1][0]: Fraction(1), **moved}


def _modular(directions: list[Direction], width: int) -> Array:
    p, out = PRIMES[0], np.zeros((len(directions), width), np.int64)
    for i, direction in enumerate(directions):
        for j, c in direction.items():
            out[i, j] = c.numerator % p * pow(c.denominator, -1, p) % p
    return out
