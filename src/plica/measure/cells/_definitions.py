r"""Linear regions under all six definitions that are in use, from one complex.

Stargalla, Hertrich and Reichman (NeurIPS 2025, arXiv 2505.16716) tell them apart; each has at most as many members as the one
before it:

1. *activation regions*: nonempty sets of inputs with one activation pattern, of any dimension (a unit at exactly 0 is inactive);
2. *proper activation regions*: those of full dimension, our cells;
3. *convex regions*: a least number of convex sets of full dimension that cover the domain, without common interior, on each of
   which the network is affine;
4. *open connected regions*: maximal connected open sets on which the network is affine, our regions;
5. *closed connected regions*: maximal connected sets of that kind, closed ones: regions with one map that touch are one;
6. *affine regions*: maximal sets on which the network is one affine map, connected or not.

(The list and the order of the counts are written down from memory of that paper; the third is the least one of a hard problem
in general, and is enclosed here where it is not known.)
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import exactly, null_space
from plica.geometry import BoundedComplex, Complex, Path, PlaneComplex, UnboundedComplex
from plica.network import Fold, FractionColumns, Network, walk

MOST_EVALUATED = 2_000_000  # faces times units at which patterns are evaluated in fractions


@dataclass(frozen=True)
class RegionDefinitions:
    """How many linear regions a network has over a domain, by definition. All counts are exact.

    Attributes
    ----------
    activation
        Activation regions of every dimension; None if there are too many faces to look at.
    proper
        Proper activation regions: cells.
    convex
        Bounds of the number of convex regions; equal where it is known.
    open_connected, closed_connected, affine
        Regions connected through facets, regions connected at all, distinct affine maps.
    """

    activation: int | None
    proper: int
    convex: tuple[int, int]
    open_connected: int
    closed_connected: int
    affine: int
    kind: str = "exact"

    def to_dict(self) -> dict[str, Any]:
        return {
            "activation_regions": self.activation,
            "proper_activation_regions": self.proper,
            "convex_regions": self.convex[0] if self.convex[0] == self.convex[1] else list(self.convex),
            "open_connected_regions": self.open_connected,
            "closed_connected_regions": self.closed_connected,
            "affine_regions": self.affine,
        }

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, self.to_dict())


def region_definitions(cx: Complex) -> RegionDefinitions:
    """The number of linear regions under each of six definitions.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(1, [Linear(np.array([[1.0], [-1.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])  # |x|
    >>> found = region_definitions(plica.decompose(net, plica.Box([-1], [1])))
    >>> found.activation, found.proper, found.open_connected  # at 0 both units are off
    (3, 2, 2)
    """
    if isinstance(cx.domain, Path):
        raise InvalidInput("on a path one pattern may come again after a knot.", hint="decompose its segments one by one")
    shown = cx.shown if isinstance(cx, UnboundedComplex) else cx
    assert isinstance(shown, BoundedComplex)
    labels = map_labels(cx)
    low, high = _convex(shown)
    return RegionDefinitions(
        activation=_activation(shown),
        proper=cx.n_cells,
        convex=(low, high),
        open_connected=cx.n_regions,
        closed_connected=_touching(shown, labels),
        affine=int(labels.max()) + 1,
    )


def map_labels(cx: Complex) -> Array:
    """A number for each region: equal numbers for regions with one affine map. Decided exactly.

    Maps are compared along one direction first: only those whose enclosures overlap there are looked at in integers.
    """
    n = cx.n_regions
    cells = np.unique(cx.regions, return_index=True)[1]
    columns, error = cx.bounded_maps()
    columns, error = columns[cells], error[cells]
    weights = np.random.default_rng(0).uniform(0.5, 1.0, columns.shape[1:])  # any direction will do: it decides nothing
    with np.errstate(over="ignore", invalid="ignore"):
        place = (columns * weights).sum(axis=(1, 2))
        size = (np.abs(columns) * weights).sum(axis=(1, 2))
        reach = (error * np.sqrt((weights**2).sum(axis=1))).sum(axis=1) * (1 + 1e-9) + 2.0**-48 * size
    bad = ~np.isfinite(place) | ~np.isfinite(reach)
    low, high = np.where(bad, -np.inf, place - reach), np.where(bad, np.inf, place + reach)
    order = np.argsort(low, kind="stable")
    ends = np.maximum.accumulate(high[order])
    group = np.concatenate([[0], np.cumsum(low[order][1:] > ends[:-1])])
    out = np.empty(n, np.int64)
    top = 0
    for members in np.split(order, np.flatnonzero(np.diff(group)) + 1):
        known: dict[tuple[Fraction, ...], int] = {}
        for region in members.tolist():
            key = tuple(cx.exact_map(int(cells[region])).fractions()) if len(members) > 1 else ()
            if key not in known:
                known[key] = top
                top += 1
            out[region] = known[key]
    return out


def _touching(cx: BoundedComplex, labels: Array) -> int:
    """Regions with one map that share a vertex are one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = cx.n_regions
    repeated = np.bincount(labels)[labels] > 1
    owner = cx.regions[np.repeat(np.arange(cx.n_cells), np.diff(cx.cell_offsets))]
    kept = repeated[owner]
    # a node for each pair of a vertex and a map: whoever has both is connected there
    keys, place = np.unique(cx.cell_vertices[kept] * (int(labels.max()) + 1) + labels[owner[kept]], return_inverse=True)
    size = n + len(keys)
    graph = coo_array((np.ones(len(place), np.int8), (owner[kept], n + place.reshape(-1))), shape=(size, size))
    return len(np.unique(connected_components(graph, directed=False)[1][:n]))


# -- patterns of faces -------------------------------------------------------------------------------------------------------


def _activation(cx: BoundedComplex) -> int | None:
    """Distinct patterns at interior points of all faces that do not lie in the border of the domain."""
    if sum(cx.n_faces) * max(cx.network.n_neurons, 1) > MOST_EVALUATED:
        return None
    table = np.concatenate([x.reshape(cx.n_cells, -1) for x in cx.patterns()], axis=1) if cx.network.layers else None
    found = {row.tobytes() for row in table.astype(np.int8)} if table is not None else {b""}
    below: list[set[int]] = [{v} for v in range(cx.n_faces[0])]
    vertices = [below]
    for d in range(1, cx.dimension):
        lists = cx.facets_of_faces(d)
        below = [
            set().union(*(below[g] for g in lists.entries[a:b]))
            for a, b in zip(lists.offsets[:-1], lists.offsets[1:], strict=True)
        ]
        vertices.append(below)
    border = _border_faces(cx)
    exact = [cx.exact_vertex(v) for v in range(cx.n_faces[0])]
    for d, faces in enumerate(vertices):
        for f, corners in enumerate(faces):
            if not border[d][f]:
                points = [exact[v] for v in corners]
                middle = [sum(c, Fraction(0)) / len(points) for c in zip(*points, strict=True)]
                found.add(_pattern_at(cx, middle))
    return len(found)


def _border_faces(cx: BoundedComplex) -> list[Array]:
    """For each dimension below the highest which faces lie in the border of the domain."""
    marks: list[Array] = [np.asarray((cx.facet_cells < 0).any(axis=1))]
    for d in range(cx.dimension - 1, 0, -1):
        lists = cx.facets_of_faces(d)
        below = np.zeros(cx.n_faces[d - 1], bool)
        below[lists.entries[np.repeat(marks[0], np.diff(lists.offsets))]] = True
        marks.insert(0, below)
    return marks


def _pattern_at(cx: BoundedComplex, parameters: list[Fraction]) -> bytes:
    """The activation pattern at a rational point, in fractions."""
    assert not isinstance(cx.domain, Path)
    columns = cx.domain.chart.columns
    rows = np.array(columns.fractions(), dtype=object).reshape(columns.shape)
    point = sum(c * rows[i] for i, c in enumerate([*parameters, Fraction(1)]))
    return states_at(cx.network, np.asarray(point, dtype=object))


def states_at(network: Network, point: Array) -> bytes:
    """The states of all units at a point of fractions, as bytes."""
    states: list[Array] = []

    def choose(layer: int, fold: Fold, columns: Array, shape: tuple[int, ...]) -> Array:
        found = fold.states_where(lambda forms: np.asarray(forms.columns(columns, exactly)[0] > 0, dtype=bool), shape)
        states.append(np.asarray(found).reshape(-1))
        return states[-1]

    walk(network, FractionColumns(choose), {0: point.reshape(1, *network.input_shape)})
    return np.concatenate(states).astype(np.int8).tobytes() if states else b""


# -- convex regions ----------------------------------------------------------------------------------------------------------


def _convex(cx: BoundedComplex) -> tuple[int, int]:
    """Bounds of the least number of convex sets: region by region."""
    counts = np.bincount(cx.regions, minlength=cx.n_regions)
    low = high = int((counts == 1).sum())
    if cx.dimension == 1:
        return cx.n_regions, cx.n_regions
    for region in np.flatnonzero(counts > 1).tolist():
        least, most = _plane_parts(cx, region) if isinstance(cx, PlaneComplex) else _space_parts(cx, region)
        low, high = low + least, high + min(most, int(counts[region]))
    return low, high


def _plane_parts(cx: PlaneComplex, region: int) -> tuple[int, int]:
    """Bounds from the reflex corners and holes of a region of the plane.

    A convex part has no reflex corner inside one of its sides, and one cut settles at most two of them; a cut through each
    settles all. Every hole saves one part.
    """
    own = cx.regions == region
    after: dict[int, list[int]] = defaultdict(list)
    for (p, q), (left, right) in zip(cx.edges.tolist(), cx.edge_cells.tolist(), strict=True):
        inside = (left >= 0 and bool(own[left]), right >= 0 and bool(own[right]))
        if inside[0] != inside[1]:  # with the region on the left
            a, b = (p, q) if inside[0] else (q, p)
            after[a].append(b)
    before: dict[int, list[int]] = defaultdict(list)
    for a, ends in after.items():
        for b in ends:
            before[b].append(a)
    reflex, pinched = 0, any(len(ends) > 1 for ends in after.values())
    for v, ends in after.items():
        if len(ends) == 1:
            a, b, c = (cx.exact_vertex(u) for u in (before[v][0], v, ends[0]))
            reflex += (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < 0
    if pinched:
        return 2, int(own.sum())
    loops, seen = 0, set()
    for v in after:
        if v not in seen:
            loops += 1
            while v not in seen:
                seen.add(v)
                v = after[v][0]
    holes = loops - 1
    if not reflex:
        return 1, 1
    return max(2, -(-reflex // 2) + 1 - holes), reflex + 1 - holes


def _space_parts(cx: BoundedComplex, region: int) -> tuple[int, int]:
    """One if all corners of a region are on one side of each of its border facets, else two or more."""
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
            return 2, int(own.sum())
    return 1, 1
