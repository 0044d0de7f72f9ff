"""Training on several inputs, on drawn batches and on objectives of one's own; what a checkpoint refuses."""

import numpy as np
import pytest
import torch
from torch import nn

import plica.data
from plica.errors import InvalidInput
from plica.learn import LOSSES, Adam, Dense, Measure, Stepper, evaluate, fit, mlp, warm_up
from plica.models import build
from plica.models.transformer import GPT, GPTConfig, Transformer, TransformerConfig

MOONS = plica.data.load("moons", n=60)


class Sum(nn.Module):
    """A model of two inputs."""

    def __init__(self):
        super().__init__()
        self.part = mlp([2, 8, 1], seed=3)

    def forward(self, left, right):
        return self.part(left + right)


@pytest.mark.parametrize("form", [lambda a, b: (a, b), lambda a, b: {"right": b, "left": a}])
def test_a_model_of_two_inputs_trains_as_the_model_of_their_sum(form):
    shift = np.full_like(MOONS.x, 0.25)
    two, one = Sum(), mlp([2, 8, 1], seed=3)
    found = fit(two, (form(MOONS.x, shift), MOONS.y), epochs=3, validation=(form(MOONS.x, shift), MOONS.y))
    expected = fit(one, (MOONS.x + shift, MOONS.y), epochs=3, validation=(MOONS.x + shift, MOONS.y))
    for column in ("loss", "accuracy", "validation_loss"):
        assert found.history[column] == pytest.approx(expected.history[column], rel=1e-5)
    assert evaluate(two, (form(MOONS.x, shift), MOONS.y)).accuracy == found.history["validation_accuracy"][-1]
    with pytest.raises(InvalidInput, match="several inputs"):
        _ = found.network


def test_inputs_of_different_lengths_are_refused():
    with pytest.raises(InvalidInput, match="59 and 60 inputs"):
        fit(Sum(), ((MOONS.x, MOONS.x[1:]), MOONS.y))


def test_drawn_batches_with_an_objective_follow_gradient_descent_by_hand():
    model = nn.Linear(1, 1, dtype=torch.float64)
    with torch.no_grad():
        model.weight.fill_(1.0)
        model.bias.fill_(0.0)
    drawn = []

    def draw(step):
        drawn.append(step)
        return {"x": torch.tensor([[step + 1.0]], dtype=torch.float64)}

    rates = [0.1, 0.05, 0.025]
    found = fit(
        model, draw, steps=3, optimizer="sgd", rate=lambda step: rates[step], log_every=1,
        objective=lambda model, batch: model(batch["x"]).square().sum(),
    )  # fmt: skip
    w, b, losses = 1.0, 0.0, []
    for step, rate in enumerate(rates):
        x = step + 1.0
        y = w * x + b
        losses.append(y * y)
        w, b = w - rate * 2 * y * x, b - rate * 2 * y
    assert model.weight.item() == pytest.approx(w, rel=1e-12) and model.bias.item() == pytest.approx(b, rel=1e-12)
    assert found.history["loss"][1:] == pytest.approx(losses, rel=1e-12)
    assert found.history["rate"] == [0.1, 0.1, 0.05, 0.025] and found.history["step"] == [0, 1, 2, 3]
    assert set(drawn) == {0, 1, 2}


def test_a_run_on_drawn_batches_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "run.safetensors"

    def draw(step):
        return torch.from_numpy(np.random.default_rng(step).standard_normal((8, 2)).astype(np.float32))

    def breaking(step):
        if step == 17:
            raise KeyboardInterrupt
        return draw(step)

    def objective(model, x):
        return (model(x)[:, 0] - x.prod(1)).square().mean()

    def model():
        return mlp([2, 8, 1], dropout=0.2)

    settings = {"steps": 25, "objective": objective, "rate": warm_up(0.01, steps=25, warm=5), "log_every": 1}
    whole, again = model(), model()
    expected = fit(whole, draw, **settings)
    with pytest.raises(KeyboardInterrupt):
        fit(model(), breaking, **settings, checkpoint=path, checkpoint_every=5)
    found = fit(again, draw, **settings, checkpoint=path, checkpoint_every=5, resume=True)
    assert found.history.rows == expected.history.rows
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), again.parameters(), strict=True))
    with pytest.raises(InvalidInput, match="other data"):
        fit(model(), lambda step: draw(step + 1), **settings, checkpoint=path, resume=True)


