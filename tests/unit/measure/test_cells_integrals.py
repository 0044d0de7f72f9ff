"""Extremes, moments, distributions and class volumes: against closed forms, rationals and sampling."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.geometry import Bounded, Box, Path, Segment, Space, decompose
from plica.measure import class_volumes, distribution, extremes, moments, volume_above
from plica.measure.cells import _sharp
from plica.measure.cells._distribution import below
from plica.measure.cells._integrals import homogeneous, means
from plica.measure.cells._sharp import SharedMaps, exact_value, simplex_volumes
from plica.network import Linear, Max, Network, Rectifier

CASES = {
    "line": (plica.random_network([1, 12, 8, 2], seed=0, bias_std=0.5), Box([-2], [2])),
    "path": (plica.random_network([2, 9, 2], seed=1), Path([[-1, -1], [1, 0], [0, 1]])),
    "plane": (plica.random_network([2, 10, 8, 2], seed=2), Box([-1, -1], [1, 2])),
    "space": (plica.random_network([3, 6, 5, 2], seed=3), Box([-1, -1, -1], [1, 1, 1])),
    "four": (plica.random_network([4, 5, 3, 2], seed=4), Box([-1] * 4, [1] * 4)),
}


def square_distance() -> Network:
    """max(|x|, |y|) on the plane."""
    return Network.sequential(
        2, [Linear(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])), Max(np.arange(4)[None])], name="largest coordinate"
    )


@pytest.mark.parametrize("name", CASES)
def test_extremes_are_those_of_all_exact_vertices(name: str) -> None:
    net, domain = CASES[name]
    cx = decompose(net, domain)
    for options, weights in (({"output": 1}, [0, 1]), ({"weights": [2.0, -0.5]}, [2, Fraction(-1, 2)])):
        values = [sum(w * y for w, y in zip(weights, cx.exact_output(v), strict=True)) for v in range(len(cx.vertices))]
        found = extremes(cx, **options)
        assert (found.minimum.value, found.maximum.value) == (min(values), max(values))
        assert found.maximum.exact_point == cx.exact_vertex(found.maximum.vertex)
        assert found.maximum.vertex in cx.vertices_of(found.maximum.cell)
        assert found.n_exact < len(values) or len(values) < 4


def test_extremes_beat_every_sample() -> None:
    net, domain = CASES["plane"]
    found = extremes(decompose(net, domain))
    x = np.random.default_rng(0).uniform(domain.low, domain.high, (20_000, 2))
    y = net(x)[:, 0]
    assert found.minimum.value <= y.min() + 1e-12 and y.max() - 1e-12 <= found.maximum.value
    assert float(found.maximum) - y.max() < 0.05 * float(found.range)


def test_a_plateau_is_settled_by_one_map() -> None:
    rng = np.random.default_rng(1)
    ops = [
        Linear(rng.normal(size=(30, 2)), rng.normal(size=30)),
        Rectifier(),
        Linear(-np.abs(rng.normal(size=(1, 30))), np.array([-1.0])),
    ]
    cx = decompose(Network.sequential(2, [*ops, Rectifier(), Linear(np.ones((1, 1)), np.array([0.3]))]), Box([-1, -1], [1, 1]))
    found = extremes(cx)  # the last unit is never on: one constant on all cells
    assert found.minimum.value == found.maximum.value == Fraction(0.3) and found.n_exact == 0


def test_extremes_know_their_minus() -> None:
    net, domain = CASES["space"]
    cx = decompose(net, domain)
    up, down = extremes(cx, weights=[1, 0]), extremes(cx, weights=[-1, 0])
    assert up.maximum.value == -down.minimum.value and up.minimum.value == -down.maximum.value


@pytest.mark.parametrize("name", CASES)
def test_enclosed_moments_hold_the_exact_ones(name: str) -> None:
    net, domain = CASES[name]
    cx = decompose(net, domain)
    floats, exact = moments(cx, output=1, order=3), moments(cx, output=1, order=3, exact=True)
    for a, b in zip(floats.integrals, exact.integrals, strict=True):
        assert b.exact is not None and a.low <= b.exact <= a.high
        assert a.high - a.low < 1e-9 * (1 + abs(float(b.exact)))
    assert floats.variance.low <= exact.variance.exact <= floats.variance.high
    assert floats.kind == "certified" and exact.kind == "exact"


def test_moments_of_known_functions() -> None:
    cx = decompose(square_distance(), Box([-1, -1], [1, 1]))
    found = moments(cx, order=3, exact=True)  # P(max <= t) = t^2, so E max^k = 2 / (k + 2)
    assert [found.moment(k).exact for k in (1, 2, 3)] == [Fraction(2, 3), Fraction(1, 2), Fraction(2, 5)]
    assert found.volume == 4 and found.integral.exact == Fraction(8, 3)


def test_moments_agree_with_sampling() -> None:
    net, domain = CASES["four"]
    y = net(np.random.default_rng(5).uniform(-1, 1, (200_000, 4)))[:, 0]
    found = moments(decompose(net, domain), order=2)
    for k in (1, 2):
        assert abs(float(found.moment(k)) - (y**k).mean()) < 5 * (y**k).std() / np.sqrt(len(y))


@pytest.mark.parametrize("name", CASES)
def test_distributions_enclose_the_exact_ones(name: str) -> None:
    net, domain = CASES[name]
    found = distribution(decompose(net, domain))
    knots = found.knots
    for t in [*np.quantile(knots, [0.1, 0.35, 0.5, 0.8]), knots[0] - 1, knots[-1] + 1]:
        exact = found.exact_cdf(float(t)).exact
        low, high = (x[0] for x in found.cdf_bounds(t))
        assert exact is not None and low <= exact <= high and high - low < 1e-9
    assert found.exact_cdf(found.exact_knots()[-1]).exact == 1


def test_the_distribution_of_the_largest_coordinate_is_a_square() -> None:
    found = distribution(decompose(square_distance(), Box([-1, -1], [1, 1])))
    assert found.exact_knots() == [0, 1] and found.piece(0) == (0, 0, 1)
    np.testing.assert_allclose(found.density([0.25, 0.5, 0.75]), [0.5, 1.0, 1.5], rtol=1e-12)
    median = found.quantile(0.5)
    assert median.low <= np.sqrt(0.5) <= median.high and median.high - median.low < 1e-9
    assert 4 * (1 - 0.25) in found.above(0.5)


def test_distributions_agree_with_samples() -> None:
    net, domain = CASES["space"]
    found = distribution(decompose(net, domain), output=1)
    y = net(np.random.default_rng(0).uniform(-1, 1, (100_000, 3)))[:, 1]
    for p in (0.2, 0.5, 0.9):
        t = float(np.quantile(y, p))
        assert abs(found.cdf(t)[0] - p) < 5 * np.sqrt(p * (1 - p) / len(y))


def test_a_constant_cell_is_a_jump() -> None:
    net = Network.sequential(1, [Linear(np.ones((1, 1))), Rectifier()])
    found = distribution(decompose(net, Box([-1], [1])))
    assert [found.exact_cdf(Fraction(t)).exact for t in (-1, 0, Fraction(1, 2), 1)] == [0, Fraction(1, 2), Fraction(3, 4), 1]
    assert found.cdf_bounds(-1e-9)[1][0] < 1e-9 and found.cdf_bounds(1e-9)[0][0] > 0.5 - 1e-8


def test_pieces_of_a_distribution_are_continuous() -> None:
    net, _ = CASES["plane"]
    found = distribution(decompose(net, Box([-0.5, -0.5], [0.5, 0.5])))
    knots = found.exact_knots()
    pieces = [found.piece(i) for i in range(min(4, len(knots) - 1))]
    for i, (left, right) in enumerate(itertools.pairwise(pieces)):
        t = knots[i + 1]
        assert sum(c * t**k for k, c in enumerate(left)) == sum(c * t**k for k, c in enumerate(right))


def test_the_part_below_is_one_minus_the_part_above() -> None:
    rng = np.random.default_rng(3)
    for d in range(1, 6):
        v = np.sort(rng.normal(size=(50, d + 1)), axis=1)
        for t in (-0.3, 0.1, 0.9):
            np.testing.assert_allclose(below(v, t) + below(-v[:, ::-1], -t), 1, atol=1e-14)
            corners = rng.dirichlet(np.ones(d + 1), 20_000)  # uniform on the simplex
            np.testing.assert_allclose(below(v[:1], t)[0], (corners @ v[0] <= t).mean(), atol=0.02)


def test_homogeneous_polynomials_count_monomials() -> None:
    for n, k in ((2, 3), (4, 2), (3, 5)):
        from math import comb

        assert homogeneous(np.ones((1, n)), k)[0] == comb(n + k - 1, k)


def test_volumes_of_simplices_and_their_bounds() -> None:
    rng = np.random.default_rng(0)
    for d in range(1, 6):
        points = rng.normal(size=(20, d + 1, d))
        shift = rng.normal(size=points.shape)
        error = 1e-6 * np.linalg.norm(shift, axis=2)
        size, bound = simplex_volumes(points, error)
        moved, _ = simplex_volumes(points + 1e-6 * shift, 0 * error)
        assert (np.abs(size - moved) <= bound).all()


@pytest.mark.parametrize("name", CASES)
def test_class_volumes_fill_the_domain(name: str) -> None:
    net, domain = CASES[name]
    exact, floats = class_volumes(net, domain, exact=True), class_volumes(net, domain)
    assert sum(v.exact for v in exact.volumes) == exact.volume == floats.volume
    for a, b in zip(floats.volumes, exact.volumes, strict=True):
        assert a.low <= b.exact <= a.high


def test_class_volumes_are_volumes_above_zero_of_the_difference() -> None:
    net, domain = CASES["plane"]
    volumes, cx = class_volumes(net, domain), decompose(net, domain)
    second = volume_above(cx, 0.0, weights=[-1, 1])
    assert second.low <= volumes.volumes[1].high and volumes.volumes[1].low <= second.high
    x = np.random.default_rng(0).uniform(domain.low, domain.high, (50_000, 2))
    assert abs((net(x).argmax(axis=1) == 1).mean() - volumes.shares[1]) < 0.01


def test_a_single_output_has_two_classes() -> None:
    net = Network.sequential(1, [Linear(np.ones((1, 1)), np.array([-0.25]))])
    found = class_volumes(net, Segment([0.0], [1.0]), exact=True)
    assert [v.exact for v in found.volumes] == [Fraction(1, 4), Fraction(3, 4)]


def test_what_has_no_answer_is_refused() -> None:
    net = plica.random_network([2, 3, 2], seed=0)
    cx, whole = decompose(net, Box([0, 0], [1, 1])), decompose(net, Space(2))
    for ask in (lambda: extremes(whole), lambda: moments(whole), lambda: distribution(whole)):
        with pytest.raises(InvalidInput, match=r"R\^n"):
            ask()
    with pytest.raises(InvalidInput, match="no output 2"):
        extremes(cx, output=2)
    with pytest.raises(InvalidInput, match="got 3 weights"):
        moments(cx, weights=[1, 2, 3])
    with pytest.raises(InvalidInput, match="give one of them"):
        distribution(cx, output=0, weights=[1, 2])
    with pytest.raises(InvalidInput, match="orders from 1"):
        moments(cx, order=0)
    with pytest.raises(InvalidInput, match="probability"):
        distribution(cx).quantile(0)


def test_the_first_moment_alone_has_a_kind() -> None:
    cx = decompose(square_distance(), Box([-1, -1], [1, 1]))
    for exact, kind in ((False, "certified"), (True, "exact")):
        found = moments(cx, order=1, exact=exact)
        assert found.kind == kind == found.mean.kind and kind in repr(found)


def test_values_by_the_maps_of_cells_are_as_near_as_they_say():
    net = plica.random_network([2, 12, 12, 12, 3], seed=4, weights="he-normal", bias_std=0.3)
    cx = plica.decompose(net, plica.Box([-1, -2], [3, 1]))
    weights, vertices = np.array([1.0, -0.5, 0.25]), np.arange(cx.n_vertices)
    moved = Bounded(cx.vertices + 1e-5, np.full(cx.n_vertices, 1.5e-5))  # positions that are wrong within what is said
    for at, most in ((cx.bounded_vertices(), 1e-9), (moved, 1e-2)):
        values, error = SharedMaps(cx).values(weights, vertices, at)
        assert error.max() < most
        for v in range(0, cx.n_vertices, 7):
            assert abs(Fraction(float(values[v])) - exact_value(cx, weights, v)) <= Fraction(float(error[v]))


def test_many_vague_values_are_settled_by_maps_and_few_may_stay_vague(monkeypatch):
    net = plica.random_network([2, 10, 10, 2], seed=5, weights="he-normal", bias_std=0.3)
    cx = plica.decompose(net, plica.Box([-1, -1], [1, 1]))
    usual = means(cx)
    assert usual == tuple(moments(cx, output=k).mean for k in range(2))
    monkeypatch.setattr(_sharp, "MANY", 0)
    monkeypatch.setattr(_sharp, "bounded_values", vague_first(cx))
    for narrow, wide, k in zip(usual, means(cx), range(2), strict=True):
        exact = moments(cx, output=k, exact=True).mean.exact
        assert narrow.low <= exact <= narrow.high
        assert wide.low <= exact <= wide.high
        assert wide.high - wide.low < 1e-3 * abs(exact)


def vague_first(cx):
    """Values of which nothing is known but three quarters of a digit."""
    known = _sharp.bounded_values

    def vague(complex_, weights, outputs=None):
        values, error = known(complex_, weights, outputs)
        return (values, error) if outputs is not None else (values * (1 + 1e-3), error + 2e-3 * np.abs(values).max())

    return vague


def test_what_maps_lack_is_part_of_the_bound():
    cx = plica.decompose(plica.random_network([2, 6, 2], seed=3, bias_std=0.3), plica.Box([-1, -1], [2, 1]))
    maps, vertices, weights = cx.bounded_maps(), np.arange(cx.n_vertices), np.array([1.0, 1.0])
    shared = SharedMaps(cx)
    shared._maps = Bounded(maps.values + 1e-6, maps.error + 2e-6)  # wrong within what is said
    values, error = shared.values(weights, vertices, cx.bounded_vertices())
    for v in range(cx.n_vertices):
        assert abs(Fraction(float(values[v])) - exact_value(cx, weights, v)) <= Fraction(float(error[v]))


@pytest.mark.parametrize("name", CASES)
def test_the_volume_above_a_level_is_the_domain_without_what_is_below(name: str) -> None:
    net, domain = CASES[name]
    found = distribution(decompose(net, domain))
    for t in np.quantile(found.knots, [0.2, 0.6]):
        exact = found.exact_cdf(float(t)).exact
        assert exact is not None
        above, volume = found.above(float(t)), Fraction(float(found.volume))
        assert above.low <= (1 - exact) * volume <= above.high and above.high - above.low < 1e-9 * volume
