"""Scores against closed forms, worked out by hand or by another path."""

import numpy as np
import pytest
import torch
from torch import nn

from plica.errors import InvalidInput
from plica.learn import mlp
from plica.measure import Density
from plica.network import Linear, Network, Rectifier
from plica.sparse import (
    SparseGeometry,
    full_masks,
    grasp_scores,
    keep_largest,
    magnitude_scores,
    prune,
    random_scores,
    snip_scores,
    sparse_geometry,
    synflow_scores,
    weights,
)


def two_layers(w1: list[list[float]], w2: list[list[float]]) -> nn.Sequential:
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU(), nn.Linear(2, 1, bias=False)).double()
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor(w1))
        model[2].weight.copy_(torch.tensor(w2))
    return model


MODEL = two_layers([[1.0, -2.0], [3.0, 0.5]], [[2.0, -1.0]])
X, Y = torch.tensor([[3.0, 1.0]], dtype=torch.float64), torch.tensor([[1.0]], dtype=torch.float64)
# hidden: 1, 9.5; both on. f = 2 - 9.5 = -7.5, residual -8.5, dL/df = -17


def test_snip_is_the_weight_times_its_derivative_as_a_share():
    raw1 = 17 * np.abs(np.array([[2 * 1 * 3, 2 * -2 * 1], [-1 * 3 * 3, -1 * 0.5 * 1]]))
    raw2 = 17 * np.abs(np.array([[2 * 1, -1 * 9.5]]))
    total = raw1.sum() + raw2.sum()
    found = snip_scores(MODEL, X, Y)
    np.testing.assert_allclose(found["0.weight"], raw1 / total, rtol=1e-12)
    np.testing.assert_allclose(found["2.weight"], raw2 / total, rtol=1e-12)


def test_grasp_is_the_weight_times_hessian_times_gradient():
    """On a linear model with squared loss the Hessian is 2 x x^T and nothing is hidden; the temperature divides outputs."""
    line = nn.Linear(2, 1, bias=False).double()
    with torch.no_grad():
        line.weight.copy_(torch.tensor([[3.0, -1.0]]))
    x = X.numpy()[0]
    for t in (1.0, 10.0):
        hessian = 2 * np.outer(x, x) / t**2
        gradient = 2 * ((3.0 * x[0] - x[1]) / t - 1.0) * x / t
        expected = np.array([3.0, -1.0]) * (hessian @ gradient)
        found = grasp_scores(line, X, Y, temperature=t)["weight"].numpy()[0]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_grasp_predicts_how_the_gradient_grows_when_a_weight_weakens():
    model = mlp([3, 6, 2], seed=1, dtype=torch.float64)
    x, y = torch.randn(20, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64), torch.arange(20) % 2

    def squared_length() -> float:
        g = torch.autograd.grad(nn.functional.cross_entropy(model(x), y), list(weights(model).values()))
        return float(sum((p * p).sum() for p in g))

    scores, h = grasp_scores(model, x, y, temperature=1.0)["0.weight"], 1e-6
    w, found = model[0].weight, []
    for i, j in [(0, 0), (2, 1), (5, 2)]:
        before = w[i, j].item()
        lengths = []
        for sign in (1, -1):
            with torch.no_grad():
                w[i, j] = before * (1 + sign * h)
            lengths.append(squared_length())
        with torch.no_grad():
            w[i, j] = before
        found.append(((lengths[0] - lengths[1]) / (2 * h), 2 * float(scores[i, j])))
    np.testing.assert_allclose(*zip(*found, strict=True), rtol=1e-5)


def test_synflow_is_the_sum_over_paths():
    """Each path from an input through a hidden unit has the product of its two absolute weights."""
    first = np.abs([[1.0, -2.0], [3.0, 0.5]]) * np.abs([[2.0], [-1.0]])
    found = synflow_scores(MODEL, X)
    np.testing.assert_allclose(found["0.weight"], first, rtol=1e-14)
    np.testing.assert_allclose(found["2.weight"], first.sum(axis=1)[None], rtol=1e-14)


def test_synflow_ignores_biases_and_signs_and_leaves_the_model_alone():
    model = mlp([4, 8, 8, 3], seed=2, dtype=torch.float64)
    before = {k: v.clone() for k, v in model.state_dict().items()}
    found = synflow_scores(model, torch.zeros(1, 4))
    with torch.no_grad():
        model[0].bias += 100.0
        model[2].weight *= -1
    again = synflow_scores(model, torch.zeros(1, 4))
    assert all(torch.equal(found[k], again[k]) for k in found)
    sums = [float(s.sum()) for s in found.values()]
    np.testing.assert_allclose(sums, sums[0], rtol=1e-13)
    assert torch.equal(model.state_dict()["4.weight"], before["4.weight"])


