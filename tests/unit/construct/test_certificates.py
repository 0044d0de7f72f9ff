"""Certificates: errors in rationals and in intervals agree with each other and with sampling; tampering is found."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import plica
from plica.construct import (
    Certificate,
    Construction,
    PiecewisePolynomial,
    Polynomial,
    approximation_error,
    cos,
    monomial,
    product,
    sawtooth,
    sin,
    squaring,
    teeth,
    variables,
)
from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput
from plica.geometry import Box, Plane, Segment
from plica.network import Linear, Network, Node, load, random_network, save, to_onnx, to_torch

UNIT = Segment([0.0], [1.0])


def changed(net: Network, layer: int, label: str, index: tuple[int, ...], value: float) -> Network:
    """The network with one number replaced."""
    nodes = list(net.nodes)
    old = nodes[layer]
    assert isinstance(old.op, Linear)
    arrays = {name: array.copy() for name, array in old.op.arrays().items()}
    arrays[label][index] = value
    nodes[layer] = Node(Linear(**arrays), old.inputs, old.shape, old.name)
    return Network(tuple(nodes), name=net.name)


def places(net: Network) -> list[tuple[int, str, tuple[int, ...]]]:
    return [
        (i, label, index)
        for i, node in enumerate(net.nodes)
        if isinstance(node.op, Linear)
        for label, array in node.op.arrays().items()
        for index in np.ndindex(array.shape)
    ]


def rejected(built: Construction, seed: int, n: int) -> int:
    """How many of n random changes of a weight by at least 1e-6 are rejected, each also as a torch module once in ten times."""
    assert built.certificate is not None
    rng, spots, count = np.random.default_rng(seed), places(built.network), 0
    for k in range(n):
        layer, label, index = spots[rng.integers(len(spots))]
        old = built.network.nodes[layer].op.arrays()[label][index]
        step = float(rng.choice([1e-6, -1e-6, 1e-3, 0.5])) * max(1.0, abs(old))
        model = changed(built.network, layer, label, index, float(old + step))
        count += not built.certificate.verify(to_torch(model) if k % 10 == 0 else model)
    return count


@pytest.mark.parametrize("built", [squaring(6), product(4), teeth([3, 2, 4]), monomial([2, 1], 0.05)], ids=lambda b: b.name)
def test_a_thousand_weights_changed_by_a_millionth_or_more_are_rejected(built: Construction) -> None:
    assert rejected(built, 1, 250) == 250


@pytest.mark.parametrize("built", [squaring(3), sawtooth(2)], ids=lambda b: b.name)
def test_a_weight_changed_in_the_last_place_is_accepted(built: Construction) -> None:
    assert built.certificate is not None
    rng, spots = np.random.default_rng(5), places(built.network)
    for k in rng.choice(len(spots), 4, replace=False):
        layer, label, index = spots[k]
        old = built.network.nodes[layer].op.arrays()[label][index]
        model = changed(built.network, layer, label, index, float(np.nextafter(old, np.inf)))
        outcome = built.certificate.verify(model)
        assert outcome, outcome.reason


def test_a_change_that_the_weights_do_not_show_is_found_on_the_function() -> None:
    built = squaring(2)
    assert built.certificate is not None
    nodes = list(built.network.nodes)
    last = nodes[-1]
    extra = Node(Linear(np.array([[1.0]]), np.array([1e-6])), (len(nodes) - 1,), last.shape, "shift")
    moved = Network((*nodes, extra))
    outcome = built.certificate.verify(moved)
    assert not outcome and "away from the certified network" in outcome.reason
    same = Network((*nodes, Node(Linear(np.array([[1.0]])), (len(nodes) - 1,), last.shape, "same")))
    assert built.certificate.verify(same)


def test_every_form_of_the_network_is_verified(tmp_path: Path) -> None:
    built = squaring(3)
    assert built.certificate is not None
    to_onnx(built.network, tmp_path / "net.onnx")
    save(built.network, tmp_path / "net.safetensors")
    for model in (built.module(), load(tmp_path / "net.onnx"), load(tmp_path / "net.safetensors")):
        outcome = built.certificate.verify(model)
        assert outcome, outcome.reason
    assert built.certificate.verify(built.module(torch.float32).double())


def test_a_bound_below_the_error_is_not_verified() -> None:
    c = squaring(3).certificate
    assert c is not None
    low = Certificate(Fraction(1, 257), "sup", c.domain, "too good", c.target, c.network)
    outcome = low.verify()
    assert not outcome and "at least" in outcome.reason
    with pytest.raises(InvalidInput):
        Certificate(-1.0, "sup", c.domain, "", c.target, c.network)


@pytest.mark.parametrize("norm", ["sup", "L1"])
def test_intervals_enclose_what_rationals_find(norm: str) -> None:
    line, plane = random_network([1, 6, 5, 1], seed=2), random_network([2, 5, 4, 1], seed=3)
    highest = 2 if norm == "sup" else 1
    for net, domain, goal in (
        (line, Segment([-1.0], [2.0]), Polynomial([1, -2, 3][: highest + 1])),
        (plane, Box([-1.0, 0.0], [1.0, 1.0]), Polynomial({(1, 1): 1, (2, 0): -1} if norm == "sup" else {(1, 0): 1, (0, 1): -2})),
        (plane, Plane([0.5, 0.5], [[1, 2], [2, -1]]), Polynomial({(0, 2): 1} if norm == "sup" else {(1, 0): 3})),
    ):
        exact = approximation_error(net, goal, domain, norm=norm)
        wide = approximation_error(net, goal, domain, norm=norm, exact=False, tolerance=1e-4)
        assert exact.is_exact and wide.low <= exact.low and exact.high <= wide.high
        assert wide.high <= wide.low * 1.001


@given(st.integers(0, 10**6), st.sampled_from(["sup", "L1"]))
@settings(max_examples=12, deadline=None)
def test_the_enclosure_holds_what_sampling_finds(seed: int, norm: str) -> None:
    (x,) = variables(1)
    net = random_network([1, 5, 4, 1], seed=seed)
    formula = [sin(3 * x), abs(x - 0.25), cos(x) * x**2][seed % 3]
    found = approximation_error(net, formula, Box([-1.0], [1.0]), norm=norm, tolerance=1e-4)
    grid = np.linspace(-1, 1, 20001)
    seen = np.abs(net(grid[:, None])[:, 0] - formula(grid[:, None]))
    value = seen.max() if norm == "sup" else 2 * (seen[1:] / 2 + seen[:-1] / 2).mean()
    assert value <= found.high * (1 + 1e-9) + 1e-7
    assert value >= found.low * (1 - 1e-3)
    assert found.high <= found.low * (1 + 2e-4) + 1e-12


def test_boxes_in_three_dimensions_enclose_what_sampling_finds() -> None:
    x, y, z = variables(3)
    net = random_network([3, 6, 1], seed=0)
    found = approximation_error(net, sin(x * y + z), Box([-1.0] * 3, [1.0] * 3), tolerance=0.05)
    points = np.random.default_rng(0).uniform(-1, 1, (20000, 3))
    seen = np.abs(net(points)[:, 0] - sin(x * y + z)(points)).max()
    assert found.low * 0.9 <= seen <= found.high <= found.low * 1.06
    mean = approximation_error(net, sin(x * y + z), Box([-1.0] * 3, [1.0] * 3), norm="L1", tolerance=0.2)
    estimate = 8 * np.abs(net(points)[:, 0] - sin(x * y + z)(points)).mean()
    assert mean.low * 0.98 <= estimate <= mean.high * 1.02


def test_the_distance_of_two_networks_is_exact() -> None:
    deep, shallow = sawtooth(3).network, sawtooth(1).network
    assert approximation_error(deep, shallow, UNIT).high == 1
    # four teeth below one tent: an exact area, and the same in intervals
    area = approximation_error(deep, shallow, UNIT, norm="L1")
    grid = np.linspace(0, 1, 2**16 + 1)[:, None]
    assert area.is_exact and abs(float(area) - np.abs(deep(grid) - shallow(grid))[:-1].mean()) < 1e-4


def test_a_target_may_have_knots_that_are_no_floats() -> None:
    third = Fraction(1, 3)
    tent = PiecewisePolynomial([0, third, 1], [Polynomial([0, 3]), Polynomial([Fraction(3, 2), Fraction(-3, 2)])])
    c = plica.construct.Circuit(1)
    net = c.network(0 * c.inputs[0])
    assert approximation_error(net, tent, UNIT).high == 1
    assert approximation_error(net, tent, UNIT, norm="L1").high == Fraction(1, 2)
    wide = approximation_error(net, tent, UNIT, norm="L1", exact=False)
    assert wide.low <= Fraction(1, 2) <= wide.high < 0.500001


def test_an_integral_over_a_segment_is_taken_in_its_own_length() -> None:
    c = plica.construct.Circuit(1)
    net = c.network(0 * c.inputs[0])
    assert approximation_error(net, Polynomial([0, 1]), Segment([0.0], [2.0]), norm="L1").high == 2
    assert approximation_error(net, Polynomial([0, 1]), Box([0.0], [2.0]), norm="L1").high == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda n: approximation_error(n, 0, UNIT, norm="L2"), "norm"),
        (lambda n: approximation_error(n, 0, UNIT, tolerance=0), "tolerance"),
        (lambda n: approximation_error("n", 0, UNIT), "Network"),
        (lambda n: approximation_error(n, 0, 3), "domain"),
        (lambda n: approximation_error(n, "x^2", UNIT), "target"),
        (lambda n: approximation_error(n, Polynomial({(1, 1): 1}), UNIT), "2 variables"),
        (lambda n: approximation_error(n, Polynomial([0, 0, 0, 1]), UNIT, exact=True), "degree"),
        (lambda n: approximation_error(random_network([1, 3, 2], seed=0), 0, UNIT), "outputs"),
    ],
)
def test_bad_questions_are_refused_with_a_sentence(call: object, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        call(squaring(1).network)  # type: ignore[operator]
    with pytest.raises(InvalidDomain, match="R\\^2"):
        approximation_error(squaring(1).network, 0, Box([0, 0], [1, 1]))


def test_errors_far_from_one_are_enclosed_too() -> None:
    net = random_network([1, 6, 5, 1], seed=1)
    for factor in (1e90, 1e-90):
        ops = [Linear(n.op.weight * factor) if isinstance(n.op, Linear) else n.op for n in net.nodes[1:]]
        scaled = Network.sequential(1, ops)
        exact = approximation_error(scaled, 0, Segment([-1.0], [1.0]))
        wide = approximation_error(scaled, 0, Segment([-1.0], [1.0]), exact=False)
        assert exact.is_exact and wide.low <= exact.low <= wide.high <= wide.low * (1 + 1e-5)


@pytest.mark.slow
def test_a_product_of_three_numbers_is_verified_by_branch_and_bound() -> None:
    built = monomial([1, 1, 1], 0.3)
    assert built.certificate is not None
    outcome = built.certificate.verify()
    assert outcome and outcome.error is None and outcome.second is not None
    low = Certificate(Fraction(1, 20), "sup", built.certificate.domain, "too good", built.certificate.target, built.network)
    assert not low.verify()


def test_a_budget_stops_a_verification() -> None:
    c = product(4).certificate
    assert c is not None
    with pytest.raises(BudgetExceeded):
        c.verify(budget=plica.Budget(max_cells=20))
