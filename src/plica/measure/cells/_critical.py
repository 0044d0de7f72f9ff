r"""Critical points in the piecewise-linear sense: where the topology of the sublevel sets of an output changes.

At a vertex, or at a connected flat part of one value (:mod:`plica.measure.cells._levels`), the faces that have their largest
value there are glued to the lower sublevel set. The ranks

.. math:: m_k = \dim H_k\bigl(\{f \le t\}, \{f \le t\} \setminus \text{those faces}\bigr)

over GF(2) say how: all zero at a regular point, one of them 1 at a nondegenerate critical point of index k, more at worse ones.
Grigsby, Lindsey and Masden call their sum the local complexity. Over a domain with b_k its Betti numbers,
:math:`\sum (-1)^k m_k = \sum (-1)^k b_k` and :math:`\sum m_k \ge b_k`, sums over all critical points (Banchoff; Morse).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import to_float
from plica.geometry import BoundedComplex, reading
from plica.measure.cells._homology import all_pivots
from plica.measure.cells._levels import Levels, levels
from plica.measure.cells._sharp import checked_complex, checked_weights


@dataclass(frozen=True, eq=False)
class Critical:
    """One critical point, or one flat part that acts as one.

    Attributes
    ----------
    value
        The exact value there.
    vertices
        The vertices of the complex that form it: one, unless the network is flat there.
    multiplicities
        m_0, m_1, ...: how many classes of each dimension are made or filled there.
    on_border
        Whether it touches the border of the domain; then it may come from the domain alone.
    """

    value: Fraction
    vertices: Array
    multiplicities: tuple[int, ...]
    on_border: bool

    @property
    def index(self) -> int | None:
        """0 for a minimum, the dimension for a maximum, between for saddles; None if it is degenerate."""
        return self.multiplicities.index(1) if sum(self.multiplicities) == 1 else None

    @property
    def is_flat(self) -> bool:
        """Whether it is more than a vertex."""
        return len(self.vertices) > 1

    def __float__(self) -> float:
        return to_float(self.value.numerator, self.value.denominator)

    def __repr__(self) -> str:
        what = f"of index {self.index}" if self.index is not None else f"with multiplicities {self.multiplicities}"
        where = f"vertex {self.vertices[0]}" if not self.is_flat else f"{len(self.vertices)} vertices"
        return f"<Critical {what} at {where}, value {float(self):.6g}{', on the border' if self.on_border else ''}>"


@dataclass(frozen=True, eq=False)
class CriticalPoints:
    """All critical points of an output over a domain, in the order of their values.

    Attributes
    ----------
    points
        The :class:`Critical` points.
    n_regular
        How many vertices and flat parts are regular.
    """

    complex: BoundedComplex
    points: tuple[Critical, ...]
    n_regular: int
    kind: str = "exact"

    @property
    def multiplicities(self) -> tuple[int, ...]:
        """The sums of m_0, m_1, ... over all points."""
        return tuple(sum(p.multiplicities[k] for p in self.points) for k in range(self.complex.dimension + 1))

    @property
    def euler(self) -> int:
        """The alternating sum: the Euler characteristic of the domain, 1."""
        return sum((-1) ** k * m for k, m in enumerate(self.multiplicities))

    @property
    def interior(self) -> tuple[Critical, ...]:
        """Those that do not touch the border."""
        return tuple(p for p in self.points if not p.on_border)

    @property
    def is_morse(self) -> bool:
        """Whether every critical point inside is a single nondegenerate vertex."""
        return all(p.index is not None and not p.is_flat for p in self.interior)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        counts = ", ".join(map(str, self.multiplicities))
        return f"<CriticalPoints: {len(self.points)} with multiplicities {counts} in index 0 to {self.complex.dimension}, exact>"


@reading
def critical_points(cx: BoundedComplex, *, output: int | None = None, weights: Any = None) -> CriticalPoints:
    """The critical points of an output, or of a sum of outputs with weights, over a bounded domain.

    Examples
    --------
    >>> import plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(2, [Rectifier(np.array(-1.0)), Linear(np.array([[1.0, -1.0]]))])  # |x| - |y|
    >>> found = critical_points(plica.decompose(net, plica.Box([-1, -1], [1, 1])))
    >>> found.interior, found.euler
    ((<Critical of index 1 at vertex 8, value 0>,), 1)
    """
    checked_complex(cx)
    if not isinstance(cx, BoundedComplex):
        raise InvalidInput("critical points are found in a bounded domain.", hint="decompose a box that holds what matters")
    found = levels(cx, checked_weights(cx, output, weights))
    own = found.of_faces()
    n, d = len(found.rank), cx.dimension
    pivots = all_pivots(cx, [np.arange(len(part)) for part in own], own)
    count = np.stack([np.bincount(part, minlength=n) for part in own])
    rank = np.stack([np.bincount(part[p >= 0], minlength=n) for part, p in zip(own, pivots, strict=True)])
    multiplicity = count - rank
    multiplicity[:d] -= rank[1:]
    chosen = np.flatnonzero(multiplicity.any(axis=0))
    return CriticalPoints(cx, _points(found, chosen, multiplicity, _border(cx)), n - len(chosen))


def _points(found: Levels, chosen: Array, multiplicity: Array, border: Array) -> tuple[Critical, ...]:
    order = np.argsort(found.component, kind="stable")
    starts = np.searchsorted(found.component[order], [chosen, chosen + 1])
    out = []
    for c, a, b in zip(chosen.tolist(), *starts.tolist(), strict=True):
        vertices = order[a:b]
        ranks = tuple(int(m) for m in multiplicity[:, c])
        out.append(Critical(found.value(c), vertices, ranks, bool(border[vertices].any())))
    return tuple(out)


def _border(cx: BoundedComplex) -> Array:
    """Which vertices lie on the border of the domain."""
    outer = (cx.facet_cells < 0).any(axis=1)
    out = np.zeros(len(cx.vertices), bool)
    out[cx.facet_vertices[np.repeat(outer, np.diff(cx.facet_offsets))]] = True
    return out
