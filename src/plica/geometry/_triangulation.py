"""Cells as simplices: every face is a cone from its lowest vertex over the facets that miss it.

This needs no new vertices, and two cells divide their common face in the same way, because the rule looks at the face alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.geometry._bounded import Simplices

if TYPE_CHECKING:
    from plica.geometry._bounded import BoundedComplex


def triangulation(cx: BoundedComplex) -> Simplices:
    """The simplices of all cells, from edges up: those of a face are its cones over the simplices of its facets.

    Examples
    --------
    >>> import plica
    >>> cx = plica.decompose(plica.random_network([2, 1, 1], seed=0), plica.Box([-1, -1], [1, 1]))
    >>> cx.n_cells, len(triangulation(cx).vertices) == sum(len(c.vertices) - 2 for c in cx.cells)
    (2, True)
    """
    n = cx.n_faces[0]
    least, first, simplices = np.arange(n), np.arange(n + 1), np.arange(n)[:, None]
    for d in range(1, cx.dimension + 1):
        lists = cx.facets_of_faces(d)
        starts, facets = lists.offsets[:-1], lists.entries.astype(np.int64)
        apex = np.minimum.reduceat(least[facets], starts)
        face = np.repeat(np.arange(len(starts)), np.diff(lists.offsets))
        kept = least[facets] != apex[face]
        face, facets = face[kept], facets[kept]
        counts = np.diff(first)[facets]
        rows = ragged(first[facets], counts)
        made = np.repeat(face, counts)
        simplices = np.concatenate([apex[made][:, None], simplices[rows]], axis=1)
        first = np.concatenate([[0], np.cumsum(np.bincount(made, minlength=len(starts)))])
        least = apex
    return Simplices(simplices, np.repeat(cx.cell_of_part, np.diff(first)))


def ragged(starts: Array, counts: Array) -> Array:
    """The numbers start, start + 1, ... of each range, one range after the other.

    Examples
    --------
    >>> ragged(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts - starts, counts)
