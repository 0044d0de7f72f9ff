"""Jacobians of single networks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import plica
from plica.errors import InvalidInput
from plica.measure import Jacobian, jacobian


def test_the_jacobian_is_the_difference_quotient_inside_a_cell():
    net = plica.random_network([4, 16, 16, 3], seed=0, weights="he-normal", bias_std=0.2)
    x = np.random.default_rng(0).normal(size=4)
    J = jacobian(net, x).matrix
    step = 1e-7
    quotient = np.stack([(net(x + step * e) - net(x - step * e)) / (2 * step) for e in np.eye(4)], axis=1)
    np.testing.assert_allclose(J, quotient, atol=1e-6)


def test_network_and_module_have_the_same_jacobian():
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(5, 8), nn.LeakyReLU(0.1), nn.Linear(8, 4))
    x = np.random.default_rng(1).normal(size=5)
    a, b = jacobian(plica.from_torch(module), x), jacobian(module, x)
    np.testing.assert_allclose(a.matrix, b.matrix, rtol=1e-12, atol=1e-14)
    assert a.norm == a.singular_values.max()
    assert a.moments[0] == pytest.approx((a.matrix**2).sum() / 4)


def test_a_smooth_module_has_its_derivative():
    module = nn.Sequential(nn.Linear(1, 1), nn.Tanh()).double()
    w, b = module[0].weight.item(), module[0].bias.item()
    assert jacobian(module, [0.3]).matrix[0, 0] == pytest.approx(w * (1 - np.tanh(w * 0.3 + b) ** 2))


def test_the_jacobian_of_a_layer_stops_there():
    net = plica.random_network([3, 8, 8, 2], seed=1)
    assert jacobian(net, [0.1, 0.2, 0.3], layer=0).matrix.shape == (8, 3)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda net: jacobian(net, [1.0]), "2 inputs"),
        (lambda net: jacobian(net, [1.0, np.nan]), "finite"),
        (lambda net: jacobian(net, [1.0, 1.0], layer=5), "no layer 5"),
        (lambda net: jacobian("net", [1.0, 1.0]), "got str"),
        (lambda net: jacobian(nn.Linear(2, 2), [1.0, 1.0], layer=0), "layer="),
        (lambda net: jacobian(nn.Linear(2, 2), [1.0, 1.0], input_shape=(3,)), "entries"),
    ],
)
def test_bad_input_gets_a_clear_error(call, words):
    with pytest.raises(InvalidInput, match=words):
        call(plica.random_network([2, 4, 1], seed=0))


def test_moments_count_the_zeros_of_a_matrix_with_more_rows_than_columns():
    found = Jacobian(np.zeros((4, 2)), np.array([3.0, 1.0]))  # squares 9, 1, 0, 0: mean 5/2, of squares 82/4
    assert found.moments == pytest.approx((2.5, 82 / 4 - 2.5**2))
    assert Jacobian(np.zeros((1, 2)), np.array([3.0])).moments == (9.0, 0.0)
