"""One decomposed network, and the exact quantities that the invariants are stated in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from plica._lazy import cached_property
from plica.geometry import Complex, Domain, decompose
from plica.network import Network
from plica.testing import _reference as reference
from plica.testing._domains import exact_chart
from plica.testing._families import generator
from plica.testing._pointwise import PointValues, Pointwise

Point = tuple[Fraction, ...]
Map = tuple[tuple[Fraction, ...], ...]
Engine = Callable[[Network, Any], Complex]


@dataclass(eq=False)
class Case:
    """A network over a two-dimensional domain, decomposed by the engine under test.

    Parameters
    ----------
    network, domain
        What to decompose.
    engine
        ``engine(network, domain)`` gives a :class:`plica.Complex`.
    seed
        For the random points, segments and permutations of the invariants.
    label
        How to name the case in a failure.

    Examples
    --------
    >>> from plica.testing import check_areas, draw_domain, draw_network
    >>> network = draw_network("integer", seed=1)
    >>> check_areas(Case(network, draw_domain(network, seed=1)))
    """

    network: Network
    domain: Domain
    engine: Engine = decompose
    seed: int = 0
    label: str = "a network"

    def fail(self, message: str) -> NoReturn:
        raise AssertionError(f"{self.label}: {message}")

    def rng(self, purpose: str) -> np.random.Generator:
        return generator(purpose, self.seed)

    @cached_property
    def complex(self) -> Any:
        return self.engine(self.network, self.domain)

    @cached_property
    def vertices(self) -> list[Point]:
        """Exact positions of the vertices, in parameters."""
        return [self.complex.exact_vertex(i) for i in range(self.complex.n_vertices)]

    @cached_property
    def polygons(self) -> list[list[Point]]:
        """The exact corners of each cell, counter-clockwise, with the vertices inside its sides."""
        return [[self.vertices[i] for i in cell.vertices.tolist()] for cell in self.complex.cells]

    @cached_property
    def patterns(self) -> list[tuple[int, ...]]:
        return flat_patterns(self.complex)

    @cached_property
    def maps(self) -> list[Map]:
        """For each cell and output the exact coefficients (slopes..., constant) in parameters."""
        return exact_maps(self.complex)

    @cached_property
    def interiors(self) -> list[Point]:
        """An exact interior point of each cell."""
        return [mean(polygon) for polygon in self.polygons]

    @cached_property
    def chart(self) -> Any:
        return exact_chart(self.domain)

    def input_at(self, point: Point) -> Any:
        """The exact point of the input space for exact parameters."""
        return sum(c * self.chart[i] for i, c in enumerate((*point, Fraction(1))))

    @cached_property
    def pointwise(self) -> Pointwise:
        return Pointwise(self.network)

    def values_at(self, point: Point) -> PointValues:
        """The exact values of all nodes for exact parameters."""
        return self.pointwise.at(self.input_at(point))

    def output_at(self, point: Point) -> Any:
        """The exact outputs for exact parameters."""
        return self.values_at(point)(len(self.network.nodes) - 1)

    @cached_property
    def reference(self) -> list[reference.ReferenceCell]:
        return reference.cells(self.network, self.chart, self.domain.window)


def flat_patterns(complex_: Complex) -> list[tuple[int, ...]]:
    """The states of all units of each cell in one tuple."""
    return [tuple(int(s) for part in complex_.pattern(i) for s in part.reshape(-1)) for i in range(complex_.n_cells)]


def exact_maps(complex_: Complex) -> list[Map]:
    out = []
    for i in range(complex_.n_cells):
        columns = complex_.exact_map(i)
        numbers = columns.fractions()
        width = columns.shape[1]
        out.append(tuple(tuple(numbers[k::width]) for k in range(width)))
    return out


def mean(points: list[Point]) -> Point:
    return tuple(sum(c) / len(points) for c in zip(*points, strict=True))


def value(row: tuple[Fraction, ...], point: Point) -> Fraction:
    """An affine form (slopes..., constant) at a point."""
    return sum((a * b for a, b in zip(row, (*point, Fraction(1)), strict=True)), Fraction(0))


def turn(p: Point, q: Point, r: Point) -> Fraction:
    """Positive if p, q, r turn left."""
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def corners_only(polygon: list[Point]) -> list[Point]:
    """The polygon without the points inside its sides."""
    corners = [reference.homogeneous(p) for p in polygon]
    return [p for i, p in enumerate(polygon) if reference.turn(corners[i - 1], corners[i], corners[(i + 1) % len(corners)]) != 0]


def contains(polygon: list[Point], point: Point) -> bool:
    """Whether a convex counter-clockwise polygon, with its border, holds the point."""
    return all(turn(p, q, point) >= 0 for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True))


def window_points(domain: Domain, rng: np.random.Generator, n: int) -> Any:
    """Random float parameters inside the window: convex combinations of its corners."""
    weights = rng.dirichlet(np.ones(len(domain.window)), n)
    return weights @ domain.window
