"""Domains: what they refuse, and that their charts are exact."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.errors import InvalidDomain, InvalidInput
from plica.geometry import Box, Path, Plane, Segment, decompose
from plica.testing import chain

NETWORK = chain([np.eye(2), np.ones((1, 2))], [np.zeros(2), np.zeros(1)])
NAN = float("nan")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Segment([0, 0], [0, 0]), "two different points"),
        (lambda: Segment([0, 0], [0, 0, 1]), "different sizes"),
        (lambda: Segment([0, NAN], [1, 1]), "NaN or infinity"),
        (lambda: Segment([], []), "empty"),
        (lambda: Segment("a", "b"), "not an array of numbers"),
        (lambda: Path([[0, 0]]), "at least two points"),
        (lambda: Path([[0, 0], [1, 1], [1, 1]]), "points 1 and 2 of the path are equal"),
        (lambda: Path([[0, 0], [1, 1, 1]]), "different sizes"),
        (lambda: Plane([0, 0, 0], [[1, 0, 0]]), "two directions, got 1"),
        (lambda: Plane([0, 0, 0], [[1, 2, 3], [2, 4, 6]]), "parallel"),
        (lambda: Plane([0, 0, 0], [[0, 0, 0], [2, 4, 6]]), "parallel"),
        (lambda: Plane([0, 0], [[1, 0], [0, 1]], window=[[0, 0], [1, 0]]), "at least three corners"),
        (lambda: Plane([0, 0], [[1, 0], [0, 1]], window=[[0, 0], [1, 0], [NAN, 1]]), "NaN or infinity"),
        (lambda: Plane([0, 0], [[1, 0], [0, 1]], window=[[0, 0], [1, 0], [2, 0]]), "not a convex polygon"),
        (lambda: Plane([0, 0], [[1, 0], [0, 1]], window=[[0, 0], [2, 0], [0.5, 0.5], [0, 2]]), "not a convex polygon"),
        (lambda: Plane.through([0, 0], [1, 1], [2, 2]), "parallel"),
        (lambda: Plane.through([0, 0], [1, 0], [0, 1], margin=-1), "margin"),
        (lambda: Plane.through([0, 0], [1, 0], [0, 1], margin=float("inf")), "margin"),
        (lambda: Plane.box([0, 0], [1, 0], [0, 1], low=(0, 0, 0)), "two numbers each"),
        (lambda: Box([0, 0], [1, -1]), "low <= high"),
        (lambda: Box([0, 2], [0, 2]), "single point"),
        (lambda: Box([0], [1, 1]), "different sizes"),
        (lambda: Box([0, float("inf")], [1, 1]), "NaN or infinity"),
    ],
)
def test_a_domain_that_cannot_be_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidDomain, match=message):
        make()


def test_a_star_that_winds_twice_is_not_convex() -> None:
    angles = 2 * np.pi * np.arange(5) * 2 / 5
    with pytest.raises(InvalidDomain, match="not a convex polygon"):
        Plane([0, 0], np.eye(2), window=np.stack([np.cos(angles), np.sin(angles)], axis=1))


def test_a_clockwise_window_is_turned_around() -> None:
    plane = Plane([0, 0], np.eye(2), window=[[0, 0], [0, 1], [1, 0]])
    assert plane.exact_size() == Fraction(1, 2)
    assert decompose(NETWORK, plane).n_cells == 1


def test_a_domain_of_the_wrong_dimension_is_refused_with_a_hint() -> None:
    with pytest.raises(InvalidDomain, match="takes 2 inputs, the domain lies in R\\^3") as caught:
        decompose(NETWORK, Segment([0, 0, 0], [1, 1, 1]))
    assert "Plane.through" in caught.value.hint


def test_other_objects_are_not_networks_or_domains() -> None:
    with pytest.raises(InvalidInput, match="expected a plica Network, got list"):
        decompose([], Box([0, 0], [1, 1]))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="expected a domain, got tuple"):
        decompose(NETWORK, (0, 1))  # type: ignore[arg-type]


def test_a_plane_through_points_really_goes_through_them() -> None:
    points = np.array([[0.1, 0.2, 0.3], [1e10, 0.7, -0.9], [0.4, 1e-10, 0.5]])
    plane = Plane.through(*points)
    columns = np.array(plane.chart.columns.fractions(), dtype=object).reshape(3, 3)
    for corner, point in zip(plane.window, points, strict=True):
        image = [sum(Fraction(float(u)) * c for u, c in zip((*corner, 1), column, strict=True)) for column in columns.T]
        assert image == [Fraction(float(x)) for x in point]


def test_a_margin_makes_a_square_around_the_points() -> None:
    plane = Plane.through([0, 0], [1, 0], [0, 1], margin=0.5)
    assert plane.window.tolist() == [[-0.5, -0.5], [1.5, -0.5], [1.5, 1.5], [-0.5, 1.5]]
    assert plane.size == 4.0


def test_sizes_and_images() -> None:
    assert Box([-1], [2]).size == 3.0
    assert Segment([0, 0], [3, 4]).size == 1.0
    path = Path([[0, 0], [1, 0], [1, 2]])
    assert (path.size, path.n_inputs) == (2.0, 2)
    assert path.to_input([0.5, 1.5, 2.0]).tolist() == [[0.5, 0.0], [1.0, 1.0], [1.0, 2.0]]
    plane = Plane.box([1, 1, 1], [1, 0, 0], [0, 2, 0])
    assert plane.to_input([[-1, 1]]).tolist() == [[0.0, 3.0, 1.0]]
    assert [repr(d) for d in (plane, path, Box([0], [1]))] == [
        "<Plane of dimension 2 in R^3>",
        "<Path of 2 segments in R^2>",
        "<Box of dimension 1 in R^1>",
    ]


def test_images_of_domains_in_pictures_may_have_any_shape() -> None:
    a, b = np.zeros((1, 2, 2)), np.ones((1, 2, 2))
    assert Segment(a, b).n_inputs == 4
