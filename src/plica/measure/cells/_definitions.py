r"""Linear regions under all six definitions that are in use, from one complex.

Stargalla, Hertrich and Reichman (NeurIPS 2025, arXiv 2505.16716) tell them apart; each has at most as many members as the one
before it:

1. *activation regions*: nonempty sets of inputs with one activation pattern, of any dimension (a unit at exactly 0 is inactive);
2. *proper activation regions*: those of full dimension, our cells;
3. *convex regions*: the cells of full dimension of a polyhedral complex on each of whose cells the network is affine, one with
   as few of them as possible;
4. *open connected regions*: maximal connected open sets on which the network is affine, our regions;
5. *closed connected regions*: maximal connected sets of that kind, closed ones: regions with one map that touch are one, and so
   are those between which a slice of other cells has the values of that map;
6. *affine regions*: maximal sets on which the network is one affine map, connected or not.

(The list and the order of the counts are those of a summary of that paper, with its example; its text was not at hand. The third
is the least one of a hard problem in general, and is enclosed here where it is not known.)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import exactly
from plica.geometry import BoundedComplex, Complex, Path, UnboundedComplex, reading, tick
from plica.measure.cells._closed_regions import n_closed_regions
from plica.measure.cells._convex_regions import convex_regions
from plica.measure.cells._sharp import checked_complex
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
        Regions connected through facets, regions connected at all, distinct affine maps. Over all of R^n the second is None where
        slices outside the part that is shown might connect more.
    """

    activation: int | None
    proper: int
    convex: tuple[int, int]
    open_connected: int
    closed_connected: int | None
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


@reading
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
    checked_complex(cx)
    if isinstance(cx.domain, Path):
        raise InvalidInput("on a path one pattern may come again after a knot.", hint="decompose its segments one by one")
    shown = cx.shown if isinstance(cx, UnboundedComplex) else cx
    assert isinstance(shown, BoundedComplex)
    labels = map_labels(cx)
    n_maps, n_closed = int(labels.max()) + 1, n_closed_regions(shown, labels)
    return RegionDefinitions(
        activation=_activation(shown),
        proper=cx.n_cells,
        convex=convex_regions(shown),
        open_connected=cx.n_regions,
        closed_connected=n_closed if shown is cx or n_closed == n_maps else None,
        affine=n_maps,
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
    out[order] = group
    sizes = np.bincount(group)
    top = len(sizes)
    for start in np.cumsum(sizes)[sizes > 1] - sizes[sizes > 1]:
        known: dict[tuple[Fraction, ...], int] = {}
        for region in order[start : start + sizes[group[start]]].tolist():
            key = tuple(cx.exact_map(int(cells[region])).fractions())
            if key not in known:
                known[key] = int(group[start]) if not known else top
                top += len(known) > 1
            out[region] = known[key]
    return out


# -- patterns of faces -------------------------------------------------------------------------------------------------------


def _activation(cx: BoundedComplex) -> int | None:
    """Distinct patterns at interior points of all faces that do not lie in the border of the domain."""
    if sum(cx.n_faces) * max(cx.network.n_neurons, 1) > MOST_EVALUATED:
        return None
    table = np.concatenate([x.reshape(cx.n_cells, -1) for x in cx.patterns()], axis=1) if cx.network.layers else None
    found = {row.tobytes() for row in table.astype(_type_of_states(cx.network))} if table is not None else {b""}
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
                tick()
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
    return np.concatenate(states).astype(_type_of_states(network)).tobytes() if states else b""


def _type_of_states(network: Network) -> np.dtype[Any]:
    return np.result_type(*(fold.state_type for fold in network.folds))
