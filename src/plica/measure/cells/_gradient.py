r"""A discrete gradient of an output on the faces of its complex: faces in pairs along which sublevel sets can be pushed together.

A discrete gradient (Forman) pairs some faces with a face one dimension higher that they border, so that no path through pairs
returns to where it began. What is left alone is *critical*; the complex is, up to homotopy, glued together from one disk for each
critical face. Here both faces of a pair have their largest values in one level component
(:mod:`plica.measure.cells._levels`), so the same is true of every sublevel set. Brooks and Masden (2024) show for networks with
nondegenerate critical points that this is possible with one critical face of dimension k for each critical point of index k, and
none elsewhere: the gradient is then *relatively perfect*.

In each component faces are taken away from below (coreduction, as Harker et al. 2014 do for homology): a face with one facet left
goes together with it; where there is none, the lowest face that is left is critical.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from plica._compiled import compiled
from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry import BoundedComplex, FaceLists, reading
from plica.measure.cells._levels import Levels, levels
from plica.measure.cells._sharp import checked_complex, checked_weights


@dataclass(frozen=True, eq=False)
class DiscreteGradient:
    """Faces in pairs, and those that are critical.

    Attributes
    ----------
    partners
        For each dimension and face the number of its partner, -1 if it is critical. The partner is one dimension higher where
        ``is_lower`` of the face is true, else one lower.
    is_lower
        Whether a face is the lower one of its pair.
    """

    complex: BoundedComplex
    partners: tuple[Array, ...]
    is_lower: tuple[Array, ...]
    _levels: Levels
    kind: str = "exact"

    @property
    def n_critical(self) -> tuple[int, ...]:
        """How many critical faces of each dimension there are."""
        return tuple(int((p < 0).sum()) for p in self.partners)

    def critical_at(self, vertex: int) -> tuple[int, ...]:
        """How many critical faces of each dimension have their largest value where the vertex is."""
        n = len(self._levels.component)
        if not 0 <= vertex < n:
            raise InvalidInput(f"there is no vertex {vertex}; there are {n}, counted from 0.")
        first = self._levels.vertex[self._levels.component[vertex]]
        return tuple(self.critical_by_vertex()[:, first].tolist())

    def critical_by_vertex(self) -> Array:
        """For each dimension (rows) and vertex the critical faces whose largest value is there; flat parts: at their first."""
        first, n = self._levels.vertex, len(self._levels.component)
        own = self._levels.of_faces()
        return np.stack([np.bincount(first[c[p < 0]], minlength=n) for c, p in zip(own, self.partners, strict=True)])

    @property
    def is_flat(self) -> Array:
        """For each vertex whether the output is constant on a face there: its level component has other vertices, too."""
        component = self._levels.component
        return np.asarray(np.bincount(component)[component] > 1)

    def __repr__(self) -> str:
        return f"<DiscreteGradient with {', '.join(map(str, self.n_critical))} critical faces by dimension, exact>"


@reading
def discrete_gradient(cx: BoundedComplex, *, output: int | None = None, weights: Any = None) -> DiscreteGradient:
    """A discrete gradient of an output, or of a sum of outputs with weights, on the faces of a bounded complex.

    Examples
    --------
    >>> import plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(2, [Rectifier(np.array(-1.0)), Linear(np.array([[1.0, -1.0]]))])  # |x| - |y|: a saddle
    >>> found = discrete_gradient(plica.decompose(net, plica.Box([-1, -1], [1, 1])))
    >>> found, found.critical_at(8)  # two minima on the border, an edge up to the saddle
    (<DiscreteGradient with 2, 1, 0 critical faces by dimension, exact>, (0, 1, 0))
    """
    checked_complex(cx)
    if not isinstance(cx, BoundedComplex):
        raise InvalidInput("a discrete gradient is found in a bounded domain.", hint="decompose a box that holds what matters")
    found = levels(cx, checked_weights(cx, output, weights))
    own = np.concatenate(found.of_faces())
    starts = np.concatenate([[0], np.cumsum(cx.n_faces)]).astype(np.int64)
    facets = _all_facets(cx, starts)
    order = np.argsort(own, kind="stable")  # by component, within it by dimension
    partner = np.full(len(own), -1, np.int64)
    _pair(facets.offsets, facets.entries, *_cofaces(facets), own, order, partner, np.empty(len(own), np.int64))
    parts = [partner[a:b] for a, b in pairwise(starts)]
    lower = tuple(part >= b for part, b in zip(parts, starts[1:], strict=True))
    base = [starts[np.maximum(np.where(low, k + 1, k - 1), 0)] for k, low in enumerate(lower)]
    numbers = tuple(np.where(part < 0, -1, part - zero) for part, zero in zip(parts, base, strict=True))
    return DiscreteGradient(cx, numbers, lower, found)


def _all_facets(cx: BoundedComplex, starts: Array) -> FaceLists:
    """The facets of all faces, numbered through all dimensions."""
    offsets, entries = [np.zeros(cx.n_faces[0] + 1, np.int64)], []
    for k in range(1, cx.dimension + 1):
        lists = cx.facets_of_faces(k)
        offsets.append(offsets[-1][-1] + lists.offsets[1:].astype(np.int64))
        entries.append(lists.entries.astype(np.int64) + starts[k - 1])
    return FaceLists(np.concatenate(offsets), np.concatenate(entries) if entries else np.empty(0, np.int64))


def _cofaces(facets: FaceLists) -> tuple[Array, Array]:
    """For each face those it is a facet of."""
    n = len(facets.offsets) - 1
    faces = np.repeat(np.arange(n), np.diff(facets.offsets))
    counts = np.bincount(facets.entries, minlength=n)
    return np.concatenate([[0], np.cumsum(counts)]), faces[np.argsort(facets.entries, kind="stable")]


@compiled
def _pair(offsets: Any, entries: Any, up_offsets: Any, up_entries: Any, own: Any, order: Any, partner: Any, stack: Any) -> None:
    """Pair the faces of each component; ``partner`` is -1 everywhere before, and stays so where a face is critical."""
    n = len(own)
    left = np.zeros(n, np.int64)  # facets in the same component that are still there
    gone = np.zeros(n, np.bool_)
    for f in range(n):
        for k in range(offsets[f], offsets[f + 1]):
            left[f] += own[entries[k]] == own[f]
    a = 0
    while a < n:
        b, height = a, 0
        while b < n and own[order[b]] == own[order[a]]:
            if left[order[b]] == 1:
                stack[height] = order[b]
                height += 1
            b += 1
        lowest = a
        while True:
            upper = -1
            while height > 0 and upper < 0:
                height -= 1
                f = stack[height]
                if not gone[f] and left[f] == 1:
                    upper = f
            if upper >= 0:
                lower = upper
                for k in range(offsets[upper], offsets[upper + 1]):
                    if own[entries[k]] == own[upper] and not gone[entries[k]]:
                        lower = entries[k]
                partner[lower], partner[upper] = upper, lower
                gone[upper] = True
            else:
                while lowest < b and gone[order[lowest]]:
                    lowest += 1
                if lowest == b:
                    break
                upper = lower = order[lowest]
            gone[lower] = True
            for f in (lower, upper):
                for k in range(up_offsets[f], up_offsets[f + 1]):
                    h = up_entries[k]
                    if own[h] == own[f] and not gone[h]:
                        left[h] -= 1
                        if left[h] == 1:
                            stack[height] = h
                            height += 1
                if lower == upper:
                    break
        a = b
