"""Training as a pure function of the state."""

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.web import State
from plica.web._cache import Checkpoints
from plica.web._layers import initial_layers, network_of
from plica.web._options import ACTIVATIONS, OPTIMIZERS
from plica.web._problem import problem_of
from plica.web._training import Checkpoint, Diverged, Trainer, dense_network


def no_files(digest):
    raise AssertionError(digest)


def trainer(**values):
    state = State(**values)
    return Trainer(state, problem_of(state, no_files))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("data", ["moons", "expression"])
def test_the_gradient_is_the_derivative_of_the_loss(activation, data):
    t = trainer(data=data, widths=(5, 4), act=(activation,), n=30)
    dense = t._dense()
    weights = dense.weights.copy()
    _, (gradient,) = dense.gradient(t.points, t.targets)
    rng = np.random.default_rng(0)

    def loss(at):
        dense.weights[:] = at
        return dense.loss(t.points, t.targets)

    for _ in range(5):
        direction = rng.standard_normal(len(weights))
        h = 1e-6
        difference = loss(weights + h * direction) - loss(weights - h * direction)
        assert difference / (2 * h) == pytest.approx(gradient @ direction, rel=2e-4, abs=1e-7)


@pytest.mark.parametrize("reg", ["l1", "l2"])
def test_a_penalty_is_its_derivative_and_leaves_biases_alone(reg):
    t = trainer(widths=(5, 4), n=30, reg=reg, decay=0.25)
    dense = t._dense()
    weights = [weight.copy() for weight, _ in dense.layers]

    def penalty():
        size = np.abs if reg == "l1" else lambda w: w**2 / 2
        return 0.25 * sum(size(weight).sum() for weight, _ in dense.layers)

    found = np.split(t.penalty(dense), np.cumsum([part.size for layer in dense.layers for part in layer])[:-1])
    assert all((part == 0).all() for part in found[1::2])
    for k, weight in enumerate(weights):
        before, h = penalty(), 1e-6
        dense.layers[k][0][0, 0] += h
        assert (penalty() - before) / h == pytest.approx(found[2 * k].reshape(weight.shape)[0, 0], rel=1e-4)
    free, bent = (trainer(widths=(5, 4), n=30, opt="sgd", rate=((0, 0.1),), reg=r, decay=0.25) for r in ("none", reg))
    moved = free.run(free.start(), 1)[0].weights - bent.run(bent.start(), 1)[0].weights
    assert moved == pytest.approx(0.1 * t.penalty(t._dense()), abs=1e-12)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_steps_in_two_parts_are_bit_equal_to_steps_in_one(optimizer):
    t = trainer(opt=optimizer, widths=(8, 8), rate=((0, 0.01), (30, 0.001)))
    whole, _ = t.run(t.start(), 60)
    half, _ = t.run(t.start(), 23)
    resumed, _ = t.run(Checkpoint.from_bytes(half.to_bytes()), 60)
    assert np.array_equal(whole.weights, resumed.weights)
    assert all(np.array_equal(a, b) for a, b in zip(whole.memory, resumed.memory, strict=True))


@pytest.mark.parametrize("data", ["moons", "sine"])
def test_the_training_is_that_of_fit(data):
    """The gradient written out and torch's own make the same steps: the explorer and plica.learn.fit train alike."""
    import torch

    from plica.learn import fit, mlp

    t = trainer(data=data, widths=(6, 5), n=40, batch=16, noise=0.05)
    found, _ = t.run(t.start(), 7)
    model = mlp([t.points.shape[1], 6, 5, 1], dtype=torch.float64)
    linears = [part for part in model if isinstance(part, torch.nn.Linear)]
    with torch.no_grad():
        for layer, (weight, bias) in zip(linears, t.layers(t.start()), strict=True):
            layer.weight.copy_(torch.from_numpy(weight))
            layer.bias.copy_(torch.from_numpy(bias))
    targets = t.targets[:, 0].astype(int) if data == "moons" else t.targets
    fit(model, (t.points, targets), steps=7, batch=16, rate=0.02, seed=0)
    for layer, (weight, bias) in zip(linears, t.layers(found), strict=True):
        assert np.allclose(layer.weight.detach().numpy(), weight, rtol=1e-9, atol=1e-12)
        assert np.allclose(layer.bias.detach().numpy(), bias, rtol=1e-9, atol=1e-12)


def test_every_point_is_used_once_in_each_epoch():
    t = trainer(n=50, batch=16)
    rows = np.concatenate([t.sampler.rows(step) for step in range(t.sampler.per_epoch)])
    assert sorted(rows.tolist()) == list(range(50)) and t.sampler.per_epoch == 4


def test_a_divergence_is_explained_and_carries_the_last_good_checkpoint():
    t = trainer(data="expression", opt="sgd", rate=((0, 100.0),))
    with pytest.raises(Diverged) as caught:
        t.run(t.start(), 500)
    assert "diverged at step" in caught.value.message and "learning rate of 10" in caught.value.hint
    assert t.loss(caught.value.checkpoint) < 100 * max(1, t.loss(t.start())), "the last good checkpoint is good"


def test_large_targets_are_no_divergence():
    table = "x,y\n" + "".join(f"{i / 10},{3e4 * i}\n" for i in range(30))
    state = State(data="csv", csv="0" * 64)
    t = Trainer(state, problem_of(state, lambda digest: table.encode()))
    checkpoint, _ = t.run(t.start(), 50)
    assert checkpoint.step == 50


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
    back = dense_network(layers, ("relu", "tanh")).layers
    assert all(np.array_equal(a, b) for one, two in zip(layers, back, strict=True) for a, b in zip(one, two, strict=True))


def test_remembered_checkpoints_stay_within_their_bytes_and_fit_their_training():
    checkpoints = Checkpoints(10_000)
    for seed in range(30):
        for step in range(0, 300, 3):
            checkpoints.keep(State(seed=seed, step=step), bytes(20))
    assert checkpoints.n_bytes <= 10_000
    assert checkpoints.n_bytes == sum(len(data) for known in checkpoints._trainings.values() for _, data in known.values())
    checkpoints.keep(State(step=50, rate=((0, 0.1), (20, 0.2))), b"changed at 20")
    checkpoints.keep(State(step=10, rate=((0, 0.1),)), b"before")
    assert checkpoints.nearest(State(step=60, rate=((0, 0.1), (20, 0.2), (55, 0.3)))) == b"changed at 20"
    assert checkpoints.nearest(State(step=60, rate=((0, 0.1), (30, 0.2)))) == b"before"
