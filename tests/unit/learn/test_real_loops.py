"""``fit`` with what people's loops have: loaders, optimizers of torch, accumulation, autocast, metrics, groups of decay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

import plica
from plica.errors import InvalidInput
from plica.learn import SGD, AdaGradNorm, AdamW, evaluate, fit, mlp
from plica.learn._loaders import gathered
from plica.learn._sources import Drawn
from plica.learn._state import are_finite
from plica.learn._torch_optimizer import TorchOptimizer

X = torch.randn(48, 3, generator=torch.Generator().manual_seed(0))
Y = (X[:, 0] > X[:, 1]).long()


def network(seed: int = 0) -> nn.Module:
    return mlp([3, 8, 2], seed=seed)


def same(a: nn.Module, b: nn.Module) -> bool:
    return all(torch.equal(p, q) for p, q in zip(a.state_dict().values(), b.state_dict().values(), strict=True))


class Noisy(Dataset):
    """A data set with a random transform, as augmentation has."""

    def __len__(self) -> int:
        return len(X)

    def __getitem__(self, i: int):
        return X[i] + 0.1 * torch.randn(3), Y[i]


@pytest.mark.parametrize("data", [TensorDataset(X, Y), Noisy()], ids=["plain", "augmented"])
@pytest.mark.parametrize("own", [False, True], ids=["the default generator", "one of its own"])
def test_a_loader_is_trained_on_and_a_cut_run_goes_on_bit_for_bit(data, own: bool, tmp_path) -> None:
    def loader():
        generator = torch.Generator() if own else None
        return DataLoader(data, batch_size=8, shuffle=True, generator=generator)

    whole = fit(network(), loader(), epochs=4, rate=0.01, seed=5)
    assert whole.n_steps == 24 and whole.history.last["accuracy"] > 0.5
    path = tmp_path / "run.safetensors"
    cut = network()
    fit(cut, loader(), epochs=2, rate=0.01, seed=5, checkpoint=path)
    again = network(seed=9)
    fit(again, loader(), epochs=4, rate=0.01, seed=5, checkpoint=path, resume=True)
    assert same(again, whole.model) and not same(cut, whole.model)
    middle = tmp_path / "middle.safetensors"
    fit(network(), loader(), steps=9, rate=0.01, seed=5, checkpoint=middle)  # in the middle of an epoch
    fit(again, loader(), steps=24, rate=0.01, seed=5, checkpoint=middle, resume=True)
    assert same(again, whole.model)
    other = fit(network(), loader(), epochs=4, rate=0.01, seed=6)
    assert not same(other.model, whole.model)


def test_a_loader_of_dictionaries_with_an_objective() -> None:
    rows = [{"x": x, "label": y} for x, y in zip(X, Y, strict=True)]

    def objective(model, batch):
        return cross_entropy(model(batch["x"]), batch["label"])

    found = fit(network(), DataLoader(rows, batch_size=16), epochs=20, rate=0.05, objective=objective)
    assert found.history.last["loss"] < 0.3


@pytest.mark.parametrize("name", ["SGD", "AdamW", "RMSprop", "Adagrad"])
def test_an_optimizer_of_torch_makes_the_steps_of_a_plain_loop_and_resumes(name: str, tmp_path) -> None:
    options = {"SGD": {"lr": 0.1, "momentum": 0.9}, "AdamW": {"lr": 0.02, "weight_decay": 0.1}}.get(name, {"lr": 0.01})

    def make(model):
        matrices, vectors = ([p for p in model.parameters() if (p.dim() > 1) == flag] for flag in (True, False))
        groups = [{"params": matrices}, {"params": vectors, "lr": options["lr"] / 2}]
        return getattr(torch.optim, name)(groups, **options)

    plain = network()
    optimizer = make(plain)
    for _ in range(10):
        optimizer.zero_grad()
        cross_entropy(plain(X), Y).backward()
        optimizer.step()
    ours = fit(network(), (X, Y), epochs=10, batch=48, optimizer=make).model
    for a, b in zip(plain.parameters(), ours.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)
    path = tmp_path / "run.safetensors"
    fit(network(), (X, Y), epochs=4, batch=48, optimizer=make, checkpoint=path)
    again = network(seed=3)
    fit(again, (X, Y), epochs=10, batch=48, optimizer=make, checkpoint=path, resume=True)
    assert same(again, ours)
    with pytest.raises(InvalidInput, match="other settings: optimizer"):
        fit(network(), (X, Y), epochs=10, batch=48, checkpoint=path, resume=True,
            optimizer=lambda model: torch.optim.SGD(model.parameters(), lr=0.123))  # fmt: skip


def test_the_schedule_multiplies_the_rates_of_all_groups() -> None:
    kept = []

    def make(model):
        *others, last = model.parameters()
        kept.append(torch.optim.SGD([{"params": others}, {"params": [last], "lr": 0.4}], lr=0.1))
        return kept[-1]

    found = fit(network(), (X, Y), epochs=4, batch=48, optimizer=make, schedule="linear", log_every=1)
    assert [row["rate"] for row in found.history] == pytest.approx([0.1, 0.1, 0.075, 0.05, 0.025])
    first, second = (group["lr"] for group in kept[0].param_groups)
    assert second == pytest.approx(4 * first)


def test_accumulated_batches_are_one_large_batch() -> None:
    small = fit(network(), (X, Y), steps=5, batch=12, accumulate=4, optimizer="sgd", rate=0.1, seed=1)
    large = fit(network(), (X, Y), steps=5, batch=48, optimizer="sgd", rate=0.1, seed=1)
    for a, b in zip(small.model.parameters(), large.model.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-6)
    assert fit(network(), (X, Y), epochs=2, batch=8, accumulate=4, rate=0.1).n_steps == 2  # two batches of six fill no step


def test_half_precision_only_where_products_are_made() -> None:
    kinds = []

    class Spy(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = network()

        def forward(self, x):
            out = self.net(x)
            if self.training:
                kinds.append(out.dtype)
            return out

    found = fit(Spy(), (X, Y), epochs=30, batch=16, rate=0.02, autocast="bfloat16")
    assert set(kinds) == {torch.bfloat16}
    assert all(p.dtype == torch.float32 for p in found.model.parameters()) and found.history.last["accuracy"] > 0.85


def test_metrics_are_columns_of_held_out_data() -> None:
    def brier(output, target):
        return (output.softmax(1)[:, 1] - target).square().mean()

    found = fit(network(), (X, Y), epochs=2, batch=16, validation=(X[:20], Y[:20]), metrics={"brier": brier})
    found.model.eval()
    with torch.no_grad():
        assert found.history.last["validation_brier"] == pytest.approx(float(brier(found.model(X[:20]), Y[:20])), abs=1e-6)


def test_decay_of_matrices_leaves_biases_alone() -> None:
    def step(decay: str) -> nn.Module:
        model = network()
        with torch.no_grad():
            for p in model.parameters():
                p.add_(1.0)
        fit(model, (X, Y), steps=1, batch=48, rate=1e-3, optimizer=AdamW(weight_decay=100.0), decay=decay)
        return model

    everything, matrices = step("all"), step("matrices")
    for (name, a), (_, b) in zip(everything.named_parameters(), matrices.named_parameters(), strict=True):
        assert torch.equal(a, b) == (a.dim() > 1), name


@pytest.mark.parametrize(
    "options, words",
    [
        ({"optimizer": 3}, "optimizer is a int"),
        ({"optimizer": lambda m: torch.optim.LBFGS(m.parameters())}, "gradients alone"),
        ({"optimizer": lambda m: torch.optim.SGD(network().parameters(), lr=0.1)}, "not the model's"),
        ({"optimizer": lambda m: torch.optim.SGD(m.parameters(), lr=0.1), "rate": 0.5}, "rates and groups of its own"),
        ({"decay": "matrices"}, "without a decay"),
        ({"decay": "some"}, "decay = some"),
        ({"accumulate": 0}, "accumulate = 0"),
        ({"accumulate": 7, "batch": 16}, "3 batches"),
        ({"autocast": "int4"}, "autocast = int4"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        fit(network(), (X, Y), **{"epochs": 1, **options})


def test_a_loader_without_batches_or_with_a_share_to_hold_out_is_refused() -> None:
    for data, options in ((TensorDataset(X[:0], Y[:0]), {}), (TensorDataset(X, Y), {"validation": 0.2})):
        with pytest.raises(InvalidInput, match=r"empty|hold out"):
            fit(network(), DataLoader(data, batch_size=8), epochs=1, **options)


def test_a_trained_loader_gives_an_exact_network() -> None:
    found = fit(network(), DataLoader(TensorDataset(X, Y), batch_size=16), epochs=1)
    assert plica.decompose(found.network, plica.Segment([-1.0, 0, 0], [1.0, 0, 0])).n_cells >= 1


def loader_of(kind: str, generator: torch.Generator | None) -> DataLoader:
    x, y = torch.arange(22.0).reshape(11, 2), torch.arange(11)
    options = {"plain": {}, "shuffled": {"shuffle": True}, "last one dropped": {"shuffle": True, "drop_last": True}}[kind]
    return DataLoader(TensorDataset(x, y), batch_size=4, generator=generator, **options)


@pytest.mark.parametrize("seeded", [False, True])
@pytest.mark.parametrize("kind", ["plain", "shuffled", "last one dropped"])
def test_batches_gathered_together_are_those_of_the_loader_in_its_order(kind: str, seeded: bool) -> None:
    def batches(change: Callable[[DataLoader], Any]) -> list[list[torch.Tensor]]:
        torch.manual_seed(3)
        loader = change(loader_of(kind, torch.Generator().manual_seed(5) if seeded else None))
        return [list(batch) for _ in range(2) for batch in loader]

    ours, theirs = batches(gathered), batches(lambda loader: loader)
    assert len(ours) == len(theirs) == (4 if kind == "last one dropped" else 6)
    assert all(torch.equal(a, b) for one, two in zip(ours, theirs, strict=True) for a, b in zip(one, two, strict=True))


def test_a_loader_that_does_more_than_stack_rows_is_left_as_it_is() -> None:
    class Noisy(TensorDataset):
        def __getitem__(self, index: Any) -> Any:
            x, y = super().__getitem__(index)
            return x + 1, y

    x, y = torch.zeros(6, 2), torch.zeros(6)
    for loader in (
        DataLoader(Noisy(x, y)),
        DataLoader(TensorDataset(x, y), collate_fn=list),
        DataLoader(TensorDataset(x), batch_size=None),
    ):
        assert gathered(loader) is loader


class Half(nn.Module):
    """A network with a layer that is not used in some steps, which must keep its weights."""

    def __init__(self) -> None:
        super().__init__()
        self.used, self.unused, self.n_calls = network(), nn.Linear(3, 2), 0

    def forward(self, x):
        self.n_calls += 1
        return self.used(x) + (self.unused(x) if self.n_calls < 4 else 0.0)


@pytest.mark.parametrize("options", [{"decay": "matrices"}, {"after_step": lambda model, step: None}, {}])
@pytest.mark.parametrize("optimizer", [AdamW, AdaGradNorm, lambda **rest: SGD(momentum=0.9, nesterov=True, **rest)])
@pytest.mark.parametrize("make", [network, Half])
def test_long_parameters_are_moved_by_themselves_and_make_the_same_steps(monkeypatch, make, optimizer, options) -> None:
    made = []
    for longest in (2**16, 1):  # in one vector, each by itself
        monkeypatch.setattr("plica.learn._flat._LONG", longest)
        torch.manual_seed(0)
        model = make()
        fit(model, (X, Y), steps=9, batch=16, optimizer=optimizer(weight_decay=0.1), rate=0.05, seed=0, **options)
        made.append(model)
    close = all(
        torch.allclose(p, q, rtol=0, atol=1e-6)
        for p, q in zip(made[0].state_dict().values(), made[1].state_dict().values(), strict=True)
    )
    assert same(*made) or (optimizer is AdaGradNorm and close)  # whose norm is a sum in another order


def test_a_cut_run_with_long_parameters_goes_on_bit_for_bit(monkeypatch, tmp_path) -> None:
    path, whole, cut = tmp_path / "c.safetensors", network(), network()
    monkeypatch.setattr("plica.learn._flat._LONG", 1)
    fit(whole, (X, Y), epochs=4, batch=16, seed=0)
    fit(cut, (X, Y), epochs=2, batch=16, seed=0, checkpoint=path)
    after = network(5)
    fit(after, (X, Y), epochs=4, batch=16, seed=0, checkpoint=path, resume=True)
    assert same(whole, after)
    monkeypatch.setattr("plica.learn._flat._LONG", 2**16)
    with pytest.raises(InvalidInput, match="memory of the optimizer"):
        fit(network(), (X, Y), epochs=6, batch=16, seed=0, checkpoint=path, resume=True)


class Sum(nn.Module):
    """Two inputs, by name or in order."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return self.left(a) + self.right(b)


