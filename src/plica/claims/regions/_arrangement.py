"""What claims on hyperplane arrangements share: one-layer networks, boxes that hold all vertices, exact sign patterns."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import ceil
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import solve
from plica.geometry import Box, Complex, Segment, decompose
from plica.network import Linear, Network, Rectifier


def layer(normals: Any, offsets: Any) -> Network:
    """One hidden layer whose folds are the hyperplanes w . x + b = 0, with an output that tells all cells apart."""
    W, b = np.asarray(normals, dtype=np.float64), np.asarray(offsets, dtype=np.float64)
    return Network.sequential(W.shape[1], [Linear(W, b), Rectifier(), Linear(2.0 ** np.arange(len(W))[None, :])])


def integer_arrangement(n: int, d: int, *, seed: int, central: bool = False) -> tuple[Array, Array]:
    """Random hyperplanes with integer coefficients."""
    rng = np.random.default_rng(seed)
    return rng.integers(-999, 1000, (n, d)), np.zeros(n, int) if central else rng.integers(-999, 1000, n)


def vertices(normals: Any, offsets: Any) -> list[tuple[tuple[int, ...], list[Fraction]]]:
    """The points where d of the hyperplanes meet, with their indices, in exact rationals."""
    W, b = np.asarray(normals).tolist(), np.asarray(offsets).tolist()
    found = []
    for chosen in combinations(range(len(W)), len(W[0])):
        point = solve([W[i] for i in chosen], [-b[i] for i in chosen])
        if point is not None:
            found.append((chosen, point))
    return found


def whole_complex(normals: Any, offsets: Any) -> Complex:
    """The exact complex of the arrangement in a segment or box that holds every vertex in its interior."""
    W, b = np.asarray(normals, dtype=np.float64), np.asarray(offsets, dtype=np.float64)
    reach = max((abs(x) for _, point in vertices(normals, offsets) for x in point), default=Fraction(0))
    size = float(ceil(max(reach, Fraction(ceil(np.max(np.abs(b) / np.linalg.norm(W, axis=1)))))) + 1)
    d = W.shape[1]
    domain = Segment([-size], [size]) if d == 1 else Box([-size] * d, [size] * d)
    return decompose(layer(W, b), domain)


def cell_patterns(normals: Any, offsets: Any) -> set[tuple[int, ...]]:
    """The sign patterns of all cells of an arrangement in general position: the 2^d cells around each vertex, exactly."""
    W, b = np.asarray(normals).tolist(), np.asarray(offsets).tolist()
    found = set()
    for chosen, point in vertices(normals, offsets):
        values = [sum((Fraction(a) * x for a, x in zip(w, point, strict=True)), Fraction(c)) for w, c in zip(W, b, strict=True)]
        if sum(v == 0 for v in values) != len(chosen):
            raise ValueError("more than d hyperplanes meet in a point")
        for corner in product((0, 1), repeat=len(chosen)):
            pattern = [int(v > 0) for v in values]
            for i, side in zip(chosen, corner, strict=True):
                pattern[i] = side
            found.add(tuple(pattern))
    return found


def n_bounded_cells(cx: Complex) -> int:
    """Cells of a complex from :func:`whole_complex` with no vertex on the border of its domain."""
    points = np.asarray(cx.vertices)
    at_border = (points == points.min(0)).any(1) | (points == points.max(0)).any(1)
    return sum(not at_border[np.asarray(cell.vertices)].any() for cell in cx.cells)
