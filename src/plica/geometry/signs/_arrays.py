"""Signs, crossings and new vertices, as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from plica._types import Array


class BoundedForms(NamedTuple):
    """Forms at the vertices, each within ``scale[k] * error[v] + floor[k]`` of the truth."""

    z: Array
    scale: Array
    error: Array
    floor: Array


class Signs(NamedTuple):
    """Packed signs: bit k of row v is set in ``pos`` (``neg``) where form k is positive (negative) at vertex v."""

    pos: Array
    neg: Array


class Crossings(NamedTuple):
    """Crossings of forms with edges, in order along each edge.

    Those of edge e are ``offsets[e] : offsets[e + 1]``, at parameters ``t``, known up to ``t_error``; crossings of equal rank
    share one new vertex, and ``n_groups[e]`` says how many there are on edge e.
    """

    offsets: Array
    form: Array
    t: Array
    t_error: Array
    rank: Array
    n_groups: Array


class NewVertices(NamedTuple):
    """Vertices added by a cut: each on the segment from p to q, at parameter ``t``, known within ``t_error``."""

    p: Array
    q: Array
    t: Array
    t_error: Array

    @property
    def n_vertices(self) -> int:
        return len(self.p)
