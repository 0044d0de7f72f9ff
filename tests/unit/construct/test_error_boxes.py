"""Branch and bound on boxes: affine arithmetic encloses every kind of network, and agrees with the exact complex."""

from __future__ import annotations

import numpy as np
import pytest

from plica.construct import Polynomial, Smooth, approximation_error, sin, squaring, variables
from plica.construct.errors._boxes import box_error, deviation
from plica.construct.errors._forms import propagate
from plica.construct.targets._targets import SmoothPolynomial
from plica.geometry import Box, Plane
from plica.network import Linear, Network, Rectifier, random_network
from plica.testing import FAMILIES, draw_network

KINDS = sorted(name for name in FAMILIES if "1e150" not in name)


@pytest.mark.parametrize("kind", KINDS)
def test_every_operation_is_enclosed(kind: str) -> None:
    rng = np.random.default_rng(7)
    net = draw_network(kind, seed=3)
    n, d = 24, net.n_inputs
    center, radius = rng.normal(size=(n, d)), np.abs(rng.normal(size=(n, d))) * rng.choice([0.3, 1e-3], (n, 1))
    form = propagate(net, center, radius)
    for _ in range(4):
        part = rng.uniform(-1, 1, (n, d))
        part[0] = np.sign(part[0])
        values = net((center + part * radius).reshape(n, *net.input_shape))
        linear = form.center + np.einsum("bd,bd...->b...", part, form.generators)
        # sampling rounds too
        assert (np.abs(values - linear) <= form.radius * (1 + 1e-9) + 1e-12 * (1 + np.abs(values))).all()


def test_a_box_inside_one_cell_costs_rounding_only() -> None:
    net = random_network([2, 8, 8, 1], seed=0)
    center = np.array([[0.3, 0.4]])
    form = propagate(net, center, np.full((1, 2), 1e-9))
    assert form.radius.max() < 1e-13


@pytest.mark.parametrize("norm", ["sup", "L1"])
def test_boxes_enclose_what_the_complex_finds(norm: str) -> None:
    line = Box([0.0], [1.0])
    square = SmoothPolynomial(Polynomial([0, 0, 1]))
    first = approximation_error(squaring(3).network, Polynomial([0, 0, 1]), line, norm=norm)
    second = box_error(squaring(3).network, square, line, norm=norm, tolerance=1e-3, max_parts=100_000)
    assert second.low <= first.high and first.low <= second.high <= second.low * 1.0011
    net, plane = random_network([2, 6, 1], seed=1), Box([-1.0, -1.0], [1.0, 1.0])
    u, v = variables(2)
    goal = Smooth(sin(2 * u) * v)
    first = approximation_error(net, goal, plane, norm=norm, tolerance=1e-3)
    second = box_error(net, goal, plane, norm=norm, tolerance=0.03, max_parts=200_000)
    assert second.low <= first.high and first.low <= second.high <= second.low * 1.031


def test_bisection_stops_where_the_answer_is_known() -> None:
    line, goal = Box([0.0], [1.0]), SmoothPolynomial(Polynomial([0, 0, 1]))
    run = {"norm": "sup", "tolerance": 1e-9, "max_parts": 100_000}
    full = box_error(squaring(4).network, goal, line, **run)  # type: ignore[arg-type]
    enough = box_error(squaring(4).network, goal, line, enough=0.1, **run)  # type: ignore[arg-type]
    hopeless = box_error(squaring(4).network, goal, line, enough=1e-6, **run)  # type: ignore[arg-type]
    assert enough.high <= 0.1 and enough.n_parts < full.n_parts / 4
    assert hopeless.low > 1e-6 and hopeless.n_parts < full.n_parts / 4


def test_a_kink_of_the_target_is_enclosed() -> None:
    (x,) = variables(1)
    net = random_network([1, 5, 1], seed=2)
    first = approximation_error(net, abs(x - 0.3), Box([-1.0], [1.0]))
    second = box_error(net, Smooth(abs(x - 0.3)), Box([-1.0], [1.0]), norm="sup", tolerance=1e-3, max_parts=50_000)
    assert second.low <= first.high and first.low <= second.high <= second.low * 1.0011


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_error_that_is_attained_is_attained_where_it_says(seed: int) -> None:
    net, goal = random_network([2, 6, 1], seed=seed), sin(3 * variables(2)[0]) * variables(2)[1]
    found = box_error(net, Smooth(goal), Box([-1.0, -1.0], [1.0, 1.0]), norm="sup", tolerance=0.05, max_parts=50_000)
    x, y = found.where
    assert abs(float(net(np.array([[x, y]]))[0, 0]) - np.sin(3 * x) * y) == pytest.approx(found.low, rel=1e-9)


def nothing(d: int) -> Network:
    """A network of d inputs that is zero."""
    return Network.sequential(d, [Linear(np.zeros((1, d)))])


@pytest.mark.parametrize("slope", [0.0, 0.5, -1.0, 2.0])
def test_a_bent_line_is_within_half_its_distance_from_the_chord(slope: float) -> None:
    net = Network.sequential(1, [Linear(np.ones((1, 1))), Rectifier(np.array(slope))])
    form = propagate(net, np.array([[0.5]]), np.array([[1.5]]))  # from -1 to 2, where the chord passes 2 (1 - slope) / 3 above 0
    assert form.generators[0, 0, 0] == pytest.approx(1.5 * (2 + slope) / 3)
    assert form.radius[0, 0] == pytest.approx(abs(1 - slope) / 3)


def test_the_rest_of_the_second_order_is_half_the_second_derivative() -> None:
    u, v = variables(2)
    center, radius = np.array([[0.0, 0.0]]), np.array([[0.5, 0.25]])
    for goal, largest in ((u * u + v * v, 0.3125), (u * v, 0.125), (u * u + u * v, 0.375)):
        assert largest <= deviation(nothing(2), Smooth(goal), center, radius).upper()[0] <= largest * (1 + 1e-9)


@pytest.mark.parametrize(("offset", "integral"), [(0.0, 1.0), (0.2, 1.04), (1.0, 2.0), (3.0, 6.0)])
def test_the_mean_over_one_box_counts_the_linear_part_where_its_sign_is_not_known(offset: float, integral: float) -> None:
    (x,) = variables(1)
    found = box_error(nothing(1), Smooth(x + offset), Box([-1.0], [1.0]), norm="L1", tolerance=1e-9, max_parts=1)
    assert found.low <= integral <= found.high
    assert found.high == pytest.approx(2 * offset + (1 if offset <= 1 else 0), rel=1e-9)


def test_the_mean_over_a_plane_counts_its_area() -> None:
    for first, second, area in (([1.0, 2.0], [3.0, 1.0], 20), ([0.0, 2.0], [3.0, 0.0], 24)):
        plane = Plane.box([0.0, 0.0], first, second, low=(-1.0, -1.0), high=(1.0, 1.0))
        assert approximation_error(nothing(2), Polynomial({(0, 0): 1}), plane, norm="L1").high == area


@pytest.mark.parametrize("seed", [29, 39])
def test_boxes_that_were_set_aside_count_to_the_end(seed: int) -> None:
    net, goal, line = random_network([1, 6, 1], seed=seed), Smooth(sin(9 * variables(1)[0])), Box([-1.0], [1.0])
    found = box_error(net, goal, line, norm="sup", tolerance=0.3, max_parts=100_000)
    truth = approximation_error(net, goal, line, tolerance=1e-4)
    assert found.low <= truth.high and truth.low <= found.high <= 1.3 * truth.high