class Rows(Dataset):
    """Rows that a function makes."""

    def __init__(self, row) -> None:
        self.row = row

    def __len__(self) -> int:
        return 32

    def __getitem__(self, i: int):
        return self.row(i)


class Stream(IterableDataset):
    def __iter__(self):
        return iter([(X[i], Y[i]) for i in range(32)])


def loader(row, **options) -> DataLoader:
    return DataLoader(Rows(row), batch_size=8, **options)


@pytest.mark.parametrize("row", [lambda i: ((X[i], X[i]), Y[i]), lambda i: ({"a": X[i], "b": X[i]}, Y[i])])
def test_batches_of_several_inputs_are_those_of_arrays(row) -> None:
    torch.manual_seed(0)
    one, two = Sum(), Sum()
    two.load_state_dict(one.state_dict())
    found = fit(one, loader(row), epochs=2, rate=0.01)
    other = row(slice(0, 32))
    score = evaluate(one, other)
    assert found.n_steps == 8 and score.loss < evaluate(two, other).loss


def test_a_loader_is_held_out_in_the_same_order_every_time() -> None:
    held = DataLoader(TensorDataset(X[:20], Y[:20]), batch_size=7, shuffle=True)
    runs = [
        fit(network(), (X, Y), epochs=2, validation=validation, metrics={"right": right}).history
        for validation in (held, held, (X[:20], Y[:20]))
    ]
    assert runs[0].rows == runs[1].rows
    for name in ("validation_loss", "validation_accuracy", "validation_right"):
        assert np.allclose(runs[0][name], runs[2][name], rtol=1e-6)
    assert [row["loss"] for row in runs[0]] == [row["loss"] for row in runs[2]]  # shuffling takes none of its random numbers


