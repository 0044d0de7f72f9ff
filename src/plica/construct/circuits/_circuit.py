"""Circuits: networks written as formulas. Wires are exact affine combinations, ReLUs are made where a formula asks for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica.construct.targets._numbers import Number, rational
from plica.errors import BudgetExceeded, InvalidInput, InvalidNetwork
from plica.network import Builder, Concat, Linear, Network, Rectifier

MAX_ENTRIES = 2**26  # of all weight matrices together, 512 MiB


@dataclass(frozen=True, eq=False)
class Wire:
    """An affine combination of inputs and units, with exact coefficients."""

    terms: dict[int, Fraction]
    constant: Fraction = Fraction(0)

    def __add__(self, other: Wire | Number) -> Wire:
        if not isinstance(other, Wire):
            return Wire(self.terms, self.constant + rational(other))
        terms = dict(self.terms)
        for source, factor in other.terms.items():
            total = terms.get(source, Fraction(0)) + factor
            if total:
                terms[source] = total
            else:
                terms.pop(source, None)
        return Wire(terms, self.constant + other.constant)

    def __mul__(self, factor: Number) -> Wire:
        c = rational(factor)
        return Wire({source: c * a for source, a in self.terms.items()} if c else {}, c * self.constant)

    def __neg__(self) -> Wire:
        return self * -1

    def __sub__(self, other: Wire | Number) -> Wire:
        return self + (-other if isinstance(other, Wire) else -rational(other))

    def __rsub__(self, other: Number) -> Wire:
        return -self + other

    def __truediv__(self, divisor: Number) -> Wire:
        return self * (1 / rational(divisor))

    __radd__, __rmul__ = __add__, __mul__


class Circuit:
    """A network under construction: give formulas, get ReLUs in layers.

    A unit stands in the first layer after everything that it reads; connections may skip layers. Units with the same weights are
    made once.

    Examples
    --------
    >>> c = Circuit(2)
    >>> x, y = c.inputs
    >>> net = c.network(c.maximum(x, y))
    >>> net.widths, net([3.0, 5.0])
    ((2, 1, 1), array([5.]))
    """

    def __init__(self, n_inputs: int) -> None:
        if n_inputs < 1:
            raise InvalidInput(f"a network has at least one input, got {n_inputs}.")
        self.n_inputs = n_inputs
        self.inputs = tuple(Wire({i: Fraction(1)}) for i in range(n_inputs))
        self.is_exact = True  # whether every weight so far is a float
        self._units: list[Wire] = []
        self._level = [0] * n_inputs
        self._known: dict[Any, int] = {}

    @property
    def n_units(self) -> int:
        return len(self._units)

    def depth(self, wire: Wire) -> int:
        """How many ReLUs stand one after the other behind a wire."""
        return max((self._level[source] for source in wire.terms), default=0)

    def constant(self, value: Number) -> Wire:
        return Wire({}, rational(value))

    def relu(self, wire: Wire) -> Wire:
        """max(0, wire)."""
        if not wire.terms:
            return self.constant(max(wire.constant, Fraction(0)))
        key = (tuple(sorted(wire.terms.items())), wire.constant)
        if key not in self._known:
            self._known[key] = len(self._level)
            self._level.append(1 + self.depth(wire))
            self._units.append(wire)
        return Wire({self._known[key]: Fraction(1)})

    def absolute(self, wire: Wire) -> Wire:
        """|wire|, two units."""
        return self.relu(wire) + self.relu(-wire)

    def maximum(self, a: Wire, b: Wire) -> Wire:
        """max(a, b), one unit and a connection around it."""
        return a + self.relu(b - a)

    def minimum(self, a: Wire, b: Wire) -> Wire:
        return a - self.relu(a - b)

    def total(self, wires: Sequence[Wire]) -> Wire:
        """The sum of many wires."""
        terms: dict[int, Fraction] = {}
        constant = Fraction(0)
        for wire in wires:
            constant += wire.constant
            for source, factor in wire.terms.items():
                terms[source] = terms.get(source, Fraction(0)) + factor
        return Wire({source: factor for source, factor in terms.items() if factor}, constant)

    def network(self, *outputs: Wire, name: str = "") -> Network:
        """The network with the given outputs; units that no output needs are dropped."""
        if not outputs:
            raise InvalidInput("a network needs at least one output.")
        needed = self._needed(outputs)
        levels: list[list[int]] = [list(range(self.n_inputs))]
        for source in range(self.n_inputs, len(self._level)):
            if source in needed:
                level = self._level[source]
                while len(levels) <= level:
                    levels.append([])
                levels[level].append(source)
        self._check_size(levels, outputs)
        builder = Builder(self.n_inputs, name=name)
        places = [0]
        for level in range(1, len(levels)):
            wires = [self._units[source - self.n_inputs] for source in levels[level]]
            self._affine(builder, wires, levels, places)
            places.append(builder.add(Rectifier()))
        self._affine(builder, list(outputs), levels, places)
        return builder.build()

    def size(self, *outputs: Wire) -> tuple[int, int, int]:
        """Units, weights and biases that are not zero, and depth of the network with the given outputs, without building it."""
        needed = self._needed(outputs)
        units = [self._units[source - self.n_inputs] for source in needed if source >= self.n_inputs]
        n_weights = sum(len(wire.terms) + bool(wire.constant) for wire in (*units, *outputs))
        return len(units), n_weights, max((self.depth(wire) for wire in outputs), default=0)

    def _needed(self, outputs: Sequence[Wire]) -> set[int]:
        found: set[int] = set()
        todo = [source for wire in outputs for source in wire.terms]
        while todo:
            source = todo.pop()
            if source not in found:
                found.add(source)
                if source >= self.n_inputs:
                    todo.extend(self._units[source - self.n_inputs].terms)
        return found

    def _reads(self, wires: Sequence[Wire]) -> list[int]:
        """The levels that some wires read; the input where they read nothing."""
        return sorted({self._level[source] for wire in wires for source in wire.terms}) or [0]

    def _check_size(self, levels: list[list[int]], outputs: Sequence[Wire]) -> None:
        rows = [[self._units[source - self.n_inputs] for source in level] for level in levels[1:]] + [list(outputs)]
        entries = sum(len(wires) * sum(len(levels[k]) for k in self._reads(wires)) for wires in rows)
        if entries > MAX_ENTRIES:
            raise BudgetExceeded(
                f"{self.n_units:,} units with matrices of {entries:,} entries are more than the limit of {MAX_ENTRIES:,}.",
                hint="ask for a larger error, a smaller depth or fewer dimensions",
                partial={"n_units": self.n_units, "entries": entries},
            )

    def _affine(self, builder: Builder, wires: list[Wire], levels: list[list[int]], places: list[int]) -> None:
        """Append the affine map from the levels that the wires read to the wires."""
        reads = self._reads(wires)
        column: dict[int, int] = {}
        for level in reads:
            column |= {source: len(column) + i for i, source in enumerate(levels[level])}
        weight, bias = np.zeros((len(wires), len(column))), np.zeros(len(wires))
        for i, wire in enumerate(wires):
            bias[i] = self._float(wire.constant)
            for source, factor in wire.terms.items():
                weight[i, column[source]] = self._float(factor)
        source = places[reads[0]] if len(reads) == 1 else builder.add(Concat(0), *(places[k] for k in reads))
        builder.add(Linear(weight, bias), source)

    def _float(self, value: Fraction) -> float:
        try:
            number = float(value)
        except OverflowError:
            raise InvalidNetwork("a weight of the construction is larger than the largest float.") from None
        self.is_exact = self.is_exact and Fraction(number) == value
        return number
