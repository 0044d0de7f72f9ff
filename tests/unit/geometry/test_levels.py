"""Level sets and decision boundaries in the plane and on lines."""

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import Box, Path, Segment, decompose
from plica.testing import chain, draw_network

BOX = Box([-1, -1], [1, 1])
NORM = chain([np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]]), np.ones((1, 4))], [np.zeros(4), np.zeros(1)])  # |x| + |y|


def lengths(segments: np.ndarray) -> float:  # type: ignore[type-arg]
    return float(np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1).sum())


def test_the_level_sets_of_a_norm_are_its_spheres() -> None:
    cx = decompose(NORM, BOX)
    for radius in (0.25, 0.5, 0.75):
        segments = cx.level_set(radius)
        assert len(segments) == 4
        assert lengths(segments) == pytest.approx(4 * np.sqrt(2) * radius)
        np.testing.assert_allclose(np.abs(segments).sum(-1), radius)
    assert len(cx.level_set(0.0)) == 0  # nothing is less than zero: the level is a point, not a border
    assert len(cx.level_set(-1.0)) == 0
    assert len(cx.level_set(2.0)) == 0


def test_a_level_that_the_output_keeps_on_a_whole_cell_ends_where_the_output_rises() -> None:
    ramp = chain([np.array([[1.0, 0.0]]), np.ones((1, 1))], [np.zeros(1), np.zeros(1)])
    segments = decompose(ramp, BOX).level_set(0.0)
    assert sorted(segments.reshape(-1, 2).tolist()) == [[0.0, -1.0], [0.0, 1.0]]


def test_the_decision_of_one_output_is_its_sign() -> None:
    shifted = chain([NORM.nodes[1].op.arrays()["weight"], np.ones((1, 4))], [np.zeros(4), np.array([-0.5])])
    cx = decompose(shifted, BOX)
    assert np.array_equal(cx.decision_boundary(), cx.level_set(0.0))
    line = decompose(shifted, Segment([-1.0, 0.0], [1.0, 0.0]))
    assert line.decision_boundary().tolist() == [0.25, 0.75] == line.level_set().tolist()


def test_three_classes_meet_in_a_point() -> None:
    # scores of three directions: the boundary is a star of three rays from the origin
    angles = 2 * np.pi * np.arange(3) / 3 + 0.1
    network = chain([np.stack([np.cos(angles), np.sin(angles)], axis=1)], [np.zeros(3)])
    segments = decompose(network, BOX).decision_boundary()
    assert len(segments) == 3
    at_center = np.abs(segments).max(-1).min(1)
    np.testing.assert_allclose(at_center, 0.0, atol=1e-12)
    two = decompose(network, BOX).decision_boundary([0, 1])
    assert lengths(two) > 2.0  # a whole line


def test_decisions_along_lines_and_paths() -> None:
    network = chain([np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]])], [np.array([0.0, 0.0, 0.5])])
    assert decompose(network, Segment([-1.0, 0.0], [1.0, 0.0])).decision_boundary().tolist() == [0.25, 0.75]
    path = decompose(network, Path([[-1, 0], [0, 0], [1, 0]]))
    assert path.decision_boundary().tolist() == [0.5, 1.5]
    assert path.level_set(0.75, output=0).tolist() == [1.75]


@pytest.mark.parametrize("family", ["gaussian", "hard-tanh", "maxout", "all layers x 1e-150", "all layers x 1e150"])
def test_a_level_set_along_a_line_is_where_the_plane_has_it(family: str) -> None:
    for seed in range(4):
        network = draw_network(family, seed=seed)
        cx, line = decompose(network, BOX), decompose(network, Segment([-1.0, -0.3], [1.0, 0.4]))
        a, d = np.array([-1.0, -0.3]), np.array([2.0, 0.7])
        found = []
        for p, q in cx.level_set(0.0):
            side = [d[0] * (x[1] - a[1]) - d[1] * (x[0] - a[0]) for x in (p, q)]
            if side[0] * side[1] < 0:
                x = p + (q - p) * side[0] / (side[0] - side[1])
                found.append((x[0] - a[0]) / d[0])
        np.testing.assert_allclose(sorted(found), line.level_set(0.0), atol=1e-7)


def test_wrong_questions_are_refused() -> None:
    network = chain([np.ones((2, 2))], [np.zeros(2)])
    for cx in (decompose(network, BOX), decompose(network, Segment([0.0, 0.0], [1.0, 1.0]))):
        with pytest.raises(InvalidInput, match="there is no output 2"):
            cx.level_set(0.0, output=2)
        with pytest.raises(InvalidInput, match="must be a finite number"):
            cx.level_set(float("nan"))
        with pytest.raises(InvalidInput, match="at least two outputs"):
            cx.decision_boundary([1, 1])
        with pytest.raises(InvalidInput, match="there is no output 5"):
            cx.decision_boundary([0, 5])
