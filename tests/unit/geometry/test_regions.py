"""From cells to regions: what one unit's change does to the output."""

import numpy as np
import pytest

from plica.geometry import Box, Segment, decompose
from plica.geometry.regions._jumps import UNPROVED, has_breakpoint, reaches_output
from plica.geometry.regions._regions import unite
from plica.network import Builder, Clip, Concat, Linear, Max, Network, Rectifier
from plica.testing import Case, chain, check_reference, check_regions

BOX = Box([-1, -1], [1, 1])


def test_labels_are_numbered_by_their_first_member() -> None:
    assert unite(3, np.empty((0, 2), int)).tolist() == [0, 1, 2]
    assert unite(5, np.array([[4, 1], [3, 0]])).tolist() == [0, 1, 2, 0, 1]
    assert unite(4, np.array([[0, 1], [1, 2], [2, 3]])).tolist() == [0, 0, 0, 0]


def test_a_fold_whose_unit_is_not_read_changes_nothing() -> None:
    network = chain([np.eye(2), np.array([[1.0, 0.0]])], [np.zeros(2), np.zeros(1)])
    cx = decompose(network, BOX)
    assert (cx.n_cells, cx.n_regions) == (4, 2)


def test_a_fold_behind_a_silent_layer_changes_nothing() -> None:
    # the second layer is off where x + y < 1: the folds of the first end there
    network = chain([np.eye(2), np.ones((1, 2)), np.ones((1, 1))], [np.zeros(2), np.array([-1.0]), np.zeros(1)])
    case = Case(network, BOX)
    assert (case.complex.n_cells, case.complex.n_regions) == (5, 2)
    check_regions(case)


def test_equal_maps_that_do_not_touch_are_two_regions() -> None:
    hat = chain([np.array([[1.0, 0.0]] * 3), np.array([[1.0, -2.0, 1.0]])], [np.array([0.5, 0.0, -0.5]), np.zeros(1)])
    cx = decompose(hat, BOX)
    assert (cx.n_cells, cx.n_regions) == (4, 4)
    assert decompose(hat, Segment([-1.0, 0.0], [1.0, 0.0])).n_regions == 4


def test_changes_that_cancel_exactly_are_one_map_and_almost_are_two() -> None:
    rows = np.array([[0.1, 0.7], [0.1, 0.7]])
    exact = chain([rows, np.array([[0.3, -0.3]])], [np.full(2, 0.05), np.zeros(1)])
    almost = chain([rows, np.array([[0.3, -np.nextafter(0.3, 1)]])], [np.full(2, 0.05), np.zeros(1)])
    for network, n_regions in ((exact, 1), (almost, 2)):
        assert decompose(network, BOX).n_regions == n_regions
        assert decompose(network, Segment([-1.0, -1.0], [1.0, 1.0])).n_regions == n_regions
        check_reference(Case(network, BOX))


@pytest.mark.parametrize("scale", [1e-200, 5e-324])
def test_a_change_too_small_for_products_is_a_change(scale: float) -> None:
    network = chain([np.eye(2), scale * np.ones((1, 2))], [np.zeros(2), np.ones(1)])
    assert decompose(network, BOX).n_regions == 4
    deep = chain([np.eye(2), scale * np.eye(2), scale * np.ones((1, 2))], [np.zeros(2), np.zeros(2), np.ones(1)])
    assert decompose(deep, BOX).n_regions == 4


def graph() -> Network:
    builder = Builder(2)
    x = builder.add(Rectifier())
    y = builder.add(Clip(0.0, 1.0), x)
    z = builder.add(Max(np.array([[0, 1]])), y)
    builder.add(Concat(0), x, z)
    builder.add(Linear(np.array([[0.0, 0.0, 1.0]])))
    return builder.build()


def test_what_leaves_a_unit_is_followed_through_every_fold() -> None:
    network = graph()
    on, off = np.ones(2, np.int8), np.zeros(2, np.int8)
    first = np.zeros((3, 1), np.int8)
    # in row 1 the maximum takes the other member, in row 2 the clip is saturated
    states = [np.stack([on, on, on]), np.stack([on, on, off]), first]
    assert reaches_output(network, 0, np.array([0, 1, 0]), states).tolist() == [1, 0, 0]
    assert reaches_output(network, 2, np.array([0]), [s[:1] for s in states]).tolist() == [1]
    check_regions(Case(network, BOX))


def test_what_cannot_be_proved_in_floats_is_left_open() -> None:
    cancel = chain(
        [np.eye(2), np.array([[0.1, 0.1], [0.1, 0.1]]), np.array([[0.7, -0.7]])], [np.zeros(2), np.ones(2), np.zeros(1)]
    )
    on = np.ones((1, 2), np.int8)
    assert reaches_output(cancel, 0, np.array([0]), [on, on]).tolist() == [UNPROVED]
    assert decompose(cancel, BOX).n_regions == 1


def test_only_slope_one_does_not_bend() -> None:
    network = Network.sequential(2, [Rectifier(np.array([1.0, 0.5])), Clip(0.0, 1.0)])
    assert [has_breakpoint(network, 0, np.array([0, 1])).tolist(), has_breakpoint(network, 1, np.array([0])).tolist()] == [
        [False, True],
        [True],
    ]
