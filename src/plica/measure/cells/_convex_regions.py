"""Convex regions: as few convex sets as possible on which a network is affine, together a polyhedral complex.

Finding the least number is hard in general, so it is enclosed. From below: a region with reflex corners needs cuts, and one cut
settles two of them at most. From above: cells are such a complex, and edges between cells with one map are taken out of it as
long as it stays one. At every vertex all angles must then be less than straight, or two edges be left that are one line.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.exact import null_space
from plica.geometry import BoundedComplex, PlaneComplex

Point = tuple[Fraction, ...]


def convex_regions(cx: BoundedComplex) -> tuple[int, int]:
    """Bounds of the least number of full-dimensional cells of a polyhedral complex on whose cells the network is affine."""
    if cx.dimension == 1 or cx.n_regions == cx.n_cells:
        return cx.n_regions, cx.n_regions
    counts = np.bincount(cx.regions, minlength=cx.n_regions)
    low = int((counts == 1).sum())
    for region in np.flatnonzero(counts > 1).tolist():
        low += _least_in_plane(cx, region) if isinstance(cx, PlaneComplex) else _least_in_space(cx, region)
    high = cx.n_cells - _Plane(cx).n_removed() if isinstance(cx, PlaneComplex) else cx.n_cells
    return low, high


def _least_in_plane(cx: PlaneComplex, region: int) -> int:
    """A region of the plane has at least so many convex parts, by its reflex corners and holes; every hole saves one part."""
    own = cx.regions == region
    after: dict[int, list[int]] = defaultdict(list)
    for (p, q), (left, right) in zip(cx.edges.tolist(), cx.edge_cells.tolist(), strict=True):
        inside = (left >= 0 and bool(own[left]), right >= 0 and bool(own[right]))
        if inside[0] != inside[1]:  # with the region on the left
            a, b = (p, q) if inside[0] else (q, p)
            after[a].append(b)
    if any(len(ends) > 1 for ends in after.values()):
        return 2  # pinched
    before = {ends[0]: a for a, ends in after.items()}
    reflex = sum(_turn(*(cx.exact_vertex(u) for u in (before[v], v, ends[0]))) < 0 for v, ends in after.items())
    loops, seen = 0, set()
    for v in after:
        if v not in seen:
            loops += 1
            while v not in seen:
                seen.add(v)
                v = after[v][0]
    return max(2, -(-reflex // 2) + 1 - (loops - 1)) if reflex else 1


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    """Positive for a turn to the left at b."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _least_in_space(cx: BoundedComplex, region: int) -> int:
    """One if all corners of a region are on one side of each of its border facets, else two."""
    own = np.append(cx.regions == region, False)
    sides = own[cx.facet_cells]
    facets = np.flatnonzero(sides[:, 0] != sides[:, 1])
    corners = np.unique(np.concatenate([cx.vertices_of(int(c)) for c in np.flatnonzero(own[:-1])]))
    points = {int(v): cx.exact_vertex(int(v)) for v in corners}
    for f in facets:
        on = [points[int(v)] for v in cx.facet_vertices[cx.facet_offsets[f] : cx.facet_offsets[f + 1]]]
        rows = [[*p, Fraction(1)] for p in on]
        (form,) = null_space(rows)  # the facet spans its hyperplane
        values = [sum((a * c for a, c in zip(form, (*p, Fraction(1)), strict=True)), Fraction(0)) for p in points.values()]
        if min(values) < 0 < max(values):
            return 2
    return 1


class _Plane:
    """The edges of a plane, from which those between cells with one map are removed while all cells stay convex and conform."""

    def __init__(self, cx: PlaneComplex) -> None:
        self._cx = cx
        sides = cx.edge_cells.astype(np.int64)
        self._inner: Array = np.asarray((sides >= 0).all(axis=1))
        self._removable = self._inner & (cx.regions[sides[:, 0]] == cx.regions[sides[:, 1]]) & (sides[:, 0] != sides[:, 1])
        self._at: dict[int, list[int]] = defaultdict(list)
        for e, ends in enumerate(cx.edges.tolist()):
            for v in ends:
                self._at[v].append(e)
        self._gone = np.zeros(len(cx.edges), bool)
        self._parent = np.arange(cx.n_cells)

    def n_removed(self) -> int:
        """How many cells fewer are left when as many edges as this finds are taken out."""
        merged = 0
        for e in np.flatnonzero(self._removable).tolist():
            if not self._gone[e]:
                chosen = self._closure(e)
                for edge in chosen:
                    self._gone[edge] = True
                    a, b = (self._find(int(c)) for c in self._cx.edge_cells[edge])
                    if a != b:
                        self._parent[a] = b
                        merged += 1
        return merged

    def _find(self, cell: int) -> int:
        while self._parent[cell] != cell:
            self._parent[cell] = cell = int(self._parent[self._parent[cell]])
        return cell

    def _closure(self, edge: int) -> set[int]:
        """The edge and those on its line that have to go with it; nothing if it has to stay."""
        chosen, waiting = {edge}, list(self._cx.edges[edge].tolist())
        while waiting:
            v = waiting.pop()
            rest = [e for e in self._at[v] if not self._gone[e] and e not in chosen]
            if self._is_right(v, rest):
                continue
            taken = [e for e in self._at[v] if e in chosen]
            straight = [e for e in rest if self._removable[e] and any(self._is_straight(v, e, t) for t in taken)]
            if not straight or not self._is_right(v, [e for e in rest if e not in straight]):
                return set()
            chosen.update(straight)
            waiting += [int(u) for e in straight for u in self._cx.edges[e] if u != v]
        return chosen

    def _direction(self, v: int, edge: int) -> tuple[Fraction, Fraction]:
        p, q = self._cx.edges[edge].tolist()
        a, b = self._cx.exact_vertex(v), self._cx.exact_vertex(q if p == v else p)
        return b[0] - a[0], b[1] - a[1]

    def _is_straight(self, v: int, e: int, f: int) -> bool:
        (a, b), (c, d) = self._direction(v, e), self._direction(v, f)
        return a * d - b * c == 0 and a * c + b * d < 0

    def _is_right(self, v: int, edges: list[int]) -> bool:
        """Whether all angles between the edges at v are less than straight, or nothing but a line is left."""
        if not edges or (len(edges) == 2 and self._is_straight(v, *edges)):
            return True
        if not all(self._inner[e] for e in self._at[v]):
            return True  # on the border of the window, which is convex: a half turn between its sides, or less, is divided
        directions = [self._direction(v, e) for e in edges]
        # less than straight everywhere: from every edge another one is reached by turning left by less than a half turn
        return all(any(a * d - b * c > 0 for c, d in directions) for a, b in directions)