def test_synflow_conserves_through_every_hidden_unit_of_convolutions():
    model = nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(3, 4, 2), nn.ReLU(), nn.Flatten(), nn.Linear(16, 2)
    )
    found = synflow_scores(model, torch.ones(1, 1, 8, 8))
    sums = [float(s.sum()) for s in found.values()]
    np.testing.assert_allclose(sums, sums[0], rtol=1e-12)
    np.testing.assert_allclose(found["0.weight"].sum(dim=(1, 2, 3)), found["3.weight"].sum(dim=(0, 2, 3)), rtol=1e-12)


def test_synflow_alone_keeps_every_layer_where_one_shot_scores_empty_one():
    model = mlp([20, 100, 100, 100, 5], seed=0)
    data = (torch.randn(50, 20, generator=torch.Generator().manual_seed(0)), torch.arange(50) % 5)
    alive = {m: all(bool(v.any()) for v in prune(model, m, 4e-4, data=data).values()) for m in ("synflow", "magnitude")}
    assert alive == {"synflow": True, "magnitude": False}
    once = prune(model, "synflow", 4e-4, data=data, steps=1)
    assert not all(bool(v.any()) for v in once.values())  # iteration is what keeps them


def test_magnitude_and_random_scores():
    assert torch.equal(magnitude_scores(MODEL)["0.weight"], torch.tensor([[1.0, 2.0], [3.0, 0.5]], dtype=torch.float64))
    a, b, c = (random_scores(mlp([4, 5, 3]), seed=s)["0.weight"] for s in (0, 0, 1))
    assert torch.equal(a, b) and not torch.equal(a, c) and float(a.min()) >= 0 and float(a.max()) < 1


def test_masks_have_exactly_the_wanted_number_of_weights():
    model = mlp([10, 20, 5], seed=0)
    for share in (0.013, 0.1, 0.5, 1.0):
        assert sum(int(m.sum()) for m in prune(model, "magnitude", share).values()) == round(share * 300)
        layers = prune(model, "magnitude", share, scope="layer")
        assert [int(m.sum()) for m in layers.values()] == [round(share * 200), round(share * 100)]
    equal = keep_largest({"a": torch.ones(3, 3)}, 4 / 9)["a"]
    assert equal.reshape(-1).tolist() == [True] * 4 + [False] * 5


def test_pruning_goes_on_from_masks_and_in_steps():
    model = mlp([10, 20, 5], seed=0)
    first = prune(model, "magnitude", 0.5)
    second = prune(model, "random", 0.2, masks=first, seed=3)
    assert all(bool((second[k] <= first[k]).all()) for k in first)
    assert sum(int(m.sum()) for m in second.values()) == 60
    many = prune(model, "magnitude", 0.2, steps=7)
    assert all(torch.equal(a, b) for a, b in zip(many.values(), prune(model, "magnitude", 0.2).values(), strict=True))


def test_bad_questions_are_refused():
    model = mlp([2, 3, 1])
    for wrong in (
        {"method": "size", "density": 0.5},
        {"method": "magnitude", "density": 0.0},
        {"method": "magnitude", "density": 1.5},
        {"method": "snip", "density": 0.5},
        {"method": "magnitude", "density": 0.5, "scope": "unit"},
        {"method": "magnitude", "density": 0.5, "steps": 0},
    ):
        with pytest.raises(InvalidInput):
            prune(model, **wrong)
    with pytest.raises(InvalidInput):
        keep_largest({"a": torch.tensor([float("nan")])}, 0.5)
    with pytest.raises(InvalidInput):
        keep_largest({"a": torch.ones(2)}, {"b": 0.5})
    with pytest.raises(InvalidInput):
        full_masks(nn.ReLU())
    with torch.no_grad():
        model[2].weight.zero_()
        model[0].weight.zero_()
    with pytest.raises(InvalidInput):
        snip_scores(model, torch.ones(4, 2), torch.zeros(4, 1))


def test_folds_that_are_denser_near_the_data_are_preferred() -> None:
    near, elsewhere = (Density("lines", np.array(n), 2.0, 0, np.zeros((2, 1)), np.zeros(2)) for n in ([6, 10], [1, 3]))
    found = SparseGeometry(1, 1, near, elsewhere, 0.1, 2.0)
    assert found.preference == 4.0


def test_the_gain_of_length_is_that_of_the_path_through_the_data() -> None:
    net = Network.sequential(2, [Linear(3 * np.eye(2)), Rectifier(np.array(-1.0))])  # |3 x|: every length three times
    points = np.array([[0.1, 0.2], [1.0, -2.0], [-1.5, 0.4], [2.0, 2.0]])
    assert sparse_geometry(net, points, n_samples=2).length_gain == pytest.approx(3.0)
