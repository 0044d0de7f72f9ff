"""The input that a unit likes best: against exact extremes, against closed forms, and honest when time is short."""

from __future__ import annotations

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.measure import extremes
from plica.network import Linear, Network, Rectifier
from plica.robust import maximizing_input


@pytest.mark.parametrize("seed", range(4))
def test_a_box_has_the_maximum_of_its_complex(seed: int) -> None:
    net = plica.random_network([2, 7, 7, 2], seed=seed, bias_std=0.3)
    box = plica.Box([-1.0, -0.5], [1.0, 2.0])
    cx = plica.decompose(net, box)
    for output in (0, 1):
        found = maximizing_input(net, box, output=output, tolerance=1e-5)
        truth = float(extremes(cx, output=output).maximum)
        assert found.is_closed and found.value <= truth <= found.upper <= found.value + 1e-5 * (1 + abs(found.value)) * 1.01
        assert net(found.point)[output] == pytest.approx(found.value, abs=1e-12) and box.holds(found.point)


def test_on_a_ball_a_linear_unit_wants_its_weights() -> None:
    w = np.array([3.0, -4.0])
    net = Network.sequential(2, [Linear(w[None], np.array([1.0]))])
    found = maximizing_input(net, (np.array([0.5, 0.5]), 2.0), tolerance=1e-7)
    assert found.value <= 1 - 0.5 + 10 <= found.upper and found.upper - found.value < 2e-6
    assert found.point == pytest.approx(np.array([0.5, 0.5]) + 2 * w / 5, abs=1e-3)


def test_on_a_ball_rectifiers_are_searched_and_nothing_is_missed() -> None:
    # max(0, x - 1/2) + 2 max(0, -x - 1/2): the far side is better
    net = Network.sequential(
        2, [Linear(np.array([[1.0, 0], [-1, 0]]), np.array([-0.5, -0.5])), Rectifier(), Linear(np.array([[1.0, 2.0]]))]
    )
    found = maximizing_input(net, (np.zeros(2), 1.0), tolerance=1e-6)
    assert found.value <= 1.0 <= found.upper and found.upper - found.value < 1e-5
    rng = np.random.default_rng(0)
    net = plica.random_network([3, 8, 1], seed=5, bias_std=0.5)
    found = maximizing_input(net, (np.zeros(3), 1.0), tolerance=1e-4)
    x = rng.normal(size=(20_000, 3))
    x *= (rng.random((20_000, 1)) ** (1 / 3)) / np.linalg.norm(x, axis=1, keepdims=True)
    assert net(x).max() <= found.upper and found.value >= net(x).max() - 1e-2
    assert np.linalg.norm(found.point) <= 1.0


def test_a_hidden_unit_is_asked_before_its_fold() -> None:
    net = plica.random_network([2, 5, 4, 1], seed=2)
    box = plica.Box([-1, -1], [1, 1])
    first = net.dense_layers[0]
    found = maximizing_input(net, box, layer=0, output=3, tolerance=1e-9)
    bias = 0.0 if first.bias is None else float(first.bias[3])
    assert found.value == pytest.approx(np.abs(first.weight[3]).sum() + bias, abs=1e-7)


def test_when_time_is_over_what_was_found_is_still_true() -> None:
    net = plica.random_network([6, 40, 40, 1], seed=0)
    box = plica.Box(-np.ones(6), np.ones(6))
    found = maximizing_input(net, box, tolerance=1e-12, timeout_s=0.0)
    assert not found.is_closed and net(found.point)[0] == pytest.approx(found.value)
    seen = net(np.random.default_rng(0).uniform(-1, 1, (20_000, 6))).max()
    assert seen <= found.upper < np.inf  # linear bounds are proved at once


def test_a_level_that_stays_open_does_not_hide_easier_ones() -> None:
    net = plica.random_network([6, 40, 40, 1], seed=0)
    box = plica.Box(-np.ones(6), np.ones(6))
    at_once, later = (maximizing_input(net, box, tolerance=1e-3, timeout_s=t) for t in (0.0, 3.0))
    assert later.upper < at_once.upper and later.n_asked > 0


def test_bad_questions_are_refused() -> None:
    net = plica.random_network([2, 3, 1], seed=0)
    box = plica.Box([-1, -1], [1, 1])
    for keywords in ({"output": 1}, {"layer": 4}, {"tolerance": 0.0}):
        with pytest.raises(InvalidInput):
            maximizing_input(net, box, **keywords)  # type: ignore[arg-type]
    for domain in ((np.zeros(2), -1.0), (np.zeros(3), 1.0), 7):
        with pytest.raises(InvalidInput):
            maximizing_input(net, domain)  # type: ignore[arg-type]


def test_a_narrow_peak_at_the_border_of_a_ball_is_not_missed() -> None:
    # 1 to the left, and 5 on a cap of height 0.005 to the right, where no ascent begins
    first = Linear(np.array([[-1.0, 0.0], [1.0, 0.0]]), np.array([0.0, -0.995]))
    net = Network.sequential(2, [first, Rectifier(), Linear(np.array([[1.0, 1000.0]]))])
    found = maximizing_input(net, (np.zeros(2), 1.0), tolerance=1e-3)
    assert found.upper >= 5.0 - 1e-9 and found.value > 4.9 and found.is_closed
