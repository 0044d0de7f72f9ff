"""Optimizers written out make the steps of torch's, and AdaGrad-Norm those of its paper."""

import numpy as np
import pytest
import torch

from plica.errors import InvalidInput
from plica.learn import SGD, AdaGrad, AdaGradNorm, Adam, AdamW, AMSGrad, RMSProp
from plica.learn._optimizers import OPTIMIZERS, make_optimizer
from plica.learn._schedules import SCHEDULES, make_schedule, stairs

PAIRS = [
    (SGD(), lambda p: torch.optim.SGD(p, lr=0.005)),
    (SGD(momentum=0.9), lambda p: torch.optim.SGD(p, lr=0.005, momentum=0.9)),
    (SGD(momentum=0.9, nesterov=True), lambda p: torch.optim.SGD(p, lr=0.005, momentum=0.9, nesterov=True)),
    (SGD(weight_decay=0.1), lambda p: torch.optim.SGD(p, lr=0.005, weight_decay=0.1)),
    (AdaGrad(), lambda p: torch.optim.Adagrad(p, lr=0.005)),
    (RMSProp(), lambda p: torch.optim.RMSprop(p, lr=0.005)),
    (Adam(), lambda p: torch.optim.Adam(p, lr=0.005)),
    (Adam(weight_decay=0.1), lambda p: torch.optim.Adam(p, lr=0.005, weight_decay=0.1)),
    (AdamW(), lambda p: torch.optim.AdamW(p, lr=0.005)),
    (AMSGrad(), lambda p: torch.optim.Adam(p, lr=0.005, amsgrad=True)),
]


def banana(p: list[torch.Tensor]) -> torch.Tensor:
    a, b = p
    return ((1 - a) ** 2).sum() + 5 * ((b - a**2) ** 2).sum()


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda v: repr(v) if not callable(v) else "")
def test_thirty_steps_are_those_of_torch(ours, theirs):
    def start():
        return [torch.nn.Parameter(torch.tensor([0.3, -0.2, 0.8], dtype=torch.float64) + k) for k in (0, 1)]

    p, q = start(), start()
    reference = theirs(q)
    ours.start(p)
    for _ in range(30):
        for parameters in (p, q):
            for v in parameters:
                v.grad = None
            banana(parameters).backward()
        ours.step(p, 0.005)
        reference.step()
    assert all(torch.allclose(a, b, rtol=1e-10, atol=1e-12) for a, b in zip(p, q, strict=True))
    assert ours.n_steps == 30


def test_adagrad_norm_follows_its_two_lines():
    p = [torch.nn.Parameter(torch.tensor([1.0, 2.0], dtype=torch.float64))]
    optimizer = AdaGradNorm(b0=0.5)
    optimizer.start(p)
    x, b2 = p[0].detach().clone(), 0.25
    for _ in range(10):
        p[0].grad = None
        (p[0] ** 2).sum().backward()
        g = 2 * x
        b2 += float((g**2).sum())
        x = x - 0.7 / b2**0.5 * g
        optimizer.step(p, 0.7)
    assert torch.allclose(p[0].detach(), x, rtol=1e-12)


def test_a_parameter_without_a_gradient_stays():
    for name in ("sgd", "nesterov", "adagrad", "adagrad-norm", "rmsprop", "adam"):
        p = [torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))]
        optimizer = make_optimizer(name)
        optimizer.start(p)
        (3 * p[0]).sum().backward()
        optimizer.step(p, 0.1)
        assert (p[1] == 1).all() and (p[0] < 1).all(), name


def test_unknown_names_and_impossible_numbers_are_refused():
    with pytest.raises(InvalidInput, match="adagrad-norm"):
        make_optimizer("adamax")
    with pytest.raises(InvalidInput, match="one-cycle"):
        make_schedule("sine")
    for bad in (-0.1, float("nan"), float("inf")):
        with pytest.raises(InvalidInput):
            SGD(momentum=bad)
    with pytest.raises(InvalidInput):
        stairs(factor=2.0)


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_stays_between_zero_and_one(name):
    values = [make_schedule(name)(k / 1000) for k in range(1000)]
    assert all(0 <= v <= 1 for v in values) and max(values) > 0.99


@pytest.mark.parametrize("shape", [(20,), (4, 5)])
@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_a_long_vector_moves_as_its_entries_do(name, shape, monkeypatch):
    """In parts of seven, twenty entries make the steps that they make at once, and none is passed over."""
    found = []
    for size in (7, 1000):
        monkeypatch.setattr("plica.learn._optimizers._PART", size)
        x, optimizer = np.linspace(-1, 2, 20).reshape(shape), make_optimizer(name)
        optimizer.start([x])
        before = x.copy()
        for k in range(3):
            optimizer.step([x], 0.01, [np.cos(np.arange(20.0) + k).reshape(shape)])
        assert (x != before).all()
        found.append(x)
    assert np.array_equal(*found)


def test_what_does_not_lie_in_a_row_is_moved_too(monkeypatch):
    monkeypatch.setattr("plica.learn._optimizers._PART", 7)
    plain, turned = np.linspace(-1, 2, 20).reshape(4, 5), np.linspace(-1, 2, 20).reshape(4, 5).T.copy().T
    assert not turned.flags.c_contiguous
    for x in (plain, turned):
        optimizer = make_optimizer("adamw")
        optimizer.start([x])
        for k in range(3):
            optimizer.step([x], 0.01, [np.cos(np.arange(20.0).reshape(4, 5) + k)])
    assert np.array_equal(plain, turned)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda v: repr(v) if not callable(v) else "")
def test_gradients_as_small_as_epsilon_are_divided_as_torch_does(ours, theirs):
    p, q = ([torch.nn.Parameter(torch.tensor([0.3, -0.2], dtype=torch.float64))] for _ in range(2))
    reference = theirs(q)
    ours.start(p)
    for _ in range(3):
        for (v,) in (p, q):
            v.grad = torch.tensor([3e-9, -2e-8], dtype=torch.float64)
        before = q[0].detach().clone()
        ours.step(p, 0.005)
        reference.step()
        assert torch.allclose(p[0] - before, q[0] - before, rtol=1e-6, atol=1e-16)


def test_one_cycle_goes_up_in_a_tenth_and_down_to_zero_in_the_rest():
    cycle = make_schedule("one-cycle")
    assert [cycle(t) for t in (0.0, 0.05, 0.1, 0.55, 1.0)] == pytest.approx([0.04, 0.52, 1.0, 0.5, 0.0], abs=1e-12)
    falls = [cycle(t) for t in np.linspace(0.1, 1.0, 50)]
    assert falls == sorted(falls, reverse=True)


@pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=lambda v: repr(v) if not callable(v) else "")
def test_a_large_gradient_is_remembered_as_torch_does(ours, theirs):
    p, q = ([torch.nn.Parameter(torch.tensor([0.3, -0.2], dtype=torch.float64))] for _ in range(2))
    reference = theirs(q)
    ours.start(p)
    for size in (1.0, *[1e-3] * 200):  # the mean of squares falls, its largest value does not
        for (v,) in (p, q):
            v.grad = torch.tensor([size, -2 * size], dtype=torch.float64)
        ours.step(p, 0.005)
        reference.step()
    assert torch.allclose(p[0], q[0], rtol=1e-9)
