"""The search for counterexamples in floating point: its gradients against differences, its steps against a known minimum."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

import plica
from plica.robust._falsify import descend, gradients, values
from plica.robust._property import Forms
from plica.robust.bounds._steps import steps_of


class Residual(nn.Module):
    """Two branches, and slopes below zero."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.third = nn.Linear(4, 6), nn.Linear(6, 6), nn.Linear(6, 3)
        self.leaky = nn.LeakyReLU(0.25)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.leaky(self.first(x))
        return self.third(self.leaky(self.second(h)) + h)


def test_gradients_are_those_of_torch_through_branches_and_slopes() -> None:
    torch.manual_seed(0)
    model = Residual().double().eval()
    steps = steps_of(plica.from_torch(model, example_input=torch.zeros(1, 4, dtype=torch.float64)))
    x, weights = torch.randn(50, 4, dtype=torch.float64, requires_grad=True), torch.randn(50, 3, dtype=torch.float64)
    out = model(x)
    (expected,) = torch.autograd.grad((out * weights).sum(), x)
    tensors = values(steps, x.detach().numpy())
    assert np.allclose(tensors[-1], out.detach().numpy(), atol=1e-12)
    assert np.allclose(gradients(steps, tensors, weights.numpy()), expected.numpy(), atol=1e-12)


def test_descent_finds_the_corner_where_a_linear_row_of_outputs_and_inputs_lacks_least() -> None:
    """y = 2 x0 - x1, and y + 3 x1 - 4 x0 <= bound, whose left side is 2 x1 - 2 x0: least at (1, -1)."""
    model = nn.Linear(2, 1, bias=False).double()
    model.weight.data = torch.tensor([[2.0, -1.0]], dtype=torch.float64)
    steps = steps_of(plica.from_torch(model, example_input=torch.zeros(1, 2, dtype=torch.float64)))
    rows = Forms(np.array([[1.0]]), np.array([[-4.0, 3.0]]), np.array([-10.0]), (np.array([0]),))
    low, high = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    start = np.random.default_rng(0).uniform(-1, 1, size=(5, 2))
    best, lack = descend(steps, rows, low, high, start)
    assert np.array_equal(best, np.tile([1.0, -1.0], (5, 1))) and np.allclose(lack, 6.0)
    assert (rows.left(start, values(steps, start)[-1])[:, 0] >= lack).all()


def test_descent_keeps_the_best_point_of_each_way_and_not_the_last() -> None:
    """|x| - 1/4 along steps that jump over zero again and again."""
    model = nn.Sequential(nn.Linear(1, 2, bias=False), nn.ReLU(), nn.Linear(2, 1, bias=False)).double()
    model[0].weight.data, model[2].weight.data = torch.tensor([[1.0], [-1.0]]).double(), torch.ones(1, 2).double()
    steps = steps_of(plica.from_torch(model, example_input=torch.zeros(1, 1, dtype=torch.float64)))
    rows = Forms(np.array([[1.0]]), np.array([[0.0]]), np.array([-1.0]), (np.array([0]),))
    start = np.linspace(-0.9, 0.9, 7)[:, None]
    best, lack = descend(steps, rows, np.array([-1.0]), np.array([1.0]), start, n_steps=4)
    way, size, seen = start.copy(), 0.5, []
    for _ in range(4):
        seen.append(np.abs(way[:, 0]))
        way, size = np.clip(way - size * np.sign(way), -1, 1), 0.8 * size
    assert np.allclose(lack, 1 + np.min(seen, axis=0)) and np.allclose(np.abs(best[:, 0]), np.min(seen, axis=0))
