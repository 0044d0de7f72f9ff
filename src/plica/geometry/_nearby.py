"""Only the cells that were asked for: those within a radius of a point, and those along a path. None is missed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any, Literal

import numpy as np

from plica._types import Array
from plica.errors import InvalidDomain, InvalidInput
from plica.geometry._bounded import BoundedComplex
from plica.geometry._budget import Budget, Meter, measuring, tick
from plica.geometry._cell import Cell
from plica.geometry._decompose import decompose
from plica.geometry.domains import Box, Path
from plica.network import Network

_LOOK = 256  # rows between two looks at the budget


@dataclass(frozen=True, eq=False)
class NearbyCells:
    """Cells around a point: their numbers in the complex over the smallest box of floats that holds the ball."""

    complex: BoundedComplex
    numbers: Array

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, i: int) -> Cell:
        return Cell(self.complex, int(self.numbers[i]))


@dataclass(frozen=True, eq=False)
class CellsAlong:
    """Cells along a path, in the order in which it enters them first; ``pieces[i]`` are the pieces of the path in cell i."""

    complex: BoundedComplex
    pieces: tuple[Array, ...]

    def __len__(self) -> int:
        return len(self.pieces)

    def __getitem__(self, i: int) -> Cell:
        return Cell(self.complex, int(self.pieces[i][0]))


def cells_near(
    network: Network, center: Any, radius: float, *, norm: Literal["max", 2] = "max", budget: Budget | None = None
) -> NearbyCells:
    """The cells that meet the ball around a point; nothing outside the box around the ball is computed.

    Parameters
    ----------
    network
        A network of two or more inputs (few, unless the radius is small).
    center, radius
        The ball.
    norm
        ``"max"``: a box, whose corners are rounded outwards to floats. ``2``, in two dimensions: the distance of each cell of it
        is compared with the radius in rational arithmetic.
    budget
        Limits, as for :func:`plica.decompose`.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([2, 16, 16, 1], seed=0)
    >>> len(cells_near(net, [0.1, 0.2], 0.25)), len(cells_near(net, [0.1, 0.2], 0.25, norm=2))
    (17, 15)
    """
    c = np.asarray(center, dtype=np.float64).reshape(-1)
    if not (np.isfinite(radius) and radius > 0):
        raise InvalidDomain(f"the radius must be positive and finite, got {radius}.")
    if norm not in ("max", 2) or (norm == 2 and c.size != 2):
        raise InvalidInput(f"norm is 'max', or 2 in two dimensions, got {norm!r} in {c.size}.")
    exact = [Fraction(float(x)) for x in c] if np.isfinite(c).all() else []
    r = Fraction(float(radius))
    low = [_outward(x - r, -np.inf) for x in exact] if exact else c
    high = [_outward(x + r, np.inf) for x in exact] if exact else c
    meter = Meter(budget or Budget(), len(network.layers))
    cx = decompose(network, Box(low, high), budget=meter.budget)
    numbers = np.arange(cx.n_cells)
    if norm == 2:
        with measuring(meter):
            numbers = np.array([i for i in numbers.tolist() if _squared_distance(cx, i, exact) <= r * r], np.int64)
    return NearbyCells(cx, numbers)


def cells_along(network: Network, points: Any, *, budget: Budget | None = None) -> CellsAlong:
    """The cells that a polyline through the points passes, each once; only the line is computed, not what is around it.

    Where the path runs inside a fold, a neuron that is zero there is inactive, as everywhere.

    Examples
    --------
    >>> import plica
    >>> net = plica.random_network([5, 16, 16, 1], seed=0)
    >>> there_and_back = cells_along(net, [[0.0] * 5, [1.0] * 5, [0.0] * 5])
    >>> len(there_and_back), there_and_back.complex.n_cells
    (9, 18)
    """
    meter = Meter(budget or Budget(), len(network.layers))
    cx = decompose(network, Path(points), budget=meter.budget)
    found: dict[bytes, list[int]] = {}
    names = [blake2b() for _ in range(cx.n_cells)]  # 512 bits: no two patterns will ever share them
    with measuring(meter):
        for layer, index in enumerate(network.layers):
            tick(2 * cx.n_cells * network.nodes[index].size)
            for i, row in enumerate(cx.layer_states(layer)):
                if i % _LOOK == 0:
                    tick()
                names[i].update(row)
    for i, name in enumerate(names):
        found.setdefault(name.digest(), []).append(i)
    return CellsAlong(cx, tuple(np.array(pieces) for pieces in found.values()))


def _outward(x: Fraction, towards: float) -> float:
    """The nearest float on the given side, or the number itself."""
    y = float(x)
    is_inside = Fraction(y) > x if towards < 0 else Fraction(y) < x
    return float(np.nextafter(y, towards)) if is_inside else y


def _squared_distance(cx: BoundedComplex, cell: int, point: list[Fraction]) -> Fraction:
    """The squared distance of a point of the plane from a convex polygon, exactly."""
    tick()
    w = [cx.exact_vertex(int(v)) for v in cx.vertices_of(cell)]
    best: Fraction | None = None
    is_inside = True
    for p, q in zip(w, w[1:] + w[:1], strict=True):
        d, e = (q[0] - p[0], q[1] - p[1]), (point[0] - p[0], point[1] - p[1])
        is_inside &= d[0] * e[1] - d[1] * e[0] >= 0
        t = min(max((d[0] * e[0] + d[1] * e[1]) / (d[0] * d[0] + d[1] * d[1]), Fraction(0)), Fraction(1))
        away = (e[0] - t * d[0]) ** 2 + (e[1] - t * d[1]) ** 2
        best = away if best is None else min(best, away)
    assert best is not None
    return Fraction(0) if is_inside else best
