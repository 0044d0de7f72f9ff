"""How much of a property's boxes is counterexample: the exact volume of the violating set, where the complex is small enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from plica.errors import InvalidInput
from plica.geometry import Box, Budget, Meter
from plica.measure import Enclosed, class_volumes
from plica.network import Builder, Concat, Linear, Max, Network, Op, Reshape, Scale
from plica.robust._property import Property, Query, Row, rounded

MOST_CELLS = 100_000
MOST_EXACT = 4_000  # cells whose volumes are added in fractions
Conjunctions = Sequence[Sequence[Row]]


@dataclass(frozen=True)
class ViolatingVolume:
    """The volume of the counterexamples in one box of a property, in the coordinates that are not fixed.

    Attributes
    ----------
    low, high
        Bounds, rounded outward; they differ by rounding alone.
    exact
        The volume itself, where all numbers of the property are floats and the cells are few.
    volume
        Of the box.
    n_cells
        Of the complex, cut along the inequalities.
    """

    low: float
    high: float
    exact: Fraction | None
    volume: Fraction
    n_cells: int

    @property
    def share(self) -> float:
        """The part of the box, as a float."""
        return (self.low / 2 + self.high / 2) / float(self.volume)


def violating_volume(network: Network, property_: Property, *, budget: Budget | None = None) -> tuple[ViolatingVolume, ...]:
    """The volume of the set of counterexamples in each box of a property; a budget that does not suffice is an error.

    Examples
    --------
    >>> import plica
    >>> from plica.robust import parse_vnnlib
    >>> net = plica.Network.sequential(2, [Linear(np.array([[1.0, 1.0]]))])
    >>> text = '''(declare-const X_0 Real) (declare-const X_1 Real) (declare-const Y_0 Real)
    ... (assert (>= X_0 0)) (assert (<= X_0 1)) (assert (>= X_1 0)) (assert (<= X_1 1)) (assert (<= Y_0 0.5))'''
    >>> violating_volume(net, parse_vnnlib(text))[0].exact
    Fraction(1, 8)
    """
    if property_.n_inputs != network.n_inputs or property_.n_outputs != network.n_outputs:
        raise InvalidInput("the property and the network have different numbers of inputs or outputs.")
    meter = Meter(Budget(max_cells=MOST_CELLS) if budget is None else budget, len(network.layers))
    return tuple(_of_query(network, query, meter) for query in property_.queries)


def _of_query(network: Network, query: Query, meter: Meter) -> ViolatingVolume:
    size = Fraction(1)
    for a, b in zip(query.low, query.high, strict=True):
        size *= b - a if b > a else 1
    if all(a == b for a, b in zip(query.low, query.high, strict=True)):
        raise InvalidInput("a box that is a point has no volume.")
    conjunctions = [rows for rows in query.conjunctions if all(r.inputs or r.outputs or r.bound >= 0 for r in rows)]
    conjunctions = [tuple(r for r in rows if r.inputs or r.outputs) for rows in conjunctions]
    if not conjunctions or not all(conjunctions):
        whole = size if conjunctions else Fraction(0)
        return ViolatingVolume(rounded(whole, down=True), rounded(whole, down=False), whole, size, 1)
    smaller, n_cells, is_exact = _measured(network, query, conjunctions, meter, inside=True)
    if is_exact:
        return ViolatingVolume(smaller.low, smaller.high, smaller.exact, size, n_cells)
    larger, n_cells, _ = _measured(network, query, conjunctions, meter, inside=False)
    return ViolatingVolume(smaller.low, larger.high, None, size, n_cells)


def _measured(
    network: Network, query: Query, conjunctions: Conjunctions, meter: Meter, *, inside: bool
) -> tuple[Enclosed, int, bool]:
    """The volume with all numbers rounded to the inside or to the outside; whether none was rounded."""
    low = [rounded(v, down=not inside) for v in query.low]
    high = [rounded(v, down=inside) for v in query.high]
    flat = [a == b for a, b in zip(query.low, query.high, strict=True)]
    if any(a > b or (a == b) != f for a, b, f in zip(low, high, flat, strict=True)):
        raise InvalidInput("a side of the box is shorter than floats can tell, or fixed between two floats.")
    violation, rows_exact = _violation(network, conjunctions, inside=inside)
    found = class_volumes(violation, Box(low, high), budget=meter.rest())
    if found.complex.n_cells <= MOST_EXACT:
        found = class_volumes(violation, Box(low, high), exact=True, budget=meter.rest())
    box_exact = all(Fraction(v) == w for v, w in zip((*low, *high), (*query.low, *query.high), strict=True))
    return found.volumes[0], found.complex.n_cells, rows_exact and box_exact


def _violation(network: Network, conjunctions: Conjunctions, *, inside: bool) -> tuple[Network, bool]:
    """A network with one output that is <= 0 where the input is a counterexample; whether no bound was rounded."""
    n_rows = max(len(rows) for rows in conjunctions)
    weight = np.zeros((len(conjunctions) * n_rows, network.n_inputs + network.n_outputs))
    offset, is_exact = np.zeros(len(weight)), True
    for c, rows in enumerate(conjunctions):
        for k in range(n_rows):
            row = rows[min(k, len(rows) - 1)]
            scale = lcm(*(v.denominator for _, v in (*row.inputs, *row.outputs)), 1)
            whole = lcm(scale, row.bound.denominator)
            scale = whole if whole < 2**40 else scale
            bound = rounded(row.bound * scale, down=inside)
            is_exact = is_exact and Fraction(bound) == row.bound * scale
            for start, terms in ((0, row.inputs), (network.n_inputs, row.outputs)):
                for i, value in terms:
                    weight[c * n_rows + k, start + i] = rounded(value * scale, down=True)
                    if Fraction(weight[c * n_rows + k, start + i]) != value * scale:
                        raise InvalidInput("the coefficients of an inequality have no common multiple that floats hold.")
            offset[c * n_rows + k] = -bound
    b, place = Builder(network.input_shape), {0: 0}
    for i, node in enumerate(network.nodes[1:], start=1):
        place[i] = b.add(node.op, *(place[j] for j in node.inputs))
    joint = b.add(Concat(0), b.add(Reshape((network.n_inputs,)), 0), b.add(Reshape((network.n_outputs,)), place[len(place) - 1]))
    ops: list[Op] = [
        Linear(weight, offset),
        Max(np.arange(len(weight)).reshape(len(conjunctions), n_rows)),
        Scale(-np.ones(1), np.zeros(1)),
        Max(np.arange(len(conjunctions))[None]),
        Scale(-np.ones(1), np.zeros(1)),
    ]
    end = joint
    for op in ops:
        end = b.add(op, end)
    return b.build(end), is_exact
