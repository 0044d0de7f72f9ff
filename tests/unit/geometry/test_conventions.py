"""The conventions that decide ties: what is inactive, who wins, what is saturated."""

import numpy as np
import pytest

from plica.geometry import Box, Plane, Segment, decompose
from plica.network import Clip, Linear, Max, Network, Rectifier
from plica.testing import Case, chain, check_reference

BOX = Box([-1, -1], [1, 1])
LINE = Segment([-1.0, -1.0], [1.0, -1.0])
ZERO = np.zeros


def states(network: Network, domain: Box | Segment) -> list[list[list[int]]]:
    return [[part.reshape(-1).tolist() for part in cell.pattern] for cell in decompose(network, domain).cells]


@pytest.mark.parametrize("domain", [BOX, LINE])
def test_a_neuron_that_is_zero_everywhere_is_inactive_and_makes_no_fold(domain: Box | Segment) -> None:
    network = chain([ZERO((1, 2)), np.ones((1, 1))], [ZERO(1), ZERO(1)])
    assert states(network, domain) == [[[0]]]


@pytest.mark.parametrize("domain", [BOX, LINE])
def test_a_neuron_that_is_zero_on_a_whole_cell_is_inactive_there(domain: Box | Segment) -> None:
    # relu(x), then relu(relu(x)): zero for x < 0, and its fold is the first one again
    network = chain([np.array([[1.0, 0.0]]), np.ones((1, 1)), np.ones((1, 1))], [ZERO(1), ZERO(1), ZERO(1)])
    assert sorted(states(network, domain)) == [[[0], [0]], [[1], [1]]]


@pytest.mark.parametrize("bias", [-1.0, 1.0])
def test_a_fold_along_the_border_or_through_a_corner_cuts_nothing(bias: float) -> None:
    along = chain([np.array([[1.0, 0.0]]), np.ones((1, 1))], [np.array([bias]), ZERO(1)])
    corner = chain([np.array([[1.0, 1.0]]), np.ones((1, 1))], [np.array([2 * bias]), ZERO(1)])
    expected = [[[int(bias > 0)]]]
    assert states(along, BOX) == expected
    assert states(corner, BOX) == expected


@pytest.mark.parametrize(("end", "n_pieces"), [(0.0, 1), (0.25, 2)])
def test_a_fold_at_the_end_of_a_segment_makes_no_piece(end: float, n_pieces: int) -> None:
    network = chain([np.array([[1.0]]), np.ones((1, 1))], [ZERO(1), ZERO(1)])
    assert decompose(network, Segment([-1.0], [end])).n_cells == n_pieces
    assert decompose(network, Segment([end], [-1.0])).n_cells == n_pieces


def test_on_a_fold_the_whole_segment_is_inactive() -> None:
    network = chain([np.array([[1.0, 0.0], [0.0, 1.0]]), np.ones((1, 2))], [ZERO(2), ZERO(1)])
    assert states(network, Segment([0.0, -1.0], [0.0, 1.0])) == [[[0, 0]], [[0, 1]]]


@pytest.mark.parametrize("domain", [BOX, LINE])
def test_a_tie_is_won_by_the_lowest_member(domain: Box | Segment) -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [-1.0, 0.0]])
    network = Network.sequential(2, [Linear(rows), Max(np.array([[1, 0, 3, 2]])), Linear(np.ones((1, 1)))])
    # states are positions in the group: rows 1 and 0 tie for x > 0, rows 3 and 2 for x < 0
    assert sorted(states(network, domain)) == [[[0]], [[2]]]


def test_a_maximum_of_equal_members_makes_no_fold() -> None:
    network = Network.sequential(2, [Linear(np.ones((3, 2))), Max(np.array([[0, 1, 2]])), Linear(np.ones((1, 1)))])
    assert states(network, BOX) == [[[0]]]


def test_a_comparison_of_losers_makes_no_fold() -> None:
    # |x| - 10 against y and -y: the comparison of y with -y never matters, member 0 always wins
    rows, bias = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), np.array([10.0, 0.0, 0.0])
    network = Network.sequential(2, [Linear(rows, bias), Max(np.array([[1, 2, 0]])), Linear(np.ones((1, 1)))])
    cx = decompose(network, BOX)
    assert (cx.n_cells, cx.n_vertices) == (1, 4)
    assert decompose(network, Segment([-1.0, -1.0], [1.0, 1.0])).n_cells == 1


@pytest.mark.parametrize("domain", [BOX, LINE])
def test_the_corners_of_hard_tanh_are_saturated(domain: Box | Segment) -> None:
    def clipped(weight: float, bias: float) -> Network:
        return Network.sequential(
            2, [Linear(np.array([[weight, 0.0]]), np.array([bias])), Clip(-1.0, 1.0), Linear(np.ones((1, 1)))]
        )

    assert states(clipped(0.0, 1.0), domain) == [[[2]]]  # constant at the upper corner
    assert states(clipped(0.0, -1.0), domain) == [[[0]]]
    assert states(clipped(0.0, 0.0), domain) == [[[1]]]
    assert sorted(states(clipped(2.0, 0.0), domain)) == [[[0]], [[1]], [[2]]]


