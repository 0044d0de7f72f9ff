"""Convex hulls and mixed volumes: against known shapes, linear programs, and the floating-point hulls of scipy."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import factorial

import numpy as np
import pytest

from plica.exact import convex_hull, maximize, minkowski_sum, mixed_volume


def is_vertex(points: list[tuple[int, ...]], i: int) -> bool:
    """Whether some form is strictly larger at point i than at all others: a linear program."""
    p = points[i]
    rows = [[*(b - a for a, b in zip(p, q, strict=True)), 1] for q in points if q != p]
    d = len(p)
    bounds = [[int(k == j) * s for k in range(d)] + [0] for j in range(d) for s in (1, -1)]
    return maximize([0] * d + [1], [*rows, *bounds], [0] * len(rows) + [1] * (2 * d)).value > 0


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_vertices_are_what_linear_programs_say_and_volumes_what_scipy_says(d: int, seed: int) -> None:
    from scipy.spatial import ConvexHull

    rng = np.random.default_rng(seed)
    points = [tuple(int(c) for c in p) for p in rng.integers(-2, 3, (14, d))]  # a small grid: equal and coplanar points
    found = convex_hull(points)
    assert set(found.vertices) == {i for i, p in enumerate(points) if points.index(p) == i and is_vertex(points, i)}
    if found.dimension == d > 1:
        assert float(found.volume) == pytest.approx(ConvexHull(points).volume, rel=1e-9)


def test_cubes_crosses_and_flat_sets() -> None:
    for d in (1, 2, 3, 4):
        cube = list(itertools.product((0, 2), repeat=d))
        inner = [(1,) * d, *itertools.product((0, 1), repeat=d)]
        assert convex_hull(inner + cube).volume == 2**d and len(convex_hull(inner + cube).vertices) == 2**d
        cross = [tuple(s * int(i == k) for i in range(d)) for k in range(d) for s in (1, -1)]
        assert convex_hull(cross).volume == Fraction(2**d, factorial(d))
    flat = convex_hull([(0, 0, 1), (1, 0, 1), (0, 0.5, 1), (0.25, 0.125, 1)])
    assert flat.dimension == 2 and flat.vertices == (0, 1, 2) and flat.volume == 0
    assert convex_hull([(3, 4), (3, 4)]).vertices == (0,)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_mixed_volumes_are_symmetric_multilinear_and_known_on_the_diagonal(d: int) -> None:
    rng = np.random.default_rng(d)
    sets = [[tuple(Fraction(int(c)) for c in p) for p in rng.integers(-2, 3, (5, d))] for _ in range(d + 1)]
    assert mixed_volume([sets[0]] * d) == factorial(d) * convex_hull(sets[0]).volume
    assert mixed_volume(sets[:d]) == mixed_volume(sets[:d][::-1])
    rest = sets[2 : d + 1] if d > 1 else []
    whole = mixed_volume([minkowski_sum(sets[0], sets[1]), *rest[: d - 1]])
    assert whole == mixed_volume([sets[0], *rest[: d - 1]]) + mixed_volume([sets[1], *rest[: d - 1]])
    segments = [[(0,) * d, tuple(int(i == k) for i in range(d))] for k in range(d)]
    assert mixed_volume(segments) == 1
