r"""Persistence of sublevel sets by exact values: when components, holes and cavities of {f <= t} appear and vanish.

f is affine on every face, so {f <= t} retracts to the faces that lie in it whole: as t grows, a face enters with its highest
vertices. The boundary matrices in this order, reduced over GF(2), pair a face that makes a class with the one that ends it.
The order is exact (:mod:`plica.measure.cells._levels`), so births and deaths are values of the network at vertices, as fractions,
and a pair of equal values, however flat the network is there, is no class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import BoundedComplex, reading
from plica.measure.cells._homology import all_pivots
from plica.measure.cells._levels import Levels, levels
from plica.measure.cells._sharp import checked_complex, checked_weights

SHOWN = 12  # classes that a notebook lists, those that last longest


@dataclass(frozen=True, eq=False)
class Persistence:
    """The persistence diagram of the sublevel sets of an output.

    Attributes
    ----------
    dimensions
        Of each class: 0 for components, 1 for holes, ...; sorted, within a dimension by births, then the longest first.
    births, deaths
        The values at which it appears and vanishes, rounded from fractions; infinite if it stays.
    birth_vertices, death_vertices
        Vertices of the complex with these values; -1 if it stays.
    """

    complex: BoundedComplex
    dimensions: Array
    births: Array
    deaths: Array
    birth_vertices: Array
    death_vertices: Array
    _levels: Levels
    kind: str = "exact"

    def __len__(self) -> int:
        return len(self.dimensions)

    def exact(self, number: int) -> tuple[Fraction, Fraction | None]:
        """Birth and death of a class as fractions; None if it stays."""
        if not 0 <= number < len(self):
            raise InvalidInput(f"there is no class {number}; there are {len(self)}, counted from 0.")
        component = self._levels.component
        birth, death = int(self.birth_vertices[number]), int(self.death_vertices[number])
        return self._levels.value(component[birth]), None if death < 0 else self._levels.value(component[death])

    def betti(self, t: Fraction | int | float) -> tuple[int, ...]:
        """Betti numbers over GF(2) of {output <= t}; the comparison is exact.

        Examples
        --------
        >>> import plica
        >>> from plica.network import Linear, Network, Rectifier
        >>> net = Network.sequential(2, [Rectifier(np.array(-1.0)), Linear(np.array([[-1.0, -1.0]]))])  # -|x| - |y|
        >>> found = persistence(plica.decompose(net, plica.Box([-1, -1], [1, 1])))
        >>> found.betti(-2), found.betti(-1), found.betti(-0.5), found.betti(0)  # corners; a rim; a ring; the square
        ((4, 0, 0), (1, 1, 0), (1, 1, 0), (1, 0, 0))
        """
        level, out = Fraction(t), [0] * (self.complex.dimension + 1)
        for i, k in enumerate(self.dimensions.tolist()):
            birth, death = self.exact(i)
            out[k] += birth <= level and (death is None or level < death)
        return tuple(out)

    def lasting(self, length: float) -> Persistence:
        """Only the classes that last longer than ``length``."""
        kept = self.deaths - self.births > length
        return replace(
            self,
            dimensions=self.dimensions[kept],
            births=self.births[kept],
            deaths=self.deaths[kept],
            birth_vertices=self.birth_vertices[kept],
            death_vertices=self.death_vertices[kept],
        )

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the diagram; see :func:`plica.plot.plot_persistence`."""
        from plica.plot import plot_persistence

        return plot_persistence(self, ax=ax, **options)

    def __repr__(self) -> str:
        counts = np.bincount(self.dimensions, minlength=self.complex.dimension + 1)[: self.complex.dimension]
        return f"<Persistence with {', '.join(map(str, counts))} classes in dimensions 0 to {self.complex.dimension - 1}, exact>"

    def _repr_html_(self) -> str:
        from plica._show import rows_html

        order = np.argsort(self.births - self.deaths, kind="stable")[:SHOWN]
        rows = [
            {"dimension": int(self.dimensions[i]), "appears at": float(self.births[i]), "vanishes at": float(self.deaths[i])}
            for i in order
        ]
        return rows_html(self, rows)


@reading
def persistence(cx: BoundedComplex, *, output: int | None = None, weights: Any = None) -> Persistence:
    """The persistence of the sublevel sets of an output, or of a sum of outputs with weights, over a bounded domain.

    For superlevel sets give ``weights=[-1]``.

    Examples
    --------
    >>> import plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> size = Rectifier(np.array(-1.0))
    >>> net = Network.sequential(1, [size, Linear(np.array([[1.0]]), np.array([-0.5])), size])  # ||x| - 1/2|
    >>> found = persistence(plica.decompose(net, plica.Box([-1], [1])))
    >>> found, found.exact(1)
    (<Persistence with 2 classes in dimensions 0 to 0, exact>, (Fraction(0, 1), Fraction(1, 2)))
    """
    checked_complex(cx)
    if not isinstance(cx, BoundedComplex):
        raise InvalidInput("persistence is computed in a bounded domain.", hint="decompose a box that holds what matters")
    found = levels(cx, checked_weights(cx, output, weights))
    own = found.of_faces()
    orders = [np.argsort(part, kind="stable") for part in own]
    partners = all_pivots(cx, orders)
    classes: list[tuple[int, int, int]] = []
    for k in range(cx.dimension + 1):
        component = own[k][orders[k]]
        death = np.full(len(component), -1)
        if k < cx.dimension:
            above = partners[k + 1]
            ends = np.flatnonzero(above >= 0)
            death[above[ends]] = own[k + 1][orders[k + 1]][ends]
        makes = partners[k] < 0
        lasts = (death < 0) | (found.rank[component] != found.rank[death])
        classes += [(k, int(component[i]), int(death[i])) for i in np.flatnonzero(makes & lasts)]
    return _diagram(found, np.array(classes, np.int64).reshape(-1, 3))


def _diagram(found: Levels, classes: Array) -> Persistence:
    k, birth, death = classes.T
    last = np.where(death >= 0, found.rank[death], len(found.rank))  # what stays outlives everything
    k, birth, death = classes[np.lexsort((-last, found.rank[birth], k))].T
    ends = death >= 0
    deaths = np.full(len(k), np.inf)
    deaths[ends] = found.floats(death[ends])
    death_vertices = np.where(ends, found.vertex[death], -1)
    return Persistence(found.complex, k, found.floats(birth), deaths, found.vertex[birth], death_vertices, found)
