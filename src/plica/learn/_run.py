"""The training loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from math import isfinite
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from plica._torch_threads import torch_threads
from plica.errors import InvalidInput
from plica.learn import _resume
from plica.learn._batches import step_seed
from plica.learn._evaluate import score
from plica.learn._flat import Flat, Loose, moved_as_one
from plica.learn._history import History, Row
from plica.learn._loaders import HeldLoader, Loaded, is_loader
from plica.learn._objectives import Goal, Own, check_module, supervised
from plica.learn._points import Points, as_points, batch_reader, check_finite, divide
from plica.learn._probes import Look, Probe
from plica.learn._settings import Settings
from plica.learn._sources import Drawn, Sampled, Source
from plica.learn._state import State, copy_state, is_finite, restore_state
from plica.learn._stepper import Stepper
from plica.learn._torch_optimizer import TorchOptimizer

if TYPE_CHECKING:
    from torch import Tensor, nn

_FIRST_LOOK = 1_000  # rows that give the loss before training
_LARGE, _KEPT_EVERY = 100_000, 8  # of models with more parameters only every eighth state is kept


class Run:
    """One training; iterate over it to get a row of the history after every look.

    The model is changed in place. Random numbers come from the seed and the number of the step alone, so a run that goes on
    from a checkpoint is, bit for bit, the run that was not interrupted. Torch's own random state is left as it was.
    """

    def __init__(self, model: nn.Module, data: Any, settings: Settings) -> None:
        self.model, self.settings = model, settings
        parameters: list[Tensor] = [p for p in check_module(model).parameters() if p.requires_grad]
        if not parameters:
            raise InvalidInput("the model has no parameters to train.")
        self.held: tuple[str, Points | HeldLoader] | None = None
        self.source: Source = self._source(data)
        if settings.metrics and self.held is None:
            raise InvalidInput(
                "metrics are numbers of held-out data, and there are none.", hint="validation=0.2, or a pair (x, y)"
            )
        self.goal: Goal = Own(settings.objective) if settings.objective is not None else self._supervised()
        self.per_epoch = self.source.per_epoch // settings.accumulate
        if self.source.per_epoch and not self.per_epoch:
            raise InvalidInput(
                f"accumulate = {settings.accumulate}, an epoch has {self.source.per_epoch} batches.", hint="smaller batches"
            )
        self.n_steps = settings.steps or settings.epochs * self.per_epoch
        self.epoch = 0
        self.history = History()
        self.costs: dict[str, dict[str, float]] = {probe.name: {"looks": 0, "seconds": 0.0} for probe in settings.probes}
        self.stopped = ""
        self.seconds = self.processor_seconds = 0.0
        self.best: tuple[float, int, State] | None = None
        self._sum = [0.0, 0, 0]  # loss times points, points, right ones since the last row
        self._has_labels = True
        self._has_buffers = next(model.buffers(), None) is not None
        self._last_good: State | list[Tensor] | None = None
        self._kept_every = _KEPT_EVERY if sum(p.numel() for p in parameters) > _LARGE else 1
        for probe in settings.probes:
            probe.begin()
        is_flat = moved_as_one(parameters) and not isinstance(settings.chosen, TorchOptimizer)
        self.flat = Flat(parameters) if is_flat else Loose(parameters)
        if isinstance(settings.chosen, TorchOptimizer):
            settings.chosen.bind(model, parameters)
        settings.chosen.decayed = self.flat.where(lambda p: p.dim() > 1) if settings.decay == "matrices" else None
        self.stepper = Stepper(
            self.flat.moved,
            self._gradient,
            optimizer=settings.chosen,
            rate=lambda step: settings.rate_at(step, self.n_steps),
            clip_norm=settings.clip_norm,
        )
        _resume.prepare(self)

    @property
    def step(self) -> int:
        """How many steps were made."""
        return self.stepper.step

    # -- data -------------------------------------------------------------------------------------------------------------

    def _source(self, data: Any) -> Source:
        if is_loader(data):
            return self._loaded(data)
        return self._drawn(data) if callable(data) else self._sampled(data)

    def _sampled(self, data: Any) -> Sampled:
        settings, points = self.settings, as_points(data, self.model)
        if isinstance(settings.validation, float):
            points, held = divide(points, settings.validation, settings.seed)
            self.held = ("validation", held)
        elif settings.validation is not None:
            self._hold(settings.validation)
        elif getattr(data, "x_test", None) is not None:
            self.held = ("test", as_points((data.x_test, data.y_test), self.model, what="the test set"))
        return Sampled(points, settings.batch, seed=settings.seed, at_least=2 if _has_batch_norm(self.model) else 1)

    def _drawn(self, data: Any) -> Drawn:
        settings = self.settings
        wrong = [name for name in ("steps", "objective") if getattr(settings, name) is None]
        if wrong:
            raise InvalidInput(
                f"data drawn by a function, without {' and '.join(wrong)}.", hint="fit(..., steps=..., objective=...)"
            )
        if settings.patience is not None or isinstance(settings.validation, float):
            raise InvalidInput("data drawn by a function have no epochs and no points to hold out.", hint="validation=(x, y)")
        if settings.validation is not None:
            self._hold(settings.validation)
        return Drawn(data)

    def _loaded(self, loader: Any) -> Loaded:
        settings = self.settings
        if isinstance(settings.validation, float):
            raise InvalidInput("a loader has no points to hold out.", hint="validation=(x, y), or divide the data set before")
        if settings.validation is not None:
            self._hold(settings.validation)
        return Loaded(loader, seed=settings.seed, as_points=self._reader())

    def _reader(self) -> Callable[[Any], Any]:
        """What makes points of a loader's batch; an objective takes it as it is."""
        return batch_reader(self.model) if self.settings.objective is None else lambda batch: batch

    def _hold(self, data: Any) -> None:
        if is_loader(data):
            self.held = ("validation", HeldLoader(data, self._reader()))
        else:
            self.held = ("validation", as_points(data, self.model, what="validation"))

    def _supervised(self) -> Goal:
        points = self.source.points if isinstance(self.source, Sampled) else self.source.first(_FIRST_LOOK)
        goal = supervised(self.model, points, self.settings.loss)
        if self.held is not None and isinstance(self.held[1], Points):  # before the first epoch is over
            supervised(self.model, self.held[1], goal.loss, what=f" ({self.held[0]})")
        return goal

    # -- the loop ---------------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Row]:
        import torch

        mode = self.model.training
        started = perf_counter(), process_time()

        def book() -> None:
            self.seconds += perf_counter() - started[0]
            self.processor_seconds += process_time() - started[1]

        try:
            with torch.random.fork_rng(devices=[]), torch_threads(self.settings.threads):
                for row in self._train():
                    book()
                    yield row
                    started = perf_counter(), process_time()
        finally:
            book()
            self.model.train(mode)
            for p in self.flat.parameters:
                p.grad = None

    def _train(self) -> Iterator[Row]:
        settings, per_epoch = self.settings, self.per_epoch
        if not self.history.rows:
            yield self._look(self._first_row(), ("epoch", "step"))
        while self.step < self.n_steps and not self.stopped:
            if not self._advance():
                self.stopped = f"diverged in step {self.step + 1}"
                break
            at_epoch = bool(per_epoch) and self.step % per_epoch == 0
            self.epoch += at_epoch
            units = ("epoch", "step") if at_epoch else ("step",)
            is_last = self.step == self.n_steps
            row = None
            if at_epoch or is_last or self._is_logged() or self._due(units):
                row = self._look(self._row(evaluate=at_epoch or is_last), units, is_last=is_last)
                if at_epoch and self._is_patience_over(row):
                    self.stopped = f"no progress for {settings.patience} epochs"
            if is_last or self.stopped or ((at_epoch or not per_epoch) and _resume.is_due(self)):
                _resume.save(self)
            if row is not None:
                yield row
        if not self.stopped:
            self.stopped = "finished"
        if self.best is not None:
            restore_state(self.model, self.best[2])

    def _advance(self) -> bool:
        """One step; False if the loss or a gradient is not finite: the model is then in its last good state."""
        if not self.model.training:
            self.model.train()
        before = self._kept() if self._last_good is None or self.step % self._kept_every == 0 else None
        if isfinite(self.stepper.advance()):
            self._last_good = before or self._last_good  # its loss and gradients were finite
            self.flat.write()
            if self.settings.after_step is not None:
                self.settings.after_step(self.model, self.step)
                self.flat.read()
            return True
        good = self._last_good or before
        assert good is not None
        self._go_back(good)
        return False

    def _kept(self) -> State | list[Tensor]:
        return copy_state(self.model) if self._has_buffers else self.flat.kept()  # a pass changes running means

    def _go_back(self, state: State | list[Tensor]) -> None:
        if isinstance(state, dict):
            restore_state(self.model, state)
            self.flat.read()
        else:
            self.flat.go_back(state)

    def _gradient(self, step: int) -> tuple[float, list[Tensor]]:
        """The loss of a step's batch, and the gradient of it and the penalty."""
        import torch

        penalty = self.settings.penalty
        torch.random.default_generator.manual_seed(step_seed(self.settings.seed, step))
        for p in self.flat.parameters:
            p.grad = None
        value, n = 0.0, self.settings.accumulate
        for i in range(n):
            batch = self.source.batch(self._batch_number(step, i))
            with self._precision():
                term = self.goal(self.model, batch)
            total = term.loss if penalty is None else term.loss + penalty(self.model)
            if n > 1:
                total = total / n
            loss = float(term.loss.detach())
            value += loss / n if penalty is None else float(total.detach())
            if not isfinite(value):
                check_finite(batch)
                return value, []
            if not total.requires_grad:
                raise InvalidInput("what is to be small does not depend on the model.", hint="no detach() or item() on the way")
            total.backward()  # type: ignore[no-untyped-call]
            self._sum[0] += loss * term.n_points
            self._sum[1] += term.n_points
            self._sum[2] += term.n_right or 0
            self._has_labels = term.n_right is not None
        return value, self.flat.gradients()

    def _batch_number(self, step: int, part: int) -> int:
        """Which batch is the given part of a step; batches of an epoch that do not fill a step are left out."""
        if not self.per_epoch or self.settings.accumulate == 1:
            return step * self.settings.accumulate + part
        epoch, place = divmod(step, self.per_epoch)
        return epoch * self.source.per_epoch + place * self.settings.accumulate + part

    def _precision(self) -> AbstractContextManager[Any]:
        """In which numbers the model computes while it trains."""
        import torch

        if self.settings.autocast is None:
            return nullcontext()
        return torch.autocast(self.flat.parameters[0].device.type, getattr(torch, self.settings.autocast))

    # -- looking ----------------------------------------------------------------------------------------------------------

    def _is_logged(self) -> bool:
        return self.settings.log_every is not None and self.step % self.settings.log_every == 0

    def _row(self, *, evaluate: bool) -> Row:
        total, n, right = self._sum
        self._sum = [0.0, 0, 0]
        row: Row = {"step": self.step, "epoch": self.epoch, "rate": self.stepper.rate(self.step - 1)}
        row["loss"] = total / n if n else None
        if self._has_labels and n:
            row["accuracy"] = right / n
        return row | (self._held_out() if evaluate else {})

    def _first_row(self) -> Row:
        import torch

        row: Row = {"step": 0, "epoch": 0, "rate": self.stepper.rate(0)}
        first = self.source.first(_FIRST_LOOK)
        # losses of models that draw are random: these numbers follow from the seed, too
        torch.random.default_generator.manual_seed(step_seed(self.settings.seed, 0))
        if not isinstance(first, Points):
            self.model.eval()
            with torch.no_grad():
                return row | {"loss": float(self.goal(self.model, first).loss)} | self._held_out()
        found = score(self.model, first, self.goal)
        return row | {"loss": found.loss} | _accuracy("accuracy", found.accuracy) | self._held_out()

    def _held_out(self) -> Row:
        if self.held is None:
            return {}
        name, points = self.held
        found = score(self.model, points, self.goal, self.settings.metrics)
        more = {f"{name}_{key}": value for key, value in found.metrics.items()}
        return {f"{name}_loss": found.loss} | _accuracy(f"{name}_accuracy", found.accuracy) | more

    def _due(self, units: tuple[str, ...]) -> bool:
        return any(self._is_due(probe, units) for probe in self.settings.probes)

    def _is_due(self, probe: Probe, units: tuple[str, ...]) -> bool:
        return probe.unit in units and probe.is_due(self.epoch if probe.unit == "epoch" else self.step)

    def _look(self, row: Row, units: tuple[str, ...], *, is_last: bool = False) -> Row:
        """Let the probes that are due measure, and put the row into the history."""
        due = [p for p in self.settings.probes if self._is_due(p, units) or (is_last and p.at is None)]
        if due and is_finite(self.model):
            self.model.eval()
            look = Look(self.model, self.step, self.epoch, self.source.example)
            for probe in due:
                start = perf_counter()
                row |= probe.numbers(look)
                self.costs[probe.name]["looks"] += 1
                self.costs[probe.name]["seconds"] += perf_counter() - start
        self.history.rows.append(row)
        return row

    def _is_patience_over(self, row: Row) -> bool:
        """Keep the best state; True if it is too long ago."""
        if self.settings.patience is None:
            return False
        loss: float = row["validation_loss"] if "validation_loss" in row else row["loss"]
        best = self.best
        if best is None or loss < best[0]:
            self.best = best = (loss, self.epoch, copy_state(self.model))
        return self.epoch - best[1] >= self.settings.patience


def _accuracy(name: str, value: float | None) -> Row:
    return {} if value is None else {name: value}


def _has_batch_norm(model: nn.Module) -> bool:
    return any("BatchNorm" in type(module).__name__ for module in model.modules())
