"""The space engine against the published counts of cells on [-1, 1]^n."""

from __future__ import annotations

import pytest
from space_cases import euler, known

from plica.geometry import Box, count_regions, decompose

QUICK = [
    (3, "def", 16, 756),
    (3, "he", 16, 1526),
    (3, "def", 32, 6752),
    (3, "he", 32, 15705),
    (4, "def", 16, 7387),
    (4, "he", 16, 10211),
]
SLOW = [(4, "def", 32, 85991), (4, "he", 32, 230736)]


def check(dimension: int, kind: str, width: int, n_cells: int) -> None:
    cx = decompose(known(dimension, kind, width), Box([-1.0] * dimension, [1.0] * dimension))
    assert cx.n_cells == n_cells
    assert euler(cx) == 1
    assert cx.sizes().sum() == pytest.approx(2.0**dimension, rel=1e-9)
    assert (cx.sizes() > 0).all()


@pytest.mark.parametrize(("dimension", "kind", "width", "n_cells"), QUICK)
def test_the_number_of_cells_is_the_published_one(dimension: int, kind: str, width: int, n_cells: int) -> None:
    check(dimension, kind, width, n_cells)


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "kind", "width", "n_cells"), SLOW)
def test_the_number_of_cells_of_a_large_network_is_the_published_one(dimension: int, kind: str, width: int, n_cells: int) -> None:
    check(dimension, kind, width, n_cells)


def test_vertices_and_edges_are_as_many_as_published() -> None:
    faces = {kind: decompose(known(3, kind, 16), Box([-1.0] * 3, [1.0] * 3)).n_faces for kind in ("def", "he")}
    assert faces["def"][:2] == (1082, 2889)
    assert faces["he"][:2] == (1901, 5298)


def test_counting_agrees_with_decomposing() -> None:
    net, box = known(3, "he", 16), Box([-1.0] * 3, [1.0] * 3)
    count, cx = count_regions(net, box), decompose(net, box)
    assert (count.n_cells, count.n_regions) == (cx.n_cells, cx.n_regions)
