"""What floating point loses on the way to an error is charged: every number against fractions, with no tolerance at all."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest

from plica.construct import (
    PiecewisePolynomial,
    Polynomial,
    Smooth,
    approximation_error,
    balanced_tree,
    box_network,
    polynomial,
    sin,
    squaring,
    tree,
    variables,
)
from plica.construct.circuits._circuit import Circuit
from plica.construct.errors import _boxes, _forms, _verify
from plica.construct.errors._boxes import box_error, deviation
from plica.construct.errors._cells import _sharpen, _total, vertex_enclosures
from plica.construct.errors._certificate import Certificate
from plica.construct.errors._enclosure import ErrorEnclosure, sample_points
from plica.construct.errors._forms import _sum, propagate
from plica.construct.errors._rational import exact_outputs
from plica.construct.polynomials._polynomial_network import evaluated
from plica.construct.targets._intervals import Interval
from plica.construct.targets._spectra import GaussianSpectrum
from plica.construct.targets._targets import SmoothPolynomial
from plica.geometry import Box, Plane, Segment, decompose
from plica.network import Clip, Linear, Max, Network, Rectifier, extended, random_network, to_torch
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


def test_a_form_that_is_moved_charges_its_rounding() -> None:
    rng = np.random.default_rng(5)
    form = propagate(Network.sequential(2, [Linear(rng.normal(size=(60, 2)))]), rng.normal(size=(1, 2)), np.zeros((1, 2)))
    for shift in (0.1, -1e3, 1e-9):
        moved = _forms._shifted(form, shift)
        for i in range(60):
            off = abs(Fraction(float(form.center[0, i])) + Fraction(shift) - Fraction(float(moved.center[0, i])))
            assert Fraction(float(form.radius[0, i])) + off <= Fraction(float(moved.radius[0, i]))


def test_what_is_attained_at_a_point_is_less_by_what_is_not_known_there(monkeypatch: pytest.MonkeyPatch) -> None:
    middle = Interval(np.array([1.0, -3.0, 0.1]), np.array([1.5, -2.0, 0.1]))
    stub = _boxes.Bounds(middle, np.zeros(3), np.array([0.25, 0.5, 0.25]))
    monkeypatch.setattr(_boxes, "_in_chunks", lambda *_: stub)
    assert _boxes._at_points(None, None, np.zeros((3, 1))).tolist() == [0.75, 1.5, 0.0]  # type: ignore[arg-type]


def test_vertices_are_as_vague_as_the_engine_says() -> None:
    cx = decompose(random_network([2, 5, 1], seed=0), Box([-1.0, -1.0], [1.0, 1.0]))
    places, outputs = cx.bounded_vertices(), cx.bounded_outputs()
    far = Polynomial({(0, 0): 1000})  # of which little has to be known
    with (
        patch.object(type(cx), "bounded_vertices", lambda self: places._replace(error=places.error + 0.003)),
        patch.object(type(cx), "bounded_outputs", lambda self: outputs._replace(error=outputs.error + 0.1)),
    ):
        points, values = vertex_enclosures(cx, far, 0.5)
    assert (points.width() >= 0.006).all() and (values.width() >= 0.2).all()
    assert (points.width() < 0.0061).all() and (values.width() < 0.21).all()


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


X, (U, V) = variables(1)[0], variables(2)
STEPS = PiecewisePolynomial(
    [Fraction(-1), Fraction(0), Fraction(1, 3), Fraction(2)],
    [Polynomial([0, 1]), Polynomial([0, 0, 3]), Polynomial([Fraction(1, 3), 0])],
)
SLANTED = Plane.box(np.zeros(2), np.array([1.0, 2.0]), np.array([-1.0, 0.5]), low=(0, 0), high=(1, 0.5))
PLACES = {
    "longer than one": (sin(3 * X), Segment([0.0], [2.0])),
    "backward": (sin(3 * X), Segment([1.0], [-0.5])),
    "knots inside and outside": (STEPS, Segment([-0.5], [1.0])),
    "knots, backward": (STEPS, Segment([0.75], [-0.25])),
    "between two knots": (STEPS, Segment([0.1], [0.3])),
    "a segment in the plane": (sin(U) * V, Segment([0.0, 1.0], [1.0, -1.0])),
    "a slanted plane": (sin(U) * V, SLANTED),
}


@pytest.mark.parametrize("norm", ["sup", "L1"])
@pytest.mark.parametrize("name", PLACES)
def test_both_paths_of_a_verification_measure_the_same_error(name: str, norm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_verify, "SLACK", {1: 2.0**-6, 2: 2.0**-4})
    target, domain = PLACES[name]
    net = random_network([domain.n_inputs, 6, 1], seed=sum(map(ord, name)))
    first = approximation_error(net, target, domain, norm=norm, tolerance=1e-4 if domain.dimension == 1 else 0.02)
    room = 1.03 if domain.dimension == 1 else 1.3
    certificate = Certificate(float(first.high) * room, norm, domain, "enclosed", target, net)
    second = _verify.second_path(certificate, to_torch(net))
    assert second.low <= first.high and first.low <= second.high <= float(first.high) * room * (1 + 2.0**-4 + 1e-6)
    low = _verify.second_path(replace(certificate, bound=float(first.low) * 0.8), to_torch(net))
    assert float(first.low) * 0.8 < low.high  # what is too small is not proved


def test_the_largest_error_of_all_pieces_counts() -> None:
    # 3 |x| is attained at an end; 40 x^5 (1 - x) is at most 2.7, which takes more parts to know than there may be
    wave = Polynomial([0, 0, 0, 0, 0, 40, -40])
    goal = PiecewisePolynomial([Fraction(-1), Fraction(0), Fraction(1)], [Polynomial([0, -3]), wave])
    net = Network.sequential(1, [Linear(np.zeros((1, 1)))])
    found = approximation_error(net, goal, Segment([-1.0], [1.0]), exact=False, max_parts=1)
    assert found.low == pytest.approx(3.0) and found.high > 5


@pytest.mark.parametrize("max_parts", [1, 10, 40, 200])
@pytest.mark.parametrize("norm", ["sup", "L1"])
def test_an_enclosure_that_had_to_stop_early_still_holds_the_error(norm: str, max_parts: int) -> None:
    for seed in range(6):
        net = random_network([1, 5, 1], seed=seed)
        goal, domain = sin(9 * X) * (2 * X + seed), Segment([-1.0], [1.0])
        true = approximation_error(net, goal, domain, norm=norm, tolerance=1e-5)
        found = approximation_error(net, goal, domain, norm=norm, max_parts=max_parts)
        assert found.low <= true.high and true.low <= found.high


def test_half_of_a_bend_is_taken_over_the_whole_box() -> None:
    # x^3 bends nowhere at the middle of [-1, 1]; x y bends along no axis, and sin(x) y on both together
    zero = [Network.sequential(d, [Linear(np.zeros((1, d)))]) for d in (1, 2)]
    cube = deviation(zero[0], SmoothPolynomial(Polynomial([0, 0, 0, 1])), np.zeros((1, 1)), np.ones((1, 1)))
    assert cube.upper()[0] >= 1
    saddle = deviation(zero[1], SmoothPolynomial(Polynomial({(1, 1): 1})), np.zeros((1, 2)), np.ones((1, 2)))
    assert 1 <= saddle.upper()[0] < 1 + 1e-12
    rng = np.random.default_rng(0)
    goal = Smooth(sin(3 * U) * V + U**3)
    center, radius = rng.normal(size=(60, 2)), rng.uniform(0.01, 1, size=(60, 2))
    most = deviation(zero[1], goal, center, radius).upper()
    for _ in range(50):
        x = center + radius * rng.choice([-1.0, 1.0, 0.3, -0.6], size=(60, 2))
        assert (np.abs(np.sin(3 * x[:, 0]) * x[:, 1] + x[:, 0] ** 3) <= most * (1 + 1e-12)).all()


def test_boxes_cover_the_domain_before_and_after_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_boxes, "_largest", lambda network, goal, center, radius, *_: (center, radius))
    rng = np.random.default_rng(1)
    for _ in range(300):
        low, high = np.sort(rng.normal(size=(2, 2)) * 10.0 ** rng.integers(-3, 3, size=2), axis=0)
        center, radius = box_error(None, None, Box(low, high), norm="sup", tolerance=0.1, max_parts=1)  # type: ignore[arg-type, misc]
        for i in range(2):
            c, r = Fraction(center[0, i]), Fraction(radius[0, i])
            assert c - r <= Fraction(low[i]) and Fraction(high[i]) <= c + r
        for _ in range(4):
            halves = _boxes._split(center, radius)
            for k in range(len(center)):
                axis = int(radius[k].argmax())
                pair = [(Fraction(halves[0][m, axis]), Fraction(halves[1][m, axis])) for m in (k, k + len(center))]
                ends = [(middle - reach, middle + reach) for middle, reach in pair]
                c, r = Fraction(center[k, axis]), Fraction(radius[k, axis])
                assert ends[0][0] <= c - r and ends[1][0] <= ends[0][1] and c + r <= ends[1][1]
            center, radius = halves


def test_what_boxes_find_at_points_is_attained_below_a_large_constant() -> None:
    for seed in range(6):
        net, domain = lifted(seed, 1), Box([-1.0], [1.25])
        goal = Polynomial([Fraction(10**6, 3), Fraction(1, 7)])
        exact = approximation_error(net, goal, domain, exact=True)
        found = box_error(net, SmoothPolynomial(goal), domain, norm="sup", tolerance=1e-4, max_parts=3000)
        assert Fraction(found.low) <= exact.high <= Fraction(found.high)


def test_an_enclosure_as_a_number_is_its_upper_end() -> None:
    third = Fraction(1, 3)
    assert Fraction(float(ErrorEnclosure(Fraction(1, 4), third, "sup", "stub"))) >= third > Fraction(1, 3) - Fraction(1, 10**9)
    assert float(ErrorEnclosure(0.25, 0.5, "sup", "stub")) == 0.5


def test_points_of_a_box_in_space_lie_in_it() -> None:
    low, high = np.array([1.0, -3.0, 2.0]), np.array([2.0, -2.0, 4.0])
    points = sample_points(Box(low, high))
    assert (points >= low).all() and (points <= high).all() and np.allclose(np.ptp(points, axis=0), high - low)


@pytest.mark.parametrize("domain", [Segment([1.0], [2.0]), Segment([3.0], [2.5]), Box([1.0, -3.0], [2.0, -2.0])])
def test_a_domain_away_from_zero_is_looked_at_where_it_is(domain: Segment | Box) -> None:
    points = sample_points(domain)
    corners = np.array([np.atleast_1d(c) for c in (domain.to_input(domain.window))])
    assert (points >= corners.min(0) - 1e-12).all() and (points <= corners.max(0) + 1e-12).all()
    assert np.allclose(points.min(0), corners.min(0)) and np.allclose(points.max(0), corners.max(0))
    d = domain.n_inputs
    zero = Network.sequential(d, [Linear(np.zeros((1, d)))])
    first = Polynomial({tuple(int(i == 0) for i in range(d)): 1})
    found = approximation_error(zero, first, domain)
    assert found.is_exact and found.high == Fraction(float(np.abs(corners[:, 0]).max()))
    assert float(approximation_error(zero, sin(variables(d)[0]) + 2, domain).high) == pytest.approx(
        max(np.sin(x) + 2 for x in np.linspace(corners[:, 0].min(), corners[:, 0].max(), 2001)), rel=1e-5
    )


@pytest.mark.parametrize("size", [1, 16, 2**12])
def test_weights_that_are_no_floats_are_charged_for_the_size_of_their_inputs(size: int) -> None:
    for coefficients in ([0, Fraction(1, 3)], [Fraction(1, 7), Fraction(-5, 3)]):
        built = polynomial(coefficients, Fraction(1, 10), size=size)  # no squares: rounding is all there is
        exact = approximation_error(built.network, Polynomial(coefficients), built.certificate.domain)
        assert exact.is_exact and 0 < exact.high <= built.certificate.bound


def test_a_bounded_wire_of_a_polynomial_is_as_large_as_it_says() -> None:
    p = Polynomial([-5, 1, 0, 2])
    c, value = evaluated(p, Fraction(2), 4)
    x = np.linspace(-2, 2, 401)[:, None]
    values = c.network(value.wire)(x)[:, 0]
    assert np.abs(values).max() <= value.size and np.abs(values - (-5 + x + 2 * x**3)[:, 0]).max() <= value.error
    assert value.size == 5 + 2 + 2 * 2**3


@pytest.mark.parametrize("height", [1, 30])
def test_boxes_of_a_high_target_have_ramps_as_narrow_as_it_asks_for(height: int) -> None:
    built = box_network(height * U * V, error=0.2 * height)
    assert built.certificate is not None and float(built.certificate.bound) <= 0.4 * height
    steep = box_network(height + X / 8, error=0.1)  # hardly a slope: what the ramps cost is what it is about
    assert steep.certificate is not None and float(steep.certificate.bound) <= 0.2


def test_a_tree_whose_parts_are_joined_wrongly_is_not_verified() -> None:
    built = tree(balanced_tree((U + V) ** 2 / 4, 4), 1)
    certificate = built.certificate
    assert certificate is not None and certificate.verify()
    for off, holds in ((2.0**-34, True), (2.0**-28, False), (0.01, False)):
        last = Linear(np.ones((1, 1)), np.array([off]))
        other = replace(certificate, network=extended(certificate.network, [last]))
        assert (not other._joined_wrongly(other.network)) == holds  # type: ignore[attr-defined]


def test_the_smaller_of_two_wires() -> None:
    c = Circuit(2)
    net = c.network(c.minimum(*c.inputs), c.maximum(*c.inputs))
    x = np.random.default_rng(0).normal(size=(50, 2))
    assert np.allclose(net(x), np.stack([x.min(1), x.max(1)], axis=1))


@pytest.mark.parametrize("d", [1, 3])
def test_frequencies_of_a_gaussian_are_drawn_by_their_length(d: int) -> None:
    # the density |w| N(w): lengths have d + 1 degrees of freedom
    drawn, _ = GaussianSpectrum(d, sigma=0.5).sample(40_000, np.random.default_rng(0))
    squares = (drawn**2).sum(1) * 0.25
    assert squares.mean() == pytest.approx(d + 1, abs=4 * squares.std() / 200)
    assert drawn.mean(0) * 0.5 == pytest.approx(0.0, abs=0.05)


def test_a_plane_that_begins_on_an_axis_is_no_part_of_the_plane_through_zero() -> None:
    zero = Network.sequential(2, [Linear(np.zeros((1, 2)))])
    for start in ((1.0, 0.0), (0.0, 1.0), (2.0, 3.0)):
        plane = Plane.box(np.array(start), np.array([1.0, 0.0]), np.array([0.0, 1.0]), low=(0, 0), high=(1, 1))
        found = approximation_error(zero, Polynomial({(1, 0): 1, (0, 1): 1}), plane)
        assert found.is_exact and found.high == Fraction(sum(start)) + 2
