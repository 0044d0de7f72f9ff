"""What is measured where it ends: corners that point inward, the last bar, tiny weights, fewer tokens than entries."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.spatial import ConvexHull

from plica.errors import InvalidInput
from plica.geometry import Box, Budget, Meter, Segment, decompose
from plica.measure import (
    _trajectory_exact,
    class_volumes,
    equivariance_defect,
    fold_distance,
    region_definitions,
    stream_values,
)
from plica.measure._fold_distance_cell import layers_at
from plica.measure.cells import _classes
from plica.measure.cells._convex_regions import _Plane
from plica.measure.cells._sharp import simplex_volumes
from plica.network import Linear, Max, Network, Rectifier, random_network


def test_a_region_in_space_with_a_corner_that_points_inward_is_two_convex_sets() -> None:
    # max(min(x, y), 0) over a cube: it is 0 on an L times an interval
    corner = [Linear(-np.eye(3)[:2]), Max(np.array([[0, 1]])), Linear(-np.ones((1, 1))), Rectifier()]
    found = region_definitions(decompose(Network.sequential(3, corner), Box([-1] * 3, [1] * 3)))
    assert found.open_connected == 3 and found.convex[0] == 4
    slab = [Linear(np.eye(3)[:1]), Rectifier()]
    assert region_definitions(decompose(Network.sequential(3, slab), Box([-1] * 3, [1] * 3))).convex == (2, 2)


def test_the_bars_of_a_histogram_hold_the_whole_domain_and_no_more() -> None:
    x = Network.sequential(2, [Linear(np.array([[1.0, 0.0]])), Rectifier()])
    bars = stream_values(x, Box([-1, -1], [1, 1]), levels=[0.25, 0.5]).histogram()
    for bar, share in zip(bars, (0.625, 0.125, 0.25), strict=True):
        assert bar.low <= share <= bar.high and bar.high - bar.low < 1e-9


def test_volumes_in_parts_keep_to_the_budget_that_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Spy(Meter):
        def __init__(self, budget: Budget, n_layers: int) -> None:
            seen.append(budget)
            super().__init__(budget, n_layers)

    monkeypatch.setattr(_classes, "Meter", Spy)
    network, square, given = random_network([2, 4, 3], seed=0), Box([-1, -1], [1, 1]), Budget(max_cells=10_000)
    for budget in (given, None):
        shares = class_volumes(network, square, in_parts=True, budget=budget).volumes
        assert sum(v.low for v in shares) <= 4 <= sum(v.high for v in shares)
    assert seen[0] is given and seen[1] == Budget()


def test_a_unit_with_small_weights_is_not_taken_for_dead() -> None:
    small = 2.0**-600
    first = Linear(np.array([[1.0], [small]]), np.array([5.0, -small / 2]))  # folds at -5 and at a half
    network = Network.sequential(1, [first, Rectifier(), Linear(np.ones((1, 2)))])
    assert fold_distance(network, [0.75], method="exact").distance[0] == 0.25
    with pytest.raises(InvalidInput, match="range of floats"):  # the square of the weight is none
        fold_distance(network, [0.75], method="cell")


def test_what_is_left_when_edges_go_is_convex() -> None:
    n_merged = 0
    for seed in (125, 129, 130, 133, 138, 144):
        rng = np.random.default_rng(seed)
        sizes = (2, 6, 4, 1)
        numbers = [(rng.integers(-1, 2, (m, n)), rng.integers(-1, 2, m)) for n, m in pairwise(sizes)]
        ops = [op for w, b in numbers for op in (Linear(w.astype(float), b.astype(float)), Rectifier())]
        cx = decompose(Network.sequential(2, ops[:-1]), Box([-2, -2], [2, 2]))
        left = _Plane(cx)
        n_merged += left.n_removed()
        for root in {left._find(i) for i in range(cx.n_cells)}:
            cells = [i for i in range(cx.n_cells) if left._find(i) == root]
            corners = np.unique(np.concatenate([cx.vertices_of(i) for i in cells]))
            hull = ConvexHull(np.array([[float(c) for c in cx.exact_vertex(int(v))] for v in corners]))
            assert hull.volume == pytest.approx(sum(float(cx.exact_size(i)) for i in cells), rel=1e-12)
    assert n_merged > 10


def test_bounds_of_a_layer_grow_by_its_weights() -> None:
    # large terms that nearly cancel: what is rounded is large beside the values, and the next layer makes it a thousand times
    rng = np.random.default_rng(0)
    large = rng.uniform(1e8, 2e8, 20)
    first = Linear(np.stack([large, -large * (1 - rng.uniform(1e-8, 2e-8, 20))], axis=1))
    second = Linear(1000.0 * np.eye(20))
    network = Network.sequential(2, [first, Rectifier(), second, Rectifier(), Linear(np.ones((1, 20)))])
    points = np.repeat(rng.uniform(0.5, 1.0, (40, 1)), 2, axis=1)
    layer = layers_at(network, points)[1]
    for point, values, bounds in zip(points, layer.values, layer.bounds, strict=True):
        rows = [sum((Fraction(w) * Fraction(x) for w, x in zip(row, point, strict=True)), Fraction(0)) for row in first.weight]
        exact = [1000 * max(r, Fraction(0)) for r in rows]
        assert all(abs(Fraction(v) - e) <= Fraction(b) for v, e, b in zip(values, exact, bounds, strict=True))


@pytest.mark.parametrize("entries", [1, 80])
def test_lengths_do_not_depend_on_how_many_points_are_evaluated_at_once(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network, path = random_network([2, 9, 9, 1], seed=1), Segment([-1.0, 0.3], [1.0, -0.2])
    nodes = list(network.layers)
    whole = _trajectory_exact.piecewise_lengths(network, path, nodes, Meter(Budget(), 2))
    monkeypatch.setattr(_trajectory_exact, "CHUNK_ENTRIES", entries)
    parts = _trajectory_exact.piecewise_lengths(network, path, nodes, Meter(Budget(), 2))
    assert parts.lengths == pytest.approx(whole.lengths, rel=1e-13) and parts.n_points == whole.n_points > 4
    assert parts.halves == pytest.approx(whole.halves, rel=1e-13)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3)])
def test_orders_are_of_tokens_and_not_of_entries(shape: tuple[int, int]) -> None:
    tokens = torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert equivariance_defect(lambda x: x - x.mean(1, keepdim=True), tokens, n_orders=8) < 1e-14
    assert equivariance_defect(lambda x: x.cumsum(1), tokens, n_orders=8) > 0.1


def test_a_volume_may_change_by_as_much_as_its_edges() -> None:
    # the unit corner, each of whose edges may grow by a half: 1 / 6 becomes 1.5^3 / 6
    corner = np.concatenate([np.zeros((1, 3)), np.eye(3)])[None]
    volume, error = simplex_volumes(corner, np.array([[0.0, 0.5, 0.5, 0.5]]))
    assert volume[0] == pytest.approx(1 / 6, rel=1e-15) and volume[0] + error[0] >= 1.5**3 / 6
    assert volume[0] + error[0] < 1.5**3 / 6 * (1 + 1e-11)
