"""Which cell a point is in: in parameters or in the input space, exactly, on folds too."""

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import Box, Path, Plane, Segment, decompose
from plica.network import Clip, Linear, Max, Network, Rectifier
from plica.testing import chain

CROSS = chain([np.eye(2), np.ones((1, 2))], [np.zeros(2), np.zeros(1)])
BOX = Box([-1, -1], [1, 1])


def test_on_a_fold_the_lowest_of_the_cells_that_meet_there() -> None:
    cx = decompose(CROSS, BOX)
    assert cx.cell_at([0.0, 0.0]) == 0
    for cell in cx.cells:
        assert cx.cell_at(cell.center) == cell.index
        assert cx.cell_at([0.0, cell.center[1]]) <= cell.index


def test_a_point_one_bit_beside_a_fold_is_beside_it() -> None:
    network = chain([np.array([[1.0, 0.0]]), np.ones((1, 1))], [np.array([-0.3]), np.zeros(1)])
    cx = decompose(network, BOX)
    left, right = cx.cell_at([np.nextafter(0.3, 0), 0.1]), cx.cell_at([np.nextafter(0.3, 1), 0.1])
    assert [cx.pattern(c)[0].tolist() for c in (left, right)] == [[0], [1]]


@pytest.mark.parametrize("point", [[1.5, 0.0], [0.0, -1.1], [1e9, 1e9]])
def test_points_outside_the_domain_are_refused(point: list[float]) -> None:
    with pytest.raises(InvalidInput, match="outside the domain"):
        decompose(CROSS, BOX).cell_at(point)


def test_points_outside_a_tiny_domain_are_refused_too() -> None:
    box = Box([0.25, 0.25], [0.25 + 2.0**-40, 0.25 + 2.0**-40])
    cx = decompose(CROSS, box)
    assert cx.cell_at([0.25, 0.25 + 2.0**-41]) == 0
    with pytest.raises(InvalidInput, match="outside the domain"):
        cx.cell_at([0.25, 0.25 + 2.0**-30])


def test_points_of_a_slice_are_given_in_the_input_space_or_in_parameters() -> None:
    network = chain([np.eye(3), np.ones((1, 3))], [np.zeros(3), np.zeros(1)])
    cx = decompose(network, Plane([0, 0, 1], [[1, 0, 0], [0, 1, 0]], window=[[-1, -1], [1, -1], [1, 1], [-1, 1]]))
    assert cx.cell_at([0.5, -0.5, 1.0]) == cx.cell_at([0.5, -0.5])
    with pytest.raises(InvalidInput, match="in a fixed coordinate"):
        cx.cell_at([0.5, -0.5, 2.0])
    skew = decompose(network, Plane([0, 0, 1], [[1, 0, 1], [0, 1, 0]], window=[[-1, -1], [1, -1], [1, 1], [-1, 1]]))
    assert skew.cell_at([0.5, -0.5, 1.5]) == skew.cell_at([0.5, -0.5])
    with pytest.raises(InvalidInput, match=r"at distance 0\.707 from the slice"):
        skew.cell_at([0.5, -0.5, 2.5])
    with pytest.raises(InvalidInput, match="has 4 coordinates"):
        cx.cell_at([0, 0, 0, 0])
    with pytest.raises(InvalidInput, match="NaN"):
        cx.cell_at([0, float("nan")])


def test_points_of_a_segment_and_of_a_path() -> None:
    line = decompose(CROSS, Segment([-1.0, -1.0], [1.0, 3.0]))
    assert line.cell_at([0.1]) == 0 == line.cell_at([-0.8, -0.6])
    assert line.cell_at([1.0, 3.0]) == line.n_cells - 1
    path = decompose(CROSS, Path([[-1, 1], [1, 1], [1, -1]]))
    assert [path.cell_at([t]) for t in (0.2, 0.7, 1.2, 1.7, 2.0)] == [0, 1, 2, 3, 3]
    with pytest.raises(InvalidInput, match="given by its parameter"):
        path.cell_at([0.0, 1.0])


def test_clips_and_maxima_are_located_too() -> None:
    clip = Network.sequential(2, [Linear(2 * np.eye(2)), Clip(-1.0, 1.0), Linear(np.ones((1, 2)))])
    winner = Network.sequential(
        2, [Linear(np.array([[1.0, 0], [0, 1.0], [-1.0, -1.0]])), Max(np.array([[0, 1, 2]])), Rectifier()]
    )
    for network in (clip, winner):
        cx = decompose(network, BOX)
        for cell in cx.cells:
            assert cx.cell_at(cell.center) == cell.index
        for x in np.random.default_rng(0).uniform(-1, 1, (30, 2)):
            assert all(np.array_equal(p, q) for p, q in zip(cx.pattern(cx.cell_at(x)), network.pattern(x), strict=True))
        assert cx.cell_at([0.5, 0.5]) >= 0  # on a threshold of the clip, on a tie of the maximum
