"""Counts of cells that independent programs agree on, for networks anyone can draw with torch."""

import itertools
import math

import numpy as np
import pytest

from plica.geometry import Box, count_regions, decompose
from plica.network import Network
from plica.testing import chain

BOX = Box([-1, -1], [1, 1])
# (width, hidden layers): counts in [-1, 1]^2 for the seeds 0, 1, 2
DEFAULT = {
    (16, 2): (101, 121, 219),
    (32, 3): (788, 980, 842),
    (64, 3): (4066, 4720, 5133),
    (64, 4): (5649, 5924, 6366),
    (128, 4): (30532, 29454, 30885),
}
HE = {
    (16, 2): (282, 295, 264),
    (32, 3): (1880, 2333, 2324),
    (64, 3): (8438, 10391, 8049),
    (64, 4): (16101, 16658, 12139),
    (128, 4): (56533, 59806, 56151),
}


def default_network(widths: list[int], seed: int) -> Network:
    import torch
    from torch import nn

    torch.manual_seed(seed)
    layers = [nn.Linear(a, b, dtype=torch.float64) for a, b in itertools.pairwise(widths)]
    return chain([x.weight.detach().numpy() for x in layers], [x.bias.detach().numpy() for x in layers])


def he_network(widths: list[int], seed: int) -> Network:
    import torch

    torch.manual_seed(seed)
    weights, biases = [], []
    for a, b in itertools.pairwise(widths):
        weights.append((torch.randn(b, a, dtype=torch.float64) * math.sqrt(2 / a)).numpy())
        biases.append((torch.randn(b, dtype=torch.float64) * 0.5).numpy())
    return chain(weights, biases)


CASES = [
    pytest.param(make, width, depth, seed, counts[seed], id=f"{name}-{width}x{depth}-seed{seed}")
    for name, make, table in (("default", default_network, DEFAULT), ("he", he_network, HE))
    for (width, depth), counts in table.items()
    for seed in range(3)
]


@pytest.mark.parametrize(("make", "width", "depth", "seed", "count"), CASES)
def test_the_number_of_cells_is_the_known_one(make: object, width: int, depth: int, seed: int, count: int) -> None:
    network = make([2, *[width] * depth, 1], seed)  # type: ignore[operator]
    cx = decompose(network, BOX)
    assert cx.n_cells == count
    assert cx.n_vertices - len(cx.edges) + cx.n_cells == 1  # type: ignore[attr-defined]
    assert cx.sizes().sum() == pytest.approx(4.0, rel=1e-9)
    assert count_regions(network, BOX, cells_only=True).n_cells == count


def test_generic_networks_stay_in_floating_point() -> None:
    assert decompose(he_network([2, 64, 64, 64, 64, 1], 0), BOX).exact_fallbacks == 0


@pytest.mark.parametrize("depth", range(1, 6))
def test_hats_in_both_coordinates_give_a_grid(depth: int) -> None:
    hat = np.array([[2.0, 0.0], [4.0, 0.0], [0.0, 2.0], [0.0, 4.0]])
    read = np.kron(np.eye(2), [[1.0, -1.0]])
    weights = [hat] + [hat @ read] * (depth - 1) + [np.ones((1, 2)) @ read]
    network = chain(weights, [np.array([0.0, -2.0, 0.0, -2.0])] * depth + [np.zeros(1)])
    assert decompose(network, BOX).n_cells == (2**depth + 1) ** 2


@pytest.mark.parametrize("n", [1, 2, 5, 20, 60])
def test_lines_in_general_position_give_the_numbers_of_zaslavsky(n: int) -> None:
    angles = np.pi * (np.arange(n) + 0.5) / n
    offsets = np.random.default_rng(n).uniform(-0.1, 0.1, n)
    network = chain([np.stack([np.cos(angles), np.sin(angles)], axis=1), np.ones((1, n))], [offsets, np.zeros(1)])
    assert decompose(network, Box([-1e4, -1e4], [1e4, 1e4])).n_cells == 1 + n + n * (n - 1) // 2
