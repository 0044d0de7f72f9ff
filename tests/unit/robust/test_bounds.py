"""Bounds hold in rational arithmetic, at the worst corners too, and come in their known order."""

from fractions import Fraction
from math import prod

import numpy as np
import pytest

import plica
from plica.exact import exactly
from plica.network import Add, Builder, Clip, Conv, Linear, Max, Rectifier, Reshape
from plica.robust._exact_steps import ExactSteps
from plica.robust.bounds import (
    Boxes,
    backward_bounds,
    forward_bounds,
    interval_bounds,
    lines_around,
    mixed_bounds,
    pulled_back,
    steps_of,
)
from plica.robust.bounds._backward import Pulled
from plica.robust.bounds._ball import at_point
from plica.robust.bounds._boxes import Ranges

METHODS = {
    "interval": interval_bounds,
    "forward": forward_bounds,
    "backward": backward_bounds,
    "mixed": mixed_bounds,
    "parallel": lambda s, b: backward_bounds(s, b, rule="parallel"),
    "zero": lambda s, b: backward_bounds(s, b, rule="zero"),
}


def convolutional(seed: int) -> plica.Network:
    """A convolution, a residual connection, a maximum and a clip."""
    rng = np.random.default_rng(seed)
    b = Builder((1, 4, 4))
    x = b.add(Conv(rng.normal(size=(2, 1, 3, 3)), rng.normal(size=2), (1, 1), ((1, 1), (1, 1)), (1, 1)))
    y = b.add(Rectifier(np.array(0.1)), x)
    z = b.add(Conv(rng.normal(size=(2, 2, 3, 3)) / 3, None, (1, 1), ((1, 1), (1, 1)), (1, 1)), y)
    z = b.add(Add(), z, x)
    z = b.add(Max(np.arange(32).reshape(2, 8, 2)), z)
    z = b.add(Reshape((16,)), z)
    z = b.add(Clip(-1.0, 2.0), z)
    b.add(Linear(rng.normal(size=(3, 16)), rng.normal(size=3)), z)
    return b.build()


def steep(seed: int) -> plica.Network:
    """Rectifiers with slopes below zero and above one."""
    rng = np.random.default_rng(seed)
    ops = []
    for n, m in ((3, 6), (6, 6)):
        ops += [Linear(rng.normal(size=(m, n)), rng.normal(size=m)), Rectifier(rng.uniform(-2, 3, size=m))]
    return plica.Network.sequential(3, [*ops, Linear(rng.normal(size=(2, 6)))])


def networks() -> list[plica.Network]:
    dense = [plica.random_network([3, 8, 8, 2], seed=s) for s in range(3)]
    return [*dense, steep(0), steep(1), convolutional(0), convolutional(1)]


@pytest.mark.parametrize("method", METHODS)
def test_the_rounding_of_forty_rectifiers_in_a_row_is_on_the_safe_side(method):
    rng = np.random.default_rng(40)
    slopes, x = rng.uniform(0.5, 1.0, 40), -rng.uniform(1.0, 2.0, 1)
    network = plica.Network.sequential(1, [Rectifier(np.array(s)) for s in slopes])
    last = METHODS[method](steps_of(network), Boxes.of(x, x))[-1]
    (low,), (high,) = exactly(last.low[0]), exactly(last.high[0])
    value = Fraction(float(x[0])) * prod(map(Fraction, slopes.tolist()))
    assert low <= value <= high
    assert high - low <= 1e-12 * abs(value), "and they are no wider than rounding asks for"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("which", range(7))
def test_values_in_fractions_never_leave_the_bounds(method, which):
    network = networks()[which]
    steps, exact = steps_of(network), ExactSteps(steps_of(network))
    rng = np.random.default_rng(which)
    for radius in (0.0, 1e-9, 0.3):
        center = rng.normal(size=network.n_inputs)
        boxes = Boxes.of(center - radius, center + radius)
        last = METHODS[method](steps, boxes)[-1]
        low, high = exactly(last.low[0]), exactly(last.high[0])
        for _ in range(4):
            corner = np.where(rng.random(len(center)) < 0.5, boxes.low[0], boxes.high[0])
            y = exact.values([Fraction(float(v)) for v in corner])
            assert all(a <= v <= b for a, v, b in zip(low, y, high, strict=True))


