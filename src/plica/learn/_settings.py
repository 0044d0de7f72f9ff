"""The choices of a training, checked before it starts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput
from plica.learn._losses import Loss
from plica.learn._objectives import Objective, name_of
from plica.learn._optimizers import Optimizer, make_optimizer
from plica.learn._probes import Probe
from plica.learn._schedules import Schedule, make_schedule
from plica.learn._stepper import Rate
from plica.learn._torch_optimizer import Maker, TorchOptimizer

if TYPE_CHECKING:
    from torch import Tensor, nn

Penalty = Callable[["nn.Module"], "Tensor"]
After = Callable[["nn.Module", int], None]
"""From the model and the number of steps made; it may change the parameters."""
Metric = Callable[["Tensor", "Tensor"], Any]
"""From outputs and targets of a batch to a number, the mean over its points."""


@dataclass
class Settings:
    """See :func:`plica.learn.fit`, which documents each of them."""

    epochs: int = 10
    steps: int | None = None
    batch: int = 32
    optimizer: str | Optimizer | Maker = "adam"
    rate: float | Rate = 1e-3
    schedule: str | Schedule = "constant"
    loss: str | Loss | None = None
    objective: Objective | None = None
    penalty: Penalty | None = None
    after_step: After | None = None
    clip_norm: float | None = None
    decay: str = "all"
    accumulate: int = 1
    autocast: str | None = None
    metrics: Mapping[str, Metric] | None = None
    seed: int = 0
    validation: Any = None
    patience: int | None = None
    probes: Sequence[Probe] = ()
    log_every: int | None = None
    threads: int | None = 1
    checkpoint: str | os.PathLike[str] | None = None
    checkpoint_every: int = 1
    resume: bool = False
    path: Path | None = field(init=False)
    chosen: Optimizer = field(init=False)
    curve: Schedule = field(init=False)

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "checkpoint_every", "accumulate"):
            _need(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        _need(self.steps is None or self.steps >= 1, "steps", self.steps, "at least 1")
        if not callable(self.rate):
            _need(0 < self.rate < inf, "rate", self.rate, "a positive number")
        elif self.schedule != "constant":
            raise InvalidInput("a rate that is a function of the step, and a schedule.", hint="one of them")
        for name in ("log_every", "threads"):
            _need(getattr(self, name) is None or getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        if self.loss is not None and self.objective is not None:
            raise InvalidInput("a loss and an objective.", hint="objective(model, batch) takes the place of the loss")
        _need(self.patience is None or self.patience >= 1, "patience", self.patience, "at least 1 epoch")
        _need(self.clip_norm is None or self.clip_norm > 0, "clip_norm", self.clip_norm, "a positive number")
        _need(self.seed >= 0, "seed", self.seed, "a number that is not negative")
        self.path = None if self.checkpoint is None else Path(self.checkpoint)
        _need(self.decay in ("all", "matrices"), "decay", self.decay, "'all' or 'matrices'")
        _need(self.autocast in (None, "bfloat16", "float16"), "autocast", self.autocast, "'bfloat16' or 'float16'")
        self.chosen = _optimizer(self.optimizer)
        if isinstance(self.chosen, TorchOptimizer):
            if self.rate != 1e-3 or self.decay != "all":
                raise InvalidInput("an optimizer of torch has rates and groups of its own.", hint="leave out rate and decay")
        elif self.decay == "matrices" and not self.chosen.weight_decay:
            raise InvalidInput("decay = 'matrices' without a decay.", hint="optimizer=AdamW(weight_decay=0.1)")
        self.curve = make_schedule(self.schedule)
        self.probes = list(self.probes)
        names = [probe.name for probe in self.probes]
        if len(set(names)) < len(names):
            raise InvalidInput(f"two probes have one name: {', '.join(sorted(names))}.", hint="Regions(domain=..., name='plane')")
        if self.resume and self.checkpoint is None:
            raise InvalidInput("resume=True without a checkpoint.", hint="checkpoint='run.safetensors', resume=True")

    def fixed(self) -> dict[str, Any]:
        """What may not change when a run goes on, as plain values."""
        schedule = self.schedule if isinstance(self.schedule, str) else "a function"
        length = {} if schedule == "constant" else {"epochs": self.epochs, "steps": self.steps}
        return length | {
            "batch": self.batch,
            "optimizer": {"name": type(self.chosen).__name__} | self.chosen.settings(),
            "rate": name_of(self.rate) if callable(self.rate) else self.rate,
            "schedule": schedule,
            "clip_norm": self.clip_norm,
            "decay": self.decay,
            "accumulate": self.accumulate,
            "autocast": self.autocast,
            "seed": self.seed,
            "patience": self.patience,
            "objective": name_of(self.objective),
            "penalty": name_of(self.penalty),
            "after_step": name_of(self.after_step),
        }

    def rate_at(self, step: int, n_steps: int) -> float:
        """The learning rate of a step of ``n_steps``."""
        if callable(self.rate):
            return self.rate(step)
        rate = self.chosen.first_rate if isinstance(self.chosen, TorchOptimizer) else self.rate
        return rate * self.curve(step / n_steps)


def _optimizer(chosen: Any) -> Optimizer:
    if isinstance(chosen, (str, Optimizer)):
        return make_optimizer(chosen)
    if not callable(chosen):
        hint = "optimizer=lambda model: torch.optim.AdamW(model.parameters(), lr=1e-3)"
        raise InvalidInput(f"optimizer is a {type(chosen).__name__}.", hint=hint)
    return TorchOptimizer(chosen)


def _need(fine: bool, name: str, value: Any, wanted: str) -> None:
    if not fine:
        raise InvalidInput(f"{name} = {value}.", hint=wanted)