def test_a_checkpoint_made_with_another_loss_or_penalty_is_refused(tmp_path):
    path = tmp_path / "run.safetensors"
    data = (MOONS.x, MOONS.y.astype(float)[:, None])

    def ridge(weight):
        return lambda model: weight * sum((p**2).sum() for p in model.parameters())

    def train(**more):
        model = mlp([2, 4, 1])
        before = {name: t.clone() for name, t in model.state_dict().items()}
        try:
            fit(model, data, epochs=2, checkpoint=path, resume=True, **more)
        except InvalidInput:
            assert all(torch.equal(before[name], t) for name, t in model.state_dict().items())
            raise

    fit(mlp([2, 4, 1]), data, epochs=1, checkpoint=path, penalty=ridge(0.1))
    with pytest.raises(InvalidInput, match="other settings: penalty"):
        train()
    with pytest.raises(InvalidInput, match="another penalty"):
        train(penalty=ridge(0.2))
    with pytest.raises(InvalidInput, match="other settings: loss"):
        train(penalty=ridge(0.1), loss=lambda output, target: (output - target).abs().mean())
    train(penalty=ridge(0.1), loss="squared")  # the loss that the data chose
    path.unlink()
    fit(mlp([2, 4, 1]), data, epochs=1, checkpoint=path, loss=lambda output, target: (output - target).abs().mean())
    with pytest.raises(InvalidInput, match="another loss"):
        train(loss=lambda output, target: (output - target).abs().max())


@pytest.mark.parametrize("threads", [1, 2, None])
def test_torch_has_its_threads_back_after_training(threads):
    before = torch.get_num_threads()
    seen = []
    try:
        torch.set_num_threads(2)
        look = Measure(function=lambda look: seen.append(torch.get_num_threads()) or 0)
        fit(mlp([2, 4, 1]), MOONS, epochs=1, probes=[look], threads=threads)
        assert set(seen) == {threads or 2} and torch.get_num_threads() == 2
        with pytest.raises(KeyError):
            fit(mlp([2, 4, 1]), lambda step: {}["nothing"], steps=1, objective=lambda model, batch: 0.0, threads=threads)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_language_models_train_on_pairs_of_tokens():
    tokens = np.random.default_rng(0).integers(0, 5, (24, 1)) + np.arange(8)
    x, y = tokens[:, :-1] % 5, tokens[:, 1:] % 5
    model = build(GPT, GPTConfig(5, d_model=16, n_layers=1, n_heads=2, max_length=8), seed=0)
    found = fit(model, (x, y), epochs=12, batch=8, rate=0.02)
    assert found.history["loss"][0] > 1.2 and found.history["loss"][-1] < 0.3
    with pytest.raises(InvalidInput, match="5 outputs for 9 classes"):
        fit(model, (x, y + 4))
    with pytest.raises(InvalidInput, match=r"labels of shape \(6,\)"):
        fit(model, (x, y[:, 1:]))


def test_transformers_take_their_two_inputs_as_a_tuple():
    rng = np.random.default_rng(0)
    source, target = rng.integers(3, 9, (16, 5)), rng.integers(3, 9, (16, 5))
    config = TransformerConfig(9, 9, d_model=16, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, d_ff=16, max_length=8)
    model = build(Transformer, config, seed=0)
    assert fit(model, ((source, target), target), epochs=2, batch=8).n_steps == 4
    with pytest.raises(InvalidInput, match="several inputs"):
        fit(model, (source, target))


def test_impossible_wishes_are_refused():
    def objective(model, batch):
        return model(batch).sum()

    for bad in (
        {"steps": 3},
        {"objective": objective},
        {"steps": 3, "objective": objective, "patience": 2},
        {"steps": 3, "objective": objective, "loss": "squared"},
        {"steps": 3, "objective": objective, "rate": lambda step: 0.1, "schedule": "cosine"},
        {"steps": 3, "objective": objective, "threads": 0},
    ):
        with pytest.raises(InvalidInput):
            fit(mlp([2, 4, 1]), lambda step: torch.zeros(1, 2), **bad)
    with pytest.raises(InvalidInput):
        warm_up(0.1, steps=5, warm=5)
    with pytest.raises(InvalidInput):
        Dense([(np.eye(2), np.zeros(2))], ["relu"])


