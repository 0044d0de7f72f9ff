"""Nearest ties in fractions: equal scores, within the proved distances, and as near as the boundary of the exact complex."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.geometry import Box, decompose
from plica.network import Linear, Max, Network, random_network
from plica.network import extended as with_fold
from plica.robust import ClassDistance, class_distance, nearest_tie


def exact_values(net: Network, point: tuple[Fraction, ...]) -> list[Fraction]:
    """The network at a rational point by fractions, layer by layer, with no code of the verifier."""
    x = list(point)
    for node in net.nodes[1:]:
        if isinstance(node.op, Linear):
            rows = zip(node.op.weight.tolist(), node.op.bias.tolist(), strict=True)
            x = [sum((Fraction(a) * v for a, v in zip(w, x, strict=True)), Fraction(b)) for w, b in rows]
        else:
            x = [max(v, Fraction(0)) for v in x]
    return x


def squared_distance_to_boundary(net: Network, point: list[float], reach: float) -> Fraction:
    """From a point of the plane to where another output becomes the largest, along the edges of the exact complex."""
    box = Box([c - reach for c in point], [c + reach for c in point])
    cx = decompose(with_fold(net, [Max(np.arange(net.n_outputs)[None])]), box)
    states = cx.layer_states(len(cx.network.layers) - 1)[:, 0]
    best = Fraction(10**9)
    p = [Fraction(c) for c in point]
    for edge, (a, b) in enumerate(cx.edges.tolist()):
        left, right = cx.edge_cells[edge]
        if left >= 0 and right >= 0 and states[left] != states[right]:
            u, v = cx.exact_vertex(a), cx.exact_vertex(b)
            d = [y - x for x, y in zip(u, v, strict=True)]
            t = sum((q - x) * e for q, x, e in zip(p, u, d, strict=True)) / sum(e * e for e in d)
            t = min(max(t, Fraction(0)), Fraction(1))
            best = min(best, sum((x + t * e - q) ** 2 for x, e, q in zip(u, d, p, strict=True)))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_a_tie_is_the_nearest_point_of_the_exact_boundary(seed: int) -> None:
    net = random_network([2, 8, 6, 3], seed=seed, weights="he-normal", bias_std=0.4)
    point = np.random.default_rng(seed).uniform(-1, 1, 2).tolist()
    found = class_distance(net, point, tolerance=1e-7)
    if not np.isfinite(found.upper):
        pytest.skip("no other class is near")
    tie = nearest_tie(net, point, found)
    assert tie.squared_distance == squared_distance_to_boundary(net, point, 2 * found.upper)
    scores = exact_values(net, tie.point)
    assert tuple(scores) == tie.scores and tie.is_first and scores[tie.label] == scores[tie.other]
    assert tie.squared_distance == sum((a - Fraction(b)) ** 2 for a, b in zip(tie.point, point, strict=True))
    assert Fraction(found.lower) ** 2 <= tie.squared_distance <= Fraction(found.upper) ** 2
    assert all(m > 0 for m in tie.multipliers.values())


def test_a_hyperplane_is_hit_at_its_foot() -> None:
    net = Network.sequential(2, [Linear(np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2))])
    found = class_distance(net, [3.0, 1.0])
    tie = nearest_tie(net, [3.0, 1.0], found)
    assert tie.point == (2, 2) and tie.squared_distance == 2 and tie.multipliers == {None: 1}


def test_many_inputs_and_convolutions() -> None:
    torch.manual_seed(3)
    layers = [torch.nn.Conv2d(1, 2, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(18, 6), torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(6, 3)).double()
    net = plica.from_torch(model, example_input=torch.zeros(1, 1, 7, 7).double())
    x = 2 * np.random.default_rng(3).normal(size=49)
    found = class_distance(net, x, tolerance=1e-5)
    tie = nearest_tie(net, x, found)
    assert tie.is_first and Fraction(found.lower) ** 2 <= tie.squared_distance <= Fraction(found.upper) ** 2
    at = net(np.array([float(c) for c in tie.point]).reshape(1, 7, 7)).reshape(-1)
    assert at[tie.label] == pytest.approx(at[tie.other], abs=1e-9)


def test_what_is_no_distance_is_refused() -> None:
    net = random_network([2, 4, 2], seed=0)
    found = class_distance(net, [0.1, 0.2], norm="linf")
    with pytest.raises(InvalidInput, match="l2"):
        nearest_tie(net, [0.1, 0.2], found)
    none = ClassDistance("l2", 0, 0, 1.0, np.inf, np.zeros(2), False, 1, 0.0)
    with pytest.raises(InvalidInput, match="finite"):
        nearest_tie(net, [0.1, 0.2], none)
