"""Penalties that make folds cross."""

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.learn import crossing_penalty, fit, mlp, pattern_penalty

BOX = plica.Box([-50.0, -50.0], [50.0, 50.0])


def crossing_pairs(model, reach=1e4):
    """Which bent lines of layer 1 meet which lines of layer 0: their pre-activation changes its sign along the line."""
    network = plica.from_torch(model, until="3")  # after the second linear layer
    weight, bias = (p.detach().double().numpy() for p in (model[0].weight, model[0].bias))
    found = np.zeros((len(weight), network.output_shape[0]), bool)
    for i, (w, b) in enumerate(zip(weight, bias, strict=True)):
        foot, along = -b * w / (w @ w), np.array([-w[1], w[0]]) / np.linalg.norm(w)
        line = plica.decompose(network, plica.Segment(foot - reach * along, foot + reach * along))
        z = line.outputs
        found[i] = (z.max(axis=0) > 0) & (z.min(axis=0) < 0)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_pattern_penalty_vanishes_exactly_when_all_pairs_cross(seed):
    model = mlp([2, 3, 2, 1], seed=seed, weights="he-normal", bias_std=0.5, dtype=torch.float64)
    value = float(pattern_penalty()(model).detach())
    assert (value < 1e-9) == bool(crossing_pairs(model).all())
    fit(
        model,
        (np.zeros((4, 2)), np.zeros((4, 1))),
        epochs=300,
        rate=0.02,
        loss=lambda o, t: 0 * o.sum(),
        penalty=pattern_penalty(),
    )
    after = float(pattern_penalty()(model).detach())
    assert after < 1e-6 or after < value
    assert (after < 1e-9) == bool(crossing_pairs(model).all())


def test_both_penalties_have_the_gradients_that_differences_give():
    small = plica.Box([-2.0, -2.0], [2.0, 2.0])
    # points on folds move along the normals only: the weights of layer 0, which also turn the folds, are left out there
    for penalty, skipped in ((pattern_penalty(), 0), (crossing_penalty(small, n_points=6), 1)):
        model = mlp([2, 4, 3, 1], seed=1, weights="he-normal", bias_std=0.7, dtype=torch.float64)
        value = penalty(model)
        value.backward()
        assert float(value.detach()) > 0
        checked = 0
        for p in list(model.parameters())[skipped:4]:
            for index in np.ndindex(*p.shape):
                slope = float(p.grad[index])
                ends = []
                for sign in (1, -1):
                    with torch.no_grad():
                        p[index] += sign * 1e-6
                    ends.append(float(penalty(model).detach()))
                    with torch.no_grad():
                        p[index] -= sign * 1e-6
                difference = (ends[0] - ends[1]) / 2e-6
                checked += abs(slope - difference) <= 1e-3 * max(1.0, abs(difference))
        n = sum(p.numel() for p in list(model.parameters())[skipped:4])
        assert checked >= 0.9 * n  # a hinge or a minimum may change its piece within the difference


def test_the_crossing_penalty_makes_folds_cross_in_three_inputs_and_three_layers():
    box = plica.Box([-1.0] * 3, [1.0] * 3)
    model = mlp([3, 5, 5, 5, 1], seed=2, dtype=torch.float64)
    penalty = crossing_penalty(box, seed=1)
    before = plica.count_regions(plica.from_torch(model), box, cells_only=True).n_cells
    start = float(penalty(model).detach())
    fit(model, (np.zeros((4, 3)), np.zeros((4, 1))), epochs=100, rate=0.02, loss=lambda o, t: 0 * o.sum(), penalty=penalty)
    assert float(penalty(model).detach()) < 0.3 * start
    assert plica.count_regions(plica.from_torch(model), box, cells_only=True).n_cells > 1.5 * before


def test_other_networks_and_numbers_are_refused():
    with pytest.raises(InvalidInput, match="two inputs"):
        pattern_penalty()(mlp([3, 4, 4, 1]))
    with pytest.raises(InvalidInput, match="fully connected"):
        crossing_penalty(BOX)(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)))
    for bad in ({"weight": -1.0}, {"n_points": 1}, {"margin": -0.1}):
        with pytest.raises(InvalidInput):
            crossing_penalty(BOX, **bad)
    assert float(crossing_penalty(BOX)(mlp([2, 4, 1]))) == 0.0  # one layer has nothing to cross


def test_folds_of_one_layer_need_not_cross_each_other():
    """Two parallel folds, x = 0 and x = 1/2, and a later unit y that crosses both by more than the margin: nothing is missing."""
    model = mlp([2, 3, 1, 1], seed=0, dtype=torch.float64)
    first, second = [m for m in model.modules() if isinstance(m, torch.nn.Linear)][:2]
    with torch.no_grad():
        first.weight.copy_(torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
        first.bias.copy_(torch.tensor([0.0, -0.5, 2.0]))
        second.weight.copy_(torch.tensor([[0.0, 0.0, 1.0]]))
        second.bias.copy_(torch.tensor([-2.0]))
    penalty = crossing_penalty(plica.Box([-1.0, -1.0], [1.0, 1.0]), margin=0.25, n_points=64)
    assert float(penalty(model).detach()) == 0.0
    with torch.no_grad():
        second.bias.copy_(torch.tensor([-1.0]))  # y + 1 is never negative: 0.25 and the smallest value are missing at both
    assert 0.25 <= float(penalty(model).detach()) < 0.4
