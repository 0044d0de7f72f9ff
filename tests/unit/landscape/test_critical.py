"""Critical points of any index, and matrices that are made some columns at a time."""

import numpy as np
import pytest
import torch
from torch import nn

from plica.errors import InvalidInput
from plica.landscape import Curvature, critical_point


def saddle(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """(a^2 - 1)^2 + b^2 (a + 2) / 10 - c^2 / 2 of the three weights: critical at a in (-1, 0, 1), b = c = 0, and elsewhere.

    The second derivative by b is small and positive there, 0.4 or 0.6: not every eigenvalue below 1 is negative.
    """
    a, b, c = output.reshape(-1)
    return (a * a - 1) ** 2 + b * b * (a + 2) / 10 - c * c / 2


def module(weights: list[float]) -> nn.Module:
    layer = nn.Linear(1, 3, bias=False).double()
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weights, dtype=torch.float64)[:, None])
    return layer


@pytest.mark.parametrize(("start", "n_negative", "a"), [([0.1, 0.1, 0.2], 2, 0.0), ([1.2, 0.1, -0.1], 1, 1.0)])
def test_the_nearest_critical_point_is_found_whatever_its_index(start: list[float], n_negative: int, a: float) -> None:
    found = critical_point(module(start), np.ones((1, 1)), np.zeros((1, 3)), loss=saddle)
    assert found.gradient_norm < 1e-9 < found.start_norm
    assert round(3 * found.index) == n_negative
    weights = found.model.weight.detach().numpy().reshape(-1)
    np.testing.assert_allclose(weights, [a, 0, 0], atol=1e-8)


def test_a_search_without_steps_is_refused() -> None:
    with pytest.raises(InvalidInput, match="n_steps"):
        critical_point(module([1.0, 1.0, 1.0]), np.ones((1, 1)), np.zeros((1, 3)), n_steps=0)


@pytest.mark.parametrize("part", ["hessian", "gauss-newton", "residual"])
def test_columns_at_a_time_are_products_one_by_one(part: str) -> None:
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 5), nn.Tanh(), nn.Linear(5, 3)
    )
    x, y = rng.normal(size=(6, 1, 6, 6)), rng.integers(0, 3, 6)
    curvature = Curvature(model, x, y, loss="cross-entropy", part=part)  # type: ignore[arg-type]
    matrix = curvature.matrix()
    assert curvature.n_products == len(matrix) > 64  # more than two parts
    for i in (0, 31, 32, len(matrix) - 1):
        np.testing.assert_allclose(matrix[i], curvature @ np.eye(len(matrix))[i], atol=1e-12)


def test_a_loss_without_curvature_has_a_matrix_of_zeros() -> None:
    matrix = Curvature(module([1.0, 2.0, 3.0]), np.ones((4, 1)), np.zeros((4, 3)), loss="absolute").matrix()
    np.testing.assert_array_equal(matrix, np.zeros((3, 3)))


def test_the_index_is_the_share_of_negative_eigenvalues():
    from plica.landscape import CriticalPoint

    assert CriticalPoint(None, 0.0, 0.0, 1.0, np.array([-2.0, 0.0, 1.0, 3.0]), 1).index == 0.25
