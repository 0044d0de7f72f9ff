"""Cells near a point and along a path, against the whole complex."""

import numpy as np
import pytest

import plica
from plica.errors import InvalidDomain, InvalidInput
from plica.geometry import Box, cells_along, cells_near, decompose


def keys(cx, cells) -> set[bytes]:
    return {b"".join(p.tobytes() for p in cx.pattern(int(c))) for c in cells}


@pytest.mark.parametrize("seed", range(3))
def test_cells_near_a_point_are_those_that_meet_the_ball(seed: int) -> None:
    network = plica.random_network([2, 12, 10, 1], seed=seed)
    center, radius = [0.1, -0.2], 0.3
    near = cells_near(network, center, radius, norm=2)
    whole = decompose(network, Box([-1, -1], [1, 1]))
    # every cell that a fine sample of the disk meets, and none that is farther from it than its vertices and edges say
    angles, radii = np.meshgrid(np.linspace(0, 2 * np.pi, 60), np.linspace(0, radius * (1 - 1e-9), 12))
    samples = np.stack([center[0] + radii * np.cos(angles), center[1] + radii * np.sin(angles)], axis=-1).reshape(-1, 2)
    met = keys(whole, {whole.cell_at(x) for x in samples})
    found = keys(near.complex, near.numbers)
    assert met <= found <= keys(whole, range(whole.n_cells))
    square = cells_near(network, center, radius)
    assert found <= keys(square.complex, square.numbers)
    assert len(square) == square.complex.n_cells
    for i in range(len(near)):
        corners = near.complex.points[near[i].vertices]
        ends = np.concatenate([corners, (corners + np.roll(corners, -1, axis=0)) / 2])
        reach = np.linalg.norm(ends - center, axis=1).min() - np.linalg.norm(np.diff(corners, axis=0), axis=1).max()
        assert reach <= radius


def test_a_cell_that_touches_the_disk_in_one_point_is_near() -> None:
    from plica.network import Linear, Network, Rectifier

    network = Network.sequential(2, [Linear(np.array([[1.0, 0.0]]), np.array([-0.5])), Rectifier()])  # folds at x = 1/2
    assert len(cells_near(network, [0.0, 0.0], 0.5, norm=2)) == 1  # of the box: it ends at the fold
    assert len(cells_near(network, [0.0, 0.0], np.nextafter(0.5, 1), norm=2)) == 2
    corner = Network.sequential(2, [Linear(np.array([[1.0, 1.0]]), np.array([-1.0])), Rectifier()])  # a corner of the box beyond
    assert len(cells_near(corner, [0.0, 0.0], 0.6)) == 2
    assert len(cells_near(corner, [0.0, 0.0], 0.6, norm=2)) == 1


def test_balls_in_three_dimensions_are_boxes() -> None:
    network = plica.random_network([3, 8, 1], seed=0)
    assert len(cells_near(network, [0, 0, 0], 0.5)) == decompose(network, Box([-0.5] * 3, [0.5] * 3)).n_cells


def test_cells_along_a_path_are_told_once_in_order() -> None:
    network = plica.random_network([2, 12, 10, 1], seed=1)
    points = [[-1.0, -0.5], [0.9, 0.3], [-1.0, -0.5], [0.0, 1.0]]
    along = cells_along(network, points)
    whole = decompose(network, Box([-1, -1], [1, 1]))
    cx = along.complex
    assert sum(map(len, along.pieces)) == cx.n_cells > len(along)
    assert [int(p[0]) for p in along.pieces] == sorted(int(p[0]) for p in along.pieces)
    expected = [whole.cell_at(cx.domain.to_input(cx.center(i))[0]) for i in range(cx.n_cells)]
    assert keys(cx, range(cx.n_cells)) == keys(whole, expected)
    assert len(along) == len(set(expected))


def test_odd_questions_are_refused() -> None:
    network = plica.random_network([3, 4, 1], seed=0)
    for radius in (0.0, -1.0, np.inf):
        with pytest.raises(InvalidDomain, match="radius"):
            cells_near(network, [0, 0, 0], radius)
    with pytest.raises(InvalidInput, match="norm"):
        cells_near(network, [0, 0, 0], 1.0, norm=2)
    with pytest.raises(InvalidDomain):
        cells_near(network, [0, np.nan, 0], 1.0)
    with pytest.raises(InvalidDomain, match="3 inputs"):
        cells_near(network, [0, 0], 1.0)
