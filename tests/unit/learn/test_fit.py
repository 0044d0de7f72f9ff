"""Training: it learns, it repeats itself, it goes on where it stopped, it stops when it must."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

import plica
import plica.data
from plica.errors import InvalidInput
from plica.learn import (
    FoldDistance,
    GapReport,
    Jacobians,
    Measure,
    PathLength,
    Patterns,
    Regions,
    Run,
    Settings,
    evaluate,
    fit,
    mlp,
)
from plica.learn._gap import GapRow, _width

MOONS = plica.data.load("moons", n=60)
SQUARE = plica.Box([-1.5, -1.0], [2.5, 1.5])


def state(model):
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize(
    ("optimizer", "rate"),
    [
        ("sgd", 0.5),
        ("momentum", 0.1),
        ("nesterov", 0.1),
        ("adagrad", 0.1),
        ("adagrad-norm", 1.0),
        ("rmsprop", 0.01),
        ("adam", 0.01),
        ("adamw", 0.01),
    ],
)
def test_every_optimizer_learns_two_moons(optimizer, rate):
    found = fit(mlp([2, 16, 1]), MOONS, epochs=30, batch=10, optimizer=optimizer, rate=rate, schedule="cosine")
    assert found.history.last["accuracy"] > 0.85
    assert found.history["loss"][-1] < 0.7 * found.history["loss"][0]


def test_a_run_is_repeated_bit_for_bit_and_leaves_global_random_state():
    torch.manual_seed(7)
    before = torch.get_rng_state()
    models = [mlp([2, 8, 1], dropout=0.3) for _ in range(3)]
    histories = [fit(m, MOONS, epochs=3, seed=s).history.rows for m, s in zip(models, (1, 1, 2), strict=True)]
    assert torch.equal(torch.get_rng_state(), before)
    assert histories[0] == histories[1] != histories[2]
    assert equal(state(models[0]), state(models[1])) and not equal(state(models[0]), state(models[2]))
    assert all(p.grad is None for p in models[0].parameters()) and models[0].training


@pytest.mark.parametrize("optimizer", ["momentum", "adagrad", "adagrad-norm", "rmsprop", "adam", "adamw"])
def test_a_run_that_goes_on_is_the_run_that_was_not_interrupted(tmp_path, optimizer):
    def model():
        return mlp([2, 8, 8, 1], dropout=0.2, batch_norm=True)

    def settings(path=None, **more):
        probes = [Regions(domain=SQUARE, every=2), Patterns(points=MOONS.x[:5])]
        return {"epochs": 6, "batch": 16, "optimizer": optimizer, "rate": 0.01, "patience": 50, "validation": 0.2,
                "schedule": "cosine", "probes": probes, "checkpoint": path, **more}  # fmt: skip

    whole = model()
    expected = fit(whole, MOONS, **settings())
    broken, path = model(), tmp_path / "run.safetensors"
    run = Run(broken, MOONS, Settings(**settings(path)))
    for row in run:
        if row["epoch"] == 3:
            break
    resumed = model()  # starts from other places: everything comes from the file
    with torch.no_grad():
        for p in resumed.parameters():
            p.add_(1.0)
    found = fit(resumed, MOONS, **settings(path, resume=True))
    assert equal(state(whole), state(resumed))
    assert found.history.rows == expected.history.rows
    assert found.costs["regions"]["looks"] == expected.costs["regions"]["looks"] == 4


def test_longer_training_may_go_on_from_a_finished_run(tmp_path):
    path = tmp_path / "run.safetensors"
    once, twice = mlp([2, 6, 1]), mlp([2, 6, 1])
    fit(once, MOONS, epochs=6)
    fit(twice, MOONS, epochs=2, checkpoint=path)
    fit(twice, MOONS, epochs=6, checkpoint=path, resume=True)
    assert equal(state(once), state(twice))


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    path = tmp_path / "run.safetensors"
    fit(mlp([2, 6, 1]), MOONS, epochs=1, checkpoint=path)
    with pytest.raises(InvalidInput, match="exists"):
        fit(mlp([2, 6, 1]), MOONS, epochs=2, checkpoint=path)
    with pytest.raises(InvalidInput, match="other data"):
        fit(mlp([2, 6, 1]), plica.data.load("moons", n=60, seed=9), epochs=2, checkpoint=path, resume=True)
    with pytest.raises(InvalidInput, match="batch, rate"):
        fit(mlp([2, 6, 1]), MOONS, epochs=2, checkpoint=path, resume=True, rate=0.5, batch=7)
    with pytest.raises(InvalidInput, match="other parameters"):
        fit(mlp([2, 7, 1]), MOONS, epochs=2, checkpoint=path, resume=True)
    contents = path.read_bytes()
    for damaged in (contents[:-10], contents[:50], b"", b"\xff" * 100):
        path.write_bytes(damaged)
        with pytest.raises(InvalidInput):
            fit(mlp([2, 6, 1]), MOONS, epochs=2, checkpoint=path, resume=True)
    plica.save(plica.random_network([2, 3, 1], seed=0), path)
    with pytest.raises(InvalidInput, match="not a checkpoint"):
        fit(mlp([2, 6, 1]), MOONS, epochs=2, checkpoint=path, resume=True)
    assert [p.name for p in tmp_path.iterdir()] == ["run.safetensors"]


@pytest.mark.parametrize("batch_norm", [False, True])
def test_a_diverging_run_stops_in_its_last_good_state(tmp_path, batch_norm):
    x = np.linspace(-1, 1, 40)[:, None]
    model = mlp([1, 8, 1], batch_norm=batch_norm)
    path = tmp_path / "run.safetensors"
    data = (x, x**2)

    def explode(model):  # a penalty that leaves the floats after a while
        return (1e12 * sum((p**2).sum() for p in model.parameters())) ** 2

    found = fit(model, data, epochs=50, batch=10, optimizer="sgd", rate=1e3, penalty=explode, checkpoint=path)
    assert found.is_diverged and "diverged" in repr(found) and found.n_steps < 200
    assert all(torch.isfinite(t).all() for t in model.state_dict().values())
    value = sum((p**2).sum() for p in model.parameters())
    assert math.isfinite(float(((1e12 * value) ** 2).detach()))
    json.dumps(found.to_dict(), allow_nan=False)


def test_data_with_nan_are_refused_before_training():
    with pytest.raises(InvalidInput, match="NaN"):
        fit(mlp([1, 2, 1]), (np.array([[0.0], [np.nan]]), np.zeros((2, 1))))


def test_patience_keeps_the_best_state():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((30, 2)), rng.integers(0, 2, 30)  # nothing to learn: validation gets worse
    model = mlp([2, 32, 32, 2])
    found = fit(model, (x, y), epochs=200, batch=5, rate=0.01, validation=0.4, patience=3)
    losses = found.history["validation_loss"]
    assert found.stopped == "no progress for 3 epochs" and len(losses) < 60
    best = min(losses[1:])
    held = Run(model, (x, y), Settings(validation=0.4)).held[1]
    assert evaluate(model, (held.x, held.y)).loss == pytest.approx(best, rel=1e-6)


def test_probes_look_at_their_cadence_and_their_cost_is_reported():
    seen = []
    probes = [
        Regions(domain=SQUARE, every=2, keep=True),
        FoldDistance(points=MOONS.x[:3], at=[0, 3]),
        PathLength(path=plica.Segment([0, 0], [1, 1]), every=5, unit="step"),
        Patterns(points=MOONS.x[:10], every=4),
        Jacobians(points=MOONS.x[:2], every=3),
        Measure(name="mode", function=lambda look: seen.append(look.model.training) or len(seen)),
    ]
    found = fit(mlp([2, 8, 1]), MOONS, epochs=4, batch=20, probes=probes)
    history = found.history
    assert [e for e, n in zip(history["epoch"], history["regions_n_cells"], strict=True) if n] == [0, 2, 4]
    assert [e for e, n in zip(history["epoch"], history["fold_distance_mean"], strict=True) if n] == [0, 3]
    assert [s for s, n in zip(history["step"], history["length_output"], strict=True) if n] == [0, 5, 10, 12]
    assert found.costs["regions"]["looks"] == 3 and all(cost["seconds"] > 0 for cost in found.costs.values())
    assert sum(cost["seconds"] for cost in found.costs.values()) < found.seconds
    assert [epoch for _, epoch, _ in probes[0].frames] == [0, 2, 4]
    assert not any(seen)  # models are in eval mode when a probe looks
    last = plica.decompose(found.network, SQUARE)
    assert history.last["regions_n_cells"] == last.n_cells == probes[0].frames[-1][2].n_cells
    assert history.last["mode"] == 5


def test_probes_agree_with_what_they_measure():
    model = mlp([2, 8, 8, 1], seed=4)
    points = MOONS.x[:6]
    probes = [FoldDistance(points=points), Patterns(points=points), Jacobians(points=points)]
    diagonal = plica.Segment([0, 0], [3, 4])
    found = fit(model, MOONS, epochs=2, probes=[*probes, PathLength(path=diagonal)])
    network, last = found.network, found.history.last
    from plica.measure import data_cells, fold_distance, jacobian, trajectory_length

    lengths = trajectory_length(network, diagonal)
    assert lengths.input == pytest.approx(5.0)
    assert last["length_output"] == pytest.approx(lengths.output / 5)
    assert last["length_last_layer"] == pytest.approx(lengths.post[-1] / 5)

    assert last["fold_distance_mean"] == pytest.approx(fold_distance(network, points).mean)
    assert last["patterns_n_distinct"] == data_cells(network, points).n_cells
    assert last["jacobian_max_norm"] == pytest.approx(max(jacobian(network, x).norm for x in points))
    assert found.history["patterns_share_changed"][0] is None


def test_batch_norm_with_one_point_left_over_trains():
    data = plica.data.load("moons", n=33)
    found = fit(mlp([2, 4, 1], batch_norm=True), data, epochs=2, batch=8)
    assert found.n_steps == 8 and found.stopped == "finished"


def test_the_loss_fits_the_data():
    assert fit(mlp([2, 4, 3]), plica.data.load("blobs", n=30), epochs=1).history["accuracy"]
    assert "accuracy" not in fit(mlp([1, 4, 1]), plica.data.load("sine", n=30), epochs=1).history.columns
    with pytest.raises(InvalidInput, match="one output for each class"):
        fit(mlp([2, 4, 2]), plica.data.load("blobs", n=30), epochs=1)
    with pytest.raises(InvalidInput, match="one output for each class"):
        fit(mlp([2, 4, 1]), plica.data.load("blobs", n=30), epochs=1)
    with pytest.raises(InvalidInput, match="cross-entropy"):
        fit(mlp([2, 4, 1]), MOONS, loss="hinge")
    with pytest.raises(InvalidInput, match="flatten"):
        fit(mlp([3, 4, 1]), MOONS)
    with pytest.raises(InvalidInput, match="nothing to predict"):
        fit(mlp([3, 4, 1]), plica.data.load("sphere", n=10))
    with pytest.raises(InvalidInput, match="two probes"):
        fit(mlp([2, 4, 1]), MOONS, probes=[Regions(domain=SQUARE), Regions(domain=SQUARE)])
    for bad in ({"epochs": 0}, {"rate": float("nan")}, {"batch": 0}, {"validation": 1.5}, {"seed": -1}, {"resume": True}):
        with pytest.raises(InvalidInput):
            fit(mlp([2, 4, 1]), MOONS, **bad)


def test_a_penalty_is_added_to_the_loss():
    strong, free = mlp([2, 8, 1]), mlp([2, 8, 1])

    def ridge(model):
        return 10.0 * sum((p**2).sum() for p in model.parameters())

    fit(strong, MOONS, epochs=5, penalty=ridge, optimizer="sgd", rate=0.01)
    fit(free, MOONS, epochs=5, optimizer="sgd", rate=0.01)
    assert float(ridge(strong).detach()) < 0.1 * float(ridge(free).detach())


def test_gradients_are_shortened_to_the_given_norm():
    model = mlp([2, 4, 1])
    before = state(model)
    fit(model, MOONS, steps=1, optimizer="sgd", rate=1.0, clip_norm=0.01)
    moved = sum(float(((a - b) ** 2).sum()) for a, b in zip(before.values(), model.state_dict().values(), strict=True)) ** 0.5
    assert moved == pytest.approx(0.01, rel=1e-4)


def test_images_train_a_convolutional_network_and_its_lines_can_be_probed():
    images = np.random.default_rng(0).uniform(size=(24, 1, 6, 6)).astype(np.float32)
    labels = np.arange(24) % 3
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3))
    line = plica.Segment(images[0].reshape(-1).astype(float), images[1].reshape(-1).astype(float))
    found = fit(model, (images, labels), epochs=2, batch=8, probes=[Regions(domain=line)])
    assert found.history["regions_n_cells"][-1] == plica.count_regions(found.network, line).n_cells


def test_the_test_set_of_the_data_is_evaluated_but_chooses_nothing():
    data = MOONS.split(0.7)
    plain, watched = mlp([2, 8, 1]), mlp([2, 8, 1])
    fit(plain, (data.x, data.y), epochs=4)
    found = fit(watched, data, epochs=4, patience=4)
    assert equal(state(plain), state(watched)) and len(found.history["test_accuracy"]) == 5


def test_histories_become_tables_and_pictures(tmp_path):
    found = fit(mlp([2, 4, 1]), MOONS, epochs=2, validation=0.2, probes=[Regions(domain=SQUARE)])
    text = found.history.to_csv(tmp_path / "history.csv")
    assert (tmp_path / "history.csv").read_text() == text and text.startswith("step,epoch,rate,loss,accuracy,validation_loss")
    assert len(text.splitlines()) == 4
    assert set(found.history.to_dict()) == set(found.history.columns)
    ax = found.history.plot()
    assert {line.get_label() for line in ax.lines} == {"loss", "validation_loss"}
    ax = found.history.plot("regions_n_cells")
    assert list(ax.lines[0].get_ydata()) == found.history["regions_n_cells"]
    with pytest.raises(InvalidInput, match="no column"):
        found.history["nothing"]
    import matplotlib.pyplot as plt

    plt.close("all")


def test_progress_tells_loss_and_probe_values(capsys):
    rows = []
    fit(mlp([2, 4, 1]), MOONS, epochs=2, probes=[Regions(domain=SQUARE)], progress=rows.append)
    assert [row["epoch"] for row in rows] == [0, 1, 2]
    fit(mlp([2, 4, 1]), MOONS, epochs=2, probes=[Regions(domain=SQUARE)], progress=True)
    told = capsys.readouterr()
    assert told.out == "" and len(told.err.splitlines()) == 3
    assert "loss" in told.err and "regions_n_regions" in told.err


def test_the_layers_of_an_mlp_are_those_of_the_random_network():
    module = mlp([3, 5, 2], seed=11, weights="he-normal", bias_std=0.3, dtype=torch.float64)
    network = plica.random_network([3, 5, 2], seed=11, weights="he-normal", bias_std=0.3)
    x = np.random.default_rng(0).standard_normal((4, 3))
    assert np.allclose(module(torch.tensor(x)).detach().numpy(), [network(row) for row in x])


def test_tokens_train_with_a_loss_of_their_own():
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 5, (40, 6))
    model = nn.Sequential(nn.Embedding(5, 8), nn.Linear(8, 5))

    def next_token(output, target):
        return nn.functional.cross_entropy(output.transpose(1, 2), target)

    found = fit(model, (tokens, (tokens + 1) % 5), epochs=30, batch=8, rate=0.02, loss=next_token)
    assert found.history["loss"][-1] < 0.1 and "accuracy" not in found.history.columns


def test_importing_the_room_imports_no_torch():
    code = "import sys, plica.learn, plica.data; print([m for m in ('torch', 'matplotlib', 'sklearn') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


KILLED = """
import sys, plica.data
from plica.learn import fit, mlp
fit(mlp([2, 16, 16, 1], dropout=0.1), plica.data.load("moons"), epochs=2000, batch=50, checkpoint=sys.argv[1],
    progress=lambda row: print(row["epoch"], flush=True))