def right(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return (output.argmax(1) == target).float().mean()


def test_batches_that_are_held_out_may_be_an_objective_s_own() -> None:
    def objective(model: nn.Module, batch: dict) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch["x"]), batch["labels"])

    batches = loader(lambda i: {"x": X[i], "labels": Y[i]})
    found = fit(network(), batches, epochs=2, objective=objective, validation=batches, rate=0.05)
    model = found.model.eval()
    with torch.no_grad():
        expected = np.mean([float(objective(model, b)) for b in batches])
    assert np.isclose(found.history.last["validation_loss"], expected)
    with pytest.raises(InvalidInput, match="metrics are of outputs"):
        fit(network(), batches, epochs=1, objective=objective, validation=batches, metrics={"right": right})


WRONG = {
    "batches of one": (lambda: loader(lambda i: (X[i],)), "list of 1, not a pair"),
    "batches of three": (lambda: loader(lambda i: (X[i], X[i], Y[i])), "list of 3, not a pair"),
    "dictionaries": (lambda: loader(lambda i: {"x": X[i], "labels": Y[i]}), "a dict, not a pair"),
    "a stream": (lambda: DataLoader(Stream(), batch_size=8), "a stream"),
    "single points": (lambda: DataLoader(TensorDataset(X, Y), batch_size=None), "single points"),
    "texts": (lambda: loader(lambda i: ("a", 1)), "no numbers"),
    "labels that are texts": (lambda: (X, np.array(["a", "b"])[Y]), "no numbers"),
    "no class": (lambda: (X, Y - 1), "label -1 is no class"),
    "a class that comes late": (lambda: loader(lambda i: (X[i], Y[i] + 5 * (i == 30))), "label is no class"),
    "numbers": (lambda: (1.0, 2), "one number"),
    "a data set of torch": (lambda: TensorDataset(X, Y), "TensorDataset"),
}


