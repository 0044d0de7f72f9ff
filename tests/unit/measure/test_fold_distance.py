"""Distances to folds: in fractions, in floats with bounds, from Lipschitz constants, and from the geometry of the complex."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import Box, decompose
from plica.measure import fold_distance
from plica.measure._fold_distance import square_root
from plica.measure._fold_distance_exact import exact_squares
from plica.measure._pullback import pullback
from plica.network import Fold, Linear, Network, Rectifier, random_network
from plica.testing import FAMILIES, draw_network

EXTREME = {"all layers x 1e150", "all layers x 1e-150", "uneven rows", "subnormal"}
ORDINARY = sorted(set(FAMILIES) - EXTREME)


def points(net: Network, n: int = 4) -> Any:
    """Random points and one with integer coordinates, which lies on folds of many families."""
    x = np.random.default_rng(1).normal(size=(n, net.n_inputs)) * 0.7
    x[0] = np.round(x[0])
    return x


@pytest.mark.parametrize("family", ORDINARY)
def test_floats_and_lipschitz_bounds_hold_the_exact_distance(family: str) -> None:
    for seed in range(2):
        net = draw_network(family, seed=seed)
        x = points(net)
        exact, cell, bounds = (fold_distance(net, x, method=m) for m in ("exact", "cell", "bounds"))
        for found in (cell, bounds):
            assert (found.lower <= exact.upper).all() and (exact.lower <= found.upper).all()
            assert (found.by_layer_lower <= np.nextafter(exact.by_layer, np.inf)).all()
        finite = np.isfinite(exact.by_layer)
        assert (np.isfinite(cell.by_layer) == finite).all()
        np.testing.assert_allclose(cell.by_layer[finite], exact.by_layer[finite], rtol=1e-7, atol=1e-10)
        assert (cell.layer == exact.layer).all() or np.allclose(cell.distance, exact.distance)


@pytest.mark.parametrize("family", sorted(EXTREME))
def test_weights_beyond_the_floats_need_fractions(family: str) -> None:
    net = draw_network(family, seed=1)
    found = fold_distance(net, points(net), method="exact")
    assert (found.distance >= 0).all() and len(found.squared) == 4
    if family.startswith("all"):
        with pytest.raises(InvalidInput, match="leave the range"):
            fold_distance(net, points(net))


def polygon_distance(cx: Any, x: Any) -> float:
    """From a point to the edges of its cell that are folds: the distance to a segment, edge by edge."""
    cell = cx.cell_at(x)
    inner = (cx.edge_cells >= 0).all(axis=1) & (cx.edge_cells == cell).any(axis=1)
    return min((segment_distance(x, *cx.vertices[e]) for e in cx.edges[inner]), default=np.inf)


def segment_distance(x: Any, a: Any, b: Any) -> float:
    t = np.clip((x - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return float(np.linalg.norm(a + t * (b - a) - x))


def test_the_distance_is_that_to_the_polygon_around_the_point() -> None:
    net = random_network([2, 12, 10, 8, 1], seed=3, weights="he-normal", bias_std=0.5)
    cx = decompose(net, Box([-60.0, -60.0], [60.0, 60.0]))
    x = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    np.testing.assert_allclose(fold_distance(net, x).distance, [polygon_distance(cx, p) for p in x], rtol=1e-8)


def test_a_settled_layer_has_its_nearest_fold_at_that_distance_and_no_layer_one_below_its_bound() -> None:
    net = random_network([2, 6, 8, 8, 1], seed=5, weights="he-normal", bias_std=0.5)
    cx: Any = decompose(net, Box([-200.0, -200.0], [200.0, 200.0]))
    x = np.random.default_rng(0).uniform(-1, 1, (25, 2))
    found = fold_distance(net, x)
    for layer in range(3):
        true = np.array([min(segment_distance(p, a, b) for a, b in cx.folds(layer)) for p in x])
        settled = found.is_settled[:, layer]
        np.testing.assert_allclose(found.by_layer[settled, layer], true[settled], rtol=1e-8)
        assert (found.by_layer_lower[:, layer] <= true * (1 + 1e-9)).all()
    assert found.is_settled[:, 0].all() and found.is_settled.any(axis=0).all()


@pytest.mark.parametrize("family", ["gaussian", "leaky", "hard-tanh", "maxout", "residual", "concat", "max-pool", "average pool"])
def test_the_nearest_point_is_at_the_distance_and_on_a_fold(family: str) -> None:
    net = draw_network(family, seed=2)
    x = np.random.default_rng(3).normal(size=(5, net.n_inputs))
    found = fold_distance(net, x)
    for i in np.flatnonzero((found.layer >= 0) & (found.distance > 0)):
        step = found.nearest_point(int(i)) - x[i]
        assert np.linalg.norm(step) == pytest.approx(found.distance[i])
        inside, outside = (net.pattern(x[i] + f * step) for f in (1 - 1e-7, 1 + 1e-7))
        here = net.pattern(x[i])
        assert all(np.array_equal(a, b) for a, b in zip(here, inside, strict=True))
        assert not np.array_equal(
            here[found.layer[i]].reshape(-1)[found.unit[i]], outside[found.layer[i]].reshape(-1)[found.unit[i]]
        )


def test_no_point_within_the_distance_has_another_pattern() -> None:
    net = random_network([6, 20, 20, 2], seed=1, weights="he-normal", bias_std=0.5)
    x = np.random.default_rng(0).normal(size=6)
    found = fold_distance(net, x)
    steps = np.random.default_rng(1).normal(size=(2000, 6))
    steps *= found.lower[0] * (1 - 1e-9) / np.linalg.norm(steps, axis=1, keepdims=True)
    here = np.concatenate(net.pattern(x))
    assert all(np.array_equal(np.concatenate(net.pattern(x + s)), here) for s in steps)


def test_the_standard_error_of_three_distances_is_that_of_a_sample() -> None:
    net = Network.sequential(1, [Linear(np.array([[1.0]])), Rectifier()])
    found = fold_distance(net, np.array([[1.0], [2.0], [4.0]]))  # mean 7/3, squares of deviations 16/9, 1/9 and 25/9
    assert found.mean == pytest.approx(7 / 3) and found.standard_error == pytest.approx((42 / 9 / 2 / 3) ** 0.5)


def test_a_point_on_a_fold_is_at_distance_zero() -> None:
    net = Network.sequential(2, [Linear(np.array([[0.1, 0.2], [1.0, 1.0]]), np.array([0.0, 5.0])), Rectifier()])
    found = fold_distance(net, [[2.0, -1.0], [2.0, 1.0]])
    assert found.distance[0] == found.lower[0] == 0.0 and found.upper[0] < 1e-250
    assert found.distance[1] > 0 and found.unit.tolist() == [0, 0]


def test_a_network_without_folds_or_with_dead_units_only_has_no_distance() -> None:
    flat = Network.sequential(2, [Linear(np.eye(2))])
    dead = Network.sequential(2, [Linear(np.zeros((3, 2)), -np.ones(3)), Rectifier(), Linear(np.ones((2, 3))), Rectifier()])
    for net in (flat, dead):
        for method in ("cell", "exact", "bounds"):
            found = fold_distance(net, [[0.3, 0.2]], method=method)
            assert np.isinf(found.distance[0]) and found.layer[0] == found.unit[0] == -1
    with pytest.raises(InvalidInput, match="no fold"):
        fold_distance(dead, [0.3, 0.2]).nearest_point(0)


@pytest.mark.parametrize("family", sorted(set(FAMILIES) - EXTREME))
def test_the_backward_pass_is_the_gradient_of_the_piece(family: str) -> None:
    """One unit's gradient against the linear part of the network that ends there."""
    net = draw_network(family, seed=3)
    pattern = net.pattern(points(net)[1])
    last = net.layers[-1] if net.layers else len(net.nodes) - 1
    source = net.nodes[last].inputs[0]
    head = Network(net.nodes[: source + 1])
    n_states = sum(isinstance(node.op, Fold) for node in head.nodes)
    matrix, _ = head.linearize(pattern[:n_states])
    for k in range(min(3, len(matrix))):
        gradient, error = pullback(net, pattern, source, np.eye(len(matrix))[k])
        np.testing.assert_allclose(gradient, matrix[k], rtol=1e-9, atol=1e-9 * max(1.0, np.abs(matrix).max()))
        assert error < 1e-6 * max(1.0, np.abs(matrix).max())


