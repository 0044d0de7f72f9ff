"""Objectives, schedules, probes and finite sums once more, in loops over points, parameters and steps."""

from __future__ import annotations

import inspect
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn

import plica
from plica.data import Dataset
from plica.learn import (
    LOSSES,
    CertifiedObjective,
    FiniteSum,
    FoldDistance,
    History,
    Jacobians,
    PathLength,
    Patterns,
    Stepper,
    adversarial,
    crossing_penalty,
    denoising,
    evaluate,
    fit,
    generalization_gap,
    make_optimizer,
    mlp,
    negative_bound,
    pattern_penalty,
    reconstruction,
    saga,
    stairs,
    svrg,
    warm_up,
    worst_scores,
)
from plica.learn import _evaluate as evaluation
from plica.learn._batches import BatchSampler, batches, step_seed
from plica.learn._flat import Flat, Loose
from plica.learn._points import Points, divide
from plica.learn._schedules import SCHEDULES

CENTERS = np.array([1.0, 3.0, 7.0])
SUM = FiniteSum(3, lambda w, i: (1 + i)[:, None] * (w - CENTERS[i][:, None]))


def test_the_full_gradient_is_the_mean_of_all() -> None:
    w = np.array([[0.5], [2.0]])
    expected = [[np.mean([(1 + i) * (v - CENTERS[i]) for i in range(3)])] for v in w[:, 0]]
    assert SUM.full(w) == pytest.approx(np.array(expected))


def test_snapshots_of_svrg_are_random_inner_iterates() -> None:
    rate, inner, epochs = 0.1, 5, 4
    found = svrg(SUM, np.array([[0.0], [9.0]]), rate=rate, n_inner=inner, n_epochs=epochs, seed=2)
    rng, w = np.random.default_rng(2), [0.0, 9.0]
    snapshots = [list(w)]
    for _ in range(epochs):
        anchor = list(w)
        mean = [float(SUM.full(np.array([[v]]))[0, 0]) for v in anchor]
        chosen, kept = rng.integers(inner, size=2), list(w)
        for t in range(inner):
            kept = [w[k] if chosen[k] == t else kept[k] for k in range(2)]
            i = rng.integers(3, size=2)
            w = [w[k] - rate * ((1 + i[k]) * (w[k] - anchor[k]) + mean[k]) for k in range(2)]
        w = kept
        snapshots.append(list(w))
    assert np.array(found)[:, :, 0] == pytest.approx(np.array(snapshots))


def test_saga_keeps_the_last_gradient_of_every_summand() -> None:
    rate, steps = 0.1, (1, 4, 9)
    found = saga(SUM, np.array([[0.0], [9.0]]), rate=rate, steps=steps, seed=2)
    rng, w, expected = np.random.default_rng(2), [0.0, 9.0], {}
    table = [[(1 + i) * (v - CENTERS[i]) for i in range(3)] for v in w]
    for step in range(1, 10):
        i = rng.integers(3, size=2)
        for k in range(2):
            new = (1 + i[k]) * (w[k] - CENTERS[i[k]])
            w[k] -= rate * (new - table[k][i[k]] + sum(table[k]) / 3)
            table[k][i[k]] = new
        expected[step] = list(w)
    assert np.array(found)[:, :, 0] == pytest.approx(np.array([expected[s] for s in steps]))


def test_distances_of_reconstructions_are_sums_over_entries_and_means_over_points() -> None:
    x = torch.arange(24.0, dtype=torch.float64).reshape(3, 2, 4)
    half = nn.Module()
    half.forward = lambda v: v / 2  # type: ignore[method-assign]
    expected = sum(float(v / 2) ** 2 for v in x.flatten()) / 3
    assert float(reconstruction(half, (x, None))) == pytest.approx(expected)


def test_the_bound_that_is_made_large_is_a_mean_over_points() -> None:
    class Bounded(nn.Module):
        def bound(self, x: torch.Tensor) -> torch.Tensor:
            return x.sum(dim=1)

    x = torch.tensor([[1.0, 2.0], [5.0, 6.0], [0.0, 1.0]])
    assert float(negative_bound(Bounded(), (x, None))) == -(3 + 11 + 1) / 3


