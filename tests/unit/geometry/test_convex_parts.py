"""Polygons divided into convex parts, and networks over them."""

from fractions import Fraction

import numpy as np
import pytest

import plica
from plica.errors import InvalidDomain
from plica.geometry import Plane, decompose, decompose_many
from plica.geometry.domains._convex_parts import convex_parts
from plica.geometry.domains._plane import convex_polygon


def area(corners: np.ndarray) -> Fraction:
    w = [[Fraction(float(c)) for c in p] for p in corners]
    return sum((p[0] * q[1] - q[0] * p[1] for p, q in zip(w, w[1:] + w[:1], strict=True)), Fraction(0)) / 2


def star(seed: int, n: int) -> np.ndarray:
    """A polygon around the origin, with corners at random distances."""
    rng = np.random.default_rng(seed)
    angles = np.sort(rng.uniform(0, 2 * np.pi, n))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) * rng.uniform(0.2, 1.0, (n, 1))


@pytest.mark.parametrize("seed", range(12))
def test_parts_are_convex_and_their_areas_add_up(seed: int) -> None:
    n = 5 + seed
    polygon = star(seed, n)[:: (-1) ** seed]
    parts = convex_parts(polygon)
    for part in parts:
        assert np.array_equal(convex_polygon(part), part)  # refuses what is not convex, and turns what is not counter-clockwise
    assert sum(area(part) for part in parts) == abs(area(polygon))
    assert {tuple(p) for part in parts for p in part} == {tuple(p) for p in polygon}
    assert len(parts) <= n - 2


def test_a_convex_polygon_is_one_part() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    (part,) = convex_parts(square)
    assert {tuple(p) for p in part} == {tuple(p) for p in square}


def test_cells_over_the_parts_are_those_over_a_box_around_them() -> None:
    network = plica.random_network([2, 10, 8, 1], seed=3)
    window = [[-1, -1], [1, -1], [1, 1], [0.1, -0.3], [-1, 1]]
    planes = Plane.parts([0, 0], [[1, 0], [0, 1]], window=window)
    found = list(decompose_many(network, planes))
    assert len(found) > 1
    total = sum(cx.sizes().sum() for cx in found)
    assert total == pytest.approx(float(area(np.array(window))), rel=1e-12)
    around = decompose(network, plica.Box([-1, -1], [1, 1]))
    known = {b"".join(p.tobytes() for p in around.pattern(c)) for c in range(around.n_cells)}
    patterns = {b"".join(p.tobytes() for p in cx.pattern(c)) for cx in found for c in range(cx.n_cells)}
    assert patterns <= known
    inside = [around.center(c) for c in range(around.n_cells)]
    assert len(patterns) >= sum(abs(x) > 0 and y < -0.9 for x, y in inside) > 0


@pytest.mark.parametrize(
    ("polygon", "message"),
    [
        ([[0, 0], [1, 1], [1, 0], [0, 1]], "touch or cross"),
        ([[0, 0], [1, 0], [2, 0], [1, 1]], "on one line"),
        ([[0, 0], [1, 0]], "three corners"),
        ([[0, 0], [1, 0], [np.nan, 1]], "NaN"),
        ([[0, 0], [4, 0], [4, 3], [2, 0], [0, 3]], "touch or cross"),
    ],
)
def test_polygons_that_are_none_are_refused(polygon: list, message: str) -> None:
    with pytest.raises(InvalidDomain, match=message):
        convex_parts(polygon)


def test_a_window_that_is_not_convex_is_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidDomain) as refused:
        Plane([0, 0], [[1, 0], [0, 1]], window=[[0, 0], [2, 0], [0.5, 0.5], [0, 2]])
    assert "plica.Plane.parts" in refused.value.hint
