"""The complex as filtered simplices, for gudhi.

Every face is a cone from its lowest vertex over the facets that miss it. This needs no new vertices, and two cells triangulate
their common face in the same way, because the rule looks at the face alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry.export._missing import imported

if TYPE_CHECKING:
    from plica.geometry._bounded import BoundedComplex


def triangulation(cx: BoundedComplex) -> list[tuple[int, ...]]:
    """The simplices of highest dimension, as vertex numbers.

    Examples
    --------
    >>> import plica
    >>> cx = plica.decompose(plica.random_network([2, 1, 1], seed=0), plica.Box([-1, -1], [1, 1]))
    >>> cx.n_cells, len(triangulation(cx)) == sum(len(c.vertices) - 2 for c in cx.cells)
    (2, True)
    """
    below: list[list[tuple[int, ...]]] = [[(v,)] for v in range(cx.n_faces[0])]
    least = list(range(cx.n_faces[0]))
    for d in range(1, cx.dimension + 1):
        lists = cx.facets_of_faces(d)
        first, entries = lists.offsets.tolist(), lists.entries.tolist()
        made, lowest = [], []
        for a, b in pairwise(first):
            apex = min(least[g] for g in entries[a:b])
            made.append([(apex, *simplex) for g in entries[a:b] if least[g] != apex for simplex in below[g]])
            lowest.append(apex)
        below, least = made, lowest
    return [simplex for simplices in below for simplex in simplices]


def to_gudhi(cx: BoundedComplex, output: int) -> Any:
    """A ``gudhi.SimplexTree``; a vertex has the value of the output there, a simplex the largest of its vertices."""
    gudhi = imported("gudhi")
    if not 0 <= output < cx.network.n_outputs:
        raise InvalidInput(f"there is no output {output}; the network has outputs 0 to {cx.network.n_outputs - 1}.")
    values: Array = cx.outputs[:, output]
    tree = gudhi.SimplexTree()
    for simplex in triangulation(cx):
        tree.insert(simplex, filtration=float("-inf"))
    for v, value in enumerate(values.tolist()):
        tree.assign_filtration([v], value)
    tree.make_filtration_non_decreasing()
    return tree