def test_what_is_left_of_noise_has_its_variance_in_every_entry() -> None:
    x = torch.zeros(4000, 5, dtype=torch.float64)
    torch.manual_seed(0)
    assert float(denoising(0.3)(nn.Identity(), (x, None))) == pytest.approx(5 * 0.09, rel=0.03)


class Game(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = nn.Linear(2, 2, dtype=torch.float64)
        self.discriminator = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)).double()

    def draw(self, n: int) -> torch.Tensor:
        return self.generator(torch.linspace(-1, 1, 2 * n, dtype=torch.float64).reshape(n, 2))


@pytest.mark.parametrize(("game", "weight"), [("non-saturating", 1.0), ("minimax", 1.0), ("minimax", 2.5)])
def test_each_player_moves_by_its_own_loss(game: str, weight: float) -> None:
    torch.manual_seed(1)
    model, x = Game(), torch.randn(6, 2, dtype=torch.float64)
    adversarial(game, generator_weight=weight)(model, (x, None)).backward()
    found = {name: p.grad.clone() for name, p in model.named_parameters()}
    real, fake = torch.sigmoid(model.discriminator(x)), torch.sigmoid(model.discriminator(model.draw(6)))
    told = -(real.log().mean() + (1 - fake).log().mean())
    fooled = weight * (-fake.log().mean() if game == "non-saturating" else (1 - fake).log().mean())
    for loss, player in ((told, model.discriminator), (fooled, model.generator)):
        for (name, _), slope in zip(
            player.named_parameters(), torch.autograd.grad(loss, list(player.parameters()), retain_graph=True), strict=True
        ):
            part = "discriminator" if player is model.discriminator else "generator"
            assert torch.allclose(found[f"{part}.{name}"], slope)


def test_schedules_at_points_where_they_are_known() -> None:
    assert [SCHEDULES["cosine"](t) for t in (0.0, 1 / 3, 0.5, 2 / 3)] == pytest.approx([1.0, 0.75, 0.5, 0.25])
    assert [SCHEDULES["linear"](t) for t in (0.0, 0.3, 0.9)] == pytest.approx([1.0, 0.7, 0.1])
    assert [SCHEDULES["one-cycle"](t) for t in (0.0, 0.05, 0.1, 0.4, 0.55)] == pytest.approx([0.04, 0.52, 1.0, 0.75, 0.5])
    assert [stairs(drops=3, factor=0.5)(t) for t in (0.0, 0.24, 0.26, 0.51, 0.99)] == [1.0, 1.0, 0.5, 0.25, 0.125]
    rate = warm_up(2.0, steps=30, warm=5, last=0.2)
    assert [rate(k) for k in range(5)] == pytest.approx([0.4, 0.8, 1.2, 1.6, 2.0])
    assert [rate(5), rate(15), rate(30)] == pytest.approx([2.0, 2.0 * (0.2 + 0.8 * 15 / 25), 0.4])


def test_scores_weigh_every_point_alike_however_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 2)).astype(np.float32), rng.integers(0, 3, 7)
    model = mlp([2, 5, 3], seed=0)
    monkeypatch.setattr(evaluation, "_CHUNK", 3)  # 3, 3 and 1
    found = evaluate(model, (x, y))
    with torch.no_grad():
        scores = model(torch.as_tensor(x)).double().numpy()
    losses = [np.log(np.exp(s).sum()) - s[k] for s, k in zip(scores, y, strict=True)]
    assert found.loss == pytest.approx(np.mean(losses), rel=1e-5)
    assert found.accuracy == pytest.approx(np.mean(scores.argmax(1) == y))
    done = fit(
        model,
        (x, y),
        epochs=1,
        rate=1e-30,
        optimizer="sgd",
        validation=(x, y),
        metrics={"first": lambda output, target: output[:, 0].mean()},
    )
    assert done.history.last["validation_first"] == pytest.approx(scores[:, 0].mean(), rel=1e-5)


def test_several_gradients_are_shortened_together() -> None:
    a, b = np.zeros(2), np.zeros(1)
    gradients = [np.array([3.0, 0.0]), np.array([4.0])]
    for limit, factor in ((2.5, 0.5), (10.0, 1.0)):
        a[:], b[:] = 0, 0
        stepper = Stepper(
            [a, b], lambda step: (1.0, gradients), optimizer=make_optimizer("sgd"), rate=lambda step: 1.0, clip_norm=limit
        )
        stepper.advance()
        assert a == pytest.approx([-3 * factor, 0]) and b == pytest.approx([-4 * factor])


