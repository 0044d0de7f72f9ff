"""The arrays of a face lattice, as the kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry._bounded import FaceLists

__all__ = ["Cones", "FaceArrays", "FaceLists", "FormArrays", "NewNumbers", "VertexArrays", "capacity", "grown", "growth"]


class FaceArrays(NamedTuple):
    """The faces of one dimension; the facets of face f are ``pool[offsets[f] : offsets[f] + sizes[f]]``.

    Attributes
    ----------
    offsets, sizes, pool
        The facet lists. The two vertices of edge e are at 2 e and 2 e + 1.
    hyperplanes
        Numbers of the hyperplanes whose intersection is the affine hull of each face.
    cell
        Some cell, from before the layer, that each face belongs to.
    words
        (faces, 2, words): bit k of ``words[f, 0]`` is set where form k is positive at some vertex of f, of ``words[f, 1]`` where
        it is negative.
    parts
        While a form cuts: the numbers of the plus part and the zero face of each cut face, -1 for the others.
    """

    offsets: Array
    sizes: Array
    pool: Array
    hyperplanes: Array
    cell: Array
    words: Array
    parts: Array


class VertexArrays(NamedTuple):
    """The vertices, their signs, and how each new one was made: at ``t`` (known up to ``t_error``) between its two ``ends``."""

    hyperplanes: Array
    cell: Array
    words: Array
    undecided: Array
    ends: Array
    t: Array
    t_error: Array


class FormArrays(NamedTuple):
    """Forms at the vertices, each within ``scale[k] * error[v] + floor[k]`` of the truth."""

    z: Array
    scale: Array
    inverse_scale: Array
    error: Array
    floor: Array


class Cones(NamedTuple):
    """Faces of all dimensions in common arrays: those of dimension d are numbered from ``base[d]`` on.

    ``entries`` are facets, counted from 0 in their dimension; ``least`` is the lowest vertex of each face.
    """

    base: Array
    offsets: Array
    entries: Array
    least: Array


class NewNumbers(NamedTuple):
    """The numbers of the first new things: plus part, zero face, hyperplane."""

    plus: int
    zero: int
    hyperplane: int


def capacity(have: int, n: int) -> int:
    """How many rows an array of ``have`` rows gets when it is asked for room for n."""
    return have if have >= n else max(n, 3 * have // 2 + 16)


def grown(array: Array, n: int, used: int) -> Array:
    """The array with room for n rows, of which the first ``used`` are kept."""
    rows = capacity(len(array), n)
    if rows == len(array):
        return array
    out = np.empty((rows, *array.shape[1:]), array.dtype)
    out[:used] = array[:used]
    return out


def growth(array: Array, n: int) -> tuple[int, int]:
    """The bytes of the array once it has room for n rows, and what is copied for that."""
    rows = capacity(len(array), n)
    return rows * array.strides[0], array.nbytes if rows > len(array) else 0
