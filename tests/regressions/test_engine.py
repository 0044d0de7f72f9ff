"""Networks that an engine once got wrong, as small as they could be made. Each is compared with the rational reference."""

import numpy as np
import pytest

from plica.geometry import Box, Plane, Segment, decompose
from plica.network import Add, Builder, Clip, Linear, Network, Pad, Rectifier, Scale
from plica.testing import (
    Case,
    chain,
    check_completeness,
    check_engine,
    check_level_set,
    check_line,
    check_outputs,
    check_reference,
    check_regions,
    draw_case,
    draw_network,
)

BOX = Box([-1, -1], [1, 1])


def assert_right(network: Network) -> Case:
    case = Case(network, BOX)
    for check in (check_reference, check_outputs, check_regions, check_completeness, check_level_set):
        check(case)
    return case


@pytest.mark.parametrize("numbers", [(0.3, 0.7, 0.05), (0.7, 0.2, 0.05), (0.1, 0.9, 0.05)])
def test_a_gap_between_two_folds_that_rounds_to_zero_is_no_division_by_zero(numbers: tuple[float, float, float]) -> None:
    a, b, c = numbers
    rows = [[a, b], [-3 * a, -3 * b], [1.0, -1.0]]
    case = assert_right(chain([np.array(rows), np.ones((1, 3))], [np.array([c, -3 * c, 0.125]), np.zeros(1)]))
    assert case.complex.n_cells == 7


@pytest.mark.parametrize("numbers", [(0.3, 0.7, 0.35), (0.3, 0.2, 0.05), (0.3, 0.9, 0.1)])
def test_folds_that_differ_in_the_last_bit_meet_where_they_meet(numbers: tuple[float, float, float]) -> None:
    a, b, c = numbers
    rows = np.array([[a, b], [-3 * a, -3 * b]])
    case = assert_right(chain([rows, np.ones((1, 2))], [np.array([c, -3 * c]), np.zeros(1)]))
    assert case.complex.n_cells == 4


def nearly_coincident(rng: np.random.Generator) -> Linear:
    """Two folds that differ in the last bit and meet in the box, and units that are active everywhere."""
    weight, bias = rng.normal(size=(6, 2)), rng.normal(size=6) * 0.3
    bias[2:] = 5.0
    weight[1] = np.nextafter(weight[0], weight[0] + rng.integers(-1, 2, 2))
    bias[1] = np.nextafter(bias[0], bias[0] + rng.integers(-1, 2))
    return Linear(weight, bias)


@pytest.mark.parametrize("kind", ["clip", "pad", "clip and reuse"])
def test_what_exact_values_repair_is_one_tensor_and_not_its_neighbor(kind: str) -> None:
    for seed in (5, 12, 40):
        rng = np.random.default_rng(seed)
        builder = Builder(2)
        builder.add(nearly_coincident(rng))
        x = builder.add(Rectifier())
        h = builder.add(Add(), x, x)
        y = builder.add(Pad(((0, 1),)), h) if kind == "pad" else h
        y = builder.add(Rectifier() if kind == "pad" else Clip(0.0, 100.0), y)
        if kind != "clip":
            y = builder.add(Linear(1e-30 * np.eye(6, builder.shape(y)[0]), np.zeros(6)), y)
            y = builder.add(Add(), h, y)
        builder.add(Linear(rng.normal(size=(4, 6)), rng.normal(size=4)), y)
        builder.add(Rectifier())
        builder.add(Linear(np.ones((1, 4))))
        assert_right(builder.build())


def test_a_rectifier_with_slope_one_separates_cells_and_no_regions() -> None:
    slopes = Rectifier(np.array([1.0, 0.5]))
    network = Network.sequential(2, [Linear(np.eye(2)), slopes, Linear(np.ones((1, 2)))])
    case = assert_right(network)
    assert (case.complex.n_cells, case.complex.n_regions) == (4, 2)


def test_weights_that_vanish_in_floating_point_still_bend_the_map() -> None:
    scale = 1e-150
    weights = [np.eye(2) * scale, np.eye(2) * scale, np.ones((1, 2)) * scale]
    case = assert_right(chain(weights, [np.zeros(2), np.zeros(2), np.zeros(1)]))
    assert case.complex.n_regions == 4


def test_a_constant_without_axes_is_added_exactly() -> None:
    tiny = 2.0**-300  # x is near 1 and its exact form has the exponent -300
    ops = [Linear(np.array([[tiny, 0.0]])), Scale(np.array(1.0), np.array(1.0)), Linear(np.array([[1.0], [1.0]]), -np.ones(2))]
    case = assert_right(Network.sequential(2, [*ops, Rectifier(), Linear(np.ones((1, 2)))]))
    assert case.complex.n_cells == 2


def test_a_slope_for_each_channel_reaches_every_pixel_of_it() -> None:
    for seed in (13, 21, 49, 50):
        case = draw_case("channel slopes", seed=seed)
        for check in (check_reference, check_line, check_regions):
            check(case)


def test_large_parameters_with_small_directions_are_ordinary_numbers() -> None:
    window = [[-1e200, -1e-200], [1e200, -1e-200], [0, 1e-200]]
    plane = Plane([0.1, 0.2], [[1e-200, 0], [0, 1e200]], window=window)
    for seed in range(4):
        case = Case(draw_network("gaussian", seed=seed), plane)
        check_reference(case)
        np.testing.assert_allclose(case.complex.outputs, case.network(case.complex.points), rtol=1e-9, atol=1e-9)


def test_weights_that_rescaling_rounds_away_are_not_taken_for_exact_zeros() -> None:
    """A neuron of a few units of 5e-324 beside ordinary ones: its fold was missing from two cells."""
    check_engine(families=["subnormal"], invariants=["reference", "maps", "floats"], n_networks=1, seed=19, size="tiny")


def test_slopes_survive_constants_that_are_larger_by_any_factor() -> None:
    """Ternary weights with powers of two: differences of values lost the slopes."""
    net = chain(
        [np.array([[2.0**-30], [2.0**-30]]), np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([[2.0**13, 0.0]])],
        [np.array([2.0**66, 2.0**50]), np.array([0.0, 1.0]), np.array([-1.0])],
    )
    pieces = decompose(net, Segment([-1.0], [1.0]))
    for cell in pieces.cells:
        assert cell.affine_map[0].tolist() == [[0.0]]  # the slopes of both neurons cancel
    only = chain([np.array([[2.0**-30]]), np.array([[2.0**13]])], [np.array([2.0**66]), np.array([-1.0])])
    (cell,) = decompose(only, Segment([-1.0], [1.0])).cells
    assert cell.affine_map[0].tolist() == [[2.0**-17]]
    assert cell.slice_map[0].tolist() == [[2.0**-16]]


@pytest.mark.parametrize(
    ("family", "seed"),
    [
        ("concat", 10126),
        ("composed", 10000),
        ("bare folds", 10016),
        ("random graph", 10077),
        ("composed", 10077),
        ("all layers x 1e150", 10077),
    ],
)
def test_what_integers_decide_lies_where_it_is_although_maps_of_cells_have_exponents_of_their_own(family: str, seed: int) -> None:
    check_engine(families=[family], invariants=("reference", "line", "maps", "floats"), n_networks=1, seed=seed, size="small")