"""


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_to_the_same_end(tmp_path):
    path = tmp_path / "run.safetensors"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if int(line) >= 20:
            process.kill()
            break
    process.wait()
    process.stdout.close()
    data, epochs = plica.data.load("moons"), 40
    resumed, whole = mlp([2, 16, 16, 1], dropout=0.1), mlp([2, 16, 16, 1], dropout=0.1)
    fit(resumed, data, epochs=epochs, batch=50, checkpoint=path, resume=True)
    fit(whole, data, epochs=epochs, batch=50)
    assert equal(state(resumed), state(whole))


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_one_entry_that_is_not_finite_is_enough(wrong: float) -> None:
    from plica.learn._state import is_finite

    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
    assert is_finite(model)
    for tensor in (model[0].weight, model[1].running_var, model[2].bias):
        kept = tensor.detach().clone()
        tensor.data.view(-1)[-1] = wrong
        assert not is_finite(model)
        tensor.data.copy_(kept)
    assert is_finite(model)


def test_numbers_that_json_does_not_know_are_written_as_words() -> None:
    history = plica.learn.History([{"step": 0, "loss": 0.5}, {"step": 1, "loss": math.nan}, {"step": 2, "loss": -math.inf}])
    assert history.to_dict() == {"step": [0, 1, 2], "loss": [0.5, "nan", "-inf"]}
    assert json.loads(json.dumps(history.to_dict(), allow_nan=False)) == history.to_dict()


@pytest.mark.parametrize("optimizer", ["sgd", lambda model: torch.optim.SGD(model.parameters(), lr=1.0)])
def test_weights_that_a_loss_cannot_take_are_taken_back(optimizer):
    """The step itself is finite, the loss after it is not: the weights before the step return."""
    model = mlp([1, 4, 1], seed=0)
    before = {name: value.clone() for name, value in model.state_dict().items()}

    seen: list[int] = []

    def objective(model, batch):  # finite before the training and in the first step, with finite gradients
        seen.append(1)
        return sum((p**2).sum() for p in model.parameters()) * (1e25 if len(seen) < 3 else torch.inf)

    found = fit(model, (np.zeros((8, 1)), np.zeros((8, 1))), epochs=3, batch=8, optimizer=optimizer, objective=objective)
    assert found.is_diverged and found.n_steps == 1
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_the_report_of_gaps_is_of_means_over_seeds() -> None:
    losses = ((0.1, 0.4), (0.2, 0.9), (0.3, 0.5))
    rows = tuple(GapRow(2, 8, 97, seed, train, test, None, None) for seed, (train, test) in enumerate(losses))
    (row,) = GapReport("points", rows).summary()
    gaps = np.array([0.3, 0.7, 0.2])
    assert [r.gap for r in rows] == pytest.approx(gaps) and row["gap"] == pytest.approx(gaps.mean())
    assert row["standard_error"] == pytest.approx(gaps.std(ddof=1) / np.sqrt(3))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_width_is_the_largest_that_the_parameters_allow(depth: int) -> None:
    for width in (1, 5, 24):
        n = sum(p.numel() for p in mlp([2, *[width] * depth, 3]).parameters())
        assert _width(2, 3, depth, n) == width and (width == 1 or _width(2, 3, depth, n - 1) == width - 1)