def test_orders_differ_from_epoch_to_epoch_and_seeds_from_step_to_step() -> None:
    first, second = (np.concatenate(batches(50, 8, seed=3, epoch=e)) for e in (0, 1))
    assert sorted(first) == sorted(second) == list(range(50)) and (first != second).any()
    sampler = BatchSampler(50, 8, seed=3)
    assert (np.concatenate([sampler.rows(k) for k in range(7, 14)]) == second).all()
    seeds = {step_seed(s, k) for s in range(20) for k in range(50)}
    assert len(seeds) == 1000 and max(seeds) < 2**63 and np.mean([s > 2**62 for s in seeds]) == pytest.approx(0.5, abs=0.1)


def test_a_share_is_held_out() -> None:
    points = Points(torch.arange(10.0)[:, None], torch.arange(10))
    train, held = divide(points, 0.3, seed=1)
    assert (len(train), len(held)) == (7, 3) and sorted([*train.y.tolist(), *held.y.tolist()]) == list(range(10))
    assert (train.x[:, 0] == train.y).all()
    assert held.y.tolist() != divide(points, 0.3, seed=2)[1].y.tolist()


def test_probes_measure_what_loops_over_points_do() -> None:
    model = mlp([3, 6, 5, 2], seed=2, weights="he-normal", bias_std=0.8, dtype=torch.float64)
    with torch.no_grad():
        model[0].bias[1] = -100.0  # never on
    rng = np.random.default_rng(0)
    points = rng.normal(size=(9, 3))

    def states(x: np.ndarray) -> list[bool]:
        with torch.no_grad():
            first = model[0](torch.as_tensor(x))
            second = model[2](torch.relu(first))
        return (torch.cat([first, second]) > 0).tolist()

    before = np.array([states(x) for x in points])
    probe = Patterns(points=points)
    found = probe.look(model, torch.zeros(1, 3, dtype=torch.float64))
    assert (
        found["patterns_n_distinct"] == len({tuple(row) for row in before.tolist()}) and found["patterns_share_changed"] is None
    )
    assert found["patterns_n_never_on"] == sum(not before[:, j].any() for j in range(11)) >= 1
    with torch.no_grad():
        model[0].weight[0] *= -1
    after = np.array([states(x) for x in points])
    assert 0 < (after != before).mean() < 1
    again = probe.look(model, torch.zeros(1, 3, dtype=torch.float64))
    assert again["patterns_share_changed"] == pytest.approx((after != before).mean())

    spectra = []
    for x in points:
        J = torch.autograd.functional.jacobian(model, torch.as_tensor(x)).numpy()
        spectra.append(np.linalg.svd(J, compute_uv=False))
    found = Jacobians(points=points).look(model, torch.zeros(1, 3, dtype=torch.float64))
    assert found["jacobian_mean_norm"] == pytest.approx(np.mean([s[0] for s in spectra]))
    assert found["jacobian_max_norm"] == pytest.approx(max(s[0] for s in spectra))
    assert found["jacobian_mean_square"] == pytest.approx(np.mean([(s**2).sum() for s in spectra]))

    from plica.measure import fold_distance

    network = plica.from_torch(model)
    apart = fold_distance(network, points).distance
    found = FoldDistance(points=points).look(model, torch.zeros(1, 3, dtype=torch.float64))
    expected = (sorted(apart)[4], min(apart), sum(apart) / 9)
    assert (found["fold_distance_median"], found["fold_distance_min"], found["fold_distance_mean"]) == pytest.approx(expected)

    t = np.linspace(0, 1, 20_001)[:, None]
    start, stop = np.array([-2.0, 0.0, 1.0]), np.array([2.0, 1.0, -1.0])
    with torch.no_grad():
        line = torch.as_tensor(start + t * (stop - start))
        hidden = torch.relu(model[2](torch.relu(model[0](line)))).numpy()
        output = model(line).numpy()
    found = PathLength(path=plica.Segment(start, stop)).look(model, torch.zeros(1, 3, dtype=torch.float64))
    whole = np.linalg.norm(stop - start)
    for name, image in (("length_last_layer", hidden), ("length_output", output)):
        assert found[name] == pytest.approx(np.linalg.norm(np.diff(image, axis=0), axis=1).sum() / whole, rel=1e-3)


