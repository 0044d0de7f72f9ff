"""Worst scores are bounds, equal to those of the proved arithmetic; the dual is the backward bound with parallel slopes."""

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidInput
from plica.learn import CertifiedObjective, fit, mlp, worst_scores
from plica.robust import proved_robust
from plica.robust.bounds import Boxes, backward_bounds, interval_bounds, pulled_back, steps_of


def setting(seed: int):
    torch.manual_seed(seed)
    model = mlp([4, 9, 7, 3], seed=seed).double()
    x = torch.randn(6, 4, dtype=torch.float64)
    return model, x, torch.randint(0, 3, (6,))


@pytest.mark.parametrize("bound", ["interval", "dual"])
@pytest.mark.parametrize("seed", range(3))
def test_no_corner_of_the_ball_is_worse(bound, seed):
    model, x, labels = setting(seed)
    worst = worst_scores(model, x, labels, epsilon=0.3, bound=bound)
    signs = torch.cartesian_prod(*[torch.tensor([-0.3, 0.3], dtype=torch.float64)] * 4)
    for corner in signs:
        y = model(x + corner)
        assert (y - y.gather(1, labels[:, None]) <= worst + 1e-12).all()
    none = worst_scores(model, x, labels, epsilon=0.0, bound=bound)
    y = model(x)
    assert torch.allclose(none, y - y.gather(1, labels[:, None]), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_dual_is_the_backward_bound_with_parallel_slopes(seed):
    model, x, labels = setting(seed)
    steps = steps_of(plica.from_torch(model))
    worst = worst_scores(model, x, labels, epsilon=0.2, bound="dual").detach().numpy()
    boxes = Boxes(x.numpy() - 0.2, x.numpy() + 0.2)
    ranges = backward_bounds(steps, boxes, rule="parallel", nested=False)
    eye = np.eye(3)
    forms = eye[labels.numpy()][:, None] - eye[None]
    assert np.allclose(-pulled_back(steps, boxes, ranges, forms, rule="parallel").low, worst, atol=1e-9)


def test_intervals_with_the_last_layer_for_differences_are_at_least_as_good():
    model, x, labels = setting(0)
    last = interval_bounds(steps_of(plica.from_torch(model)), Boxes(x.numpy() - 0.2, x.numpy() + 0.2))[-1]
    plain = last.high - last.low[np.arange(6), labels.numpy()][:, None]
    worst = worst_scores(model, x, labels, epsilon=0.2).detach().numpy()
    others = np.arange(3)[None] != labels.numpy()[:, None]
    assert (worst <= plain + 1e-12)[others].all() and (worst < plain - 1e-6)[others].any()


def test_convolutions_have_intervals():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 3, 3, stride=2, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(12, 2)
    )
    x, labels = torch.rand(5, 1, 4, 4), torch.zeros(5).long()
    worst = worst_scores(model, x, labels, epsilon=0.1)
    for _ in range(50):
        y = model(x + 0.2 * (torch.rand_like(x) - 0.5))
        assert (y[:, 1] - y[:, 0] <= worst[:, 1] + 1e-6).all()
    with pytest.raises(InvalidInput, match="Conv2d"):
        worst_scores(model, x, labels, epsilon=0.1, bound="dual")


@pytest.mark.parametrize("bound", ["interval", "dual"])
def test_training_for_certificates_proves_more(bound):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(400, 2))
    x = x[np.abs(x[:, 0]) > 0.25]
    data = torch.as_tensor(x).float(), torch.as_tensor(x[:, 0] > 0).long()
    shares = []
    for objective in (None, CertifiedObjective(0.2, bound=bound, natural=0.25, n_ramp=100)):
        done = fit(mlp([2, 16, 16, 2], seed=0), data, objective=objective, epochs=40, seed=0)
        shares.append(float(proved_robust(done.network, x, data[1].numpy(), epsilon=0.2).mean()))
    assert shares[1] > shares[0] and shares[1] > 0.95


def test_bad_settings_are_refused():
    with pytest.raises(InvalidInput):
        CertifiedObjective(-1.0)
    with pytest.raises(InvalidInput, match="Tanh"):
        worst_scores(
            torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Linear(2, 2)), torch.zeros(1, 2), torch.zeros(1).long(), epsilon=0.1
        )


def matrix_of(layer, shape) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """An affine layer on inputs of a shape as a matrix and an offset, column by column, and the shape of its output."""
    with torch.no_grad():
        offset = layer(torch.zeros(1, *shape, dtype=torch.float64))
        eye = torch.eye(int(np.prod(shape)), dtype=torch.float64).reshape(-1, *shape)
        return (layer(eye) - offset).flatten(1).T.numpy(), offset.flatten().numpy(), tuple(offset.shape[1:])


@pytest.mark.parametrize("kind", ["dense", "convolution"])
def test_interval_bounds_are_those_of_the_ends_of_intervals(kind: str) -> None:
    torch.manual_seed(0)
    nn = torch.nn
    if kind == "dense":
        model, shape = nn.Sequential(nn.Linear(3, 7), nn.ReLU(), nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3)), (3,)
    else:
        model = nn.Sequential(
            nn.Conv2d(2, 3, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(27, 6), nn.ReLU(), nn.Linear(6, 3)
        )
        shape = (2, 5, 5)
    model = model.double()
    x, label, epsilon = torch.randn(1, *shape, dtype=torch.float64), 1, 0.3
    low, high = (x.flatten().numpy() + sign * epsilon for sign in (-1, 1))
    *inner, last = model
    for layer in inner:  # a weight takes the end of the interval that its sign asks for
        if isinstance(layer, nn.ReLU):
            low, high = np.maximum(low, 0), np.maximum(high, 0)
        elif not isinstance(layer, nn.Flatten):
            W, b, shape = matrix_of(layer, shape if isinstance(layer, nn.Conv2d) else (len(low),))
            low, high = (
                np.array([sum(w * (p if w > 0 else q) for w, p, q in zip(row, *ends, strict=True)) for row in W]) + b
                for ends in ((low, high), (high, low))
            )
    W, b = (t.detach().numpy() for t in (last.weight, last.bias))
    expected = [
        sum(w * (q if w > 0 else p) for w, p, q in zip(W[k] - W[label], low, high, strict=True)) + b[k] - b[label]
        for k in range(3)
    ]
    found = worst_scores(model, x, torch.tensor([label]), epsilon=epsilon, bound="interval")
    assert np.allclose(found[0].detach(), expected, atol=1e-12)
