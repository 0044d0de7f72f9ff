"""The training loop."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput
from plica.learn._batches import Points, as_points, batches, divide, step_seed
from plica.learn._checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from plica.learn._evaluate import score
from plica.learn._history import History, Row
from plica.learn._losses import Loss, choose_loss, n_right
from plica.learn._probes import Look, Probe
from plica.learn._settings import Settings
from plica.learn._state import State, copy_state, is_finite, restore_state

if TYPE_CHECKING:
    from torch import Tensor, nn

_FIRST_LOOK = 10_000  # rows that give the loss before training


class Run:
    """One training; iterate over it to get a row of the history after every look.

    The model is changed in place. Random numbers come from the seed and the number of the step alone, so a run that goes on
    from a checkpoint is, bit for bit, the run that was not interrupted. Torch's own random state is left as it was.
    """

    def __init__(self, model: nn.Module, data: Any, settings: Settings) -> None:
        self.model, self.settings = model, settings
        points = as_points(data, model)
        self.held: tuple[str, Points] | None = None
        if isinstance(settings.validation, float):
            points, held = divide(points, settings.validation, settings.seed)
            self.held = ("validation", held)
        elif settings.validation is not None:
            self.held = ("validation", as_points(settings.validation, model, what="validation"))
        elif getattr(data, "x_test", None) is not None:
            self.held = ("test", as_points((data.x_test, data.y_test), model, what="the test set"))
        self.points = points
        self.parameters: list[Tensor] = [p for p in model.parameters() if p.requires_grad]
        if not self.parameters:
            raise InvalidInput("the model has no parameters to train.")
        self.loss = self._first_output(settings.loss)
        self.at_least = 2 if _has_batch_norm(model) else 1
        self.steps_per_epoch = len(batches(len(points), settings.batch, seed=0, epoch=0, at_least=self.at_least))
        self.n_steps = settings.steps or settings.epochs * self.steps_per_epoch
        self.step, self.epoch = 0, 0
        self.history = History()
        self.costs: dict[str, dict[str, float]] = {probe.name: {"looks": 0, "seconds": 0.0} for probe in settings.probes}
        self.stopped = ""
        self.seconds = 0.0
        self.best: tuple[float, int, State] | None = None
        self._sum = [0.0, 0, 0]  # loss times points, points, right ones since the last row
        self.has_buffers = next(model.buffers(), None) is not None
        self._last_good: State | None = None
        self._tensors = list(model.state_dict().values())  # they share the memory of the parameters
        for probe in settings.probes:
            probe.reset()
        settings.chosen.start(self.parameters)
        self._prepare_checkpoint()

    # -- the loop ---------------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Row]:
        import torch

        mode = self.model.training
        started = perf_counter()
        try:
            with torch.random.fork_rng(devices=[]):
                for row in self._train():
                    self.seconds += perf_counter() - started
                    yield row
                    started = perf_counter()
        finally:
            self.seconds += perf_counter() - started
            self.model.train(mode)
            for p in self.parameters:
                p.grad = None

    def _train(self) -> Iterator[Row]:
        settings = self.settings
        if not self.history.rows:
            yield self._look(self._first_row(), ("epoch", "step"))
        while self.step < self.n_steps and not self.stopped:
            order = batches(len(self.points), settings.batch, seed=settings.seed, epoch=self.epoch, at_least=self.at_least)
            for rows in order[self.step % self.steps_per_epoch :]:
                if not self._advance(rows):
                    self.stopped = f"diverged in step {self.step + 1}"
                    break
                at_epoch = self.step % self.steps_per_epoch == 0
                self.epoch += at_epoch
                units = tuple(u for u, due in (("epoch", at_epoch), ("step", True)) if due)
                is_last = self.step == self.n_steps
                if at_epoch or is_last or self._due(units):
                    row = self._look(self._row(evaluate=at_epoch or is_last), units, is_last=is_last)
                    if at_epoch and self._is_patience_over(row):
                        self.stopped = f"no progress for {settings.patience} epochs"
                    if at_epoch or is_last:
                        self._save(is_last=is_last or bool(self.stopped))
                    yield row
                if is_last or self.stopped:
                    break
        if not self.stopped:
            self.stopped = "finished"
        if self.best is not None:
            restore_state(self.model, self.best[2])

    def _advance(self, rows: Tensor) -> bool:
        """One step; False if the loss or a gradient is not finite: the model is then in its last good state."""
        import torch

        settings = self.settings
        torch.random.default_generator.manual_seed(step_seed(settings.seed, self.step))
        if not self.model.training:
            self.model.train()
        before = copy_state(self.model) if self.has_buffers else None  # a forward pass changes running means
        x, y = self.points.x[rows], self.points.y[rows]
        for p in self.parameters:
            p.grad = None
        output = self.model(x)
        loss = self.loss(output, y)
        total = loss if settings.penalty is None else loss + settings.penalty(self.model)
        value = float(loss.detach())
        good = bool(torch.isfinite(total.detach()))
        if good:
            total.backward()
            norm = _gradient_norm(self.parameters)
            good = isfinite(norm)
        if not good:
            state = self._last_good if self._last_good is not None else before
            if state is not None:
                restore_state(self.model, state)
            return False
        if settings.clip_norm is not None and norm > settings.clip_norm:
            for p in self.parameters:
                if p.grad is not None:
                    p.grad.mul_(settings.clip_norm / norm)
        if self._last_good is None:
            self._last_good = copy_state(self.model)
        elif before is not None:
            self._last_good = before
        else:
            for kept, p in zip(self._last_good.values(), self._tensors, strict=True):  # its loss and gradients were finite
                kept.copy_(p)
        settings.chosen.step(self.parameters, self.rate)
        self.step += 1
        self._sum[0] += value * len(x)
        self._sum[1] += len(x)
        self._sum[2] += n_right(output.detach(), y) or 0
        return True

    @property
    def rate(self) -> float:
        """The rate of the next step."""
        return self.settings.rate * self.settings.curve(self.step / self.n_steps)

    # -- looking ----------------------------------------------------------------------------------------------------------

    def _row(self, *, evaluate: bool) -> Row:
        total, n, right = self._sum
        self._sum = [0.0, 0, 0]
        row: Row = {"step": self.step, "epoch": self.epoch, "rate": self.rate if self.step < self.n_steps else 0.0}
        row["loss"] = total / n if n else None
        if self.has_labels and n:
            row["accuracy"] = right / n
        return row | (self._held_out() if evaluate else {})

    def _first_row(self) -> Row:
        found = score(self.model, Points(self.points.x[:_FIRST_LOOK], self.points.y[:_FIRST_LOOK]), self.loss)
        row: Row = {"step": 0, "epoch": 0, "rate": self.rate, "loss": found.loss}
        return row | ({} if found.accuracy is None else {"accuracy": found.accuracy}) | self._held_out()

    def _held_out(self) -> Row:
        if self.held is None:
            return {}
        name, points = self.held
        found = score(self.model, points, self.loss)
        return {f"{name}_loss": found.loss} | ({} if found.accuracy is None else {f"{name}_accuracy": found.accuracy})

    def _due(self, units: tuple[str, ...]) -> bool:
        return any(self._is_due(probe, units) for probe in self.settings.probes)

    def _is_due(self, probe: Probe, units: tuple[str, ...]) -> bool:
        return probe.unit in units and probe.is_due(self.epoch if probe.unit == "epoch" else self.step)

    def _look(self, row: Row, units: tuple[str, ...], *, is_last: bool = False) -> Row:
        """Let the probes that are due measure, and put the row into the history."""
        due = [p for p in self.settings.probes if self._is_due(p, units) or (is_last and p.at is None)]
        if due and is_finite(self.model):
            self.model.eval()
            look = Look(self.model, self.step, self.epoch, self.points.x[:1])
            for probe in due:
                start = perf_counter()
                found = probe.measure(look)
                self.costs[probe.name]["looks"] += 1
                self.costs[probe.name]["seconds"] += perf_counter() - start
                row |= {f"{probe.name}_{key}" if key else probe.name: value for key, value in found.items()}
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

    # -- checkpoints ------------------------------------------------------------------------------------------------------

    def _prepare_checkpoint(self) -> None:
        path = self.settings.path
        if path is None:
            return
        if not path.parent.is_dir():
            raise InvalidInput(f"the folder of checkpoint {path} does not exist.")
        if not path.exists():
            return
        if not self.settings.resume:
            raise InvalidInput(f"checkpoint {path} exists.", hint="resume=True goes on from it; remove it to start again")
        self._restore(read_checkpoint(path), path)

    def _save(self, *, is_last: bool) -> None:
        path = self.settings.path
        if path is None or not (is_last or self.epoch % self.settings.checkpoint_every == 0) or not is_finite(self.model):
            return
        import torch

        tensors = {f"model.{name}": t for name, t in self.model.state_dict().items()}
        for slot, found in self.settings.chosen.slots.items():
            tensors |= {f"optimizer.{slot}.{i}": t for i, t in enumerate(found)}
        progress: dict[str, Any] = {
            "step": self.step,
            "epoch": self.epoch,
            "optimizer_steps": self.settings.chosen.n_steps,
            "history": self.history.rows,
            "costs": self.costs,
            "seconds": self.seconds,
            "settings": self.settings.fixed(),
            "data": self.points.fingerprint(),
        }
        for probe in self.settings.probes:
            tensors |= {f"probe.{probe.name}.{key}": torch.from_numpy(array) for key, array in probe.memory().items()}
        if self.best is not None:
            progress["best"] = [self.best[0], self.best[1]]
            tensors |= {f"best.{name}": t for name, t in self.best[2].items()}
        write_checkpoint(Checkpoint(tensors, progress), path)

    def _restore(self, checkpoint: Checkpoint, path: Path) -> None:
        found, ours = checkpoint.progress, self.settings.fixed()
        if found.get("data") != self.points.fingerprint():
            raise InvalidInput(f"checkpoint {path} was made with other data.", hint="give the same data, or start again")
        if found.get("settings") != ours:
            theirs = found.get("settings") or {}
            changed = sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name))
            raise InvalidInput(f"checkpoint {path} was made with other settings: {', '.join(changed)}.", hint="use the same ones")
        state, slots = checkpoint.group("model"), self.settings.chosen.slots
        theirs_state = {name: tuple(t.shape) for name, t in state.items()}
        if theirs_state != {name: tuple(t.shape) for name, t in self.model.state_dict().items()}:
            raise InvalidInput(f"checkpoint {path} belongs to a model with other parameters.", hint="give the same architecture")
        restore_state(self.model, state)
        for slot, tensors in slots.items():
            saved = checkpoint.group(f"optimizer.{slot}")
            for i, tensor in enumerate(tensors):
                tensor.copy_(saved[str(i)])
        self.settings.chosen.n_steps = int(found["optimizer_steps"])
        self.step, self.epoch, self.seconds = int(found["step"]), int(found["epoch"]), float(found["seconds"])
        self.history.rows.extend(found["history"])
        self.costs |= {name: cost for name, cost in found["costs"].items() if name in self.costs}
        for probe in self.settings.probes:
            probe.recall({key: t.numpy() for key, t in checkpoint.group(f"probe.{probe.name}").items()})
        if "best" in found:
            self.best = (float(found["best"][0]), int(found["best"][1]), checkpoint.group("best"))

    # -- small things -----------------------------------------------------------------------------------------------------

    def _first_output(self, given: Any) -> Loss:
        import torch

        mode = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                output = self.model(self.points.x[: min(2, len(self.points))])
        except RuntimeError as error:
            shape = tuple(self.points.x.shape[1:])
            raise InvalidInput(
                f"the model does not take inputs of shape {shape}: {str(error).splitlines()[0]}",
                hint="images for a fully connected network: mlp(widths, flatten=True)",
            ) from None
        finally:
            self.model.train(mode)
        self.has_labels = n_right(output, self.points.y[: len(output)]) is not None
        return choose_loss(given, output, self.points.y)


def _has_batch_norm(model: nn.Module) -> bool:
    return any("BatchNorm" in type(module).__name__ for module in model.modules())


def _gradient_norm(parameters: list[Tensor]) -> float:
    squares = [(p.grad * p.grad).sum() for p in parameters if p.grad is not None]
    return float(sum(squares)) ** 0.5 if squares else inf