@pytest.mark.parametrize("loss", ["squared", "absolute", "logistic"])
def test_the_gradient_written_out_is_that_of_torch(loss):
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((7, 3)), rng.integers(0, 2, (7, 1)).astype(float)
    layers = [(rng.standard_normal((4, 3)), rng.standard_normal(4)), (rng.standard_normal((1, 4)), rng.standard_normal(1))]
    dense = Dense(layers, ["leaky-relu"], loss=loss, leak=0.3)
    value, (gradient,) = dense.gradient(x, y)
    parts = [torch.tensor(part, requires_grad=True) for layer in layers for part in layer]
    hidden = nn.functional.leaky_relu(torch.tensor(x) @ parts[0].T + parts[1], 0.3)
    output, target = hidden @ parts[2].T + parts[3], torch.tensor(y)
    theirs = {
        "squared": nn.functional.mse_loss,
        "absolute": nn.functional.l1_loss,
        "logistic": nn.functional.binary_cross_entropy_with_logits,
    }[loss](output, target)
    theirs.backward()
    assert value == pytest.approx(float(theirs.detach()), rel=1e-12)
    assert np.allclose(gradient, np.concatenate([part.grad.numpy().ravel() for part in parts]), rtol=1e-10, atol=1e-14)


def test_the_gradient_of_cross_entropy_is_that_of_torch():
    rng = np.random.default_rng(2)
    x, labels = rng.standard_normal((7, 3)), rng.integers(0, 4, 7)
    layers = [(rng.standard_normal((4, 3)), rng.standard_normal(4))]
    value, (gradient,) = Dense(layers, [], loss="cross-entropy").gradient(x, np.eye(4)[labels])
    parts = [torch.tensor(part, requires_grad=True) for part in layers[0]]
    theirs = nn.functional.cross_entropy(torch.tensor(x) @ parts[0].T + parts[1], torch.tensor(labels))
    theirs.backward()
    assert value == pytest.approx(float(theirs.detach()), rel=1e-12)
    assert np.allclose(gradient, np.concatenate([part.grad.numpy().ravel() for part in parts]), rtol=1e-10, atol=1e-14)


def test_steps_continue_from_what_the_optimizer_remembers():
    def run(x, n, memory=None, step=0):
        stepper = Stepper(
            [x], lambda step: (float((x**4).sum()), [4 * x**3]), optimizer=Adam(), rate=lambda step: 0.1 / (1 + step)
        )
        if memory is not None:
            stepper.resume(step, memory)
        for _ in range(n):
            stepper.advance()
        return stepper

    whole = np.array([1.0, -2.0])
    run(whole, 9)
    part = np.array([1.0, -2.0])
    first = run(part, 4)
    run(part, 5, first.optimizer.memory(), first.step)
    assert np.array_equal(whole, part)


def test_a_step_with_an_infinite_gradient_changes_nothing():
    x = np.array([1.0])
    stepper = Stepper([x], lambda step: (1.0, [np.array([np.inf])]), optimizer=Adam(), rate=lambda step: 0.1)
    assert stepper.advance() == np.inf and stepper.step == 0 and x == [1.0]


def test_losses_are_means_over_everything_that_is_predicted():
    output, target = torch.tensor([[1.0, 2.0, 0.0], [3.0, 0.0, -1.0]]), torch.tensor([[0.0, 0.0, 0.0], [1.0, 4.0, -1.0]])
    assert float(LOSSES["squared"](output, target)) == pytest.approx((1 + 4 + 4 + 16) / 6)
    assert float(LOSSES["absolute"](output, target)) == pytest.approx((1 + 2 + 2 + 4) / 6)
    labels = torch.tensor([1, 0])
    logs = output - output.exp().sum(1, keepdim=True).log()
    assert float(LOSSES["cross-entropy"](output, labels)) == pytest.approx(-float(logs[0, 1] + logs[1, 0]) / 2)
    one = output[:, :1]
    assert float(LOSSES["logistic"](one, labels)) == pytest.approx(
        float((torch.exp(one[:, 0] * (1 - 2 * labels)) + 1).log().mean())
    )


def test_a_score_of_zero_is_the_class_zero():
    """As where a network's class is read off: the first of equal scores."""
    from plica.learn._losses import n_right

    scores, labels = torch.tensor([[0.0], [0.0], [1e-30], [-1e-30]]), torch.tensor([0, 0, 1, 0])
    assert n_right(scores, labels) == 4
    assert n_right(torch.zeros(2, 2), torch.tensor([0, 1])) == 1
