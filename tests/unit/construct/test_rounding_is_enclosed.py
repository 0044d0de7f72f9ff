"""What floating point loses on the way to an error is charged: every number against fractions, with no tolerance at all."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plica.construct import Polynomial, approximation_error, sin, squaring, variables
from plica.construct.errors import _verify
from plica.construct.errors._boxes import _sum, box_error, propagate
from plica.construct.errors._cells import _sharpen, _total
from plica.construct.errors._certificate import Certificate
from plica.construct.errors._enclosure import ErrorEnclosure
from plica.construct.errors._rational import exact_outputs
from plica.construct.targets._intervals import Interval
from plica.construct.targets._targets import SmoothPolynomial
from plica.geometry import Box, Segment, decompose
from plica.network import Clip, Linear, Max, Network, Rectifier, extended, random_network
from plica.robust._exact_steps import ExactSteps
from plica.robust.bounds import steps_of
from plica.testing import FAMILIES, draw_network

KINDS = sorted(name for name in FAMILIES if "1e150" not in name)
DENSE = Linear(np.random.default_rng(0).normal(size=(6, 3)), np.random.default_rng(1).normal(size=6) * 7)
BENT = {
    "clip": Network.sequential(3, [DENSE, Clip(-0.3, 1.1), Linear(np.random.default_rng(2).normal(size=(2, 6)))]),
    "leaky": Network.sequential(3, [DENSE, Rectifier(np.array(0.1)), Linear(np.random.default_rng(3).normal(size=(2, 6)))]),
    "max": Network.sequential(
        3, [DENSE, Max(np.array([[0, 1, 2], [3, 4, 5]])), Linear(np.random.default_rng(4).normal(size=(2, 2)))]
    ),
}


def exact_values(network: Network, point: list[Fraction]) -> list[Fraction]:
    return ExactSteps(steps_of(network)).values(point)


def check_boxes(network: Network, reach: float) -> None:
    """Center, generators and radius hold the exact value at exact points of small boxes."""
    rng = np.random.default_rng(11)
    n, d = 5, network.n_inputs
    center, radius = rng.normal(size=(n, d)) * 3, np.abs(rng.normal(size=(n, d))) * reach
    form = propagate(network, center, radius)
    for k in range(n):
        part = rng.choice([-1.0, 1.0, 0.375], size=d)
        x = [
            Fraction(float(c)) + Fraction(float(p)) * Fraction(float(r))
            for c, p, r in zip(center[k], part, radius[k], strict=True)
        ]
        for i, true in enumerate(exact_values(network, x)):
            middle = Fraction(float(form.center[k].reshape(-1)[i]))
            slopes = form.generators[k].reshape(d, -1)[:, i]
            linear = middle + sum(
                (Fraction(float(p)) * Fraction(float(g)) for p, g in zip(part, slopes, strict=True)), Fraction(0)
            )
            assert abs(true - linear) <= Fraction(float(form.radius[k].reshape(-1)[i]))


@pytest.mark.parametrize("kind", KINDS)
def test_affine_arithmetic_holds_exact_values_at_points(kind: str) -> None:
    for seed in range(2):
        check_boxes(draw_network(kind, seed=seed), 0.0)


@pytest.mark.parametrize("reach", [0.0, 1e-12, 0.2])
@pytest.mark.parametrize("name", sorted(BENT))
def test_bends_hold_exact_values_on_boxes(name: str, reach: float) -> None:
    check_boxes(BENT[name], reach)


def test_a_sum_of_forms_charges_its_own_rounding() -> None:
    rng = np.random.default_rng(3)
    a, b = (
        propagate(Network.sequential(2, [Linear(rng.normal(size=(40, 2)) * s)]), rng.normal(size=(1, 2)), np.zeros((1, 2)))
        for s in (1, 1e3)
    )
    for factor in (1.0, -1.0):
        found = _sum(a, b, factor)
        for i in range(40):
            x, y = (Fraction(float(form.center[0, i])) for form in (a, b))
            off = abs(x + Fraction(factor) * y - Fraction(float(found.center[0, i])))
            assert Fraction(float(a.radius[0, i])) + Fraction(float(b.radius[0, i])) + off <= Fraction(float(found.radius[0, i]))


def lifted(seed: int, n_inputs: int) -> Network:
    """A small function on top of a large constant: what is known of it is what is known of the constant."""
    net = random_network([n_inputs, 7, 6, 1], seed=seed)
    layers = [op for dense in net.dense_layers[:-1] for op in (Linear(dense.weight * 3, dense.bias), Rectifier())]
    last = net.dense_layers[-1]
    return Network.sequential(n_inputs, [*layers, Linear(last.weight / 3, last.bias + 1e6 / 3)])


@pytest.mark.parametrize("norm", ["sup", "L1"])
@pytest.mark.parametrize("seed", range(8))
def test_intervals_on_cells_hold_the_exact_error_below_a_large_constant(seed: int, norm: str) -> None:
    for domain, goal in (
        (Segment([-1.0], [1.3]), Polynomial([Fraction(10**6, 3), Fraction(1, 7)])),
        (
            Box([-1.0, -0.7], [0.9, 1.0]),
            Polynomial({(0, 0): Fraction(10**6, 3), (1, 0): Fraction(1, 7), (0, 1): Fraction(-2, 7)}),
        ),
    ):
        net = lifted(seed, domain.n_inputs)
        exact = approximation_error(net, goal, domain, norm=norm, exact=True)
        found = approximation_error(net, goal, domain, norm=norm, exact=False, tolerance=1e-3)
        assert exact.is_exact and Fraction(found.low) <= exact.high <= Fraction(found.high)
        assert found.high - found.low < 2e-3 * found.high + 1e-8


def test_vertices_are_made_sharp_around_the_exact_ones() -> None:
    for domain in (Segment([-1.0], [1.0]), Box([-1.0, -1.0], [1.0, 1.0])):
        cx = decompose(random_network([domain.n_inputs, 6, 5, 1], seed=2), domain)
        n = cx.n_vertices
        points = Interval(np.full((n, domain.n_inputs), -9.0), np.full((n, domain.n_inputs), 9.0))
        values = Interval(np.full(n, -99.0), np.full(n, 99.0))
        _sharpen(cx, points, values, np.arange(n))
        for v, (place, value) in enumerate(zip(*exact_outputs(cx), strict=True)):
            for low, high, true in [
                *zip(points.low[v], points.high[v], place, strict=True),
                (values.low[v], values.high[v], value),
            ]:
                assert Fraction(float(low)) <= true <= Fraction(float(high)) and high <= np.nextafter(low, np.inf)


def test_a_sum_of_many_intervals_charges_what_adding_loses() -> None:
    crumbs = np.concatenate([[1.0], np.full(4000, 0.9 * 2.0**-53)])  # each is lost where it meets the one
    for x in (crumbs, np.random.default_rng(0).lognormal(sigma=8, size=500)):
        found, true = _total(Interval.of(x)), sum(map(Fraction, x.tolist()), Fraction(0))
        assert Fraction(float(found.low)) <= true <= Fraction(float(found.high))


def test_halves_of_boxes_leave_nothing_between_them() -> None:
    # a steep target on an interval whose ends are no short fractions: its largest error is at an end
    goal = SmoothPolynomial(Polynomial([0, 0, 1]))
    net = Network.sequential(1, [Linear(np.zeros((1, 1)))])
    for seed in range(30):
        low, high = np.sort(np.random.default_rng(seed).normal(size=2) * 10.0 ** (seed % 5 - 2))
        found = box_error(net, goal, Box([low], [high]), norm="sup", tolerance=1e-9, max_parts=10_000)
        true = max(Fraction(low) ** 2, Fraction(high) ** 2)
        assert Fraction(found.low) <= true <= Fraction(found.high)
        mean = box_error(net, goal, Box([low], [high]), norm="L1", tolerance=1e-3, max_parts=10_000)
        area = (Fraction(high) ** 3 - Fraction(low) ** 3) / 3
        assert Fraction(mean.low) <= area <= Fraction(mean.high)


# -- what a verification asks --------------------------------------------------------------------------------------------------


def test_a_verification_fails_by_the_second_path_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = squaring(3).certificate
    bound = float(certificate.bound)
    assert certificate.verify()

    def found(low: float, high: float) -> _verify.Verification:
        monkeypatch.setattr(_verify, "second_path", lambda *_: ErrorEnclosure(low * bound, high * bound, "sup", "stub"))
        return certificate.verify()

    assert found(0.9, 1.0) and found(0.9, 1 + 2.0**-25)
    assert "finds an error" in found(1.001, 1.002).reason
    assert "cannot exclude" in found(0.9, 1.001).reason


def test_a_verification_in_space_needs_the_upper_end(monkeypatch: pytest.MonkeyPatch) -> None:
    net = random_network([3, 4, 1], seed=0)
    certificate = Certificate(Fraction(1, 10), "sup", Box([0.0] * 3, [1.0] * 3), "stub", Polynomial({(1, 0, 0): 1}), net)
    bound = float(certificate.bound)
    for low, high, holds, words in (
        (0.5, 1.2, True, ""),
        (0.5, 1.3, False, "cannot be excluded"),
        (1.1, 1.4, False, "is at least"),
    ):
        end = ErrorEnclosure(low * bound, high * bound, "sup", "stub")
        monkeypatch.setattr(_verify, "second_path", lambda *_, end=end: end)
        result = certificate.verify()
        assert result.holds == holds and words in result.reason


def test_an_error_that_is_only_known_to_be_larger_is_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    (x,) = variables(1)
    certificate = replace(squaring(3).certificate, target=sin(x))
    bound = float(certificate.bound)
    for excess, words in ((1.5, "only known"), (1 + 1e-4, "only known"), (1 + 1e-6, "second path")):
        certificate = replace(certificate)
        wide = ErrorEnclosure(0.5 * bound, excess * bound, "sup", "stub")
        monkeypatch.setattr(_verify, "_first", lambda *_, wide=wide: wide)
        monkeypatch.setattr(_verify, "second_path", lambda *_: ErrorEnclosure(2 * bound, 2 * bound, "sup", "stub"))
        certificate.__dict__["true_error"] = wide
        assert words in certificate.verify().reason


def test_a_weight_may_differ_by_four_units_in_the_last_place_and_by_no_more() -> None:
    net = random_network([1, 5, 1], seed=0)
    first, last = net.dense_layers
    for units, holds in ((3, True), (4, True), (6, False), (1000, False)):
        weight = first.weight + units * np.spacing(np.abs(first.weight)) * np.eye(5)[3][:, None]
        other = Network.sequential(1, [Linear(weight, first.bias), Rectifier(), Linear(last.weight, last.bias)])
        assert (not _verify.tampered(net, other, Segment([0.0], [1.0]))) == holds


def test_networks_of_other_shapes_are_the_same_function_up_to_rounding() -> None:
    certificate = squaring(2).certificate
    for change, holds in ((0.0, True), (2.0**-48, True), (2.0**-42, False), (2.0**-30, False)):
        other = extended(certificate.network, [Linear(np.array([[1 + change]]))])
        assert (not _verify.tampered(certificate.network, other, certificate.domain)) == holds