def test_batches_and_single_points_agree_and_progress_is_told() -> None:
    net = random_network([3, 8, 8, 1], seed=0, weights="he-normal", bias_std=0.5)
    x, told = np.random.default_rng(0).normal(size=(5, 3)), []
    found = fold_distance(net, x, progress=told.append)
    assert [t["points_done"] for t in told] == [1, 2, 3, 4, 5]
    for i, p in enumerate(x):
        assert fold_distance(net, p).distance[0] == pytest.approx(found.distance[i], rel=1e-12)
    assert found.mean == pytest.approx(found.distance.mean()) and "5 points" in repr(found)
    assert found.to_dict()["method"] == "cell" and len(found) == 5


def test_exact_squares_are_fractions_and_their_roots_are_near() -> None:
    net = Network.sequential(2, [Linear(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([-10.0, 1.0])), Rectifier()])
    ((square, unit),) = exact_squares(net, np.array([0.0, 0.0]))
    assert square == 4 and unit == 0
    assert fold_distance(net, [0.0, 0.0], method="exact").squared == (4,)
    for value in (4, 2, 10**400, 1):
        assert square_root(Fraction(value, 10**380)) ** 2 == pytest.approx(float(Fraction(value, 10**380)), rel=1e-15)


@pytest.mark.parametrize("x", [[1.0], [[1.0, 2.0, 3.0]], [np.nan, 0.0], "a", []])
def test_what_is_no_point_is_refused(x: Any) -> None:
    with pytest.raises(InvalidInput):
        fold_distance(random_network([2, 3, 1], seed=0), x)


def test_unknown_methods_are_refused() -> None:
    net = random_network([2, 3, 1], seed=0)
    with pytest.raises(InvalidInput, match="method"):
        fold_distance(net, [0.0, 0.0], method="guess")
    with pytest.raises(InvalidInput, match="nearest"):
        fold_distance(net, [0.1, 0.2], method="bounds").nearest_point(0)


def test_gradients_whose_squares_overflow_are_refused_in_floats_and_exact_in_fractions():
    big = 2.0**275  # one layer is within the range of floats, the square of two is not
    layers = [Linear(np.array([[big]]), np.array([big / 2])), Rectifier(), Linear(np.array([[big]]), np.array([-(big**2)]))]
    network = Network.sequential(1, [*layers, Rectifier(), Linear(np.ones((1, 1)))])
    with pytest.raises(InvalidInput, match="range of floats"):
        fold_distance(network, np.zeros((1, 1)))
    assert fold_distance(network, np.zeros((1, 1)), method="exact").squared == (Fraction(1, 4),)