@pytest.mark.parametrize("name", WRONG)
def test_data_that_cannot_be_trained_on_are_refused_in_words(name: str) -> None:
    make, words = WRONG[name]
    with pytest.raises(InvalidInput, match=words) as caught:
        fit(network(), make(), epochs=1)
    assert caught.value.hint


@pytest.mark.parametrize(
    "options, words",
    [
        ({"objective": lambda model, batch: model(batch[0])}, r"tensor of shape \("),
        ({"objective": lambda model, batch: 1.0}, "is a float"),
        ({"objective": lambda model, batch: {"loss": 1.0}}, "is a dict"),
        ({"objective": lambda model, batch: torch.tensor(1.0)}, "does not depend on the model"),
        ({"optimizer": torch.optim.SGD}, "no optimizer can be made"),
        ({"schedule": lambda optimizer: torch.optim.lr_scheduler.StepLR(optimizer, 1)}, "gives no number"),
        ({"metrics": {"right": right}}, "held-out"),
    ],
)
def test_choices_of_other_loops_are_refused_in_words(options: dict, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as caught:
        fit(network(), DataLoader(TensorDataset(X, Y), batch_size=8), epochs=1, **options)
    assert caught.value.hint


@pytest.mark.parametrize("found", ["high", None, torch.ones(3)])
def test_a_metric_that_is_no_number_is_refused_by_its_name(found: Any) -> None:
    with pytest.raises(InvalidInput, match="'odd' returns a") as caught:
        fit(network(), (X, Y), epochs=1, validation=(X, Y), metrics={"odd": lambda output, target: found})
    assert caught.value.hint


def test_held_out_inputs_that_the_model_does_not_take_are_refused_before_training() -> None:
    model = network()
    before = [p.clone() for p in model.parameters()]
    with pytest.raises(InvalidInput, match=r"does not take inputs of shape \(\d+,\) \(validation\)"):
        fit(model, (X, Y), epochs=1, validation=(torch.zeros(5, X.shape[1] + 1), Y[:5]))
    assert all(torch.equal(p, q) for p, q in zip(before, model.parameters(), strict=True))


@pytest.mark.parametrize("model", [plica.random_network([3, 4, 2], seed=0), lambda x: x, None])
def test_what_is_no_module_is_refused(model) -> None:
    with pytest.raises(InvalidInput, match="the model is a"):
        fit(model, (X, Y), epochs=1)


def test_an_optimizer_of_torch_counts_its_steps_from_zero() -> None:
    kept = TorchOptimizer(lambda model: torch.optim.SGD(model.parameters(), lr=0.1))
    for _ in range(2):
        kept.start([])
        assert kept.n_steps == 0


def test_drawn_batches_are_known_by_their_first() -> None:
    source = Drawn(lambda step: (torch.full((3, 2), float(step)), torch.zeros(3)))
    assert float(source.first(3)[0].max()) == 0 and source.example.tolist() == [[0.0, 0.0]]
    assert source.fingerprint() != Drawn(lambda step: (torch.full((3, 2), step + 1.0), torch.zeros(3))).fingerprint()


@pytest.mark.parametrize("kind", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("last", [2.0, 3e38, float("inf"), float("-inf"), float("nan")])
def test_gradients_that_are_asked_together_are_finite_where_each_is_and_stay_as_they_are(kind: torch.dtype, last: float) -> None:
    arrays = [torch.ones(3, dtype=kind), torch.tensor([[1.0, -0.0], [last, 1e-38]], dtype=kind).T]
    before = [array.clone() for array in arrays]
    assert are_finite(arrays) is all(bool(torch.isfinite(array).all()) for array in before)
    for after, a in zip(arrays, before, strict=True):
        assert torch.allclose(after, a, rtol=0, atol=0, equal_nan=True)
        assert torch.equal(after.signbit(), a.signbit())
