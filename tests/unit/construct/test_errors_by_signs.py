"""Cases of signs: errors that vanish although kinks cancel, bounds by multipliers, and wrong networks that stay wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from plica._types import Array
from plica.construct import approximation_error, triangulation, variables
from plica.construct.errors import _verify
from plica.construct.errors._certificate import Certificate, certified
from plica.construct.errors._enclosure import ErrorEnclosure
from plica.construct.errors._forms import Form
from plica.construct.errors._signs import Region, _Cases, upper_by_signs
from plica.geometry import Box
from plica.network import Linear, Network, random_network, to_torch

ZERO = (0.0, np.zeros(2), 0.0)
UNIT = Box([0.0, 0.0], [1.0, 1.0])
CENTER, RADIUS = np.zeros(2), np.ones(2)


def with_weight_moved(network: Network, layer: int, by: float) -> Network:
    """The same layers, with the largest weight of one of them moved."""
    ops, seen = [], 0
    for node in network.nodes[1:]:
        op = node.op
        if isinstance(op, Linear):
            if seen == layer:
                weight = op.weight.copy()
                weight.reshape(-1)[np.abs(weight).argmax()] += by
                op = replace(op, weight=weight)
            seen += 1
        ops.append(op)
    return Network.sequential(network.input_shape, ops)


def bound_of_second_path(certificate: Certificate, network: Network) -> ErrorEnclosure:
    return _verify.second_path(certificate, to_torch(network))


def test_the_second_path_knows_that_kinks_of_a_triangulation_cancel_where_the_target_is_affine() -> None:
    u, v = variables(2)
    for f, n in (((u + v) / 2, 2), (1 - u / 3 + 0.6 * v, 4)):
        network = triangulation(f, n).network
        certificate = Certificate(2e-15, "sup", UNIT, "", f, network)
        second = bound_of_second_path(certificate, network)
        assert second.low < 1e-14
        assert second.high <= _verify._with_slack(certificate) < 1e-11


@pytest.mark.parametrize("layer", [0, 1, 2, 3])
def test_a_weight_that_is_wrong_by_a_millionth_is_found_by_the_second_path(layer: int) -> None:
    f = sum(variables(2)) / 2
    wrong = with_weight_moved(triangulation(f, 2).network, layer, 1e-6)
    certificate = Certificate(2e-15, "sup", UNIT, "", f, wrong)
    second, points = bound_of_second_path(certificate, wrong), np.random.default_rng(0).uniform(size=(1000, 2))
    assert second.low > max(1e-8, float(_verify._with_rounding(certificate)))
    assert np.abs(wrong(points)[:, 0] - points.mean(1)).max() <= second.high


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_cases_reach_the_largest_value_of_a_network_and_nothing_below_it(seed: int) -> None:
    net = random_network([2, 6, 4, 1], seed=seed)
    truth = float(approximation_error(net, 0, Box([-1.0, -1.0], [1.0, 1.0])).high)
    found = upper_by_signs(net, ZERO, CENTER, RADIUS, truth * (1 + 1e-6), 2000)
    assert truth * (1 - 1e-9) <= found.upper <= truth * (1 + 1e-6)
    missed = upper_by_signs(net, ZERO, CENTER, RADIUS, truth * (1 - 1e-2), 2000)
    assert missed.upper == np.inf
    assert np.abs(net(np.array(missed.points))).max() > truth * (1 - 1e-2)
    assert upper_by_signs(net, ZERO, CENTER, RADIUS, truth * (1 + 1e-6), 1).upper == np.inf


def test_what_is_left_of_the_target_counts() -> None:
    net = Network.sequential(2, [Linear(np.array([[1.0, -2.0]]), np.array([0.5]))])
    assert upper_by_signs(net, (0.5, np.array([1.0, -2.0]), 0.25), CENTER, RADIUS, 1.0, 1).upper == pytest.approx(0.25, rel=1e-12)
    assert upper_by_signs(net, (0.0, np.array([1.0, -1.0]), 0.25), CENTER, RADIUS, 2.0, 1).upper == pytest.approx(1.75, rel=1e-12)


def test_a_case_keeps_every_point_where_its_sign_is_possible() -> None:
    x = Form(np.zeros((1, 1)), np.array([[[1.0], [0.0]]]), np.full((1, 1), 0.5))
    for sign in (1.0, -1.0):
        cases = _Cases([(0, 0, sign)])
        cases.rectified(x, np.zeros(()))
        assert cases.region.most(np.zeros(1), np.array([[-sign, 0.0]]))[0] == pytest.approx(0.5)


def inside(points: Array, offsets: Array, normals: Array) -> Array:
    return points[(offsets + points @ normals.T >= 0).all(1)]


def test_multipliers_bound_every_point_of_a_region_and_are_attained() -> None:
    rng = np.random.default_rng(5)
    points = rng.uniform(-1, 1, (4000, 2))
    for _ in range(20):
        normals, offsets = rng.normal(size=(3, 2)), rng.uniform(0.1, 0.6, 3)
        region, slopes = Region(), rng.normal(size=(6, 2))
        for offset, normal in zip(offsets, normals, strict=True):
            region.cut(offset, normal)
        most = region.most(np.ones(6), slopes)
        at = 1 + inside(points, offsets, normals) @ slopes.T
        assert (at.max(0) <= most).all()
        assert most == pytest.approx((1 + region.vertices @ slopes.T).max(0), abs=1e-9)


def test_a_polygon_that_proposes_nonsense_leaves_a_bound() -> None:
    region = Region()
    region.cut(0.5, np.array([1.0, 1.0]))
    region.vertices, region.edges = region.vertices[::-1].copy(), np.array([4, 2, 4, 1, 4])[: len(region.edges)]
    assert region.most(np.zeros(1), np.array([[-1.0, -1.0]]))[0] >= 0.5
    assert region.most(np.zeros(1), np.array([[1.0, 1.0]]))[0] >= 2.0


def test_a_network_against_another_of_the_same_function_is_verified_in_the_plane() -> None:
    u, v = variables(2)
    net = triangulation(u * v, 2).network
    assert certified(net, triangulation(u * v, 2).network, UNIT).verify()


def test_what_multipliers_round_is_in_the_bound() -> None:
    """Left of e_1 = offset / n the largest value of center + slopes e is attained in a corner: in fractions."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        region, (offset, n, center) = Region(), rng.uniform(0.1, 0.9, 3).tolist()
        region.cut(offset * n, np.array([-n, 0.0]))
        slopes = rng.uniform(0.1, 1.0, (1, 2))
        bound = float(region.most(np.array([center]), slopes)[0])
        corner = Fraction(offset * n) / Fraction(n)
        truth = Fraction(center) + Fraction(float(slopes[0, 0])) * corner + Fraction(float(slopes[0, 1]))
        assert truth <= Fraction(bound) <= truth + Fraction(1, 10**12)
        bound = float(Region().most(np.array([center]), slopes)[0])
        truth = Fraction(center) + sum(map(Fraction, slopes[0].tolist()))
        assert truth <= Fraction(bound) <= truth + Fraction(1, 10**12)