def test_the_latest_value_of_a_column_is_one_that_is_there() -> None:
    history = History([{"step": 0, "loss": 2.0, "x": 5}, {"step": 1, "loss": 1.0, "x": None}])
    assert history.last == {"step": 1, "loss": 1.0, "x": 5}


def test_gaps_are_those_of_trained_networks_on_both_sets() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    data = Dataset("points", x[:25], y[:25], x[25:], y[25:], n_classes=3)
    report = generalization_gap(data, depths=(1, 2), n_parameters=80, seeds=(4,), epochs=3, rate=0.05)
    for row in report.rows:
        model = mlp([2, *[row.width] * row.depth, 3], seed=4)
        fit(model, (x[:25], y[:25]), seed=4, epochs=3, rate=0.05)
        train, test = evaluate(model, (x[:25], y[:25])), evaluate(model, (x[25:], y[25:]))
        assert (row.train_loss, row.test_loss) == pytest.approx((train.loss, test.loss))
        assert (row.train_accuracy, row.test_accuracy) == (train.accuracy, test.accuracy)
        assert row.n_parameters == sum(p.numel() for p in model.parameters()) <= 80


@pytest.mark.parametrize("natural", [0.0, 0.25])
def test_the_radius_grows_and_the_usual_loss_falls_over_the_ramp(natural: float) -> None:
    model = mlp([2, 6, 3], seed=0, dtype=torch.float64)
    x, labels = torch.randn(5, 2, dtype=torch.float64), torch.tensor([0, 1, 2, 0, 1])
    objective = CertifiedObjective(0.2, natural=natural, n_ramp=4)
    entropy = nn.functional.cross_entropy
    model.train()
    for step in range(6):
        share = min(1.0, step / 4)
        usual = 1 - share * (1 - natural)
        worst = entropy(worst_scores(model, x, labels, epsilon=share * 0.2), labels)
        expected = usual * entropy(model(x), labels) + (1 - usual) * worst
        assert float(objective(model, (x, labels)).detach()) == pytest.approx(float(expected.detach()))
    model.eval()
    objective(model, (x, labels))
    assert objective.n_steps == 6, "only steps of training count"


