"""Probes in loops of others: the same numbers as in ours, modes put back, costs bounded; with the real packages."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import plica
from plica.errors import InvalidInput, MissingExtra
from plica.learn import Measure, Regions, Watch, fit, lightning_callback, mlp, to_tensorboard, to_wandb, trainer_callback
from plica.learn import _probes as probes_module

SQUARE = plica.Box([-1.0, -1.0], [1.0, 1.0])


def test_a_look_counts_what_the_engine_counts_and_puts_every_mode_back() -> None:
    model = nn.Sequential(nn.Linear(2, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Dropout(0.5), nn.Linear(6, 1))
    model.train()
    model[1].eval()  # frozen batch norm inside a model that trains
    before = {k: v.clone() for k, v in model.state_dict().items()}
    found = Regions(domain=SQUARE).look(model, torch.zeros(4, 2))
    assert [m.training for m in model] == [True, False, True, True, True] and model.training
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())
    model.eval()
    network = plica.from_torch(model, example_input=torch.zeros(1, 2))
    cx = plica.decompose(network, SQUARE)
    assert found == {"regions_n_cells": cx.n_cells, "regions_n_regions": cx.n_regions}


def test_a_model_stays_in_its_mode_when_a_probe_fails() -> None:
    def fails(look):
        assert not look.model.training and not torch.is_grad_enabled()
        raise RuntimeError

    model = mlp([2, 3, 1]).train()
    with pytest.raises(RuntimeError):
        Measure(function=fails).look(model, torch.zeros(1, 2))
    assert model.training and torch.is_grad_enabled()


def test_a_plain_loop_sees_what_fit_sees() -> None:
    data = plica.data.load("moons", n=64, seed=0)
    ours = fit(mlp([2, 8, 1], seed=1), data, epochs=3, batch=16, probes=[Regions(domain=SQUARE, every=4, unit="step")])
    seen = [n for n in ours.history["regions_n_regions"] if n is not None]
    watch, model = Watch([Regions(domain=SQUARE, every=4, unit="step")]), mlp([2, 8, 1], seed=1)
    watch(model, torch.zeros(1, 2), step=0)

    def tell(row):
        if row["step"]:
            watch(model, torch.zeros(1, 2), step=row["step"], epoch=row["epoch"])

    fit(model, data, epochs=3, batch=16, log_every=1, progress=tell)
    assert watch.history["regions_n_regions"] == seen and len(seen) == 4


def test_epochs_are_looked_at_once() -> None:
    watch = Watch([Measure(name="m", function=lambda look: look.epoch, every=2)])
    rows = [watch(mlp([2, 2, 1]), torch.zeros(1, 2), epoch=step // 3) for step in range(12)]
    assert [r["m"] for r in rows if r is not None] == [0, 2]


def test_a_share_of_the_time_bounds_what_looks_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(probes_module, "clock", lambda: now[0])

    def dear(look) -> float:
        now[0] += 2.0
        return 1.0

    watch = Watch([Measure(name="dear", function=dear, every="5 % of the time", unit="step")])
    for _ in range(1000):
        watch(mlp([2, 2, 1]), torch.zeros(1, 2))
        now[0] += 0.5
    looks = watch.cost["dear"]["looks"]
    assert 2.0 * (looks - 1) <= 0.05 * now[0] <= 2.0 * (looks + 1) and looks > 5


@pytest.mark.parametrize("cost, pause", [(1e-6, 1e-3), (0.03, 1e-3), (7.0, 0.1)])
def test_the_share_is_kept_after_every_look_but_the_first(monkeypatch: pytest.MonkeyPatch, cost: float, pause: float) -> None:
    now, shares = [100.0], []
    monkeypatch.setattr(probes_module, "clock", lambda: now[0])

    def look(_) -> float:
        now[0] += cost
        return 1.0

    probe = Measure(name="m", function=look, every="5 %", unit="step")
    watch = Watch([probe])
    for _ in range(8000):
        if watch(mlp([1, 1]), torch.zeros(1, 1)) is not None:
            shares.append(probe.seconds / (now[0] - 100.0))
        now[0] += pause
    assert len(shares) > 3 and max(shares[1:]) <= 0.05 * (1 + 1e-9)
    assert shares[-1] > 0.045 or len(shares) == 8000  # and made use of, unless every step is looked at


@pytest.mark.parametrize("every", ["often", "0 %", "150 %", "5", ""])
def test_other_cadences_are_refused(every: str) -> None:
    with pytest.raises(InvalidInput):
        Regions(domain=SQUARE, every=every)


def test_watches_need_probes_with_names() -> None:
    for probes in ([], [Regions(domain=SQUARE), Regions(domain=SQUARE)]):
        with pytest.raises(InvalidInput):
            Watch(probes)


def test_rows_go_to_writers() -> None:
    class Log(list):
        def add_scalar(self, name, value, step):
            self.append((name, value, step))

        def log(self, values, step):
            self.extend((k, v, step) for k, v in values.items())

    for write in (to_tensorboard, to_wandb):
        log = Log()
        watch = Watch([Measure(name="m", function=lambda look: 7)], writers=[write(log)])
        watch(mlp([2, 2, 1]), torch.zeros(1, 2), step=3, loss=0.5, note="no number")
        assert sorted(log) == [("plica/loss", 0.5, 3), ("plica/m", 7.0, 3)]


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    watch = Watch([Measure(function=lambda look: 1)])
    monkeypatch.setitem(sys.modules, "lightning.pytorch", None)
    monkeypatch.setitem(sys.modules, "transformers", None)
    for make in (lambda: lightning_callback(watch), lambda: trainer_callback(watch, torch.zeros(1, 2))):
        with pytest.raises(MissingExtra, match="not installed"):
            make()


def _watch() -> Watch:
    return Watch([Regions(domain=SQUARE, every=5, unit="step")])


@pytest.mark.peer
@pytest.mark.filterwarnings("ignore")  # those of Lightning itself
def test_lightning_trains_and_is_watched(tmp_path) -> None:
    lightning = pytest.importorskip("lightning.pytorch", reason="lightning is not installed")

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = mlp([2, 8, 1], seed=0)

        def training_step(self, batch, index):
            return (self.net(batch[0]) - batch[1]).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    x = torch.randn(80, 2, generator=torch.Generator().manual_seed(0))
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x[:, :1] * x[:, 1:]), batch_size=8)
    watch, module = _watch(), Module()
    trainer = lightning.Trainer(
        max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, default_root_dir=tmp_path, callbacks=[lightning_callback(watch, module=lambda m: m.net)],
    )  # fmt: skip
    trainer.fit(module, loader)
    assert watch.history["step"] == [5, 10, 15, 20]
    module.net.eval()
    last = plica.from_torch(module.net, example_input=torch.zeros(1, 2))
    assert watch.history["regions_n_regions"][-1] == plica.decompose(last, SQUARE).n_regions
    assert float(trainer.logged_metrics["regions_n_regions"]) == watch.history["regions_n_regions"][-1]


@pytest.mark.peer
def test_hugging_faces_trainer_is_watched(tmp_path) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    pytest.importorskip("accelerate", reason="accelerate is not installed")

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = mlp([2, 8, 1], seed=0)

        def forward(self, x, labels=None):
            out = self.net(x)
            return {"loss": (out - labels).square().mean(), "logits": out}

    x = torch.randn(40, 2, generator=torch.Generator().manual_seed(0))
    rows = [{"x": a, "labels": a[:1] * a[1:]} for a in x]
    watch, model = _watch(), Model()
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path), num_train_epochs=2, per_device_train_batch_size=8, report_to=[], save_strategy="no",
        use_cpu=True, disable_tqdm=True, logging_strategy="no",
    )  # fmt: skip
    trainer = transformers.Trainer(
        model, arguments, train_dataset=rows, callbacks=[trainer_callback(watch, torch.zeros(1, 2), module=lambda m: m.net)]
    )
    trainer.train()
    assert watch.history["step"] == [5, 10]
    logged = [row["regions_n_regions"] for row in trainer.state.log_history if "regions_n_regions" in row]
    assert logged == watch.history["regions_n_regions"]


@pytest.mark.peer
def test_tensorboard_reads_what_was_written(tmp_path) -> None:
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(tmp_path))
    watch = Watch([Regions(domain=SQUARE, every=2, unit="step")], writers=[to_tensorboard(writer)])
    for _ in range(5):
        watch(mlp([2, 8, 1], seed=0), torch.zeros(1, 2))
    writer.close()
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    assert [e.step for e in events.Scalars("plica/regions_n_regions")] == [0, 2, 4]


@pytest.mark.peer
def test_weights_and_biases_takes_rows_offline(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    wandb = pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run = wandb.init(project="plica", dir=str(tmp_path))
    watch = Watch([Regions(domain=SQUARE, every=2, unit="step")], writers=[to_wandb(run)])
    for _ in range(5):
        watch(mlp([2, 8, 1], seed=0), torch.zeros(1, 2))
    assert run.summary["plica/regions_n_regions"] == watch.history["regions_n_regions"][-1]
    run.finish()


def test_a_probe_counts_its_looks_from_zero_in_every_run() -> None:
    probe = Measure(name="m", function=lambda look: 0.0, unit="step")
    data = torch.zeros(4, 2), torch.zeros(4, 1)
    for n_steps in (3, 2):
        fit(mlp([2, 2, 1], seed=0), data, steps=n_steps, batch=2, loss="squared", probes=[probe])
        assert probe.n_looks == n_steps + 1  # one before the first step
