"""Rational vertices and incidences as text for polymake; Sage, OSCAR and everything that reads fractions can follow it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plica.geometry._bounded import BoundedComplex


def to_polymake(cx: BoundedComplex) -> str:
    """A plain data file of type ``fan::PolyhedralComplex<Rational>``: VERTICES in homogeneous coordinates, MAXIMAL_POLYTOPES."""
    lines = ["_application fan", "_version 3.0", "_type PolyhedralComplex<Rational>", "", "VERTICES"]
    lines += [" ".join(["1", *map(str, cx.exact_vertex(v))]) for v in range(len(cx.vertices))]
    lines += ["", "MAXIMAL_POLYTOPES"]
    lines += ["{" + " ".join(map(str, sorted(part))) + "}" for part in _maximal(cx)]
    return "\n".join(lines) + "\n"


def _maximal(cx: BoundedComplex) -> list[list[int]]:
    """The vertices of each convex cell (of each part of a cell that is not convex)."""
    below: list[set[int]] = [{v} for v in range(cx.n_faces[0])]
    for d in range(1, cx.dimension + 1):
        lists = cx.facets_of_faces(d)
        first, entries = lists.offsets.tolist(), lists.entries.tolist()
        below = [set().union(*(below[g] for g in entries[a:b])) for a, b in pairwise(first)]
    return [sorted(part) for part in below]