@pytest.mark.parametrize("seed", range(3))
def test_the_pattern_penalty_is_the_least_violation_on_each_line(seed: int) -> None:
    """Segment by segment of every line: where the affine piece of unit j vanishes, and how far from the signs of the segment."""
    model = mlp([2, 4, 3, 1], seed=seed, weights="he-normal", bias_std=0.5, dtype=torch.float64)
    (w1, b1), (w2, b2) = ((layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in (model[0], model[2]))
    terms = []
    for i in range(4):
        foot, along = -b1[i] * w1[i] / (w1[i] @ w1[i]), np.array([-w1[i, 1], w1[i, 0]])
        others = [k for k in range(4) if k != i]
        cuts = sorted(float(-(w1[k] @ foot + b1[k]) / (w1[k] @ along)) for k in others)
        middles = [cuts[0] - 1, *((a + b) / 2 for a, b in pairwise(cuts)), cuts[-1] + 1]
        for j in range(3):
            violations = []
            for t in middles:
                signs = {k: 1 if w1[k] @ (foot + t * along) + b1[k] > 0 else -1 for k in others}
                on = [k for k in others if signs[k] > 0]
                steep = sum(w2[j, k] * (w1[k] @ along) for k in on)
                level = sum(w2[j, k] * (w1[k] @ foot + b1[k]) for k in on) + b2[j]
                if abs(steep) < 1e-9:
                    steep = 1e-9
                star = foot - level / steep * along
                violations.append(sum(max(0.0, -signs[k] * (w1[k] @ star + b1[k])) for k in others))
            terms.append(min(violations))
    assert float(pattern_penalty(weight=2.0)(model).detach()) == pytest.approx(2 * np.mean(terms), rel=1e-9)


def test_the_crossing_penalty_is_a_mean_over_pairs_of_what_is_missing() -> None:
    """Two lines x = 0 and y = 0, and a bent unit that is positive on both by 0.3 at least: 0.05 + 0.3 is missing for each."""
    model = mlp([2, 2, 1, 1], seed=0, dtype=torch.float64)
    with torch.no_grad():
        model[0].weight.copy_(torch.eye(2))
        model[0].bias.zero_()
        model[2].weight.copy_(torch.tensor([[1.0, 1.0]]))
        model[2].bias.fill_(0.3)
    box = plica.Box([-1.0, -1.0], [-0.5, -0.5]), plica.Box([-1.0, -1.0], [1.0, 1.0])
    assert float(crossing_penalty(box[0])(model).detach()) == 0.0  # no fold is in there
    assert float(crossing_penalty(box[1], margin=0.05, weight=3.0)(model).detach()) == pytest.approx(3 * 0.35, rel=1e-6)
    with torch.no_grad():
        model[2].weight.neg_()
        model[2].bias.neg_()
    assert float(crossing_penalty(box[1], margin=0.05)(model).detach()) == pytest.approx(0.35, rel=1e-6)


def test_classes_are_the_last_axis_only_where_there_is_a_label_for_every_token() -> None:
    """(points, classes, places) with labels (points, places), as torch has it, is no sequence of tokens."""
    output, target = torch.randn(4, 3, 5, dtype=torch.float64), torch.randint(0, 3, (4, 5))
    scores = output.permute(0, 2, 1)
    expected = -scores.log_softmax(-1).gather(-1, target[..., None]).mean()
    assert torch.allclose(LOSSES["cross-entropy"](output, target), expected)
    assert torch.allclose(LOSSES["cross-entropy"](scores.contiguous(), target), expected)


@pytest.mark.parametrize("kind", [Flat, Loose])
def test_weights_go_back_to_the_copy_that_is_given(kind: type[Flat]) -> None:
    parameters = [nn.Parameter(torch.arange(3.0)), nn.Parameter(torch.ones(2, 2))]
    held = kind(parameters)

    def move(value: float) -> None:
        for p in parameters:
            p.data.fill_(value)
        held.read()

    first = held.kept()
    move(5.0)
    second = held.kept()
    move(7.0)
    held.go_back(first)
    assert parameters[0].tolist() == [0.0, 1.0, 2.0] and (parameters[1] == 1).all()
    held.go_back(second)
    assert all((p == 5).all() for p in parameters)


def test_usual_numbers_of_optimizers_are_those_of_torch_and_of_fit_those_it_tells() -> None:
    w = [nn.Parameter(torch.zeros(1))]
    for ours, theirs, names in (
        ("adam", torch.optim.Adam(w), {"epsilon": "eps", "weight_decay": "weight_decay"}),
        ("adamw", torch.optim.AdamW(w), {"epsilon": "eps", "weight_decay": "weight_decay"}),
        ("amsgrad", torch.optim.Adam(w, amsgrad=True), {"epsilon": "eps", "weight_decay": "weight_decay"}),
        ("rmsprop", torch.optim.RMSprop(w), {"decay": "alpha", "epsilon": "eps", "weight_decay": "weight_decay"}),
        ("adagrad", torch.optim.Adagrad(w), {"epsilon": "eps", "weight_decay": "weight_decay"}),
        ("sgd", torch.optim.SGD(w), {"momentum": "momentum", "nesterov": "nesterov", "weight_decay": "weight_decay"}),
    ):
        found = make_optimizer(ours).settings()
        assert {name: found[name] for name in names} == {name: theirs.defaults[other] for name, other in names.items()}
        if "betas" in theirs.defaults:
            assert (found["beta1"], found["beta2"]) == theirs.defaults["betas"]
    assert make_optimizer("momentum").settings()["momentum"] == make_optimizer("nesterov").settings()["momentum"] == 0.9
    usual = {name: p.default for name, p in inspect.signature(fit).parameters.items()}
    assert (usual["epochs"], usual["batch"], usual["rate"], usual["optimizer"]) == (10, 32, 1e-3, "adam")
    assert (usual["schedule"], usual["seed"], usual["accumulate"], usual["decay"]) == ("constant", 0, 1, "all")
    assert [stairs()(t) for t in (0.3, 0.4, 0.7)] == pytest.approx([1.0, 0.1, 0.01])
    assert [warm_up(1.0, steps=4)(k) for k in range(5)] == pytest.approx([1.0, 1.0, 2 / 3, 1 / 3, 0.0])