def test_leaky_relu_cuts_where_relu_does() -> None:
    weights, biases = [np.array([[1.0, 2.0], [-1.0, 0.5]]), np.ones((1, 2))], [np.array([0.25, 0.5]), ZERO(1)]
    relu = decompose(chain(weights, biases), BOX)
    for slope in (0.5, -1.0, 3.0):
        other = decompose(chain(weights, biases, fold=lambda _, s=slope: Rectifier(np.array(s))), BOX)  # type: ignore[misc]
        assert other.n_cells == relu.n_cells
        assert np.array_equal(other.vertices, relu.vertices)


def test_leaky_relu_with_slope_one_has_cells_and_one_region() -> None:
    network = chain([np.eye(2), np.ones((1, 2))], [ZERO(2), ZERO(1)], fold=lambda _: Rectifier(np.array(1.0)))
    cx = decompose(network, BOX)
    assert (cx.n_cells, cx.n_regions) == (4, 1)
    line = decompose(network, Segment([-1.0, -0.5], [1.0, 1.0]))
    assert (line.n_cells, line.n_regions) == (3, 1)


def test_the_absolute_value_of_zero_makes_no_fold() -> None:
    network = chain(
        [np.array([[0.0, 0.0], [1.0, 0.0]]), np.ones((1, 2))], [ZERO(2), ZERO(1)], fold=lambda _: Rectifier(np.array(-1.0))
    )
    assert sorted(states(network, BOX)) == [[[0, 0]], [[0, 1]]]


def test_cells_are_not_regions() -> None:
    # relu(x) and relu(-x) with opposite signs add up to x: the fold is there, the map is one
    network = chain([np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[1.0, -1.0]])], [ZERO(2), ZERO(1)])
    cx = decompose(network, BOX)
    assert (cx.n_cells, cx.n_regions) == (2, 1)
    assert cx.regions.tolist() == [0, 0]


def test_decimal_weights_have_true_slivers() -> None:
    # 0.1 + 0.2 is not 0.3: three folds that should meet in a point make a cell of area 1e-33
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    network = chain([rows, np.ones((1, 3))], [np.array([-0.1, -0.2, 0.3]) * np.array([1, 1, -1]), ZERO(1)])
    cx = decompose(network, BOX)
    assert (cx.n_cells, cx.n_slivers) == (7, 1)
    check_reference(Case(network, BOX))
    exact = chain([rows, np.ones((1, 3))], [-np.array([0.125, 0.25, 0.375]), ZERO(1)])
    assert (decompose(exact, BOX).n_cells, decompose(exact, BOX).n_slivers) == (6, 0)


def test_a_network_without_folds_is_one_cell_with_its_map() -> None:
    network = chain([np.array([[2.0, 3.0]])], [np.array([4.0])])
    cx = decompose(network, BOX)
    A, c = cx.cells[0].affine_map
    assert (cx.n_cells, cx.n_regions, A.tolist(), c.tolist()) == (1, 1, [[2.0, 3.0]], [4.0])
    assert cx.cells[0].pattern == ()
    assert decompose(network, LINE).n_cells == 1


def test_many_folds_through_one_point_make_a_pencil() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0], [2.0, 1.0]])
    cx = decompose(chain([rows, np.ones((1, 5))], [ZERO(5), ZERO(1)]), BOX)
    assert cx.n_cells == 10
    assert cx.n_vertices == 4 + 6 + 1  # corners, where two folds end; the ends of three on the sides; the center


def test_a_duplicated_neuron_adds_no_cell() -> None:
    rows = np.array([[1.0, 0.5], [1.0, 0.5], [-2.0, -1.0]])
    network = chain([rows, np.ones((1, 3))], [np.array([0.25, 0.25, -0.5]), ZERO(1)])
    assert decompose(network, BOX).n_cells == 2
    assert decompose(network, Plane([0, 0], [[0.3, 0.1], [0.1, 0.7]])).n_cells in (1, 2)


@pytest.mark.parametrize("exponent", [-20, 20, 498, -498])
def test_magnitude_does_not_matter(exponent: int) -> None:
    rng = np.random.default_rng(4)
    weights = [rng.normal(size=(5, 2)), rng.normal(size=(4, 5)), np.ones((1, 4))]
    biases = [rng.normal(size=5), rng.normal(size=4), ZERO(1)]
    plain = decompose(chain(weights, biases), BOX)
    # every layer times 2**exponent, about 1e150 or 1e-150 at the ends; this is exact
    power = 2.0**exponent
    scaled = chain([power * w for w in weights], [power * biases[0], power**2 * biases[1], ZERO(1)])
    other = decompose(scaled, BOX)
    assert (other.n_cells, other.n_regions) == (plain.n_cells, plain.n_regions)
    assert np.array_equal(other.vertices, plain.vertices)
