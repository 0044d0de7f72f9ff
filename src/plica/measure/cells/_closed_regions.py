r"""Closed connected regions: maximal connected closed sets on which a network is one affine map.

Such a set need not be a union of cells. The points where the network equals the map g of a region may go on as a thin slice
:math:`\{f = g\}` through cells with other maps and reach another region with the map g; both are then one closed region. The
slice of a cell is convex, and the slices of two neighbors are connected if f - g vanishes somewhere on the facet between them.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from plica._types import Array
from plica.exact import maximize
from plica.geometry import BoundedComplex


def n_closed_regions(cx: BoundedComplex, labels: Array) -> int:
    """How many closed connected regions a bounded complex has; ``labels`` numbers the map of each of its regions."""
    repeated = np.flatnonzero(np.bincount(labels) > 1)
    return cx.n_regions - sum(_n_joined(cx, np.flatnonzero(labels == k)) for k in repeated.tolist())


def _n_joined(cx: BoundedComplex, regions: Array) -> int:
    """By how much the closed sets around some regions with one map are fewer than the regions."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ahead = _Difference(cx, int(np.flatnonzero(cx.regions == regions[0])[0]))
    sides = cx.facet_cells.astype(np.int64)
    inner = np.flatnonzero((sides >= 0).all(axis=1))
    pairs = sides[inner[[ahead.vanishes_on(f) for f in inner.tolist()]]]
    graph = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(cx.n_cells, cx.n_cells))
    parts = connected_components(graph, directed=False)[1]
    chosen = np.isin(cx.regions, regions)
    return len(regions) - len(np.unique(parts[chosen]))


class _Difference:
    """The network minus the affine map of one cell, at the vertices: signs by floats with bounds, or in fractions."""

    def __init__(self, cx: BoundedComplex, cell: int) -> None:
        self._cx = cx
        columns = cx.exact_map(cell)
        self._exact = np.array(columns.fractions(), dtype=object).reshape(columns.shape)
        matrix = self._exact.astype(np.float64)
        y, p = cx.bounded_outputs(), cx.bounded_vertices()
        with np.errstate(over="ignore", invalid="ignore"):
            value = y.values - (p.values @ matrix[:-1] + matrix[-1])
            size = np.abs(y.values) + np.abs(p.values) @ np.abs(matrix[:-1]) + np.abs(matrix[-1])
            error = (
                y.error[:, None] + p.error[:, None] * np.linalg.norm(matrix[:-1], axis=0) + (len(matrix) + 4) * 2.0**-51 * size
            )
            is_known = np.abs(value) > error * (1 + 1e-9)
        self._sign = np.where(is_known, np.sign(value), np.nan)

    def exactly(self, vertex: int) -> list[Fraction]:
        """The difference at a vertex."""
        p = (*self._cx.exact_vertex(vertex), Fraction(1))
        rows = zip(self._cx.exact_output(vertex), self._exact.T, strict=True)
        return [y - sum((c * u for c, u in zip(row, p, strict=True)), Fraction(0)) for y, row in rows]

    def _signs(self, vertices: Array) -> Array:
        for v in vertices[np.isnan(self._sign[vertices]).any(axis=1)].tolist():
            self._sign[v] = [(d > 0) - (d < 0) for d in self.exactly(v)]
        return self._sign[vertices]

    def vanishes_on(self, facet: int) -> bool:
        """Whether all outputs agree with the map at some point of a facet: 0 is in the hull of the differences at its corners."""
        cx = self._cx
        corners = cx.facet_vertices[cx.facet_offsets[facet] : cx.facet_offsets[facet + 1]].astype(np.int64)
        known = self._sign[corners]
        if ((known > 0).all(axis=0) | (known < 0).all(axis=0)).any():
            return False
        signs = self._signs(corners)
        if ((signs > 0).all(axis=0) | (signs < 0).all(axis=0)).any():
            return False
        if signs.shape[1] == 1 or (signs == 0).all(axis=1).any():
            return True
        return not _is_separable([self.exactly(v) for v in corners.tolist()])


def _is_separable(points: list[list[Fraction]]) -> bool:
    """Whether some linear form is positive at all points: then 0 is not in their convex hull."""
    scale = lcm(*(c.denominator for p in points for c in p))
    rows = [[-int(c * scale) for c in p] for p in points]
    # the form w with w . p >= t at all points and 0 <= t <= 1 has t = 1 exactly if it exists
    n = len(rows[0])
    matrix = [[*row, 1] for row in rows] + [[0] * n + [1]]
    return maximize([0] * n + [1], matrix, [0] * len(rows) + [1]).value > 0
