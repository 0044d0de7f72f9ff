"""Balls of the maximum norm in subspaces, and many domains in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput
from plica.geometry import Ball, Box, Budget, Plane, Segment, decompose, decompose_many
from plica.network import Linear, Network, random_network


def composed(network: Network, ball: Ball) -> Network:
    """The network as a function of the ball's parameters."""
    columns = ball.chart.points
    first, *rest = (node.op for node in network.nodes[1:])
    assert isinstance(first, Linear)
    return Network.sequential(len(columns) - 1, [Linear(columns[:-1].T.copy(), columns[-1].copy()), first, *rest])  # type: ignore[list-item]


def test_a_ball_in_the_coordinate_plane_is_a_flat_box() -> None:
    network = random_network([3, 20, 20, 1], seed=0)
    ball = Ball([0.25, 0.5, -0.5], 0.75, directions=[[1, 0, 0], [0, 0, 1]])
    box = Box([-0.5, 0.5, -1.25], [1.0, 0.5, 0.25])
    a, b = decompose(network, ball), decompose(network, box)
    assert (a.n_cells, a.n_vertices, a.n_regions) == (b.n_cells, b.n_vertices, b.n_regions)
    assert ball.size == pytest.approx(1.5**2)


@pytest.mark.parametrize("n_directions", [2, 3])
def test_a_ball_is_the_polytope_of_the_composed_network(n_directions: int) -> None:
    network, rng = random_network([5, 9, 9, 1], seed=1), np.random.default_rng(3)
    ball = Ball(rng.normal(size=5) / 4, 0.5, directions=rng.normal(size=(n_directions, 5)).round(3))
    from plica.geometry import Polytope

    plain: Any = Polytope(ball.A, ball.b)
    a, b = decompose(network, ball), decompose(composed(network, ball), plain)
    assert (a.n_cells, a.n_vertices) == (b.n_cells, b.n_vertices)
    assert np.abs(ball.to_input(a.vertices) - ball.center).max() == pytest.approx(0.5)
    cell = a.cell_at(ball.center)
    assert np.allclose(network(ball.center), a.affine_maps().matrices[cell] @ ball.center + a.affine_maps().offsets[cell])


def test_bad_balls_are_refused() -> None:
    for center, radius, directions in (
        ([0.0] * 3, 1.0, [[1, 0, 0]]),
        ([0.0] * 3, -1.0, [[1, 0, 0], [0, 1, 0]]),
        ([0.0] * 3, 1.0, [[1, 0, 0], [2, 0, 0]]),
        ([0.0] * 3, float("nan"), [[1, 0, 0], [0, 1, 0]]),
    ):
        with pytest.raises(InvalidDomain):
            Ball(center, radius, directions=directions)


def test_many_domains_are_one_after_the_other() -> None:
    network, rng = random_network([3, 12, 12, 2], seed=0), np.random.default_rng(0)
    domains: list[Any] = [Segment(*rng.normal(size=(2, 3))) for _ in range(4)]
    domains += [Plane.through(*rng.normal(size=(3, 3))), Box([-1] * 3, [1] * 3)]
    found = list(decompose_many(network, domains))
    assert [cx.n_cells for cx in found] == [decompose(network, d).n_cells for d in domains]
    assert all(np.array_equal(a.vertices, decompose(network, d).vertices) for a, d in zip(found, domains, strict=True))


def test_the_budget_of_many_domains_is_one() -> None:
    network = random_network([2, 12, 12, 2], seed=0)
    segment = Segment([-1.0, -1.0], [1.0, 0.7])
    one = decompose(network, segment).n_cells
    told: list[dict[str, Any]] = []
    finished = []
    with pytest.raises(BudgetExceeded, match="max_cells"):
        for cx in decompose_many(network, [segment] * 9, budget=Budget(max_cells=3 * one + 1), progress=told.append):
            finished.append(cx.n_cells)
    assert finished == [one] * 3
    assert {t["domain"] for t in told} >= {0, 1, 2}


@pytest.mark.parametrize("given", [3, Segment([0.0, 0.0], [1.0, 1.0]), None])
def test_what_is_not_many_domains_is_told(given: Any) -> None:
    with pytest.raises(InvalidInput, match=r"expected many domains, got .*\n.*plica\.decompose"):
        list(decompose_many(random_network([2, 4, 1], seed=0), given))
