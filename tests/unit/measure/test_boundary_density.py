"""Densities of folds around data, the cells that data meet, and the sizes of cells."""

from __future__ import annotations

import gzip
import os
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import Box, Space, decompose
from plica.measure import Density, cell_sizes, data_cells, fold_distance, region_density
from plica.network import Linear, Network, Rectifier, random_network
from plica.testing import draw_network
from plica.theory.regions import gaussian_layer_crossings

NET = random_network([5, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5)
DATA = np.random.default_rng(0).normal(size=(40, 5))


def test_parallel_folds_have_the_density_of_their_grid() -> None:
    """Folds at every integer: lines along the axis meet one in each unit of length."""
    net = Network.sequential(1, [Linear(np.ones((41, 1)), np.arange(-20.0, 21.0)), Rectifier()])
    found = region_density(net, [[0.5], [1.25]], size=10.0, n_samples=6)
    assert found.mean == 1.0 and found.standard_error == 0.0
    np.testing.assert_allclose(found.own_piece, 1.0, rtol=1e-12)


def test_crossings_of_one_gaussian_layer_have_their_expected_density() -> None:
    """Breakpoints of a first layer on [-1, 1]: the closed form, over networks."""
    counts = []
    for seed in range(60):
        net = random_network([1, 30, 1], seed=seed, weights="normal", bias_std=0.7)
        counts.append(region_density(net, [[0.0]], size=2.0, n_samples=2).counts[0])
    expected = gaussian_layer_crossings(30, -1.0, 1.0, bias_std=0.7)
    assert abs(np.mean(counts) - expected) < 4 * np.std(counts, ddof=1) / np.sqrt(60)


def test_breakpoints_are_counted_by_layer_and_the_draws_depend_on_the_seed_only() -> None:
    a, b, c = (region_density(NET, DATA, size=4.0, n_samples=8, seed=s) for s in (1, 1, 2))
    assert (a.by_layer.sum(axis=1) == a.counts).all()
    assert a.counts.tolist() == b.counts.tolist() != c.counts.tolist()
    assert a.to_dict()["mean"] == a.mean and "lines" in repr(a)
    assert (a.own_piece > 0).all()


def test_planes_meet_at_least_the_cells_of_their_lines() -> None:
    planes = region_density(NET, DATA, kind="planes", size=2.0, n_samples=5, seed=3, toward="data")
    assert (planes.counts >= 1).all() and planes.mean > 0 and planes.standard_error >= 0
    assert planes.densities.tolist() == (planes.counts / 4.0).tolist()


def test_the_own_piece_is_no_shorter_than_twice_the_distance_to_the_nearest_fold() -> None:
    found = region_density(NET, DATA[:1], size=50.0, n_samples=10)
    assert (found.own_piece >= 2 * fold_distance(NET, DATA[0]).distance[0] * (1 - 1e-9)).all()


@pytest.mark.parametrize("family", ["gaussian", "integer", "hard-tanh", "maxout", "residual", "zero biases"])
def test_points_share_a_cell_exactly_when_the_complex_says_so(family: str) -> None:
    net = draw_network(family, seed=4)
    cx = decompose(net, Box([-2.0, -2.0], [2.0, 2.0]))
    x = np.random.default_rng(0).uniform(-2, 2, (60, 2))
    cells, found = [cx.cell_at(p) for p in x], data_cells(net, x)
    assert found.n_cells == len(set(cells))
    assert all((cells[i] == cells[j]) == (found.cell[i] == found.cell[j]) for i in range(60) for j in range(i))
    sizes = [cells.count(cell) for cell in set(cells)]
    assert (found.n_points, found.largest, found.n_alone) == (60, max(sizes), sizes.count(1))
    assert found.to_dict()["largest"] == found.largest


def test_points_one_bit_apart_on_two_sides_of_a_fold_are_told_apart() -> None:
    """Consecutive floats around the exact zero of 0.1 x + 0.1 y - 0.3, where rounding sees zero several times."""
    net = Network.sequential(2, [Linear(np.array([[0.1, 0.1]]), np.array([-0.3])), Rectifier()])
    y = [1.5]
    for _ in range(8):
        y.append(float(np.nextafter(y[-1], 0)))
    sides = [Fraction(0.1) * (Fraction(1.5) + Fraction(v)) > Fraction(0.3) for v in y]
    assert True in sides and False in sides
    assert data_cells(net, [[1.5, v] for v in y]).cell.tolist() == [int(not side) for side in sides]


def test_sizes_of_equal_cells_and_of_one_large_among_small() -> None:
    equal, uneven = cell_sizes([2.0] * 5), cell_sizes([1.0] * 99 + [101.0])
    assert equal.gini == pytest.approx(0.0) and equal.around_a_point == 2.0
    assert uneven.mean == 2.0 and uneven.median == 1.0 and uneven.around_a_point == pytest.approx((99 + 101**2) / 200)
    assert uneven.gini == pytest.approx(0.495) and uneven.quantiles[90] == 1.0


def test_sizes_of_a_complex_sum_to_its_domain_and_unbounded_cells_are_left_out() -> None:
    net = random_network([2, 8, 8, 1], seed=0, weights="he-normal", bias_std=0.5)
    whole, space = decompose(net, Box([-1.0, -1.0], [1.0, 1.0])), decompose(net, Space(2))
    found = cell_sizes(whole)
    assert found.n_cells == whole.n_cells and found.mean * found.n_cells == pytest.approx(4.0)
    assert cell_sizes(space).n_cells == space.n_bounded  # type: ignore[attr-defined]
    with pytest.raises(InvalidInput):
        cell_sizes([])


@pytest.mark.parametrize("options", [{"kind": "circles"}, {"toward": "home"}, {"size": 0.0}, {"n_samples": 1}])
def test_odd_requests_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        region_density(NET, DATA, **options)
    with pytest.raises(InvalidInput):
        region_density(random_network([1, 3, 1], seed=0), [[0.0]], kind="planes")


# -- at the scale of MNIST ---------------------------------------------------------------------------------------------------


def digits(n: int) -> Any:
    """The first test digits, from the folder that PLICA_DATA names."""
    folder = os.environ.get("PLICA_DATA")
    path = Path(folder or ".") / "mnist" / "t10k-images-idx3-ubyte.gz"
    if folder is None or not path.is_file():
        pytest.skip("the MNIST test images are not there; set PLICA_DATA to a folder with mnist/t10k-images-idx3-ubyte.gz")
    with gzip.open(path) as file:
        return np.frombuffer(file.read(16 + 784 * n)[16:], np.uint8).reshape(n, 784) / 255.0


def convolutional() -> Network:
    import torch
    from torch import nn

    from plica.network import from_torch

    torch.manual_seed(0)
    layers = [
        nn.Conv2d(1, 8, 3, padding=1, stride=2),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(576, 10),
    ]
    return from_torch(nn.Sequential(*layers).double().eval(), example_input=torch.zeros(1, 1, 28, 28, dtype=torch.float64))


def residual() -> Network:
    import torch
    from torch import nn

    from plica.network import from_torch

    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.a, self.b = (
                nn.Conv2d(1, 8, 3, stride=2),
                nn.Conv2d(8, 8, 3, padding=1),
                nn.Conv2d(8, 8, 3, padding=1),
            )
            self.last = nn.Linear(8 * 13 * 13, 10)

        def forward(self, x: Any) -> Any:
            y = torch.relu(self.first(x))
            y = torch.relu(y + self.b(torch.relu(self.a(y))))
            return self.last(y.flatten(1))

    torch.manual_seed(1)
    return from_torch(Residual().double().eval(), example_input=torch.zeros(1, 1, 28, 28, dtype=torch.float64))


@pytest.mark.slow
@pytest.mark.parametrize("make", [convolutional, residual])
def test_networks_for_digits_are_measured_within_a_minute(make: Any) -> None:
    net, x = make(), digits(200)
    started = time.process_time()
    distances = fold_distance(net, x[:5])
    lines = region_density(net, x, size=4.0, n_samples=10)
    planes = region_density(net, x, kind="planes", size=0.5, n_samples=2)
    cells = data_cells(net, x)
    assert time.process_time() - started < 60
    assert (distances.upper <= distances.lower * (1 + 1e-6) + 1e-12).all()
    assert lines.mean > 0 and planes.counts.min() >= 1 and 1 < cells.n_cells <= 200
    limits = fold_distance(net, x[:5], method="bounds")
    assert (limits.lower <= distances.upper).all() and (distances.lower <= limits.upper).all()


def test_the_error_of_a_density_is_that_of_a_mean() -> None:
    found = Density("planes", np.array([4, 8, 12, 16]), 2.0, 0, np.zeros((0, 1)), np.zeros(0))
    assert found.mean == 2.5  # cells in squares of side 2: 1, 2, 3, 4 a unit of area
    assert found.standard_error == pytest.approx(np.sqrt(5 / 3) / 2)
