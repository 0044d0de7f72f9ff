"""Piecewise-linear functions close to smooth activations on the whole line, with a proved bound of their distance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import ceil, inf, nextafter

import numpy as np

from plica._types import Array
from plica.network._curves import CURVES, SLACK, Curve
from plica.network._network import Builder
from plica.network.operations import Gather, Linear, Rectifier, Reshape, Scale

_KNOTS = 2**16  # knots are multiples of one over this
_SLOPES = 2**30  # and so are slopes: their differences and the values at knots do not round
LEAST, MOST = 2, 1000


@dataclass(frozen=True, eq=False)
class Interpolant:
    """start + the sum of bends[i] * relu(t - knots[i]); nowhere farther than ``error`` from the activation."""

    knots: Array
    bends: Array
    start: float
    error: float
    slope: float  # the largest


@cache
def interpolant(name: str, pieces: int) -> Interpolant:
    """The piecewise-linear function with so many pieces between its two tails.

    Examples
    --------
    >>> [round(interpolant("tanh", n).error, 5) for n in (8, 16, 32)]
    [0.0232, 0.00627, 0.00165]
    """
    curve = CURVES[name]
    knots = _knots(curve, pieces)
    values, slopes = [Fraction(curve.left)], []
    ends = [curve.value(t) for t in knots[1:-1]] + [curve.slope * knots[-1] + curve.right]
    for (a, b), end in zip(pairwise(knots), ends, strict=True):
        slopes.append(Fraction(round((end - values[-1]) / (b - a) * _SLOPES), _SLOPES))
        values.append(values[-1] + slopes[-1] * (b - a))
    all_slopes = [Fraction(0), *slopes, Fraction(curve.slope)]
    bends = [b - a for a, b in pairwise(all_slopes)]
    error = max(_piece_error(curve, *piece, pieces) for piece in zip(pairwise(knots), pairwise(values), strict=True))
    error = max(error, _tail_error(curve, knots[0], values[0], -1), _tail_error(curve, knots[-1], values[-1], 1))
    largest = max(map(abs, all_slopes))
    return Interpolant(np.array([float(t) for t in knots]), np.array([float(b) for b in bends]), float(curve.left),
                       _up(error), _up(largest))  # fmt: skip


def _knots(curve: Curve, pieces: int) -> list[Fraction]:
    """Knots that are dense where the curve bends: an interval's error is about its length squared times the curvature."""
    reach = max(float(curve.settled), curve.reach(0.2 / pieces**2))
    t = np.linspace(-reach, reach, 2001)
    density = np.sqrt(np.abs([float(curve.second(Fraction(float(x)).limit_denominator(10**6))) for x in t[::10]]))
    weight = np.interp(t, t[::10], np.maximum(density, 0.02 * density.max()))
    place = np.concatenate([[0.0], np.cumsum((weight[1:] + weight[:-1]) / 2)])
    found = np.interp(np.linspace(0, place[-1], pieces + 1), place, t)
    return sorted({Fraction(round(float(x) * _KNOTS), _KNOTS) for x in found})


def _piece_error(curve: Curve, ends: tuple[Fraction, Fraction], values: tuple[Fraction, Fraction], pieces: int) -> Fraction:
    """Between two knots: the largest error at points close together, and what the curve can do between two of those."""
    a, b = ends
    n = max(1, ceil((b - a) * 2 * pieces))
    slope, step = (values[1] - values[0]) / (b - a), (b - a) / n
    largest = max(abs(curve.value(a + i * step) - values[0] - i * step * slope) for i in range(n + 1))
    return largest + SLACK + step**2 / 8 * curve.curvature


def _tail_error(curve: Curve, knot: Fraction, value: Fraction, side: int) -> Fraction:
    """Beyond the last knot: the curve approaches its asymptote monotonically, and the tail is parallel to it."""
    assert side * knot >= curve.settled
    asymptote = Fraction(curve.left) if side < 0 else curve.slope * knot + curve.right
    return abs(curve.value(knot) - asymptote) + SLACK + abs(value - asymptote)


def _up(x: Fraction) -> float:
    """A float that is not smaller."""
    return nextafter(float(x), inf)


# -- in networks ---------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Replacements:
    """Smooth activations that a reader replaced: for each the operation that ends the replacement."""

    pieces: int
    made: list[tuple[Linear, Interpolant]] = field(default_factory=list)

    def by_op(self) -> dict[int, Interpolant]:
        return {id(op): unit for op, unit in self.made}


_current: ContextVar[Replacements | None] = ContextVar("plica smooth activations", default=None)


@contextmanager
def replacing(pieces: int) -> Iterator[Replacements]:
    """Inside, readers replace smooth activations by interpolants instead of refusing them."""
    made = Replacements(pieces)
    token = _current.set(made)
    try:
        yield made
    finally:
        _current.reset(token)


def is_replacing() -> bool:
    """Whether smooth activations are replaced now."""
    return _current.get() is not None


def n_copies(activation: str) -> int:
    """How many entries each entry becomes on the way."""
    made = _current.get()
    return 1 if made is None else len(interpolant(activation, made.pieces).knots)


def add_interpolant(builder: Builder, index: int, activation: str, *, name: str = "") -> int:
    """Put the interpolant of an activation on a node; returns the node that holds its values."""
    made = _current.get()
    assert made is not None
    unit, shape = interpolant(activation, made.pieces), builder.shape(index)
    size = int(np.prod(shape))
    copies = np.repeat(np.arange(size).reshape(*shape, 1), len(unit.knots), axis=-1)
    at = builder.add(Gather(copies), index, name=f"{name}:copies")
    at = builder.add(Scale(np.ones(()), -unit.knots), at, name=f"{name}:knots")
    at = builder.add(Rectifier(), at, name=name)
    end = Linear(unit.bends[None], np.array([unit.start]))
    made.made.append((end, unit))
    at = builder.add(end, at, name=f"{name}:sum")
    return builder.add(Reshape(shape), at, name=f"{name}:shape")