@pytest.mark.parametrize("which", range(7))
def test_steps_are_the_network(which):
    network = networks()[which]
    x = np.random.default_rng(1).normal(size=(5, network.n_inputs))
    got = [[float(v) for v in ExactSteps(steps_of(network)).values([Fraction(float(c)) for c in row])] for row in x]
    np.testing.assert_allclose(got, network(x.reshape(5, *network.input_shape)).reshape(5, -1), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_point_has_bounds_as_close_as_rounding(seed):
    network = plica.random_network([4, 16, 16, 3], seed=seed)
    x = np.random.default_rng(seed).normal(size=4)
    for method in METHODS.values():
        last = method(steps_of(network), Boxes.of(x, x))[-1]
        assert (last.high - last.low).max() < 1e-11
        np.testing.assert_allclose((last.low + last.high)[0] / 2, network(x), rtol=1e-10)


def test_without_rectifiers_backward_bounds_are_the_range():
    w, v = np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([[1.0, 1.0]])
    network = plica.Network.sequential(2, [Linear(w), Linear(v)])  # 2 x_0: the other input cancels
    boxes = Boxes.of([-1.0, -1.0], [1.0, 1.0])
    last = backward_bounds(steps_of(network), boxes)[-1]
    assert last.low[0, 0] == pytest.approx(-2.0, abs=1e-12) and last.high[0, 0] == pytest.approx(2.0, abs=1e-12)
    assert interval_bounds(steps_of(network), boxes)[-1].high[0, 0] == pytest.approx(4.0, abs=1e-12)


@pytest.mark.parametrize("slope", [0.0, 0.1, -1.0, 2.0, 1.0])
def test_lines_hold_at_the_ends_and_at_zero(slope):
    rng = np.random.default_rng(3)
    low, high = -rng.random(200), rng.random(200)
    p = np.full(200, slope)
    for rule in ("adaptive", "parallel", "zero"):
        lines = lines_around(Ranges(low, high), p, rule)
        for z in (low, high, np.zeros(200), low / 3, high / 7):
            for k in range(200):
                x, s = Fraction(z[k]), Fraction(slope)
                f = x if x > 0 else s * x
                assert Fraction(lines.low_slope[k]) * x + Fraction(lines.low_offset[k]) <= f
                assert f <= Fraction(lines.high_slope[k]) * x + Fraction(lines.high_offset[k])


@pytest.mark.parametrize("seed", range(5))
def test_affine_functions_below_forms_stay_below(seed):
    network = plica.random_network([2, 10, 10, 2], seed=seed)
    steps, rng = steps_of(network), np.random.default_rng(seed)
    boxes = Boxes.of([-0.4, -0.3], [0.5, 0.6])
    forms = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 0.0]])
    pulled = pulled_back(steps, boxes, mixed_bounds(steps, boxes), forms)
    for x in boxes.low + (boxes.high - boxes.low) * rng.random((200, 2)):
        below = pulled.middle[0] + pulled.slope[0] @ (x - boxes.center[0])
        assert (below <= forms @ network(x) + 1e-12).all()


def test_tighter_methods_are_tighter_with_the_same_ranges():
    """On average: backward bounds within intervals, refined ones within forward ones."""
    widths = {name: 0.0 for name in METHODS}
    for seed in range(10):
        network = plica.random_network([3, 16, 16, 1], seed=seed)
        boxes = Boxes.of(np.full(3, -0.2), np.full(3, 0.2))
        for name, method in METHODS.items():
            last = method(steps_of(network), boxes)[-1]
            widths[name] += float((last.high - last.low).sum())
    assert widths["mixed"] <= widths["forward"] <= widths["interval"]
    assert widths["backward"] <= widths["interval"] and widths["parallel"] <= widths["interval"]


def test_the_chord_of_a_leaky_rectifier_meets_both_ends() -> None:
    from plica.robust.bounds._boxes import Ranges
    from plica.robust.bounds._relaxation import lines_around

    low, high, slope = np.array([-2.0, -1.0]), np.array([2.0, 3.0]), np.array([0.25, -1.0])
    found = lines_around(Ranges(low, high), slope)
    for end, value in ((low, slope * low), (high, high)):
        np.testing.assert_allclose(found.high_slope * end + found.high_offset, value, atol=1e-12)


def test_an_affine_function_at_a_point_is_rounded_down_where_sums_cancel() -> None:
    rng = np.random.default_rng(5)
    for d in (1, 3, 8):
        for _ in range(60):
            center = rng.normal(size=d) * 1e6
            point = center + rng.normal(size=d)
            slope = rng.normal(size=(1, 1, d)) * 1e6
            boxes = Boxes(center[None] - 2.0, center[None] + 2.0)
            rest = -float((slope[0, 0] * (point - boxes.center[0])).sum()) * (1 + 1e-9 * rng.normal())
            pulled = Pulled(np.full((1, 1), -np.inf), slope, np.array([[rest]]))
            away = [Fraction(p) - Fraction(c) for p, c in zip(point.tolist(), boxes.center[0].tolist(), strict=True)]
            exact = Fraction(rest) + sum(Fraction(s) * a for s, a in zip(slope[0, 0].tolist(), away, strict=True))
            assert Fraction(float(at_point(pulled, boxes, point[None])[0, 0])) <= exact


def test_a_rectifier_that_falls_and_rises_is_least_at_zero():
    """Slope -1/2 below zero: on [-1, 2] from 0 to 2, on [-4, 2] from 0 to 2, on [-4, -2] from 1 to 2."""
    low, high = np.array([[-1.0, -4.0, -4.0]]), np.array([[2.0, 2.0, -2.0]])
    network = plica.Network.sequential(3, [Rectifier(np.full(3, -0.5))])
    found = interval_bounds(steps_of(network), Boxes.of(low, high))[-1]
    np.testing.assert_allclose(found.low, [[0.0, 0.0, 1.0]], atol=1e-12)
    np.testing.assert_allclose(found.high, [[2.0, 2.0, 2.0]], atol=1e-12)
    assert (found.low <= [[0.0, 0.0, 1.0]]).all()


def test_entries_that_only_move_or_change_their_sign_keep_their_ranges_exactly():
    network = plica.Network.sequential(3, [Linear(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]))])
    found = interval_bounds(steps_of(network), Boxes.of(np.array([[1.0, -2.0, 0.1]]), np.array([[3.0, 5.0, 0.3]])))[-1]
    assert found.low.tolist() == [[-5.0, 1.0, -0.3]] and found.high.tolist() == [[2.0, 3.0, -0.1]]
