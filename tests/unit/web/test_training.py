"""Training as a pure function of the state."""

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.web import State
from plica.web._cache import Moments
from plica.web._layers import initial_layers, network_of
from plica.web._problem import problem_of
from plica.web._state import ACTIVATIONS, OPTIMIZERS
from plica.web._training import Diverged, Moment, Trainer, flatten, unflatten


def no_files(digest):
    raise AssertionError(digest)


def trainer(**values):
    state = State(**values)
    return Trainer(state, problem_of(state, no_files))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("data", ["moons", "expression"])
def test_the_gradient_is_the_derivative_of_the_loss(activation, data):
    t = trainer(data=data, widths=(5, 4), act=(activation,), n=30)
    weights = t.start().weights
    x, y = t.problem.points, t.problem.targets
    _, gradient = t._gradient(weights, x, y)
    rng = np.random.default_rng(0)
    for _ in range(5):
        direction = rng.standard_normal(len(weights))
        h = 1e-6
        difference = t._gradient(weights + h * direction, x, y)[0] - t._gradient(weights - h * direction, x, y)[0]
        assert difference / (2 * h) == pytest.approx(gradient @ direction, rel=2e-4, abs=1e-7)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_steps_in_two_parts_are_bit_equal_to_steps_in_one(optimizer):
    t = trainer(opt=optimizer, widths=(8, 8), rate=((0, 0.01), (30, 0.001)))
    whole, _ = t.run(t.start(), 60)
    half, _ = t.run(t.start(), 23)
    resumed, _ = t.run(Moment.from_bytes(half.to_bytes()), 60)
    for name in ("weights", "first", "second"):
        assert np.array_equal(getattr(whole, name), getattr(resumed, name))


@pytest.mark.slow  # imports torch.optim
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam"])
def test_optimizers_are_those_of_torch(optimizer):
    torch = pytest.importorskip("torch")
    from plica.web._training import OPTIMIZERS as RULES

    made = {
        "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
        "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
        "nesterov": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
        "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
        "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.1),
        "adam": lambda p: torch.optim.Adam(p, lr=0.1),
    }
    theirs = torch.ones(4, dtype=torch.float64, requires_grad=True)
    ours, first, second = np.ones(4), np.zeros(4), np.zeros(4)
    step = made[optimizer]([theirs])
    rng = np.random.default_rng(1)
    for t in range(1, 6):
        gradient = rng.standard_normal(4)
        theirs.grad = torch.tensor(gradient)
        step.step()
        change, first, second = RULES[optimizer](gradient, first, second, t)
        ours = ours - 0.1 * change
        assert np.allclose(ours, theirs.detach().numpy(), rtol=1e-12)


def test_every_point_is_used_once_in_each_epoch():
    t = trainer(n=50, batch=16)
    assert t._reference > 0  # looks at all points, once
    seen = []
    original = t._gradient
    t._gradient = lambda w, x, y, **k: (seen.extend(x[:, 0].tolist()), original(w, x, y, **k))[1]
    t.run(t.start(), t.n_batches)
    assert sorted(seen) == sorted(t.problem.points[:, 0].tolist())


def test_a_divergence_is_explained_and_carries_the_last_good_moment():
    t = trainer(data="expression", opt="sgd", rate=((0, 100.0),))
    with pytest.raises(Diverged) as caught:
        t.run(t.start(), 500)
    assert "diverged at step" in caught.value.message and "learning rate of 10" in caught.value.hint
    assert t.loss(caught.value.moment) < 100 * max(1, t.loss(t.start())), "the last good moment is good"


def test_large_targets_are_no_divergence():
    table = "x,y\n" + "".join(f"{i / 10},{3e4 * i}\n" for i in range(30))
    state = State(data="csv", csv="0" * 64)
    t = Trainer(state, problem_of(state, lambda digest: table.encode()))
    moment, _ = t.run(t.start(), 50)
    assert moment.step == 50


@pytest.mark.parametrize(
    ("init", "depth", "pieces"), [("sawtooth", 1, 2), ("sawtooth", 4, 16), ("square", 3, 8), ("square", 5, 32)]
)
def test_proofs_as_initializations_have_the_pieces_they_promise(init, depth, pieces):
    import plica

    state = State(data="sawtooth", init=init, widths=(4,) * depth)
    net = network_of(initial_layers(state, 1), state.activations)
    assert plica.count_regions(net, plica.Box([0], [1])).n_regions == pieces


def test_the_square_is_within_its_bound():
    state = State(data="square", init="square", widths=(3,) * 4)
    net = network_of(initial_layers(state, 1), state.activations)
    x = np.linspace(0, 1, 1001)[:, None]
    assert np.abs(net(x) - x**2).max() <= 2.0 ** (-2 * 4 - 2)


def test_a_proof_that_does_not_fit_is_refused_with_a_hint():
    with pytest.raises(InvalidInput, match="choose sine"):
        initial_layers(State(init="sawtooth"), 2)
    with pytest.raises(InvalidInput, match="width 3 or more"):
        initial_layers(State(init="square", data="square", widths=(2,)), 1)
    with pytest.raises(InvalidInput, match="choose moons"):
        initial_layers(State(init="folding", data="sine"), 1)


def test_flat_weights_come_back_as_layers():
    layers = initial_layers(State(widths=(3, 5)), 2)
    back = unflatten(flatten(layers), [weight.shape for weight, _ in layers])
    assert all(np.array_equal(a, b) for one, two in zip(layers, back, strict=True) for a, b in zip(one, two, strict=True))


def test_remembered_moments_stay_within_their_bytes_and_fit_their_training():
    moments = Moments(10_000)
    for seed in range(30):
        for step in range(0, 300, 3):
            moments.keep(State(seed=seed, step=step), bytes(20))
    assert moments.n_bytes <= 10_000
    assert moments.n_bytes == sum(len(data) for known in moments._trainings.values() for _, data in known.values())
    moments.keep(State(step=50, rate=((0, 0.1), (20, 0.2))), b"changed at 20")
    moments.keep(State(step=10, rate=((0, 0.1),)), b"before")
    assert moments.nearest(State(step=60, rate=((0, 0.1), (20, 0.2), (55, 0.3)))) == b"changed at 20"
    assert moments.nearest(State(step=60, rate=((0, 0.1), (30, 0.2)))) == b"before"
